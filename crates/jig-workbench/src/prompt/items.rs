//! Context items as prompts need them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_context::item::{Category, artifact};
use jig_contract::{BlobHash, Code, OpError};

use crate::Workbench;
use crate::items::Depth;

/// An item that was read for a prompt.
pub(crate) enum LoadedItem {
    /// Its texts by their paths inside.
    Texts(BTreeMap<String, String>),
    /// It cannot be read: the prompt goes without it.
    Damaged,
}

impl LoadedItem {
    /// Its texts, when they can be read.
    pub(crate) fn texts(&self) -> Option<&BTreeMap<String, String>> {
        match self {
            Self::Texts(texts) => Some(texts),
            Self::Damaged => None,
        }
    }
}

impl Workbench {
    /// The item of a category with the hash of its folder; none when there is none.
    pub(crate) async fn load_item(
        &self,
        state: BlobHash,
        category: Category,
    ) -> Result<Option<(BlobHash, Arc<LoadedItem>)>, OpError> {
        let Some(folder) = self.item_hash(state, category).await? else { return Ok(None) };
        if let Some(known) = self.prompts().item(category, folder) {
            return Ok(Some((folder, known)));
        }
        let loaded = match self.item_files(state, category, Depth::Texts).await {
            // A blob that is mended is looked for again, so this is not kept.
            Err(error) if error.code() == Code::BlobCorrupt => {
                tracing::debug!(%category, "a context item cannot be read: {error}");
                return Ok(Some((folder, Arc::new(LoadedItem::Damaged))));
            }
            files => match artifact(category, &files?) {
                Ok(Some(texts)) => LoadedItem::Texts(texts),
                Ok(None) => LoadedItem::Damaged,
                Err(damaged) => {
                    tracing::debug!(%category, "a context item cannot be read: {}", damaged.why);
                    LoadedItem::Damaged
                }
            },
        };
        Ok(Some((folder, self.prompts().keep_item(category, folder, loaded))))
    }
}
