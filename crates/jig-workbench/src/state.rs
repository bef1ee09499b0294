//! The layout of a state, and the Draft's record.

use jig_contract::ops::{DraftSource, DraftSummary, Root};
use jig_contract::{BlobHash, Code, OpError, WorkbenchPath};
use jig_store::{FileNode, Head, Node, Store};
use serde::{Deserialize, Serialize};

use crate::handlers::ReviewRecord;

/// Exists while there is a Draft.
pub(crate) const DRAFT_RECORD: &str = "meta/draft.json";

/// The settings of the workbench.
pub(crate) const SETTINGS: &str = "meta/settings.json";

/// The record at `meta/settings.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkbenchSettings {
    /// The model that is used if a call names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default_model: Option<String>,
    /// The current stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current_stage: Option<String>,
    /// The project description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// Settings of a later version, preserved on write.
    #[serde(flatten)]
    pub(crate) others: serde_json::Map<String, serde_json::Value>,
}

/// The path of a file in a state.
pub(crate) fn place(root: Root, path: &WorkbenchPath) -> String {
    format!("{}/{path}", root.folder())
}

/// The record at `meta/draft.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftRecord {
    pub(crate) id: jig_contract::DraftId,
    pub(crate) created_at: jig_contract::Timestamp,
    pub(crate) source: DraftSource,
    pub(crate) base_state: BlobHash,
    /// Review marks, which are deleted with the Draft.
    #[serde(default, skip_serializing_if = "ReviewRecord::is_empty")]
    pub(crate) review: ReviewRecord,
}

impl From<DraftRecord> for DraftSummary {
    fn from(record: DraftRecord) -> Self {
        let DraftRecord { id, created_at, source, base_state, review: _ } = record;
        Self { id, created_at, source, base_state }
    }
}

/// A state with queries for handlers.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    store: &'a Store,
    state: BlobHash,
}

impl<'a> View<'a> {
    pub(crate) fn of(store: &'a Store, head: &Head) -> Self {
        Self { store, state: head.state }
    }

    pub(crate) fn at(store: &'a Store, state: BlobHash) -> Self {
        Self { store, state }
    }

    /// The tree of a root; `None` if it has no files.
    pub(crate) async fn root(&self, root: Root) -> Result<Option<Node>, OpError> {
        Ok(self.store.lookup(self.state, root.folder()).await?)
    }

    /// The hash of a root's tree; `None` if it has no files.
    pub(crate) async fn root_hash(&self, root: Root) -> Result<Option<BlobHash>, OpError> {
        Ok(self.root(root).await?.and_then(|node| match node {
            Node::Folder { hash, .. } => Some(hash),
            Node::File { .. } => None,
        }))
    }

    /// The number of files below a root, and their total size.
    pub(crate) async fn size(&self, root: Root) -> Result<(u64, u64), OpError> {
        Ok(match self.root(root).await? {
            Some(Node::Folder { bytes, files, .. }) => (files, bytes),
            _ => (0, 0),
        })
    }

    pub(crate) async fn file(&self, root: Root, path: &WorkbenchPath) -> Result<Option<FileNode>, OpError> {
        Ok(match self.store.lookup(self.state, &place(root, path)).await? {
            Some(Node::File { hash, bytes }) => Some(FileNode { hash, bytes }),
            _ => None,
        })
    }

    /// The Draft's record, if there is a Draft.
    pub(crate) async fn draft(&self) -> Result<Option<DraftRecord>, OpError> {
        let Some(Node::File { hash, .. }) = self.store.lookup(self.state, DRAFT_RECORD).await? else {
            return Ok(None);
        };
        let bytes = self.store.blobs().get(&hash).await?;
        let record = serde_json::from_slice(&bytes).map_err(|e| {
            OpError::new(Code::BlobCorrupt, "the Draft's record cannot be read")
                .hint("`jig doctor` says what else is wrong; `jig undo` goes back to before the Draft")
                .because(e)
        })?;
        Ok(Some(record))
    }

    /// The settings of the workbench.
    pub(crate) async fn settings(&self) -> Result<WorkbenchSettings, OpError> {
        let Some(Node::File { hash, .. }) = self.store.lookup(self.state, SETTINGS).await? else {
            return Ok(WorkbenchSettings::default());
        };
        let bytes = self.store.blobs().get(&hash).await?;
        serde_json::from_slice(&bytes).map_err(|e| {
            OpError::new(Code::BlobCorrupt, "the workbench's settings cannot be read")
                .hint("`jig undo` goes back to before they were changed")
                .because(e)
        })
    }

    /// The requested root; by default the Draft if it exists, else Published.
    pub(crate) async fn choose(&self, wanted: Option<Root>) -> Result<Root, OpError> {
        let draft = self.draft().await?.is_some();
        match wanted {
            Some(Root::Draft) if !draft => Err(no_draft()),
            Some(root) => Ok(root),
            None if draft => Ok(Root::Draft),
            None => Ok(Root::Published),
        }
    }
}

/// The error for operations that need a Draft.
pub(crate) fn no_draft() -> OpError {
    OpError::new(Code::DraftNotFound, "there is no Draft")
        .action("write")
        .hint("a Draft begins with the first write (`jig write PATH`) or with `jig draft create`")
}

/// The error for a missing file, with similar names.
pub(crate) async fn no_file(view: View<'_>, root: Root, path: &WorkbenchPath) -> OpError {
    let error = OpError::new(Code::FileNotFound, format!("there is no file `{path}` in {}", shown(root)))
        .hint("`jig files` lists the files");
    match view.store.files(view.state, root.folder()).await {
        Ok(files) => error.suggest(nearest(path.as_str(), files.into_iter().map(|(name, _)| name))),
        Err(_) => error,
    }
}

fn shown(root: Root) -> &'static str {
    match root {
        Root::Published => "the published files",
        Root::Draft => "the Draft",
    }
}

/// Up to three similar names, the most similar first.
pub(crate) fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, String)> = names
        .map(|name| (strsim::normalized_damerau_levenshtein(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}
