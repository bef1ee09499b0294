//! Operations for reviewing a Draft.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::{SessionId, WorkbenchId};
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
    /// Where to look first: `Budget!B3`, `section 2 “Risks”`, `slide 4`, `line 12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// How many changes can be spoken of one by one.
    #[serde(default)]
    pub changes: u64,
    /// How far a person has accepted it.
    #[serde(default)]
    pub review: ReviewState,
    /// How many of its changes are accepted.
    #[serde(default)]
    pub accepted: u64,
    /// What people said about it, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<ReviewNote>,
    /// The steps of agents that changed it, the oldest first; given with the whole change set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ChangeStep>,
}

/// A step of an agent's session that changed a file. `SessionShow` shows what the agent saw and said there.
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

/// What the agent's run says of what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftNote {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run: u32,
    /// Its own words.
    pub text: String,
}

/// How far a changed file is accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReviewState {
    /// Nobody has accepted anything yet.
    #[default]
    Open,
    /// Some of its changes are accepted.
    Partly,
    /// All of it is accepted.
    Accepted,
}

/// What a person said about a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewNote {
    /// The change it is about; without one it is about the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What was said.
    pub text: String,
    /// Who said it.
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
    /// The same for people: “Reference (Draft start)”.
    pub reference_label: String,
    /// Said when the Draft's start could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
    /// The changed files, by path.
    pub changes: Vec<FileChange>,
    /// Published files that were changed outside since the Draft began.
    pub published_changed: Vec<WorkbenchPath>,
    /// Identifies the Draft as it is here: pass it as `reviewed` when you publish.
    #[serde(default)]
    pub tag: String,
    /// What the last run of an agent that worked on the Draft says of it.
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
    /// The words for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::DraftStart => "Reference (Draft start)",
            Self::Published => "Published (current preview)",
        }
    }
}
operation!(ReviewGetChangeSet, Read, Surfaces::unlisted("review_changes"), ReviewGetChangeSetParams => ReviewGetChangeSetOutput,
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
    /// The reference's hash: ids of changes belong to these two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<BlobHash>,
    /// The hash in the Draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<BlobHash>,
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
    /// A format whose inside is not compared.
    Opaque {
        /// What is known, in words.
        notes: Vec<String>,
        /// What a picture says of itself differently: `pixels`, `format`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        details: Vec<DiffDetail>,
    },
}
impl DiffView {
    /// The changes by sheet, section, slide or page; none for lines of text and for what is not compared inside.
    pub const fn parts(&self) -> Option<&DiffParts> {
        match self {
            Self::Xlsx(parts) | Self::Docx(parts) | Self::Pptx(parts) => Some(parts),
            Self::Csv(parts) | Self::Odt(parts) | Self::Pdf(parts) => Some(parts),
            Self::Text { .. } | Self::Opaque { .. } => None,
        }
    }

    /// The same, to be changed.
    pub const fn parts_mut(&mut self) -> Option<&mut DiffParts> {
        match self {
            Self::Xlsx(parts) | Self::Docx(parts) | Self::Pptx(parts) => Some(parts),
            Self::Csv(parts) | Self::Odt(parts) | Self::Pdf(parts) => Some(parts),
            Self::Text { .. } | Self::Opaque { .. } => None,
        }
    }
}
/// The changes of a file that is made of parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffParts {
    /// The changes on this page, by sheet, section or slide.
    pub groups: Vec<DiffGroup>,
    /// What the changes do not show.
    pub notes: Vec<String>,
}
/// Changes of one sheet, section or slide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffGroup {
    /// What they belong to.
    pub title: String,
    /// In the order of the file.
    pub changes: Vec<DiffChange>,
}
/// One change, with an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffChange {
    /// Its address in this diff: `Budget!B3`, `section 2, paragraph 14`, `slide 3`.
    pub id: String,
    /// What happened.
    pub kind: DiffKind,
    /// To what: `cell`, `row`, `paragraph`, `slide`.
    pub what: String,
    /// The content before, as a person reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The content after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The text with the words that went and came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<DiffWord>,
    /// Formula, format, place: what else differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<DiffDetail>,
    /// Why it can be rejected with the whole file only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// Whether a person has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// The same id with the same mark is the same change.
    pub mark: String,
}
/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DiffKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its content is another.
    Changed,
    /// It stands elsewhere.
    Moved,
    /// It looks another.
    Formatted,
    /// It has another name.
    Renamed,
    /// A formula that is the same gives another value.
    Recalculated,
}
/// Words that stayed, came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffWord {
    /// What happened to them.
    pub tag: WordTag,
    /// The words with their white space.
    pub text: String,
}
/// What happened to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WordTag {
    /// They stand on both sides.
    Same,
    /// They are new.
    Added,
    /// They are gone.
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

/// One changed place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffHunk {
    /// Its address in this diff: `hunk 2`.
    pub id: String,
    /// The same id with the same mark is the same change.
    pub mark: String,
    /// Whether a person has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
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
    /// The line with the words that went or came, where it was changed and not replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<DiffWord>,
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
operation!(ReviewGetDiff, Read, Surfaces::unlisted("review_diff"), ReviewGetDiffParams => ReviewGetDiffOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);

/// Take changes of a file back in the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewRejectParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// The changes by their ids in the diff, or what they lie in: `Budget!B2:C9`, `section 2`, `slide 3`; left out,
    /// the whole file
    #[arg(value_name = "CHANGE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<String>>,
    /// Reject only if the file in the Draft still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<BlobHash>>,
    /// Say what would happen and change nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRejectOutput {
    /// The file.
    pub path: WorkbenchPath,
    /// The changes that were taken back; empty for the whole file.
    pub rejected: Vec<String>,
    /// Whether the file is again as it was at the Draft's start, byte for byte.
    pub restored: bool,
    /// What happened, in words.
    pub summary: String,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// The file's hash in the Draft now; none when it is not there any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<BlobHash>,
    /// Set when nothing was changed because that was asked for.
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
    /// The changes by their ids in the diff, or what they lie in: `Budget!B2:C9`, `section 2`, `slide 3`; left out,
    /// the whole file
    #[arg(value_name = "CHANGE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<String>>,
    /// Accept only if the file in the Draft still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<BlobHash>>,
}
/// What is accepted now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewAcceptOutput {
    /// The file as the change set shows it.
    pub file: FileChange,
}
operation!(ReviewAccept, Write, Surfaces::PEOPLE, ReviewAcceptParams => ReviewAcceptOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#);

/// Say something about a changed file or one of its changes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewCommentParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// What to say
    #[arg(long)]
    pub text: String,
    /// The change it is about, by its id in the diff
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}
/// What was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentOutput {
    /// The comment as it is kept.
    pub comment: ReviewNote,
}
operation!(ReviewComment, Write, Surfaces::PEOPLE, ReviewCommentParams => ReviewCommentOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx","change":"Budget!B3","text":"Where is this from?"}"#);
