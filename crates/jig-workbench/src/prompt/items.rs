//! Loads context items for prompts.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_context::item::{Category, artifact};
use jig_contract::{BlobHash, Code, OpError};

use crate::Workbench;
use crate::items::Depth;

/// An item loaded for a prompt.
pub(crate) enum LoadedItem {
    /// Its texts, by path.
    Texts(BTreeMap<String, String>),
    /// It cannot be read, and the prompt leaves it out.
    Damaged,
}

impl LoadedItem {
    /// The texts, if they could be read.
    pub(crate) fn texts(&self) -> Option<&BTreeMap<String, String>> {
        match self {
            Self::Texts(texts) => Some(texts),
            Self::Damaged => None,
        }
    }
}

impl Workbench {
    /// The item of a category with the hash of its folder; `None` without an item.
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
            // Not cached, because a damaged blob may be repaired.
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
