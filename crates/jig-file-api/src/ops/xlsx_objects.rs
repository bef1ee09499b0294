//! The ops on objects of a sheet: charts, conditional formats, tables, validation, images, sparklines, pivot tables.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::xlsx::CellStyle;

/// Add a chart
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddChart {
    /// The sheet to put the chart on; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The kind of chart; `combo` draws the first series as columns and the others as lines.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["chart_type", "kind"], "x-type" = "chart_type"))]
    pub kind: String,
    /// The data with headers and categories, such as `A1:C13`; series are taken from its columns. Give this or `series`.
    #[schemars(extend("x-aliases" = ["data", "data_range", "source", "source_range"]))]
    pub range: Option<String>,
    /// The series.
    pub series: Option<Vec<ChartSeries>>,
    /// The cells with the categories (x values of a scatter chart) of all series.
    #[schemars(extend("x-aliases" = ["labels", "category_range", "categories_range", "x_values", "x_range"]))]
    pub categories: Option<String>,
    /// How it looks and where it is.
    #[serde(flatten)]
    pub look: ChartLook,
}

/// Change a chart
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct EditChart {
    /// The sheet with the chart.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Its name, its title, or its number on the sheet from 1; not needed if the sheet has one chart.
    #[schemars(extend("x-aliases" = ["chart_name", "chart_id", "id", "number"], "x-type" = "name"))]
    pub chart: Option<String>,
    /// Another kind of chart.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["chart_type", "kind"], "x-type" = "chart_type"))]
    pub kind: Option<String>,
    /// Other data, with headers and categories.
    #[schemars(extend("x-aliases" = ["data", "data_range", "source", "source_range"]))]
    pub range: Option<String>,
    /// All series of the chart from now on.
    pub series: Option<Vec<ChartSeries>>,
    /// Other cells with the categories of all series.
    #[schemars(extend("x-aliases" = ["labels", "category_range", "categories_range", "x_values", "x_range"]))]
    pub categories: Option<String>,
    /// How it looks and where it is; what is not given stays.
    #[serde(flatten)]
    pub look: ChartLook,
}

/// Delete a chart
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteChart {
    /// The sheet with the chart.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Its name, its title, or its number on the sheet from 1; not needed if the sheet has one chart.
    #[schemars(extend("x-aliases" = ["chart_name", "chart_id", "id", "number", "name"], "x-type" = "name"))]
    pub chart: Option<String>,
}

/// A series of a chart.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-text-field" = "values"))]
pub struct ChartSeries {
    /// The cells with its values, such as `B2:B13`, `Sheet2!B2:B13` or `Sales[Amount]`.
    #[schemars(extend("x-aliases" = ["range", "data", "y", "y_values", "ref"]))]
    pub values: Option<String>,
    /// The cell with its name, such as `B1`, or the name itself.
    #[schemars(extend("x-aliases" = ["title", "label"]))]
    pub name: Option<String>,
    /// The cells with its categories, or the x values of a scatter chart.
    #[schemars(extend("x-aliases" = ["labels", "x", "x_values", "category_range"]))]
    pub categories: Option<String>,
    /// How a combo chart draws it: column, line or area.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["chart_type", "kind"], "x-type" = "chart_type"))]
    pub kind: Option<String>,
    /// Whether it belongs to the second value axis, on the right.
    #[schemars(extend("x-aliases" = ["secondary", "y2", "y2_axis", "second_axis"]))]
    pub secondary_axis: Option<bool>,
    /// Its colour.
    #[schemars(extend("x-aliases" = ["colour", "fill", "fill_color", "line_color"], "x-cosmetic" = true, "x-type" = "color"))]
    pub color: Option<String>,
}

/// How a chart looks and where it is.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChartLook {
    /// The name of the chart as an object.
    #[schemars(extend("x-aliases" = ["new_name", "object_name"]), length(max = 255))]
    pub name: Option<String>,
    /// Its title; an empty text removes it.
    #[schemars(extend("x-aliases" = ["chart_title"], "x-empty" = true), length(max = 1000))]
    pub title: Option<String>,
    /// The title of the axis with the categories (x values); an empty text removes it.
    #[schemars(extend("x-aliases" = ["x_axis", "x_title", "category_axis_title", "xlabel"], "x-empty" = true), length(max = 1000))]
    pub x_axis_title: Option<String>,
    /// The title of the axis with the values; an empty text removes it.
    #[schemars(extend("x-aliases" = ["y_axis", "y_title", "value_axis_title", "ylabel"], "x-empty" = true), length(max = 1000))]
    pub y_axis_title: Option<String>,
    /// The title of the second value axis; an empty text removes it.
    #[schemars(extend("x-aliases" = ["secondary_axis_title", "y2_title"], "x-empty" = true), length(max = 1000))]
    pub y2_axis_title: Option<String>,
    /// Where the legend is: right, left, top, bottom, top_right or none.
    #[schemars(extend("x-aliases" = ["legend_position", "show_legend"], "x-cosmetic" = true, "x-type" = "legend"))]
    pub legend: Option<String>,
    /// Whether the values of a category are stacked: none, stacked or percent.
    #[schemars(extend("x-aliases" = ["stack", "grouping", "stacking"], "x-cosmetic" = true, "x-type" = "stacking"))]
    pub stacked: Option<String>,
    /// What is written at the data points: none, value, percent, category or category_percent.
    #[schemars(extend("x-aliases" = ["labels_shown", "show_data_labels", "data_label"], "x-cosmetic" = true, "x-type" = "data_labels"))]
    pub data_labels: Option<String>,
    /// The number format of the axis with the values, such as `#,##0`.
    #[schemars(extend("x-aliases" = ["axis_number_format", "y_number_format", "format"], "x-cosmetic" = true), length(max = 255))]
    pub number_format: Option<String>,
    /// The lowest value of the axis with the values.
    #[schemars(extend("x-aliases" = ["y_axis_min", "axis_min", "min"], "x-cosmetic" = true))]
    pub y_min: Option<f64>,
    /// The highest value of the axis with the values.
    #[schemars(extend("x-aliases" = ["y_axis_max", "axis_max", "max"], "x-cosmetic" = true))]
    pub y_max: Option<f64>,
    /// The cell of its top left corner, such as `F2`, or the cells it covers, such as `F2:M20`.
    #[schemars(extend("x-aliases" = ["position", "cell", "at", "location", "top_left"]))]
    pub anchor: Option<String>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["width_inches"], "x-cosmetic" = true), range(min = 0.5, max = 40))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["height_inches"], "x-cosmetic" = true), range(min = 0.5, max = 40))]
    pub height: Option<f64>,
}

/// Format cells by a rule
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddConditionalFormat {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, such as `B2:B20`; several ranges are separated by commas.
    #[schemars(extend("x-aliases" = ["cells", "sqref", "ranges"]))]
    pub range: String,
    /// The rule, such as `greater_than`, `text_contains`, `top`, `duplicate`, `formula`, `color_scale`, `data_bar` or `icon_set`.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["rule", "rule_type", "condition", "kind"], "x-type" = "format_rule"))]
    pub rule: Option<String>,
    /// The comparison, if `type` is `cell_value`.
    #[schemars(extend("x-aliases" = ["criteria", "comparison"], "x-hidden" = true, "x-type" = "format_rule"))]
    pub operator: Option<String>,
    /// What cells are compared with: a number, a text, a date `2024-01-31`, or a formula such as `=$B$1`.
    #[schemars(extend("x-aliases" = ["value1", "text", "threshold", "minimum", "min", "period"]))]
    pub value: Option<Value>,
    /// The upper end of `between` and `not_between`.
    #[schemars(extend("x-aliases" = ["maximum", "max", "upper"]))]
    pub value2: Option<Value>,
    /// The formula of the rule `formula`, written for the first cell of the range, such as `=$C2>100`.
    #[schemars(extend("x-aliases" = ["expression", "formula1"]))]
    pub formula: Option<String>,
    /// How many cells `top` and `bottom` take; 10 without it.
    #[schemars(extend("x-aliases" = ["count", "n"]), range(min = 1, max = 1000))]
    pub rank: Option<u32>,
    /// Whether `rank` is a percentage.
    pub percent: Option<bool>,
    /// The format of cells that match; red on light red without it.
    #[schemars(extend("x-aliases" = ["format"], "x-inline" = true))]
    pub style: Option<CellStyle>,
    /// Two or three colours of a colour scale from low to high, or the colour of data bars.
    #[schemars(extend("x-aliases" = ["colours", "color_scale_colors", "scale", "bar_color"]))]
    pub colors: Option<Vec<String>>,
    /// The icons, such as `3TrafficLights1`, `3Arrows` or `5Rating`.
    #[schemars(extend("x-aliases" = ["icon_set", "icon_style", "iconset"], "x-cosmetic" = true, "x-type" = "icon_set"))]
    pub icons: Option<String>,
    /// Whether the icons are in reverse order.
    #[schemars(extend("x-aliases" = ["reverse_icons", "reversed"]))]
    pub reverse: Option<bool>,
    /// Whether the values are shown beside bars and icons.
    #[schemars(extend("x-aliases" = ["show_value"]))]
    pub show_values: Option<bool>,
    /// Whether later rules do not apply to cells that match.
    pub stop_if_true: Option<bool>,
}

/// Remove conditional formats
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ClearConditionalFormats {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells; all of the sheet without it.
    #[schemars(extend("x-aliases" = ["cells", "sqref"]))]
    pub range: Option<String>,
}

/// Restrict what cells accept
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetDataValidation {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells, such as `B2:B20`; several ranges are separated by commas.
    #[schemars(extend("x-aliases" = ["cells", "cell", "sqref", "ranges"]))]
    pub range: String,
    /// What they accept: list, whole, decimal, date, time, text_length or custom.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["validation_type", "kind", "validate", "allow"], "x-type" = "validation"))]
    pub kind: String,
    /// The values of a list.
    #[schemars(extend("x-aliases" = ["options", "items", "choices", "list"]))]
    pub values: Option<Vec<Value>>,
    /// The cells with the values of a list, such as `Lists!A2:A9`.
    #[schemars(extend("x-aliases" = ["source_range", "list_range"]))]
    pub source: Option<String>,
    /// How a value is compared; `between` if `value2` is given.
    #[schemars(extend("x-aliases" = ["criteria", "condition", "comparison"], "x-type" = "comparison"))]
    pub operator: Option<String>,
    /// The value or the lower end: a number, a date `2024-01-31`, a time `08:30`, or a formula such as `=B1`.
    #[schemars(extend("x-aliases" = ["value1", "minimum", "min", "formula1"]))]
    pub value: Option<Value>,
    /// The upper end of `between` and `not_between`.
    #[schemars(extend("x-aliases" = ["maximum", "max", "formula2"]))]
    pub value2: Option<Value>,
    /// The formula of `custom`, written for the first cell of the range, such as `=COUNTIF($A:$A,A2)=1`.
    #[schemars(extend("x-aliases" = ["expression"]))]
    pub formula: Option<String>,
    /// Whether blank cells are accepted; true without it.
    #[schemars(extend("x-aliases" = ["ignore_blank"]))]
    pub allow_blank: Option<bool>,
    /// Whether a list is offered in the cell; true without it.
    #[schemars(extend("x-aliases" = ["show_dropdown", "in_cell_dropdown"]))]
    pub dropdown: Option<bool>,
    /// What happens with other values: stop, warning or information.
    #[schemars(extend("x-aliases" = ["alert_style"], "x-cosmetic" = true, "x-type" = "error_style"))]
    pub error_style: Option<String>,
    /// The title of the error.
    #[schemars(length(max = 32))]
    pub error_title: Option<String>,
    /// The text of the error.
    #[schemars(extend("x-aliases" = ["error"]), length(max = 225))]
    pub error_message: Option<String>,
    /// The title of the hint beside the cell.
    #[schemars(extend("x-aliases" = ["prompt_title"]), length(max = 32))]
    pub input_title: Option<String>,
    /// The text of the hint beside the cell.
    #[schemars(extend("x-aliases" = ["prompt", "prompt_message", "input"]), length(max = 255))]
    pub input_message: Option<String>,
}

/// Remove data validation
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ClearDataValidation {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells; all of the sheet without it.
    #[schemars(extend("x-aliases" = ["cells", "sqref"]))]
    pub range: Option<String>,
}

/// Turn cells into a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddTable {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells with the headers in the first row, such as `A1:D20`.
    #[schemars(extend("x-aliases" = ["cells", "ref", "data_range"], "x-type" = "address"))]
    pub range: String,
    /// Its name, by which formulas refer to it, such as `Sales`; `Table1` and so on without it.
    #[schemars(extend("x-aliases" = ["table_name", "table", "display_name"]))]
    pub name: Option<String>,
    /// How it looks.
    #[serde(flatten)]
    pub look: TableLook,
}

/// Change a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct EditTable {
    /// Its name; not needed if the sheet has one table.
    #[schemars(extend("x-aliases" = ["table_name", "name"], "x-type" = "name"))]
    pub table: Option<String>,
    /// The sheet with the table.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: Option<String>,
    /// Its new name; formulas are changed with it.
    #[schemars(extend("x-aliases" = ["rename", "rename_to", "display_name"]))]
    pub new_name: Option<String>,
    /// The cells it covers from now on, headers included; the row of headers stays.
    #[schemars(extend("x-aliases" = ["ref", "resize", "new_range"], "x-type" = "address"))]
    pub range: Option<String>,
    /// How it looks; what is not given stays.
    #[serde(flatten)]
    pub look: TableLook,
}

/// Turn a table into plain cells
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTable {
    /// Its name; not needed if the sheet has one table.
    #[schemars(extend("x-aliases" = ["table_name", "name"], "x-type" = "name"))]
    pub table: Option<String>,
    /// The sheet with the table.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: Option<String>,
}

/// How a table looks.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TableLook {
    /// Its style, such as `TableStyleMedium2`, or `none`.
    #[schemars(extend("x-aliases" = ["style_name", "table_style"]))]
    pub style: Option<String>,
    /// Whether it has a row of totals below its data.
    #[schemars(extend("x-aliases" = ["total_row", "show_totals"]))]
    pub totals_row: Option<bool>,
    /// What the row of totals shows in a column.
    #[schemars(extend("x-aliases" = ["total_functions", "totals_functions"]))]
    pub totals: Option<Vec<TableTotal>>,
    /// Whether every second row is shaded.
    #[schemars(extend("x-aliases" = ["show_row_stripes", "row_stripes"], "x-cosmetic" = true))]
    pub banded_rows: Option<bool>,
    /// Whether every second column is shaded.
    #[schemars(extend("x-aliases" = ["show_column_stripes", "column_stripes"], "x-cosmetic" = true))]
    pub banded_columns: Option<bool>,
    /// Whether the first column is emphasized.
    #[schemars(extend("x-aliases" = ["show_first_column"], "x-cosmetic" = true))]
    pub first_column: Option<bool>,
    /// Whether the last column is emphasized.
    #[schemars(extend("x-aliases" = ["show_last_column"], "x-cosmetic" = true))]
    pub last_column: Option<bool>,
}

/// The total of a column.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-entry" = ["column", "function"]))]
pub struct TableTotal {
    /// The header of the column.
    #[schemars(extend("x-aliases" = ["header", "name", "field"]))]
    pub column: String,
    /// sum, average, count, count_numbers, max, min, std_dev, var or none.
    #[schemars(extend("x-aliases" = ["total", "aggregate", "type"], "x-type" = "total"))]
    pub function: Option<String>,
    /// A text instead of a function.
    #[schemars(extend("x-aliases" = ["text"]))]
    pub label: Option<String>,
}

/// Put an image on a sheet
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertImage {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// A file of the workbench: png, jpeg, gif or bmp.
    #[schemars(extend("x-aliases" = ["image_path", "image", "file"]))]
    pub path: Option<String>,
    /// The image itself.
    #[schemars(extend("x-aliases" = ["data", "base64"]))]
    pub data_base64: Option<String>,
    /// The cell of its top left corner, such as `F2`, or the cells it covers, such as `F2:H10`.
    #[schemars(extend("x-aliases" = ["cell", "position", "at", "location", "top_left"]))]
    pub anchor: Option<String>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["width_inches"], "x-cosmetic" = true), range(min = 0.01, max = 100))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["height_inches"], "x-cosmetic" = true), range(min = 0.01, max = 100))]
    pub height: Option<f64>,
    /// What it shows, for people who cannot see it.
    #[schemars(extend("x-aliases" = ["alt", "description"]))]
    pub alt_text: Option<String>,
    /// The name of the image as an object.
    #[schemars(length(max = 255))]
    pub name: Option<String>,
}

/// Delete an image
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteImage {
    /// The sheet with the image.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// Its name, its alternative text, or its number on the sheet from 1; not needed if the sheet has one image.
    #[schemars(extend("x-aliases" = ["image_name", "name", "id", "number"], "x-type" = "name"))]
    pub image: Option<String>,
}

/// Draw sparklines in cells
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddSparklines {
    /// The sheet; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells to draw in: one row or one column, such as `F2:F9`.
    #[schemars(extend("x-aliases" = ["location", "cells", "target", "cell"], "x-type" = "address"))]
    pub range: String,
    /// The data, such as `B2:E9`: a row or a column of it for each cell.
    #[schemars(extend("x-aliases" = ["data_range", "source", "values"]))]
    pub data: String,
    /// line, column or win_loss.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["kind", "sparkline_type"], "x-cosmetic" = true, "x-type" = "sparkline"))]
    pub kind: Option<String>,
    /// Their colour.
    #[schemars(extend("x-aliases" = ["colour", "line_color"], "x-cosmetic" = true, "x-type" = "color"))]
    pub color: Option<String>,
    /// Whether the points of a line are marked.
    #[schemars(extend("x-aliases" = ["show_markers"], "x-cosmetic" = true))]
    pub markers: Option<bool>,
    /// Whether the highest and lowest points are emphasized.
    #[schemars(extend("x-aliases" = ["show_high_low"], "x-cosmetic" = true))]
    pub high_low: Option<bool>,
}

/// Remove sparklines
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ClearSparklines {
    /// The sheet.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The cells they are drawn in; all of the sheet without it.
    #[schemars(extend("x-aliases" = ["cells", "location"]))]
    pub range: Option<String>,
}

/// Summarize data in a pivot table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddPivotTable {
    /// The sheet to put it on; it is created if it does not exist.
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "target_sheet", "destination_sheet"], "x-type" = "name"))]
    pub sheet: String,
    /// The data with headers in the first row: cells such as `Data!A1:D99`, or the name of a table.
    #[schemars(extend("x-aliases" = ["data", "range", "source_range", "data_range"]))]
    pub source: String,
    /// The headers of the fields whose values become rows.
    #[schemars(extend("x-aliases" = ["row_fields", "row", "index", "group_by"]))]
    pub rows: Vec<String>,
    /// The header of the field whose values become columns.
    #[schemars(extend("x-aliases" = ["column_fields", "column"]))]
    pub columns: Option<Vec<String>>,
    /// What is calculated.
    #[schemars(extend("x-aliases" = ["value_fields", "value", "data_fields"]))]
    pub values: Vec<PivotValue>,
    /// The headers of fields to filter by; all values are shown at first.
    #[schemars(extend("x-aliases" = ["filter_fields", "page_fields", "pages"]))]
    pub filters: Option<Vec<String>>,
    /// The cell of its top left corner; A1 without it.
    #[schemars(extend("x-aliases" = ["cell", "position", "at", "location", "target_cell", "destination"]))]
    pub anchor: Option<String>,
    /// Its name.
    #[schemars(extend("x-aliases" = ["pivot_name", "pivot_table"]), length(max = 255))]
    pub name: Option<String>,
}

/// A value of a pivot table.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-entry" = ["field", "function"], "x-text-field" = "field"))]
pub struct PivotValue {
    /// The header of the field.
    #[schemars(extend("x-aliases" = ["column", "header", "source"]))]
    pub field: String,
    /// sum, count, average, min or max; sum without it.
    #[schemars(extend("x-aliases" = ["aggregate", "aggregation", "agg", "summarize_by", "type"], "x-type" = "total"))]
    pub function: Option<String>,
    /// The header that it gets, such as `Total sales`.
    #[schemars(extend("x-aliases" = ["label", "title", "caption"]), length(max = 255))]
    pub name: Option<String>,
    /// How its numbers are shown, such as `#,##0`.
    #[schemars(extend("x-aliases" = ["format"], "x-cosmetic" = true), length(max = 255))]
    pub number_format: Option<String>,
}
