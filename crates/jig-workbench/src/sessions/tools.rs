//! Executes tool calls: validates the arguments against the schema that the model saw, then calls the operation.

use std::sync::Arc;

use jig_context::agent::{Snapshot, check_input};
use jig_contract::ops::TokenRole;
use jig_contract::{Actor, Code, OpError};
use jig_session::{Body, CallStage, Effect, StepStage, Suspension, ToolOutcome};
use jig_store::Head;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::bindings::RECALL;
use super::live::Live;
use super::receipt::{piece, recall_id, receipt};
use crate::{Access, CallContext, Workbench};

impl Workbench {
    /// Executes a call. A failure becomes the result of the call rather than an error of the run. Only missing consent
    /// is returned as an error; nothing was done then.
    pub(crate) async fn perform_tool(
        &self,
        live: &Live,
        effect: &Effect,
        cancel: &CancellationToken,
    ) -> Result<ToolOutcome, OpError> {
        let Effect::RunTool { run, step, call, name, target, input, .. } = effect else {
            return Ok(failed(&nothing()));
        };
        let before = self.store().head(&live.row.workbench_id).await.ok().map(|head| head.state);
        let result = match self.checked(live, name, input).await {
            Err(error) => Err(error),
            Ok(()) if target == RECALL => self.recalled(live, input).await.map(Value::String),
            Ok(()) if target.starts_with(crate::mcp::TARGET) => match self.store().head(&live.row.workbench_id).await {
                Ok(head) => self.call_mcp(&head, target, input, cancel).await,
                Err(error) => Err(error.into()),
            },
            Ok(()) => {
                let agent = Actor::Agent {
                    name: live.state.core.run.as_ref().map(|run| run.config.model.clone()),
                    session: Some(live.row.id.to_string()),
                    run: Some(run.to_string()),
                    step: Some(*step),
                };
                let access = Access { role: TokenRole::Writer, workbench: Some(live.row.workbench_id.clone()) };
                let context = CallContext { actor: agent, cancel: cancel.clone(), may_publish: false, access };
                let mut params = input.clone();
                params["workbench_id"] = live.row.workbench_id.to_string().into();
                // A working agent proposes entries; a person decides.
                if target == "EntryPut" {
                    params["propose"] = true.into();
                }
                self.call(target, context, params).await
            }
        };
        let mut outcome = match result {
            Ok(Value::String(text)) => {
                ToolOutcome { text, blob: None, summary: format!("{name}: recalled"), failed: None, state: None }
            }
            Ok(value) => self.kept(name, &value).await,
            Err(error) if error.code() == Code::EgressConsentRequired => return Err(error),
            Err(error) => failed(&error),
        };
        let after = self.store().head(&live.row.workbench_id).await.ok().map(|head| head.state);
        outcome.state = after.filter(|after| before != Some(*after));
        if let Some(corrected) = corrected(live, call) {
            outcome.text.push_str(&format!("\n(warning: {corrected})"));
        }
        Ok(outcome)
    }

    /// Whether consent covers the call that a paused run makes next.
    pub(super) async fn check_held_call(&self, live: &Live, head: &Head) -> Result<(), OpError> {
        let Some(run) = live.state.core.run.as_ref() else { return Ok(()) };
        if !matches!(run.suspended, Some(Suspension::ToolHeld { .. })) {
            return Ok(());
        }
        let Some(StepStage::Calls(calls)) = run.step.as_ref().map(|step| &step.stage) else { return Ok(()) };
        let Some(open) = calls.iter().find(|open| open.stage != CallStage::Answered) else { return Ok(()) };
        match run.config.bindings.get(&open.call.name) {
            Some(binding) if binding.target.starts_with(crate::mcp::TARGET) => {
                self.check_mcp(head, &binding.target, &open.call.input).await
            }
            _ => Ok(()),
        }
    }

    /// Validates arguments against the schema that the model saw. The operation validates them again.
    async fn checked(&self, live: &Live, name: &str, input: &Value) -> Result<(), OpError> {
        if !input.is_object() {
            return Err(OpError::new(Code::InvalidParams, format!("the input of `{name}` must be a JSON object")));
        }
        let Some(run) = &live.state.core.run else { return Err(nothing()) };
        let snapshot = self.snapshot(&run.snapshot).await?;
        let choice = run.phase.and_then(|phase| run.config.phases.get(&phase)).cloned().unwrap_or_default();
        let catalog = choice.catalog.and_then(|id| snapshot.catalogs.get(&id).cloned());
        let Some(tool) = catalog.as_ref().and_then(|catalog| catalog.tool(name)) else { return Err(nothing()) };
        check_input(&tool.input_schema, input).map_err(|problems| {
            let told: Vec<String> = problems
                .into_iter()
                .map(|(place, what)| if place.is_empty() { what } else { format!("{place}: {what}") })
                .collect();
            OpError::new(
                Code::InvalidParams,
                format!("the input of `{name}` does not fit its schema: {}", told.join("; ")),
            )
        })
    }

    /// A snapshot by its hash.
    pub(crate) async fn snapshot(&self, hash: &jig_contract::BlobHash) -> Result<Arc<Snapshot>, OpError> {
        let shelf = &self.session_desk().snapshots;
        if let Some(kept) = shelf.get(hash) {
            return Ok(kept);
        }
        let bytes = self.store().blobs().get(hash).await?;
        let snapshot = Snapshot::from_bytes(&bytes)
            .map_err(|why| OpError::new(Code::BlobCorrupt, format!("the snapshot {hash} cannot be read: {why}")))?;
        Ok(shelf.keep(*hash, snapshot, bytes.len()))
    }

    /// Stores the complete result; the model sees as much as fits.
    async fn kept(&self, name: &str, value: &Value) -> ToolOutcome {
        let text = value.to_string();
        let blob = match self.store().blobs().put(text.clone()).await {
            Ok(blob) => blob,
            Err(error) => return failed(&error.into()),
        };
        let summary = one_line(name, value).unwrap_or_else(|| format!("{name}: {} bytes", text.len()));
        ToolOutcome { text: receipt(&text, &blob), blob: Some(blob), summary, failed: None, state: None }
    }

    async fn recalled(&self, live: &Live, input: &Value) -> Result<String, OpError> {
        let id = input["id"].as_str().unwrap_or_default();
        let offset = input["offset"].as_u64().and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
        let blob = live.state.history.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::Result { outcome, .. } => outcome.blob.filter(|blob| recall_id(blob) == id),
            _ => None,
        });
        let blob = blob.ok_or_else(|| {
            OpError::new(Code::ValidationFailed, "no result of this session has this id")
                .hint("use the id that the receipt names")
        })?;
        let bytes = self.store().blobs().get(&blob).await?;
        Ok(piece(&String::from_utf8_lossy(&bytes), offset, &blob))
    }
}

/// A one-line summary for people: the result's own, or the number of its items.
fn one_line(name: &str, value: &Value) -> Option<String> {
    let said = value["summary"].as_str().or_else(|| value["receipt"]["summary"].as_str());
    if let Some(said) = said {
        return Some(said.to_owned());
    }
    let place = ["target_path", "path"].into_iter().find_map(|member| value[member].as_str());
    let place = place.or_else(|| value["file"]["path"].as_str()).map(|path| format!(" {path}")).unwrap_or_default();
    let count = |member: &str, one: &str| {
        let number = value[member].as_u64().or_else(|| value[member].as_array().map(|list| list.len() as u64))?;
        Some(if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") })
    };
    let much = [
        ("total_row_count", "row"),
        ("row_count", "row"),
        ("files", "file"),
        ("total", "result"),
        ("columns", "column"),
    ];
    let much = much.into_iter().find_map(|(member, one)| count(member, one));
    let much = much.or_else(|| value["text"].as_str().map(|text| format!("{} characters", text.chars().count())))?;
    Some(format!("{name}{place}: {much}"))
}

/// Corrections of the arguments of an active call.
fn corrected(live: &Live, id: &str) -> Option<String> {
    let step = live.state.core.run.as_ref()?.step.as_ref()?;
    let StepStage::Calls(calls) = &step.stage else { return None };
    calls.iter().find(|call| call.call.id == id)?.call.corrected.clone()
}

fn nothing() -> OpError {
    OpError::new(Code::Internal, "the call is not one of this run")
}

/// The result of a failed call for the model: the error and the hints.
pub(super) fn failed(error: &OpError) -> ToolOutcome {
    let info = &error.info;
    let text = json!({
        "error": info.error_code, "message": info.message, "hints": info.hints, "suggestions": info.suggestions,
    });
    let summary = format!("{}: {}", info.error_code, info.message);
    ToolOutcome { text: text.to_string(), blob: None, summary, failed: Some(info.error_code), state: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_in_one_line() {
        let line = |value: Value| one_line("tool", &value);
        assert_eq!(line(json!({ "summary": "wrote a.md" })).unwrap(), "wrote a.md");
        assert_eq!(line(json!({ "path": "a.csv", "row_count": 1 })).unwrap(), "tool a.csv: 1 row");
        assert_eq!(line(json!({ "files": [1, 2] })).unwrap(), "tool: 2 files");
        assert_eq!(line(json!({ "text": "äb" })).unwrap(), "tool: 2 characters");
        assert_eq!(line(json!({ "other": 1 })), None);
    }
}
