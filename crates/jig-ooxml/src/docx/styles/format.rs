//! How runs look, as far as results tell it.

use super::ThemeFonts;
use crate::docx::word;
use crate::xml::{Node, Ns};

/// A font as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Font {
    /// By name.
    Name(String),
    /// The theme's font for headings.
    Major,
    /// The theme's font for text.
    Minor,
}

/// The look of a run. What is none is not said at this place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFormat {
    /// Bold.
    pub bold: Option<bool>,
    /// Italic.
    pub italic: Option<bool>,
    /// Underlined in any way.
    pub underline: Option<bool>,
    /// Size in points.
    pub size_pt: Option<f64>,
    /// Font for Latin text.
    pub font: Option<Font>,
    /// Colour as `RRGGBB`; none also for the automatic one.
    pub color: Option<String>,
}

impl RunFormat {
    /// Reads a `w:rPr`.
    pub fn read(properties: Node<'_>) -> Self {
        Self {
            bold: word::switch(properties, "b"),
            italic: word::switch(properties, "i"),
            underline: properties.child(Ns::W, "u").map(|node| word::val(node).is_none_or(|value| value != "none")),
            size_pt: word::child_val(properties, "sz").and_then(|size| points(&size)),
            font: properties.child(Ns::W, "rFonts").and_then(font),
            color: word::child_val(properties, "color").filter(|color| is_rgb(color)).map(|c| c.to_ascii_uppercase()),
        }
    }

    /// With what it does not say itself taken from a base.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            bold: self.bold.or(base.bold),
            italic: self.italic.or(base.italic),
            underline: self.underline.or(base.underline),
            size_pt: self.size_pt.or(base.size_pt),
            font: self.font.or_else(|| base.font.clone()),
            color: self.color.or_else(|| base.color.clone()),
        }
    }

    /// A character style over a paragraph style: bold and italic of both cancel each other out, as the
    /// standard has it for such switches.
    #[must_use]
    pub fn style_over(self, paragraph: &Self) -> Self {
        let toggled = |own: Option<bool>, base: Option<bool>| match (own, base) {
            (Some(true), Some(true)) => Some(false),
            (own, base) => own.filter(|on| *on).or(base).or(own),
        };
        let (bold, italic) = (toggled(self.bold, paragraph.bold), toggled(self.italic, paragraph.italic));
        Self { bold, italic, ..self.over(paragraph) }
    }

    /// The name of the font.
    pub fn font_name<'a>(&'a self, theme: &'a ThemeFonts) -> Option<&'a str> {
        match self.font.as_ref()? {
            Font::Name(name) => Some(name),
            Font::Major => theme.major.as_deref(),
            Font::Minor => theme.minor.as_deref(),
        }
    }
}

/// A size in half points, or in the strict form with its unit.
fn points(size: &str) -> Option<f64> {
    let value = match size.trim().strip_suffix("pt") {
        Some(points) => points.parse::<f64>().ok()?,
        None => size.trim().parse::<f64>().ok()? / 2.0,
    };
    value.is_finite().then_some(value)
}

fn font(node: Node<'_>) -> Option<Font> {
    let theme = word::attr(node, "asciiTheme").or_else(|| word::attr(node, "hAnsiTheme"));
    if let Some(theme) = theme {
        return Some(if theme.starts_with("major") { Font::Major } else { Font::Minor });
    }
    let name = word::attr(node, "ascii").or_else(|| word::attr(node, "hAnsi"))?;
    Some(Font::Name(name.into_owned()))
}

fn is_rgb(color: &str) -> bool {
    color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit())
}
