//! The request to a model, in one form for all providers.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The purpose of the call, for the egress log; not sent to the model.
    pub purpose: String,
    /// The system text in blocks, so that stable ones can end at a cache breakpoint.
    #[serde(default)]
    pub system: Vec<Block>,
    /// The conversation, oldest first.
    pub turns: Vec<Turn>,
    /// The tools that the model may call.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The required format of the answer.
    #[serde(default)]
    pub output: Option<Output>,
    /// The maximum length of the answer in tokens; `None` for the model's own limit.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Omitted for models that do not support it.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// Whether the answer is streamed.
    #[serde(default)]
    pub streaming: Streaming,
    /// Whether the provider may retry automatically.
    #[serde(default)]
    pub retries: Retries,
    /// The time limit of the entire call including pauses; `None` for the provider's limit.
    #[serde(default)]
    pub timeout: Option<Duration>,
}

impl Request {
    /// A request with only a purpose and one user turn.
    pub fn new(purpose: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            purpose: purpose.into(),
            system: Vec::new(),
            turns: vec![Turn::user(text)],
            tools: Vec::new(),
            output: None,
            max_tokens: None,
            temperature: None,
            streaming: Streaming::default(),
            retries: Retries::default(),
            timeout: None,
        }
    }

    /// The complete system text.
    pub fn system_text(&self) -> String {
        self.system.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n")
    }
}

/// A block of the system text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The text.
    pub text: String,
    /// Whether a cache breakpoint follows.
    #[serde(default)]
    pub cache: Cache,
}

impl Block {
    /// A block without a breakpoint.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), cache: Cache::None }
    }

    /// A block that ends at a breakpoint.
    pub fn cached(text: impl Into<String>) -> Self {
        Self { text: text.into(), cache: Cache::Breakpoint }
    }
}

/// Whether everything up to here stays the same in later calls, so that a provider should cache it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// No breakpoint.
    #[default]
    None,
    /// The provider should be able to resume from here.
    Breakpoint,
}

/// Whether the answer is streamed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    /// Streamed.
    #[default]
    On,
    /// In one piece.
    Off,
}

/// Whether the provider may retry a failed call automatically.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retries {
    /// Where it is safe, according to its policy.
    #[default]
    Allowed,
    /// Never: a person decides.
    Off,
}

/// The role of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user, or the program that returns tool results.
    User,
    /// The model.
    Assistant,
}

/// A turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The role.
    pub role: Role,
    /// The content.
    pub parts: Vec<Part>,
    /// Whether a cache breakpoint follows.
    #[serde(default)]
    pub cache: Cache,
}

impl Turn {
    /// A user turn with one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::Text { text: text.into() }], cache: Cache::None }
    }

    /// A user turn with tool results.
    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        let parts = results.into_iter().map(Part::ToolResult).collect();
        Self { role: Role::User, parts, cache: Cache::None }
    }

    /// The text parts of the turn, joined.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }
}

/// The text among these parts, joined.
pub(crate) fn joined_text(parts: &[Part]) -> String {
    parts.iter().filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None }).collect()
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The words.
        text: String,
    },
    /// An image for the model.
    Image(Image),
    /// A tool call by the model.
    ToolCall(ToolCall),
    /// A tool result.
    ToolResult(ToolResult),
    /// The model's reasoning, which some providers expect back unchanged.
    Reasoning(Reasoning),
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The media type: `image/png`, `image/jpeg`, `image/webp`, `image/gif`.
    pub media_type: String,
    /// Its bytes, as base64.
    pub base64: String,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Links the result to the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; always an object.
    pub arguments: Value,
    /// Opaque data that the provider expects back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The corrections made to the arguments, such as a removed trailing comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// Set if the arguments are unusable; `arguments` is then empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<Malformed>,
}

impl ToolCall {
    /// A call with well-formed arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        let (id, name) = (id.into(), name.into());
        Self { id, name, arguments, signature: None, corrected: None, malformed: None }
    }
}

/// Arguments that are not a valid JSON object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// Why they are unusable.
    pub why: String,
    /// The beginning of what the model sent.
    pub sent: String,
}

/// A tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The result as text.
    pub content: String,
    /// Whether it failed.
    #[serde(default)]
    pub failed: bool,
}

/// The model's reasoning before its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The reasoning as text, if the provider exposes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's own block, sent back unchanged in the same format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<OwnBlock>,
}

/// A block that only its own wire format understands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnBlock {
    /// The wire format.
    pub format: String,
    /// The block, unchanged.
    pub value: Value,
}

/// A tool the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// Whether a cache breakpoint follows.
    #[serde(default)]
    pub cache: Cache,
}

/// The required format of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// A name: letters, digits, `_` and `-`.
    pub name: String,
    /// Its JSON schema.
    pub schema: Value,
}
