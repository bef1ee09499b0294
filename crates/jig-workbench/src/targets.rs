//! An index of everything that a message can refer to in a state, cached by the hashes of its inputs.

use std::sync::Arc;

use jig_context::item::{Category, is_editable};
use jig_context::target::{Catalog, CatalogDocument, of_artifact, of_entry, of_item};
use jig_contract::ops::EntryState;
use jig_contract::{BlobHash, OpError};

use crate::Workbench;
use crate::entries::KINDS_FOLDER;

/// The folder of entries and artifacts.
const DOCUMENTS_FOLDER: &str = "meta/documents";

/// The hashes of the inputs: documents, context items, kinds.
pub(crate) type CatalogKey = [Option<BlobHash>; 3];

/// The approximate memory use of an indexed document, in bytes.
const WEIGHT: usize = 2_048;

impl Workbench {
    /// An index of artifacts, active entries and context items.
    pub(crate) async fn catalog_at(&self, state: BlobHash) -> Result<Arc<Catalog>, OpError> {
        let key = [
            self.hash_at(state, DOCUMENTS_FOLDER).await?,
            self.hash_at(state, jig_context::item::CONTEXT_FOLDER).await?,
            self.hash_at(state, KINDS_FOLDER).await?,
        ];
        if let Some(catalog) = self.artifact_shelf().catalogs.get(&key) {
            return Ok(catalog);
        }
        let mut documents: Vec<CatalogDocument> =
            self.artifacts_at(state).await?.iter().map(|seen| of_artifact(&seen.artifact)).collect();
        documents.extend(self.named_entries(state).await?);
        documents.extend(self.named_items(state).await?);
        Ok(self.kept_catalog(key, documents))
    }

    /// An index of artifacts only, because the cost of each prompt must not grow with the number of entries.
    pub(crate) async fn plans_catalog_at(&self, state: BlobHash) -> Result<Arc<Catalog>, OpError> {
        let key = [self.hash_at(state, jig_context::artifact::FOLDER).await?, None, None];
        if let Some(catalog) = self.artifact_shelf().catalogs.get(&key) {
            return Ok(catalog);
        }
        let documents: Vec<CatalogDocument> =
            self.artifacts_at(state).await?.iter().map(|seen| of_artifact(&seen.artifact)).collect();
        Ok(self.kept_catalog(key, documents))
    }

    fn kept_catalog(&self, key: CatalogKey, documents: Vec<CatalogDocument>) -> Arc<Catalog> {
        let weight = WEIGHT * (1 + documents.iter().map(|document| 1 + document.parts.len()).sum::<usize>());
        self.artifact_shelf().catalogs.keep(key, Catalog::new(documents), weight)
    }

    async fn named_entries(&self, state: BlobHash) -> Result<Vec<CatalogDocument>, OpError> {
        let kinds = self.kinds_at(state).await?;
        let mut found = Vec::new();
        for kind in kinds.iter() {
            for (_, seen) in self.entries_of_kind(state, &kind.definition.anchor_role).await? {
                if seen.entry.state == EntryState::Active {
                    found.push(of_entry(&kind.definition, &seen.entry));
                }
            }
        }
        Ok(found)
    }

    async fn named_items(&self, state: BlobHash) -> Result<Vec<CatalogDocument>, OpError> {
        let mut found = Vec::new();
        for category in Category::ALL {
            let files = self.store().files(state, &category.folder()).await?;
            let is_text = |inside: &&str| category.path_of(inside).is_ok_and(|_| is_text_of_item(inside));
            let paths: Vec<&str> = files.iter().map(|(inside, _)| inside.as_str()).filter(is_text).collect();
            if !paths.is_empty() {
                found.push(of_item(category, paths));
            }
        }
        Ok(found)
    }
}

/// Excludes the original input of an item.
fn is_text_of_item(inside: &str) -> bool {
    jig_contract::WorkbenchPath::new(inside).is_ok_and(|path| is_editable(&path))
}
