//! Model answers.

use serde::{Deserialize, Serialize};

use crate::request::{Cache, Part, Role, ToolCall, Turn, joined_text};

/// A part of an answer while it is being streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Delta {
    /// More text.
    Text {
        /// The words.
        text: String,
    },
    /// More reasoning.
    Reasoning {
        /// The words.
        text: String,
    },
    /// The start of a tool call.
    ToolCall {
        /// The index of the call in this answer.
        index: usize,
        /// The tool.
        name: String,
    },
    /// More arguments of a tool call.
    Arguments {
        /// The index of the call in this answer.
        index: usize,
        /// A fragment of JSON.
        json: String,
    },
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The content, in order.
    pub parts: Vec<Part>,
    /// The stop reason.
    pub stop: StopReason,
    /// Token usage; `None` if the provider does not report it.
    pub usage: Option<Usage>,
    /// The provider's name of the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
}

impl Message {
    /// The text parts, joined.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }

    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| if let Part::ToolCall(call) = part { Some(call) } else { None })
    }

    /// The answer as a turn for the next request of the conversation.
    pub fn into_turn(self) -> Turn {
        Turn { role: Role::Assistant, parts: self.parts, cache: Cache::None }
    }
}

/// Token usage of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input, cached or not.
    pub input: u64,
    /// All output, including reasoning.
    pub output: u64,
    /// The part of `input` that was read from the provider's cache.
    #[serde(default)]
    pub cached: u64,
    /// The part of `input` that was written to the provider's cache.
    #[serde(default)]
    pub cache_written: u64,
    /// The part of `output` that was reasoning.
    #[serde(default)]
    pub reasoning: u64,
}

/// The stop reason of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model ended its answer.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output limit was reached.
    MaxTokens,
    /// The context window is full.
    WindowFull,
    /// The model or a filter of the provider refused.
    Refusal,
    /// The model wrote a tool call that its provider could not parse; the call is missing in the answer.
    MalformedCall,
    /// Another reason; the provider's own value is logged.
    Other,
}
