//! Operations on files.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;
use crate::path::WorkbenchPath;

/// Which copy of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Root {
    /// The approved files.
    Published,
    /// The copy that agents write to.
    Draft,
}

impl Root {
    /// The folder's name in a state and on disk.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Draft => "draft",
        }
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileInfo {
    /// Its path.
    pub path: WorkbenchPath,
    /// What it is, by its content: `xlsx`, `csv`, `text`, …
    pub kind: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The hash of its content.
    pub hash: BlobHash,
    /// Said when name and content disagree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<String>,
}

/// Something in the folder that Jig leaves as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftAlone {
    /// Where it is, below the workbench's folder.
    pub path: String,
    /// Why it is not taken in.
    pub reason: String,
}

/// Add files, or whole folders, to the published files
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileAddParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Files or folders on this machine
    #[arg(required = true, value_name = "FILE")]
    pub paths: Vec<String>,
    /// The folder in the workbench to put them in
    #[arg(long, value_name = "FOLDER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Given<WorkbenchPath>>,
    /// Replace files that have the same path
    #[arg(long)]
    #[serde(default)]
    pub replace: bool,
}
/// What was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileAddOutput {
    /// The files that are new.
    pub added: Vec<FileInfo>,
    /// The files that took the place of another.
    pub replaced: Vec<FileInfo>,
    /// The files that were there already with the same content.
    pub unchanged: Vec<FileInfo>,
    /// What was found in a folder and not added, with the reason.
    pub left_alone: Vec<LeftAlone>,
}
operation!(FileAdd, Write, Surfaces::HOST, FileAddParams => FileAddOutput,
    r#"{"workbench_id":"board-deck","paths":["budget.xlsx"]}"#);

/// List files with kind, size and hash
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which copy; the Draft when there is one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// Only files in this folder and below
    #[arg(value_name = "FOLDER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Given<WorkbenchPath>>,
    /// At most this many files (default 1,000)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Files, by path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileListOutput {
    /// Which copy this is.
    pub root: Root,
    /// The files.
    pub files: Vec<FileInfo>,
    /// How many there are in all.
    pub total: u64,
    /// How many bytes all of them have.
    pub total_bytes: u64,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What lies in the folder and is not taken in, with the reason.
    pub left_alone: Vec<LeftAlone>,
}
operation!(FileList, Read, Surfaces::all("list_files"), FileListParams => FileListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show one file's kind, size and hash
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileGetInfoParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy; the Draft when there is one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
}
operation!(FileGetInfo, Read, Surfaces::all("get_file_info"), FileGetInfoParams => FileInfo,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);

/// Read lines of a text file
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileReadParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy; the Draft when there is one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// The first line, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_start: Option<u64>,
    /// At most this many lines (default 200)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
}
/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileReadOutput {
    /// The lines with their ends, as they are in the file.
    pub text: String,
    /// The encoding that the file is in.
    pub encoding: String,
    /// The first line given, from 1.
    pub line_start: u64,
    /// How many lines are given.
    pub line_count: u64,
    /// How many lines the file has.
    pub total_lines: u64,
    /// Whether there are more lines behind these.
    pub has_more: bool,
    /// The hash of the whole file, as `base_hash` for an edit.
    pub hash: BlobHash,
    /// What could not be read truly, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
operation!(FileRead, Read, Surfaces::all("read_file"), FileReadParams => FileReadOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt","line_start":1,"line_count":50}"#);

/// Remove files from the published files
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileRemoveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The files
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<Given<WorkbenchPath>>,
}
/// What was removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRemoveOutput {
    /// The files that are gone; the journal keeps them.
    pub removed: Vec<WorkbenchPath>,
}
operation!(FileRemove, Destructive, Surfaces::PEOPLE, FileRemoveParams => FileRemoveOutput,
    r#"{"workbench_id":"board-deck","paths":["notes.txt"]}"#);

/// Copy published files out of the workbench into a folder
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileExtractParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The files; all when none is named
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<Given<WorkbenchPath>>,
    /// The folder on this machine to copy to
    #[arg(long, value_name = "FOLDER")]
    pub to: String,
    /// Replace files that exist there
    #[arg(long)]
    #[serde(default)]
    pub overwrite: bool,
}
/// What was copied out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileExtractOutput {
    /// The files written, in order.
    pub written: Vec<ExtractedFile>,
}
/// One file copied out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractedFile {
    /// Its path in the workbench.
    pub path: WorkbenchPath,
    /// Where it is now.
    pub to: String,
    /// Its size in bytes.
    pub bytes: u64,
}
operation!(FileExtract, Read, Surfaces::HOST, FileExtractParams => FileExtractOutput,
    r#"{"workbench_id":"board-deck","to":"out"}"#);
