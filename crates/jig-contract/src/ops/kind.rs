//! Kinds of entries: definitions of their fields, as data that people can change.

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

/// A definition as YAML or JSON text, or as an object.
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

/// The subject of a kind. It is displayed, and determines the tier if none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum KindCategory {
    /// The basics of the company: problem, customer, vision, brand.
    Foundation,
    /// The environment: competitors, trends, references.
    Market,
    /// Derived content: digests, snapshots, calendars.
    Insight,
}

/// The type of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FieldType {
    /// A line of text.
    Text,
    /// Text of any length.
    Longtext,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A day: `2026-11-17`.
    Date,
    /// A URL.
    Url,
    /// One of the options.
    Select,
    /// A list of values of `item_type`.
    Array,
    /// A file: `asset://` and its id.
    Asset,
}

/// A field of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDefinition {
    /// Its name in data, addresses and prompts.
    pub key: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// The display name.
    pub label: String,
    /// Whether an entry is complete only with this field.
    #[serde(default)]
    pub required: bool,
    /// The placeholder in an empty form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Instructions for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// For files: the accepted media types and extensions, such as `image/*` or `application/pdf,.docx`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// For lists: the type of each value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_type: Option<FieldType>,
    /// For choices: the options.
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
    /// The display name.
    pub display_name: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of a Lucide icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Its subject.
    pub category: KindCategory,
    /// Whether a workbench has at most one such entry; otherwise each has a key.
    #[serde(default = "yes")]
    pub is_singleton: bool,
    /// Its fields.
    pub field_schema: FieldSchema,
    /// Increases with every change of the definition. Set by Jig.
    #[serde(default = "first")]
    pub version: u32,
    /// After how many hours without new content an entry counts as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_hours: Option<u32>,
    /// The recipe that creates its entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub produced_by: Option<String>,
    /// Who may write: `foundation` (agents only propose), `working` or `scratch` (agents write). Default: `foundation`
    /// for that category, `working` for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Whether entries have an additional free-text field `notes`.
    #[serde(default)]
    pub notes: bool,
    /// Its position among the kinds: smaller first, then by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
}

const fn yes() -> bool {
    true
}

const fn first() -> u32 {
    1
}

/// A kind of a workbench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindInfo {
    /// The definition.
    #[serde(flatten)]
    pub definition: KindDefinition,
    /// Whether it is built in and was not changed in this workbench.
    pub shipped: bool,
    /// How many active entries of this kind there are.
    pub entries: u64,
    /// Identifies this version of the definition: pass it as `base_revision` when you change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}

/// List the kinds of entries of a workbench, with their fields
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
operation!(KindList, Read, Surfaces::action("entries", "kinds"), KindListParams => KindListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a kind of entry with its fields
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
    /// The definition as YAML, ready to be edited and saved.
    pub yaml: String,
}
operation!(KindGet, Read, Surfaces::PEOPLE, KindGetParams => KindGetOutput, r#"{"workbench_id":"board-deck","role":"brand"}"#);

/// Add or change a kind of entry; existing entries are checked against it, and no value is dropped
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindPutParams {
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
    /// Only check, and show which values would become invalid
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What a changed kind means for existing entries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindReport {
    /// How many entries were checked.
    pub checked: u64,
    /// Values that are no longer valid. They stay unchanged until the field is written.
    pub misfits: Vec<KindMisfit>,
    /// Values of fields that the kind no longer has. They are stored, and return with the field.
    pub set_aside: Vec<KindMisfit>,
    /// Stored values that returned because their field exists again.
    pub brought_back: Vec<KindMisfit>,
}
/// A value that a changed kind affects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindMisfit {
    /// The kind.
    pub role: String,
    /// The entry's key; empty for a singleton.
    pub entry_key: String,
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// The value.
    pub value: Value,
}
/// The kind after the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindPutOutput {
    /// The kind.
    pub kind: KindInfo,
    /// Whether anything was saved: false for a check, or if nothing differs.
    pub saved: bool,
    /// What the change means for existing entries.
    pub report: KindReport,
}
operation!(KindPut, Write, Surfaces::PEOPLE, KindPutParams => KindPutOutput,
    r#"{"workbench_id":"board-deck","definition":{"anchor_role":"partner","display_name":"Partner","category":"market","is_singleton":false,"field_schema":{"fields":[{"key":"name","type":"text","label":"Name","required":true},{"key":"website","type":"url","label":"Website"}]}}}"#);

/// Delete an unused kind, or restore a built-in kind to its original definition
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct KindDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The kind
    pub role: String,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindDeleteOutput {
    /// The kind.
    pub deleted: String,
    /// Whether Jig's built-in definition is in use again.
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
