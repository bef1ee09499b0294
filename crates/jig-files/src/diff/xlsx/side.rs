//! One of two workbooks that are compared: its strings and formats in numbers that both share.

use std::collections::HashMap;

use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::book::Book;
use jig_ooxml::xlsx::formula::translate;
use jig_ooxml::xlsx::numfmt::{DateSystem, general};
use jig_ooxml::xlsx::{RawCell, RawFormulaKind, raw_string, raw_strings, raw_text};
use jig_ooxml::{Package, PackageError};

use super::styles::{CellFormat, Styles};

/// What both workbooks share: a number for each string and each format.
#[derive(Default)]
pub(super) struct Shared {
    numbers: HashMap<(bool, String), u32>,
    texts: Vec<(bool, String)>,
    formats: HashMap<CellFormat, u32>,
}

/// One workbook.
pub(super) struct Side<'p> {
    pub(super) package: &'p Package,
    pub(super) book: Book,
    pub(super) styles: Styles,
    format_keys: Vec<u32>,
    strings: Vec<u32>,
}

/// A cell's content. Numbers are bits, so that they can be compared for sameness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Number(u64),
    Text(u32),
    Bool(bool),
    Error(String),
    Date(String),
}

/// A cell as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) col: u32,
    /// The format in its own workbook, and as both know it.
    pub(super) style: u32,
    pub(super) format: u32,
    pub(super) content: Content,
    pub(super) formula: Option<String>,
    /// Part of a formula that fills several cells.
    pub(super) array: bool,
}

/// Formulas of a sheet that give more than one cell its value.
#[derive(Debug, Default)]
pub(super) struct Masters {
    /// The first cells of shared formulas, by group.
    pub(super) shared: HashMap<u32, (CellRef, String)>,
    /// What array formulas and data tables fill.
    pub(super) areas: Vec<RangeRef>,
}

/// More areas than this are not looked through for each cell.
const MOST_AREAS: usize = 256;

impl Masters {
    fn fills(&self, cell: CellRef) -> bool {
        self.areas.iter().take(MOST_AREAS).any(|area| area.contains(cell))
    }
}

impl Shared {
    /// The number of a string; rich ones differ from plain ones of the same text.
    fn string(&mut self, inner: &[u8]) -> u32 {
        let text = raw_string(inner);
        let rich = has_runs(inner);
        let key = if rich { (true, String::from_utf8_lossy(inner).into_owned()) } else { (false, text.clone()) };
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.texts.push((rich, text));
        }
        number
    }

    fn plain(&mut self, text: String) -> u32 {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry((false, text.clone())).or_insert(next);
        if number == next {
            self.texts.push((false, text));
        }
        number
    }

    /// The characters of a string, and whether it has formats of its own.
    pub(super) fn text(&self, number: u32) -> (bool, &str) {
        self.texts.get(number as usize).map_or((false, ""), |(rich, text)| (*rich, text))
    }
}

/// Whether a string has runs with formats.
fn has_runs(inner: &[u8]) -> bool {
    inner.windows(3).any(|three| matches!(three, [b'<' | b':', b'r', b'>' | b' ']))
}

impl<'p> Side<'p> {
    pub(super) fn read(package: &'p Package, shared: &mut Shared) -> Result<Self, PackageError> {
        let book = Book::read(package)?;
        let styles = Styles::read(package, &book)?;
        let format_keys = styles.keys(&mut shared.formats);
        let mut strings = Vec::new();
        if let Some(part) = book.shared_strings().filter(|part| package.has(part)) {
            raw_strings(package, part, |_, inner| strings.push(shared.string(inner)))?;
        }
        Ok(Self { package, book, styles, format_keys, strings })
    }

    /// Whether numbers in sheets of the other workbook mean the same in this one.
    pub(super) fn means_the_same(&self, other: &Self) -> bool {
        let starts = |list: &[u32], start: &[u32]| list.starts_with(start) || start.starts_with(list);
        starts(&self.strings, &other.strings) && starts(&self.format_keys, &other.format_keys)
    }

    /// Whether all formats of the other workbook have the same numbers here.
    pub(super) fn has_formats_of(&self, other: &Self) -> bool {
        self.format_keys.starts_with(&other.format_keys)
    }

    pub(super) fn format_key(&self, style: u32) -> u32 {
        // Plain cells of a workbook without styles are as those of one that has them.
        self.format_keys.get(style as usize).or(self.format_keys.first()).copied().unwrap_or(0)
    }

    pub(super) fn dates(&self) -> DateSystem {
        if self.book.date1904 { DateSystem::From1904 } else { DateSystem::From1900 }
    }

    /// A cell as it is compared.
    pub(super) fn cell(&self, raw: &RawCell<'_>, shared: &mut Shared, masters: &Masters) -> Cell {
        let formula = raw.formula.map(|formula| match formula.kind {
            RawFormulaKind::Shared(group) if formula.text.is_empty() => masters
                .shared
                .get(&group)
                .map(|(master, text)| translate(text, *master, raw.at).text.into_owned())
                .unwrap_or_default(),
            _ => raw_text(formula.text),
        });
        Cell {
            col: raw.at.col(),
            style: raw.style,
            format: self.format_key(raw.style),
            content: self.content(raw, shared),
            formula,
            array: raw.formula.is_some_and(|formula| formula.kind == RawFormulaKind::Array) || masters.fills(raw.at),
        }
    }

    fn content(&self, raw: &RawCell<'_>, shared: &mut Shared) -> Content {
        if let Some(inner) = raw.inline.filter(|_| raw.kind == b"inlineStr" || raw.value.is_none()) {
            let number = shared.string(inner);
            return if shared.text(number).1.is_empty() { Content::Empty } else { Content::Text(number) };
        }
        let Some(value) = raw.value else { return Content::Empty };
        match raw.kind {
            b"s" => {
                let text = String::from_utf8_lossy(value);
                let number = text.trim().parse::<usize>().ok().and_then(|at| self.strings.get(at));
                number.map_or(Content::Empty, |number| Content::Text(*number))
            }
            b"str" | b"inlineStr" => Content::Text(shared.plain(raw_text(value))),
            b"b" => Content::Bool(matches!(value.trim_ascii(), b"1" | b"true" | b"TRUE")),
            b"e" => Content::Error(raw_text(value)),
            b"d" => Content::Date(raw_text(value)),
            _ => {
                let text = raw_text(value);
                match text.trim().parse::<f64>() {
                    Ok(number) => Content::Number((number + 0.0).to_bits()),
                    Err(_) if text.trim().is_empty() => Content::Empty,
                    Err(_) => Content::Text(shared.plain(text)),
                }
            }
        }
    }

    /// A cell's content as a person sees it.
    pub(super) fn shown(&self, cell: &Cell, shared: &Shared) -> String {
        match &cell.content {
            Content::Empty => String::new(),
            Content::Number(bits) => {
                let format = self.styles.get(cell.style).number_format();
                format.number(f64::from_bits(*bits), self.dates())
            }
            _ => plain(&cell.content, shared),
        }
    }
}

/// A content without any format.
pub(super) fn plain(content: &Content, shared: &Shared) -> String {
    match content {
        Content::Empty => String::new(),
        Content::Number(bits) => {
            let number = f64::from_bits(*bits);
            if number.fract() == 0.0 { general(number) } else { number.to_string() }
        }
        Content::Text(number) => shared.text(*number).1.to_owned(),
        Content::Bool(true) => "TRUE".to_owned(),
        Content::Bool(false) => "FALSE".to_owned(),
        Content::Error(text) | Content::Date(text) => text.clone(),
    }
}
