//! What the read methods of workbooks are asked, and what they reply.
//!
//! Replies serialise to the wire shape of the worker protocol: fields keep the order they have here, and a field that
//! does not apply is absent, or null where the protocol promises the field.

mod styles;

use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

pub use styles::{
    BorderEdge, BorderStyle, Capped, ConditionalFormatMap, FillStyle, FontStyle, SheetStyles, StyleAsset,
    StyleAssetType, StyleDetails, WorkbookStyles,
};

/// What is shown of a cell with a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormulaMode {
    /// Its value.
    #[default]
    Values,
    /// The formula.
    Formulas,
    /// The value with the formula behind it.
    Both,
}

/// `XlsxReadRange`: cells as lines of text. Without a range, the first window of the sheet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RangeQuery {
    /// The first sheet with cells if absent.
    pub sheet: Option<String>,
    /// In A1 notation, with or without the sheet.
    pub range: Option<String>,
    /// What is shown of formulas.
    pub mode: FormulaMode,
    /// The most text of the reply; the default is 1 MiB.
    pub max_bytes: Option<usize>,
}

/// `XlsxExtractText`: the text of all sheets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextQuery {
    /// What is shown of formulas.
    pub mode: FormulaMode,
    /// Whether hidden sheets are included.
    pub include_hidden: bool,
}

/// `XlsxRenderGrid`: a window of cells, counted from 0. Without counts, as far as the sheet is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GridQuery {
    /// The first sheet with cells if absent.
    pub sheet: Option<String>,
    /// The first row, from 0.
    pub row_start: u64,
    /// How many rows.
    pub row_count: Option<u64>,
    /// The first column, from 0.
    pub col_start: u64,
    /// How many columns.
    pub col_count: Option<u64>,
}

/// `XlsxFind`: where a text occurs in cells and comments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindQuery {
    /// The text.
    pub text: String,
    /// Whether upper and lower case differ.
    pub match_case: bool,
    /// Whether formulas are searched besides values.
    pub formulas: bool,
    /// How many matches are listed; all are counted.
    pub max_results: Option<u64>,
    /// All sheets if absent.
    pub sheet: Option<String>,
}

/// The reply to `XlsxGetInfo`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkbookInfo {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<SheetInfo>,
    /// How many sheets the workbook has.
    pub sheet_count: usize,
    /// The sheet that is shown first.
    pub active_sheet: Option<String>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A sheet with its size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SheetInfo {
    /// Its name.
    pub name: String,
    /// How many rows.
    pub row_count: u32,
    /// How many columns.
    pub col_count: u32,
    /// `worksheet`, `chartsheet`, `dialogsheet` or `macrosheet`.
    pub kind: &'static str,
    /// `visible`, `hidden` or `veryHidden`.
    pub state: &'static str,
    /// Whether it is hidden.
    pub hidden: bool,
    /// Its notes and comment threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentInfo>,
    /// How many there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_count: Option<usize>,
}

/// A note or a comment thread of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentInfo {
    /// The cell.
    pub cell: String,
    /// `note` or `thread`.
    pub kind: &'static str,
    /// Who wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// The start of the text.
    pub text: String,
    /// Whether the thread is resolved.
    #[serde(skip_serializing_if = "is_false")]
    pub resolved: bool,
    /// The replies of a thread, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<CommentReply>,
}

/// A reply in a comment thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentReply {
    /// Who wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// The start of the text.
    pub text: String,
}

/// The reply to `XlsxGetMap`: what a workbook holds and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkbookMap {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<SheetMap>,
    /// How many sheets the workbook has.
    pub sheet_count: usize,
    /// The sheet that is shown first.
    pub active_sheet: Option<String>,
    /// The defined names.
    pub defined_names: Vec<NamedRange>,
    /// Whether dates count from 1904.
    pub date1904: bool,
    /// How many names there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defined_name_count: Option<usize>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A defined name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedRange {
    /// Its name.
    pub name: String,
    /// The formula it represents.
    pub refers_to: String,
    /// The only sheet on which it holds.
    pub sheet: Option<String>,
}

/// What a sheet holds and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SheetMap {
    /// Its name.
    pub name: String,
    /// The rectangle around all cells that are not empty.
    pub used_range: Option<UsedRange>,
    /// How many rows.
    pub row_count: u32,
    /// How many columns.
    pub col_count: u32,
    /// The data blocks of the sheet.
    pub islands: Vec<DataBlockMap>,
    /// Whether not all data blocks are listed.
    #[serde(skip_serializing_if = "is_false")]
    pub islands_truncated: bool,
    /// How many data blocks there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island_count: Option<u64>,
    /// Whether some data blocks are larger than they should be.
    #[serde(skip_serializing_if = "is_false")]
    pub islands_approximate: bool,
    /// The pieces.
    #[serde(flatten)]
    pub chunks: ChunkList,
    /// Whether it has charts.
    pub has_charts: bool,
    /// Whether it has merged cells.
    pub has_merged_cells: bool,
    /// Whether it has conditional formats.
    pub has_conditional_formatting: bool,
    /// Whether it has formulas.
    pub has_formulas: bool,
    /// Whether it has images.
    pub has_images: bool,
    /// Whether it has pivot tables.
    pub has_pivot: bool,
    /// Whether it has comments.
    pub has_comments: bool,
    /// Whether it has data validation.
    pub has_data_validation: bool,
    /// Whether it has slicers or timelines.
    pub has_slicers: bool,
    /// Whether it has hyperlinks.
    pub has_hyperlinks: bool,
    /// Whether it is protected.
    pub protected: bool,
    /// How many cells.
    pub cell_count: u64,
    /// How many formulas.
    pub formula_count: u64,
    /// Formulas without an up-to-date value.
    #[serde(skip_serializing_if = "is_zero")]
    pub stale_formula_count: u64,
    /// Formulas whose value was computed for the reply.
    #[serde(skip_serializing_if = "is_zero")]
    pub computed_formula_count: u64,
    /// Its tables.
    pub tables: Vec<TableMap>,
    /// Its charts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<ChartMap>,
    /// Its images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageMap>,
    /// The range of its filter.
    pub auto_filter: Option<String>,
    /// Its frozen panes.
    pub frozen: Option<FrozenPanes>,
    /// How many rows are hidden.
    pub hidden_rows: u32,
    /// Such as `C:D`.
    pub hidden_columns: Vec<String>,
    /// The used range that the file declares, if it differs from that of the cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension_declared: Option<String>,
    /// Its type.
    pub kind: &'static str,
    /// `visible`, `hidden` or `veryHidden`.
    pub state: &'static str,
    /// Whether it is hidden.
    pub hidden: bool,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The rectangle around all cells that are not empty, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UsedRange {
    /// The first row.
    pub min_row: u32,
    /// The last row.
    pub max_row: u32,
    /// The first column.
    pub min_col: u32,
    /// The last column.
    pub max_col: u32,
}

/// Rows and columns that stay when the sheet is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FrozenPanes {
    /// How many rows.
    pub rows: u32,
    /// Its columns.
    pub columns: u32,
}

/// A rectangle of cells with blank rows and columns around it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DataBlockMap {
    /// The range in A1 notation.
    pub range: String,
    /// `header` if its first row has headers, else `data`.
    pub label: &'static str,
    /// How many rows.
    pub row_count: u32,
    /// How many columns.
    pub col_count: u32,
    /// The texts of the headers.
    pub headers: Option<Headers>,
    /// Where the headers are, if there are any.
    #[serde(flatten)]
    pub header_ranges: Option<HeaderRanges>,
}

/// The texts of a row of headers; none for a blank cell.
pub type Headers = Vec<Option<String>>;

/// Where the headers of a data block are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeaderRanges {
    /// The row of headers.
    pub header_range: Option<String>,
    /// What is below them.
    pub data_range: Option<String>,
    /// Whether not all headers are listed.
    #[serde(skip_serializing_if = "is_false")]
    pub headers_truncated: bool,
}

/// The pieces in which a sheet is best read. A sheet without cells has none, and no counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChunkList {
    /// The pieces.
    pub chunks: Vec<Chunk>,
    /// Whether not all pieces are listed.
    #[serde(skip_serializing_if = "is_false")]
    pub chunks_truncated: bool,
    /// How many pieces there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<u32>,
    /// The rows of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_rows: Option<u32>,
    /// The headers of the first data block, if repeating them in each chunk would take too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_headers: Option<Headers>,
}

/// A piece of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chunk {
    /// Its position, from 0.
    pub index: u32,
    /// The range in A1 notation.
    pub range: String,
    /// How many rows.
    pub rows: u32,
    /// Where the headers of the first data block are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The texts of the headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Headers>,
}

/// A table of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableMap {
    /// Its name.
    pub name: String,
    /// The range in A1 notation.
    pub range: Option<String>,
    /// Its columns.
    pub columns: Vec<String>,
    /// Whether it has a header row.
    pub header_row: bool,
    /// Whether it has a totals row.
    pub totals_row: bool,
    /// How many columns there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_count: Option<usize>,
}

/// A chart of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChartMap {
    /// Its name, by which ops find it.
    pub name: String,
    /// Its kind, such as `column`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The cells it covers, or the cell of its top left corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The first series.
    pub series: Vec<ChartSeriesMap>,
    /// How many series there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series_count: Option<usize>,
}

/// A series of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChartSeriesMap {
    /// The cell with its name, or the name itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The cells with its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// The cells with its categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub categories: Option<String>,
}

/// An image on a sheet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageMap {
    /// Its name, by which ops find it.
    pub name: String,
    /// The cells it covers, or the cell of its top left corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// What it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
}

/// The reply to `XlsxReadRange`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeText {
    /// The text.
    pub text: String,
    /// The name of the sheet.
    pub sheet: String,
    /// What is shown; for a sheet without cells, what was asked for.
    pub range: Option<String>,
    /// Which piece of the sheet this is, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_info: Option<ChunkInfo>,
    /// The headers above the range, if it is inside the first data block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Headers>,
    /// The row of headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_range: Option<String>,
    /// Whether formulas have no up-to-date value.
    #[serde(skip_serializing_if = "is_false")]
    pub stale: bool,
    /// How many.
    #[serde(skip_serializing_if = "is_zero")]
    pub stale_count: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale_cells: Vec<String>,
    /// Formulas whose value was computed for the reply.
    #[serde(skip_serializing_if = "is_zero")]
    pub computed_count: u64,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Which piece of a sheet a reply holds, and what comes next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChunkInfo {
    /// Its position, from 0.
    pub chunk_index: u32,
    /// How many pieces the sheet has.
    pub total_chunks: u32,
    /// Whether rows or columns follow.
    pub has_more: bool,
    /// The range in A1 notation.
    pub range: String,
    /// The rows below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_range: Option<String>,
    /// The columns to the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_columns: Option<String>,
}

/// The reply to `XlsxExtractText`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkbookText {
    /// The text.
    pub text: String,
    /// Hidden sheets that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped_sheets: Vec<SkippedSheet>,
    /// Whether a formula has no up-to-date value.
    #[serde(skip_serializing_if = "is_false")]
    pub stale: bool,
    /// How many.
    #[serde(skip_serializing_if = "is_zero")]
    pub stale_count: u64,
    /// Formulas whose value was computed for the reply.
    #[serde(skip_serializing_if = "is_zero")]
    pub computed_count: u64,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A hidden sheet that a text does not include.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkippedSheet {
    /// Its name.
    pub name: String,
    /// `visible`, `hidden` or `veryHidden`.
    pub state: &'static str,
}

/// The reply to `XlsxRenderGrid`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grid {
    /// The sheets in the order of their tabs.
    pub sheets: Vec<String>,
    /// The last used row and column.
    pub row_count: u32,
    /// How many columns.
    pub col_count: u32,
    /// The cells, row by row.
    pub cells: Vec<Vec<GridCell>>,
    /// The name of the sheet.
    pub sheet: Option<String>,
    /// The first row, from 0.
    pub row_start: u64,
    /// The first column, from 0.
    pub col_start: u64,
    /// The range in A1 notation.
    pub range: Option<String>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A cell of a grid.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct GridCell {
    /// The value that is stored or was computed.
    pub value: GridValue,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: GridType,
    /// The formula with its `=`.
    pub formula: Option<String>,
    /// As Excel shows it; absent for a blank cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// Absent for `General`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_format: Option<String>,
    /// In ISO form, for numbers that are shown as dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Whether the value is an error.
    #[serde(skip_serializing_if = "is_false")]
    pub error: bool,
    /// Whether a formula has no up-to-date value.
    #[serde(skip_serializing_if = "is_false")]
    pub stale: bool,
    /// Whether the value was computed for the reply.
    #[serde(skip_serializing_if = "is_false")]
    pub computed: bool,
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(untagged)]
pub enum GridValue {
    /// Nothing.
    #[default]
    Blank,
    /// True or false.
    Boolean(bool),
    /// A number.
    #[serde(serialize_with = "without_point")]
    Number(f64),
    /// Text.
    Text(String),
}

/// The type of a cell's value. Errors and dates in text form are strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GridType {
    /// Nothing.
    #[default]
    Blank,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Text.
    String,
}

/// The reply to `XlsxFind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindReply {
    /// The text that was searched.
    pub query: String,
    /// How many matches there are.
    pub match_count: u64,
    /// Whether not all are listed.
    pub truncated: bool,
    /// The first matches.
    pub matches: Vec<FindMatch>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A cell or comment with the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindMatch {
    /// The name of the sheet.
    pub sheet: String,
    /// The cell, such as `B2`.
    pub cell: String,
    /// The cell with its sheet, as formulas write it.
    pub address: String,
    /// Where in the cell.
    #[serde(rename = "in")]
    pub found_in: MatchSource,
    /// The text around the match.
    pub snippet: String,
    /// Whether the sheet is hidden.
    pub hidden: bool,
}

/// Where in a cell a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchSource {
    /// In its value.
    Value,
    /// In its formula.
    Formula,
    /// In a comment.
    Comment,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Whole numbers without a point.
fn without_point<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}
