//! What a formula reads and calls, from its text alone.

use super::functions::has_trait;
use super::lexer::{TokenKind, tokens};
use super::reference::{Prefix, Reference, Target};
use super::structured::StructuredRef;
use jig_file_api::address::CellRange;

/// Everything a formula names. Lists are in the order of the text, without repeats near each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    /// Cells named by address.
    pub ranges: Vec<SheetRange>,
    /// Names: defined ones, and those that LET and LAMBDA bind, which look the same.
    pub names: Vec<UsedName>,
    /// Structured references.
    pub structured: Vec<StructuredRef>,
    /// Functions in upper case, without `_xlfn.` and the like.
    pub functions: Vec<String>,
    /// Whether cells are read that the text does not name: INDIRECT, OFFSET, `A1:INDEX(…)`, `A1#`.
    pub dynamic: bool,
    /// Whether it reads spilled ranges (`A1#`).
    pub spills: bool,
    /// What it reaches outside the workbook.
    pub outside: Vec<Outside>,
}

/// Cells on a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRange {
    /// The sheet.
    pub scope: Scope,
    /// The cells.
    pub range: CellRange,
}

/// The sheet a reference points into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The one the formula stands in.
    Own,
    /// A named one.
    Sheet(String),
    /// All from the first to the last.
    Sheets(String, String),
}

/// A name as used in a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedName {
    /// The sheet written in front of it.
    pub sheet: Option<String>,
    /// The name.
    pub name: String,
}

/// Something outside the workbook that a formula would reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// A function that talks to the network, the system or a data source.
    Function(String),
    /// Another workbook, as the formula names it.
    Workbook(String),
    /// A DDE conversation with another program.
    Dde,
}

impl Dependencies {
    /// Reads a formula.
    pub fn of(formula: &str) -> Self {
        let mut found = Self::default();
        for token in tokens(formula) {
            match token.kind {
                TokenKind::Reference(reference) => found.add_reference(reference),
                TokenKind::Name(prefix) => found.add_name(prefix, token.text),
                TokenKind::Function(prefix) => found.add_function(prefix, token.text),
                TokenKind::Structured(prefix) => found.add_structured(prefix, token.text),
                TokenKind::Spill => (found.dynamic, found.spills) = (true, true),
                // A colon that is not part of a reference joins computed ends.
                TokenKind::Operator if token.text == ":" => found.dynamic = true,
                TokenKind::Operator if token.text == "|" => push(&mut found.outside, Outside::Dde),
                _ => {}
            }
        }
        found.add_passed_functions();
        if let Some(plain) = plain_spelling(formula) {
            Self::of(&plain).outside.into_iter().for_each(|outside| push(&mut found.outside, outside));
        }
        found
    }

    /// A function can be given by its name to one that calls it: `MAP(A1:A9,WEBSERVICE)`.
    fn add_passed_functions(&mut self) {
        if !self.calls("calls") {
            return;
        }
        for used in &self.names {
            let written = used.name.to_ascii_uppercase();
            let name = bare_function(&written);
            if is_outside(&written, name) {
                push(&mut self.outside, Outside::Function(name.to_owned()));
            }
        }
    }

    /// Whether evaluating it would leave the workbook.
    pub fn reaches_outside(&self) -> bool {
        !self.outside.is_empty()
    }

    /// Whether its value can change though nothing it names does.
    pub fn is_volatile(&self) -> bool {
        self.dynamic || self.calls("volatile")
    }

    /// Whether its value depends on the time or on chance, so that only the caller can supply it.
    pub fn needs_clock_or_chance(&self) -> bool {
        self.calls("clock")
    }

    /// Whether a function that it calls has a trait.
    fn calls(&self, word: &str) -> bool {
        self.functions.iter().any(|function| has_trait(function, word))
    }

    fn add_reference(&mut self, reference: Reference<'_>) {
        let scope = match reference.prefix.map(Prefix::sheets) {
            None => Scope::Own,
            Some(sheets) => {
                if let Some(book) = sheets.book {
                    return push(&mut self.outside, Outside::Workbook(book));
                }
                match sheets.last {
                    None => Scope::Sheet(sheets.first),
                    Some(last) => Scope::Sheets(sheets.first, last),
                }
            }
        };
        if let Target::Area(area) = reference.target
            && let Some(range) = area.range()
        {
            push(&mut self.ranges, SheetRange { scope, range });
        }
    }

    fn add_name(&mut self, prefix: Option<Prefix<'_>>, text: &str) {
        let Some(sheet) = self.sheet_or_outside(prefix) else { return };
        push(&mut self.names, UsedName { sheet, name: without_prefix(prefix, text).to_owned() });
    }

    fn add_structured(&mut self, prefix: Option<Prefix<'_>>, text: &str) {
        if self.sheet_or_outside(prefix).is_none() {
            return;
        }
        if let Some(structured) = StructuredRef::parse(without_prefix(prefix, text)) {
            push(&mut self.structured, structured);
        }
    }

    fn add_function(&mut self, prefix: Option<Prefix<'_>>, text: &str) {
        if self.sheet_or_outside(prefix).is_none() {
            return;
        }
        let written = without_prefix(prefix, text).to_ascii_uppercase();
        let name = bare_function(&written);
        if is_outside(&written, name) {
            push(&mut self.outside, Outside::Function(name.to_owned()));
        }
        self.dynamic |= has_trait(name, "dynamic");
        push(&mut self.functions, name.to_owned());
    }

    /// The sheet of a prefix; `None` when it names another workbook, which is noted.
    fn sheet_or_outside(&mut self, prefix: Option<Prefix<'_>>) -> Option<Option<String>> {
        let Some(sheets) = prefix.map(Prefix::sheets) else { return Some(None) };
        match sheets.book {
            None => Some(Some(sheets.first)),
            Some(book) => {
                push(&mut self.outside, Outside::Workbook(book));
                None
            }
        }
    }
}

/// The formula as a program reads it that takes full-width letters for plain ones and passes over invisible
/// characters; none when that changes nothing. Texts in quotes may change too: it is only looked at for what the
/// formula calls.
fn plain_spelling(formula: &str) -> Option<String> {
    if formula.is_ascii() {
        return None;
    }
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{17f}' => Some('S'),
        '\u{212a}' => Some('K'),
        '\u{131}' => Some('I'),
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}' => None,
        c if c.is_whitespace() => Some(' '),
        c if c.is_control() => None,
        c => Some(c),
    };
    let found: String = formula.chars().filter_map(plain).collect();
    (found != formula).then_some(found)
}

/// Whether a call reaches outside: by its name, as a cube function, or as code of an add-in (`_xll.`).
fn is_outside(written: &str, name: &str) -> bool {
    has_trait(name, "outside") || name.starts_with("CUBE") || written.starts_with("_XLL.")
}

/// A function's name without the marks that say since when Excel knows it.
fn bare_function(written: &str) -> &str {
    let mut name = written;
    while let Some(rest) = ["_XLFN.", "_XLWS.", "_XLUDF.", "_XLL."].iter().find_map(|mark| name.strip_prefix(mark)) {
        name = rest;
    }
    name
}

fn without_prefix<'a>(prefix: Option<Prefix<'_>>, text: &'a str) -> &'a str {
    prefix.and_then(|prefix| text.strip_prefix(prefix.text())).unwrap_or(text)
}

/// Adds what is not there yet. Only the latest entries are compared, so that a formula of a million
/// references costs no more than its length; a repeat far away does no harm.
fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.iter().rev().take(64).any(|known| *known == item) {
        list.push(item);
    }
}
