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
    /// It is.
    Active,
    /// It is kept, and goes into no prompt.
    Archived,
}

/// Something that a value was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntrySource {
    /// A text that somebody gave.
    Text,
    /// A file that somebody gave.
    File {
        /// Its name.
        name: String,
    },
    /// Another document, or a part of one, as it was in this revision.
    Document {
        /// Its address, such as `@brand#voice`.
        address: String,
        /// The revision.
        revision: u64,
    },
}

/// Somebody said that a field is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDone {
    /// Who. An agent only suggests it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// Of which revision.
    pub revision: u64,
    /// Whether the value was changed after that.
    pub changed_since: bool,
}

/// Where the value of a field came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldInfo {
    /// The field's key.
    pub key: String,
    /// Who wrote the value, or accepted it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The model that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// Who said that it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<FieldDone>,
    /// The revision in which the value last changed.
    pub changed_in: u64,
}

/// Content that is older than its kind allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpiredContent {
    /// When content was last written.
    pub content_changed_at: Timestamp,
    /// How many hours it is good for.
    pub ttl_hours: u32,
    /// For how many full hours it has been too old.
    pub hours_over: i64,
}

/// A reader's revision that is no longer the newest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutdatedRevision {
    /// What the reader saw.
    pub seen: u64,
    /// What there is.
    pub newest: u64,
}

/// A source that has changed since it was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceChange {
    /// Its address.
    pub address: String,
    /// The revision that was used.
    pub used: u64,
    /// The revision in which it changed after that; none when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_in: Option<u64>,
}

/// In which ways an entry is old. All may be true at once, and none follows from another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryStaleness {
    /// Its content is older than its kind allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<ExpiredContent>,
    /// The reader saw an older revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_view: Option<OutdatedRevision>,
    /// What it was made from has changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newer_sources: Vec<SourceChange>,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryInfo {
    /// Stays for as long as the entry exists.
    pub id: String,
    /// Its kind.
    pub role: String,
    /// Which one of its kind; empty for a singleton.
    pub entry_key: String,
    /// What people call it.
    pub display_name: String,
    /// Whether it is in use.
    pub state: EntryState,
    /// The values by field; those that were asked for.
    pub data: Map<String, Value>,
    /// Where each of these came from.
    pub fields: Vec<FieldInfo>,
    /// The number of its last write.
    pub revision: u64,
    /// The version of the kind it was last checked against.
    pub kind_version: u32,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Who wrote that.
    pub updated_by: Actor,
    /// Required fields with content, as a share of the required ones; 1 when none is required.
    pub completeness: f64,
    /// Nothing is required, so that `completeness` says nothing.
    pub no_requirements: bool,
    /// Fields with content.
    pub filled: u64,
    /// Fields in all.
    pub parts: u64,
    /// Fields that a person said are done.
    pub done: u64,
    /// Fields that only an agent said are done.
    pub done_suggested: u64,
    /// Fields that were changed after they were said to be done.
    pub changed_since_done: u64,
    /// In which ways it is old.
    pub staleness: EntryStaleness,
    /// Required fields without content.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Values of fields that its kind no longer has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept_aside: Map<String, Value>,
    /// The files that its fields name, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<ResolvedAsset>,
    /// Identifies this revision: pass it as `base_revision` of a write.
    pub etag: String,
}

/// List entries in a stable order: by kind, then by key
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
    /// Say what is known of the files that fields name
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Entries, by kind and key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryListOutput {
    /// The entries.
    pub entries: Vec<EntryInfo>,
    /// How many fit in all.
    pub total: u64,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(EntryList, Read, Surfaces::PEOPLE, EntryListParams => EntryListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show an entry: its values, where they came from, how complete and how old it is
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Only these fields
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Say what is known of the files that fields name
    #[arg(long)]
    #[serde(default)]
    pub resolve_assets: bool,
    /// An old revision of it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The revision you have seen: the answer tells when there is a newer one
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
operation!(EntryGet, Read, Surfaces::unlisted("entry_get"), EntryGetParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","fields":["name","voice"]}"#);

/// How the values that are given meet those that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PutMode {
    /// Only the fields that are named change; `null` takes a value away.
    Merge,
    /// The entry has these values and no others.
    Replace,
}

/// Write an entry, or make it; what an agent may not write itself becomes a proposal
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryPutParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// What people call it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The values by field, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    #[serde(default)]
    pub data: EntryData,
    /// Whether other fields stay as they are [default: merge]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PutMode>,
    /// The `etag` of what you changed: after any other change, nothing is written; 0 for a new entry
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Why
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the values were made from, as JSON: `{"type":"document","address":"@brand#voice","revision":3}`
    #[arg(long = "source", value_name = "JSON", value_parser = crate::ops::json_arg::<EntrySource>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EntrySource>,
    /// Make it a proposal that a person decides on, also where it could be written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propose: bool,
}
/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PutOutcome {
    /// It was written.
    Written,
    /// It is a proposal that a person decides on.
    Proposed,
}
/// What became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPutOutput {
    /// Whether it was written or proposed.
    pub outcome: PutOutcome,
    /// Whether the entry is new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// The entry as it is now; none when it does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
    /// The proposal, when it became one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalInfo>,
    /// Why it was not written, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
operation!(EntryPut, Write, Surfaces::unlisted("entry_put"), EntryPutParams => EntryPutOutput,
    r#"{"workbench_id":"board-deck","role":"brand","data":{"name":"Acme","voice":"Plain and warm."}}"#);

/// Delete an entry; undo brings it back
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The `etag` of what you read: after any other change, nothing is deleted
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryDeleteOutput {
    /// Its kind.
    pub role: String,
    /// Which one of its kind.
    pub entry_key: String,
    /// Its last revision.
    pub revision: u64,
}
operation!(EntryDelete, Destructive, Surfaces::PEOPLE, EntryDeleteParams => EntryDeleteOutput,
    r#"{"workbench_id":"board-deck","role":"competitor","entry_key":"globex"}"#);

/// Put an entry aside without losing it, or take it back into use
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryArchiveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// Whether it is archived from now on
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, default_value = "true", action = clap::ArgAction::Set)]
    #[serde(default = "yes")]
    pub archived: bool,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryArchive, Write, Surfaces::PEOPLE, EntryArchiveParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"competitor","entry_key":"globex","archived":true}"#);

const fn yes() -> bool {
    true
}

/// List the writes of an entry, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryHistoryParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
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
    /// It has a value for the first time.
    Added,
    /// It has another value.
    Changed,
    /// It has none any more.
    Removed,
}
/// A field that a write changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// What became of it.
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
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(EntryHistory, Read, Surfaces::PEOPLE, EntryHistoryParams => EntryHistoryOutput,
    r#"{"workbench_id":"board-deck","role":"brand"}"#);

/// Make an old revision of an entry the newest; what came between stays in the history
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryRestoreParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The revision to go back to
    #[arg(long)]
    pub revision: u64,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryRestore, Write, Surfaces::PEOPLE, EntryRestoreParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","revision":1}"#);

/// Say that a field of an entry is done, or take that back
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryMarkDoneParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// Whether it is done
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, default_value = "true", action = clap::ArgAction::Set)]
    #[serde(default = "yes")]
    pub done: bool,
    /// The `etag` of what you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(EntryMarkDone, Write, Surfaces::PEOPLE, EntryMarkDoneParams => EntryOutput,
    r#"{"workbench_id":"board-deck","role":"brand","field":"voice","done":true}"#);

/// Find values for an entry's fields in a text or a file, as a proposal; nothing of the entry changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct EntryExtractParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// Which one of its kind, where there can be many
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
    /// A file on this machine; not over HTTP
    #[arg(long = "file", value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The model, such as `openai:gpt-5.2` or `offline:extract`; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
operation!(EntryExtract, Write, Surfaces::PEOPLE, EntryExtractParams => crate::ops::ProposalOutput,
    r#"{"workbench_id":"board-deck","role":"brand","text":"Brand Name: Acme\nTagline: Ropes that hold.","model":"offline:extract"}"#);
