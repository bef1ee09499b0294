//! A decoded cell, whether it comes from the index, the stream or the bytes of a row. [`CellData::decode`] is the only
//! place that interprets the type and the value of a cell.

use std::borrow::Cow;

use super::decode;
use super::facts::SheetFacts;
use crate::xlsx::address::CellRef;
use crate::xlsx::formula::{prefixes, translate};
use crate::xlsx::shared_strings::SharedStrings;

/// A cell that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell<'a> {
    pub(crate) at: CellRef,
    /// The number of its format in `cellXfs`.
    pub(crate) style: u32,
    pub(crate) data: CellData<'a>,
    pub(crate) formula: Option<Formula<'a>>,
    pub(crate) origin: Origin,
}

/// Where the value of a cell comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the file.
    Stored,
    /// Computed here: the file has none that can be trusted.
    Computed,
    /// None: the stored value is outdated, and a new one could not be computed.
    Stale,
}

impl Cell<'_> {
    /// Whether the cell has no up-to-date value.
    pub(crate) fn is_stale(&self) -> bool {
        self.origin == Origin::Stale || (self.formula.is_some() && self.data == CellData::Empty)
    }
}

/// The type of a cell, its attribute `t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellType {
    Number,
    /// A shared string.
    Shared,
    /// The text of a formula's result.
    Text,
    /// Text in the cell itself.
    Inline,
    Bool,
    Error,
    /// A date in ISO form, as strict files may have them.
    Date,
}

impl CellType {
    /// The type by its name in the file; unknown names count as numbers, the default.
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"s" => Self::Shared,
            b"str" => Self::Text,
            b"inlineStr" => Self::Inline,
            b"b" => Self::Bool,
            b"e" => Self::Error,
            b"d" => Self::Date,
            _ => Self::Number,
        }
    }
}

/// The value of a cell; for a formula, the value that is stored with it.
#[derive(Debug, Clone, PartialEq)]
pub enum CellData<'a> {
    /// No value; of a formula, it is unknown.
    Empty,
    /// A number.
    Number(f64),
    /// An index into the shared strings.
    Shared(u32),
    /// Text.
    Text(Cow<'a, str>),
    /// True or false.
    Bool(bool),
    /// An error, such as `#N/A`.
    Error(Cow<'a, str>),
    /// A date in ISO form, as strict files may have them.
    Date(Cow<'a, str>),
}

impl<'a> CellData<'a> {
    /// Decodes a cell from the markup inside `v` and the text of `is`. Programs write both into inline strings; Excel
    /// then ignores `v`. A number that is not one is text.
    pub(crate) fn decode(kind: CellType, value: Option<&'a [u8]>, inline: Option<Cow<'a, str>>) -> Self {
        if let Some(text) = inline.filter(|_| kind == CellType::Inline || value.is_none()) {
            return Self::Text(text);
        }
        let Some(value) = value else { return Self::Empty };
        match (kind, small_integer(value)) {
            (CellType::Number, Some(number)) => Self::Number(number as f64),
            (CellType::Shared, Some(number)) => u32::try_from(number).map_or(Self::Empty, Self::Shared),
            _ => Self::of_text(kind, decode::text_content(value)),
        }
    }

    fn of_text(kind: CellType, text: Cow<'a, str>) -> Self {
        match (kind, text.trim()) {
            // A formula can have an empty text as its result.
            (CellType::Text | CellType::Inline, _) => Self::Text(text),
            (_, "") => Self::Empty,
            (CellType::Number, number) => match number.parse::<f64>().ok().filter(|number| number.is_finite()) {
                Some(number) => Self::Number(number),
                None => Self::Text(text),
            },
            (CellType::Shared, number) => number.parse().map_or(Self::Empty, Self::Shared),
            (CellType::Bool, flag) => Self::Bool(matches!(flag, "1" | "true" | "TRUE")),
            (CellType::Error, _) => Self::Error(text),
            (CellType::Date, _) => Self::Date(text),
        }
    }

    /// The text of a cell that holds text.
    pub(crate) fn text<'s>(&'s self, strings: &'s SharedStrings) -> Option<&'s str> {
        match self {
            Self::Shared(number) => Some(strings.get(*number).unwrap_or_default()),
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Shared(_) | Self::Text(_))
    }

    /// Whether nothing is displayed: no value, or a text without characters.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// Digits alone: most numbers and all indexes are written so, and a float holds 15 digits exactly.
fn small_integer(raw: &[u8]) -> Option<u64> {
    let raw = raw.trim_ascii();
    if raw.is_empty() || raw.len() > 15 || !raw.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(raw.iter().fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0')))
}

/// A formula as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Formula<'a> {
    /// In the cell itself.
    Own(Cow<'a, str>),
    /// In the first cell of a group that share it.
    Shared { master: CellRef, text: &'a str },
    /// In the first cell of the group with this number, not looked up yet or missing from the file.
    Group(u32),
}

impl Formula<'_> {
    /// The formula as it reads in its cell, with its `=`.
    pub(crate) fn text(&self, at: CellRef) -> String {
        match self {
            Self::Own(text) => format!("={}", prefixes::remove(text)),
            Self::Shared { master, text } => format!("={}", prefixes::remove(&translate(text, *master, at).text)),
            Self::Group(_) => "=#REF!".to_owned(),
        }
    }

    /// The formula of the group, where the group's first cell is known.
    pub(crate) fn resolved<'f>(&'f self, facts: &'f SheetFacts) -> Formula<'f> {
        match self {
            Self::Own(text) => Formula::Own(Cow::Borrowed(text)),
            Self::Shared { master, text } => Formula::Shared { master: *master, text },
            Self::Group(number) => match facts.shared.get(number) {
                Some((master, text)) => Formula::Shared { master: *master, text },
                None => Formula::Group(*number),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_decides_how_a_value_is_read() {
        let decode = |kind: &str, value: &'static str| {
            CellData::decode(CellType::of(kind.as_bytes()), Some(value.as_bytes()), None)
        };
        let text = |text: &'static str| CellData::Text(text.into());
        let cases = [
            ("n", "12", CellData::Number(12.0)),
            ("n", " 1.5e3 ", CellData::Number(1500.0)),
            ("n", "123456789012345678", CellData::Number(123_456_789_012_345_680.0)),
            ("n", "<![CDATA[7]]>", CellData::Number(7.0)),
            ("n", "&#49;2", CellData::Number(12.0)),
            ("n", "1e999", text("1e999")),
            ("n", "NaN", text("NaN")),
            ("n", " ", CellData::Empty),
            ("unheard of", "3", CellData::Number(3.0)),
            ("s", "4", CellData::Shared(4)),
            ("s", "4294967296", CellData::Empty),
            ("s", "-1", CellData::Empty),
            ("str", "", text("")),
            ("str", " a&amp;b_x0041_ ", text(" a&bA ")),
            ("inlineStr", "5", text("5")),
            ("b", "1", CellData::Bool(true)),
            ("b", "no", CellData::Bool(false)),
            ("b", "", CellData::Empty),
            ("e", "#N/A", CellData::Error("#N/A".into())),
            ("d", "2024-01-05", CellData::Date("2024-01-05".into())),
        ];
        for (kind, value, wanted) in cases {
            assert_eq!(decode(kind, value), wanted, "{kind} {value}");
        }
    }

    #[test]
    fn a_value_beside_an_inline_text_counts_for_other_types_only() {
        let decode = |kind: &str, value: Option<&'static str>| {
            CellData::decode(CellType::of(kind.as_bytes()), value.map(str::as_bytes), Some("inside".into()))
        };
        assert_eq!(decode("inlineStr", Some("1.0")), CellData::Text("inside".into()));
        assert_eq!(decode("n", Some("1.0")), CellData::Number(1.0));
        assert_eq!(decode("n", None), CellData::Text("inside".into()));
    }
}
