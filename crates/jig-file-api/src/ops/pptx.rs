//! The ops of presentations.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

mod charts;
mod shapes;
mod structure;

pub use super::docx::TextOr;
pub use super::style::SlideRun;
use crate::ops;
pub use charts::{AddSlideChart, DeleteSlideChart, EditSlideChart, SlideChartLook, SlideChartSeries};
pub use shapes::{
    AddTextBox, DeleteShape, DeleteTableColumns, DeleteTableRows, InsertSlideTable, InsertTableColumns,
    InsertTableRows, MoveShape, PlaceFields, SetShapeText, TextStyle,
};
pub use structure::{
    AddSection, DeleteSlideSection, HideSlide, RenameSection, SetBackground, SetSlideLayout, ShowSlide,
};

ops! {
    format "pptx", usual [
        "add_slide", "set_slide_text", "append_bullets", "delete_slide", "move_slide", "duplicate_slide", "set_notes",
        "replace_text", "set_table_cells"];

    /// An op on a presentation.
    pub enum PptxOp {
        /// Adds a slide.
        AddSlide(AddSlide) = "add_slide",
        /// Sets title and main text of a slide.
        SetSlideText(SetSlideText) = "set_slide_text",
        /// Adds paragraphs to the main text of a slide.
        AppendBullets(AppendBullets) = "append_bullets",
        /// Deletes a slide.
        DeleteSlide(DeleteSlide) = "delete_slide",
        /// Moves a slide.
        MoveSlide(MoveSlide) = "move_slide",
        /// Copies a slide.
        DuplicateSlide(DuplicateSlide) = "duplicate_slide",
        /// Sets the notes of a slide.
        SetNotes(SetNotes) = "set_notes",
        /// Replaces text wherever it occurs.
        ReplaceText(ReplaceText) = "replace_text",
        /// Fills cells of a table.
        SetTableCells(SetTableCells) = "set_table_cells",
        /// Inserts an image.
        InsertImage(InsertImage) = "insert_image",
        /// Sets the text of any shape.
        SetShapeText(SetShapeText) = "set_shape_text",
        /// Adds a text box.
        AddTextBox(AddTextBox) = "add_text_box",
        /// Deletes a shape.
        DeleteShape(DeleteShape) = "delete_shape",
        /// Moves or resizes a shape.
        MoveShape(MoveShape) = "move_shape",
        /// Inserts a table.
        InsertTable(InsertSlideTable) = "insert_table",
        /// Inserts rows into a table.
        InsertTableRows(InsertTableRows) = "insert_table_rows",
        /// Deletes rows of a table.
        DeleteTableRows(DeleteTableRows) = "delete_table_rows",
        /// Inserts columns into a table.
        InsertTableColumns(InsertTableColumns) = "insert_table_columns",
        /// Deletes columns of a table.
        DeleteTableColumns(DeleteTableColumns) = "delete_table_columns",
        /// Hides a slide.
        HideSlide(HideSlide) = "hide_slide",
        /// Shows a hidden slide again.
        ShowSlide(ShowSlide) = "show_slide",
        /// Begins a section at a slide.
        AddSection(AddSection) = "add_section",
        /// Renames a section.
        RenameSection(RenameSection) = "rename_section",
        /// Deletes a section.
        DeleteSection(DeleteSlideSection) = "delete_section",
        /// Sets the background colour of a slide.
        SetBackground(SetBackground) = "set_background",
        /// Gives a slide another layout.
        SetSlideLayout(SetSlideLayout) = "set_slide_layout",
        /// Adds a chart with its data.
        AddChart(AddSlideChart) = "add_chart",
        /// Changes a chart.
        EditChart(EditSlideChart) = "edit_chart",
        /// Deletes a chart.
        DeleteChart(DeleteSlideChart) = "delete_chart",
    }
}

/// The format of paragraphs, which every op that writes text on a slide takes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ParagraphStyle {
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align", "text_align"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
    /// Points.
    #[schemars(extend("x-cosmetic" = true, "x-hidden" = true), range(min = 0, max = 1584))]
    pub space_before: Option<f64>,
    /// Points.
    #[schemars(extend("x-cosmetic" = true, "x-hidden" = true), range(min = 0, max = 1584))]
    pub space_after: Option<f64>,
    /// Times a line.
    #[schemars(extend("x-cosmetic" = true, "x-hidden" = true), range(min = 0.1, max = 100))]
    pub line_spacing: Option<f64>,
}

/// Add a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddSlide {
    /// Its layout, by name, key or index in the map.
    #[schemars(extend("x-aliases" = ["layout_name", "layout_index"]))]
    pub layout: Option<Value>,
    /// The master of the layout, by number in the map or name of its theme.
    pub master: Option<Value>,
    /// A slide whose layout it gets, from 0.
    #[schemars(extend("x-one-based" = ["like", "like_slide"]))]
    pub like_index: Option<usize>,
    /// Where it goes, from 0; at the end without it.
    #[schemars(extend("x-aliases" = ["slide_index", "position"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: Option<usize>,
    /// Its title.
    #[schemars(extend("x-join" = true))]
    pub title: Option<String>,
    /// Its title in pieces.
    pub title_runs: Option<Vec<TextOr<SlideRun>>>,
    /// Its main text; lines are paragraphs.
    #[schemars(extend("x-aliases" = ["text", "content", "bullets"], "x-join" = true))]
    pub body: Option<String>,
    /// Its main text in pieces.
    pub body_runs: Option<Vec<TextOr<SlideRun>>>,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// Set title and main text of a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetSlideText {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// Its title.
    #[schemars(extend("x-join" = true, "x-keep-on-empty" = true))]
    pub title: Option<String>,
    /// Its title in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub title_runs: Option<Vec<TextOr<SlideRun>>>,
    /// Its main text; lines are paragraphs.
    #[schemars(extend("x-aliases" = ["text", "content", "bullets"], "x-join" = true, "x-keep-on-empty" = true))]
    pub body: Option<String>,
    /// Its main text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub body_runs: Option<Vec<TextOr<SlideRun>>>,
    /// What to remove: `title`, `body` or both. An empty text keeps what is there.
    #[schemars(extend("x-hidden" = true))]
    pub clear: Option<Vec<SlideText>>,
    /// The shape that takes `body`, by name or placeholder number.
    #[schemars(extend("x-aliases" = ["shape"]))]
    pub placeholder: Option<Value>,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// A text of a slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SlideText {
    /// The title.
    Title,
    /// The main text.
    Body,
}

/// Add paragraphs to the main text of a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AppendBullets {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The paragraphs.
    #[schemars(extend("x-aliases" = ["items", "points"], "x-refused" = {
        "fields": ["index", "position", "slide", "slide_index", "bullet", "number"],
        "op": "set_slide_text",
        "why": "`append_bullets` adds paragraphs behind those that are there",
    }))]
    pub bullets: Vec<TextOr<Bullet>>,
    /// The shape that takes them, by name or placeholder number.
    #[schemars(extend("x-aliases" = ["shape"]))]
    pub placeholder: Option<Value>,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// A paragraph of a list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Bullet {
    /// Its text.
    #[schemars(extend("x-aliases" = ["value", "content"]))]
    pub text: Option<String>,
    /// How deep it is, from 0.
    #[schemars(extend("x-aliases" = ["indent_level"], "x-cosmetic" = true), range(min = 0, max = 8))]
    pub level: Option<usize>,
    /// Its text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<SlideRun>>>,
}

/// Delete a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteSlide {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
}

/// Move a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MoveSlide {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["index", "slide_index", "from_index"], "x-one-based" = ["slide", "slide_number", "from_slide"]))]
    pub from: usize,
    /// Where it goes, from 0.
    #[schemars(extend("x-aliases" = ["to_index", "new_index"], "x-one-based" = ["to_slide"]))]
    pub to: Option<usize>,
    /// The section whose last slide it becomes, by name or number from 1; give it or `to`.
    #[schemars(extend("x-aliases" = ["section_name", "to_section"]))]
    pub section: Option<Value>,
}

/// Copy a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DuplicateSlide {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// Where the copy goes, from 0; behind the slide without it.
    #[schemars(extend("x-aliases" = ["to_index"], "x-one-based" = ["to_slide"]))]
    pub to: Option<usize>,
}

/// Set the notes of a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetNotes {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The notes.
    #[schemars(extend("x-aliases" = ["notes", "value", "content"], "x-join" = true, "x-keep-on-empty" = true))]
    pub text: Option<String>,
    /// The notes in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<SlideRun>>>,
    /// Remove the notes; an empty text keeps them.
    #[schemars(extend("x-hidden" = true))]
    pub clear: Option<bool>,
    /// The format of its paragraphs.
    #[serde(flatten)]
    pub style: ParagraphStyle,
}

/// Replace text wherever it occurs
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReplaceText {
    /// What to look for.
    #[schemars(extend("x-aliases" = ["find", "old", "old_text", "search_text", "find_text"]))]
    pub search: String,
    /// What to put in its place.
    #[schemars(extend("x-aliases" = ["replacement", "replace_with", "new", "new_text", "with", "replacement_text", "replace_text"]))]
    pub replace: String,
    /// Whether upper and lower case differ.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["case_sensitive"]))]
    pub match_case: bool,
    /// Only on this slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: Option<usize>,
    /// Replace in layouts and masters too.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["include_layouts", "masters"]))]
    pub layouts: bool,
}

/// Fill cells of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetTableCells {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The table, by number from 0 or name; the first without it.
    #[schemars(extend("x-aliases" = ["table_index", "shape"]))]
    pub table: Option<Value>,
    /// The cells.
    pub cells: Vec<SlideTableCell>,
}

/// A cell of a table.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SlideTableCell {
    /// Its row, from 0.
    #[schemars(extend("x-aliases" = ["row_index"]))]
    pub row: usize,
    /// Its column, from 0.
    #[schemars(extend("x-aliases" = ["column", "col_index", "column_index"]))]
    pub col: usize,
    /// Its text.
    #[schemars(extend("x-aliases" = ["value", "content"], "x-join" = true))]
    pub text: Option<String>,
    /// Its text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<SlideRun>>>,
}

/// Insert an image
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertImage {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// A file of the workbench.
    #[schemars(extend("x-aliases" = ["image_path", "image", "file"]))]
    pub path: Option<String>,
    /// The image itself.
    #[schemars(extend("x-aliases" = ["data", "base64"]))]
    pub data_base64: Option<String>,
    /// Inches from the left.
    #[schemars(extend("x-aliases" = ["x"], "x-cosmetic" = true))]
    pub left: Option<f64>,
    /// Inches from the top.
    #[schemars(extend("x-aliases" = ["y"], "x-cosmetic" = true))]
    pub top: Option<f64>,
    /// Inches.
    #[schemars(extend("x-cosmetic" = true))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-cosmetic" = true))]
    pub height: Option<f64>,
    /// The placeholder that takes it, by name or number.
    pub placeholder: Option<Value>,
    /// The picture that it replaces, by name or id.
    #[schemars(extend("x-aliases" = ["replace", "shape", "picture"]))]
    pub replaces: Option<Value>,
    /// How it fills a placeholder or the place of another: `crop` (default), `contain` or `stretch`.
    #[schemars(extend("x-aliases" = ["fit_mode"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "image_fit"))]
    pub fit: Option<String>,
    /// What it shows, for people who cannot see it.
    #[schemars(extend("x-aliases" = ["alt", "description"]))]
    pub alt_text: Option<String>,
    /// Name of the new shape.
    pub name: Option<String>,
}

impl TextOr<Bullet> {
    /// As fields, a plain text too.
    pub fn into_fields(self) -> Bullet {
        match self {
            Self::Text(text) => Bullet { text: Some(text), ..Bullet::default() },
            Self::Fields(fields) => fields,
        }
    }
}
