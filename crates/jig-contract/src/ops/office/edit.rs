//! Editing Office files in the Draft.

use clap::Args;
use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::schema::{TypedOps, list_schema};
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::JsonList;
use crate::given::Given;
use crate::hash::{BlobHash, HashPrefix};
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{FileInfo, Root, operation};
use crate::path::WorkbenchPath;

/// The receipt of an edit: what it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// The file's hash before; none for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<BlobHash>,
    /// The file's hash after.
    pub hash_after: BlobHash,
    /// Whether the file was created by this edit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created_file: bool,
    /// Sheets that ops referred to and that were created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created_sheets: Vec<String>,
    /// The first cells whose value changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellChange>,
    /// How many cells changed their value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells_count: u64,
    /// The first formulas whose result changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalculated: Vec<CellChange>,
    /// How many formulas changed their result.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recalculated_count: u64,
    /// Every package part that differs, with its size and checksum before and after. All other parts are identical.
    pub parts: Vec<Map<String, Value>>,
}

/// A cell before and after an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellChange {
    /// The cell, such as `Budget!C9`.
    pub cell: String,
    /// Its value before, or its formula with the `=`; null for an empty cell. Long texts are truncated.
    pub old: Value,
    /// Its value after, in the same form.
    pub new: Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Receipt {
    /// The cells with their old and new values, one per line, for people and for agents that read text.
    pub fn cell_lines(&self) -> Vec<String> {
        let list = |cells: &[CellChange], count: u64, verb: &str| {
            let line = |change: &CellChange| format!("{verb} {}: {} → {}", change.cell, change.old, change.new);
            let more = count.saturating_sub(cells.len() as u64);
            let more = (more > 0).then(|| format!("{verb} {more} more cells"));
            cells.iter().map(line).chain(more).collect::<Vec<_>>()
        };
        let mut lines = list(&self.cells, self.cells_count, "changed");
        lines.extend(list(&self.recalculated, self.recalculated_count, "recalculated"));
        lines
    }
}

/// The result of a list of ops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApplyOpsOutput {
    /// Always true; failures are errors.
    pub ok: bool,
    /// What each op changed, with a `summary`, counts and addresses.
    pub changes: Vec<Map<String, Value>>,
    /// What was skipped and why, and other warnings for the user.
    pub warnings: Vec<String>,
    /// The edit's receipt.
    pub receipt: Receipt,
    /// The file in the Draft after the edit; none for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileInfo>,
    /// Whether this write started the Draft.
    pub draft_created: bool,
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyAssetsOutput {
    /// Always true; failures are errors.
    pub ok: bool,
    /// The number of copied items.
    pub copied_count: u64,
    /// The copied items.
    pub copied: Vec<Map<String, Value>>,
    /// What was skipped and why.
    pub warnings: Vec<String>,
    /// The edit's receipt.
    pub receipt: Receipt,
    /// The file in the Draft after the edit; none for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileInfo>,
    /// Whether this write started the Draft.
    pub draft_created: bool,
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
}

/// What agents must know about the ops of workbooks beside their fields.
const XLSX_NOTES: &str = "A cell without value keeps it; value null or clear empties it";
/// The same for documents.
const DOCX_NOTES: &str = "Paragraphs count from 1, tables, rows and columns from 0. Only set_paragraphs replaces the \
    whole document. Any op: track_changes true writes redlines";
/// The same for presentations.
const PPTX_NOTES: &str = "Slides count from 1, rows and columns from 0; sizes in inches";
/// The same for text files.
const TEXT_NOTES: &str = "Lines count from 1; search must occur once unless all or count is given";

fn xlsx_ops(generator: &mut SchemaGenerator) -> Schema {
    list_schema::<XlsxOp>(generator, TypedOps::Usual, XLSX_NOTES)
}

fn docx_ops(generator: &mut SchemaGenerator) -> Schema {
    list_schema::<DocxOp>(generator, TypedOps::Usual, DOCX_NOTES)
}

fn pptx_ops(generator: &mut SchemaGenerator) -> Schema {
    list_schema::<PptxOp>(generator, TypedOps::Usual, PPTX_NOTES)
}

pub(in crate::ops) fn text_ops(generator: &mut SchemaGenerator) -> Schema {
    list_schema::<TextOp>(generator, TypedOps::Usual, TEXT_NOTES)
}

/// The schema of an operation's `ops` with the fields of every op, and the definitions that it refers to; `None` if
/// the operation takes no ops of a file format.
pub fn full_ops_schema(operation: &str) -> Option<(Schema, Map<String, Value>)> {
    let mut generator = SchemaGenerator::default();
    let schema = match operation {
        "XlsxApplyOps" => list_schema::<XlsxOp>(&mut generator, TypedOps::All, XLSX_NOTES),
        "DocxApplyOps" => list_schema::<DocxOp>(&mut generator, TypedOps::All, DOCX_NOTES),
        "PptxApplyOps" => list_schema::<PptxOp>(&mut generator, TypedOps::All, PPTX_NOTES),
        "TextApplyOps" => list_schema::<TextOp>(&mut generator, TypedOps::All, TEXT_NOTES),
        _ => return None,
    };
    Some((schema, generator.take_definitions(true)))
}

macro_rules! apply_ops {
    ($(#[$doc:meta])* $op:ident, $params:ident, $tool:literal, $example:literal, $schema:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
        #[serde(deny_unknown_fields)]
        pub struct $params {
            /// The workbench
            #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
            pub workbench_id: Given<WorkbenchId>,
            /// The file
            pub path: Given<WorkbenchPath>,
            /// The ops, applied in order, all or none
            #[arg(value_name = "JSON")]
            #[serde(alias = "operations")]
            #[schemars(schema_with = $schema)]
            pub ops: JsonList,
            /// Start with a new, empty file
            #[arg(long)]
            #[serde(default)]
            pub create_new: bool,
            /// Fail if the file or a sheet does not exist, instead of creating it
            #[arg(long)]
            #[serde(default)]
            pub must_exist: bool,
            /// Start with a copy of this file
            #[arg(long, value_name = "PATH")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub copy_from: Option<Given<WorkbenchPath>>,
            /// Edit only if the file still has this hash
            #[arg(long, value_name = "HASH")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub base_hash: Option<Given<HashPrefix>>,
            /// Show what would change without writing
            #[arg(long)]
            #[serde(default)]
            pub dry_run: bool,
        }
        operation!($op, Draft, Surfaces::all($tool), $params => ApplyOpsOutput, $example);
    };
}

macro_rules! copy_assets {
    ($(#[$doc:meta])* $op:ident, $params:ident, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
        #[serde(deny_unknown_fields)]
        pub struct $params {
            /// The workbench
            #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
            pub workbench_id: Given<WorkbenchId>,
            /// The file to copy from
            pub source_path: Given<WorkbenchPath>,
            /// The file to copy into
            pub target_path: Given<WorkbenchPath>,
            /// What to copy: selectors, as listed by the styles operation
            #[arg(value_name = "JSON")]
            pub assets: JsonList,
            /// Which copy of the source [default: the Draft, if one exists]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source_root: Option<Root>,
            /// Fail if the target or a sheet does not exist, instead of creating it
            #[arg(long)]
            #[serde(default)]
            pub must_exist: bool,
            /// Edit only if the target still has this hash
            #[arg(long, value_name = "HASH")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub base_hash: Option<Given<HashPrefix>>,
            /// Show what would change without writing
            #[arg(long)]
            #[serde(default)]
            pub dry_run: bool,
        }
        operation!($op, Draft, Surfaces::PEOPLE, $params => CopyAssetsOutput, $example);
    };
}

apply_ops! {
    /// Edit an Excel workbook in the Draft
    XlsxApplyOps, XlsxApplyOpsParams, "xlsx_operations",
    r##"{"workbench_id":"board-deck","path":"budget.xlsx","ops":[{"op":"set_cells","sheet":"Budget","cells":[{"cell":"B2","value":1200}]}]}"##,
    "xlsx_ops"
}
apply_ops! {
    /// Edit a Word document in the Draft
    DocxApplyOps, DocxApplyOpsParams, "docx_operations",
    r##"{"workbench_id":"board-deck","path":"report.docx","ops":[{"op":"replace_text","search":"2025","replace":"2026"}]}"##,
    "docx_ops"
}
apply_ops! {
    /// Edit a PowerPoint presentation in the Draft
    PptxApplyOps, PptxApplyOpsParams, "pptx_operations",
    r##"{"workbench_id":"board-deck","path":"deck.pptx","ops":[{"op":"add_slide","title":"Next steps","body":"Hire two"}]}"##,
    "pptx_ops"
}
copy_assets! {
    /// Copy styles and number formats from one workbook into another
    XlsxCopyAssets, XlsxCopyAssetsParams,
    r##"{"workbench_id":"board-deck","source_path":"budget.xlsx","target_path":"plan.xlsx","assets":["named_style:Good"]}"##
}
copy_assets! {
    /// Copy styles and images from one document into another
    DocxCopyAssets, DocxCopyAssetsParams,
    r##"{"workbench_id":"board-deck","source_path":"report.docx","target_path":"memo.docx","assets":["paragraph_style:Quote"]}"##
}
copy_assets! {
    /// Copy text styles and images from one presentation into another
    PptxCopyAssets, PptxCopyAssetsParams,
    r##"{"workbench_id":"board-deck","source_path":"deck.pptx","target_path":"new.pptx","assets":["image:0:1->0"]}"##
}
