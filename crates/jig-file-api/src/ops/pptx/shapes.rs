//! Ops on the shapes of a slide: text, place, tables.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Bullet, ParagraphStyle, SlideRun, TextOr};

/// The format of all runs of a text; a run's own format wins.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TextStyle {
    /// Font family.
    #[schemars(extend("x-aliases" = ["font", "font_family"], "x-cosmetic" = true, "x-hidden" = true))]
    pub font_name: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["size", "fontsize"], "x-cosmetic" = true, "x-hidden" = true), range(min = 1, max = 4000))]
    pub font_size: Option<f64>,
    /// Bold.
    #[schemars(extend("x-aliases" = ["font_bold", "is_bold"], "x-cosmetic" = true, "x-hidden" = true))]
    pub bold: Option<bool>,
    /// Italic.
    #[schemars(extend("x-aliases" = ["font_italic", "italics", "is_italic"], "x-cosmetic" = true, "x-hidden" = true))]
    pub italic: Option<bool>,
    /// Underlined.
    #[schemars(extend("x-aliases" = ["font_underline", "underlined"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "underline"))]
    pub underline: Option<bool>,
    /// Colour of the text.
    #[schemars(extend("x-aliases" = ["color", "colour", "text_color", "font_colour"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "color"))]
    pub font_color: Option<String>,
}

/// A place on a slide, in inches from its top left corner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlaceFields {
    /// Inches from the left edge of the slide.
    #[schemars(extend("x-aliases" = ["x"]))]
    pub left: Option<f64>,
    /// Inches from the top edge of the slide.
    #[schemars(extend("x-aliases" = ["y"]))]
    pub top: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["w"]))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["h"]))]
    pub height: Option<f64>,
}

/// Set the text of any shape, in groups too
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetShapeText {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The shape, by name, id or address, as slide content lists them.
    #[schemars(extend("x-aliases" = ["shape_name", "shape_id", "name", "id", "placeholder"]))]
    pub shape: Value,
    /// Its text; lines are paragraphs.
    #[schemars(extend("x-aliases" = ["value", "content", "body"], "x-join" = true, "x-keep-on-empty" = true))]
    pub text: Option<String>,
    /// Its text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<SlideRun>>>,
    /// Its text as paragraphs with levels.
    #[schemars(extend("x-aliases" = ["bullets", "lines"], "x-keep-on-empty" = true))]
    pub paragraphs: Option<Vec<TextOr<Bullet>>>,
    /// Add behind the text that is there, instead of replacing it.
    pub append: Option<bool>,
    /// Remove the text; an empty text keeps it.
    #[schemars(extend("x-hidden" = true))]
    pub clear: Option<bool>,
    /// The format of its runs.
    #[serde(flatten)]
    pub text_style: TextStyle,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// Add a text box
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddTextBox {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// Its text; lines are paragraphs.
    #[schemars(extend("x-aliases" = ["value", "content", "body"], "x-join" = true))]
    pub text: Option<String>,
    /// Its text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<SlideRun>>>,
    /// Its text as paragraphs with levels.
    #[schemars(extend("x-aliases" = ["bullets", "lines"], "x-keep-on-empty" = true))]
    pub paragraphs: Option<Vec<TextOr<Bullet>>>,
    /// Its place.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Name of the new shape.
    #[schemars(extend("x-aliases" = ["shape_name"]))]
    pub name: Option<String>,
    /// Colour behind the text.
    #[schemars(extend("x-aliases" = ["fill", "background", "background_color"], "x-cosmetic" = true, "x-type" = "color"))]
    pub fill_color: Option<String>,
    /// The format of its runs.
    #[serde(flatten)]
    pub text_style: TextStyle,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// Delete a shape, with what only it uses
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteShape {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The shape, by name, id or address.
    #[schemars(extend("x-aliases" = ["shape_name", "shape_id", "name", "id", "placeholder"]))]
    pub shape: Value,
}

/// Move or resize a shape
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MoveShape {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The shape, by name, id or address.
    #[schemars(extend("x-aliases" = ["shape_name", "shape_id", "name", "id", "placeholder"]))]
    pub shape: Value,
    /// Its new place; what is not given stays.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Degrees, clockwise.
    #[schemars(extend("x-aliases" = ["angle"]), range(min = -360, max = 360))]
    pub rotation: Option<f64>,
}

/// Insert a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertSlideTable {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// How many rows; as many as `values` has without it.
    #[schemars(extend("x-aliases" = ["row_count", "num_rows"]), range(min = 1, max = 1000))]
    pub rows: Option<usize>,
    /// How many columns; as many as `values` has without it.
    #[schemars(extend("x-aliases" = ["cols", "column_count", "col_count", "num_columns"]), range(min = 1, max = 250))]
    pub columns: Option<usize>,
    /// Its texts, row by row.
    #[schemars(extend("x-aliases" = ["data", "cells", "content"]))]
    pub values: Option<Vec<Vec<Value>>>,
    /// Its place; `height` is the least height.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Inches, column by column.
    #[schemars(extend("x-aliases" = ["col_widths", "widths"], "x-cosmetic" = true))]
    pub column_widths: Option<Vec<f64>>,
    /// A table style of the deck by name or GUID, `Medium Style 2 - Accent 1` to `6`, `No Style, Table Grid` or `No Style, No Grid`.
    #[schemars(extend("x-aliases" = ["table_style", "style_name"]))]
    pub style: Option<String>,
    /// Whether the first row is a header row (default true).
    #[schemars(extend("x-aliases" = ["first_row", "has_header"], "x-cosmetic" = true))]
    pub header_row: Option<bool>,
    /// Whether rows are banded (default true).
    #[schemars(extend("x-aliases" = ["banding"], "x-cosmetic" = true))]
    pub banded_rows: Option<bool>,
    /// The empty placeholder that takes it, by name or number.
    pub placeholder: Option<Value>,
    /// Name of the new shape.
    #[schemars(extend("x-aliases" = ["shape_name"]))]
    pub name: Option<String>,
}

/// Insert rows into a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertTableRows {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The table, by number from 0, or name; the first without it.
    #[schemars(extend("x-aliases" = ["table_index", "shape"]))]
    pub table: Option<Value>,
    /// The row that they go before, from 0; at the end without it.
    #[schemars(extend("x-aliases" = ["row_index", "at", "position", "before"]))]
    pub row: Option<usize>,
    /// How many; as many as `values` has without it.
    #[schemars(range(min = 1, max = 1000))]
    pub count: Option<usize>,
    /// Their texts, row by row.
    #[schemars(extend("x-aliases" = ["rows", "data"], "x-one-row" = true))]
    pub values: Option<Vec<Vec<Value>>>,
}

/// Delete rows of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTableRows {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The table, by number from 0, or name; the first without it.
    #[schemars(extend("x-aliases" = ["table_index", "shape"]))]
    pub table: Option<Value>,
    /// The first row, from 0.
    #[schemars(extend("x-aliases" = ["row_index", "at"]))]
    pub row: usize,
    /// How many (default 1).
    #[schemars(range(min = 1, max = 1000))]
    pub count: Option<usize>,
}

/// Insert columns into a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertTableColumns {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The table, by number from 0, or name; the first without it.
    #[schemars(extend("x-aliases" = ["table_index", "shape"]))]
    pub table: Option<Value>,
    /// The column that they go before, from 0; at the end without it.
    #[schemars(extend("x-aliases" = ["column", "col_index", "column_index", "at", "position", "before"]))]
    pub col: Option<usize>,
    /// How many; as many as `values` has without it.
    #[schemars(range(min = 1, max = 250))]
    pub count: Option<usize>,
    /// Their texts, column by column.
    #[schemars(extend("x-aliases" = ["columns", "data"], "x-one-row" = true))]
    pub values: Option<Vec<Vec<Value>>>,
}

/// Delete columns of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTableColumns {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The table, by number from 0, or name; the first without it.
    #[schemars(extend("x-aliases" = ["table_index", "shape"]))]
    pub table: Option<Value>,
    /// The first column, from 0.
    #[schemars(extend("x-aliases" = ["column", "col_index", "column_index", "at"]))]
    pub col: usize,
    /// How many (default 1).
    #[schemars(range(min = 1, max = 250))]
    pub count: Option<usize>,
}
