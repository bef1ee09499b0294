//! Operations on recipes: the context that a task needs, its prompt, and its output.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::{ProposalId, SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{
    Definition, EntryInfo, EntryStaleness, ExpiredContent, JobInfo, LeftOut, ProposalInfo, ProposalState,
    ResolvedAsset, SourceChange, operation,
};
use crate::tag::RevisionTag;

/// Entries that a recipe needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryRequirement {
    /// Their kind.
    pub role: String,
    /// Only these fields; all if omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Whether the recipe requires it.
    #[serde(default)]
    pub required: bool,
}

/// An artifact that a recipe needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRequirement {
    /// The artifact.
    pub artifact: String,
    /// Only these sections; all if omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    /// Whether the recipe requires it.
    #[serde(default)]
    pub required: bool,
}

/// Which context items are part of a recipe's prompt.
#[derive(
    Default, Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ItemsChoice {
    /// All of them.
    All,
    /// None.
    #[default]
    None,
}

/// What a recipe needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextRequirements {
    /// Entries, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<EntryRequirement>,
    /// Artifacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRequirement>,
    /// Context items.
    #[serde(default)]
    pub items: ItemsChoice,
}

/// When an output is regenerated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefreshPolicy {
    /// After how many hours it counts as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_hours: Option<u32>,
    /// Whether it is accepted into the entry without a person's decision.
    #[serde(default)]
    pub auto_promote: bool,
}

/// What a recipe produces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextOutputs {
    /// The kind of entry.
    pub role: String,
    /// The entry's key, unless its kind is a singleton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The fields that it fills.
    pub fields_produced: Vec<String>,
    /// When it is regenerated.
    #[serde(default)]
    pub refresh_policy: RefreshPolicy,
}

/// A recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeDefinition {
    /// Its name: `weekly-content-calendar`.
    pub recipe: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it needs.
    #[serde(default)]
    pub context_requirements: ContextRequirements,
    /// The prompt for the model, with the placeholders `{{context}}`, `{{input}}` and `{{today}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What it produces; none for a recipe whose answer is only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_outputs: Option<ContextOutputs>,
    /// Its schedule, as five cron fields in UTC: `0 6 * * 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Increases with every change of the definition. Set by Jig.
    #[serde(default = "first")]
    pub version: u32,
}

const fn first() -> u32 {
    1
}

/// A recipe of a workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeInfo {
    /// The definition.
    #[serde(flatten)]
    pub definition: RecipeDefinition,
    /// Whether it is built in and was not changed in this workbench.
    pub shipped: bool,
    /// Why it cannot run, such as a kind or field that no longer exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Its next scheduled run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    /// Identifies this version of the definition: pass it as `base_revision` when you change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// List the recipes of a workbench
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The recipes, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeListOutput {
    /// The recipes.
    pub recipes: Vec<RecipeInfo>,
}
operation!(RecipeList, Read, Surfaces::PEOPLE, RecipeListParams => RecipeListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a recipe
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    pub recipe: String,
}
/// The recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeGetOutput {
    /// The recipe.
    pub recipe: RecipeInfo,
    /// The definition as YAML, ready to be edited and saved.
    pub yaml: String,
}
operation!(RecipeGet, Read, Surfaces::PEOPLE, RecipeGetParams => RecipeGetOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar"}"#);

/// Add or change a recipe; the kinds and fields it names must exist
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipePutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The definition, as YAML or JSON
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// A file on this machine with the definition (not over HTTP)
    #[arg(long = "file", value_name = "FILE", conflicts_with = "definition")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// Only check the definition
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The recipe after the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipePutOutput {
    /// The recipe.
    pub recipe: RecipeInfo,
    /// Whether anything was saved: false for a check, or if nothing differs.
    pub saved: bool,
}
operation!(RecipePut, Write, Surfaces::PEOPLE, RecipePutParams => RecipePutOutput,
    r#"{"workbench_id":"board-deck","definition":{"recipe":"one-liner","context_requirements":{"entries":[{"role":"brand","fields":["name","voice"],"required":true}]},"prompt":"{{context}}\n\nSay in one line who we are. {{input}}"}}"#);

/// Delete a recipe, or restore a built-in recipe to its original definition
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    pub recipe: String,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeDeleteOutput {
    /// The recipe.
    pub deleted: String,
    /// Whether Jig's built-in definition is in use again.
    pub shipped_again: bool,
}
operation!(RecipeDelete, Destructive, Surfaces::PEOPLE, RecipeDeleteParams => RecipeDeleteOutput,
    r#"{"workbench_id":"board-deck","recipe":"one-liner"}"#);

/// Show the exact context that a recipe sends to a model, and what is missing, outdated or omitted
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeAssembleParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// An unsaved definition, as YAML or JSON
    #[arg(long, conflicts_with = "recipe")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// Additional input for the prompt
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The model whose tokenizer counts [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Maximum tokens of context: optional parts are omitted first
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Include the metadata of files that fields refer to
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
}
/// Context that a recipe needs and that does not exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingEntry {
    /// The kind.
    pub role: String,
    /// The entry's key, if the entry exists and some of its fields are empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The fields without content.
    pub fields: Vec<String>,
    /// Whether the recipe requires it.
    pub required: bool,
    /// How to add it.
    pub how: String,
}
/// An entry that lacks fields its kind requires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IncompleteEntry {
    /// Its address.
    pub address: String,
    /// The share of required fields that have content.
    pub completeness: f64,
    /// The fields without content.
    pub missing: Vec<String>,
}
/// An entry that is out of date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleEntry {
    /// Its address.
    pub address: String,
    /// The ways in which it is out of date.
    pub staleness: EntryStaleness,
}
/// A document and the revision that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedRevision {
    /// The address of the document or its part.
    pub address: String,
    /// The revision.
    pub revision: u64,
}
/// The tokens of the context, compared with those without projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextTokens {
    /// The tokens of the context, which contains only the requested fields.
    pub projected: u64,
    /// The tokens of the same entries with all their fields.
    pub all_fields: u64,
    /// The tokens of all entries of the workbench as flat text.
    pub flat_text: u64,
    /// How many times smaller the context is than with all fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_smaller_than_all_fields: Option<f64>,
    /// How many times smaller the context is than as flat text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_smaller_than_flat_text: Option<f64>,
    /// Whether the count is an estimate: the model's own tokenizer is not known.
    pub estimated: bool,
}
/// What a context includes and what it omits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssembleReport {
    /// What is needed and does not exist.
    pub missing: Vec<MissingEntry>,
    /// Entries that lack required fields.
    pub incomplete: Vec<IncompleteEntry>,
    /// What is out of date.
    pub stale: Vec<StaleEntry>,
    /// What was omitted because it did not fit.
    pub left_out: Vec<LeftOut>,
    /// What was used, with its revision.
    pub used: Vec<UsedRevision>,
    /// Its tokens.
    pub tokens: ContextTokens,
}
/// The assembled context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeAssembleOutput {
    /// The recipe.
    pub recipe: String,
    /// The context as XML.
    pub context: String,
    /// The prompt for the model, including the context.
    pub prompt: String,
    /// What the context includes and omits.
    pub report: AssembleReport,
    /// Metadata of the files that its fields refer to, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<ResolvedAsset>,
}
operation!(RecipeAssemble, Read, Surfaces::PEOPLE, RecipeAssembleParams => RecipeAssembleOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar"}"#);

/// Run a recipe: a model processes its context, and the answer becomes an output for review
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeRunParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    pub recipe: String,
    /// The model, such as `openai:gpt-5.2` or `offline:extract` [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Additional input for the prompt
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether to wait for the result [default: true]
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<bool>,
    /// Token limit, input and output
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Cost limit, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// Time limit, in seconds of working time
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}
/// The run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRunOutput {
    /// The job.
    pub job: JobInfo,
    /// The output, if the call waited for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ProposalInfo>,
    /// The answer of a recipe that fills no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The entry, if the output was accepted automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
    /// The session whose log contains the run, if a model was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its last step in that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}
operation!(RecipeRun, Write, Surfaces::PEOPLE, RecipeRunParams => RecipeRunOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar","model":"offline:extract"}"#);

/// Why a recipe's output is out of date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StaleReason {
    /// It has never run.
    NeverRun,
    /// Its content has expired.
    Expired {
        /// For how long.
        expired: ExpiredContent,
    },
    /// Its sources have changed since.
    SourceNewer {
        /// What changed.
        changes: Vec<SourceChange>,
    },
}
/// A recipe whose output is out of date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleRecipe {
    /// The recipe.
    pub recipe: String,
    /// The address of the entry that it fills.
    pub address: String,
    /// Why its output is out of date.
    pub reasons: Vec<StaleReason>,
    /// Recipes with outdated outputs that it needs; they run first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Whether it would run now: its output is out of date or its scheduled time has come, and nothing blocks it.
    pub due: bool,
    /// What blocks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Its next scheduled run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
}

/// List the recipes with outdated outputs, in the order in which to run them
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeListStaleParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// Recipes, in the order in which to run them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeListStaleOutput {
    /// The recipes.
    pub stale: Vec<StaleRecipe>,
    /// Recipes that need each other's outputs; none of them runs automatically.
    pub cycles: Vec<Vec<String>>,
}
operation!(RecipeListStale, Read, Surfaces::PEOPLE, RecipeListStaleParams => RecipeListStaleOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// List the outputs of recipe runs, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct OutputListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only of this recipe
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Only in this state
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ProposalState>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Outputs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputListOutput {
    /// The outputs.
    pub outputs: Vec<ProposalInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(OutputList, Read, Surfaces::PEOPLE, OutputListParams => OutputListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show the output of a run, next to the current values
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct OutputGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The output
    pub output_id: Given<ProposalId>,
}
/// The output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputGetOutput {
    /// The output.
    pub output: ProposalInfo,
}
operation!(OutputGet, Read, Surfaces::PEOPLE, OutputGetParams => OutputGetOutput,
    r#"{"workbench_id":"board-deck","output_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Accept all or some values of a run's output into its entry
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct OutputPromoteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The output
    pub output_id: Given<ProposalId>,
    /// Only these fields
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The `etag` of the entry you read: with the newest, values replace changes made since the run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The output and the entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputPromoteOutput {
    /// The entry after the change.
    pub entry: EntryInfo,
    /// The output after the decision.
    pub output: ProposalInfo,
}
operation!(OutputPromote, Write, Surfaces::PEOPLE, OutputPromoteParams => OutputPromoteOutput,
    r#"{"workbench_id":"board-deck","output_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Reject the output of a run; the entry does not change
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct OutputRejectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The output
    pub output_id: Given<ProposalId>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
operation!(OutputReject, Write, Surfaces::PEOPLE, OutputRejectParams => OutputGetOutput,
    r#"{"workbench_id":"board-deck","output_id":"0190b6c2-7d3e-7000-8000-000000000001","reason":"too thin"}"#);
