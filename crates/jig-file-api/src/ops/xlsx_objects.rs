//! The ops on objects of a sheet: charts, conditional formats, tables, validation, images, sparklines, pivot tables.

use schemars::JsonSchema;
use serde::Deserialize;

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
