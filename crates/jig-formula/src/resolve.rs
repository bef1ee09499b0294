//! Computed references that can be resolved before anything is computed: `INDIRECT` of a text and `OFFSET` by numbers,
//! given as constants or in cells whose value is known. Written out as plain references, they are followed like any
//! other; the others stay formulas that may read anything.

use std::collections::{HashMap, HashSet};

use crate::model::{CalcModel, CellContent, CellKey, CellRanges, CellSource, CellValue, Request};
use crate::{FormulaText, ParsedFormula, Prefix, Reference, Target, Token, TokenKind, quoted_sheet, tokens};
use jig_file_api::address::{CellRange, CellRef, ColumnName};

use crate::book::Book;
use crate::expand::expand;
use crate::graph::{FormulaGraph, NodeId};
use crate::limits::Now;

/// The most formulas with computed references that are looked into.
const MOST: usize = 100_000;

/// Rewrites the computed references of a graph as far as they can be resolved.
pub(crate) fn resolve(
    model: &mut CalcModel,
    now: Option<Now>,
    graph: &mut FormulaGraph,
    request: &Request<'_>,
    cells: &mut dyn CellSource,
) {
    let dynamic: Vec<NodeId> = graph.nodes().filter(|(_, node)| node.dynamic.is_some()).map(|(id, _)| id).collect();
    if dynamic.is_empty() || dynamic.len() > MOST {
        return;
    }
    let mut known = Known::default();
    attempt(&Book::new(model, now), graph, &dynamic, &mut known);
    if known.missing.is_empty() {
        return;
    }
    let open: Vec<NodeId> = dynamic.into_iter().filter(|id| is_dynamic(graph, *id)).collect();
    let mut ranges = CellRanges::new();
    known.missing.iter().for_each(|key| ranges.add(key.sheet, key.cell.into()));
    ranges.seal();
    if cells.load(model, &ranges).is_err() {
        return;
    }
    let book = Book::new(model, now);
    // The value of a formula is known only if neither the edit nor a missing value reaches it. Formulas that may
    // read anything count as reached.
    let suspect = graph.nodes().filter(|(_, node)| !node.is_stored || node.is_volatile || node.dynamic.is_some());
    let suspect: Vec<NodeId> = suspect.map(|(id, _)| id).collect();
    let reached = if book.model.untrusted { Vec::new() } else { graph.reached(request.changed, suspect.into_iter()) };
    for key in std::mem::take(&mut known.missing) {
        let value = match book.model.sheets.get(key.sheet).and_then(|sheet| sheet.get(key.cell)) {
            None => Some(CellValue::Empty),
            Some(CellContent::Value(value)) => Some(value.clone()),
            Some(CellContent::Formula(formula)) => {
                let safe = graph.at(key).and_then(|id| reached.get(id.0)) == Some(&false);
                formula.stored.known().filter(|_| safe).cloned()
            }
        };
        if let Some(value) = value {
            known.values.insert(key, value);
        }
    }
    attempt(&book, graph, &open, &mut known);
}

fn is_dynamic(graph: &FormulaGraph, id: NodeId) -> bool {
    graph.node(id).is_some_and(|node| node.dynamic.is_some())
}

fn attempt(book: &Book<'_>, graph: &mut FormulaGraph, nodes: &[NodeId], known: &mut Known) {
    for id in nodes {
        let Some(node) = graph.node(*id).filter(|node| node.failed.is_none()) else { continue };
        let key = node.key;
        let Some(formula) = graph.formula(book, *id) else { continue };
        let Ok(formula) = expand(book, formula, key) else { continue };
        if let Some(resolved) = rewrite(book, key, &formula, known) {
            graph.resolve(book, *id, ParsedFormula::parse(resolved));
        }
    }
}

/// Values of cells that arguments name.
#[derive(Default)]
struct Known {
    values: HashMap<CellKey, CellValue>,
    missing: HashSet<CellKey>,
}

/// The formula with every `INDIRECT` and `OFFSET` replaced by the reference it gives; none if one cannot be resolved.
fn rewrite(book: &Book<'_>, at: CellKey, formula: &ParsedFormula, known: &mut Known) -> Option<String> {
    let text = formula.text();
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    let mut written = String::with_capacity(text.len());
    let (mut copied, mut index) = (0, 0);
    let mut changed = false;
    while let Some(token) = all.get(index) {
        let is = |name: &str| matches!(token.kind, TokenKind::Function(_)) && token.text.eq_ignore_ascii_case(name);
        if is("INDIRECT") || is("OFFSET") {
            let mut reader = Reader { book, at, all: &all, next: index + 2, known, unknown: false };
            let found = if is("OFFSET") { reader.offset() } else { reader.indirect() };
            if reader.unknown {
                return None;
            }
            let reference = found?;
            // All that stands up to the closing bracket has been read.
            let close = all.get(reader.next).filter(|token| token.kind == TokenKind::Close)?;
            index = reader.next;
            written.push_str(text.get(copied..token.start)?);
            written.push_str(&reference);
            copied = close.start + close.text.len();
            changed = true;
        }
        index += 1;
    }
    written.push_str(text.get(copied..)?);
    changed.then_some(written)
}

/// Reads the arguments of a call.
struct Reader<'a, 'k> {
    book: &'a Book<'a>,
    at: CellKey,
    all: &'a [Token<'a>],
    next: usize,
    known: &'k mut Known,
    /// Whether a cell was met whose value is not known.
    unknown: bool,
}

/// A value of an argument.
enum Argument {
    Number(f64),
    Text(String),
}

impl<'a> Reader<'a, '_> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.all.get(self.next)
    }

    fn take(&mut self, wanted: impl Fn(&Token<'_>) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        self.next += usize::from(found);
        found
    }

    fn separator(&mut self) -> bool {
        self.take(|token| token.kind == TokenKind::Separator)
    }

    fn indirect(&mut self) -> Option<String> {
        let Argument::Text(text) = self.joined()? else { return None };
        if self.separator() && !self.take(|token| token.text.eq_ignore_ascii_case("TRUE") || token.text == "1") {
            return None;
        }
        let text = text.trim();
        let mut found = tokens(text);
        let (token, None) = (found.next()?, found.next()) else { return None };
        let TokenKind::Reference(Reference { prefix, target: Target::Area(_) }) = token.kind else { return None };
        let sheets = prefix.map(Prefix::sheets);
        let plain = sheets.is_none_or(|sheets| {
            sheets.book.is_none() && sheets.last.is_none() && self.book.sheet(&sheets.first).is_some()
        });
        plain.then(|| text.to_owned())
    }

    fn offset(&mut self) -> Option<String> {
        let token = self.peek()?;
        let TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) = token.kind else { return None };
        let base = area.range()?;
        self.next += 1;
        let mut numbers = [None; 4];
        for number in &mut numbers {
            if !self.separator() {
                break;
            }
            let empty = self.peek().is_some_and(|token| matches!(token.kind, TokenKind::Separator | TokenKind::Close));
            *number = if empty { None } else { Some(self.whole_number()?) };
        }
        let [rows, cols, height, width] = numbers;
        let top = i64::from(base.start().row()) + rows.unwrap_or(0);
        let left = i64::from(base.start().col()) + cols.unwrap_or(0);
        let height = height.unwrap_or(i64::from(base.rows()));
        let width = width.unwrap_or(i64::from(base.columns()));
        if height < 1 || width < 1 {
            return None;
        }
        let cell = |row: i64, col: i64| CellRef::new(u32::try_from(row).ok()?, u32::try_from(col).ok()?);
        let (first, last) = (cell(top, left)?, cell(top + height - 1, left + width - 1)?);
        let sheet = match prefix {
            Some(prefix) => prefix.text().to_owned(),
            None => format!("{}!", quoted_sheet(self.book.sheet_name(self.at.sheet))),
        };
        Some(format!("{sheet}{}", absolute(CellRange::new(first, last))))
    }

    fn whole_number(&mut self) -> Option<i64> {
        match self.joined()? {
            // Excel cuts off what is behind the point.
            Argument::Number(number) if number.abs() < 1e7 => Some(number.trunc() as i64),
            _ => None,
        }
    }

    /// Values joined by `&`.
    fn joined(&mut self) -> Option<Argument> {
        let mut value = self.sum()?;
        while self.take(|token| token.text == "&") {
            let next = self.sum()?;
            value = Argument::Text(format!("{}{}", value.text()?, next.text()?));
        }
        self.peek().filter(|token| matches!(token.kind, TokenKind::Separator | TokenKind::Close))?;
        Some(value)
    }

    fn sum(&mut self) -> Option<Argument> {
        let mut value = self.operand()?;
        loop {
            let sign = match self.peek()?.text {
                "+" => 1.0,
                "-" => -1.0,
                _ => return Some(value),
            };
            self.next += 1;
            match (&value, self.operand()?) {
                (Argument::Number(a), Argument::Number(b)) => value = Argument::Number(a + sign * b),
                _ => return None,
            }
        }
    }

    fn operand(&mut self) -> Option<Argument> {
        let token = *self.peek()?;
        self.next += 1;
        match token.kind {
            TokenKind::Operator if token.text == "-" => match self.operand()? {
                Argument::Number(number) => Some(Argument::Number(-number)),
                Argument::Text(_) => None,
            },
            TokenKind::Number => token.text.parse().ok().map(Argument::Number),
            TokenKind::Text => {
                let inner = token.text.strip_prefix('"')?.strip_suffix('"')?;
                Some(Argument::Text(inner.replace("\"\"", "\"")))
            }
            TokenKind::Function(None) if token.text.eq_ignore_ascii_case("ROW") => self.own(self.at.cell.row()),
            TokenKind::Function(None) if token.text.eq_ignore_ascii_case("COLUMN") => self.own(self.at.cell.col()),
            TokenKind::Reference(reference) => self.cell(reference),
            _ => None,
        }
    }

    /// `ROW()` and `COLUMN()` of the formula's own cell.
    fn own(&mut self, number: u32) -> Option<Argument> {
        let called = self.take(|token| token.kind == TokenKind::Open) && self.take(|t| t.kind == TokenKind::Close);
        called.then(|| Argument::Number(f64::from(number)))
    }

    fn cell(&mut self, reference: Reference<'_>) -> Option<Argument> {
        let Target::Area(area) = reference.target else { return None };
        let range = area.range().filter(|range| range.cells() == 1)?;
        let sheet = match reference.prefix.map(Prefix::sheets) {
            None => self.at.sheet,
            Some(sheets) if sheets.book.is_none() && sheets.last.is_none() => self.book.sheet(&sheets.first)?,
            Some(_) => return None,
        };
        let key = CellKey { sheet, cell: range.start() };
        match self.known.values.get(&key) {
            Some(CellValue::Number(number)) => Some(Argument::Number(*number)),
            Some(CellValue::Text(text)) => Some(Argument::Text(text.clone())),
            Some(CellValue::Empty) => Some(Argument::Number(0.0)),
            Some(_) => None,
            None => {
                // Read on: all cells that are missing are loaded together.
                self.known.missing.insert(key);
                self.unknown = true;
                Some(Argument::Number(1.0))
            }
        }
    }
}

impl Argument {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(format!("{number}")),
            Self::Number(_) => None,
        }
    }
}

/// A range that names or copies cannot move.
fn absolute(range: CellRange) -> String {
    let cell = |cell: CellRef| format!("${}${}", ColumnName(cell.col()), cell.row());
    if range.cells() == 1 {
        return cell(range.start());
    }
    format!("{}:{}", cell(range.start()), cell(range.end()))
}
