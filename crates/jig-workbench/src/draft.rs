//! Starting a Draft, and its changes.

use bytes::Bytes;
use jig_contract::ops::{DraftSource, Root};
use jig_contract::{Code, DraftId, OpError, WorkbenchPath};
use jig_store::{FileNode, Head, TreeChange, TreeEdit};

use crate::Workbench;
use crate::engine::Session;
use crate::state::{DRAFT_RECORD, DraftRecord, View};

impl Workbench {
    /// The edits that start a Draft. It shares the published tree, so the cost does not depend on the number of files.
    pub(crate) async fn begin_draft(
        &self,
        head: &Head,
        source: DraftSource,
    ) -> Result<(Vec<TreeEdit>, DraftRecord), OpError> {
        let record = DraftRecord {
            id: DraftId::new(self.env().fresh_id().to_string())
                .map_err(|e| OpError::new(Code::Internal, "a fresh id is not a UUID").because(e))?,
            created_at: self.env().now(),
            source,
            base_state: head.state,
            review: Default::default(),
        };
        let mut edits = vec![self.record_edit(&record).await?];
        if let Some(node) = View::of(self.store(), head).root(Root::Published).await? {
            edits.push(TreeEdit::Folder { path: Root::Draft.folder().to_owned(), node });
        }
        Ok((edits, record))
    }

    /// The edit that stores the Draft's record.
    pub(crate) async fn record_edit(&self, record: &DraftRecord) -> Result<TreeEdit, OpError> {
        let bytes = serde_json::to_vec_pretty(record)
            .map_err(|e| OpError::new(Code::Internal, "the Draft's record cannot be written").because(e))?;
        let bytes = Bytes::from(bytes);
        let size = bytes.len() as u64;
        let hash = self.store().blobs().put(bytes).await?;
        Ok(TreeEdit::File { path: DRAFT_RECORD.to_owned(), hash, bytes: size })
    }

    /// Published files that differ from the Draft's base because they were changed outside the Draft.
    pub(crate) async fn published_changes(&self, head: &Head, draft: &DraftRecord) -> Result<Vec<TreeChange>, OpError> {
        let now = View::of(self.store(), head).root_hash(Root::Published).await?;
        let then = View::at(self.store(), draft.base_state).root_hash(Root::Published).await?;
        Ok(self.store().diff(then, now).await?)
    }

    /// Refuses an operation that is not possible while a Draft exists.
    pub(crate) async fn refuse_draft(&self, session: &Session, what: &str) -> Result<(), OpError> {
        if View::of(self.store(), &session.head).draft().await?.is_none() {
            return Ok(());
        }
        Err(OpError::new(Code::DraftExists, format!("a Draft exists; publish or discard it to {what}"))
            .workbench(&session.id)
            .action("review")
            .action("discard")
            .hint("`jig review` shows what it changes; `jig publish` or `jig discard` ends it"))
    }

    /// Refuses a file that exceeds the limit for its extension.
    pub(crate) fn check_size(&self, path: &WorkbenchPath, bytes: u64) -> Result<(), OpError> {
        let (limit, setting) = self.limits().for_extension(&path.extension());
        if bytes <= limit {
            return Ok(());
        }
        Err(OpError::new(
            Code::LimitExceeded,
            format!("`{path}` has {bytes} bytes; the limit is {limit} (`{setting}`)"),
        )
        .hint(format!("raise the setting `{setting}` to take larger files")))
    }

    /// Refuses more files than a workbench may contain.
    pub(crate) fn check_count(&self, files: u64) -> Result<(), OpError> {
        let limit = self.limits().files;
        if files <= limit {
            return Ok(());
        }
        Err(OpError::new(
            Code::LimitExceeded,
            format!("this makes {files} files; the limit is {limit} (`limits.files`)"),
        )
        .hint("raise the setting `limits.files` to hold more files"))
    }
}

/// Refuses a write that is based on an old version of a file.
pub(crate) fn check_base(
    path: &WorkbenchPath,
    wanted: Option<jig_contract::HashPrefix>,
    found: Option<&FileNode>,
) -> Result<(), OpError> {
    let Some(wanted) = wanted else { return Ok(()) };
    if found.is_some_and(|file| wanted.matches(&file.hash)) {
        return Ok(());
    }
    let (words, hash) = match found {
        Some(file) => ("has changed since", Some(file.hash)),
        None => ("is not there any more", None),
    };
    Err(OpError::new(Code::Conflict, format!("`{path}` {words} you read it"))
        .action("reload")
        .hint("read it again and repeat the change with its present hash")
        .detail(serde_json::json!({ "path": path, "base_hash": wanted, "current_hash": hash })))
}
