//! Reads of Word documents: what a caller can ask for, and the replies.
//!
//! The order of the fields is that of the JSON. A field that is left out of the JSON when it has no value is marked with
//! `skip_serializing_if`; every other `None` is `null`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::ChunkInfo;

/// A section of a document as a caller names it.
#[derive(Debug, Clone, PartialEq)]
pub enum SectionRef {
    /// Its index, from 0. It may be out of range, negative or broken.
    Index(Number),
    /// Its heading, or the digits of its index.
    Heading(String),
    /// Neither: an error where the section is looked up.
    Invalid,
}

impl<'de> Deserialize<'de> for SectionRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Number(index) => Self::Index(index),
            Value::String(heading) => Self::Heading(heading),
            _ => Self::Invalid,
        })
    }
}

impl From<usize> for SectionRef {
    fn from(index: usize) -> Self {
        Self::Index(index.into())
    }
}

/// How tracked changes are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// As if all were accepted.
    #[default]
    Final,
    /// As if all were rejected.
    Original,
    /// Everything, with marks.
    Markup,
}

/// Which text of a document is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TextQuery {
    /// Only this section.
    #[serde(alias = "section_index")]
    pub section: Option<SectionRef>,
    /// One chunk of the selected text, from 0.
    #[serde(alias = "chunk_index")]
    pub chunk: Option<usize>,
    /// Paragraphs by index, such as `4-9`, as the chunks of the map name them, with the tables among them.
    pub paragraphs: Option<String>,
    /// How tracked changes are read.
    pub view: View,
    /// Whether the final view shows deleted text too, with its marks.
    pub include_deleted: bool,
    /// Whether headers and footers follow the text; by default only when all of it is read.
    pub include_headers_footers: Option<bool>,
}

/// Which section of a document is read with its runs, tables and images.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SectionQuery {
    /// The section; the first one without it.
    #[serde(alias = "section")]
    pub section_index: Option<SectionRef>,
    /// The paragraph to continue at, when the section did not fit into the reply before.
    pub from_paragraph: usize,
}

/// Reply of `DocxGetMap`: what is where, without the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentMap {
    /// The sections, divided by headings.
    pub sections: Vec<SectionEntry>,
    /// The tables of the body.
    pub tables: Vec<TableEntry>,
    /// The images of the body.
    pub images: Vec<ImageEntry>,
    /// Whether any header or footer has text.
    pub has_headers_footers: bool,
    /// The headers and footers that pages show.
    pub headers_footers: Vec<HeaderFooter>,
    /// Characters of all sections.
    pub total_char_count: usize,
    /// Paragraphs of the body outside of tables.
    pub paragraph_count: usize,
    /// Comments.
    pub comments: usize,
    /// Footnotes.
    pub footnotes: usize,
    /// Endnotes.
    pub endnotes: usize,
    /// Fields, such as page numbers.
    pub fields: usize,
    /// Content controls.
    pub content_controls: usize,
    /// The content controls with a tag or title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<ControlEntry>,
    /// Text boxes.
    pub text_boxes: usize,
    /// Equations.
    pub equations: usize,
    /// Charts.
    pub charts: usize,
    /// Tracked changes by kind.
    pub tracked_changes: TrackedChanges,
    /// Whether there are tracked changes.
    pub has_tracked_changes: bool,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A section in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionEntry {
    /// Its index, from 0.
    pub index: usize,
    /// Its heading; empty for what stands before the first heading.
    pub heading: String,
    /// 1 to 9, or 0 without a heading.
    pub level: u8,
    /// Characters of its text.
    pub char_count: usize,
    /// Whether it holds tables.
    pub has_tables: bool,
    /// Whether it holds images.
    pub has_images: bool,
    /// The indexes of its paragraphs, such as `4-9`.
    pub paragraphs: Option<String>,
    /// The chunks of a section that is longer than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Vec<ChunkEntry>>,
}

/// A chunk of a section in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChunkEntry {
    /// Its index in the section, from 0.
    pub index: usize,
    /// The paragraphs it holds text of, such as `4-9`.
    pub paragraphs: Option<String>,
    /// The tables it holds text of.
    pub tables: Option<String>,
    /// Characters of its text.
    pub char_count: usize,
}

/// A table in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableEntry {
    /// Its index among the tables of the body, from 0.
    pub index: usize,
    /// The heading of its section.
    pub section: String,
    /// The index of its section.
    pub section_index: usize,
    /// Rows.
    pub rows: usize,
    /// Columns of the widest row.
    pub cols: usize,
}

/// A content control in the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ControlEntry {
    /// Its tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `text`, `date`, `list`, `check_box`, `image` or `other`.
    pub kind: &'static str,
}

/// An image in the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageEntry {
    /// Its index among the images of the body, from 0.
    pub index: usize,
    /// The heading of its section.
    pub section: String,
    /// The index of its section.
    pub section_index: usize,
    /// What the author says it shows.
    pub alt_text: Option<String>,
    /// The id of the relationship to the image.
    pub rel_id: String,
    /// Where the relationship leads.
    pub target: Option<String>,
}

/// Header or footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HeaderFooterKind {
    /// A header.
    Header,
    /// A footer.
    Footer,
}

/// A header or footer that pages show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeaderFooter {
    /// Which of the two.
    pub kind: HeaderFooterKind,
    /// The pages that show it: `default`, `first` or `even`.
    pub pages: String,
    /// Its part.
    pub part: String,
    /// Its text.
    pub text: String,
}

/// Tracked changes of a document by kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TrackedChanges {
    /// Insertions.
    pub insertions: usize,
    /// Deletions.
    pub deletions: usize,
    /// Moves.
    pub moves: usize,
    /// Changes of format.
    pub formatting: usize,
    /// Their authors.
    pub authors: BTreeSet<String>,
}

/// Reply of `DocxExtractText`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DocumentText {
    /// The text, with the signs of Markdown for headings, lists and tables.
    pub text: String,
    /// Which part of the document it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_info: Option<ChunkInfo>,
    /// The notes that a chunk refers to. They are not in its text, so that it keeps its length.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteText>,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A footnote or endnote that a text refers to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoteText {
    /// The label in the text: `3` for the third footnote, `e3` for the third endnote.
    pub label: String,
    /// The text of the note.
    pub text: String,
}

/// Reply of `DocxGetSectionContent`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionContent {
    /// The index of the section.
    pub section_index: usize,
    /// Sections of the document.
    pub section_count: usize,
    /// What the section holds.
    pub section: SectionBody,
    /// The comments on its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentContent>,
    /// Its tracked changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tracked_changes: Vec<TrackedChange>,
    /// The paragraph to continue at, when the section did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_paragraph: Option<usize>,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Paragraphs, tables and images of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionBody {
    /// Its heading, which is also its first paragraph.
    pub heading: String,
    /// 1 to 9, or 0 without a heading.
    pub level: u8,
    /// Its paragraphs.
    pub paragraphs: Vec<ParagraphContent>,
    /// Its tables.
    pub tables: Vec<TableContent>,
    /// Its images.
    pub images: Vec<ImageContent>,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentContent {
    /// Its id, as ops take it.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its text.
    pub text: String,
    /// The start of the text it is about.
    pub anchor: String,
    /// The paragraph in which that begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<usize>,
    /// The table in which that begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<usize>,
    /// Whether it is resolved.
    pub resolved: bool,
    /// The id of the comment it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// A tracked change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackedChange {
    /// Its id, as ops take it.
    pub id: String,
    /// What it changes.
    pub kind: ChangeKind,
    /// Who made it.
    pub author: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The start of the text it inserts, deletes or moves.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The paragraph it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<usize>,
    /// The table it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<usize>,
}

/// What a tracked change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Inserts text.
    Insertion,
    /// Deletes text.
    Deletion,
    /// Moves text away from here.
    MoveFrom,
    /// Moves text here.
    MoveTo,
    /// Splits a paragraph.
    ParagraphInsertion,
    /// Joins a paragraph with the next one.
    ParagraphDeletion,
    /// Inserts a row.
    RowInsertion,
    /// Deletes a row.
    RowDeletion,
    /// Inserts a cell.
    CellInsertion,
    /// Deletes a cell.
    CellDeletion,
    /// Merges or splits cells.
    CellMerge,
    /// Changes the format.
    Format,
}

/// A paragraph with its runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParagraphContent {
    /// Its index in the document.
    pub index: usize,
    /// Its text.
    pub text: String,
    /// The name of its style.
    pub style: Option<String>,
    /// Its runs.
    pub runs: Vec<RunContent>,
    /// Its label in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListLabel>,
}

/// A run with the format that applies to it, that of its styles included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunContent {
    /// Its index in the paragraph.
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
}

/// What stands before a paragraph of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListLabel {
    /// The number, or `-` for a bullet.
    pub label: String,
    /// The level, from 0.
    pub level: usize,
    /// Whether it is a bullet.
    pub bullet: bool,
}

/// A table with the texts of its cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableContent {
    /// Its index in the document.
    pub index: usize,
    /// Rows, also those that did not fit.
    pub row_count: usize,
    /// Columns of the widest row.
    pub col_count: usize,
    /// The texts of the cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// An image of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageContent {
    /// The id of the relationship to the image.
    pub rel_id: String,
    /// Where the relationship leads.
    pub target: Option<String>,
    /// What the author says it shows.
    pub alt_text: Option<String>,
}

/// Reply of `DocxGetStyles`: what can be copied into another document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentStyles {
    /// `docx`.
    pub format: &'static str,
    /// How many `styles` there are.
    pub style_count: usize,
    /// Paragraph, character and table styles.
    pub styles: Vec<StyleEntry>,
    /// The same styles and all images.
    pub assets: Vec<DocumentAsset>,
    /// Paragraph styles.
    pub paragraph_styles: Vec<StyleEntry>,
    /// Character styles.
    pub character_styles: Vec<StyleEntry>,
    /// Table styles.
    pub table_styles: Vec<StyleEntry>,
    /// Styles of lists, which come with the paragraph styles that use them.
    pub numbering_styles: Vec<StyleEntry>,
    /// Images.
    pub image_assets: Vec<ImageAsset>,
    /// The types of assets that can be copied.
    pub supported_copy_asset_types: Vec<&'static str>,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Something that can be copied into another document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DocumentAsset {
    /// A style.
    Style(StyleEntry),
    /// An image.
    Image(ImageAsset),
}

/// A style.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StyleEntry {
    /// Its type and name, as a copy takes them.
    pub asset_id: String,
    /// Its name.
    pub name: String,
    /// What paragraphs and runs refer to it by.
    pub style_id: String,
    /// Its type, such as `paragraph_style`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether Word has it built in.
    pub builtin: bool,
    /// The name of the style it is based on.
    pub base_style: Option<String>,
    /// Whether it applies where no style is given.
    pub default: bool,
    /// 1 to 9 for the styles of headings, else 0.
    pub heading_level: u8,
}

/// An image that can be copied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageAsset {
    /// Its type and relationship, as a copy takes them.
    pub asset_id: String,
    /// `image`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The id of the relationship to the image.
    pub rel_id: String,
    /// The name of its part without folders.
    pub filename: String,
    /// Its content type.
    pub content_type: Option<String>,
    /// Bytes.
    pub size_bytes: usize,
    /// SHA-1 of its bytes.
    pub sha1: String,
}

/// Reply of `DocxFind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentMatches {
    /// One entry for each place that has the text.
    pub matches: Vec<DocumentMatch>,
    /// How often the text occurs.
    pub match_count: usize,
    /// Places that have the text.
    pub place_count: usize,
    /// Whether `matches` lacks some of them.
    pub truncated: bool,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A place that has the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentMatch {
    /// Where it is.
    #[serde(flatten)]
    pub place: DocumentPlace,
    /// How often the text occurs there.
    pub count: usize,
    /// The first occurrence with the text around it.
    pub snippet: String,
}

/// A place in a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum DocumentPlace {
    /// A paragraph of the body.
    Body {
        /// The index of its section.
        section_index: Option<usize>,
        /// The heading of its section.
        section: String,
        /// Its index in the document.
        #[serde(skip_serializing_if = "Option::is_none")]
        paragraph: Option<usize>,
    },
    /// A table of the body.
    Table {
        /// The index of its section.
        section_index: Option<usize>,
        /// The heading of its section.
        section: String,
        /// Its index in the document.
        table: usize,
    },
    /// A footnote.
    Footnote {
        /// Its label.
        note: String,
    },
    /// An endnote.
    Endnote {
        /// Its label.
        note: String,
    },
    /// A header.
    Header {
        /// The pages that show it.
        pages: String,
        /// Its part.
        part: String,
    },
    /// A footer.
    Footer {
        /// The pages that show it.
        pages: String,
        /// Its part.
        part: String,
    },
    /// A comment.
    Comment {
        /// Its id.
        comment: String,
        /// Who wrote it.
        author: String,
    },
}
