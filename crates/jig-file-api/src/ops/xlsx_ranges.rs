//! The ops of workbooks on ranges, rows, columns, sheets, names, links, comments and pages.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::xlsx::CellStyle;

/// Format cells, entire rows or entire columns
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FormatRange {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, such as `A1:D1`, `B:B`, `1:1` or `A1:B2,D4`.
    #[schemars(extend("x-aliases" = ["cells", "cell", "ranges"], "x-type" = "address"))]
    pub range: String,
    /// What to change of their format; the rest stays.
    #[schemars(extend("x-aliases" = ["format", "formatting"], "x-cosmetic" = true, "x-inline" = true))]
    pub style: Option<CellStyle>,
}

/// Clear contents, formats or comments of a range
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ClearRange {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, such as `A1:D9` or `B:B`.
    #[schemars(extend("x-aliases" = ["cells", "cell"], "x-type" = "address"))]
    pub range: String,
    /// What to clear; contents without it.
    #[schemars(extend(
        "x-aliases" = ["clear", "mode", "type", "apply_to", "target"],
        "enum" = ["contents", "formats", "comments", "hyperlinks", "all"]
    ))]
    pub what: Option<String>,
}

/// Replace text in cells
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct FindReplace {
    /// The text to find. A number is replaced only where it is the entire value.
    #[schemars(extend("x-aliases" = ["search", "find_text", "search_text", "old_text", "old", "text", "query"]))]
    pub find: String,
    /// The text to put in its place; an empty text deletes it.
    #[schemars(extend(
        "x-aliases" = ["replacement", "replace_with", "replace_text", "new_text", "new", "with"],
        "x-empty" = true
    ))]
    pub replace: String,
    /// The sheet; all sheets without it.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: Option<String>,
    /// The cells; the entire sheet without it.
    #[schemars(extend("x-aliases" = ["cells"], "x-type" = "address"))]
    pub range: Option<String>,
    /// Whether upper and lower case differ.
    #[schemars(extend("x-aliases" = ["case_sensitive"]))]
    pub match_case: Option<bool>,
    /// Whether the entire value of a cell must match.
    #[schemars(extend("x-aliases" = ["match_entire_cell", "entire_cell", "whole", "exact", "match_entire_cell_contents"]))]
    pub whole_cell: Option<bool>,
    /// Whether to replace in formulas too.
    #[schemars(extend("x-aliases" = ["in_formulas", "include_formulas"]))]
    pub formulas: Option<bool>,
}

/// Sort the rows of a range
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SortRange {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, with or without a header row.
    #[schemars(extend("x-aliases" = ["cells"], "x-type" = "address"))]
    pub range: String,
    /// The columns to sort by, the most important first.
    #[schemars(extend("x-aliases" = ["keys", "sort_by", "columns", "column", "key"]))]
    pub by: Vec<SortKey>,
    /// Whether the first row is a header that stays; found out from the cells without it.
    #[schemars(extend("x-aliases" = ["has_header", "headers", "header_row", "has_headers"]))]
    pub header: Option<bool>,
}

/// A column to sort by.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-entry" = ["column", "order"], "x-text-field" = "column"))]
pub struct SortKey {
    /// Letters, or the text of its header.
    #[schemars(extend("x-aliases" = ["col", "name", "header", "field", "key"]))]
    pub column: String,
    /// `asc` or `desc`.
    #[schemars(extend("x-aliases" = ["direction", "sort", "sort_order"]))]
    pub order: Option<String>,
    /// Whether the greatest value comes first.
    #[schemars(extend("x-aliases" = ["desc", "reverse"], "x-hidden" = true))]
    pub descending: Option<bool>,
    /// Whether the least value comes first.
    #[schemars(extend("x-aliases" = ["asc"], "x-hidden" = true))]
    pub ascending: Option<bool>,
}

/// Columns to insert or delete
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct Columns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The first column: letters, or a number from 1.
    #[schemars(extend("x-aliases" = ["start_column", "first_column", "col", "before", "columns"]))]
    pub column: Value,
    /// How many.
    #[schemars(range(min = 1, max = 16_384))]
    pub count: Option<u32>,
}

/// Copy cells to another place
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct CopyRange {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "from_sheet", "source_sheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["source", "from", "source_range", "cells"], "x-type" = "address"))]
    pub range: String,
    /// The first cell of the new place, also on another sheet, such as `Other!B2`; a range is filled with copies.
    #[schemars(extend("x-aliases" = ["target", "destination", "dest", "target_cell", "target_range", "to_cell", "to_range"]))]
    pub to: String,
    /// The sheet of the new place; the same without it.
    #[schemars(extend("x-aliases" = ["target_sheet", "destination_sheet", "dest_sheet"], "x-type" = "name"))]
    pub to_sheet: Option<String>,
    /// What to copy: everything without it. `values` writes the results of formulas.
    #[schemars(extend("x-aliases" = ["mode", "paste", "type"], "enum" = ["all", "values", "formulas", "formats"]))]
    pub what: Option<String>,
}

/// Move cells to another place; formulas follow
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct MoveRange {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "from_sheet", "source_sheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["source", "from", "source_range", "cells"], "x-type" = "address"))]
    pub range: String,
    /// The first cell of the new place, also on another sheet, such as `Other!B2`.
    #[schemars(extend("x-aliases" = ["target", "destination", "dest", "target_cell", "target_range", "to_cell", "to_range"]))]
    pub to: String,
    /// The sheet of the new place; the same without it.
    #[schemars(extend("x-aliases" = ["target_sheet", "destination_sheet", "dest_sheet"], "x-type" = "name"))]
    pub to_sheet: Option<String>,
    /// Whether cells with values at the new place may be overwritten.
    #[schemars(extend("x-aliases" = ["replace", "force"]))]
    pub overwrite: Option<bool>,
}

/// Move entire rows before another row
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct MoveRows {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The first row, from 1.
    #[schemars(extend("x-aliases" = ["start_row", "first_row", "from"]), range(min = 1, max = 1_048_576))]
    pub row: u32,
    /// How many.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub count: Option<u32>,
    /// The row before which they are put, by its present number.
    #[schemars(extend("x-aliases" = ["before", "before_row", "target", "target_row", "to_row"]), range(min = 1, max = 1_048_576))]
    pub to: u32,
}

/// Move entire columns before another column
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct MoveColumns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The first column: letters, or a number from 1.
    #[schemars(extend("x-aliases" = ["start_column", "first_column", "from", "col"], "x-type" = "column"))]
    pub column: Value,
    /// How many.
    #[schemars(range(min = 1, max = 16_384))]
    pub count: Option<u32>,
    /// The column before which they are put, by its present letters.
    #[schemars(extend("x-aliases" = ["before", "before_column", "target", "target_column", "to_column"], "x-type" = "column"))]
    pub to: Value,
}

/// Copy a sheet with everything on it
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CopySheet {
    /// The sheet to copy.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "source", "source_sheet", "from"], "x-type" = "name"))]
    pub sheet: String,
    /// The name of the copy; `NAME (2)` without it.
    #[schemars(extend("x-aliases" = ["name", "new_sheet", "to", "target", "target_sheet"], "x-type" = "name"))]
    pub new_name: Option<String>,
    /// Its place among the tabs, from 1; after the original without it.
    #[schemars(extend("x-aliases" = ["place", "tab"]), range(min = 1, max = 10_000))]
    pub position: Option<u32>,
}

/// Move a sheet to another place among the tabs
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MoveSheet {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
    /// Its new place, from 1.
    #[schemars(extend("x-aliases" = ["to", "place", "tab", "new_position"]), range(min = 1, max = 10_000))]
    pub position: u32,
}

/// Hide a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HideSheet {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
    /// Whether only a program can show it again.
    pub very_hidden: Option<bool>,
}

/// Show a hidden sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ShowSheet {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
}

/// Protect a sheet against changes
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ProtectSheet {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
    /// The password that removes the protection; stored as a hash.
    pub password: Option<String>,
    /// What users may still do. Without it, they may only select cells.
    #[schemars(extend("x-aliases" = ["permissions", "allowed"]))]
    pub allow: Option<Vec<ProtectedAction>>,
}

/// What users may do on a protected sheet.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("enum" = [
    "select_locked_cells", "select_unlocked_cells", "format_cells", "format_columns", "format_rows", "insert_columns",
    "insert_rows", "insert_hyperlinks", "delete_columns", "delete_rows", "sort", "filter", "pivot_tables", "objects",
    "scenarios"
]))]
pub struct ProtectedAction(pub String);

/// Remove the protection of a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct UnprotectSheet {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
    /// The password, if the protection has one.
    pub password: Option<String>,
}

/// Set or remove the colour of a sheet's tab
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetTabColor {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
    /// The colour; removed without it.
    #[schemars(extend("x-aliases" = ["colour", "tab_color", "rgb"], "x-type" = "color"))]
    pub color: Option<String>,
}

/// Define a name for cells, a value or a formula
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DefineName {
    /// The name.
    #[schemars(extend("x-aliases" = ["defined_name", "range_name"], "x-type" = "name"))]
    pub name: String,
    /// Such as `Budget!B2:B9`, `0.19` or `=SUM(Budget!$B:$B)`.
    #[schemars(extend("x-aliases" = ["range", "formula", "value", "ref", "reference", "address"]))]
    pub refers_to: String,
    /// The sheet of cells that are given without one.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: Option<String>,
    /// The only sheet on which the name holds; the entire workbook without it.
    #[schemars(extend("x-aliases" = ["local_sheet", "scope_sheet"], "x-type" = "name"))]
    pub scope: Option<String>,
    /// What the name is for.
    #[schemars(extend("x-aliases" = ["description"]), length(max = 255))]
    pub comment: Option<String>,
}

/// Delete a defined name
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteName {
    /// The name.
    #[schemars(extend("x-aliases" = ["defined_name", "range_name"], "x-type" = "name"))]
    pub name: String,
    /// The sheet on which it holds, if it holds on one only.
    #[schemars(extend("x-aliases" = ["local_sheet", "scope_sheet", "sheet"], "x-type" = "name"))]
    pub scope: Option<String>,
}

/// Set a link on a cell
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetHyperlink {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["range", "address", "ref"], "x-type" = "address"))]
    pub cell: String,
    /// The address: http, https or mailto.
    #[schemars(extend("x-aliases" = ["link", "href", "hyperlink", "target", "uri"]))]
    pub url: Option<String>,
    /// A place in the workbook, such as `Other!B2` or a defined name.
    #[schemars(extend("x-aliases" = ["location", "to", "target_cell", "internal"]))]
    pub place: Option<String>,
    /// The new text of the cell; without it an empty cell shows the address.
    #[schemars(extend("x-aliases" = ["display", "label", "display_text", "value"]))]
    pub text: Option<String>,
    /// What is shown when the pointer is over the link.
    #[schemars(extend("x-aliases" = ["screen_tip", "title"], "x-cosmetic" = true), length(max = 255))]
    pub tooltip: Option<String>,
}

/// Remove the links of a range; the texts stay
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct RemoveHyperlink {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["cell", "cells", "address"], "x-type" = "address"))]
    pub range: String,
}

/// Set the note of a cell
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetNote {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["address", "ref", "range"], "x-type" = "address"))]
    pub cell: String,
    /// The text; it replaces that of a note the cell has.
    #[schemars(extend("x-aliases" = ["note", "comment", "value", "content"], "x-join" = true), length(min = 1, max = 32_767))]
    pub text: String,
    /// Who writes it.
    #[schemars(length(max = 255))]
    pub author: Option<String>,
}

/// Delete the notes of a range
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteNote {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell or cells.
    #[schemars(extend("x-aliases" = ["address", "ref", "range", "cells"], "x-type" = "address"))]
    pub cell: String,
}

/// Start a comment thread on a cell
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddComment {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["address", "ref", "range"], "x-type" = "address"))]
    pub cell: String,
    /// The text.
    #[schemars(extend("x-aliases" = ["comment", "value", "content", "message"], "x-join" = true), length(min = 1, max = 32_767))]
    pub text: String,
    /// Who writes it.
    #[schemars(length(max = 255))]
    pub author: Option<String>,
}

/// Reply to the comment thread of a cell
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReplyComment {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["address", "ref", "range"], "x-type" = "address"))]
    pub cell: String,
    /// The text.
    #[schemars(extend("x-aliases" = ["reply", "comment", "value", "content", "message"], "x-join" = true), length(min = 1, max = 32_767))]
    pub text: String,
    /// Who writes it.
    #[schemars(length(max = 255))]
    pub author: Option<String>,
}

/// Resolve the comment thread of a cell, or reopen it
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ResolveComment {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["address", "ref", "range"], "x-type" = "address"))]
    pub cell: String,
    /// False to reopen it.
    #[schemars(extend("x-aliases" = ["done", "resolve"]))]
    pub resolved: Option<bool>,
}

/// Delete the comment thread of a cell, or one reply
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteComment {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cell.
    #[schemars(extend("x-aliases" = ["address", "ref", "range"], "x-type" = "address"))]
    pub cell: String,
    /// The reply to delete, from 1; the entire thread without it.
    #[schemars(extend("x-aliases" = ["reply_number"]), range(min = 1, max = 100_000))]
    pub reply: Option<u32>,
}

/// Set how a sheet is printed
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct PageSetup {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// `portrait` or `landscape`.
    #[schemars(extend("x-cosmetic" = true, "enum" = ["portrait", "landscape"]))]
    pub orientation: Option<String>,
    /// The size of the paper.
    #[schemars(extend(
        "x-aliases" = ["paper_size", "size"],
        "x-cosmetic" = true,
        "enum" = ["letter", "tabloid", "legal", "executive", "A3", "A4", "A5", "B4", "B5"]
    ))]
    pub paper: Option<String>,
    /// The margins.
    #[schemars(extend("x-cosmetic" = true))]
    pub margins: Option<PageMargins>,
    /// How many pages wide; 0 for as many as needed.
    #[schemars(extend("x-aliases" = ["pages_wide", "fit_width"], "x-cosmetic" = true), range(min = 0, max = 32_767))]
    pub fit_to_width: Option<u32>,
    /// How many pages tall; 0 for as many as needed.
    #[schemars(extend("x-aliases" = ["pages_tall", "fit_height"], "x-cosmetic" = true), range(min = 0, max = 32_767))]
    pub fit_to_height: Option<u32>,
    /// Percent; turns fitting off.
    #[schemars(extend("x-aliases" = ["zoom"], "x-cosmetic" = true), range(min = 10, max = 400))]
    pub scale: Option<u32>,
    /// The header of each page; an empty text removes it.
    #[schemars(extend("x-empty" = true))]
    pub header: Option<PageText>,
    /// The footer of each page; an empty text removes it.
    #[schemars(extend("x-empty" = true))]
    pub footer: Option<PageText>,
    /// Rows printed on each page, such as `1:2`; `none` removes them.
    #[schemars(extend("x-aliases" = ["print_title_rows", "title_rows", "rows_to_repeat"]))]
    pub repeat_rows: Option<String>,
    /// Columns printed on each page, such as `A:B`; `none` removes them.
    #[schemars(extend("x-aliases" = ["print_title_columns", "title_columns", "columns_to_repeat"]))]
    pub repeat_columns: Option<String>,
    /// Whether to center the page's content from left to right.
    #[schemars(extend("x-aliases" = ["horizontal_centered", "centered_horizontally"], "x-cosmetic" = true))]
    pub center_horizontally: Option<bool>,
    /// Whether to center the page's content from top to bottom.
    #[schemars(extend("x-aliases" = ["vertical_centered", "centered_vertically"], "x-cosmetic" = true))]
    pub center_vertically: Option<bool>,
    /// Whether to print the lines between cells.
    #[schemars(extend("x-aliases" = ["print_gridlines"], "x-cosmetic" = true))]
    pub gridlines: Option<bool>,
}

/// Margins of a page, in inches. What is not given stays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PageMargins {
    /// Left.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub left: Option<f64>,
    /// Right.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub right: Option<f64>,
    /// Top.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub top: Option<f64>,
    /// Bottom.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub bottom: Option<f64>,
    /// From the edge of the paper to the header.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub header: Option<f64>,
    /// From the edge of the paper to the footer.
    #[schemars(extend("x-cosmetic" = true), range(min = 0, max = 49))]
    pub footer: Option<f64>,
}

/// The text of a header or footer, with `{page}`, `{pages}`, `{date}`, `{time}`, `{file}` and `{sheet}` where wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-text-field" = "center"))]
pub struct PageText {
    /// On the left.
    #[schemars(extend("x-empty" = true))]
    pub left: Option<String>,
    /// In the middle.
    #[schemars(extend("x-aliases" = ["centre", "middle", "text"], "x-empty" = true))]
    pub center: Option<String>,
    /// On the right.
    #[schemars(extend("x-empty" = true))]
    pub right: Option<String>,
}

/// Set or remove the area of a sheet that is printed
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetPrintArea {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, such as `A1:F40`, several with commas; the entire sheet is printed without it.
    #[schemars(extend("x-aliases" = ["area", "print_area", "cells"], "x-type" = "address"))]
    pub range: Option<String>,
}

/// Fit the widths of columns to what their cells show
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AutofitColumns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `A:D` or `B,F`; all used columns without it.
    #[schemars(extend("x-aliases" = ["column", "range"]))]
    pub columns: Option<Value>,
    /// The greatest width, in characters; 80 without it.
    #[schemars(extend("x-aliases" = ["maximum_width"], "x-cosmetic" = true), range(min = 1, max = 255))]
    pub max_width: Option<f64>,
}

/// Rows to group under an outline
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GroupRows {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `3:8`, or a number.
    #[schemars(extend("x-aliases" = ["row", "range"]))]
    pub rows: Value,
    /// Whether the group is collapsed, which hides its rows.
    pub collapsed: Option<bool>,
}

/// Columns to group under an outline
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GroupColumns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `B:D`, or letters.
    #[schemars(extend("x-aliases" = ["column", "range"]))]
    pub columns: Value,
    /// Whether the group is collapsed, which hides its columns.
    pub collapsed: Option<bool>,
}

/// Rows to take out of their group
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct UngroupRows {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `3:8`, or a number.
    #[schemars(extend("x-aliases" = ["row", "range"]))]
    pub rows: Value,
}

/// Columns to take out of their group
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct UngroupColumns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `B:D`, or letters.
    #[schemars(extend("x-aliases" = ["column", "range"]))]
    pub columns: Value,
}

/// Rows to hide or show
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HideRows {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `3:8`, or a number.
    #[schemars(extend("x-aliases" = ["row", "range"]))]
    pub rows: Value,
    /// False to show them.
    pub hidden: Option<bool>,
}

/// Columns to hide or show
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HideColumns {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Such as `B:D`, or letters.
    #[schemars(extend("x-aliases" = ["column", "range"]))]
    pub columns: Value,
    /// False to show them.
    pub hidden: Option<bool>,
}

/// Set or remove the filter of a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetAutoFilter {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells with their header row; the filter is removed without it.
    #[schemars(extend("x-aliases" = ["cells", "ref"], "x-type" = "address"))]
    pub range: Option<String>,
    /// What is shown of a column; other rows are hidden.
    #[schemars(extend("x-aliases" = ["columns", "criteria"]))]
    pub filters: Option<Vec<ColumnFilter>>,
}

/// The values of a column that are shown.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-entry" = ["column", "values"]))]
pub struct ColumnFilter {
    /// Letters, or the text of its header.
    #[schemars(extend("x-aliases" = ["col", "name", "header", "field"]))]
    pub column: String,
    /// As the cells show them; an empty text for blank cells.
    #[schemars(extend("x-aliases" = ["value", "equals", "show"]))]
    pub values: Vec<Value>,
}

/// Take merged cells of a range apart
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct UnmergeCells {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["cells", "cell"], "x-type" = "address"))]
    pub range: String,
}
