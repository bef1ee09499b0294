//! What is not given to the engine at all: formulas that reach outside, that ask for time or chance, that
//! the engine is known to compute otherwise than Excel, or that could take too much.

use std::collections::HashMap;
use std::sync::Arc;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::model::{CellContent, CellValue, FormulaShape};
use crate::not_computed::{LimitKind, NotComputed, SyntaxProblem, Unsupported};
use crate::{Dependencies, FormulaText, ParsedFormula, Prefix, Reference, SheetScope, Target, Token, TokenKind};
use jig_file_api::address::{MAX_COLUMN, MAX_ROW};

use crate::book::Book;
use crate::clip::clip;
use crate::criteria::check_sizes;
use crate::expand::expand;
use crate::graph::{FormulaGraph, Node, NodeId, sheets_of};
use crate::limits::Limits;
use crate::plan::Blocked;
use crate::shape_limits;
use crate::subtotals::without_subtotals;

/// Writes the required formulas out and returns those that are not computed whatever their inputs are.
pub(crate) fn blocked(book: &Book<'_>, graph: &mut FormulaGraph, required: &[NodeId], limits: &Limits) -> Blocked {
    let mut found = HashMap::new();
    for id in required {
        match write_out(book, graph, *id) {
            Ok(Some(formula)) => graph.write_out(*id, formula),
            Ok(None) => {}
            Err(why) => {
                found.insert(*id, why);
                continue;
            }
        }
        if let Err(why) = check(book, graph, *id, limits) {
            found.insert(*id, why);
        }
    }
    found
}

/// A formula as the engine can read it, where that differs from the one in the graph.
fn write_out(book: &Book<'_>, graph: &FormulaGraph, id: NodeId) -> Result<Option<Arc<ParsedFormula>>, NotComputed> {
    let (Some(node), Some(written)) = (graph.node(id), graph.formula(book, id)) else { return Ok(None) };
    if let Some(why) = &node.failed {
        return Err(why.clone());
    }
    if book.formula(node.key).is_some_and(|formula| matches!(formula.shape, FormulaShape::DataTable(_))) {
        return Err(Unsupported::DataTable.into());
    }
    let formula = expand(book, written, node.key)?;
    Ok((!Arc::ptr_eq(&formula, written)).then_some(formula))
}

/// Adds the formulas that would read too much, or rows that are hidden. Their inputs must be loaded.
pub(crate) fn block_by_inputs(
    book: &Book<'_>,
    graph: &FormulaGraph,
    order: &[NodeId],
    limits: &Limits,
    found: &mut Blocked,
) {
    let mut reads_left = limits.reads;
    for id in order {
        if let Err(why) = check_inputs(book, graph, *id, &mut reads_left) {
            found.insert(*id, why);
        }
    }
}

fn check(book: &Book<'_>, graph: &FormulaGraph, id: NodeId, limits: &Limits) -> Result<(), NotComputed> {
    let (Some(node), Some(formula)) = (graph.node(id), graph.formula(book, id)) else { return Ok(()) };
    let Some(cell) = book.formula(node.key) else { return Ok(()) };
    let found = formula.dependencies();
    outside(&found)?;
    clock_or_chance(&found)?;
    size(formula, limits)?;
    syntax(formula)?;
    side_by_side(formula)?;
    shape_limits::check(formula, cell.shape)?;
    growth(formula, &found)?;
    criteria(formula, &found)?;
    check_sizes(formula)?;
    if found.ranges.iter().any(|range| matches!(range.scope, SheetScope::Sheets(..))) {
        return Err(Unsupported::SheetSpan.into());
    }
    // Last: the other reasons say more.
    functions(book, &found)
}

fn check_inputs(book: &Book<'_>, graph: &FormulaGraph, id: NodeId, reads_left: &mut u64) -> Result<(), NotComputed> {
    let (Some(node), Some(formula)) = (graph.node(id), graph.formula(book, id)) else { return Ok(()) };
    let Some(cell) = book.formula(node.key) else { return Ok(()) };
    hidden_rows(book, node, formula)?;
    sequences(book, node, formula, reads_left)?;
    reads(book, node, &clip(book, formula).dependencies(), cell.shape, reads_left)
}

fn outside(found: &Dependencies) -> Result<(), NotComputed> {
    found.outside.first().map_or(Ok(()), |outside| Err(NotComputed::Outside(outside.clone())))
}

/// Once `NOW` and `TODAY` are written out, what is left has no answer.
fn clock_or_chance(found: &Dependencies) -> Result<(), NotComputed> {
    let name = found.functions.iter().find(|name| FunctionTable::has(name, FunctionTrait::Clock));
    name.map_or(Ok(()), |name| Err(NotComputed::ClockOrChance(name.clone())))
}

/// Only functions whose results are compared with LibreOffice's are computed; those of dates only if dates count from 1900.
fn functions(book: &Book<'_>, found: &Dependencies) -> Result<(), NotComputed> {
    for name in &found.functions {
        let known = FunctionTable::get(name).filter(|known| known.allowed);
        let known = known.ok_or_else(|| NotComputed::Function(name.clone()))?;
        if known.has(FunctionTrait::Dates) && book.model.date_1904 {
            return Err(Unsupported::Dates1904(name.clone()).into());
        }
    }
    Ok(())
}

fn size(formula: &ParsedFormula, limits: &Limits) -> Result<(), NotComputed> {
    if formula.text().len() > limits.formula_bytes {
        return Err(LimitKind::FormulaBytes(limits.formula_bytes).into());
    }
    let mut depth = 0_usize;
    let mut signs = 0_usize;
    for token in formula.tokens() {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Operator | TokenKind::At => signs += 1,
            TokenKind::Space => continue,
            _ => {}
        }
        if !matches!(token.kind, TokenKind::Operator | TokenKind::At) {
            signs = 0;
        }
        if depth.max(signs) > limits.nesting {
            return Err(LimitKind::Nesting(limits.nesting).into());
        }
    }
    Ok(())
}

fn syntax(formula: &ParsedFormula) -> Result<(), NotComputed> {
    let mut open = 0_usize;
    for token in formula.tokens() {
        match token.kind {
            TokenKind::Open => open += 1,
            TokenKind::Close if open == 0 => return Err(SyntaxProblem::ExtraBracket.into()),
            TokenKind::Close => open -= 1,
            // The engine gives a false error for it.
            TokenKind::Operator if token.text == ":" => {
                return Err(Unsupported::ComputedRangeEnd.into());
            }
            TokenKind::Unknown => return Err(SyntaxProblem::Unexpected(start_of(token.text)).into()),
            TokenKind::Spill => return Err(Unsupported::SpilledRange.into()),
            TokenKind::Structured(_) => return Err(Unsupported::Name(start_of(token.text)).into()),
            _ => {}
        }
    }
    if open > 0 { Err(SyntaxProblem::MissingBracket.into()) } else { Ok(()) }
}

/// The engine computes the first value and ignores the rest: `A1 B1` and `A1,B1` are the references
/// that both or either have, and anything else is not a formula.
fn side_by_side(formula: &ParsedFormula) -> Result<(), NotComputed> {
    let mut brackets: Vec<bool> = Vec::new();
    let mut constant = false;
    let mut before: Option<TokenKind<'_>> = None;
    let mut spaced = false;
    for token in formula.tokens() {
        match token.kind {
            TokenKind::Space => {
                spaced = true;
                continue;
            }
            // A LAMBDA that is called where it stands is refused as such.
            TokenKind::Open if before == Some(TokenKind::Close) && !spaced => {}
            kind if starts_operand(kind) && before.is_some_and(ends_operand) => {
                return Err(Unsupported::SideBySide(start_of(token.text)).into());
            }
            TokenKind::Name(_) | TokenKind::Function(_) if has_odd_sign(token.text) => {
                return Err(Unsupported::Name(start_of(token.text)).into());
            }
            TokenKind::Separator if !constant && brackets.last() != Some(&true) => {
                return Err(Unsupported::Union.into());
            }
            _ => {}
        }
        match token.kind {
            TokenKind::Open => brackets.push(matches!(before, Some(TokenKind::Function(_)))),
            TokenKind::Close => {
                brackets.pop();
            }
            TokenKind::OpenArray => constant = true,
            TokenKind::CloseArray if !constant => return Err(SyntaxProblem::ExtraBrace.into()),
            TokenKind::CloseArray => constant = false,
            _ => {}
        }
        // `50%` is a value like any other.
        let percent = token.text == "%" && token.kind == TokenKind::Operator;
        before = Some(if percent { TokenKind::Number } else { token.kind });
        spaced = false;
    }
    Ok(())
}

fn starts_operand(kind: TokenKind<'_>) -> bool {
    matches!(kind, TokenKind::Open | TokenKind::OpenArray | TokenKind::At | TokenKind::Function(_)) || is_operand(kind)
}

fn ends_operand(kind: TokenKind<'_>) -> bool {
    matches!(kind, TokenKind::Close | TokenKind::CloseArray) || is_operand(kind)
}

fn is_operand(kind: TokenKind<'_>) -> bool {
    matches!(
        kind,
        TokenKind::Number
            | TokenKind::Text
            | TokenKind::Bool
            | TokenKind::Error
            | TokenKind::Reference(_)
            | TokenKind::Name(_)
            | TokenKind::Structured(_)
    )
}

/// Whether a word has a character that no name has, such as a dash that is not a minus. A sheet name may have any.
fn has_odd_sign(word: &str) -> bool {
    let odd = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    word.rsplit('!').next().is_some_and(|name| name.contains(odd))
}

fn start_of(text: &str) -> String {
    text.chars().take(20).collect()
}

/// The engine counts only texts as other than a text; Excel counts numbers and empty cells too.
fn criteria(formula: &ParsedFormula, found: &Dependencies) -> Result<(), NotComputed> {
    let other_than =
        |token: &str| token.strip_prefix("\"<>").is_some_and(|rest| rest.trim_end_matches('"').parse::<f64>().is_err());
    let used = found.calls(FunctionTrait::Criteria);
    if used && formula.tokens().any(|token| token.kind == TokenKind::Text && other_than(token.text)) {
        return Err(Unsupported::TextCriterion.into());
    }
    Ok(())
}

/// Calls that can lengthen a text many times over. A few of them in one formula are plenty.
fn growth(formula: &ParsedFormula, found: &Dependencies) -> Result<(), NotComputed> {
    let calls = |names: &[&str]| found.functions.iter().any(|name| names.contains(&name.as_str()));
    let count = |word: fn(&str) -> bool| formula.tokens().filter(|token| word(token.text)).count();
    let joins =
        count(|word| word == "&" || word.eq_ignore_ascii_case("CONCAT") || word.eq_ignore_ascii_case("TEXTJOIN"));
    let substitutes = count(|word| word.eq_ignore_ascii_case("SUBSTITUTE"));
    let long_constants = formula.tokens().any(|token| token.kind == TokenKind::Text && token.text.len() > 12);
    let doubling = calls(&["LET", "REDUCE", "SCAN"]) && joins + substitutes > 8;
    // Usual texts are cleaned by many SUBSTITUTEs with short constants; growth needs long or computed ones.
    let multiplying = substitutes > 3 && (long_constants || calls(&["REPT"]));
    if doubling || multiplying {
        return Err(LimitKind::TextGrowth.into());
    }
    Ok(())
}

/// SUBTOTAL and AGGREGATE leave out rows that a filter hides, which the engine does not know about. SUBTOTAL also leaves
/// out other subtotals.
fn hidden_rows(book: &Book<'_>, node: &Node, formula: &Arc<ParsedFormula>) -> Result<(), NotComputed> {
    if !formula.calls(FunctionTrait::Subtotal) {
        return Ok(());
    }
    let found = formula.dependencies();
    let Some(name) = found.functions.iter().find(|name| FunctionTable::has(name, FunctionTrait::Subtotal)) else {
        return Ok(());
    };
    let cannot_cut = || without_subtotals(book, node.key.sheet, formula).is_none();
    if found.functions.iter().any(|name| name == "SUBTOTAL") && cannot_cut() {
        return Err(Unsupported::OnlySubtotals.into());
    }
    let hidden = node.reads.iter().any(|read| {
        let rows = book.model.sheets.get(read.sheet).map(|sheet| &sheet.hidden_rows);
        rows.is_some_and(|rows| rows.range(read.range.start().row()..=read.range.end().row()).next().is_some())
    });
    if hidden { Err(Unsupported::HiddenRows(name.clone()).into()) } else { Ok(()) }
}

/// Takes the elements of `SEQUENCE` from what all formulas may read. Their number must be typed in: in the formula, or in
/// a cell.
fn sequences(book: &Book<'_>, node: &Node, formula: &ParsedFormula, left: &mut u64) -> Result<(), NotComputed> {
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    for (index, token) in all.iter().enumerate() {
        if !matches!(token.kind, TokenKind::Function(_)) || !token.text.eq_ignore_ascii_case("SEQUENCE") {
            continue;
        }
        let mut elements = 1_u64;
        let mut rest = all.get(index + 2..).unwrap_or_default();
        for _ in 0..2 {
            let (size, after) = match rest {
                [size, end, after @ ..] if ends_argument(end) => (typed_number(book, node, size), (end, after)),
                _ => (None, (token, &[][..])),
            };
            let computed = Unsupported::Argument { function: "SEQUENCE".to_owned(), kind: "a computed size" };
            elements = elements.saturating_mul(size.ok_or(computed)?);
            if after.0.kind != TokenKind::Separator {
                break;
            }
            rest = after.1;
        }
        *left = left.checked_sub(elements.saturating_mul(ARRAY_WEIGHT)).ok_or(LimitKind::Reads)?;
    }
    Ok(())
}

fn ends_argument(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Separator | TokenKind::Close)
}

/// The size that a constant or a cell without a formula gives.
fn typed_number(book: &Book<'_>, node: &Node, token: &Token<'_>) -> Option<u64> {
    let number = match token.kind {
        TokenKind::Number => token.text.parse::<f64>().ok()?,
        TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
            let range = area.range().filter(|range| range.cells() == 1)?;
            let sheet = match prefix.map(Prefix::sheets) {
                None => node.key.sheet,
                Some(sheets) if sheets.book.is_none() && sheets.last.is_none() => book.sheet(&sheets.first)?,
                Some(_) => return None,
            };
            match book.model.sheets.get(sheet)?.get(range.start()) {
                Some(CellContent::Value(CellValue::Number(number))) => *number,
                Some(CellContent::Formula(_)) => return None,
                _ => 1.0,
            }
        }
        _ => return None,
    };
    Some(number.clamp(1.0, 1e12) as u64)
}

/// An element of an array costs the engine about as much as this many plain reads.
const ARRAY_WEIGHT: u64 = 10;

/// Takes what the formula will read from what all may read.
fn reads(
    book: &Book<'_>,
    node: &Node,
    found: &Dependencies,
    shape: FormulaShape,
    left: &mut u64,
) -> Result<(), NotComputed> {
    let array = shape.area().is_some() || found.calls(FunctionTrait::Array);
    let searches = found.calls(FunctionTrait::Searches);
    // Where a whole column is left whole, counting looks at each of its cells.
    let every_cell = array || found.calls(FunctionTrait::CountsCells);
    let mut sizes: Vec<u64> = Vec::new();
    for range in &found.ranges {
        for sheet in sheets_of(book, node.key.sheet, &range.scope) {
            let clipped =
                book.used(sheet).and_then(|used| used.intersection(range.range)).map_or(0, |range| range.cells());
            // The engine stops at the last used cell only of whole columns and rows.
            let whole = range.range.rows() == MAX_ROW || range.range.columns() == MAX_COLUMN;
            sizes.push(if every_cell || !whole { range.range.cells() } else { clipped });
        }
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let once: u64 =
        sizes.iter().fold(shape.area().map_or(1, |area| area.cells()), |sum, size| sum.saturating_add(*size));
    let crosswise = match sizes.as_slice() {
        [first, second, ..] if array && searches => first.saturating_mul(*second),
        [only] if array && searches => only.saturating_mul(*only),
        _ => 0,
    };
    let cost = if every_cell { once.saturating_mul(ARRAY_WEIGHT) } else { once }.saturating_add(crosswise);
    match left.checked_sub(cost) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(LimitKind::Reads.into()),
    }
}
