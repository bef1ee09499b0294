//! A decoded cell, whether it comes from the index or directly from the part.

use std::borrow::Cow;

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
    pub(crate) content: Content<'a>,
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
        self.origin == Origin::Stale || (self.formula.is_some() && self.content == Content::Empty)
    }
}

/// What a cell holds; for a formula, the value that was stored with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<'a> {
    /// Nothing: only formulas are kept with it, and then their value is not known.
    Empty,
    Number(f64),
    /// A number of the table of shared strings.
    Shared(u32),
    Text(Cow<'a, str>),
    Bool(bool),
    Error(Cow<'a, str>),
    /// A date in ISO form, as strict files may have them.
    Date(Cow<'a, str>),
}

impl Content<'_> {
    /// The text of a cell that holds text.
    pub(crate) fn text<'s>(&'s self, strings: &'s SharedStrings) -> Option<&'s str> {
        match self {
            Content::Shared(number) => Some(strings.get(*number).unwrap_or_default()),
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Content::Shared(_) | Content::Text(_))
    }
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
}

impl Formula<'_> {
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
