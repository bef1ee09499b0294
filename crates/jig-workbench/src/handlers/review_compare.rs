//! Compares a file of a Draft with its base version, through the file engine.

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchPath};
use jig_files::{BinaryDiff, BinarySide, FileKind};
use jig_store::FileNode;
use serde_json::{Value, json};

use super::office::input;
use super::review::Changed;
use super::review_marks::ReviewRecord;
use crate::{CallContext, Workbench};
use jig_worker::Job;

/// Files up to this size are compared by content; for larger ones only the sizes are reported.
const COMPARE_MAX: u64 = 32 << 20;

impl Workbench {
    /// The change of a file in one line, with its comments.
    pub(super) async fn file_change(
        &self,
        context: &CallContext,
        changed: &Changed,
        review: &ReviewRecord,
    ) -> Result<FileChange, OpError> {
        let marks = review.needs_marks(changed);
        let said = self.compared(context, changed, json!({ "overview": true, "marks": marks })).await?;
        self.told(changed, review, &said).await
    }

    /// The change of a file, from an answer of the file engine.
    pub(super) async fn told(
        &self,
        changed: &Changed,
        review: &ReviewRecord,
        said: &Value,
    ) -> Result<FileChange, OpError> {
        let node = changed.after.or(changed.before);
        let kind = match node {
            Some(file) => self.describe_one(&changed.path, file).await?.kind,
            None => String::new(),
        };
        let changes = said["changes"].as_u64().unwrap_or(0);
        let (state, accepted) = review.state(changed, changes, &marks_of(said));
        Ok(FileChange {
            path: changed.path.clone(),
            change: changed.change,
            kind,
            bytes_before: changed.before.map(|file| file.bytes),
            bytes_after: changed.after.map(|file| file.bytes),
            summary: said["summary"].as_str().unwrap_or_default().to_owned(),
            focus: said["focus"].as_str().map(str::to_owned),
            changes,
            review: state,
            accepted,
            comments: review.comments(&changed.path),
            steps: Vec::new(),
        })
    }

    /// The file engine's comparison of both versions. If the content cannot be compared, only metadata is reported.
    pub(super) async fn compared(
        &self,
        context: &CallContext,
        changed: &Changed,
        params: Value,
    ) -> Result<Value, OpError> {
        let sides = [changed.before, changed.after];
        if sides.iter().flatten().any(|file| file.bytes > COMPARE_MAX) {
            let why = format!("nothing inside is compared: files up to {} MiB are", COMPARE_MAX >> 20);
            return self.opaque(changed, why, &params).await;
        }
        let side = |file: Option<FileNode>| file.map(|file| input(&changed.path, file));
        let job =
            Job { source: side(changed.before), input: side(changed.after), ..self.job("FileDiff", params.clone())? };
        match self.file_work().run(self.store().blobs(), job, &context.cancel).await {
            Ok(done) => Ok(done.result),
            Err(error) if matches!(error.code(), Code::ValidationFailed | Code::UserCanceled) => Err(error),
            // One file must not fail the entire review.
            Err(error) => {
                let why = format!("nothing inside could be compared: {}", error.info.message);
                self.opaque(changed, why, &params).await
            }
        }
    }

    /// A comparison without content.
    async fn opaque(&self, changed: &Changed, why: String, params: &Value) -> Result<Value, OpError> {
        if params["page"].as_u64().is_some_and(|page| page != 1) {
            let error = OpError::new(Code::ValidationFailed, format!("there is no page {}", params["page"]));
            return Err(error.hint("the diff has pages 1 to 1"));
        }
        let old = self.side(&changed.path, changed.before).await?;
        let new = self.side(&changed.path, changed.after).await?;
        let summary = BinaryDiff { old, new, same_bytes: false, notes: Vec::new(), details: Vec::new() }.summary();
        let diff = json!({ "type": "opaque", "notes": [&summary, why] });
        Ok(json!({ "summary": summary, "changes": 0, "page": 1, "pages": 1, "diff": diff }))
    }

    async fn side(&self, path: &WorkbenchPath, file: Option<FileNode>) -> Result<Option<BinarySide>, OpError> {
        let Some(file) = file else { return Ok(None) };
        let info = self.describe_one(path, file).await?;
        let kind = info.kind.parse().unwrap_or(FileKind::Binary);
        Ok(Some(BinarySide { kind, size: usize::try_from(file.bytes).unwrap_or(usize::MAX) }))
    }
}

/// The ids and digests of all changes.
pub(super) fn marks_of(said: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let marks = said["marks"].as_array().into_iter().flatten();
    marks.map(|mark| (text(&mark[0]), text(&mark[1]))).collect()
}
