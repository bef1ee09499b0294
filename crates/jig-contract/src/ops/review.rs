//! Operations for reviewing a Draft.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::path::WorkbenchPath;

/// How a file differs between the Draft's start and the Draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ChangeType {
    /// New in the Draft.
    Added,
    /// Changed in the Draft.
    Modified,
    /// Gone in the Draft.
    Deleted,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub path: WorkbenchPath,
    /// How it differs.
    pub change: ChangeType,
    /// What it is, by its content.
    pub kind: String,
    /// Its size at the Draft's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<u64>,
    /// Its size in the Draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_after: Option<u64>,
    /// The change in one line.
    pub summary: String,
    /// Where to look first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
}

/// List what the Draft changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewGetChangeSetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// What the Draft changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewGetChangeSetOutput {
    /// What the Draft is compared with: `draft_start`, or `published` when that cannot be read.
    pub reference_source: ReferenceSource,
    /// The same for people: “Reference (Draft start)”.
    pub reference_label: String,
    /// Said when the Draft's start could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
    /// The changed files, by path.
    pub changes: Vec<FileChange>,
    /// Published files that were changed outside since the Draft began.
    pub published_changed: Vec<WorkbenchPath>,
}
/// What a Draft is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReferenceSource {
    /// The state at the Draft's start.
    DraftStart,
    /// The published files as they are now.
    Published,
}

impl ReferenceSource {
    /// The words for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::DraftStart => "Reference (Draft start)",
            Self::Published => "Published (current preview)",
        }
    }
}
operation!(ReviewGetChangeSet, Read, Surfaces::all("review_changes"), ReviewGetChangeSetParams => ReviewGetChangeSetOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Show how one file differs between the Draft's start and the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewGetDiffParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which page of a long diff, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}
/// How one file differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewGetDiffOutput {
    /// The file and its change in one line.
    pub file: FileChange,
    /// What the Draft is compared with.
    pub reference_source: ReferenceSource,
    /// The same for people.
    pub reference_label: String,
    /// Said when the Draft's start could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
    /// The difference, in the shape that suits the format.
    pub diff: DiffView,
    /// The page given, from 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
}
/// A difference, in the shape that suits the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DiffView {
    /// Lines of text.
    Text {
        /// How many lines are new in the whole file.
        added: u64,
        /// How many lines are gone in the whole file.
        removed: u64,
        /// The places that changed, on this page.
        hunks: Vec<DiffHunk>,
        /// Changes that lines do not show: encoding, line endings.
        notes: Vec<String>,
    },
    /// A format whose inside is not compared.
    Opaque {
        /// What is known, in words.
        notes: Vec<String>,
    },
}
/// One changed place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffHunk {
    /// The first line before, from 1; 0 when there is none.
    pub old_start: u64,
    /// How many lines before.
    pub old_count: u64,
    /// The first line after, from 1; 0 when there is none.
    pub new_start: u64,
    /// How many lines after.
    pub new_count: u64,
    /// The lines.
    pub lines: Vec<DiffLine>,
}
/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffLine {
    /// What happened to it.
    pub tag: DiffTag,
    /// The line, without its end.
    pub text: String,
    /// Set on a last line that has no line end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}
/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DiffTag {
    /// Stands on both sides.
    Context,
    /// New.
    Added,
    /// Gone.
    Removed,
}
operation!(ReviewGetDiff, Read, Surfaces::all("review_diff"), ReviewGetDiffParams => ReviewGetDiffOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);
