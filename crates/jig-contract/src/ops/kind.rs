//! Kinds of entries: the definitions of their fields, as data that people can change.

use std::convert::Infallible;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::tag::RevisionTag;

/// A definition as YAML or JSON text, or as the object itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Definition(#[schemars(extend("type" = ["string", "object"]))] pub Value);

impl FromStr for Definition {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(Value::String(text.to_owned())))
    }
}

/// What a kind is about. It is shown, and decides the tier when none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum KindCategory {
    /// What everything rests on: problem, customer, vision, brand.
    Foundation,
    /// What is out there: competitors, trends, references.
    Market,
    /// What was made from the rest: digests, snapshots, calendars.
    Insight,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FieldType {
    /// A line of text.
    Text,
    /// Text of any length that a prompt bears.
    Longtext,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A day: `2026-11-17`.
    Date,
    /// An address of the web.
    Url,
    /// One of the options.
    Select,
    /// A list of values of `item_type`.
    Array,
    /// A file: `asset://` and its id.
    Asset,
}

/// One field of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDefinition {
    /// Its name in data, addresses and prompts.
    pub key: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// What people call it.
    pub label: String,
    /// Whether an entry is complete only with it.
    #[serde(default)]
    pub required: bool,
    /// What a form shows while it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// What to write, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// For files: the media types and endings that are taken, such as `image/*` or `application/pdf,.docx`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// For lists: what each value is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_type: Option<FieldType>,
    /// For choices: what there is to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// The fields of a kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldSchema {
    /// In the order in which they are shown.
    pub fields: Vec<FieldDefinition>,
}

/// A kind of entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindDefinition {
    /// Its name: `brand`.
    pub anchor_role: String,
    /// What people call it.
    pub display_name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of a Lucide icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// What it is about.
    pub category: KindCategory,
    /// Whether a workbench has at most one entry of it; otherwise each has a key.
    #[serde(default = "yes")]
    pub is_singleton: bool,
    /// Its fields.
    pub field_schema: FieldSchema,
    /// Counts up with every change of the definition. Set by Jig.
    #[serde(default = "first")]
    pub version: u32,
    /// After how many hours without new content an entry counts as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_hours: Option<u32>,
    /// The recipe that makes its entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub produced_by: Option<String>,
    /// Who may write: `foundation` (an agent only proposes), `working` or `scratch` (an agent writes). By the category
    /// when left out: `foundation` for that, `working` for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Whether entries have a field `notes` of free text beside the others.
    #[serde(default)]
    pub notes: bool,
    /// Where it stands among the kinds: smaller first, then by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
}

const fn yes() -> bool {
    true
}

const fn first() -> u32 {
    1
}

/// A kind as a workbench has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindInfo {
    /// The definition.
    #[serde(flatten)]
    pub definition: KindDefinition,
    /// Whether it comes with Jig and was not changed here.
    pub shipped: bool,
    /// How many active entries there are of it.
    pub entries: u64,
    /// Identifies the definition; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// List the kinds of entries that a workbench knows, with their fields
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only kinds of this category
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<KindCategory>,
}
/// The kinds, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindListOutput {
    /// The kinds.
    pub kinds: Vec<KindInfo>,
}
operation!(KindList, Read, Surfaces::PEOPLE, KindListParams => KindListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show one kind of entries with its fields
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind, such as `brand`
    pub role: String,
}
/// The kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindGetOutput {
    /// The kind.
    pub kind: KindInfo,
    /// The definition as YAML, ready to be changed and put back.
    pub yaml: String,
}
operation!(KindGet, Read, Surfaces::PEOPLE, KindGetParams => KindGetOutput, r#"{"workbench_id":"board-deck","role":"brand"}"#);

/// Add a kind of entries or change one; the entries that exist are checked against it and nothing is dropped
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindPutParams {
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
    /// Only check, and say what would no longer fit
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What a changed kind means for the entries that exist.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindReport {
    /// How many entries were checked.
    pub checked: u64,
    /// Values that no longer fit. They stay as they are until somebody writes the field.
    pub misfits: Vec<KindMisfit>,
    /// Values of fields that the kind no longer has. They are kept aside, and come back with the field.
    pub set_aside: Vec<KindMisfit>,
    /// Values that were kept aside and are back, since the field is.
    pub brought_back: Vec<KindMisfit>,
}
/// A value of an entry that a changed kind is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindMisfit {
    /// The kind.
    pub role: String,
    /// Which entry of it; empty for a singleton.
    pub entry_key: String,
    /// The field.
    pub field: String,
    /// What is the matter, in words.
    pub message: String,
    /// The value.
    pub value: Value,
}
/// The kind as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindPutOutput {
    /// The kind.
    pub kind: KindInfo,
    /// Whether anything was saved: not when it was only checked, nor when nothing is different.
    pub saved: bool,
    /// What it means for the entries that exist.
    pub report: KindReport,
}
operation!(KindPut, Write, Surfaces::PEOPLE, KindPutParams => KindPutOutput,
    r#"{"workbench_id":"board-deck","definition":{"anchor_role":"partner","display_name":"Partner","category":"market","is_singleton":false,"field_schema":{"fields":[{"key":"name","type":"text","label":"Name","required":true},{"key":"website","type":"url","label":"Website"}]}}}"#);

/// Delete a kind that no entry uses; one that comes with Jig goes back to how it came
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind
    pub role: String,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindDeleteOutput {
    /// The kind.
    pub deleted: String,
    /// Whether the one that comes with Jig is in its place.
    pub shipped_again: bool,
}
operation!(KindDelete, Destructive, Surfaces::PEOPLE, KindDeleteParams => KindDeleteOutput,
    r#"{"workbench_id":"board-deck","role":"partner"}"#);

/// The values of an entry by field, as a JSON object
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct EntryData(pub Map<String, Value>);

impl FromStr for EntryData {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        crate::ops::json_arg(text)
    }
}
