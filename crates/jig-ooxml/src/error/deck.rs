//! Why a read of a presentation or an op on one is refused.

use base64::DecodeError;
use jig_file_api::ops::style::Color;

/// Why a read or an op fails. The field that it is about is in the [`EditError`](super::EditError).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeckIssue {
    /// A field that must be given is not.
    #[error("missing: {what}")]
    Missing {
        /// What it holds.
        what: &'static str,
    },
    /// A list that must hold something is missing or empty.
    #[error("missing or empty: give at least one {item}")]
    Empty {
        /// What it holds.
        item: &'static str,
    },
    /// The index of a slide is out of range.
    #[error("{}", no_slide(.index, .count))]
    NoSlide {
        /// The index.
        index: usize,
        /// Slides of the presentation.
        count: usize,
    },
    /// A new slide cannot go to this index.
    #[error("a new slide can be slide 1 to {}, not {}", .count + 1, .index + 1)]
    NewSlideIndex {
        /// The index.
        index: usize,
        /// Slides of the presentation.
        count: usize,
    },
    /// The copy of a slide cannot go to this index.
    #[error("the copy can be slide 1 to {}, not {}", .count + 1, .index + 1)]
    CopyIndex {
        /// The index.
        index: usize,
        /// Slides of the presentation.
        count: usize,
    },
    /// No layout has this name.
    #[error("layout `{name}` not found; the deck has {}", .known.join(", "))]
    NoLayout {
        /// The name.
        name: String,
        /// The layouts of the presentation.
        known: Vec<String>,
    },
    /// The layout that was named cannot hold the title or body of the slide.
    #[error("the layout `{layout}` has no place for a {field}; {placeholders}")]
    LayoutWithoutPlace {
        /// The layout.
        layout: String,
        /// `title` or `body`.
        field: &'static str,
        /// Its placeholders.
        placeholders: String,
    },
    /// The slide has no placeholder for title or body.
    #[error("slide {} has no placeholder for a {field}; {placeholders}", .index + 1)]
    NoPlaceholder {
        /// The index of the slide.
        index: usize,
        /// `title` or `body`.
        field: String,
        /// Its placeholders.
        placeholders: String,
    },
    /// The slide has no such shape for text.
    #[error("slide {} has no shape for text {wanted}; {placeholders}", .index + 1)]
    NoTextShape {
        /// The index of the slide.
        index: usize,
        /// The shape, as it was given.
        wanted: String,
        /// Its placeholders.
        placeholders: String,
    },
    /// The slide has no such placeholder for an image.
    #[error("slide {} has no such placeholder for an image; {placeholders}", .index + 1)]
    NoImagePlaceholder {
        /// The index of the slide.
        index: usize,
        /// Its placeholders.
        placeholders: String,
    },
    /// The placeholder for an image does not exist any more.
    #[error("the placeholder no longer exists")]
    PlaceholderGone,
    /// An op on a slide's text that gives none.
    #[error("nothing to set: give title, title_runs, body or body_runs")]
    NothingToSet,
    /// Two fields that exclude each other.
    #[error("`clear` and a {what} are given; give only one of them")]
    ClearAndText {
        /// What excludes `clear`.
        what: String,
    },
    /// A bullet without text.
    #[error("a bullet needs text or runs")]
    EmptyBullet,
    /// The text to replace is empty.
    #[error("the text to search for is empty")]
    EmptySearch,
    /// An alignment that does not exist.
    #[error("unknown alignment `{name}`")]
    UnknownAlignment {
        /// The name.
        name: String,
    },
    /// A value that is not a colour.
    #[error("expected {}", Color::FORM)]
    InvalidColor,
    /// The slide has no table.
    #[error("slide {} has no table", .index + 1)]
    NoTables {
        /// The index of the slide.
        index: usize,
    },
    /// The slide has no such table.
    #[error("table {wanted} not found on slide {}; it has {}", .index + 1, .known.join(", "))]
    NoTable {
        /// The table, as it was given.
        wanted: String,
        /// The index of the slide.
        index: usize,
        /// The tables of the slide.
        known: Vec<String>,
    },
    /// The shape has no table.
    #[error("the shape has no table")]
    ShapeWithoutTable,
    /// A table that is named neither by a number nor by a name.
    #[error("expected a number from 0, or the name of a shape")]
    InvalidTable,
    /// A table has no such row or column.
    #[error("{axis} {index} not found; the table has {count}, counted from 0")]
    NoCell {
        /// `row` or `col`.
        axis: String,
        /// Its index.
        index: usize,
        /// How many the table has.
        count: usize,
    },
    /// The file is not an image of a kind that PowerPoint shows.
    #[error("unsupported image format; expected PNG, JPEG, GIF or BMP")]
    NotAnImage,
    /// The file of an image does not exist.
    #[error("file `{path}` not found in the workbench")]
    NoFile {
        /// The path.
        path: String,
    },
    /// The content of an image is not Base64.
    #[error("invalid Base64: {source}")]
    NotBase64 {
        /// Where it is not.
        #[source]
        source: DecodeError,
    },
    /// An image by path and by content.
    #[error("give either path or data_base64, not both")]
    TwoImages,
    /// The size of an image is out of range.
    #[error("expected inches from 0.01 to 100")]
    ImageSize,
    /// The place of an image is out of range.
    #[error("expected inches from -100 to 100")]
    ImagePlace,
    /// The slide has no such shape.
    #[error("shape {wanted} not found on slide {}; it has {}", .index + 1, listed(.known, "no shapes"))]
    NoShape {
        /// The index of the slide.
        index: usize,
        /// The shape, as it was given.
        wanted: String,
        /// The shapes of the slide.
        known: Vec<String>,
    },
    /// Several shapes of the slide have this name.
    #[error("slide {} has {} shapes named {name}; give the id of one: {}", .index + 1, .ids.len(), .ids.join(", "))]
    SameName {
        /// The index of the slide.
        index: usize,
        /// The name.
        name: String,
        /// The ids of the shapes.
        ids: Vec<String>,
    },
    /// The shape cannot hold text.
    #[error("the shape {name} is a {kind} and has no text of its own; {instead}")]
    ShapeWithoutText {
        /// Its name.
        name: String,
        /// What it is.
        kind: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// The shape cannot be moved.
    #[error("the shape {name} has no place of its own and inherits none; give left, top, width and height")]
    ShapeWithoutPlace {
        /// Its name.
        name: String,
    },
    /// The shape cannot be moved at all.
    #[error("the shape {name} cannot be moved: its markup has no place")]
    ShapeCannotMove {
        /// Its name.
        name: String,
    },
    /// A new table without a size.
    #[error("the size of the table is missing: give values, or rows and columns")]
    NoTableSize,
    /// More values than the table has rows or columns.
    #[error("{axis} has {given} values, but there are {count}")]
    TooManyValues {
        /// What has them.
        axis: &'static str,
        /// How many values it has.
        given: usize,
        /// How many there is room for.
        count: usize,
    },
    /// A table would have too many cells.
    #[error("the table would have {count} {what}; the limit is {limit}")]
    TableTooLarge {
        /// `rows`, `columns` or `cells`.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A value of a cell that is neither a text nor a number nor a truth value.
    #[error("expected a text, number, boolean or null")]
    InvalidCellValue,
    /// A table cannot lose all its rows or columns.
    #[error("the table has only {count} {what}; use delete_shape to delete the table")]
    WholeTable {
        /// `rows` or `columns`.
        what: &'static str,
        /// How many it has.
        count: usize,
    },
    /// A position in a table is out of range.
    #[error("{axis} {index} not found; the table has {count}, so a new {axis} can go before 0 to {count}")]
    NoTablePosition {
        /// `row` or `column`.
        axis: &'static str,
        /// The position.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// No table style has this name.
    #[error("table style `{name}` not found; known are {}", .known.join(", "))]
    NoTableStyle {
        /// The name.
        name: String,
        /// The known styles.
        known: Vec<String>,
    },
    /// The deck has no such section.
    #[error("section {wanted} not found; the deck has {}", listed(.known, "no sections"))]
    NoSection {
        /// The section, as it was given.
        wanted: String,
        /// The sections of the deck.
        known: Vec<String>,
    },
    /// Several sections have this name.
    #[error("{} sections are named {name}; give the number of one: {}", .numbers.len(), .numbers.join(", "))]
    SameSection {
        /// The name.
        name: String,
        /// The numbers of the sections, from 1.
        numbers: Vec<String>,
    },
    /// A slide that already begins a section.
    #[error("slide {} already begins the section `{name}`; rename_section renames it", .index + 1)]
    SectionBegins {
        /// The index of the slide.
        index: usize,
        /// The section.
        name: String,
    },
    /// A move without a target, or with two.
    #[error("give either `to` or `section`")]
    MoveTarget,
    /// No master has this number or name.
    #[error("master {wanted} not found; the deck has {}", listed(.known, "no masters"))]
    NoMaster {
        /// The master, as it was given.
        wanted: String,
        /// The masters of the deck.
        known: Vec<String>,
    },
    /// The slide has no layout that can be read.
    #[error("slide {} has no layout of this deck", .index + 1)]
    SlideWithoutLayout {
        /// The index of the slide.
        index: usize,
    },
    /// Fields that exclude each other.
    #[error("give either {one} or {other}")]
    Either {
        /// The first.
        one: &'static str,
        /// The second.
        other: &'static str,
    },
    /// The shape is not a chart.
    #[error("the shape {name} is a {kind}, not a chart")]
    NotAChart {
        /// Its name.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// A chart that is not named, on a slide that has none or several.
    #[error("slide {} has {}", .index + 1, which(.known))]
    WhichChart {
        /// The index of the slide.
        index: usize,
        /// The charts of the slide.
        known: Vec<String>,
    },
    /// A chart that no op can change.
    #[error("{name} is a chart of a kind that can only be moved and deleted")]
    FixedChart {
        /// Its name.
        name: String,
    },
    /// An op that changes nothing.
    #[error("nothing to change: give a field such as `title`, `type` or `series`")]
    NothingToChange,
    /// Rows of a chart's data without series or without categories.
    #[error("expected a row with the names of series, and after it a row for each category")]
    ChartRows,
    /// A value of a series that is not a number.
    #[error("expected a number, or null for a gap")]
    NotANumber,
    /// A chart with too much data.
    #[error("the chart would have {count} {what}; the limit is {limit}")]
    TooManyPoints {
        /// `series` or `points`.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A pie chart with several series.
    #[error("a pie chart shows one series, but {count} are given; use `doughnut` or `column`")]
    PieSeries {
        /// How many.
        count: usize,
    },
    /// A scatter chart without numbers for x.
    #[error("a scatter chart needs numbers as x values: give numeric `categories`, or `x_values` in each series")]
    ScatterLabels,
    /// A series that cannot be drawn like this beside the others.
    #[error("a {kind} series cannot be combined with the others; column, line and area can")]
    SeriesKind {
        /// How it would be drawn.
        kind: &'static str,
    },
    /// The picture to replace is not one.
    #[error("the shape {name} is a {kind}, not a picture")]
    NotAPicture {
        /// Its name.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// The slide has no empty placeholder for a table or chart.
    #[error("slide {} has no such empty placeholder; {placeholders}", .index + 1)]
    NoEmptyPlaceholder {
        /// The index of the slide.
        index: usize,
        /// Its placeholders.
        placeholders: String,
    },
    /// An asset that is neither a text nor an object.
    #[error("an asset is a text or an object")]
    InvalidAsset,
    /// The text of an asset that cannot be read.
    #[error("invalid asset `{text}`; an asset is {ASSET_FORM}")]
    UnreadableAsset {
        /// The text.
        text: String,
    },
    /// The text of an asset without its target.
    #[error("the asset `{text}` has no target; an asset is {ASSET_FORM}")]
    AssetWithoutTarget {
        /// The text.
        text: String,
    },
    /// Assets of this type cannot be copied.
    #[error("assets of the type `{kind}` cannot be copied; text_style, image, media and layout can")]
    UnknownAssetType {
        /// The type.
        kind: String,
    },
    /// An index that is not a number.
    #[error("expected a whole number from 0")]
    NotAnIndex,
    /// The address of a shape that is not written as numbers.
    #[error("expected a number, or numbers separated by points")]
    InvalidAddress,
    /// One of the two presentations of a copy has no such slide.
    #[error("the {side} has no slide {index}; it has {count}, counted from 0")]
    NoSlideIn {
        /// `source` or `target`.
        side: &'static str,
        /// The index.
        index: usize,
        /// Slides of the presentation.
        count: usize,
    },
    /// A slide of one of the two presentations of a copy has no such shape.
    #[error("slide {slide} of the {side} has no shape {shape}; it has {count}")]
    NoShapeIn {
        /// `source` or `target`.
        side: &'static str,
        /// The index of the slide.
        slide: usize,
        /// The shape.
        shape: String,
        /// Shapes of the slide.
        count: usize,
    },
    /// A slide of the target has no such shape with text.
    #[error("slide {slide} of the target has no shape with text {shape}")]
    NoTextShapeInTarget {
        /// The index of the slide.
        slide: usize,
        /// The shape.
        shape: String,
    },
    /// The shape in the source lacks what is copied.
    #[error("the shape in the source has {lacks}")]
    SourceShape {
        /// What it lacks.
        lacks: &'static str,
    },
    /// Layouts cannot be copied between strict and transitional presentations.
    #[error("one of the decks is strict and the other is not; layouts cannot be copied between them")]
    StrictAndTransitional,
    /// The source of a copy has no such layout.
    #[error("the source has no layout `{name}`; it has {}", .known.join(", "))]
    NoSourceLayout {
        /// The name.
        name: String,
        /// The layouts of the source.
        known: Vec<String>,
    },
    /// A layout that links to a slide.
    #[error("it links to a slide of its own deck ({part}), so it cannot be copied")]
    LinksToSlide {
        /// The part of the slide.
        part: String,
    },
}

/// How the text of an asset is written.
const ASSET_FORM: &str = "written `text_style:slide:shape->slide:shape`, `image:slide:shape->slide`, `media:slide:shape->slide` or `layout:name`";

fn no_slide(index: &usize, count: &usize) -> String {
    match count.checked_sub(1) {
        None => "the deck has no slides".to_owned(),
        Some(last) => format!("slide {} not found; the deck has {}", index + 1, super::counted(last + 1, "slide")),
    }
}

/// Names as a list, or what to say without any.
fn listed(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(", ") }
}

/// The charts of a slide of which none was named.
fn which(charts: &[String]) -> String {
    match charts {
        [] => "no charts".to_owned(),
        several => format!("{} charts; name one: {}", several.len(), several.join(", ")),
    }
}
