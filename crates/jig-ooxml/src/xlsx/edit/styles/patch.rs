//! The style object of an op: what it may say, and the checked form of it.

use serde::Deserialize;
use serde_json::Value;

use crate::edit::{Color, EditError, nearest};

/// A style as it is given.
#[derive(Debug, Clone, Deserialize, Default)]
pub(crate) struct StyleInput {
    font_name: Option<Value>,
    font_size: Option<Value>,
    font_bold: Option<Value>,
    font_italic: Option<Value>,
    font_underline: Option<Value>,
    font_color: Option<Value>,
    fill_color: Option<Value>,
    fill_pattern: Option<Value>,
    number_format: Option<Value>,
    h_align: Option<Value>,
    v_align: Option<Value>,
    wrap_text: Option<Value>,
    border_top: Option<BorderInput>,
    border_bottom: Option<BorderInput>,
    border_left: Option<BorderInput>,
    border_right: Option<BorderInput>,
}

/// One edge as it is given.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BorderInput {
    style: Option<Value>,
    color: Option<Value>,
}

/// A style that was checked: what it names is changed, the rest of a cell's format stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StylePatch {
    pub(crate) font_name: Option<String>,
    pub(crate) font_size: Option<f64>,
    pub(crate) bold: Option<bool>,
    pub(crate) italic: Option<bool>,
    pub(crate) underline: Option<bool>,
    pub(crate) font_color: Option<String>,
    pub(crate) fill_color: Option<String>,
    pub(crate) fill_pattern: Option<&'static str>,
    pub(crate) number_format: Option<String>,
    pub(crate) horizontal: Option<&'static str>,
    pub(crate) vertical: Option<&'static str>,
    pub(crate) wrap: Option<bool>,
    pub(crate) borders: [Option<Border>; 4],
}

/// An edge that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Border {
    pub(crate) style: &'static str,
    pub(crate) color: Option<String>,
}

/// The edges in the order of [`StylePatch::borders`], which is that of the format.
pub(crate) const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];

const PATTERNS: [&str; 19] = [
    "none",
    "solid",
    "darkDown",
    "darkGray",
    "darkGrid",
    "darkHorizontal",
    "darkTrellis",
    "darkUp",
    "darkVertical",
    "gray0625",
    "gray125",
    "lightDown",
    "lightGray",
    "lightGrid",
    "lightHorizontal",
    "lightTrellis",
    "lightUp",
    "lightVertical",
    "mediumGray",
];
const HORIZONTAL: [&str; 8] =
    ["left", "center", "right", "justify", "general", "fill", "distributed", "centerContinuous"];
const VERTICAL: [&str; 5] = ["top", "center", "bottom", "justify", "distributed"];
const EDGES: [&str; 14] = [
    "none",
    "thin",
    "medium",
    "thick",
    "dashed",
    "dotted",
    "double",
    "hair",
    "mediumDashed",
    "dashDot",
    "mediumDashDot",
    "dashDotDot",
    "mediumDashDotDot",
    "slantDashDot",
];

impl StylePatch {
    /// A patch that only sets the number format.
    pub(crate) fn number_format(code: impl Into<String>) -> Self {
        Self { number_format: Some(code.into()), ..Self::default() }
    }

    /// Checks a style; `at` is its place for messages.
    pub(crate) fn check(input: &StyleInput, at: &str) -> Result<Self, EditError> {
        let field = |name: &str| format!("{at}.{name}");
        let edge = |border: &Option<BorderInput>, name: &str| -> Result<Option<Border>, EditError> {
            border.as_ref().map(|border| Border::check(border, &field(name))).transpose()
        };
        Ok(Self {
            font_name: text(&input.font_name, &field("font_name"), 31)?,
            font_size: size(&input.font_size, &field("font_size"))?,
            bold: flag(&input.font_bold, &field("font_bold"))?,
            italic: flag(&input.font_italic, &field("font_italic"))?,
            underline: flag(&input.font_underline, &field("font_underline"))?,
            font_color: color(&input.font_color, &field("font_color"))?,
            fill_color: color(&input.fill_color, &field("fill_color"))?,
            fill_pattern: word(&input.fill_pattern, &field("fill_pattern"), &PATTERNS)?,
            number_format: text(&input.number_format, &field("number_format"), 255)?,
            horizontal: word(&input.h_align, &field("h_align"), &HORIZONTAL)?,
            vertical: word(&input.v_align, &field("v_align"), &VERTICAL)?,
            wrap: flag(&input.wrap_text, &field("wrap_text"))?,
            borders: [
                edge(&input.border_left, "border_left")?,
                edge(&input.border_right, "border_right")?,
                edge(&input.border_top, "border_top")?,
                edge(&input.border_bottom, "border_bottom")?,
            ],
        })
    }

    /// Whether it says anything.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Border {
    fn check(input: &BorderInput, at: &str) -> Result<Self, EditError> {
        let style = word(&input.style, &format!("{at}.style"), &EDGES)?;
        let color = color(&input.color, &format!("{at}.color"))?;
        match style {
            Some(style) => Ok(Self { style, color }),
            // A colour alone asks for a line of that colour.
            None if color.is_some() => Ok(Self { style: "thin", color }),
            None => Err(EditError::new(format!("{at}.style"), "missing: the style of the border").suggest(EDGES)),
        }
    }
}

fn text(value: &Option<Value>, at: &str, most: usize) -> Result<Option<String>, EditError> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Err(EditError::new(at, "the text is empty")),
        Some(Value::String(text)) if text.chars().count() > most => {
            Err(EditError::new(at, format!("the text is longer than {most} characters")))
        }
        Some(Value::String(text)) => Ok(Some(crate::xml::strip_illegal(text).0.into_owned())),
        Some(_) => Err(EditError::new(at, "a text is needed")),
    }
}

fn size(value: &Option<Value>, at: &str) -> Result<Option<f64>, EditError> {
    let Some(value) = value else { return Ok(None) };
    let size = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    match size {
        Some(size) if (1.0..=409.0).contains(&size) => Ok(Some(size)),
        _ => Err(EditError::new(at, "a font size is a number of points from 1 to 409")),
    }
}

fn flag(value: &Option<Value>, at: &str) -> Result<Option<bool>, EditError> {
    match value {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(EditError::new(at, "true or false is needed")),
    }
}

fn color(value: &Option<Value>, at: &str) -> Result<Option<String>, EditError> {
    let Some(value) = value else { return Ok(None) };
    let color = value.as_str().and_then(|text| Color::parse(text.trim()));
    color.map(|color| Some(color.argb())).ok_or_else(|| EditError::new(at, Color::FORM))
}

/// A word of a list, in any case.
fn word(value: &Option<Value>, at: &str, known: &[&'static str]) -> Result<Option<&'static str>, EditError> {
    let Some(value) = value else { return Ok(None) };
    let Some(given) = value.as_str().map(str::trim) else {
        return Err(EditError::new(at, "a text is needed").suggest(known.to_vec()));
    };
    match known.iter().find(|word| word.eq_ignore_ascii_case(given)) {
        Some(word) => Ok(Some(word)),
        None => {
            let near = nearest(given, known.iter().copied());
            let near = if near.is_empty() { known.iter().map(|word| (*word).to_owned()).collect() } else { near };
            Err(EditError::new(at, format!("`{given}` is none of {}", known.join(", "))).suggest(near))
        }
    }
}
