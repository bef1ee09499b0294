//! The prompt that a model would receive, and its token breakdown.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// One line of a token breakdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BillLine {
    /// Its section, such as `files` or `skills`.
    pub section: String,
    /// Its type: `file`, `item`, `skill`, `message`, `tool`, …
    pub kind: String,
    /// Its source: a path, a category, an address.
    pub source: String,
    /// Its tokens.
    pub tokens: u64,
}

/// The token breakdown of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptBill {
    /// The model.
    pub model_id: String,
    /// How tokens are counted.
    pub tokenizer: String,
    /// Whether the count is an estimate: the model's own tokenizer is not known.
    pub estimated: bool,
    /// One line for each source, in the order of the prompt.
    pub lines: Vec<BillLine>,
    /// The total number of tokens.
    pub total: u64,
    /// The model's context window.
    pub window: u64,
    /// The share of the window that is used, from 0 to 1 and above.
    pub share: f64,
    /// The tokens of context items and style skills alone.
    pub context_tokens: u64,
    /// The share of the window that those use.
    pub context_share: f64,
    /// `fine`, `high` or `over`.
    pub level: String,
    /// A recommendation for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptSection {
    /// Its name.
    pub name: String,
    /// Its text, exactly as sent.
    pub text: String,
    /// Whether a provider may cache everything up to its end.
    pub cache_breakpoint: bool,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptTool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: serde_json::Value,
}

/// Something that was omitted because it did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Its source.
    pub source: String,
    /// Its tokens.
    pub tokens: u64,
    /// Why, in words.
    pub why: String,
    /// How to request it.
    pub how: String,
}

/// Information for the user that does not stop the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptNotice {
    /// A stable code, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The notice.
    pub message: String,
}

/// Show exactly what a model would be sent, with its token breakdown; no model is called
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct PromptAssembleParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The user's message
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptAssembleOutput {
    /// The sections before the conversation, in order.
    pub sections: Vec<PromptSection>,
    /// The conversation.
    pub messages: Vec<PromptMessage>,
    /// The tools that the model may call, by name.
    pub tools: Vec<PromptTool>,
    /// The token breakdown.
    pub bill: PromptBill,
    /// Notices for the user.
    pub notices: Vec<PromptNotice>,
    /// What was omitted because it did not fit.
    pub left_out: Vec<LeftOut>,
}
operation!(PromptAssemble, Read, Surfaces::PEOPLE, PromptAssembleParams => PromptAssembleOutput,
    r#"{"workbench_id":"board-deck","message":"Summarise the budget"}"#);

/// Show how full the prompt is, and what fills it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ClutterGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The model [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The token breakdown of a prompt without a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClutterGetOutput {
    /// The token breakdown of the prompt without a message.
    pub bill: PromptBill,
    /// Notices for the user.
    pub notices: Vec<PromptNotice>,
}
operation!(ClutterGet, Read, Surfaces::PEOPLE, ClutterGetParams => ClutterGetOutput, r#"{"workbench_id":"board-deck"}"#);
