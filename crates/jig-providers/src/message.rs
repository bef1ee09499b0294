//! What a model gives back.

use serde::{Deserialize, Serialize};

use crate::request::{Cache, Part, Role, ToolCall, Turn, joined_text};

/// A piece of an answer, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Delta {
    /// More words.
    Text {
        /// The words.
        text: String,
    },
    /// More of what the model thinks.
    Reasoning {
        /// The words.
        text: String,
    },
    /// A tool call begins.
    ToolCall {
        /// Which call of this answer, from 0.
        index: usize,
        /// The tool.
        name: String,
    },
    /// More of a tool call's arguments.
    Arguments {
        /// Which call of this answer, from 0.
        index: usize,
        /// A piece of JSON text.
        json: String,
    },
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// What the model said, in its order.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it cost; none when the provider does not say.
    pub usage: Option<Usage>,
    /// The model as the provider names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
}

impl Message {
    /// The texts, joined.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }

    /// The tool calls, in their order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| if let Part::ToolCall(call) = part { Some(call) } else { None })
    }

    /// The answer as a turn, for the next request of the same conversation.
    pub fn into_turn(self) -> Turn {
        Turn { role: Role::Assistant, parts: self.parts, cache: Cache::None }
    }
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All that went in, cached or not.
    pub input: u64,
    /// All that came out, reasoning included.
    pub output: u64,
    /// The share of `input` that was read from the provider's cache.
    #[serde(default)]
    pub cached: u64,
    /// The share of `input` that was written to the provider's cache.
    #[serde(default)]
    pub cache_written: u64,
    /// The share of `output` that was reasoning.
    #[serde(default)]
    pub reasoning: u64,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said what it wanted.
    EndTurn,
    /// It waits for tools.
    ToolUse,
    /// The limit on the answer's tokens was reached.
    MaxTokens,
    /// The model's window was full.
    WindowFull,
    /// The model, or a filter of the provider, refused.
    Refusal,
    /// The model wrote a tool call that its provider could not read; the call is not in the answer.
    MalformedCall,
    /// Something else; the provider's word for it is in the log.
    Other,
}
