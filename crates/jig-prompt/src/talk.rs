//! Messages and tools, as input and, with their texts escaped, as sent.

use serde_json::Value;

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From a person. Starts a turn.
    User {
        /// The content.
        text: String,
    },
    /// From the model.
    Assistant {
        /// The content.
        text: String,
        /// The tool calls.
        calls: Vec<ToolCall>,
    },
    /// From a tool.
    ToolResult {
        /// The id of the call.
        call: String,
        /// The result.
        text: String,
    },
}

impl Message {
    /// The text content.
    pub fn text(&self) -> &str {
        match self {
            Self::User { text } | Self::Assistant { text, .. } | Self::ToolResult { text, .. } => text,
        }
    }

    /// The tool calls.
    pub fn calls(&self) -> &[ToolCall] {
        if let Self::Assistant { calls, .. } = self { calls } else { &[] }
    }
}

/// A tool call by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Value,
}

/// A tool's description.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}
