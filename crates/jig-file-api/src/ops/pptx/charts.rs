//! Ops on the charts of a slide. Their data is in the op, and is kept in a workbook inside the presentation.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::PlaceFields;

/// Add a chart with its data
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddSlideChart {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The kind of chart; `combo` draws the first series as columns and the others as lines.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["chart_type", "kind"], "x-type" = "chart_type"))]
    pub kind: String,
    /// The categories, or the x values of a scatter chart.
    #[schemars(extend("x-aliases" = ["labels", "x_values"]))]
    pub categories: Option<Vec<Value>>,
    /// The series.
    #[schemars(extend("x-aliases" = ["datasets"]))]
    pub series: Option<Vec<SlideChartSeries>>,
    /// All data as rows: names of series first, then a category and its values in each row. Give this or `series`.
    #[schemars(extend("x-aliases" = ["data", "rows", "table"]))]
    pub values: Option<Vec<Vec<Value>>>,
    /// Its place.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The empty placeholder that takes it, by name or number.
    pub placeholder: Option<Value>,
    /// Name of the new shape.
    #[schemars(extend("x-aliases" = ["shape_name"]))]
    pub name: Option<String>,
    /// What it shows, for people who cannot see it.
    #[schemars(extend("x-aliases" = ["alt", "description"]))]
    pub alt_text: Option<String>,
    /// How it looks.
    #[serde(flatten)]
    pub look: SlideChartLook,
}

/// Change a chart: its data, kind or look
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct EditSlideChart {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The chart, by name or id; not needed if the slide has one.
    #[schemars(extend("x-aliases" = ["shape", "chart_name", "name", "id"]))]
    pub chart: Option<Value>,
    /// Another kind of chart.
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["chart_type", "kind"], "x-type" = "chart_type"))]
    pub kind: Option<String>,
    /// Other categories, or x values of a scatter chart.
    #[schemars(extend("x-aliases" = ["labels", "x_values"]))]
    pub categories: Option<Vec<Value>>,
    /// All series of the chart from now on.
    #[schemars(extend("x-aliases" = ["datasets"]))]
    pub series: Option<Vec<SlideChartSeries>>,
    /// All data from now on, as rows.
    #[schemars(extend("x-aliases" = ["data", "rows", "table"]))]
    pub values: Option<Vec<Vec<Value>>>,
    /// How it looks; what is not given stays.
    #[serde(flatten)]
    pub look: SlideChartLook,
}

/// Delete a chart with its data
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteSlideChart {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The chart, by name or id; not needed if the slide has one.
    #[schemars(extend("x-aliases" = ["shape", "chart_name", "name", "id"]))]
    pub chart: Option<Value>,
}

/// A series of a chart.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlideChartSeries {
    /// Its name.
    #[schemars(extend("x-aliases" = ["title", "label"]))]
    pub name: Option<String>,
    /// Its values; null for a gap.
    #[schemars(extend("x-aliases" = ["data", "y", "y_values"]))]
    pub values: Option<Vec<Option<f64>>>,
    /// Its own x values, in a scatter chart.
    #[schemars(extend("x-aliases" = ["x", "categories"]))]
    pub x_values: Option<Vec<Option<f64>>>,
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

/// How a chart on a slide looks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlideChartLook {
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
}
