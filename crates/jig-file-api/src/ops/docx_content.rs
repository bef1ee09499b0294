//! The ops of documents on templates, content controls, styles and existing images.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Fill the `{{placeholders}}` of a template
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FillTemplate {
    /// Values by name. `{{name}}` and `{{customer.name}}` become texts; what is between `{{#items}}` and `{{/items}}`, in one
    /// table row or in paragraphs, is repeated for each object of a list, and left out for false or an empty list.
    #[schemars(extend("x-aliases" = ["data", "fields", "placeholders", "variables"]))]
    pub values: Map<String, Value>,
}

/// Set the content of a content control
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetContentControl {
    /// Its tag or title.
    #[schemars(extend("x-aliases" = ["tag", "title", "alias", "name"]))]
    pub control: String,
    /// Its text, or the entry of a list.
    #[schemars(extend("x-aliases" = ["value", "content"], "x-empty" = true))]
    pub text: Option<String>,
    /// The state of a check box.
    pub checked: Option<bool>,
}

/// Give paragraphs a style
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ApplyStyle {
    /// Name of the paragraph style.
    #[schemars(extend("x-aliases" = ["style_name", "name", "paragraph_style"]))]
    pub style: String,
    /// The first paragraph, from 0.
    #[schemars(extend("x-aliases" = ["paragraph_index"], "x-one-based" = ["paragraph", "paragraph_number"]))]
    pub index: usize,
    /// How many paragraphs.
    #[schemars(range(min = 1))]
    pub count: Option<usize>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Define a style, or change the given properties of an existing one
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DefineStyle {
    /// Its name.
    #[schemars(extend("x-aliases" = ["style", "style_name"]))]
    pub name: String,
    /// What it applies to; paragraphs without it.
    #[schemars(extend("x-aliases" = ["type", "style_type"], "enum" = ["paragraph", "character"]))]
    pub kind: Option<String>,
    /// Name of the style it is based on.
    #[schemars(extend("x-aliases" = ["base", "parent"]))]
    pub based_on: Option<String>,
    /// Font family.
    #[schemars(extend("x-aliases" = ["font", "font_family"]))]
    pub font_name: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["size"]), range(min = 1, max = 1638))]
    pub font_size: Option<f64>,
    /// Bold.
    #[schemars(extend("x-aliases" = ["font_bold"]))]
    pub bold: Option<bool>,
    /// Italic.
    #[schemars(extend("x-aliases" = ["font_italic", "italics"]))]
    pub italic: Option<bool>,
    /// Underlined.
    #[schemars(extend("x-aliases" = ["font_underline"], "x-type" = "underline"))]
    pub underline: Option<bool>,
    /// Colour of the text.
    #[schemars(extend("x-aliases" = ["color", "colour", "text_color"], "x-type" = "color"))]
    pub font_color: Option<String>,
    /// Horizontal alignment.
    #[schemars(extend("x-aliases" = ["align"], "x-type" = "alignment"))]
    pub alignment: Option<String>,
    /// Points.
    #[schemars(extend("x-aliases" = ["spacing_before"]), range(min = 0, max = 1584))]
    pub space_before: Option<f64>,
    /// Points.
    #[schemars(extend("x-aliases" = ["spacing_after"]), range(min = 0, max = 1584))]
    pub space_after: Option<f64>,
    /// Times a single line.
    #[schemars(range(min = 0.05, max = 132))]
    pub line_spacing: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["left_indent"]), range(min = -22, max = 22))]
    pub indent_left: Option<f64>,
    /// Inches.
    #[schemars(extend("x-aliases" = ["first_line_indent"]), range(min = -22, max = 22))]
    pub indent_first_line: Option<f64>,
}

/// Replace an image; its place and width stay
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReplaceImage {
    /// The image as the map lists it, from 0.
    #[schemars(extend("x-aliases" = ["image", "image_index"]))]
    pub index: usize,
    /// A file of the workbench.
    #[schemars(extend("x-aliases" = ["image_path", "file"]))]
    pub path: Option<String>,
    /// The image itself.
    #[schemars(extend("x-aliases" = ["data", "base64"]))]
    pub data_base64: Option<String>,
    /// What it shows, for people who cannot see it.
    #[schemars(extend("x-aliases" = ["alt", "description"]))]
    pub alt_text: Option<String>,
}

/// Delete an image
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteImage {
    /// The image as the map lists it, from 0.
    #[schemars(extend("x-aliases" = ["image", "image_index"]))]
    pub index: usize,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}
