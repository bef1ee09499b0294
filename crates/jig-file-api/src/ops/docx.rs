//! The ops of documents.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::Value;

use super::docx_blocks::{
    DeleteTable, DeleteTableColumns, DeleteTableRows, InsertList, InsertTableColumns, InsertTableRows, MergeTableCells,
    SetTableStyle,
};
use super::docx_content::{ApplyStyle, DefineStyle, DeleteImage, FillTemplate, ReplaceImage, SetContentControl};
use super::docx_structure::{
    AddBookmark, AddComment, AddNote, DeleteComment, InsertBreak, InsertField, InsertTableOfContents, PageSetup,
    RemoveHyperlink, ReplyComment, ResolveChanges, ResolveComment, SetHeaderFooter, SetHyperlink,
};
use super::style::Run;
use crate::ops;
use crate::read::docx::SectionRef;

ops! {
    format "docx", usual [
        "replace_text", "set_paragraph", "append_paragraph", "insert_paragraphs", "delete_paragraphs", "set_paragraphs",
        "replace_section", "set_table_cells"];

    /// An op on a document.
    pub enum DocxOp {
        /// Replaces text wherever it occurs.
        ReplaceText(ReplaceText) = "replace_text",
        /// Changes one paragraph.
        SetParagraph(SetParagraph) = "set_paragraph",
        /// Adds a paragraph at the end.
        AppendParagraph(AppendParagraph) = "append_paragraph",
        /// Inserts paragraphs.
        InsertParagraphs(InsertParagraphs) = "insert_paragraphs",
        /// Deletes paragraphs.
        DeleteParagraphs(DeleteParagraphs) = "delete_paragraphs",
        /// Replaces the whole text of the document.
        SetParagraphs(SetParagraphs) = "set_paragraphs",
        /// The same under a name that says it.
        ReplaceDocument(SetParagraphs) = "replace_document",
        /// Replaces the text of a section.
        ReplaceSection(ReplaceSection) = "replace_section",
        /// Deletes a section.
        DeleteSection(DeleteSection) = "delete_section",
        /// Fills cells of a table.
        SetTableCells(SetTableCells) = "set_table_cells",
        /// Adds rows to a table.
        AppendTableRows(AppendTableRows) = "append_table_rows",
        /// Inserts a table.
        InsertTable(InsertTable) = "insert_table",
        /// Inserts an image.
        InsertImage(InsertImage) = "insert_image",
        /// Adds a comment.
        AddComment(AddComment) = "add_comment",
        /// Replies to a comment.
        ReplyComment(ReplyComment) = "reply_comment",
        /// Resolves a comment or opens it again.
        ResolveComment(ResolveComment) = "resolve_comment",
        /// Deletes a comment with its replies.
        DeleteComment(DeleteComment) = "delete_comment",
        /// Accepts tracked changes.
        AcceptChanges(ResolveChanges) = "accept_changes",
        /// Rejects tracked changes.
        RejectChanges(ResolveChanges) = "reject_changes",
        /// Sets a header.
        SetHeader(SetHeaderFooter) = "set_header",
        /// Sets a footer.
        SetFooter(SetHeaderFooter) = "set_footer",
        /// Sets the page.
        PageSetup(PageSetup) = "page_setup",
        /// Inserts a break.
        InsertBreak(InsertBreak) = "insert_break",
        /// Adds a footnote.
        AddFootnote(AddNote) = "add_footnote",
        /// Adds an endnote.
        AddEndnote(AddNote) = "add_endnote",
        /// Links a text.
        SetHyperlink(SetHyperlink) = "set_hyperlink",
        /// Removes links.
        RemoveHyperlink(RemoveHyperlink) = "remove_hyperlink",
        /// Adds a bookmark.
        AddBookmark(AddBookmark) = "add_bookmark",
        /// Inserts a table of contents.
        InsertTableOfContents(InsertTableOfContents) = "insert_table_of_contents",
        /// Inserts a field.
        InsertField(InsertField) = "insert_field",
        /// Inserts a list.
        InsertList(InsertList) = "insert_list",
        /// Inserts rows.
        InsertTableRows(InsertTableRows) = "insert_table_rows",
        /// Deletes rows.
        DeleteTableRows(DeleteTableRows) = "delete_table_rows",
        /// Inserts columns.
        InsertTableColumns(InsertTableColumns) = "insert_table_columns",
        /// Deletes columns.
        DeleteTableColumns(DeleteTableColumns) = "delete_table_columns",
        /// Merges cells.
        MergeTableCells(MergeTableCells) = "merge_table_cells",
        /// Sets the look of a table.
        SetTableStyle(SetTableStyle) = "set_table_style",
        /// Deletes a table.
        DeleteTable(DeleteTable) = "delete_table",
        /// Replaces an image.
        ReplaceImage(ReplaceImage) = "replace_image",
        /// Deletes an image.
        DeleteImage(DeleteImage) = "delete_image",
        /// Defines a style.
        DefineStyle(DefineStyle) = "define_style",
        /// Applies a style.
        ApplyStyle(ApplyStyle) = "apply_style",
        /// Sets the content of a content control.
        SetContentControl(SetContentControl) = "set_content_control",
        /// Fills a template.
        FillTemplate(FillTemplate) = "fill_template",
    }
}

/// A paragraph.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Paragraph {
    /// Its text.
    #[schemars(extend("x-aliases" = ["content", "value", "new_text"], "x-join" = true))]
    pub text: Option<String>,
    /// Its text in pieces with formats of their own; `text` does not count then.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<Run>>>,
    /// Name of its style, such as `Heading 1`.
    #[schemars(extend("x-aliases" = ["style_name", "paragraph_style"]))]
    pub style: Option<String>,
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align", "text_align", "h_align"], "x-cosmetic" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["spacing_before"], "x-cosmetic" = true), range(min = 0, max = 1584))]
    pub space_before: Option<f64>,
    /// Points.
    #[schemars(extend("x-aliases" = ["spacing_after"], "x-cosmetic" = true), range(min = 0, max = 1584))]
    pub space_after: Option<f64>,
    /// Times a single line.
    #[schemars(extend("x-cosmetic" = true), range(min = 0.05, max = 132))]
    pub line_spacing: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["left_indent"], "x-cosmetic" = true), range(min = -22, max = 22))]
    pub indent_left: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["right_indent"], "x-cosmetic" = true), range(min = -22, max = 22))]
    pub indent_right: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["first_line_indent"], "x-cosmetic" = true), range(min = -22, max = 22))]
    pub indent_first_line: Option<f64>,
    /// Font family of all its text.
    #[schemars(extend("x-aliases" = ["font", "font_family"], "x-cosmetic" = true, "x-hidden" = true))]
    pub font_name: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["size"], "x-cosmetic" = true, "x-hidden" = true), range(min = 1, max = 1638))]
    pub font_size: Option<f64>,
    /// Bold.
    #[schemars(extend("x-aliases" = ["font_bold"], "x-cosmetic" = true, "x-hidden" = true))]
    pub bold: Option<bool>,
    /// Italic.
    #[schemars(extend("x-aliases" = ["font_italic", "italics"], "x-cosmetic" = true, "x-hidden" = true))]
    pub italic: Option<bool>,
    /// Underlined.
    #[schemars(extend("x-aliases" = ["font_underline"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "underline"))]
    pub underline: Option<bool>,
    /// Colour of the text.
    #[schemars(extend("x-aliases" = ["color", "colour", "text_color"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "color"))]
    pub font_color: Option<String>,
    /// Colour of a text marker; `none` for none.
    #[schemars(extend("x-aliases" = ["highlight"], "x-cosmetic" = true, "x-hidden" = true, "x-type" = "highlight"))]
    pub highlight_color: Option<String>,
    /// Belongs to the op; accepted here for clients that send it with each paragraph.
    #[schemars(extend("x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Replace the whole text of the document
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-replaces-all" = true))]
pub struct SetParagraphs {
    /// The new paragraphs.
    #[schemars(extend("x-refused" = {
        "fields": [
            "index", "idx", "i", "n", "paragraph", "paragraph_index", "paragraph_number", "paragraph_no", "para",
            "para_index", "position", "pos", "number", "num", "no", "id", "at", "line", "row", "after_index",
            "before_index", "after", "before", "section"
        ],
        "op": "set_paragraph",
        "why": "`set_paragraphs` replaces the whole document and takes no positions",
    }))]
    pub paragraphs: Vec<TextOr<Paragraph>>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Change one paragraph: its text, its format or both
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetParagraph {
    /// Which one, from 0.
    #[schemars(extend("x-aliases" = ["paragraph_index"], "x-one-based" = ["paragraph", "paragraph_number"]))]
    pub index: usize,
    /// Remove its text; an empty text keeps it.
    #[schemars(extend("x-hidden" = true))]
    pub clear: Option<bool>,
    /// What it becomes.
    #[serde(flatten)]
    pub paragraph: Paragraph,
}

/// Delete paragraphs
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteParagraphs {
    /// The first one, from 0.
    #[schemars(extend("x-aliases" = ["paragraph_index"], "x-one-based" = ["paragraph", "paragraph_number"]))]
    pub index: usize,
    /// How many.
    #[schemars(range(min = 1))]
    pub count: Option<usize>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Add a paragraph at the end
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AppendParagraph {
    /// The paragraph.
    #[serde(flatten)]
    pub paragraph: Paragraph,
}

/// Where new blocks go; at most one is given, and none means the end.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Position {
    /// Directly behind the heading with this text, or of the section with this index.
    #[schemars(with = "Option<Value>")]
    pub after_heading: Option<SectionRef>,
    /// Behind the paragraph with this index.
    #[schemars(extend("x-one-based" = ["after_paragraph"]))]
    pub after_index: Option<usize>,
    /// Before the paragraph with this index.
    #[schemars(extend("x-one-based" = ["before_paragraph"]))]
    pub before_index: Option<usize>,
    /// At the end of the section with this heading or index.
    #[schemars(with = "Option<Value>")]
    pub section: Option<SectionRef>,
}

/// Insert paragraphs
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertParagraphs {
    /// The new paragraphs.
    #[schemars(extend("x-refused" = {
        "fields": ["index", "paragraph", "paragraph_index", "position", "pos", "after_index", "before_index"],
        "op": "set_paragraph",
        "why": "`insert_paragraphs` takes one position for all paragraphs, beside `paragraphs`",
    }))]
    pub paragraphs: Vec<TextOr<Paragraph>>,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
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
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Replace the text of a section
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ReplaceSection {
    /// Its heading, or its index.
    #[schemars(with = "Value", extend("x-aliases" = ["section_index"]))]
    pub section: SectionRef,
    /// Its new paragraphs.
    #[schemars(extend("x-refused" = {
        "fields": ["index", "paragraph", "paragraph_index", "paragraph_number", "position", "number", "id", "line", "row"],
        "op": "set_paragraph",
        "why": "`replace_section` replaces the whole text of the section and takes no positions",
    }))]
    pub paragraphs: Option<Vec<TextOr<Paragraph>>>,
    /// Its new heading.
    #[schemars(extend("x-aliases" = ["new_heading"], "x-keep-on-empty" = true))]
    pub heading: Option<String>,
    /// Whether the sections under it are replaced too.
    #[serde(default)]
    pub include_subsections: bool,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Delete a section
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteSection {
    /// Its heading, or its index.
    #[schemars(with = "Value", extend("x-aliases" = ["section_index", "heading"]))]
    pub section: SectionRef,
    /// Whether the sections under it are deleted too.
    #[serde(default)]
    pub include_subsections: bool,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// A cell of a table: its place and what it holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TableCell {
    /// Its row, from 0.
    #[schemars(extend("x-aliases" = ["row_index"]))]
    pub row: Option<usize>,
    /// Its column, from 0.
    #[schemars(extend("x-aliases" = ["column", "col_index", "column_index"]))]
    pub col: Option<usize>,
    /// Its text.
    #[schemars(extend("x-aliases" = ["value", "content"]))]
    pub text: Option<ScalarText>,
    /// Its text in pieces.
    #[schemars(extend("x-keep-on-empty" = true))]
    pub runs: Option<Vec<TextOr<Run>>>,
    /// Its text in paragraphs.
    pub paragraphs: Option<Vec<TextOr<Paragraph>>>,
    /// Name of the style of its paragraph.
    pub style: Option<String>,
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align"], "x-cosmetic" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
}

/// Fill cells of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetTableCells {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The cells.
    pub cells: Vec<TableCell>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Add rows to a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AppendTableRows {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// Rows of cells.
    #[schemars(extend("x-aliases" = ["values"], "x-one-row" = true, "x-refused" = {
        "fields": ["row", "index", "row_index", "row_number"],
        "op": "set_table_cells",
        "why": "`append_table_rows` adds rows at the end, each as a list of cells",
    }))]
    pub rows: Vec<Vec<TextOr<TableCell>>>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Insert a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertTable {
    /// Rows of cells.
    #[schemars(extend("x-aliases" = ["values", "data"]))]
    pub rows: Vec<Vec<TextOr<TableCell>>>,
    /// Whether the first row is a header, or the texts of one.
    #[schemars(extend("x-aliases" = ["headers", "has_header"]))]
    pub header: Option<Value>,
    /// Name of its style.
    #[schemars(extend("x-aliases" = ["table_style"]))]
    pub style: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Insert an image
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertImage {
    /// A file of the workbench.
    #[schemars(extend("x-aliases" = ["image_path", "image", "file"]))]
    pub path: Option<String>,
    /// The image itself.
    #[schemars(extend("x-aliases" = ["data", "base64"]))]
    pub data_base64: Option<String>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["width_inches"], "x-cosmetic" = true), range(min = 0.01, max = 100))]
    pub width: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["height_inches"], "x-cosmetic" = true), range(min = 0.01, max = 100))]
    pub height: Option<f64>,
    /// What it shows, for people who cannot see it.
    #[schemars(extend("x-aliases" = ["alt", "description"]))]
    pub alt_text: Option<String>,
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align"], "x-cosmetic" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
    /// Name of the style of its paragraph.
    pub style: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// A plain text, or an object with more to say.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOr<T> {
    /// Only the text.
    Text(String),
    /// All fields.
    Fields(T),
}

/// A text, number or truth value as a cell may hold it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScalarText(pub String);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrVisitor<T> {
            type Value = TextOr<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text or an object")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(text.to_owned()))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }
            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(TextOr::Text(value.to_string()))
            }
            fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
                Ok(TextOr::Text(String::new()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::Fields)
            }
        }
        deserializer.deserialize_any(TextOrVisitor(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for TextOr<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("TextOr{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": ["string", "number", "boolean", "null"] }, object] })
    }
}

impl<'de> Deserialize<'de> for ScalarText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            Value::Bool(flag) => Ok(Self(flag.to_string())),
            _ => Err(serde::de::Error::custom("expected a text, a number, or true or false")),
        }
    }
}

impl JsonSchema for ScalarText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ScalarText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"] })
    }
}

impl TextOr<Paragraph> {
    /// As fields, a plain text too.
    pub fn into_fields(self) -> Paragraph {
        match self {
            Self::Text(text) => Paragraph { text: Some(text), ..Paragraph::default() },
            Self::Fields(fields) => fields,
        }
    }
}

impl TextOr<TableCell> {
    /// As fields, a plain text too.
    pub fn into_fields(self) -> TableCell {
        match self {
            Self::Text(text) => TableCell { text: Some(ScalarText(text)), ..TableCell::default() },
            Self::Fields(fields) => fields,
        }
    }
}
