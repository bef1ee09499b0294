//! Reads of presentations: what a caller can ask for, and the replies.
//!
//! The order of the fields is that of the JSON. A field that is left out of the JSON when it has no value is marked with
//! `skip_serializing_if`; every other `None` is `null`. Lengths are in EMU unless a field says otherwise.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ChunkInfo;

/// Which text of a presentation is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TextQuery {
    /// Only this slide, from 0.
    #[serde(alias = "index")]
    pub slide_index: Option<usize>,
}

/// Which slide is read, and how.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SlideQuery {
    /// The slide, from 0.
    #[serde(alias = "index")]
    pub slide_index: usize,
    /// How much of it.
    pub detail: SlideDetail,
}

/// How much of a slide is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlideDetail {
    /// Its shapes.
    #[default]
    LayoutLite,
    /// Its shapes once more, each placed in parts of the slide.
    Positioned,
}

/// Reply of `PptxGetMap`: what is where, without the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeckMap {
    /// The slides.
    pub slides: Vec<SlideEntry>,
    /// How many there are.
    pub slide_count: usize,
    /// Their size.
    pub slide_size: SlideSize,
    /// Named sections.
    pub sections: Vec<DeckSection>,
    /// Layouts of all masters.
    pub layouts: Vec<LayoutEntry>,
    /// Whether the presentation has a notes master.
    pub has_notes_master: bool,
    /// What could not be read.
    pub warnings: Vec<String>,
}

/// The size of slides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SlideSize {
    /// Width.
    pub width: i64,
    /// Height.
    pub height: i64,
    /// `emu`.
    pub unit: &'static str,
}

/// A slide in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SlideEntry {
    /// One that could be read.
    Read(SlideSummary),
    /// One that could not.
    Unreadable {
        /// Its index, from 0.
        index: usize,
        /// Unknown.
        title: (),
        /// Unknown.
        layout: (),
        /// What is wrong.
        error: String,
    },
}

/// What a slide holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideSummary {
    /// Its index, from 0.
    pub index: usize,
    /// Its title.
    pub title: Option<String>,
    /// The name of its layout.
    pub layout: Option<String>,
    /// Whether it holds images.
    pub has_images: bool,
    /// Whether it holds charts.
    pub has_charts: bool,
    /// Whether it has notes.
    pub has_notes: bool,
    /// Whether it holds tables.
    pub has_tables: bool,
    /// Whether it holds SmartArt.
    pub has_smart_art: bool,
    /// Whether it holds video or sound.
    pub has_media: bool,
    /// Whether it has comments.
    pub has_comments: bool,
    /// Whether the show skips it.
    pub hidden: bool,
    /// The name of its section.
    pub section: Option<String>,
    /// Its shapes, those in groups included.
    pub shape_count: usize,
    /// Its images.
    pub image_count: usize,
    /// Characters of its text.
    pub char_count: usize,
}

/// A named section with its slides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeckSection {
    /// Its name.
    pub name: String,
    /// The indexes of its slides.
    pub slides: Vec<usize>,
}

/// A layout in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutEntry {
    /// Its index among all layouts, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its type, such as `titleOnly`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The index of its master.
    pub master: usize,
}

/// Reply of `PptxExtractText`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DeckText {
    /// The text of the slides.
    pub text: String,
    /// Which slide it is, when only one was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_info: Option<ChunkInfo>,
}

/// Reply of `PptxGetSlideContent`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideContent {
    /// The index of the slide.
    pub slide_index: usize,
    /// Slides of the presentation.
    pub slide_count: usize,
    /// What the slide holds.
    pub slide: SlideBody,
}

/// The shapes and notes of a slide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideBody {
    /// Its index, from 0.
    pub index: usize,
    /// Its title.
    pub title: Option<String>,
    /// The name of its layout.
    pub layout: Option<String>,
    /// Whether the show skips it.
    pub hidden: bool,
    /// Its shapes.
    pub shapes: Vec<ShapeContent>,
    /// Its notes; empty without any.
    pub notes: String,
    /// The detail that was asked for.
    pub render_mode: SlideDetail,
    /// Its shapes with their places in parts of the slide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positioned: Option<PositionedSlide>,
}

/// A shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeContent {
    /// Its index on the slide or in its group, from 0.
    pub index: usize,
    /// Its address: `3`, or `3.1` for the second shape of the group 3.
    pub address: String,
    /// Its id on the slide, by which ops can name it; none if the file gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its type, such as `text_box`.
    pub shape_type: &'static str,
    /// Its place in the order of drawing.
    pub z_index: usize,
    /// Distance from the left.
    pub left: Option<i64>,
    /// Distance from the top.
    pub top: Option<i64>,
    /// Width.
    pub width: Option<i64>,
    /// Height.
    pub height: Option<i64>,
    /// Degrees, clockwise.
    pub rotation: f64,
    /// Its paragraphs.
    pub text_blocks: Vec<TextBlock>,
    /// Whether it is or is filled with an image.
    pub has_image: bool,
    /// Set when its text did not fit into the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_left_out: Option<bool>,
    /// The type of a placeholder, such as `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder_type: Option<String>,
    /// The number of a placeholder in its layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder_index: Option<u32>,
    /// What the author says it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// Whether it is hidden; none if the file does not specify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_ref: Option<ImageRef>,
    /// Its table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<SlideTable>,
    /// Its chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<ChartContent>,
    /// Its SmartArt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smart_art: Option<SmartArtContent>,
    /// Its embedded object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ole: Option<OleContent>,
    /// The shapes of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<Vec<ShapeContent>>,
}

/// A paragraph of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextBlock {
    /// Its index in the shape, from 0.
    pub index: usize,
    /// Its level, from 0.
    pub level: usize,
    /// Its text; line breaks as `\n`.
    pub text: String,
    /// Horizontal alignment.
    pub alignment: Option<String>,
    /// Its runs.
    pub runs: Vec<SlideRunContent>,
}

/// A run with the format it has of its own. What is `null` is inherited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideRunContent {
    /// Its index in the paragraph, from 0.
    pub index: usize,
    /// Its text.
    pub text: String,
    /// Bold.
    pub bold: Option<bool>,
    /// Italic.
    pub italic: Option<bool>,
    /// Underlined.
    pub underline: Option<bool>,
    /// Points.
    pub size_pt: Option<f64>,
    /// Font of Latin text.
    pub font_name: Option<String>,
    /// Colour as `#RRGGBB`.
    pub color: Option<String>,
    /// Colour by its name in the theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme_color: Option<String>,
    /// Colour of the text marker as `#RRGGBB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight_color: Option<String>,
    /// The type of a field, `null` for one without a type; left out of other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<Option<String>>,
}

/// The image of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ImageRef {
    /// The relationship does not exist.
    Missing {
        /// The id of the relationship to the image.
        rel_id: String,
        /// What is wrong.
        error: &'static str,
    },
    /// The image is not in the file.
    Linked {
        /// The id of the relationship to the image.
        rel_id: String,
        /// True.
        linked: bool,
        /// What is wrong.
        error: &'static str,
    },
    /// The image is in the file.
    Embedded {
        /// The id of the relationship to the image.
        rel_id: String,
        /// The name of its part without folders.
        filename: String,
        /// The extension of the name.
        ext: String,
        /// Its content type.
        content_type: Option<String>,
        /// Bytes.
        size_bytes: usize,
        /// SHA-1 of its bytes.
        sha1: String,
    },
    /// The image cannot be read.
    Unreadable {
        /// The id of the relationship to the image.
        rel_id: String,
        /// The name of its part without folders.
        filename: String,
        /// The extension of the name.
        ext: String,
        /// What is wrong.
        error: String,
    },
}

/// A table with the texts of its cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideTable {
    /// Rows.
    pub row_count: usize,
    /// Columns.
    pub col_count: usize,
    /// The texts of the cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChartContent {
    /// Its title.
    pub title: Option<String>,
}

/// SmartArt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SmartArtContent {
    /// Its texts; `null` when they cannot be read.
    pub texts: Option<Vec<String>>,
}

/// An embedded object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OleContent {
    /// The program it belongs to.
    pub program: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// A slide with every shape placed, for drawing it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PositionedSlide {
    /// `slide_ratio`.
    pub coordinate_space: &'static str,
    /// The size of the slide.
    pub slide_size: SlideSize,
    /// Its shapes without groups, those in groups included.
    pub positioned_shapes: Vec<PositionedShape>,
    /// The fonts that its text names.
    pub font_families: BTreeSet<String>,
    /// What a drawing made from these fields lacks.
    pub missing_features: BTreeSet<&'static str>,
}

/// A shape with its place on the slide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PositionedShape {
    /// The fields of the shape; its `z_index` is the order among all shapes.
    #[serde(flatten)]
    pub shape: ShapeContent,
    /// Its place in parts of the slide.
    pub bounds: Bounds,
    /// Its place in EMU.
    pub frame_emu: FrameEmu,
    /// Left, as in `bounds`.
    pub x: Option<f64>,
    /// Top, as in `bounds`.
    pub y: Option<f64>,
    /// Width, as in `bounds`.
    pub w: Option<f64>,
    /// Height, as in `bounds`.
    pub h: Option<f64>,
    /// Its text; paragraphs as lines.
    pub text: String,
    /// The runs of all its paragraphs.
    pub text_runs: Vec<SlideRunContent>,
}

/// A place in parts of the slide: 0 is left or top, 1 is right or bottom.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Left.
    pub x: Option<f64>,
    /// Top.
    pub y: Option<f64>,
    /// Width.
    pub width: Option<f64>,
    /// Height.
    pub height: Option<f64>,
    /// `ratio`.
    pub unit: &'static str,
}

/// A place in EMU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FrameEmu {
    /// Distance from the left.
    pub left: Option<i64>,
    /// Distance from the top.
    pub top: Option<i64>,
    /// The same as `left`.
    pub x: Option<i64>,
    /// The same as `top`.
    pub y: Option<i64>,
    /// Width.
    pub width: Option<i64>,
    /// Height.
    pub height: Option<i64>,
    /// `emu`.
    pub unit: &'static str,
}

/// Reply of `PptxGetStyles`: fonts, and what can be copied into another presentation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeckStyles {
    /// `pptx`.
    pub format: &'static str,
    /// Slides.
    pub slide_count: usize,
    /// All layouts, text styles and images.
    pub assets: Vec<DeckAsset>,
    /// Layouts.
    pub layouts: Vec<LayoutAsset>,
    /// Fonts that runs name, the most frequent first.
    pub fonts: Vec<FontUse>,
    /// Shapes with text.
    pub text_style_assets: Vec<TextStyleAsset>,
    /// Shapes with images.
    pub image_assets: Vec<SlideImageAsset>,
    /// The types of assets that can be copied.
    pub supported_copy_asset_types: Vec<&'static str>,
    /// What could not be read.
    pub warnings: Vec<String>,
}

/// Something that can be copied into another presentation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DeckAsset {
    /// A layout.
    Layout(LayoutAsset),
    /// The formats of a text.
    TextStyle(TextStyleAsset),
    /// An image.
    Image(SlideImageAsset),
}

/// A layout that can be copied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutAsset {
    /// Its type and name, as a copy takes them.
    pub asset_id: String,
    /// `layout`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its index among all layouts, from 0.
    pub index: usize,
    /// Its type, such as `titleOnly`.
    pub layout_type: String,
    /// The index of its master.
    pub master: usize,
}

/// A font and how many runs name it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FontUse {
    /// The name of the font.
    pub family: String,
    /// Runs that name it.
    pub count: usize,
}

/// A shape on its slide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapePlace {
    /// The index of the shape, or of the group around it.
    pub shape_index: Option<usize>,
    /// Its address: `3`, or `3.1` for the second shape of the group 3.
    pub shape_address: String,
    /// Its name.
    pub shape_name: String,
}

/// The formats of the runs of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextStyleAsset {
    /// Its type, slide and shape, as a copy takes them.
    pub asset_id: String,
    /// `text_style`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The index of the slide.
    pub slide_index: usize,
    /// The shape.
    #[serde(flatten)]
    pub shape: ShapePlace,
    /// Runs, also those that are not listed.
    pub run_count: usize,
    /// The first runs.
    pub runs: Vec<SlideRunContent>,
}

/// The image of a shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideImageAsset {
    /// Its type, slide and shape, as a copy takes them.
    pub asset_id: String,
    /// `image`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The index of the slide.
    pub slide_index: usize,
    /// The shape.
    #[serde(flatten)]
    pub shape: ShapePlace,
    /// The image.
    #[serde(flatten)]
    pub image: ImageRef,
}

/// Reply of `PptxFind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeckMatches {
    /// The text that was looked for.
    pub query: String,
    /// The occurrences.
    pub matches: Vec<SlideMatch>,
    /// How often the text occurs.
    pub match_count: usize,
    /// Whether `matches` lacks some of them.
    pub has_more: bool,
    /// What could not be read.
    pub warnings: Vec<String>,
}

/// An occurrence of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlideMatch {
    /// The index of the slide.
    pub slide_index: usize,
    /// The shape; none for notes.
    #[serde(flatten)]
    pub shape: Option<ShapePlace>,
    /// What holds the text.
    #[serde(rename = "where")]
    pub place: SlidePlace,
    /// The cell of a table.
    #[serde(flatten)]
    pub cell: Option<CellPlace>,
    /// The occurrence with the text around it.
    pub snippet: String,
}

/// What holds a text of a slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SlidePlace {
    /// The text of a shape.
    Text,
    /// A table.
    Table,
    /// The title of a chart.
    Chart,
    /// SmartArt.
    SmartArt,
    /// The speaker's notes.
    Notes,
}

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CellPlace {
    /// Its row, from 0.
    pub row: usize,
    /// Its column, from 0.
    pub col: usize,
}
