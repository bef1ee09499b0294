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
    /// Only these fields of them; all when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Whether the recipe cannot go without.
    #[serde(default)]
    pub required: bool,
}

/// An artifact that a recipe needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRequirement {
    /// Which.
    pub artifact: String,
    /// Only these sections of it; all when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    /// Whether the recipe cannot go without.
    #[serde(default)]
    pub required: bool,
}

/// Whether the context items go into a recipe's prompt.
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

/// When an output is made anew.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefreshPolicy {
    /// After how many hours it counts as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_hours: Option<u32>,
    /// Whether it is taken into the entry without a person.
    #[serde(default)]
    pub auto_promote: bool,
}

/// What a recipe makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextOutputs {
    /// The kind of entry.
    pub role: String,
    /// Which one of its kind, where there can be many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The fields that it fills.
    pub fields_produced: Vec<String>,
    /// When it is made anew.
    #[serde(default)]
    pub refresh_policy: RefreshPolicy,
}

/// A recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeDefinition {
    /// Its name: `weekly-content-calendar`.
    pub recipe: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it needs.
    #[serde(default)]
    pub context_requirements: ContextRequirements,
    /// What a model is asked, with `{{context}}`, `{{input}}` and `{{today}}` in the places of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What it makes; none for a recipe whose answer is only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_outputs: Option<ContextOutputs>,
    /// When it runs by itself, as five fields of cron in UTC: `0 6 * * 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Counts up with every change of the definition. Set by Jig.
    #[serde(default = "first")]
    pub version: u32,
}

const fn first() -> u32 {
    1
}

/// A recipe as a workbench has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeInfo {
    /// The definition.
    #[serde(flatten)]
    pub definition: RecipeDefinition,
    /// Whether it comes with Jig and was not changed here.
    pub shipped: bool,
    /// What keeps it from running, in words: a kind or field that is no longer there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// When it runs next by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    /// Identifies the definition; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// List the recipes that a workbench has
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

/// Show one recipe
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
    /// The definition as YAML, ready to be changed and put back.
    pub yaml: String,
}
operation!(RecipeGet, Read, Surfaces::PEOPLE, RecipeGetParams => RecipeGetOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar"}"#);

/// Add a recipe or change one; a kind or field that it names must exist
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipePutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The definition, as YAML or JSON
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// A file on this machine that holds the definition; not over HTTP
    #[arg(long = "file", value_name = "FILE", conflicts_with = "definition")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// Only check
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The recipe as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipePutOutput {
    /// The recipe.
    pub recipe: RecipeInfo,
    /// Whether anything was saved: not when it was only checked, nor when nothing is different.
    pub saved: bool,
}
operation!(RecipePut, Write, Surfaces::PEOPLE, RecipePutParams => RecipePutOutput,
    r#"{"workbench_id":"board-deck","definition":{"recipe":"one-liner","context_requirements":{"entries":[{"role":"brand","fields":["name","voice"],"required":true}]},"prompt":"{{context}}\n\nSay in one line who we are. {{input}}"}}"#);

/// Delete a recipe; one that comes with Jig goes back to how it came
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    pub recipe: String,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeDeleteOutput {
    /// The recipe.
    pub deleted: String,
    /// Whether the one that comes with Jig is in its place.
    pub shipped_again: bool,
}
operation!(RecipeDelete, Destructive, Surfaces::PEOPLE, RecipeDeleteParams => RecipeDeleteOutput,
    r#"{"workbench_id":"board-deck","recipe":"one-liner"}"#);

/// Show exactly the context that a recipe gives to a model, and what is missing, old or left out; no model is called
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeAssembleParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// A definition that is not saved, as YAML or JSON
    #[arg(long, conflicts_with = "recipe")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// What a person adds to the prompt
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The model whose tokens are counted; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// At most this many tokens of context: what is not required is left out first
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Say what is known of the files that fields name
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
}
/// Context that a recipe asks for and that is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingEntry {
    /// The kind.
    pub role: String,
    /// Which one of its kind, when the entry is there and fields of it are empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The fields without content.
    pub fields: Vec<String>,
    /// Whether the recipe cannot go without.
    pub required: bool,
    /// How to add it.
    pub how: String,
}
/// An entry that lacks fields its kind requires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IncompleteEntry {
    /// Its address.
    pub address: String,
    /// Required fields with content, as a share of the required ones.
    pub completeness: f64,
    /// The fields without content.
    pub missing: Vec<String>,
}
/// An entry that is old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleEntry {
    /// Its address.
    pub address: String,
    /// In which ways.
    pub staleness: EntryStaleness,
}
/// A document in the state in which it was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedRevision {
    /// Its address, or that of the part.
    pub address: String,
    /// The revision.
    pub revision: u64,
}
/// What the context costs, beside what it would without projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextTokens {
    /// The context as it is: only the fields that are asked for.
    pub projected: u64,
    /// The same entries with all their fields.
    pub all_fields: u64,
    /// All entries of the workbench as flat text.
    pub flat_text: u64,
    /// How many times smaller it is than with all fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_smaller_than_all_fields: Option<f64>,
    /// How many times smaller it is than as flat text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_smaller_than_flat_text: Option<f64>,
    /// Whether the count is an estimate: the model's own tokenizer is not known.
    pub estimated: bool,
}
/// What went into a context, and what did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssembleReport {
    /// What is asked for and not there.
    pub missing: Vec<MissingEntry>,
    /// What lacks fields that its kind requires.
    pub incomplete: Vec<IncompleteEntry>,
    /// What is old.
    pub stale: Vec<StaleEntry>,
    /// What did not fit.
    pub left_out: Vec<LeftOut>,
    /// What was used, in which revision.
    pub used: Vec<UsedRevision>,
    /// What it costs.
    pub tokens: ContextTokens,
}
/// The context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeAssembleOutput {
    /// The recipe.
    pub recipe: String,
    /// The context as XML.
    pub context: String,
    /// What a model is asked, with the context in its place.
    pub prompt: String,
    /// What went into it, and what did not.
    pub report: AssembleReport,
    /// The files that its fields name, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<ResolvedAsset>,
}
operation!(RecipeAssemble, Read, Surfaces::PEOPLE, RecipeAssembleParams => RecipeAssembleOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar"}"#);

/// Run a recipe: its context goes to a model, and the answer becomes an output that waits for a person
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct RecipeRunParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The recipe
    pub recipe: String,
    /// The model, such as `openai:gpt-5.2` or `offline:extract`; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What a person adds to the prompt
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether to wait for the end [default: true]
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<bool>,
    /// The most tokens, in and out
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most that it may cost, in millionths of a dollar
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
    /// The longest time at work, in seconds
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}
/// The run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRunOutput {
    /// The job.
    pub job: JobInfo,
    /// What it made, when it was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ProposalInfo>,
    /// The answer, of a recipe that fills no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The entry, when the output was taken into it at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
    /// The session in whose log the run is, when a model was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its last step there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}
operation!(RecipeRun, Write, Surfaces::PEOPLE, RecipeRunParams => RecipeRunOutput,
    r#"{"workbench_id":"board-deck","recipe":"weekly-content-calendar","model":"offline:extract"}"#);

/// Why a recipe's output is old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StaleReason {
    /// It never made any.
    NeverRun,
    /// Its content is older than it is good for.
    Expired {
        /// By how much.
        expired: ExpiredContent,
    },
    /// What it was made from has changed since.
    SourceNewer {
        /// What changed.
        changes: Vec<SourceChange>,
    },
}
/// A recipe whose output is old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleRecipe {
    /// The recipe.
    pub recipe: String,
    /// The address of the entry that it makes.
    pub address: String,
    /// Why it is old.
    pub reasons: Vec<StaleReason>,
    /// Stale recipes whose outputs it needs: they go first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Whether it would be made anew now: it is old, or its time has come, and nothing stands in the way.
    pub due: bool,
    /// What stands in the way, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// When it runs next by its schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
}

/// List the recipes whose outputs are old, in the order in which to make them anew
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
    /// Recipes that need each other's outputs: none of them is made anew by itself.
    pub cycles: Vec<Vec<String>>,
}
operation!(RecipeListStale, Read, Surfaces::PEOPLE, RecipeListStaleParams => RecipeListStaleOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// List what the runs of recipes made, newest first
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
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Outputs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputListOutput {
    /// The outputs.
    pub outputs: Vec<ProposalInfo>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(OutputList, Read, Surfaces::PEOPLE, OutputListParams => OutputListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show what a run made, beside what is there now
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

/// Take what a run made into its entry, all or some
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
    /// The `etag` of the entry you read: with the newest, values replace what was changed since the run
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The output and the entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputPromoteOutput {
    /// The entry as it is now.
    pub entry: EntryInfo,
    /// The output as it is now.
    pub output: ProposalInfo,
}
operation!(OutputPromote, Write, Surfaces::PEOPLE, OutputPromoteParams => OutputPromoteOutput,
    r#"{"workbench_id":"board-deck","output_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// Say no to what a run made; nothing of the entry changes
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
