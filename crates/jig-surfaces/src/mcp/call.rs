//! Executes a tool call and converts its result.

use jig_contract::ops::Root;
use jig_contract::{Code, Effect, OpError, OpSpec};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};
use tokio_util::task::TaskTracker;

use super::resources::{artifact_link, file_link};
use super::text;
use super::tools::takes_workbench;
use crate::slots::{Slot, Slots};

/// State shared by calls: concurrency limits, and changes to complete before shutdown.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// The limit on concurrent calls; `None` for no limit.
    pub slots: Option<Slots>,
    /// Active changes.
    pub tasks: TaskTracker,
}

impl Turns {
    async fn take(&self, workbench: Option<&str>) -> Result<Option<Slot>, OpError> {
        match &self.slots {
            Some(slots) => slots.acquire(workbench).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Executes an operation. An internal error becomes a result too; a change completes even if the client disconnects.
pub(super) async fn operation(
    workbench: &Workbench,
    op: &'static OpSpec,
    context: CallContext,
    arguments: Map<String, Value>,
    turns: &Turns,
) -> Result<Value, OpError> {
    let turn = turns.take(arguments.get("workbench_id").and_then(Value::as_str)).await?;
    // A read-only operation may be cancelled when its call is dropped.
    let cancel = context.cancel.child_token();
    let _stop = (op.effect == Effect::Read).then(|| cancel.clone().drop_guard());
    let context = CallContext { cancel, ..context };
    let workbench = workbench.clone();
    let task = turns.tasks.spawn(async move {
        let answer = workbench.call(op.name, context, Value::Object(arguments)).await;
        drop(turn);
        answer
    });
    task.await.unwrap_or_else(|broken| {
        Err(OpError::new(Code::Internal, "the call broke off through a fault in Jig").because(broken))
    })
}

/// Adds the default workbench if a call names none.
pub(super) fn fill_in(op: &OpSpec, arguments: &mut Map<String, Value>, bound: Option<&str>) {
    if let Some(bound) = bound
        && takes_workbench(op)
        && arguments.get("workbench_id").is_none_or(Value::is_null)
    {
        arguments.insert("workbench_id".to_owned(), bound.into());
    }
}

/// The protocol result: structured content with text, or the error for the model.
pub(super) fn result(op: &OpSpec, workbench: Option<&str>, outcome: Result<Value, OpError>) -> CallToolResult {
    match outcome {
        Ok(value) => {
            let words = ContentBlock::text(text::of(op, &value));
            let mut result = CallToolResult::success(vec![words]);
            result.content.extend(links(op, workbench, &value));
            result.structured_content = Some(value);
            result
        }
        Err(error) => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(error_text(&error))]);
            result.structured_content = serde_json::to_value(&error.info).ok();
            result
        }
    }
}

/// Links to what was written, so that a client can show it.
fn links(op: &OpSpec, workbench: Option<&str>, value: &Value) -> Vec<ContentBlock> {
    let Some(id) = workbench.filter(|_| value["dry_run"] != true) else { return Vec::new() };
    let path = value["file"]["path"].as_str().or_else(|| value["path"].as_str());
    match (op.effect, op.name) {
        (Effect::Draft, _) => {
            path.map(|path| ContentBlock::resource_link(file_link(id, Root::Draft, path))).into_iter().collect()
        }
        (_, "ArtifactApplyOps" | "ArtifactCreate") => {
            let many = value["artifacts"].as_array().into_iter().flatten();
            let slugs = many.chain(value.get("artifact")).filter_map(|artifact| artifact["slug"].as_str());
            slugs.map(|slug| ContentBlock::resource_link(artifact_link(id, slug))).collect()
        }
        _ => Vec::new(),
    }
}

/// The error as text, with its hints.
pub(super) fn error_text(error: &OpError) -> String {
    let mut text = format!("{}: {}", error.code(), error.info.message);
    for hint in &error.info.hints {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    if !error.info.suggestions.is_empty() {
        text.push_str("\ndid you mean: ");
        text.push_str(&error.info.suggestions.join(", "));
    }
    text
}
