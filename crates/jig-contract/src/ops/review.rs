//! Operations for reviewing a Draft.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::given::Given;
use crate::hash::{BlobHash, HashPrefix};
use crate::id::{SessionId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::path::WorkbenchPath;

/// How a file in the Draft differs from the Draft's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ChangeType {
    /// New in the Draft.
    Added,
    /// Changed in the Draft.
    Modified,
    /// Deleted in the Draft.
    Deleted,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub path: WorkbenchPath,
    /// How it differs.
    pub change: ChangeType,
    /// Its type, detected from its content.
    pub kind: String,
    /// Its size at the Draft's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<u64>,
    /// Its size in the Draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_after: Option<u64>,
    /// A one-line summary of the change.
    pub summary: String,
    /// The positions to view first: `Budget!B3`, `section 2 “Risks”`, `slide 4`, `line 12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// How many changes can be decided on individually.
    #[serde(default)]
    pub changes: u64,
    /// Whether a person has accepted it.
    #[serde(default)]
    pub review: ReviewState,
    /// How many of its changes are accepted.
    #[serde(default)]
    pub accepted: u64,
    /// Comments on it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<ReviewNote>,
    /// The steps of agents that changed it, oldest first; included with the complete change set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ChangeStep>,
}

/// A step of an agent's session that changed a file. `SessionShow` shows what the model saw and answered there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeStep {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run: u32,
    /// The step.
    pub step: u32,
    /// The change in the journal.
    pub journal_seq: u64,
}

/// A run's own summary of its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftNote {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run: u32,
    /// Its summary.
    pub text: String,
}

/// Whether a changed file has been accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReviewState {
    /// No changes are accepted.
    #[default]
    Open,
    /// Some of its changes are accepted.
    Partly,
    /// All changes are accepted.
    Accepted,
}

/// A person's comment on a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewNote {
    /// The change; without one it is a comment on the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The comment.
    pub text: String,
    /// Its author.
    pub author: String,
    /// When.
    pub at: Timestamp,
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
    /// Its display form: “Reference (Draft start)”.
    pub reference_label: String,
    /// Set if the state at the Draft's start could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
    /// The changed files, by path.
    pub changes: Vec<FileChange>,
    /// Published files that were changed outside Jig after the Draft was started.
    pub published_changed: Vec<WorkbenchPath>,
    /// Identifies this state of the Draft: pass it as `reviewed` when you publish.
    #[serde(default)]
    pub tag: String,
    /// The summary of the last run that worked on the Draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<DraftNote>,
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
    /// The label to display.
    pub const fn label(self) -> &'static str {
        match self {
            Self::DraftStart => "Reference (Draft start)",
            Self::Published => "Published (current preview)",
        }
    }
}
operation!(ReviewGetChangeSet, Read, Surfaces::action("diff", "files"), ReviewGetChangeSetParams => ReviewGetChangeSetOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Show the changes of one file between the Draft's start and the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewGetDiffParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// The page of a long diff, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}
/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewGetDiffOutput {
    /// The file, with a one-line summary of the change.
    pub file: FileChange,
    /// The reference's hash: change ids are valid only for these two hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<BlobHash>,
    /// The hash in the Draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<BlobHash>,
    /// What the Draft is compared with.
    pub reference_source: ReferenceSource,
    /// Its display form.
    pub reference_label: String,
    /// Set if the state at the Draft's start could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
    /// The difference, in the form that suits the format.
    pub diff: DiffView,
    /// The returned page, from 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
}
/// A difference, in the form that suits the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DiffView {
    /// Lines of text.
    Text {
        /// How many lines were added in the entire file.
        added: u64,
        /// How many lines were removed in the entire file.
        removed: u64,
        /// The changed hunks, on this page.
        hunks: Vec<DiffHunk>,
        /// Changes that lines do not show: encoding, line endings.
        notes: Vec<String>,
    },
    /// A workbook, by sheet.
    Xlsx(DiffParts),
    /// A document, by section.
    Docx(DiffParts),
    /// A presentation, by slide.
    Pptx(DiffParts),
    /// Delimited text, by row.
    Csv(DiffParts),
    /// An OpenDocument text, by section.
    Odt(DiffParts),
    /// A PDF file, by page.
    Pdf(DiffParts),
    /// A format whose content is not compared.
    Opaque {
        /// What is known about the change.
        notes: Vec<String>,
        /// Image properties that differ: `pixels`, `format`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        details: Vec<DiffDetail>,
    },
}
impl DiffView {
    /// The changes by sheet, section, slide or page; none for text hunks and for formats that are not compared.
    pub const fn parts(&self) -> Option<&DiffParts> {
        match self {
            Self::Xlsx(parts) | Self::Docx(parts) | Self::Pptx(parts) => Some(parts),
            Self::Csv(parts) | Self::Odt(parts) | Self::Pdf(parts) => Some(parts),
            Self::Text { .. } | Self::Opaque { .. } => None,
        }
    }

    /// The same, mutable.
    pub const fn parts_mut(&mut self) -> Option<&mut DiffParts> {
        match self {
            Self::Xlsx(parts) | Self::Docx(parts) | Self::Pptx(parts) => Some(parts),
            Self::Csv(parts) | Self::Odt(parts) | Self::Pdf(parts) => Some(parts),
            Self::Text { .. } | Self::Opaque { .. } => None,
        }
    }
}
/// The changes of a file that consists of parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffParts {
    /// The changes on this page, by sheet, section or slide.
    pub groups: Vec<DiffGroup>,
    /// Differences that the changes do not show.
    pub notes: Vec<String>,
}
/// Changes of one sheet, section or slide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffGroup {
    /// The name of the sheet, section or slide.
    pub title: String,
    /// The changes, in the order of the file.
    pub changes: Vec<DiffChange>,
}
/// One change, with an id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffChange {
    /// Its id in this diff: `Budget!B3`, `section 2, paragraph 14`, `slide 3`.
    pub id: String,
    /// What happened.
    pub kind: DiffKind,
    /// The element that changed: `cell`, `row`, `paragraph`, `slide`.
    pub what: String,
    /// The content before, as a person reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The content after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The text, with the removed and added words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<DiffWord>,
    /// Other differences: formula, format, position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<DiffDetail>,
    /// Why it can only be rejected together with the entire file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// Whether a person has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Identifies the content: the same id with the same mark is the same change.
    pub mark: String,
}
/// What happened to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DiffKind {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// Its content changed.
    Changed,
    /// It was moved.
    Moved,
    /// Its format changed.
    Formatted,
    /// It was renamed.
    Renamed,
    /// An unchanged formula has a new result.
    Recalculated,
}
/// Words that were kept, removed or added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffWord {
    /// What happened to them.
    pub tag: WordTag,
    /// The words, including white space.
    pub text: String,
}
/// What happened to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WordTag {
    /// They are unchanged.
    Same,
    /// They were added.
    Added,
    /// They were removed.
    Removed,
}
/// A property before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffDetail {
    /// Which property.
    pub name: String,
    /// Before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// After.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A changed hunk of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffHunk {
    /// Its id in this diff: `hunk 2`.
    pub id: String,
    /// Identifies the content: the same id with the same mark is the same change.
    pub mark: String,
    /// Whether a person has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// The first line before, from 1; 0 if there are no lines.
    pub old_start: u64,
    /// How many lines before.
    pub old_count: u64,
    /// The first line after, from 1; 0 if there are no lines.
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
    /// The line, without its line end.
    pub text: String,
    /// The line, with the removed and added words, if it was changed and not replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<DiffWord>,
    /// Set if this last line has no line end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}
/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DiffTag {
    /// Unchanged.
    Context,
    /// Added.
    Added,
    /// Removed.
    Removed,
}
operation!(ReviewGetDiff, Read, Surfaces::action("diff", "file"), ReviewGetDiffParams => ReviewGetDiffOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);

/// Reject changes of a file in the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewRejectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Ids of changes in the diff, or what contains them: `Budget!B2:C9`, `section 2`, `slide 3` [default: all]
    #[arg(value_name = "CHANGE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<String>>,
    /// Reject only if the file in the Draft still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without changing anything
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What was rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRejectOutput {
    /// The file.
    pub path: WorkbenchPath,
    /// The rejected changes; empty for the entire file.
    pub rejected: Vec<String>,
    /// Whether the file is identical to its state at the Draft's start.
    pub restored: bool,
    /// A summary.
    pub summary: String,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The file's hash in the Draft; none if the file no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<BlobHash>,
    /// Whether this was a dry run, which changes nothing.
    pub dry_run: bool,
}
operation!(ReviewReject, Draft, Surfaces::PEOPLE, ReviewRejectParams => ReviewRejectOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx","changes":["Budget!B3"]}"#);

/// Mark changes of a file as accepted
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewAcceptParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Ids of changes in the diff, or what contains them: `Budget!B2:C9`, `section 2`, `slide 3` [default: all]
    #[arg(value_name = "CHANGE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<String>>,
    /// Accept only if the file in the Draft still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
}
/// What is accepted now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewAcceptOutput {
    /// The file, as in the change set.
    pub file: FileChange,
}
operation!(ReviewAccept, Write, Surfaces::PEOPLE, ReviewAcceptParams => ReviewAcceptOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#);

/// Comment on a changed file or on one of its changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewCommentParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// The comment
    #[arg(long)]
    pub text: String,
    /// The id of a change in the diff
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}
/// The new comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentOutput {
    /// The stored comment.
    pub comment: ReviewNote,
}
operation!(ReviewComment, Write, Surfaces::PEOPLE, ReviewCommentParams => ReviewCommentOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx","change":"Budget!B3","text":"Where is this from?"}"#);
