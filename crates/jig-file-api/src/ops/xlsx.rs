//! The ops of workbooks.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub use super::xlsx_objects::*;
use crate::ops;

pub use super::xlsx_ranges::*;

ops! {
    format "xlsx", usual [
        "ensure_sheet", "set_cells", "set_range", "append_rows", "set_number_format", "set_column_widths",
        "freeze_panes", "merge_cells", "insert_rows", "delete_rows", "rename_sheet", "delete_sheet",
    ];

    /// An op on a workbook.
    #[expect(clippy::large_enum_variant, reason = "a call has a handful of ops, so their size does not matter")]
    pub enum XlsxOp {
        /// Adds a sheet unless one has the name.
        EnsureSheet(EnsureSheet) = "ensure_sheet",
        /// Writes values, formulas or styles to cells.
        SetCells(SetCells) = "set_cells",
        /// Writes a block of values.
        SetRange(SetRange) = "set_range",
        /// Writes rows below the data.
        AppendRows(AppendRows) = "append_rows",
        /// Gives a range a number format.
        SetNumberFormat(SetNumberFormat) = "set_number_format",
        /// Sets widths of columns.
        SetColumnWidths(SetColumnWidths) = "set_column_widths",
        /// Sets heights of rows.
        SetRowHeights(SetRowHeights) = "set_row_heights",
        /// Freezes the first rows and columns.
        FreezePanes(FreezePanes) = "freeze_panes",
        /// Merges a range, or takes merged cells apart.
        MergeCells(MergeCells) = "merge_cells",
        /// Inserts empty rows.
        InsertRows(Rows) = "insert_rows",
        /// Deletes rows.
        DeleteRows(Rows) = "delete_rows",
        /// Renames a sheet.
        RenameSheet(RenameSheet) = "rename_sheet",
        /// Deletes a sheet.
        DeleteSheet(DeleteSheet) = "delete_sheet",
        /// Formats cells, rows or columns.
        FormatRange(FormatRange) = "format_range",
        /// Clears contents, formats or comments of a range.
        ClearRange(ClearRange) = "clear_range",
        /// Replaces text in cells.
        FindReplace(FindReplace) = "find_replace",
        /// Sorts the rows of a range.
        SortRange(SortRange) = "sort_range",
        /// Inserts empty columns.
        InsertColumns(Columns) = "insert_columns",
        /// Deletes columns.
        DeleteColumns(Columns) = "delete_columns",
        /// Copies cells.
        CopyRange(CopyRange) = "copy_range",
        /// Moves cells; formulas follow.
        MoveRange(MoveRange) = "move_range",
        /// Moves rows.
        MoveRows(MoveRows) = "move_rows",
        /// Moves columns.
        MoveColumns(MoveColumns) = "move_columns",
        /// Copies a sheet.
        CopySheet(CopySheet) = "copy_sheet",
        /// Moves a sheet among the tabs.
        MoveSheet(MoveSheet) = "move_sheet",
        /// Hides a sheet.
        HideSheet(HideSheet) = "hide_sheet",
        /// Shows a hidden sheet.
        ShowSheet(ShowSheet) = "show_sheet",
        /// Protects a sheet.
        ProtectSheet(ProtectSheet) = "protect_sheet",
        /// Removes the protection of a sheet.
        UnprotectSheet(UnprotectSheet) = "unprotect_sheet",
        /// Sets the colour of a tab.
        SetTabColor(SetTabColor) = "set_tab_color",
        /// Defines a name.
        DefineName(DefineName) = "define_name",
        /// Deletes a defined name.
        DeleteName(DeleteName) = "delete_name",
        /// Sets a link on a cell.
        SetHyperlink(SetHyperlink) = "set_hyperlink",
        /// Removes links.
        RemoveHyperlink(RemoveHyperlink) = "remove_hyperlink",
        /// Sets the note of a cell.
        SetNote(SetNote) = "set_note",
        /// Deletes notes.
        DeleteNote(DeleteNote) = "delete_note",
        /// Starts a comment thread.
        AddComment(AddComment) = "add_comment",
        /// Replies to a comment thread.
        ReplyComment(ReplyComment) = "reply_comment",
        /// Resolves or reopens a comment thread.
        ResolveComment(ResolveComment) = "resolve_comment",
        /// Deletes a comment thread or a reply.
        DeleteComment(DeleteComment) = "delete_comment",
        /// Sets how a sheet is printed.
        PageSetup(PageSetup) = "page_setup",
        /// Sets the print area.
        SetPrintArea(SetPrintArea) = "set_print_area",
        /// Fits the widths of columns to their cells.
        AutofitColumns(AutofitColumns) = "autofit_columns",
        /// Groups rows.
        GroupRows(GroupRows) = "group_rows",
        /// Groups columns.
        GroupColumns(GroupColumns) = "group_columns",
        /// Takes rows out of their group.
        UngroupRows(UngroupRows) = "ungroup_rows",
        /// Takes columns out of their group.
        UngroupColumns(UngroupColumns) = "ungroup_columns",
        /// Hides or shows rows.
        HideRows(HideRows) = "hide_rows",
        /// Hides or shows columns.
        HideColumns(HideColumns) = "hide_columns",
        /// Sets the filter of a sheet.
        SetAutoFilter(SetAutoFilter) = "set_auto_filter",
        /// Takes merged cells apart.
        UnmergeCells(UnmergeCells) = "unmerge_cells",
        /// Writes totals by category over several sheets to a sheet.
        SummarizeByCategory(SummarizeByCategory) = "summarize_by_category",
        /// Adds a chart.
        AddChart(AddChart) = "add_chart",
        /// Changes a chart.
        EditChart(EditChart) = "edit_chart",
        /// Deletes a chart.
        DeleteChart(DeleteChart) = "delete_chart",
        /// Formats cells by a rule.
        AddConditionalFormat(AddConditionalFormat) = "add_conditional_format",
        /// Removes conditional formats.
        ClearConditionalFormats(ClearConditionalFormats) = "clear_conditional_formats",
        /// Restricts what cells accept.
        SetDataValidation(SetDataValidation) = "set_data_validation",
        /// Removes data validation.
        ClearDataValidation(ClearDataValidation) = "clear_data_validation",
        /// Turns cells into a table.
        AddTable(AddTable) = "add_table",
        /// Changes a table.
        EditTable(EditTable) = "edit_table",
        /// Turns a table into plain cells.
        DeleteTable(DeleteTable) = "delete_table",
        /// Puts an image on a sheet.
        InsertImage(InsertImage) = "insert_image",
        /// Deletes an image.
        DeleteImage(DeleteImage) = "delete_image",
        /// Draws sparklines in cells.
        AddSparklines(AddSparklines) = "add_sparklines",
        /// Removes sparklines.
        ClearSparklines(ClearSparklines) = "clear_sparklines",
        /// Summarizes data in a pivot table.
        AddPivotTable(AddPivotTable) = "add_pivot_table",
    }
}

/// Add a sheet unless one has the name
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct EnsureSheet {
    /// Its name.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
}

/// Delete a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteSheet {
    /// Its name.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "name"], "x-type" = "name"))]
    pub sheet: String,
}

/// Write values, formulas or styles to cells
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetCells {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    pub cells: Vec<CellInput>,
}

/// One cell to write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-entry" = ["cell", "value"]))]
pub struct CellInput {
    /// Its address, such as `B2`.
    #[schemars(extend(
        "x-aliases" = ["address", "ref", "cell_ref", "coordinate", "cell_address", "cell_reference"],
        "x-type" = "address",
        "x-parts" = {"column": ["col", "column", "col_number", "column_number", "column_letter"], "row": ["row", "row_number"]}
    ))]
    pub cell: String,
    /// New value; null clears, absent keeps.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Value", extend("x-aliases" = ["text", "val", "new_value"], "x-null" = true, "x-hoist" = true))]
    pub value: Option<Option<Value>>,
    /// New formula, such as `=SUM(A1:A3)`.
    #[schemars(extend("x-aliases" = ["formula_text"]))]
    pub formula: Option<String>,
    /// How the value is read.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["kind", "data_type", "cell_type", "value_type"], "x-cosmetic" = true, "x-type" = "cell_type"))]
    pub kind: Option<String>,
    /// Whether to remove the value.
    #[schemars(extend("x-aliases" = ["clear_value"]))]
    pub clear: Option<bool>,
    /// The format to apply over the one that the cell has.
    #[schemars(extend("x-aliases" = ["format"], "x-cosmetic" = true, "x-inline" = true))]
    pub style: Option<CellStyle>,
}

/// A field that was given, also as null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Value>>, D::Error> {
    Option::<Value>::deserialize(deserializer).map(Some)
}

/// Write a block of values
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetRange {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The first cell.
    #[schemars(extend("x-aliases" = ["start_cell", "range", "cell", "top_left"], "x-type" = "address"))]
    pub start: String,
    /// Rows of values; null clears a cell.
    #[schemars(extend("x-aliases" = ["rows", "data"], "x-refused" = {
        "fields": ["row", "index", "row_index", "row_number", "cell", "address"],
        "op": "set_cells",
        "why": "`set_range` writes one block of values from `start` on, each row as a list",
    }))]
    pub values: Vec<Vec<Value>>,
    /// The format of all cells of the block.
    #[schemars(extend("x-aliases" = ["format"], "x-cosmetic" = true, "x-inline" = true))]
    pub style: Option<CellStyle>,
}

/// Write rows below the data
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AppendRows {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Rows of values.
    #[schemars(extend("x-aliases" = ["values", "data"], "x-one-row" = true, "x-refused" = {
        "fields": ["row", "index", "row_index", "row_number", "cell", "address"],
        "op": "set_cells",
        "why": "`append_rows` adds rows below the data, each as a list of values",
    }))]
    pub rows: Vec<Vec<Value>>,
    /// The first column; the first of the data without it.
    #[schemars(extend("x-aliases" = ["start_col"], "x-type" = "column"))]
    pub start_column: Option<Value>,
    /// The format of all new cells.
    #[schemars(extend("x-aliases" = ["format"], "x-cosmetic" = true, "x-inline" = true))]
    pub style: Option<CellStyle>,
}

/// Give a range a number format
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetNumberFormat {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["cells", "cell"], "x-type" = "address"))]
    pub range: String,
    /// The format code, such as `#,##0.00`.
    #[schemars(extend("x-aliases" = ["number_format", "code", "format_code"]))]
    pub format: String,
}

/// Set widths of columns
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetColumnWidths {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The columns.
    #[schemars(extend("x-aliases" = ["widths", "column_widths"]))]
    pub columns: Vec<ColumnWidth>,
}

/// The width of a column.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-cosmetic" = true, "x-entry" = ["column", "width"]))]
pub struct ColumnWidth {
    /// Letters, or a number from 1.
    #[schemars(extend("x-aliases" = ["col", "letter"], "x-type" = "column"))]
    pub column: Value,
    /// Characters.
    #[schemars(range(min = 0, max = 255))]
    pub width: f64,
}

/// Set heights of rows
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetRowHeights {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The rows.
    #[schemars(extend("x-aliases" = ["heights", "row_heights"]))]
    pub rows: Vec<RowHeight>,
}

/// The height of a row.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-cosmetic" = true, "x-entry" = ["row", "height"]))]
pub struct RowHeight {
    /// Its number from 1.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub row: u32,
    /// Points.
    #[schemars(range(min = 0, max = 409))]
    pub height: f64,
}

/// Freeze the first rows and columns
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FreezePanes {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// How many rows.
    #[schemars(extend("x-aliases" = ["rows"]))]
    pub row: Option<u32>,
    /// How many columns.
    #[schemars(extend("x-aliases" = ["col", "columns"]))]
    pub column: Option<u32>,
}

/// Merge a range, or take merged cells apart
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct MergeCells {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells.
    #[schemars(extend("x-aliases" = ["cells"], "x-type" = "address"))]
    pub range: String,
    /// Take all merged areas in the range apart.
    pub unmerge: Option<bool>,
}

/// Rows to insert or delete
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct Rows {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The first row, from 1.
    #[schemars(extend("x-aliases" = ["start_row", "first_row"]), range(min = 1, max = 1_048_576))]
    pub row: u32,
    /// How many.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub count: Option<u32>,
}

/// Rename a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RenameSheet {
    /// Its present name.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "old_name", "from"], "x-type" = "name"))]
    pub sheet: String,
    /// Its new name.
    #[schemars(extend("x-aliases" = ["name", "new_sheet", "to"], "x-type" = "name"))]
    pub new_name: String,
}

/// Write totals by category over several sheets to a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SummarizeByCategory {
    /// The sheet for the totals; its content is replaced.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "target_sheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The sheets with the data.
    #[schemars(extend("x-aliases" = ["sources"]))]
    pub source_sheets: Vec<String>,
    /// The column with the categories, B without it.
    #[schemars(extend("x-aliases" = ["category_column"], "x-type" = "column"))]
    pub category_col: Option<Value>,
    /// The column with the amounts, C without it.
    #[schemars(extend("x-aliases" = ["amount_column"], "x-type" = "column"))]
    pub amount_col: Option<Value>,
    /// The header of the first column.
    pub category_header: Option<String>,
}

/// The format of cells. What is not given stays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CellStyle {
    /// Font family.
    #[schemars(extend("x-aliases" = ["font", "font_family"], "x-cosmetic" = true), length(max = 31))]
    pub font_name: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["size"], "x-cosmetic" = true), range(min = 1, max = 409))]
    pub font_size: Option<f64>,
    /// Bold.
    #[schemars(extend("x-aliases" = ["bold"], "x-cosmetic" = true))]
    pub font_bold: Option<bool>,
    /// Italic.
    #[schemars(extend("x-aliases" = ["italic", "italics"], "x-cosmetic" = true))]
    pub font_italic: Option<bool>,
    /// Underlined.
    #[schemars(extend("x-aliases" = ["underline", "underlined"], "x-cosmetic" = true, "x-type" = "underline"))]
    pub font_underline: Option<bool>,
    /// Colour of the text.
    #[schemars(extend("x-aliases" = ["color", "colour", "text_color", "font_colour"], "x-cosmetic" = true, "x-type" = "color"))]
    pub font_color: Option<String>,
    /// Colour behind the text.
    #[schemars(extend(
        "x-aliases" = ["fill", "background", "background_color", "bg_color", "bg", "fill_colour"],
        "x-cosmetic" = true,
        "x-type" = "color"
    ))]
    pub fill_color: Option<String>,
    /// Pattern behind the text.
    #[schemars(extend("x-aliases" = ["pattern"], "x-cosmetic" = true, "x-type" = "pattern"))]
    pub fill_pattern: Option<String>,
    /// How numbers are shown.
    #[schemars(extend("x-aliases" = ["format", "num_fmt", "numFmt", "format_code"], "x-cosmetic" = true), length(max = 255))]
    pub number_format: Option<String>,
    /// Horizontal alignment.
    #[schemars(extend(
        "x-aliases" = ["align", "alignment", "horizontal", "horizontal_alignment", "text_align", "halign"],
        "x-cosmetic" = true,
        "x-type" = "horizontal"
    ))]
    pub h_align: Option<String>,
    /// Vertical alignment.
    #[schemars(extend(
        "x-aliases" = ["vertical", "vertical_alignment", "vertical_align", "valign"],
        "x-cosmetic" = true,
        "x-type" = "vertical"
    ))]
    pub v_align: Option<String>,
    /// Break long text into lines.
    #[schemars(extend("x-aliases" = ["wrap"], "x-cosmetic" = true))]
    pub wrap_text: Option<bool>,
    /// All four edges.
    #[schemars(extend("x-aliases" = ["borders"], "x-cosmetic" = true))]
    pub border: Option<Border>,
    /// The upper edge.
    #[schemars(extend("x-cosmetic" = true))]
    pub border_top: Option<Border>,
    /// The lower edge.
    #[schemars(extend("x-cosmetic" = true))]
    pub border_bottom: Option<Border>,
    /// The left edge.
    #[schemars(extend("x-cosmetic" = true))]
    pub border_left: Option<Border>,
    /// The right edge.
    #[schemars(extend("x-cosmetic" = true))]
    pub border_right: Option<Border>,
}

/// An edge of a cell.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-text-field" = "style"))]
pub struct Border {
    /// Kind of line.
    #[schemars(extend("x-aliases" = ["line", "line_style", "type"], "x-cosmetic" = true, "x-type" = "border"))]
    pub style: Option<String>,
    /// Its colour.
    #[schemars(extend("x-aliases" = ["colour"], "x-cosmetic" = true, "x-type" = "color"))]
    pub color: Option<String>,
}
