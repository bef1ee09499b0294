//! The script of a scripted provider.

use std::time::Duration;

use jig_contract::Code;
use serde::Deserialize;
use serde_json::Value;

use crate::error::ProviderError;
use crate::message::{Message, StopReason, Usage};
use crate::request::{Part, Reasoning, Request, ToolCall};

/// A whole script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
}

/// A request and its answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    #[serde(default)]
    pub(super) expect: Expect,
    pub(super) answer: Answer,
}

/// The expected request. Missing fields are not checked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    purpose: Option<String>,
    /// Text that must occur in the system text.
    #[serde(default)]
    system: Vec<String>,
    /// Text that must occur in the last turn, in its texts or tool results.
    #[serde(default)]
    last: Vec<String>,
    /// Text that must not occur anywhere in the request.
    #[serde(default)]
    without: Vec<String>,
    /// The offered tools, in any order.
    tools: Option<Vec<String>>,
    /// The number of turns.
    turns: Option<usize>,
    /// JSON that the request must contain: objects by their fields, everything else exactly.
    request: Option<Value>,
}

impl Expect {
    pub(super) fn complaints(&self, request: &Request) -> Vec<String> {
        let mut wrong = Vec::new();
        if let Some(purpose) = self.purpose.as_ref().filter(|purpose| **purpose != request.purpose) {
            wrong.push(format!("the purpose is `{}`, not `{purpose}`", request.purpose));
        }
        if let Some(turns) = self.turns.filter(|turns| *turns != request.turns.len()) {
            wrong.push(format!("there are {} turns, not {turns}", request.turns.len()));
        }
        if let Some(tools) = &self.tools {
            let mut expected = tools.clone();
            let mut offered: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
            expected.sort();
            offered.sort();
            if expected != offered {
                wrong.push(format!("the tools are {offered:?}, not {expected:?}"));
            }
        }
        let (system, last) = (request.system_text(), last(request));
        wrong.extend(missing("the system text", &system, &self.system));
        wrong.extend(missing("the last turn", &last, &self.last));
        let all = serde_json::to_value(request).unwrap_or_default();
        let text = all.to_string();
        let present = self.without.iter().filter(|words| text.contains(words.as_str()));
        wrong.extend(present.map(|words| format!("the request contains `{words}`")));
        if let Some(path) = self.request.as_ref().and_then(|expected| differs(expected, &all, "request")) {
            wrong.push(format!("{path} is not as expected"));
        }
        wrong
    }
}

fn missing<'a>(place: &'a str, text: &'a str, words: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let absent = words.iter().filter(move |words| !text.contains(words.as_str()));
    absent.map(move |words| format!("`{words}` is missing from {place}"))
}

fn last(request: &Request) -> String {
    let parts = request.turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default();
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult(result) => Some(result.content.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The path where the actual value differs from the expected one.
fn differs(expected: &Value, found: &Value, path: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .find_map(|(key, value)| differs(value, found.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"))),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(n, (expected, found))| differs(expected, found, &format!("{path}[{n}]")))
        }
        _ => (expected != found).then(|| path.to_owned()),
    }
}

/// The answer to a request.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Fails(Failure),
    Message(ScriptedAnswer),
}

/// A failure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    error: Code,
    #[serde(default)]
    message: String,
    retry_after: Option<f64>,
}

impl Failure {
    pub(super) fn error(&self) -> ProviderError {
        let message = if self.message.is_empty() { self.error.doc().to_owned() } else { self.message.clone() };
        let wait = self.retry_after.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        ProviderError::new(self.error, message).with_retry_after(wait)
    }
}

/// A successful answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedAnswer {
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    text: String,
    /// JSON to be returned as text.
    json: Option<Value>,
    #[serde(default)]
    tool_calls: Vec<Called>,
    stop: Option<StopReason>,
    #[serde(default)]
    usage: Usage,
}

/// A tool call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: serde_json::Map<String, Value>,
}

impl ScriptedAnswer {
    /// The message; missing ids are generated from the step and the position.
    pub(super) fn message(&self, step: usize) -> Message {
        let mut parts = Vec::new();
        if !self.reasoning.is_empty() {
            parts.push(Part::Reasoning(Reasoning { text: self.reasoning.clone(), block: None }));
        }
        let text = self.json.as_ref().map_or_else(|| self.text.clone(), Value::to_string);
        if !text.is_empty() {
            parts.push(Part::Text { text });
        }
        for (n, call) in self.tool_calls.iter().enumerate() {
            let id = call.id.clone().unwrap_or_else(|| format!("call-{step}-{}", n + 1));
            let arguments = Value::Object(call.arguments.clone());
            parts.push(Part::ToolCall(ToolCall::new(id, call.name.clone(), arguments)));
        }
        let natural = if self.tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
        Message { parts, stop: self.stop.unwrap_or(natural), usage: Some(self.usage), model: "scripted".to_owned() }
    }
}
