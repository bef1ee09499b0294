//! Operations on files.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::given::Given;
use crate::hash::{BlobHash, HashPrefix};
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{CellMode, LikelySecret, NameOrNumber, PageList, RevisionView, operation};
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
    /// Its folder's name in a state and on disk.
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
    /// Its type, detected from its content: `xlsx`, `csv`, `text`, …
    pub kind: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The hash of its content.
    pub hash: BlobHash,
    /// A warning if name and content disagree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<String>,
}

/// A file or folder that Jig skips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftAlone {
    /// Its path inside the workbench's folder.
    pub path: String,
    /// Why it is skipped.
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
    /// For a single file: replace it only if it still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Exclude files and folders that match this pattern, as in a `.gitignore`; repeatable
    #[arg(long, value_name = "GLOB")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Also add ignored files, and dependency and build folders
    #[arg(long)]
    #[serde(default)]
    pub no_ignore: bool,
}
/// The result of adding files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileAddOutput {
    /// The new files.
    pub added: Vec<FileInfo>,
    /// The files that replaced another.
    pub replaced: Vec<FileInfo>,
    /// The files that already existed with the same content.
    pub unchanged: Vec<FileInfo>,
    /// Contents of a folder that were not added, with the reason; the first 1,000. A skipped folder is listed as one.
    pub left_alone: Vec<LeftAlone>,
    /// How many files and folders were not added, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedCount>,
    /// Likely keys and passwords in the files that were added. They are not sent to a model unless a person allows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<LikelySecret>,
    /// How many of the files were not searched for keys, by reason: images, archives, databases, files that are too
    /// large or unreadable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsearched: Vec<SkippedCount>,
}

/// How many files and folders were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedCount {
    /// The reason.
    pub reason: String,
    /// How many.
    pub count: u64,
}
operation!(FileAdd, Write, Surfaces::HOST, FileAddParams => FileAddOutput,
    r#"{"workbench_id":"board-deck","paths":["budget.xlsx"]}"#);

/// List files with type, size and hash
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// Only files in this folder and below
    #[arg(value_name = "FOLDER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Given<WorkbenchPath>>,
    /// Maximum number of files (default 1,000)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
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
    /// The total number.
    pub total: u64,
    /// The total size of all files in bytes.
    pub total_bytes: u64,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Contents of the folder that are skipped, with the reason.
    pub left_alone: Vec<LeftAlone>,
}
operation!(FileList, Read, Surfaces::all("list_files"), FileListParams => FileListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Show a file's type, size and hash, and its sheets or slides
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileGetInfoParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
}
/// A file, with a summary of its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileGetInfoOutput {
    /// The file.
    #[serde(flatten)]
    pub file: FileInfo,
    /// A workbook's sheets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheets: Option<Vec<Map<String, Value>>>,
    /// How many slides a presentation has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_count: Option<u64>,
    /// How many pages a PDF file has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_count: Option<u64>,
    /// How many sections a document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_count: Option<u64>,
    /// How many lines a text has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
    /// The width of an image, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// The height of an image, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// Why the content cannot be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
operation!(FileGetInfo, Read, Surfaces::PEOPLE, FileGetInfoParams => FileGetInfoOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt"}"#);

/// Map a file: its regions (sheets, sections, slides, pages, lines) and their sizes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileGetMapParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
}
/// A file's map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileGetMapOutput {
    /// The file.
    #[serde(flatten)]
    pub file: FileInfo,
    /// Its regions; the fields depend on the file type.
    pub map: Map<String, Value>,
}
operation!(FileGetMap, Read, Surfaces::all("get_file_map"), FileGetMapParams => FileGetMapOutput,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#);

/// Read a file as text, or a region: xlsx sheet and range, docx section, pptx slide, pdf pages, text lines; map large files first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileReadParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// xlsx: the sheet
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// xlsx: the cells, as `A1:E50`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// xlsx: what to show of formula cells
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<CellMode>,
    /// docx, odt: heading or number of the section
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<NameOrNumber>,
    /// docx: how to read tracked changes
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<RevisionView>,
    /// docx: paragraphs, from 1, as `4-9`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<String>,
    /// pptx: the slide, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<u64>,
    /// pptx: the slide, from 0; `slide` counts from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_index: Option<u64>,
    /// pdf: the pages, as `1-5,9`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<PageList>,
    /// Text: the first line, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_start: Option<u64>,
    /// Text: number of lines
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
    /// Maximum tokens (default 4,000)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// A part of a file as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileReadOutput {
    /// The text; for text files the unchanged lines with their line ends.
    pub text: String,
    /// How many tokens that is.
    pub tokens: u64,
    /// Set if there is more: pass it as `cursor` to continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Where this part is in the file: `has_more`, and where they are known `range`, `chunk_index` and `total_chunks`.
    /// None if the entire file was returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_info: Option<Map<String, Value>>,
    /// The hash of the complete file, as `base_hash` for an edit.
    pub hash: BlobHash,
    /// Text files: the returned lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LinesRead>,
    /// Workbooks: the column headers, if the returned cells are below them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<String>>,
    /// What could not be read exactly, or was omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
/// Which lines of a text were returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinesRead {
    /// The first returned line, from 1.
    pub first: u64,
    /// The number of returned lines; the last one may be incomplete.
    pub count: u64,
    /// How many lines the file has.
    pub total: u64,
    /// The file's encoding.
    pub encoding: String,
}
operation!(FileRead, Read, Surfaces::all("read_file"), FileReadParams => FileReadOutput,
    r#"{"workbench_id":"board-deck","path":"notes.txt","line_start":1,"line_count":50}"#);

/// Search for a text in all files, or in one
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileSearchParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The text to find
    pub query: String,
    /// Only in this file, or in files of this folder
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Given<WorkbenchPath>>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// Match case
    #[arg(long)]
    #[serde(default)]
    pub match_case: bool,
    /// Maximum number of hits (default 50)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_results: Option<u32>,
}
/// Where the text was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSearchOutput {
    /// The hits, by file.
    pub hits: Vec<SearchHit>,
    /// Whether there are more hits than requested.
    pub more: bool,
    /// Files that could not be searched, with the reason.
    pub skipped: Vec<LeftAlone>,
}
/// One hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchHit {
    /// The file.
    pub path: WorkbenchPath,
    /// Its position, in the parameters of a read or an edit: `sheet` and `cell`, `section` and `paragraph`,
    /// `slide_index`, `pages`, `line`.
    pub at: Map<String, Value>,
    /// The text around it.
    pub snippet: String,
}
operation!(FileSearch, Read, Surfaces::all("search_files"), FileSearchParams => FileSearchOutput,
    r#"{"workbench_id":"board-deck","query":"revenue"}"#);

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
    /// For a single file: remove it only if it still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
}
/// The removed files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRemoveOutput {
    /// The removed files; the journal still has them.
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
    /// The files; all if none is named
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<Given<WorkbenchPath>>,
    /// The folder on this machine to copy to
    #[arg(long, value_name = "FOLDER")]
    pub to: String,
    /// Replace existing files
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
    /// Its path on this machine.
    pub to: String,
    /// Its size in bytes.
    pub bytes: u64,
}
operation!(FileExtract, Read, Surfaces::HOST, FileExtractParams => FileExtractOutput,
    r#"{"workbench_id":"board-deck","to":"out"}"#);
