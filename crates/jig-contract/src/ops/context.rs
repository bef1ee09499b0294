//! Operations on context items: background about the company, the department, the situation and the document style that
//! is sent with every prompt of a workbench.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::tag::RevisionTag;

/// The four context items of a workbench, at most one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ContextCategory {
    /// Who the company is.
    CompanyContext,
    /// What the department does and how.
    DepartmentContext,
    /// What is happening at present.
    Situation,
    /// How documents look and sound.
    DocumentStyle,
}

impl ContextCategory {
    /// All categories, in the order in which they are shown and added to prompts.
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

    /// Its purpose, shown if there is no such item.
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

/// Whether a category has an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextStatus {
    /// It is part of every prompt.
    Active,
    /// There is no such item.
    Empty,
    /// Its files are damaged: prompts omit it.
    Damaged,
}

/// The form of the raw input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextMode {
    /// As text.
    Text,
    /// As a file, with an optional note.
    File,
}

/// A summary of a context item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSummary {
    /// Its category.
    pub category: ContextCategory,
    /// Whether there is such an item.
    pub status: ContextStatus,
    /// Its own description, on one line.
    pub summary: String,
    /// Whether it was edited by hand after it was processed.
    pub has_direct_edits: bool,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When a model last processed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_processed_at: Option<Timestamp>,
    /// When it was last edited by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_direct_edit_at: Option<Timestamp>,
    /// The model that processed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The tokens of its files in a prompt.
    pub tokens: u64,
    /// Identifies this version of the item: pass it as `base_revision` when you change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
    /// Notes for the reader: the validator's findings about an edit, or why the item is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file of an item, with its path inside the item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextFile {
    /// For example `SKILL.md`, `references/summary.md`, `references/style-rules.md` or `context.md`.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// The source of an item. It is stored for reference and is not part of any prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSource {
    /// Its form.
    pub mode: ContextMode,
    /// The text, if it was a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file's name, if it was a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_filename: Option<String>,
    /// What to look for in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A complete context item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
    /// Its summary.
    #[serde(flatten)]
    pub summary: ContextSummary,
    /// Its files, as they are in prompts.
    pub files: Vec<ContextFile>,
    /// Its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ContextSource>,
}

/// List the four context items with their status and summary
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The items, in the order of the categories, including empty ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextListOutput {
    /// One for each category.
    pub items: Vec<ContextSummary>,
}
operation!(ContextList, Read, Surfaces::PEOPLE, ContextListParams => ContextListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a context item with its files and its source
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
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

/// Show the files of a context item for editing
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextGetArtifactParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
}
/// The files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextGetArtifactOutput {
    /// The files, by path.
    pub files: Vec<ContextFile>,
    /// Whether they were edited by hand.
    pub has_direct_edits: bool,
    /// Identifies this version of the item: pass it as `base_revision` when you change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<RevisionTag>,
}
operation!(ContextGetArtifact, Read, Surfaces::PEOPLE, ContextGetArtifactParams => ContextGetArtifactOutput,
    r#"{"workbench_id":"board-deck","category":"company-context"}"#);

/// The raw input of an item
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextInput {
    /// Its form [default: detected]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ContextMode>,
    /// The text
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

/// Create a context item from a text or a file, with one model call
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextProcessParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
    /// The raw input
    #[command(flatten)]
    pub input: ContextInput,
    /// The model, such as `openai:gpt-5.2` or `offline:extract` [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextProcess, Write, Surfaces::HOST, ContextProcessParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"situation","input":{"mode":"text","text":"Board meeting on Friday."},"model":"offline:extract"}"#);

/// Process a context item again from its source
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextReprocessParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
    /// Discard edits made by hand
    #[arg(long)]
    #[serde(default)]
    pub overwrite_direct_edits: bool,
    /// The model [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextReprocess, Write, Surfaces::PEOPLE, ContextReprocessParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"situation","overwrite_direct_edits":true,"model":"offline:extract"}"#);

/// Replace the files of a context item
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextUpdateDirectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
    /// All its files, as JSON: `{"path": "SKILL.md", "content": "…"}`. A file that is not named is removed
    #[arg(long = "file", value_name = "JSON", value_parser = crate::ops::json_arg::<ContextFile>, required = true)]
    pub files: Vec<ContextFile>,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
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
    /// The item's category
    pub category: ContextCategory,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
/// The deleted item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextDeleteOutput {
    /// The item's category.
    pub deleted: ContextCategory,
}
operation!(ContextDelete, Write, Surfaces::PEOPLE, ContextDeleteParams => ContextDeleteOutput,
    r#"{"workbench_id":"board-deck","category":"situation"}"#);

/// Export a context item as a skill folder for clients of Agent Skills
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextExportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
    /// The folder to create the skill's folder in
    #[arg(long, value_name = "FOLDER")]
    pub out: String,
}
/// What was exported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextExportOutput {
    /// The skill's folder.
    pub folder: String,
    /// Its files.
    pub files: Vec<String>,
}
operation!(ContextExport, Read, Surfaces::HOST, ContextExportParams => ContextExportOutput,
    r#"{"workbench_id":"board-deck","category":"company-context","out":"skills"}"#);

/// Import a skill folder as a context item
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ContextImportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The item's category
    pub category: ContextCategory,
    /// The skill's folder, with its SKILL.md
    #[arg(value_name = "FOLDER")]
    pub folder: String,
    /// The `etag` you read; fails with `CONFLICT` if there is a newer version. 0: only create
    #[arg(long, value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(ContextImport, Write, Surfaces::HOST, ContextImportParams => ContextItemOutput,
    r#"{"workbench_id":"board-deck","category":"company-context","folder":"skills/company-context"}"#);
