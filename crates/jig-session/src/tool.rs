//! What models say and tools give, as the log keeps it.

use jig_contract::{BlobHash, Code};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy::Capability;

/// What stands behind a tool. It is in the program, never in content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The operation, or `mcp:<server>/<tool>`.
    pub target: String,
    /// What the policy is asked for.
    pub capability: Capability,
    /// What it does to the workbench.
    pub touch: Touch,
}

/// What a tool does to the workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// Reads only: it can be done again after a crash, and in every phase.
    Reads,
    /// Writes: after a crash it is not known whether it was done, and it is for the phases that do the work.
    Writes,
}

/// A call of a tool by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id; unique in its session.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given.
    pub input: Value,
    /// What the provider wants back with the call, unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What was corrected in the arguments; the result repeats it as a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// Why the call is not made: its arguments are malformed or do not fit the tool's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A piece of an answer, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerPart {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A call of a tool.
    Call(ToolCall),
    /// What only the provider understands, to be sent back as it was.
    Own {
        /// The block.
        value: Value,
    },
}

/// What a call of a model used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens in.
    pub input: u64,
    /// Tokens out.
    pub output: u64,
    /// The share of `input` that came from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Cost, in millionths of a dollar; nothing where the price is not known.
    #[serde(default)]
    pub micros: u64,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its parts.
    pub parts: Vec<AnswerPart>,
    /// Why it ended, in the provider's word.
    pub stop: String,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
}

impl Answer {
    /// The words.
    pub fn text(&self) -> String {
        let text = |part: &AnswerPart| if let AnswerPart::Text { text } = part { Some(text.clone()) } else { None };
        self.parts.iter().filter_map(text).collect()
    }

    /// The calls, in their order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| if let AnswerPart::Call(call) = part { Some(call) } else { None })
    }

    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut ToolCall> {
        self.parts.iter_mut().filter_map(|part| if let AnswerPart::Call(call) = part { Some(call) } else { None })
    }
}

/// Why something outside failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// In words.
    pub message: String,
    /// Whether the answer had begun and was cut off, so that it is asked for once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What the call used all the same, estimated where the provider did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Failure {
    /// A failure that used nothing.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cut: false, usage: None }
    }
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// What the model is shown.
    pub text: String,
    /// The whole result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobHash>,
    /// One line for people.
    pub summary: String,
    /// The code, when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Code>,
    /// The workbench's state after it, when it changed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<BlobHash>,
}
