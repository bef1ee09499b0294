//! Executes a tool call and converts its result.

use jig_contract::ops::Root;
use jig_contract::{Code, Effect, OpError, OpSpec};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};
use tokio_util::task::TaskTracker;

use super::resources::{artifact_link, file_link};
use super::{hints, lean};
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

/// The protocol result: structured content with text, the image of a preview, and links to what was written.
pub(super) fn success(
    op: &OpSpec,
    answer: Value,
    image: Option<(String, String)>,
    links: Vec<ContentBlock>,
) -> CallToolResult {
    let mut content = vec![ContentBlock::text(lean::text(op.name, &answer))];
    content.extend(image.map(|(bytes, media_type)| ContentBlock::image(bytes, media_type)));
    content.extend(links);
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answer);
    result
}

/// The error for the model.
pub(super) fn failure(error: &OpError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error_text(error))]);
    result.structured_content = Some(hints::lean_error(&error.info));
    result
}

/// Links to what was written, so that a client can show it.
pub(super) fn links(op: &OpSpec, workbench: Option<&str>, value: &Value) -> Vec<ContentBlock> {
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
    let mut text = format!("{}: {}", error.code(), hints::for_model(&error.info.message));
    for hint in &error.info.hints {
        text.push_str("\nhint: ");
        text.push_str(&hints::for_model(hint));
    }
    if !error.info.suggestions.is_empty() {
        text.push_str("\ndid you mean: ");
        text.push_str(&error.info.suggestions.join(", "));
    }
    text
}
