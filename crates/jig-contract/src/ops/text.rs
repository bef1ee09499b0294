//! Reading and editing text files.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::office::{office_read, text_schema};
use crate::given::Given;
use crate::hash::HashPrefix;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{ApplyOpsOutput, JsonList, OfficeAnswer, Root, operation};
use crate::path::WorkbenchPath;

office_read! {
    /// Map a text file: lines, chunks, encoding, and the structure of JSON, tables and Markdown
    TextGetMap, TextGetMapParams, r#"{"workbench_id":"board-deck","path":"notes.md"}"#, {}
}
office_read! {
    /// Read lines of a text file
    TextReadLines, TextReadLinesParams,
    r#"{"workbench_id":"board-deck","path":"notes.md","line_start":1,"line_count":50}"#, {
        /// The first line, from 1
        line_start: u64,
        /// Number of lines (200)
        line_count: u64,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}

/// Edit parts of a text file in the Draft
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TextApplyOpsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// The ops, applied in order, all or none
    #[arg(value_name = "JSON")]
    #[serde(alias = "operations")]
    #[schemars(schema_with = "text_schema")]
    pub ops: JsonList,
    /// Start with a new, empty file
    #[arg(long)]
    #[serde(default)]
    pub create_new: bool,
    /// Fail if the file does not exist, instead of creating it
    #[arg(long)]
    #[serde(default)]
    pub must_exist: bool,
    /// Edit only if the file still has this hash
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<Given<HashPrefix>>,
    /// Show what would change without writing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(TextApplyOps, Draft, Surfaces::all("text_operations"), TextApplyOpsParams => ApplyOpsOutput,
    r#"{"workbench_id":"board-deck","path":"notes.md","ops":[{"op":"replace_text","search":"2025","replace":"2026"}]}"#);
