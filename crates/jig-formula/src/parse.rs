//! A parsed formula: its text with its tokens, and what it reads and calls.

use std::fmt;

use jig_file_api::address::CellRange;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::lexer::{Token, TokenKind, tokens};
use crate::reference::{Area, Prefix, Reference, Target};
use crate::structured::StructuredRef;

/// Formula text that can be read token by token.
///
/// A [`ParsedFormula`] has its tokens already; any other text is split while it is read. What works on tokens takes
/// either, so that a formula that is needed more than once is split only once.
pub trait FormulaText {
    /// The text, without `=`.
    fn text(&self) -> &str;

    /// The tokens in order. Together they are the text.
    fn tokens(&self) -> impl Iterator<Item = Token<'_>>;
}

impl<T: AsRef<str> + ?Sized> FormulaText for T {
    fn text(&self) -> &str {
        self.as_ref()
    }

    fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        tokens(self.as_ref())
    }
}

/// A formula with its tokens. Made once for each formula of a workbook and shared by `Arc`.
#[derive(Clone, PartialEq, Eq)]
pub struct ParsedFormula {
    text: Box<str>,
    tokens: Box<[PackedToken]>,
}

/// A token in eight bytes: a workbook can have a million formulas. What the kind does not say is read from the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PackedToken {
    start: u32,
    /// The kind in the lowest five bits, the length of the sheet part in the others.
    kind_and_prefix: u32,
}

const KIND_BITS: u32 = 5;

impl ParsedFormula {
    /// Splits a formula as files store it, without `=`.
    pub fn parse(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        let tokens = tokens(&text).map_while(|token| PackedToken::of(&token)).collect();
        Self { text, tokens }
    }

    /// Everything that the formula names.
    pub fn dependencies(&self) -> Dependencies {
        Dependencies::of(self)
    }

    /// Whether it calls a function with a trait.
    pub fn calls(&self, wanted: FunctionTrait) -> bool {
        self.tokens().any(|token| match token.kind {
            TokenKind::Function(prefix) => {
                let written = without_prefix(prefix, token.text).to_ascii_uppercase();
                FunctionTable::has(bare_function(&written), wanted)
            }
            _ => false,
        })
    }
}

impl FormulaText for ParsedFormula {
    fn text(&self) -> &str {
        &self.text
    }

    fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        let end = |index: usize| self.tokens.get(index + 1).map_or(self.text.len(), |next| next.start as usize);
        let spans = self.tokens.iter().enumerate().map(move |(index, token)| (token, end(index)));
        spans.filter_map(|(token, end)| {
            let text = self.text.get(token.start as usize..end)?;
            Some(Token { kind: token.kind(text), start: token.start as usize, text })
        })
    }
}

impl fmt::Debug for ParsedFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParsedFormula").field(&self.text).finish()
    }
}

impl PackedToken {
    /// `None` past 4 GiB of formula, far beyond what a part of a package may hold.
    fn of(token: &Token<'_>) -> Option<Self> {
        let start = u32::try_from(token.start).ok()?;
        let (kind, prefix) = match token.kind {
            TokenKind::Space => (0, None),
            TokenKind::Number => (1, None),
            TokenKind::Text => (2, None),
            TokenKind::Bool => (3, None),
            TokenKind::Error => (4, None),
            TokenKind::Operator => (5, None),
            TokenKind::Separator => (6, None),
            TokenKind::Open => (7, None),
            TokenKind::Close => (8, None),
            TokenKind::OpenArray => (9, None),
            TokenKind::CloseArray => (10, None),
            TokenKind::Function(prefix) => (11, prefix),
            TokenKind::Reference(Reference { prefix, target: Target::Area(_) }) => (12, prefix),
            TokenKind::Reference(Reference { prefix, target: Target::Lost }) => (13, prefix),
            TokenKind::Name(prefix) => (14, prefix),
            TokenKind::Structured(prefix) => (15, prefix),
            TokenKind::Spill => (16, None),
            TokenKind::At => (17, None),
            TokenKind::Unknown => (18, None),
        };
        let length = u32::try_from(prefix.map_or(0, |prefix| prefix.text().len())).ok();
        // A sheet part of more than 128 MiB names no sheet.
        let kind_and_prefix =
            length.and_then(|length| length.checked_mul(1 << KIND_BITS)).map_or(18, |length| length | kind);
        Some(Self { start, kind_and_prefix })
    }

    fn kind(self, text: &str) -> TokenKind<'_> {
        let length = (self.kind_and_prefix >> KIND_BITS) as usize;
        let prefix = text.get(..length).filter(|text| !text.is_empty()).map(Prefix::new);
        match self.kind_and_prefix & ((1 << KIND_BITS) - 1) {
            0 => TokenKind::Space,
            1 => TokenKind::Number,
            2 => TokenKind::Text,
            3 => TokenKind::Bool,
            4 => TokenKind::Error,
            5 => TokenKind::Operator,
            6 => TokenKind::Separator,
            7 => TokenKind::Open,
            8 => TokenKind::Close,
            9 => TokenKind::OpenArray,
            10 => TokenKind::CloseArray,
            11 => TokenKind::Function(prefix),
            12 => match Area::read(text.get(length..).unwrap_or("")) {
                Some((area, _)) => TokenKind::Reference(Reference { prefix, target: Target::Area(area) }),
                None => TokenKind::Unknown,
            },
            13 => TokenKind::Reference(Reference { prefix, target: Target::Lost }),
            14 => TokenKind::Name(prefix),
            15 => TokenKind::Structured(prefix),
            16 => TokenKind::Spill,
            17 => TokenKind::At,
            _ => TokenKind::Unknown,
        }
    }
}

/// Everything a formula names. Lists are in the order of the text, without repeats near each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    /// Cells named by address.
    pub ranges: Vec<ReferencedRange>,
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

/// Cells that a formula names by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedRange {
    /// The sheet.
    pub scope: SheetScope,
    /// The cells.
    pub range: CellRange,
}

/// The sheet a reference points into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetScope {
    /// The sheet of the formula.
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

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(name) => f.write_str(name),
            Self::Workbook(book) => write!(f, "workbook [{book}]"),
            Self::Dde => f.write_str("DDE"),
        }
    }
}

impl Dependencies {
    /// Reads a formula.
    pub fn of<F: FormulaText + ?Sized>(formula: &F) -> Self {
        let mut found = Self::default();
        for token in formula.tokens() {
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
        if let Some(plain) = plain_spelling(formula.text()) {
            Self::of(&plain).outside.into_iter().for_each(|outside| push(&mut found.outside, outside));
        }
        found
    }

    /// A function can be given by its name to one that calls it: `MAP(A1:A9,WEBSERVICE)`.
    fn add_passed_functions(&mut self) {
        if !self.calls(FunctionTrait::Calls) {
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
        self.dynamic || self.calls(FunctionTrait::Volatile)
    }

    /// Whether its value depends on the time or on chance, so that only the caller can supply it.
    pub fn needs_clock_or_chance(&self) -> bool {
        self.calls(FunctionTrait::Clock)
    }

    /// Whether a function that it calls has a trait.
    pub fn calls(&self, wanted: FunctionTrait) -> bool {
        self.functions.iter().any(|function| FunctionTable::has(function, wanted))
    }

    fn add_reference(&mut self, reference: Reference<'_>) {
        let scope = match reference.prefix.map(Prefix::sheets) {
            None => SheetScope::Own,
            Some(sheets) => {
                if let Some(book) = sheets.book {
                    return push(&mut self.outside, Outside::Workbook(book));
                }
                match sheets.last {
                    None => SheetScope::Sheet(sheets.first),
                    Some(last) => SheetScope::Sheets(sheets.first, last),
                }
            }
        };
        if let Target::Area(area) = reference.target
            && let Some(range) = area.range()
        {
            push(&mut self.ranges, ReferencedRange { scope, range });
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
        self.dynamic |= FunctionTable::has(name, FunctionTrait::Dynamic);
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
    FunctionTable::has(name, FunctionTrait::Outside) || name.starts_with("CUBE") || written.starts_with("_XLL.")
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
