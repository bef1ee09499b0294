//! Operations on entries: structured context with typed fields.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{EntryData, ProposalInfo, ResolvedAsset, operation};
use crate::path::WorkbenchPath;
use crate::tag::RevisionTag;

/// Whether an entry is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EntryState {
    /// It is in use.
    Active,
    /// It is stored, but not added to prompts.
    Archived,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntrySource {
    /// A text that was given.
    Text,
    /// A file that was given.
    File {
        /// Its name.
        name: String,
    },
    /// Another document or a part of it, in this revision.
    Document {
        /// Its address, such as `@brand#voice`.
        address: String,
        /// The revision.
        revision: u64,
    },
}

/// Who marked a field as done, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDone {
    /// Who. An agent's mark is only a suggestion.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The revision to which the mark applies.
    pub revision: u64,
    /// Whether the value has changed since.
    pub changed_since: bool,
}

/// The origin of a field's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldInfo {
    /// The field's key.
    pub key: String,
    /// Who wrote the value, or accepted it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The model that produced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// Who marked it as done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<FieldDone>,
    /// The revision in which the value last changed.
    pub changed_in: u64,
}

/// An entry whose content is older than its kind allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpiredContent {
    /// When content was last written.
    pub content_changed_at: Timestamp,
    /// For how many hours content counts as current.
    pub ttl_hours: u32,
    /// By how many full hours that time is exceeded.
    pub hours_over: i64,
}

/// The reader has an older revision than the newest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutdatedRevision {
    /// The reader's revision.
    pub seen: u64,
    /// The newest revision.
    pub newest: u64,
}

/// A source that has changed since it was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceChange {
    /// Its address.
    pub address: String,
    /// The revision that was used.
    pub used: u64,
    /// The revision in which it changed after that; none if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_in: Option<u64>,
}

/// The ways in which an entry is out of date. They are independent, and several may apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryStaleness {
    /// Its content is older than its kind allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<ExpiredContent>,
    /// The reader has an older revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_view: Option<OutdatedRevision>,
    /// Its sources have changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newer_sources: Vec<SourceChange>,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryInfo {
    /// Permanent for as long as the entry exists.
    pub id: String,
    /// Its kind.
    pub role: String,
    /// The entry's key within its kind; empty for a singleton.
    pub entry_key: String,
    /// Its display name.
    pub display_name: String,
    /// Whether it is in use.
    pub state: EntryState,
    /// The values of the requested fields.
    pub data: Map<String, Value>,
    /// The origin of each of these values.
    pub fields: Vec<FieldInfo>,
    /// The number of its newest write.
    pub revision: u64,
    /// The version of the kind that it was last validated against.
    pub kind_version: u32,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Who wrote it.
    pub updated_by: Actor,
    /// The share of required fields that have content; 1 if none is required.
    pub completeness: f64,
    /// Whether no field is required, so that `completeness` is meaningless.
    pub no_requirements: bool,
    /// Fields with content.
    pub filled: u64,
    /// Fields in all.
    pub parts: u64,
    /// Fields that a person marked as done.
    pub done: u64,
    /// Fields that only an agent marked as done.
    pub done_suggested: u64,
    /// Fields that changed after they were marked as done.
    pub changed_since_done: u64,
    /// The ways in which it is out of date.
    pub staleness: EntryStaleness,
    /// Required fields without content.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Values of fields that its kind no longer has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept_aside: Map<String, Value>,
    /// Metadata of the files that its fields refer to, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<ResolvedAsset>,
    /// Identifies this revision: pass it as `base_revision` when you write.
    pub etag: String,
}

/// List entries, ordered by kind and key
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only entries of this kind
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Only entries in this state [default: active]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<EntryState>,
    /// Only these fields
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Include the metadata of files that fields refer to
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Entries, by kind and key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryListOutput {
    /// The entries.
    pub entries: Vec<EntryInfo>,
    /// The total number of matches.
    pub total: u64,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(EntryList, Read, Surfaces::action("entries", "list"), EntryListParams => EntryListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show an entry: its values, their origin, its completeness and whether it is out of date
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Only these fields
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Include the metadata of files that fields refer to
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
    /// An old revision
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The revision you have; the response says if there is a newer one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_revision: Option<u64>,
}
/// The entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryOutput {
    /// The entry.
    pub entry: EntryInfo,
}
operation!(EntryGet, Read, Surfaces::action("entries", "get"), EntryGetParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","fields":["name","voice"]}"#);

/// How new values are combined with the existing ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PutMode {
    /// Only the named fields change; `null` removes a value.
    Merge,
    /// The entry has only the new values.
    Replace,
}

/// Write or create an entry; a write that the agent may not make becomes a proposal
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryPutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The display name
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The values by field, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    #[serde(default)]
    pub data: EntryData,
    /// Whether other fields keep their values [default: merge]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PutMode>,
    /// The `etag` you read; fails if there is a newer version. 0 for a new entry
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A source of the values, as JSON: `{"type":"document","address":"@brand#voice","revision":3}`
    #[arg(long = "source", value_name = "JSON", value_parser = crate::ops::json_arg::<EntrySource>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// Always create a proposal for a person to decide on
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propose: bool,
}
/// The outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PutOutcome {
    /// It was written.
    Written,
    /// It became a proposal for a person to decide on.
    Proposed,
}
/// The result of a write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPutOutput {
    /// Whether it was written or proposed.
    pub outcome: PutOutcome,
    /// Whether the entry was created by this call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// The current entry; none if it does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
    /// The proposal, if the write became one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalInfo>,
    /// Why it was not written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
operation!(EntryPut, Write, Surfaces::action("entries", "put"), EntryPutParams => EntryPutOutput,
    r#"{"workbench_id":"board-deck","role":"brand","data":{"name":"Acme","voice":"Plain and warm."}}"#);

/// Delete an entry; undo restores it
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The deleted entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryDeleteOutput {
    /// Its kind.
    pub role: String,
    /// The entry's key within its kind.
    pub entry_key: String,
    /// Its last revision.
    pub revision: u64,
}
operation!(EntryDelete, Destructive, Surfaces::PEOPLE, EntryDeleteParams => EntryDeleteOutput,
    r#"{"workbench_id":"board-deck","role":"competitor","entry_key":"globex"}"#);

/// Archive an entry, or restore it from the archive
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryArchiveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Whether to archive it
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, default_value = "true", action = clap::ArgAction::Set)]
    #[serde(default = "yes")]
    pub archived: bool,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryArchive, Write, Surfaces::PEOPLE, EntryArchiveParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"competitor","entry_key":"globex","archived":true}"#);

const fn yes() -> bool {
    true
}

/// List the revisions of an entry, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryHistoryParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// How a write changed a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FieldChangeKind {
    /// It received its first value.
    Added,
    /// Its value changed.
    Changed,
    /// Its value was removed.
    Removed,
}
/// A field that a write changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// What happened to it.
    pub change: FieldChangeKind,
}
/// One write of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryRevision {
    /// Its number.
    pub revision: u64,
    /// Who wrote it.
    pub author: Actor,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// The fields it changed.
    pub changes: Vec<FieldChange>,
}
/// Writes, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryHistoryOutput {
    /// The writes.
    pub revisions: Vec<EntryRevision>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(EntryHistory, Read, Surfaces::PEOPLE, EntryHistoryParams => EntryHistoryOutput,
    r#"{"workbench_id":"board-deck","role":"brand"}"#);

/// Restore an old revision of an entry; later revisions stay in the history
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The revision to restore
    #[arg(long)]
    pub revision: u64,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryRestore, Write, Surfaces::PEOPLE, EntryRestoreParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","revision":1}"#);

/// Mark a field of an entry as done, or remove the mark
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryMarkDoneParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// Whether it is done
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, default_value = "true", action = clap::ArgAction::Set)]
    #[serde(default = "yes")]
    pub done: bool,
    /// The `etag` you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryMarkDone, Write, Surfaces::action("entries", "done"), EntryMarkDoneParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","field":"voice","done":true}"#);

/// Extract values for an entry's fields from a text or a file, as a proposal
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryExtractParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The text
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A file of the workbench
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Given<WorkbenchPath>>,
    /// A file on this machine (not over HTTP)
    #[arg(long = "file", value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The model, such as `openai:gpt-5.2` or `offline:extract` [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
operation!(EntryExtract, Write, Surfaces::PEOPLE, EntryExtractParams => crate::ops::ProposalOutput,
    r#"{"workbench_id":"board-deck","role":"brand","text":"Brand Name: Acme\nTagline: Ropes that hold.","model":"offline:extract"}"#);
