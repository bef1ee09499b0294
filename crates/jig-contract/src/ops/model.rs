//! Listing models, and choosing the model of a workbench.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// A model in the registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// `provider:model`.
    pub id: String,
    /// The context window, in tokens.
    pub window: u64,
    /// The maximum number of output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// How its tokens are counted.
    pub tokenizer: String,
    /// What it can do: `tools`, `structured_output`, `images`, `streaming`, `cache`.
    pub abilities: Vec<String>,
    /// US dollars per million tokens: `input`, `output`, `cached`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub price: BTreeMap<String, f64>,
    /// Whether it can be used: its key is set, or it needs none.
    pub configured: bool,
    /// What is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// List the models that can be used, and what is missing for the others
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ModelListParams {
    /// The workbench whose default is shown
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<Given<WorkbenchId>>,
}
/// Models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelListOutput {
    /// All known models, by id.
    pub models: Vec<ModelInfo>,
    /// The model that is used if a call names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}
operation!(ModelList, Read, Surfaces::PEOPLE, ModelListParams => ModelListOutput, "{}");

/// Choose the model that a workbench uses by default
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ModelSetDefaultParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The model; omit it to use the one in the settings
    #[arg(value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The new default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSetDefaultOutput {
    /// The model; none if neither the workbench nor the settings name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}
operation!(ModelSetDefault, Write, Surfaces::PEOPLE, ModelSetDefaultParams => ModelSetDefaultOutput,
    r#"{"workbench_id":"board-deck","model":"offline:extract"}"#);

/// Show local usage counts: context items, models, sizes (never sent anywhere)
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StatsGetParams {
    /// Only this workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<Given<WorkbenchId>>,
}
/// One count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatCount {
    /// The counted event, such as `context.process.success`.
    pub name: String,
    /// The item's category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// How often.
    pub count: u64,
    /// The mean size in tokens, if sizes are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_tokens: Option<f64>,
}
/// Counts, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsGetOutput {
    /// The counts.
    pub counts: Vec<StatCount>,
}
operation!(StatsGet, Read, Surfaces::PEOPLE, StatsGetParams => StatsGetOutput, "{}");
