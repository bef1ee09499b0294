//! One tool call: carried to the workbench, and its answer in the protocol's words.

use jig_contract::{Actor, Code, OpError, OpSpec};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use super::text;
use super::tools::takes_workbench;

/// Carries out an operation. A fault in Jig becomes an answer too.
pub(super) async fn operation(
    workbench: &Workbench,
    op: &'static OpSpec,
    context: CallContext,
    arguments: Map<String, Value>,
) -> Result<Value, OpError> {
    let workbench = workbench.clone();
    let task = tokio::spawn(async move { workbench.call(op.name, context, Value::Object(arguments)).await });
    task.await.unwrap_or_else(|broken| {
        Err(OpError::new(Code::Internal, "the call broke off through a fault in Jig").because(broken))
    })
}

/// Fills in the bound workbench where a call names none.
pub(super) fn fill_in(op: &OpSpec, arguments: &mut Map<String, Value>, bound: Option<&str>) {
    if let Some(bound) = bound
        && takes_workbench(op)
        && arguments.get("workbench_id").is_none_or(Value::is_null)
    {
        arguments.insert("workbench_id".to_owned(), bound.into());
    }
}

/// The protocol's result: the value with a text beside it, or the error for the model to read.
pub(super) fn result(op: &OpSpec, outcome: Result<Value, OpError>) -> CallToolResult {
    match outcome {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text::of(op, &value))]);
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

/// The error in words: what happened, and what to do.
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

/// An agent, known by what its client calls itself.
pub(super) fn actor(client: Option<&str>) -> Actor {
    const LONGEST: usize = 100;
    let name: String = client.unwrap_or("unknown client").chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    Actor::agent(name)
}
