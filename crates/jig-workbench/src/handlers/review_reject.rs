//! Rejects changes of a Draft: an entire file, or single changes through the engine of its format.

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError};
use jig_store::FileNode;
use serde_json::{Value, json};

use super::draft::{Content, Write};
use super::office::input;
use super::review::Changed;
use super::review_marks::check_chosen;
use crate::draft::check_base;
use crate::state::{View, no_draft};
use crate::{CallContext, Handle, Workbench};
use jig_worker::Job;

/// A file after rejecting changes.
struct Taken {
    /// The new content; `None` if the file is removed.
    after: Option<FileNode>,
    warnings: Vec<String>,
    /// The rejected changes; empty for the entire file.
    changes: Vec<String>,
}

impl Handle<ReviewReject> for Workbench {
    async fn handle(&self, context: &CallContext, params: ReviewRejectParams) -> Result<ReviewRejectOutput, OpError> {
        let (id, path) = (params.workbench_id.check()?, params.path.check()?);
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        check_chosen(params.changes.as_deref(), "take back")?;
        let mut session = self.enter(&id).await?;
        let record = View::of(self.store(), &session.head).draft().await?.ok_or_else(no_draft)?;
        let (_, changes) = self.draft_changes(&session.head, &record).await?;
        let changed = self.changed_file(&session.head, changes, &path).await?;
        check_base(&path, base, changed.after.as_ref())?;
        let taken = match &params.changes {
            None => Taken { after: changed.before, warnings: Vec::new(), changes: Vec::new() },
            Some(ids) => self.take_back(context, &changed, ids, params.dry_run).await?,
        };
        let restored = taken.after == changed.before;
        let content = Content::Edited { base: Some(changed.after.map(|file| file.hash)) };
        let write = Write {
            path: path.clone(),
            content,
            after: taken.after,
            dry_run: params.dry_run,
            operation: "ReviewReject",
        };
        self.write(context, &mut session, write).await?;
        let what = match taken.changes.len() {
            0 => "all changes".to_owned(),
            number => super::count(number as u64, "change"),
        };
        let again = if restored { "; it is as it was at the Draft's start" } else { "" };
        Ok(ReviewRejectOutput {
            summary: format!("took back {what} of {path}{again}"),
            path,
            rejected: taken.changes,
            restored,
            warnings: taken.warnings,
            hash_after: taken.after.map(|file| file.hash),
            dry_run: params.dry_run,
        })
    }
}

impl Workbench {
    async fn take_back(
        &self,
        context: &CallContext,
        changed: &Changed,
        ids: &[String],
        dry_run: bool,
    ) -> Result<Taken, OpError> {
        let (Some(before), Some(after)) = (changed.before, changed.after) else {
            let words = format!("`{}` is not on both sides, so its changes cannot be told apart", changed.path);
            return Err(
                OpError::new(Code::ValidationFailed, words).hint("reject the whole file, without naming changes")
            );
        };
        let side = |file: FileNode| Some(input(&changed.path, file));
        let job =
            Job { source: side(before), input: side(after), ..self.job("FileRevert", json!({ "changes": ids }))? };
        let done =
            self.file_work().run(self.store().blobs(), job, &context.cancel).await.map_err(|error| {
                match error.code() {
                    Code::Conflict => {
                        error.action("reload").hint(format!("`jig review {}` shows its changes", changed.path))
                    }
                    Code::ValidationFailed => {
                        error.hint(format!("`jig reject {}` takes back the whole file", changed.path))
                    }
                    _ => error,
                }
            })?;
        let missing = || OpError::new(Code::Internal, "taking back gave no file");
        let bytes = done.output.ok_or_else(missing)?;
        self.check_size(&changed.path, bytes.len() as u64)?;
        let file = FileNode { hash: BlobHash::from_bytes(*blake3::hash(&bytes).as_bytes()), bytes: bytes.len() as u64 };
        if !dry_run {
            self.store().blobs().put(bytes).await?;
        }
        let texts = |key: &str| -> Vec<String> {
            done.result[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Ok(Taken { after: Some(file), warnings: texts("warnings"), changes: texts("reverted") })
    }
}
