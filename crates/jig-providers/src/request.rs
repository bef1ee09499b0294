//! What is asked of a model, in one form for all providers.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Why the model is called; goes to the egress log, not to the model.
    pub purpose: String,
    /// The system text, in blocks, so that the stable ones can end at a cache breakpoint.
    #[serde(default)]
    pub system: Vec<Block>,
    /// The conversation, oldest first.
    pub turns: Vec<Turn>,
    /// What the model may call.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The form the answer must have.
    #[serde(default)]
    pub output: Option<Output>,
    /// The most tokens of the answer; none means what the model can do.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Left out for models that do not take it.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// Whether the answer comes in pieces.
    #[serde(default)]
    pub streaming: Streaming,
    /// Whether the provider may try again by itself.
    #[serde(default)]
    pub retries: Retries,
    /// The longest the whole call may take, waits included; none means the provider's own limit.
    #[serde(default)]
    pub timeout: Option<Duration>,
}

impl Request {
    /// A request with nothing but a purpose and one turn of the user.
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

    /// The whole system text.
    pub fn system_text(&self) -> String {
        self.system.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n")
    }
}

/// A piece of the system text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The text.
    pub text: String,
    /// Whether a cache breakpoint follows it.
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

/// Whether what came up to here stays the same in later calls, and a provider should keep it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Nothing is said about it.
    #[default]
    None,
    /// The provider should be able to go on from here.
    Breakpoint,
}

/// Whether the answer comes in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    /// As it is written.
    #[default]
    On,
    /// In one piece.
    Off,
}

/// Whether the provider may try a failed call again by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retries {
    /// Where it is safe, as its policy says.
    #[default]
    Allowed,
    /// Never: a person decides.
    Off,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, or the program that answers tool calls.
    User,
    /// The model.
    Assistant,
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
    /// Whether a cache breakpoint follows it.
    #[serde(default)]
    pub cache: Cache,
}

impl Turn {
    /// A turn of the user with one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::Text { text: text.into() }], cache: Cache::None }
    }

    /// A turn of the user with these answers to tool calls.
    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        let parts = results.into_iter().map(Part::ToolResult).collect();
        Self { role: Role::User, parts, cache: Cache::None }
    }

    /// The texts of the turn, joined.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }
}

/// The texts among these parts, joined.
pub(crate) fn joined_text(parts: &[Part]) -> String {
    parts.iter().filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None }).collect()
}

/// A piece of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture for the model.
    Image(Image),
    /// The model wants a tool to be called.
    ToolCall(ToolCall),
    /// What the tool gave.
    ToolResult(ToolResult),
    /// What the model thought. Some providers want it back as it was when the conversation goes on.
    Reasoning(Reasoning),
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its type: `image/png`, `image/jpeg`, `image/webp`, `image/gif`.
    pub media_type: String,
    /// Its bytes, as base64.
    pub base64: String,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ties the result to the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Always an object.
    pub arguments: Value,
    /// What the provider wants back with the call, unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What was corrected in the arguments, such as a trailing comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// Set when the arguments cannot be used; `arguments` is then empty.
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

/// Arguments that are not a JSON object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// Why they cannot be used.
    pub why: String,
    /// The beginning of what the model sent.
    pub sent: String,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it gave, as text.
    pub content: String,
    /// Whether it failed.
    #[serde(default)]
    pub failed: bool,
}

/// What the model thought before it spoke.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// In words, where the provider shows them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's own block, to be sent back to the same format unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<OwnBlock>,
}

/// A block that only its own wire format understands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnBlock {
    /// The wire format.
    pub format: String,
    /// The block as it came.
    pub value: Value,
}

/// A tool the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// Whether a cache breakpoint follows it.
    #[serde(default)]
    pub cache: Cache,
}

/// The form of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// A name for it: letters, digits, `_` and `-`.
    pub name: String,
    /// Its JSON schema.
    pub schema: Value,
}
