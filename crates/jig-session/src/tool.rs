//! Model answers and tool results, as the log stores them.

use jig_contract::{BlobHash, Code};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy::Capability;

/// The implementation behind a tool name. Bindings come from the program, never from content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The operation, or `mcp:<server>/<tool>`.
    pub target: String,
    /// The capability that the policy must permit.
    pub capability: Capability,
    /// How it affects the workbench.
    pub touch: Touch,
}

/// How a tool affects the workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// Read-only: safe to repeat after a crash, and permitted in every phase.
    Reads,
    /// Writes: after a crash it is unknown whether the call took effect. Permitted only in the phases that do the work.
    Writes,
}

/// A tool call made by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id; unique in its session.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Value,
    /// Opaque data that the provider expects back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The corrections made to the arguments; the result repeats them as a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// Why the call cannot be made: its arguments are malformed or do not match the tool's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One part of an answer. The order of parts is preserved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerPart {
    /// Text.
    Text {
        /// The words.
        text: String,
    },
    /// A tool call.
    Call(ToolCall),
    /// A provider-specific block, sent back unchanged.
    Own {
        /// The block as JSON.
        value: Value,
    },
}

/// The usage of a model call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens in.
    pub input: u64,
    /// Tokens out.
    pub output: u64,
    /// The part of `input` that was read from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Cost in millionths of a dollar; 0 if the price is unknown.
    #[serde(default)]
    pub micros: u64,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its parts.
    pub parts: Vec<AnswerPart>,
    /// The stop reason.
    pub stop: String,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
}

impl Answer {
    /// The text parts, joined.
    pub fn text(&self) -> String {
        let text = |part: &AnswerPart| if let AnswerPart::Text { text } = part { Some(text.clone()) } else { None };
        self.parts.iter().filter_map(text).collect()
    }

    /// The tool calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| if let AnswerPart::Call(call) = part { Some(call) } else { None })
    }

    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut ToolCall> {
        self.parts.iter_mut().filter_map(|part| if let AnswerPart::Call(call) = part { Some(call) } else { None })
    }
}

/// A failed model or tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// In words.
    pub message: String,
    /// Whether the answer was cut off after it had started, so that the call is retried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The usage of the failed call, estimated if the provider did not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Failure {
    /// A failure that used nothing.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cut: false, usage: None }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The text that the model sees.
    pub text: String,
    /// The complete result, if `text` is shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobHash>,
    /// A one-line summary for people.
    pub summary: String,
    /// The error code, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Code>,
    /// The workbench state after the call, if the call changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BlobHash>,
}
