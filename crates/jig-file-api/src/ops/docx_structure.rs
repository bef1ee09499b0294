//! The ops of documents beyond their paragraphs: comments, tracked changes, pages, notes, links and fields.

use schemars::JsonSchema;
use serde::Deserialize;

use super::docx::{Paragraph, Position, ScalarText, TextOr};
use crate::read::docx::SectionRef;

/// A place in the text of the body: a text, a paragraph, or a text within a paragraph.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Target {
    /// Text in the document, within one paragraph.
    #[schemars(extend("x-aliases" = ["find", "anchor", "anchor_text", "quote", "on_text", "target_text", "search_text", "find_text"]))]
    pub search: Option<String>,
    /// Which occurrence of the text, from 1.
    #[schemars(extend("x-aliases" = ["nth", "match_number"]), range(min = 1))]
    pub occurrence: Option<usize>,
    /// Whether upper and lower case differ.
    #[schemars(extend("x-aliases" = ["case_sensitive"], "x-hidden" = true))]
    pub match_case: bool,
    /// The paragraph, from 0.
    #[schemars(extend("x-aliases" = ["paragraph_index"], "x-one-based" = ["paragraph", "paragraph_number"]))]
    pub index: Option<usize>,
}

/// Comment on a text or a paragraph
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddComment {
    /// The comment; line breaks start new paragraphs.
    #[schemars(extend("x-aliases" = ["comment", "comment_text", "content", "body", "message", "note"]))]
    pub text: String,
    /// Who comments.
    #[schemars(extend("x-aliases" = ["comment_author"]))]
    pub author: Option<String>,
    /// Initials of the author.
    pub initials: Option<String>,
    /// What it is about.
    #[serde(flatten)]
    pub target: Target,
}

/// Reply to a comment
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReplyComment {
    /// The id of the comment.
    #[schemars(extend("x-aliases" = ["comment_id", "id", "parent", "reply_to"]))]
    pub comment: ScalarText,
    /// The reply.
    #[schemars(extend("x-aliases" = ["reply", "content", "body", "message"]))]
    pub text: String,
    /// Who replies.
    #[schemars(extend("x-aliases" = ["comment_author"]))]
    pub author: Option<String>,
    /// Initials of the author.
    pub initials: Option<String>,
}

/// Mark a comment as resolved, or open it again
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ResolveComment {
    /// The id of the comment.
    #[schemars(extend("x-aliases" = ["comment_id", "id"]))]
    pub comment: Option<ScalarText>,
    /// All comments.
    pub all: Option<bool>,
    /// False opens the comment again.
    #[schemars(extend("x-aliases" = ["done"]))]
    pub resolved: Option<bool>,
}

/// Delete a comment with its replies
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteComment {
    /// The id of the comment.
    #[schemars(extend("x-aliases" = ["comment_id", "id"]))]
    pub comment: Option<ScalarText>,
    /// All comments.
    pub all: Option<bool>,
    /// All comments of this author.
    pub author: Option<String>,
}

/// Accept or reject tracked changes: all of them without further fields
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-removes" = true))]
pub struct ResolveChanges {
    /// Only those of this author.
    #[schemars(extend("x-aliases" = ["by"]))]
    pub author: Option<String>,
    /// Only those with these ids.
    #[schemars(extend("x-aliases" = ["id", "change", "changes", "change_ids", "revision_ids"]))]
    pub ids: Option<Vec<ScalarText>>,
    /// Only those in the section with this heading or index.
    #[schemars(with = "Option<serde_json::Value>", extend("x-aliases" = ["section_index", "heading"]))]
    pub section: Option<SectionRef>,
    /// All; what the op does without other fields.
    pub all: Option<bool>,
}

/// Set the header or footer of pages
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SetHeaderFooter {
    /// Its text; `{PAGE}`, `{NUMPAGES}`, `{DATE}`, `{TITLE}`, `{AUTHOR}` and `{FILENAME}` become fields.
    #[schemars(extend("x-aliases" = ["content", "value", "header", "footer"]))]
    pub text: Option<String>,
    /// Its paragraphs, instead of `text`.
    pub paragraphs: Option<Vec<TextOr<Paragraph>>>,
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align"], "x-cosmetic" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
    /// The pages that show it.
    #[schemars(extend("x-aliases" = ["type", "kind"], "enum" = ["default", "first", "even"]))]
    pub pages: Option<String>,
    /// The page section, from 0; all without it.
    #[schemars(extend("x-aliases" = ["section_index"]))]
    pub page_section: Option<usize>,
    /// Remove it.
    #[schemars(extend("x-aliases" = ["delete"]))]
    pub remove: Option<bool>,
}

/// Set the size, orientation, margins and columns of pages
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PageSetup {
    /// The page section, from 0; all without it.
    #[schemars(extend("x-aliases" = ["section_index"]))]
    pub page_section: Option<usize>,
    /// Paper size.
    #[schemars(extend("x-aliases" = ["page_size", "paper", "paper_size"], "enum" = ["a3", "a4", "a5", "b5", "letter", "legal", "tabloid", "executive"]))]
    pub size: Option<String>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["page_width"]), range(min = 0.5, max = 22))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["page_height"]), range(min = 0.5, max = 22))]
    pub height: Option<f64>,
    /// Portrait or landscape.
    #[schemars(extend("enum" = ["portrait", "landscape"]))]
    pub orientation: Option<String>,
    /// All four margins in inches.
    #[schemars(extend("x-aliases" = ["margins"]), range(min = 0, max = 22))]
    pub margin: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["top_margin"]), range(min = 0, max = 22))]
    pub margin_top: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["bottom_margin"]), range(min = 0, max = 22))]
    pub margin_bottom: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["left_margin"]), range(min = 0, max = 22))]
    pub margin_left: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["right_margin"]), range(min = 0, max = 22))]
    pub margin_right: Option<f64>,
    /// Inches from the edge of the page to the header.
    #[schemars(range(min = 0, max = 22))]
    pub header_distance: Option<f64>,
    /// Inches from the edge of the page to the footer.
    #[schemars(range(min = 0, max = 22))]
    pub footer_distance: Option<f64>,
    /// How many columns of text.
    #[schemars(range(min = 1, max = 45))]
    pub columns: Option<u32>,
    /// Inches between columns.
    #[schemars(range(min = 0, max = 22))]
    pub column_spacing: Option<f64>,
}

/// Insert a page, column or section break
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertBreak {
    /// `page` or `column`, or the kind of a section break.
    #[schemars(extend("x-aliases" = ["type", "break_type", "break"], "enum" = ["page", "column", "next_page", "continuous", "even_page", "odd_page"]))]
    pub kind: String,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Add a footnote or endnote behind a text or at the end of a paragraph
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddNote {
    /// The note.
    #[schemars(extend("x-aliases" = ["note", "footnote", "endnote", "content", "body"]))]
    pub text: String,
    /// Where.
    #[serde(flatten)]
    pub target: Target,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Link a text to an address or bookmark
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetHyperlink {
    /// The address: http, https, mailto, ftp or tel.
    #[schemars(extend("x-aliases" = ["href", "link", "address", "hyperlink", "uri"]))]
    pub url: Option<String>,
    /// A bookmark of the document, instead of an address.
    pub bookmark: Option<String>,
    /// Shown when a pointer is over the link.
    pub tooltip: Option<String>,
    /// The text.
    #[serde(flatten)]
    pub target: Target,
    /// Links are not tracked; a warning says so.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Remove links; their text stays
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RemoveHyperlink {
    /// Only links to this address.
    #[schemars(extend("x-aliases" = ["href", "link", "address", "uri"]))]
    pub url: Option<String>,
    /// All links of the body.
    pub all: Option<bool>,
    /// The text or paragraph with the link.
    #[serde(flatten)]
    pub target: Target,
}

/// Name a text or paragraph as a bookmark
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddBookmark {
    /// Its name: a letter, then letters, digits and `_`, up to 40.
    #[schemars(extend("x-aliases" = ["bookmark", "bookmark_name"]))]
    pub name: String,
    /// The text or paragraph.
    #[serde(flatten)]
    pub target: Target,
}

/// Insert a table of contents that Word completes with page numbers
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InsertTableOfContents {
    /// A title above it.
    pub title: Option<String>,
    /// The deepest level of headings in it.
    #[schemars(extend("x-aliases" = ["depth", "max_level"]), range(min = 1, max = 9))]
    pub levels: Option<u8>,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
}

/// Insert a field behind a text or at the end of a paragraph
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertField {
    /// Which field.
    #[schemars(extend("x-aliases" = ["type", "kind", "field_type", "name"], "enum" = [
        "page", "numpages", "section", "sectionpages", "date", "time", "createdate", "savedate", "author", "title",
        "subject", "filename", "numwords", "ref", "pageref", "noteref", "seq", "styleref"
    ]))]
    pub field: String,
    /// The bookmark, sequence or style that the field is about.
    #[schemars(extend("x-aliases" = ["bookmark", "sequence"]))]
    pub argument: Option<String>,
    /// A pattern for dates, such as `yyyy-MM-dd`, or a number format, such as `roman`.
    pub format: Option<String>,
    /// Text until Word computes the field.
    #[schemars(extend("x-aliases" = ["text", "value"]))]
    pub result: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub target: Target,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}
