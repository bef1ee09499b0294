//! One of two workbooks that are compared: its strings and formats in numbers that both share.

use std::collections::HashMap;

use jig_ooxml::xlsx::address::{CellRange, CellRef};
use jig_ooxml::xlsx::formula::translate;
use jig_ooxml::xlsx::number_format::general;
use jig_ooxml::xlsx::serial_date::DateSystem;
use jig_ooxml::xlsx::workbook_part::WorkbookPart;
use jig_ooxml::xlsx::{CellData, CellMarkup, FormulaKind, FormulaMarkup, shared_strings, string_text};
use jig_ooxml::{Package, PackageError};

use super::styles::{FormatKey, Styles, decimal};

/// What both workbooks share: a number for each string and each format.
#[derive(Default)]
pub(super) struct Shared {
    numbers: HashMap<(bool, String), u32>,
    texts: Vec<(bool, String)>,
    formats: HashMap<FormatKey, u32>,
}

/// One workbook.
pub(super) struct Side<'p> {
    pub(super) package: &'p Package,
    pub(super) book: WorkbookPart,
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
    pub(super) areas: Vec<CellRange>,
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
        let text = string_text(inner).replace("\r\n", "\n");
        let runs = if has_runs(inner) { rich(inner) } else { None };
        let rich = runs.is_some();
        let key = runs.map_or_else(|| (false, text.clone()), |runs| (true, runs));
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.texts.push((rich, text));
        }
        number
    }

    fn plain(&mut self, text: &str) -> u32 {
        let text = text.replace("\r\n", "\n");
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

/// A string with formats of its own in one spelling: its runs, those of one format together, without what a person
/// cannot see. None when no run has a format.
fn rich(inner: &[u8]) -> Option<String> {
    let source = String::from_utf8_lossy(inner);
    let mut runs: Vec<(Vec<String>, String)> = Vec::new();
    let (mut format, mut in_format, mut in_phonetic): (Vec<String>, bool, bool) = (Vec::new(), false, false);
    for piece in source.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.trim_end_matches('/').split_ascii_whitespace().next().unwrap_or_default();
        let (closes, name) = name.strip_prefix('/').map_or((false, name), |name| (true, name));
        match name.rsplit(':').next().unwrap_or(name) {
            "r" if !closes => format.clear(),
            "rPr" => in_format = !closes && !tag.ends_with('/'),
            "rPh" => in_phonetic = !closes,
            "t" if !closes && !in_phonetic => {
                format.sort();
                let text = jig_ooxml::xml::unescape(text).replace("\r\n", "\n");
                match runs.last_mut().filter(|(known, _)| *known == format) {
                    Some((_, known)) => known.push_str(&text),
                    None => runs.push((format.clone(), text)),
                }
            }
            name if in_format && !closes => format.extend(run_property(name, tag)),
            _ => {}
        }
    }
    let formatted = runs.iter().any(|(format, _)| !format.is_empty());
    formatted.then(|| runs.iter().map(|(format, text)| format!("{{{}}}{text}", format.join(","))).collect())
}

/// A property of a run, none for what is a default or cannot be seen.
fn run_property(name: &str, tag: &str) -> Option<String> {
    if matches!(name, "family" | "charset" | "scheme" | "condense" | "extend") {
        return None;
    }
    let mut values: Vec<String> = tag.split('"').skip(1).step_by(2).map(decimal).collect();
    values.sort();
    match (name, values.first().map(String::as_str)) {
        ("b" | "i" | "strike" | "outline" | "shadow", Some("0" | "false")) => None,
        ("b" | "i" | "strike" | "outline" | "shadow", _) => Some(name.to_owned()),
        ("u", None) => Some("u single".to_owned()),
        ("u", Some("none")) => None,
        // Black is the colour of text without any.
        ("color", Some("1" | "8" | "64" | "FF000000" | "000000")) if values.len() == 1 => None,
        _ => Some(format!("{name} {}", values.join(" "))),
    }
}

/// A formula without what its meaning does not hang on: white space, letter case, quotes around plain sheet names and
/// the prefixes of newer functions. String literals stay as they are.
pub(super) fn bare_formula(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.trim_start_matches('=').chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                out.push('"');
                for inside in letters.by_ref() {
                    out.push(inside);
                    if inside == '"' {
                        break;
                    }
                }
            }
            '\'' => {
                let name: String = letters.by_ref().take_while(|inside| *inside != '\'').collect();
                let plain = name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '.'));
                let quote = if plain { "" } else { "'" };
                out.push_str(&format!("{quote}{}{quote}", name.to_uppercase()));
            }
            letter if letter.is_whitespace() => {}
            letter => out.extend(letter.to_uppercase()),
        }
    }
    out.replace("_XLFN.", "").replace("_XLWS.", "")
}

/// Whether two numbers are the same to the digits that a workbook keeps, or name the same moment.
pub(super) fn same_number(a: f64, b: f64, dates: bool) -> bool {
    let distance = (a - b).abs();
    distance <= a.abs().max(b.abs()) * 1e-14 || (dates && distance < HALF_MILLISECOND)
}

/// In days, as dates are numbers.
const HALF_MILLISECOND: f64 = 0.5 / 86_400_000.0;

/// Whether a string has runs with formats.
fn has_runs(inner: &[u8]) -> bool {
    inner.windows(3).any(|three| matches!(three, [b'<' | b':', b'r', b'>' | b' ']))
}

impl<'p> Side<'p> {
    pub(super) fn read(package: &'p Package, shared: &mut Shared) -> Result<Self, PackageError> {
        let book = WorkbookPart::read(package)?;
        let styles = Styles::read(package, &book)?;
        let format_keys = styles.keys(&mut shared.formats);
        let mut strings = Vec::new();
        if let Some(part) = book.shared_strings().filter(|part| package.has(part)) {
            shared_strings(package, part, |_, inner| strings.push(shared.string(inner)))?;
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
        self.book.dates()
    }

    /// A cell as it is compared.
    pub(super) fn cell(&self, raw: &CellMarkup<'_>, shared: &mut Shared, masters: &Masters) -> Cell {
        let formula = raw.formula.map(|formula| match (formula.kind, formula.text()) {
            (FormulaKind::Shared(group), text) if text.is_empty() => masters
                .shared
                .get(&group)
                .map(|(master, text)| translate(text, *master, raw.at).text.into_owned())
                .unwrap_or_default(),
            (_, text) => text,
        });
        Cell {
            col: raw.at.col(),
            style: raw.style,
            format: self.format_key(raw.style),
            content: self.content(raw, shared),
            formula,
            array: raw.formula.as_ref().is_some_and(FormulaMarkup::fills_range) || masters.fills(raw.at),
        }
    }

    fn content(&self, raw: &CellMarkup<'_>, shared: &mut Shared) -> Content {
        let string = |number: u32, shared: &Shared| match shared.text(number).1 {
            "" => Content::Empty,
            _ => Content::Text(number),
        };
        if let Some(item) = raw.inline_string() {
            let number = shared.string(item);
            return string(number, shared);
        }
        match raw.data() {
            CellData::Empty => Content::Empty,
            CellData::Number(number) => Content::Number((number + 0.0).to_bits()),
            CellData::Shared(index) => {
                self.strings.get(index as usize).map_or(Content::Empty, |number| string(*number, shared))
            }
            CellData::Text(text) if text.is_empty() => Content::Empty,
            CellData::Text(text) => Content::Text(shared.plain(&text)),
            CellData::Bool(flag) => Content::Bool(flag),
            CellData::Error(text) => Content::Error(text.into_owned()),
            CellData::Date(text) => Content::Date(text.into_owned()),
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
