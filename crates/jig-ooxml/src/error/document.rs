//! Why a read of a Word document or an op on one is refused.

use base64::DecodeError;
use jig_file_api::ops::style::Color;

use super::counted;

/// Why a read or an op fails. The field that it is about is in the [`EditError`](super::EditError).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DocumentIssue {
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
    /// A section that is named neither by a heading nor by an index.
    #[error("a section is given by its heading's text or its index")]
    InvalidSection,
    /// No section has this heading.
    #[error("no section has the heading “{heading}”")]
    NoHeading {
        /// The beginning of the heading.
        heading: String,
    },
    /// The index of a section is out of range.
    #[error("section {index} not found; the document has sections 0 to {last}")]
    NoSection {
        /// The index, as it was given.
        index: String,
        /// The index of the last section.
        last: usize,
    },
    /// The section starts the document and has no heading.
    #[error("the section has no heading")]
    SectionWithoutHeading,
    /// The section starts the document, so its heading cannot be changed.
    #[error("the section has no heading that could be changed")]
    NoHeadingToChange,
    /// The new heading has no text.
    #[error("the heading is empty")]
    EmptyHeading,
    /// Something else than a range of paragraphs.
    #[error("paragraphs are given by their indexes, such as 4-9")]
    InvalidParagraphs,
    /// A range whose last paragraph is before its first.
    #[error("the range {range} ends before it starts")]
    ReversedParagraphs {
        /// The range, as it was given.
        range: String,
    },
    /// No paragraph has this index or a higher one.
    #[error("paragraph {index} not found")]
    NoParagraphFrom {
        /// The index.
        index: usize,
    },
    /// The index of a paragraph is out of range.
    #[error("{}", no_paragraph(.index, .count))]
    NoParagraph {
        /// The index.
        index: usize,
        /// Paragraphs of the document.
        count: usize,
    },
    /// The index of a chunk is out of range.
    #[error("{}", no_chunk(.index, .count))]
    NoChunk {
        /// The index.
        index: usize,
        /// Chunks of the text.
        count: usize,
    },
    /// A search without a text.
    #[error("missing: the text to search for")]
    NoQuery,
    /// The text to replace is empty.
    #[error("the text to search for is empty")]
    EmptySearch,
    /// A switch that is neither true nor false.
    #[error("expected true or false")]
    NotASwitch,
    /// Two positions for one insertion.
    #[error("conflicts with `{other}`: give only one position")]
    TwoPositions {
        /// The other position.
        other: String,
    },
    /// Two fields that exclude each other.
    #[error("`clear` and a text are given; give only one of them")]
    ClearAndText,
    /// An empty text does not remove the text of a paragraph.
    #[error("is empty, so the text of the paragraph stays; to remove it, set `clear` to true")]
    EmptyText,
    /// A table is between paragraphs that an op deletes.
    #[error("there is a table between these paragraphs; delete the paragraphs before and after it in separate ops")]
    TableBetween,
    /// An op would leave a document with content empty.
    #[error(
        "this would leave the document without its {} and {}; use `set_paragraph` or `delete_paragraphs` for single \
         paragraphs, or `replace_document` to empty it",
        plural(.paragraphs, "paragraph"),
        plural(.tables, "table")
    )]
    EmptiesDocument {
        /// Paragraphs with content.
        paragraphs: usize,
        /// Tables.
        tables: usize,
    },
    /// An op would leave a section empty.
    #[error("this would leave the section empty; use `delete_section` to delete it")]
    EmptiesSection,
    /// The index of a table is out of range.
    #[error("{}", no_table(.index, .count))]
    NoTable {
        /// The index.
        index: usize,
        /// Tables of the document.
        count: usize,
    },
    /// A table without rows to copy the format from.
    #[error("the table has no rows to take the format from")]
    TableWithoutRows,
    /// A row with more values than the table has columns.
    #[error("the row has {} but the table has {}", plural(.values, "value"), plural(.columns, "column"))]
    RowTooLong {
        /// Values of the row.
        values: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A table has no such row.
    #[error("row {row} not found; {}", size_of_table(.rows, .columns))]
    NoRow {
        /// The row.
        row: usize,
        /// Rows of the table.
        rows: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A row has no such cell.
    #[error("row {row} has no cell in column {column}; {}", size_of_table(.rows, .columns))]
    NoCell {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// Rows of the table.
        rows: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// One op fills a cell twice.
    #[error("this cell is set twice in one op; merged cells are one cell")]
    CellSetTwice,
    /// A new table without cells.
    #[error("a table needs at least one row with one cell")]
    TableWithoutCells,
    /// A new table with too many columns.
    #[error("{columns} columns are too many; Word has at most {limit}")]
    TooManyColumns {
        /// Columns of the table.
        columns: usize,
        /// Columns that Word allows.
        limit: usize,
    },
    /// A header that is neither a switch nor texts.
    #[error("expected true, false or a list of texts")]
    InvalidHeader,
    /// The file is not an image of a kind that Word shows.
    #[error("unsupported image format; expected {kinds}")]
    NotAnImage {
        /// The kinds of images.
        kinds: &'static str,
    },
    /// An image by path and by content.
    #[error("give either `path` or `data_base64`, not both")]
    TwoImages,
    /// The file of an image cannot be read.
    #[error("cannot read the file `{path}`")]
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
    /// The size of an image is out of range.
    #[error("a size is given in inches, from 0.01 to {limit}")]
    ImageSize {
        /// Inches.
        limit: f64,
    },
    /// A value that is not a colour.
    #[error("expected {}", Color::FORM)]
    InvalidColor,
    /// Word has no highlighter of this name.
    #[error("unknown colour `{name}`")]
    UnknownHighlight {
        /// The name.
        name: String,
    },
    /// A font size that is out of range.
    #[error("a font size is from 1 to 1638 points")]
    FontSize,
    /// An alignment that does not exist.
    #[error("unknown alignment `{name}`")]
    UnknownAlignment {
        /// The name.
        name: String,
    },
    /// A distance that is out of range.
    #[error("{value} is out of range: from {least} to {most}")]
    Distance {
        /// The distance.
        value: f64,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A line spacing that is out of range.
    #[error("line spacing is a multiple of single spacing, from 0.05 to 132, for example 1.15")]
    LineSpacing,
    /// An asset that is neither a text nor an object.
    #[error("an asset is a text or an object")]
    InvalidAsset,
    /// The text of an asset without its type.
    #[error("an asset is written type:name")]
    AssetWithoutType,
    /// The object of an asset without its type.
    #[error("missing")]
    MissingType,
    /// No asset has this type.
    #[error("unknown asset type `{kind}`; expected one of {}", .known.join(", "))]
    UnknownAssetType {
        /// The type.
        kind: String,
        /// All types.
        known: &'static [&'static str],
    },
    /// The source of a copy has no such style.
    #[error("the source has no {kind} `{name}`")]
    NoSourceStyle {
        /// The kind of style.
        kind: String,
        /// Its name.
        name: String,
    },
    /// The source of a copy has no styles at all.
    #[error("the source has no styles")]
    NoSourceStyles,
    /// The source of a copy has no such image.
    #[error("the source has no image `{rel_id}`")]
    NoSourceImage {
        /// The id of the relationship to the image.
        rel_id: String,
    },
    /// An image of the source is not part of the file.
    #[error("the image is linked and not stored in the file")]
    LinkedImage,
    /// An op without the place it applies to.
    #[error("missing: give `search`, a text of the document, or `index`, a paragraph")]
    NoTarget,
    /// A text does not occur in the body.
    #[error("“{text}” does not occur in one paragraph of the document's body")]
    TextNotFound {
        /// The start of the text.
        text: String,
    },
    /// A text occurs only where an op cannot be applied.
    #[error("“{text}” occurs only in text boxes, where this is not possible")]
    OnlyInTextBox {
        /// The start of the text.
        text: String,
    },
    /// A text occurs less often.
    #[error("occurrence {number} not found; the text occurs {}", times(.count))]
    NoOccurrence {
        /// The occurrence, from 1.
        number: usize,
        /// How often the text occurs.
        count: usize,
    },
    /// Two fields that exclude each other.
    #[error("conflicts with `{other}`: give only one of them")]
    Excludes {
        /// The other field.
        other: &'static str,
    },
    /// A comment without text.
    #[error("the comment has no text")]
    EmptyComment,
    /// No comment is named.
    #[error("missing: the id of a comment, or `all`")]
    NoCommentGiven,
    /// No comment has this id.
    #[error("{}", no_comment(.id, .count))]
    NoComment {
        /// The id.
        id: String,
        /// Comments of the document.
        count: usize,
    },
    /// A comment that the text does not refer to.
    #[error("comment {id} has no place in the text, so a reply has none")]
    CommentWithoutAnchor {
        /// The id.
        id: String,
    },
    /// An author has none of what an op is about.
    #[error("the document has no {what} by `{author}`")]
    NoSuchAuthor {
        /// The author.
        author: String,
        /// What the op is about.
        what: &'static str,
    },
    /// No tracked change has this id.
    #[error("tracked change {id} not found; the content of a section lists them with their ids")]
    NoChange {
        /// The id.
        id: String,
    },
    /// A page section that does not exist.
    #[error("page section {index} not found; the document has {}", plural(.count, "page section"))]
    NoPageSection {
        /// The index, from 0.
        index: usize,
        /// Page sections of the document.
        count: usize,
    },
    /// Margins or columns leave no room for text.
    #[error("this leaves no room for text on the page")]
    NoRoomOnPage,
    /// A section break after the last section.
    #[error("a section break is not possible at this place")]
    NoSectionBreakHere,
    /// A field with characters that would change its instruction.
    #[error("quotes, backslashes, braces and control characters are not possible in a field")]
    FieldText,
    /// A field that takes no argument.
    #[error("the field {field} takes no argument")]
    FieldArgument {
        /// Its name.
        field: String,
    },
    /// An address that a link cannot have.
    #[error("invalid address `{url}`: {why}")]
    InvalidUrl {
        /// The address.
        url: String,
        /// Why not.
        why: &'static str,
    },
    /// A bookmark that does not exist.
    #[error("the document has no bookmark `{name}`")]
    NoBookmark {
        /// Its name.
        name: String,
    },
    /// A name that a bookmark cannot have.
    #[error("invalid bookmark name `{name}`: use a letter, then letters, digits and `_`, up to 40")]
    BookmarkName {
        /// The name.
        name: String,
    },
    /// A bookmark that exists.
    #[error("the document has a bookmark `{name}` already")]
    BookmarkExists {
        /// Its name.
        name: String,
    },
    /// An empty paragraph cannot become a link.
    #[error("the paragraph has no text that could be linked")]
    NoTextToLink,
    /// A text across the border of another element.
    #[error(
        "the text begins or ends inside a link, field, content control or tracked change and cannot be put into one element; name a shorter text"
    )]
    CannotWrap,
    /// No link is at a place.
    #[error("there is no link to remove")]
    NoHyperlink,
    /// A paragraph outside of lists.
    #[error("paragraph {index} is not in a list")]
    NotInAList {
        /// Its index.
        index: usize,
    },
    /// More formats than a list has levels.
    #[error("a list has at most {limit} levels")]
    TooManyLevels {
        /// Levels of a list.
        limit: usize,
    },
    /// An op would add too many cells.
    #[error("one op adds at most {limit} cells")]
    TooManyCells {
        /// Cells.
        limit: usize,
    },
    /// An op would leave a table without cells.
    #[error("this would leave the table empty; use `delete_table` to delete it")]
    EmptiesTable,
    /// A table has no such column.
    #[error("column {column} not found; the table has {}, counted from 0", plural(.columns, "column"))]
    NoColumn {
        /// The column.
        column: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A column with more values than the table has rows.
    #[error("the column has {} but the table has {}", plural(.values, "value"), plural(.rows, "row"))]
    MoreValuesThanRows {
        /// Values of the column.
        values: usize,
        /// Rows of the table.
        rows: usize,
    },
    /// A change that Word has no mark for.
    #[error("{what} cannot be written as a tracked change; apply it without `track_changes`")]
    NotTracked {
        /// The change.
        what: &'static str,
    },
    /// A merge of a single cell.
    #[error("this is one cell; give the last row or column of the cells to merge")]
    NothingToMerge,
    /// The border of a merge is inside another merged cell.
    #[error("row {row} has no cells with exactly these borders, because of merged cells or missing columns (the table has {})", plural(.columns, "column"))]
    CutsMergedCell {
        /// The row.
        row: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// Widths for another number of columns.
    #[error("{} for a table of {}", plural(.widths, "width"), plural(.columns, "column"))]
    WidthCount {
        /// Widths that are given.
        widths: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A list of a template that is not opened.
    #[error("`{{{{/{name}}}}}` closes a list that is not open here")]
    TemplateClose {
        /// Its name.
        name: String,
    },
    /// A list of a template that is not closed.
    #[error("`{{{{#{name}}}}}` is not closed by `{{{{/{name}}}}}`, or others between them are not")]
    TemplateOpen {
        /// Its name.
        name: String,
    },
    /// A list of a template across the borders of cells or text boxes.
    #[error(
        "`{{{{#{name}}}}}` and `{{{{/{name}}}}}` are not in one paragraph, one table row or paragraphs side by side"
    )]
    TemplateCrossed {
        /// Its name.
        name: String,
    },
    /// A filled template that is too large.
    #[error("the filled template would be larger than {limit} MiB")]
    TemplateTooLarge {
        /// Mebibytes of one part.
        limit: usize,
    },
    /// Too many lists inside each other.
    #[error("lists of a template can be inside each other {limit} times")]
    TemplateTooDeep {
        /// Lists inside each other.
        limit: usize,
    },
    /// No content control has this tag or title.
    #[error("the document has no content control with the tag or title `{name}`")]
    NoControl {
        /// The tag or title.
        name: String,
    },
    /// A content control whose content is locked.
    #[error("the content of the control `{name}` is locked")]
    LockedControl {
        /// Its tag or title.
        name: String,
    },
    /// A text that a list does not offer.
    #[error("the list of the control has no entry `{text}`")]
    NoListEntry {
        /// The text.
        text: String,
    },
    /// A style that does not exist.
    #[error("the document has no style `{name}`")]
    NoStyle {
        /// Its name.
        name: String,
    },
    /// A name that a style cannot have.
    #[error("the name of a style has 1 to 253 characters without commas and semicolons")]
    StyleName,
    /// Properties of paragraphs in a character style.
    #[error("a character style has no alignment, spacing or indent; define a paragraph style")]
    CharacterStyleOnly,
    /// A style based on itself.
    #[error("a style cannot be based on itself")]
    BasedOnItself,
    /// The index of an image is out of range.
    #[error("image {index} not found; the document has {}", plural(.count, "image"))]
    NoImage {
        /// The index.
        index: usize,
        /// Images of the body.
        count: usize,
    },
}

fn no_paragraph(index: &usize, count: &usize) -> String {
    match count.checked_sub(1) {
        None => format!("paragraph {index} not found; the document has no paragraphs"),
        Some(last) => format!("paragraph {index} not found; the document has paragraphs 0 to {last}"),
    }
}

fn no_chunk(index: &usize, count: &usize) -> String {
    match count.checked_sub(1) {
        None => "the text is empty, so it has no chunks".to_owned(),
        Some(last) => format!("chunk {index} not found; the text has chunks 0 to {last}"),
    }
}

fn no_table(index: &usize, count: &usize) -> String {
    match *count {
        0 => "the document has no tables".to_owned(),
        1 => format!("table {index} not found; the document has one table, 0"),
        count => format!("table {index} not found; the document has tables 0 to {}", count - 1),
    }
}

fn size_of_table(rows: &usize, columns: &usize) -> String {
    format!("the table has {} and {}, counted from 0", plural(rows, "row"), plural(columns, "column"))
}

fn plural(count: &usize, noun: &str) -> String {
    counted(*count, noun)
}

fn times(count: &usize) -> String {
    if *count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn no_comment(id: &str, count: &usize) -> String {
    match *count {
        0 => "the document has no comments".to_owned(),
        count => format!("comment {id} not found; the document has {}", counted(count, "comment")),
    }
}
