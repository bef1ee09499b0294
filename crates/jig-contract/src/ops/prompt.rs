//! The prompt that a model would get, and its token breakdown.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// One line of a bill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BillLine {
    /// The section it is in, such as `files` or `skills`.
    pub section: String,
    /// What it is: `file`, `item`, `skill`, `message`, `tool`, …
    pub kind: String,
    /// Which one: a path, a category, an address.
    pub source: String,
    /// Its tokens.
    pub tokens: u64,
}

/// The token account of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptBill {
    /// The model it is for.
    pub model_id: String,
    /// How tokens are counted.
    pub tokenizer: String,
    /// Whether the count is an estimate: the model's own tokenizer is not known.
    pub estimated: bool,
    /// One line for each source, in the order of the prompt.
    pub lines: Vec<BillLine>,
    /// The tokens of all that is sent.
    pub total: u64,
    /// What the model can take.
    pub window: u64,
    /// How much of the window that is, from 0 to 1 and beyond.
    pub share: f64,
    /// The tokens of context items and style skills alone.
    pub context_tokens: u64,
    /// How much of the window those are.
    pub context_share: f64,
    /// `fine`, `high` or `over`.
    pub level: String,
    /// What a person should do about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptSection {
    /// Its name.
    pub name: String,
    /// Its text as it is sent.
    pub text: String,
    /// Whether a provider's cache may keep everything up to its end.
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
    /// The JSON Schema of what it takes.
    pub input_schema: serde_json::Value,
}

/// Something that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// What.
    pub source: String,
    /// Its tokens.
    pub tokens: u64,
    /// Why, in words.
    pub why: String,
    /// How to ask for it.
    pub how: String,
}

/// Something a person should know that does not stop the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptNotice {
    /// A stable code, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What, in words.
    pub message: String,
}

/// Show exactly what a model would be sent, with its bill; no model is called
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct PromptAssembleParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// What a person asks
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The model it is for; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptAssembleOutput {
    /// What comes before the conversation, in order.
    pub sections: Vec<PromptSection>,
    /// The conversation.
    pub messages: Vec<PromptMessage>,
    /// What the model may call, by name.
    pub tools: Vec<PromptTool>,
    /// What it costs.
    pub bill: PromptBill,
    /// What a person should know.
    pub notices: Vec<PromptNotice>,
    /// What did not fit.
    pub left_out: Vec<LeftOut>,
}
operation!(PromptAssemble, Read, Surfaces::PEOPLE, PromptAssembleParams => PromptAssembleOutput,
    r#"{"workbench_id":"board-deck","message":"Summarise the budget"}"#);

/// Show how full the prompt is, and with what
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ClutterGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The model it is for; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The bill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClutterGetOutput {
    /// What the prompt costs before anything is asked.
    pub bill: PromptBill,
    /// What a person should know.
    pub notices: Vec<PromptNotice>,
}
operation!(ClutterGet, Read, Surfaces::PEOPLE, ClutterGetParams => ClutterGetOutput, r#"{"workbench_id":"board-deck"}"#);
