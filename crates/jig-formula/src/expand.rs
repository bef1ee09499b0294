//! Writing names, tables, the time and the marks of newer functions out, so that a formula names nothing
//! but cells and functions.

use std::sync::Arc;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::model::{CellKey, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed, Unsupported};
use crate::{
    FormulaText, ParsedFormula, Prefix, Reference, StructuredRef, Target, Token, TokenKind, quoted_sheet, translate,
};
use jig_file_api::address::CellRef;

use crate::book::Book;

/// Names inside names; Excel has no such limit, but no real workbook needs more.
const DEPTH: usize = 8;
/// Where writing out stops; far beyond what a formula may have.
const BYTES: usize = 64 * 1024;

/// A formula written out for the cell that contains it.
pub(crate) fn expand(
    book: &Book<'_>,
    formula: &Arc<ParsedFormula>,
    at: CellKey,
) -> Result<Arc<ParsedFormula>, NotComputed> {
    let mut room = usize::MAX;
    expand_within(book, formula, at, &mut room)
}

/// The same with a budget for many formulas: the bytes that were read and written are taken from `room`, whether or
/// not the formula could be written out.
pub(crate) fn expand_within(
    book: &Book<'_>,
    formula: &Arc<ParsedFormula>,
    at: CellKey,
    room: &mut usize,
) -> Result<Arc<ParsedFormula>, NotComputed> {
    if formula.text().len() > BYTES {
        return Err(LimitKind::FormulaBytes(BYTES).into());
    }
    if *room == 0 {
        return Err(LimitKind::WrittenOutBytes.into());
    }
    let mut expansion = Expansion { book, at, text: String::new(), read: 0 };
    let common = intersections(formula).map(ParsedFormula::parse);
    let changed = expansion.write(common.as_ref().unwrap_or(formula), DEPTH);
    *room = room.saturating_sub(expansion.text.len() + expansion.read);
    let changed = changed? || common.is_some();
    Ok(if changed { Arc::new(ParsedFormula::parse(expansion.text)) } else { formula.clone() })
}

/// The formula with the cells that two ranges share, `B2` for `A2:C2 B1:B3`; none if it has no such ranges of one sheet.
fn intersections(formula: &ParsedFormula) -> Option<String> {
    let all: Vec<Token<'_>> = formula.tokens().collect();
    let text = formula.text();
    let mut written = String::new();
    let mut copied = 0;
    for window in all.windows(3) {
        let [first, space, second] = window else { continue };
        let (TokenKind::Reference(one), TokenKind::Space, TokenKind::Reference(other)) =
            (first.kind, space.kind, second.kind)
        else {
            continue;
        };
        let (Target::Area(a), Target::Area(b)) = (one.target, other.target) else { continue };
        let prefix = |reference: Reference<'_>| reference.prefix.map_or(String::new(), |p| p.text().to_lowercase());
        // Of three ranges in a row, only two are joined; the third makes the formula one that is refused.
        if prefix(one) != prefix(other) || first.start < copied {
            continue;
        }
        let shared = a.range()?.intersection(b.range()?);
        written.push_str(text.get(copied..first.start)?);
        match shared {
            Some(range) => {
                written.push_str(one.prefix.map_or("", Prefix::text));
                written.push_str(&range.to_string());
            }
            None => written.push_str("#NULL!"),
        }
        copied = second.start + second.text.len();
    }
    written.push_str(text.get(copied..)?);
    (copied > 0).then_some(written)
}

struct Expansion<'b> {
    book: &'b Book<'b>,
    at: CellKey,
    text: String,
    /// Bytes of names that were looked at.
    read: usize,
}

impl Expansion<'_> {
    fn write(&mut self, formula: &ParsedFormula, depth: usize) -> Result<bool, NotComputed> {
        let mut changed = false;
        let mut tokens = formula.tokens().peekable();
        // The calls around a token, and whether it starts an argument.
        let mut calls: Vec<String> = Vec::new();
        let mut before = None;
        while let Some(token) = tokens.next() {
            let is_first = matches!(before, Some((TokenKind::Open | TokenKind::Separator, _)));
            match token.kind {
                TokenKind::Open => calls.push(match before {
                    Some((TokenKind::Function(_), name)) => without_marks(name).to_ascii_uppercase(),
                    _ => String::new(),
                }),
                TokenKind::Close => {
                    calls.pop();
                }
                _ => {}
            }
            before = Some((token.kind, token.text));
            let written = match token.kind {
                TokenKind::Name(prefix) => self.write_name(&token, prefix, depth)?,
                TokenKind::Structured(None) => self.write_table(token.text)?,
                TokenKind::Reference(Reference { prefix: Some(prefix), .. }) => {
                    let ends = |next: &Token<'_>| matches!(next.kind, TokenKind::Separator | TokenKind::Close);
                    let alone = is_first && tokens.peek().is_some_and(ends);
                    let spans = alone && calls.last().is_some_and(|name| spans_sheets(name));
                    (spans && self.write_sheets(token.text, prefix)) || self.write_sheet(token.text, prefix)
                }
                TokenKind::Function(None) if without_marks(token.text).eq_ignore_ascii_case("ANCHORARRAY") => {
                    let mut next = || tokens.find(|token| token.kind != TokenKind::Space);
                    let (Some(_), Some(anchor), Some(end)) = (next(), next(), next()) else {
                        return Err(Unsupported::SpilledRange.into());
                    };
                    self.write_spilled(&anchor, &end)?;
                    true
                }
                TokenKind::Function(None) => match self.moment(token.text) {
                    Some(moment) => {
                        // The brackets of `NOW()` go with it.
                        while tokens.next_if(|next| matches!(next.kind, TokenKind::Open | TokenKind::Space)).is_some() {
                        }
                        tokens.next_if(|next| next.kind == TokenKind::Close);
                        self.text.push_str(&moment);
                        true
                    }
                    None => self.write_function(token.text),
                },
                _ => false,
            };
            if !written {
                self.text.push_str(token.text);
            }
            changed |= written;
            if self.text.len() > BYTES {
                return Err(LimitKind::BytesWithNames(BYTES).into());
            }
        }
        Ok(changed)
    }

    fn write_name(&mut self, token: &Token<'_>, prefix: Option<Prefix<'_>>, depth: usize) -> Result<bool, NotComputed> {
        let sheets = prefix.map(Prefix::sheets);
        if sheets.as_ref().is_some_and(|sheets| sheets.book.is_some()) {
            return Ok(false);
        }
        let scope = match &sheets {
            // `[0]!Rate` is the name of the workbook, not that of the sheet.
            Some(sheets) if sheets.first.is_empty() => usize::MAX,
            Some(sheets) => self.book.sheet(&sheets.first).unwrap_or(self.at.sheet),
            None => self.at.sheet,
        };
        let bare = prefix.and_then(|prefix| token.text.strip_prefix(prefix.text())).unwrap_or(token.text);
        let Some(name) = self.book.name(scope, bare) else { return self.write_data(bare) };
        if depth == 0 {
            return Err(LimitKind::NestedNames(DEPTH).into());
        }
        self.read += name.refers_to.len();
        // A relative reference in a name counts from the cell that uses it, as if the name stood in A1.
        let Some(origin) = CellRef::new(1, 1) else { return Ok(false) };
        let moved = ParsedFormula::parse(translate(&name.refers_to, origin, self.at.cell).text);
        let alone = moved.tokens().nth(1).is_none();
        self.text.push_str(if alone { "" } else { "(" });
        self.write(&moved, depth - 1)?;
        self.text.push_str(if alone { "" } else { ")" });
        Ok(true)
    }

    /// A sheet in the case of its tab; the engine does not look past it.
    fn write_sheet(&mut self, text: &str, prefix: Prefix<'_>) -> bool {
        let sheets = prefix.sheets();
        if sheets.book.is_some() || sheets.last.is_some() {
            return false;
        }
        let Some(name) = self.book.sheet(&sheets.first).map(|sheet| self.book.sheet_name(sheet)) else { return false };
        let (Some(rest), true) =
            (text.strip_prefix(prefix.text()), name != sheets.first || prefix.text().contains('['))
        else {
            return false;
        };
        self.text.push_str(&quoted_sheet(name));
        self.text.push('!');
        self.text.push_str(rest);
        true
    }

    /// The cells of each sheet in turn, in the order of their tabs: `Jan:Mar!A1` becomes `Jan!A1,Feb!A1,Mar!A1`.
    fn write_sheets(&mut self, text: &str, prefix: Prefix<'_>) -> bool {
        let sheets = prefix.sheets();
        let (None, Some(last)) = (sheets.book, sheets.last) else { return false };
        let (Some(first), Some(last)) = (self.book.sheet(&sheets.first), self.book.sheet(&last)) else { return false };
        let Some(cells) = text.strip_prefix(prefix.text()) else { return false };
        let names = (first.min(last)..=first.max(last)).map(|sheet| self.book.sheet_name(sheet));
        let written: Vec<String> = names.map(|name| format!("{}!{cells}", quoted_sheet(name))).collect();
        self.text.push_str(&written.join(","));
        true
    }

    /// The cells that a dynamic array formula filled when the file was stored: `A1#` becomes `A1:A9`. If it fills others
    /// now, it is refused, and so is what reads it.
    fn write_spilled(&mut self, anchor: &Token<'_>, end: &Token<'_>) -> Result<(), NotComputed> {
        let unknown = || NotComputed::from(Unsupported::SpilledRange);
        let TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) = anchor.kind else {
            return Err(unknown());
        };
        let sheet = match prefix.map(Prefix::sheets) {
            None => self.at.sheet,
            Some(sheets) if sheets.book.is_none() && sheets.last.is_none() => {
                self.book.sheet(&sheets.first).ok_or_else(unknown)?
            }
            Some(_) => return Err(unknown()),
        };
        let range = area.range().filter(|range| range.cells() == 1 && end.kind == TokenKind::Close);
        let key = CellKey { sheet, cell: range.ok_or_else(unknown)?.start() };
        let Some(FormulaShape::Spill(area)) = self.book.formula(key).map(|formula| formula.shape) else {
            return Err(unknown());
        };
        self.text.push_str(&quoted_sheet(self.book.sheet_name(sheet)));
        self.text.push('!');
        self.text.push_str(&area.to_string());
        Ok(())
    }

    /// A table's name alone means its data.
    fn write_data(&mut self, name: &str) -> Result<bool, NotComputed> {
        if self.book.table(name).is_none() {
            return Ok(false);
        }
        let data = StructuredRef { table: Some(name.to_owned()), items: Vec::new(), columns: None };
        self.write_structured(&data, name)
    }

    fn write_table(&mut self, text: &str) -> Result<bool, NotComputed> {
        let unknown = || Unsupported::TableReference(text.to_owned());
        let structured = StructuredRef::parse(text).ok_or_else(unknown)?;
        self.write_structured(&structured, text)
    }

    fn write_structured(&mut self, structured: &StructuredRef, text: &str) -> Result<bool, NotComputed> {
        let unknown = || Unsupported::TableReference(text.to_owned());
        let table = match &structured.table {
            Some(name) => self.book.table(name),
            None => self.book.table_at(self.at),
        };
        let table = table.ok_or_else(unknown)?;
        let range = structured.range(table, self.at.cell).ok_or_else(unknown)?;
        self.text.push_str(&quoted_sheet(self.book.sheet_name(table.sheet)));
        self.text.push('!');
        self.text.push_str(&range.to_string());
        Ok(true)
    }

    fn write_function(&mut self, text: &str) -> bool {
        let bare = without_marks(text);
        if bare.len() == text.len() {
            return false;
        }
        self.text.push_str(bare);
        true
    }

    fn moment(&self, function: &str) -> Option<String> {
        let now = self.book.now?.0;
        match function.to_ascii_uppercase().as_str() {
            "NOW" => Some(now.to_string()),
            "TODAY" => Some(now.floor().to_string()),
            _ => None,
        }
    }
}

/// Whether a function takes the same cells of several sheets as so many arguments.
fn spans_sheets(function: &str) -> bool {
    FunctionTable::has(function, FunctionTrait::SpansSheets)
}

/// The name of a function without the marks that say since when Excel knows it.
fn without_marks(text: &str) -> &str {
    let mut bare = text;
    while let Some(rest) = ["_xlfn.", "_xlws."].iter().find_map(|mark| strip(bare, mark)) {
        bare = rest;
    }
    bare
}

fn strip<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(mark.len())?;
    start.eq_ignore_ascii_case(mark).then_some(rest)
}
