//! The style object of an op, checked.

use jig_file_api::ops::xlsx::{Border as BorderInput, CellStyle};

use crate::edit::{Color, EditError};

/// A checked style: the properties it names are changed, the rest of a cell's format stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StylePatch {
    pub(crate) font_name: Option<String>,
    pub(crate) font_size: Option<f64>,
    pub(crate) bold: Option<bool>,
    pub(crate) italic: Option<bool>,
    pub(crate) underline: Option<bool>,
    pub(crate) font_color: Option<String>,
    pub(crate) fill_color: Option<String>,
    pub(crate) fill_pattern: Option<String>,
    pub(crate) number_format: Option<String>,
    pub(crate) horizontal: Option<String>,
    pub(crate) vertical: Option<String>,
    pub(crate) wrap: Option<bool>,
    pub(crate) borders: [Option<Border>; 4],
}

/// An edge that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Border {
    pub(crate) style: String,
    pub(crate) color: Option<String>,
}

/// The edges in the order of [`StylePatch::borders`], which is that of the format.
pub(crate) const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];

impl StylePatch {
    /// A patch that only sets the number format.
    pub(crate) fn number_format(code: impl Into<String>) -> Self {
        Self { number_format: Some(code.into()), ..Self::default() }
    }

    /// Checks a style; `at` is its location in error messages.
    pub(crate) fn check(input: &CellStyle, at: &str) -> Result<Self, EditError> {
        let field = |name: &str| format!("{at}.{name}");
        let color = |value: &Option<String>, name: &str| color(value.as_deref(), &field(name));
        // A border for one side overrides the border for all four.
        let edge = |side: &Option<BorderInput>, name: &str| -> Result<Option<Border>, EditError> {
            let border = side.as_ref().or(input.border.as_ref());
            border.map(|border| Border::check(border, &field(name))).transpose().map(Option::flatten)
        };
        Ok(Self {
            font_name: text(&input.font_name),
            font_size: input.font_size,
            bold: input.font_bold,
            italic: input.font_italic,
            underline: input.font_underline,
            font_color: color(&input.font_color, "font_color")?,
            fill_color: color(&input.fill_color, "fill_color")?,
            fill_pattern: input.fill_pattern.clone(),
            number_format: text(&input.number_format),
            horizontal: input.h_align.clone(),
            vertical: input.v_align.clone(),
            wrap: input.wrap_text,
            borders: [
                edge(&input.border_left, "border_left")?,
                edge(&input.border_right, "border_right")?,
                edge(&input.border_top, "border_top")?,
                edge(&input.border_bottom, "border_bottom")?,
            ],
        })
    }

    /// Whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Border {
    /// None for an edge without properties.
    fn check(input: &BorderInput, at: &str) -> Result<Option<Self>, EditError> {
        let color = color(input.color.as_deref(), &format!("{at}.color"))?;
        Ok(match &input.style {
            Some(style) => Some(Self { style: style.clone(), color }),
            // A colour without a style means a thin line of that colour.
            None if color.is_some() => Some(Self { style: "thin".to_owned(), color }),
            None => None,
        })
    }
}

/// A text without characters that XML cannot hold; an empty one counts as missing.
fn text(value: &Option<String>) -> Option<String> {
    let text = value.as_deref().filter(|text| !text.is_empty())?;
    Some(crate::xml::strip_illegal(text).0.into_owned())
}

fn color(value: Option<&str>, at: &str) -> Result<Option<String>, EditError> {
    let color =
        value.map(|text| Color::parse(text).ok_or_else(|| EditError::new(at, format!("expected {}", Color::FORM))));
    Ok(color.transpose()?.map(|color| color.argb()))
}
