//! Messages and tools, as they come in and, with their texts escaped, as they are sent.

use serde_json::Value;

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From a person. It begins a turn.
    User {
        /// What was said.
        text: String,
    },
    /// From the model.
    Assistant {
        /// What it said.
        text: String,
        /// The tools it called.
        calls: Vec<ToolCall>,
    },
    /// From a tool.
    ToolResult {
        /// The call it answers.
        call: String,
        /// The answer.
        text: String,
    },
}

impl Message {
    /// What is said in it.
    pub fn text(&self) -> &str {
        match self {
            Self::User { text } | Self::Assistant { text, .. } | Self::ToolResult { text, .. } => text,
        }
    }

    /// The tools it calls.
    pub fn calls(&self) -> &[ToolCall] {
        if let Self::Assistant { calls, .. } = self { calls } else { &[] }
    }
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given.
    pub input: Value,
}

/// A tool's description.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
}
