//! Operations on context items: what every prompt of a workbench says about the company, the department, the situation
//! and the document style.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::tag::RevisionTag;

/// The four items a workbench can have, one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ContextCategory {
    /// Who the company is.
    CompanyContext,
    /// What the department does and how.
    DepartmentContext,
    /// What is going on at present.
    Situation,
    /// How documents look and sound.
    DocumentStyle,
}

impl ContextCategory {
    /// All of them, in the order they are shown and injected.
    pub const ALL: [Self; 4] = [Self::CompanyContext, Self::DepartmentContext, Self::Situation, Self::DocumentStyle];

    /// Its name on the wire, in the store and on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CompanyContext => "company-context",
            Self::DepartmentContext => "department-context",
            Self::Situation => "situation",
            Self::DocumentStyle => "document-style",
        }
    }

    /// What it is for, for the card of an empty slot.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::CompanyContext => "Who the company is: what it sells, to whom, against whom, and the words it uses.",
            Self::DepartmentContext => "What the department does: its goals, figures, ways of working and tools.",
            Self::Situation => "What is going on now: the task, its deadline, its readers and its limits.",
            Self::DocumentStyle => "How documents look and sound: rules for layout, tone and wording.",
        }
    }
}

impl std::fmt::Display for ContextCategory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether there is an item of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextStatus {
    /// It is in every prompt.
    Active,
    /// There is none.
    Empty,
    /// Its files are damaged: prompts go without it.
    Damaged,
}

/// How the raw input came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextMode {
    /// As text.
    Text,
    /// As a file, with an optional note.
    File,
}

/// A context item at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSummary {
    /// Its category.
    pub category: ContextCategory,
    /// Whether there is one.
    pub status: ContextStatus,
    /// What it says of itself, on one line.
    pub summary: String,
    /// Whether it was edited by hand after it was processed.
    pub has_direct_edits: bool,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When a model processed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_processed_at: Option<Timestamp>,
    /// When it was edited by hand last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_direct_edit_at: Option<Timestamp>,
    /// The model that processed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The tokens of its files, as they go into a prompt.
    pub tokens: u64,
    /// Identifies the item as it is now; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
    /// What a reader should know: what the validator thinks of an edit by hand, or why it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file of an item, with its path inside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextFile {
    /// `SKILL.md`, `references/summary.md`, `references/style-rules.md` or `context.md`, for example.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// What an item was made from. It is kept for reference and is in no prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSource {
    /// How it came.
    pub mode: ContextMode,
    /// The text, when it came as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file's name, when it came as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_filename: Option<String>,
    /// What to look for in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A context item whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
    /// At a glance.
    #[serde(flatten)]
    pub summary: ContextSummary,
    /// Its files as they are in prompts.
    pub files: Vec<ContextFile>,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ContextSource>,
}

/// List the four context items: which there are, and what they say
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The items, in the order of the categories; empty ones too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextListOutput {
    /// One for each category.
    pub items: Vec<ContextSummary>,
}
operation!(ContextList, Read, Surfaces::PEOPLE, ContextListParams => ContextListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a context item with its files and what it was made from
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
}
/// The item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItemOutput {
    /// The item.
    pub item: ContextItem,
}
operation!(ContextGet, Read, Surfaces::PEOPLE, ContextGetParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"company-context"}"#);

/// Show the files of a context item, ready to be edited by hand
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextGetArtifactParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
}
/// The files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextGetArtifactOutput {
    /// The files, by path.
    pub files: Vec<ContextFile>,
    /// Whether they were edited by hand.
    pub has_direct_edits: bool,
    /// Identifies the item as it is now; pass it as `base_revision` to change exactly what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}
operation!(ContextGetArtifact, Read, Surfaces::PEOPLE, ContextGetArtifactParams => ContextGetArtifactOutput,
    r#"{"workbench_id":"board-deck","category":"company-context"}"#);

/// The raw input of an item
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextInput {
    /// How it comes; told by what is given when left out
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ContextMode>,
    /// The text itself
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A file on this machine
    #[arg(long = "file", value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// What to look for in the file
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Make a context item from a text or a file, by one call of a model
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextProcessParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
    /// The raw input
    #[command(flatten)]
    pub input: ContextInput,
    /// The model, such as `openai:gpt-5.2` or `offline:extract`; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextProcess, Write, Surfaces::HOST, ContextProcessParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"situation","input":{"mode":"text","text":"Board meeting on Friday."},"model":"offline:extract"}"#);

/// Make a context item again from what it was made from
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextReprocessParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
    /// Lose what was edited by hand
    #[arg(long)]
    #[serde(default)]
    pub overwrite_direct_edits: bool,
    /// The model; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextReprocess, Write, Surfaces::PEOPLE, ContextReprocessParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"situation","overwrite_direct_edits":true,"model":"offline:extract"}"#);

/// Edit the files of a context item by hand; they are kept as they are given
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextUpdateDirectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
    /// All its files, as JSON: `{"path": "SKILL.md", "content": "…"}`. One that is not named is removed
    #[arg(long = "file", value_name = "JSON", value_parser = crate::ops::json_arg::<ContextFile>, required = true)]
    pub files: Vec<ContextFile>,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextUpdateDirect, Write, Surfaces::PEOPLE, ContextUpdateDirectParams => ContextItemOutput,
    r###"{"workbench_id":"board-deck","category":"situation","files":[{"path":"context.md","content":"## Now\n\n- Board meeting on Friday\n"}]}"###);

/// Delete a context item
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextDeleteParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// Nothing more to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextDeleteOutput {
    /// The item's category.
    pub deleted: ContextCategory,
}
operation!(ContextDelete, Write, Surfaces::PEOPLE, ContextDeleteParams => ContextDeleteOutput,
    r#"{"workbench_id":"board-deck","category":"situation"}"#);

/// Write a context item as a skill folder that any client of Agent Skills takes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextExportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item
    pub category: ContextCategory,
    /// The folder in which the skill's own folder is made
    #[arg(long, value_name = "FOLDER")]
    pub out: String,
}
/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextExportOutput {
    /// The skill's folder.
    pub folder: String,
    /// Its files.
    pub files: Vec<String>,
}
operation!(ContextExport, Read, Surfaces::HOST, ContextExportParams => ContextExportOutput,
    r#"{"workbench_id":"board-deck","category":"company-context","out":"skills"}"#);

/// Take a skill folder as a context item
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextImportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which item it becomes
    pub category: ContextCategory,
    /// The skill's folder, with its SKILL.md
    #[arg(value_name = "FOLDER")]
    pub folder: String,
    /// The `etag` of what the change was made on; a newer version is a `CONFLICT`. 0 creates it only
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextImport, Write, Surfaces::HOST, ContextImportParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"company-context","folder":"skills/company-context"}"#);
