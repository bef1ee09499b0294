//! What is not given to the engine at all: formulas that reach outside, that ask for time or chance, that
//! the engine is known to compute otherwise than Excel, or that could take too much.

use std::collections::HashMap;

use crate::functions::function;
use crate::model::{FormulaShape, NotComputed};
use crate::{Dependencies, Outside, Scope, TokenKind, tokens};
use jig_file_api::address::{MAX_COLUMN, MAX_ROW};

use super::book::Book;
use super::clip::clip;
use super::criteria::check_sizes;
use super::expand::expand;
use super::graph::{Graph, Node, NodeId, sheets_of};
use super::limits::Limits;
use super::plan::Blocked;
use super::shape_limits;
use super::subtotals::without_subtotals;

/// The formulas that are not computed whatever their inputs are.
pub(super) fn blocked(book: &Book<'_>, graph: &Graph, required: &[NodeId], limits: &Limits) -> Blocked {
    let mut found = HashMap::new();
    for id in required {
        if let Err(why) = check(book, graph, *id, limits) {
            found.insert(*id, why);
        }
    }
    found
}

/// Adds the formulas that would read too much, or rows that are hidden. Their inputs must be loaded.
pub(super) fn block_by_inputs(book: &Book<'_>, graph: &Graph, order: &[NodeId], limits: &Limits, found: &mut Blocked) {
    let mut reads_left = limits.reads;
    for id in order {
        if let Err(why) = check_inputs(book, graph, *id, &mut reads_left) {
            found.insert(*id, why);
        }
    }
}

fn check(book: &Book<'_>, graph: &Graph, id: NodeId, limits: &Limits) -> Result<(), NotComputed> {
    let (Some(node), Some(written)) = (graph.node(id), graph.text(book, id)) else { return Ok(()) };
    let Some(formula) = book.formula(node.key) else { return Ok(()) };
    if let Some(why) = &node.failed {
        return Err(why.clone());
    }
    if matches!(formula.shape, FormulaShape::DataTable(_)) {
        return Err(NotComputed::Unsupported("a what-if data table".to_owned()));
    }
    let text = expand(book, written, node.key)?;
    let found = Dependencies::of(&text);
    outside(&found)?;
    clock_or_chance(&found)?;
    size(&text, limits)?;
    syntax(&text)?;
    side_by_side(&text)?;
    shape_limits::check(&text, formula.shape)?;
    growth(&text, &found)?;
    criteria(&text, &found)?;
    check_sizes(&text)?;
    if found.ranges.iter().any(|range| matches!(range.scope, Scope::Sheets(..))) {
        return Err(NotComputed::Unsupported("a reference across several sheets".to_owned()));
    }
    // Last: the other reasons say more.
    functions(book, &found)
}

fn check_inputs(book: &Book<'_>, graph: &Graph, id: NodeId, reads_left: &mut u64) -> Result<(), NotComputed> {
    let (Some(node), Some(written)) = (graph.node(id), graph.text(book, id)) else { return Ok(()) };
    let Some(formula) = book.formula(node.key) else { return Ok(()) };
    let text = expand(book, written, node.key)?;
    hidden_rows(book, node, &text, &Dependencies::of(&text))?;
    let clipped = Dependencies::of(&clip(book, &text));
    reads(book, node, &clipped, formula.shape, reads_left)
}

fn outside(found: &Dependencies) -> Result<(), NotComputed> {
    match found.outside.first() {
        None => Ok(()),
        Some(Outside::Function(name)) => Err(NotComputed::Outside(name.clone())),
        Some(Outside::Workbook(book)) => Err(NotComputed::Outside(format!("workbook [{book}]"))),
        Some(Outside::Dde) => Err(NotComputed::Outside("DDE".to_owned())),
    }
}

/// Once `NOW` and `TODAY` are written out, what is left has no answer.
fn clock_or_chance(found: &Dependencies) -> Result<(), NotComputed> {
    let name = found.functions.iter().find(|name| function(name).is_some_and(|known| known.has("clock")));
    name.map_or(Ok(()), |name| Err(NotComputed::ClockOrChance(name.clone())))
}

/// Only functions whose results are compared with LibreOffice's are computed; those of dates only if dates count from 1900.
fn functions(book: &Book<'_>, found: &Dependencies) -> Result<(), NotComputed> {
    for name in &found.functions {
        let known = function(name).filter(|known| known.computed);
        let known = known.ok_or_else(|| NotComputed::Function(name.clone()))?;
        if known.has("dates") && book.model.date_1904 {
            return Err(NotComputed::Unsupported(format!("{name} with dates counted from 1904")));
        }
    }
    Ok(())
}

fn size(text: &str, limits: &Limits) -> Result<(), NotComputed> {
    if text.len() > limits.formula_bytes {
        return Err(NotComputed::Limit(format!("{} bytes for a formula", limits.formula_bytes)));
    }
    let mut depth = 0_usize;
    let mut signs = 0_usize;
    for token in tokens(text) {
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
            return Err(NotComputed::Limit(format!("{} levels of nesting", limits.nesting)));
        }
    }
    Ok(())
}

fn syntax(text: &str) -> Result<(), NotComputed> {
    let mut open = 0_usize;
    for token in tokens(text) {
        match token.kind {
            TokenKind::Open => open += 1,
            TokenKind::Close if open == 0 => return Err(NotComputed::Syntax("a bracket too many".to_owned())),
            TokenKind::Close => open -= 1,
            // The engine gives a false error for it.
            TokenKind::Operator if token.text == ":" => {
                return Err(NotComputed::Unsupported("a range with a computed end".to_owned()));
            }
            TokenKind::Unknown => return Err(NotComputed::Syntax(format!("unexpected `{}`", start_of(token.text)))),
            TokenKind::Spill => return Err(NotComputed::Unsupported("a spilled range (`A1#`)".to_owned())),
            TokenKind::Structured(_) => return Err(NotComputed::Unsupported(format!("`{}`", start_of(token.text)))),
            _ => {}
        }
    }
    if open > 0 { Err(NotComputed::Syntax("a bracket is missing".to_owned())) } else { Ok(()) }
}

/// The engine computes what stands in front and leaves out the rest: `A1 B1` and `A1,B1` are the references
/// that both or either have, and anything else is no formula.
fn side_by_side(text: &str) -> Result<(), NotComputed> {
    let mut brackets: Vec<bool> = Vec::new();
    let mut constant = false;
    let mut before: Option<TokenKind<'_>> = None;
    let mut spaced = false;
    for token in tokens(text) {
        match token.kind {
            TokenKind::Space => {
                spaced = true;
                continue;
            }
            // A LAMBDA that is called where it stands is refused as such.
            TokenKind::Open if before == Some(TokenKind::Close) && !spaced => {}
            kind if starts_operand(kind) && before.is_some_and(ends_operand) => {
                return Err(NotComputed::Unsupported(format!(
                    "two values side by side (at `{}`)",
                    start_of(token.text)
                )));
            }
            TokenKind::Name(_) | TokenKind::Function(_) if has_odd_sign(token.text) => {
                return Err(NotComputed::Unsupported(format!("`{}`", start_of(token.text))));
            }
            TokenKind::Separator if !constant && brackets.last() != Some(&true) => {
                return Err(NotComputed::Unsupported("a union (`A1,B1`)".to_owned()));
            }
            _ => {}
        }
        match token.kind {
            TokenKind::Open => brackets.push(matches!(before, Some(TokenKind::Function(_)))),
            TokenKind::Close => {
                brackets.pop();
            }
            TokenKind::OpenArray => constant = true,
            TokenKind::CloseArray if !constant => return Err(NotComputed::Syntax("a brace too many".to_owned())),
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

/// Whether a word has a sign that no name has, such as a dash that is no minus. A sheet in front may have any.
fn has_odd_sign(word: &str) -> bool {
    let odd = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    word.rsplit('!').next().is_some_and(|name| name.contains(odd))
}

fn start_of(text: &str) -> String {
    text.chars().take(20).collect()
}

/// The engine counts only texts as other than a text; Excel counts numbers and empty cells too.
fn criteria(text: &str, found: &Dependencies) -> Result<(), NotComputed> {
    let by_criteria = |name: &String| name.ends_with("IF") && name != "IF" || name.ends_with("IFS") && name != "IFS";
    let other_than =
        |token: &str| token.strip_prefix("\"<>").is_some_and(|rest| rest.trim_end_matches('"').parse::<f64>().is_err());
    let used = found.functions.iter().any(by_criteria);
    if used && tokens(text).any(|token| token.kind == TokenKind::Text && other_than(token.text)) {
        return Err(NotComputed::Unsupported("a criterion `<>` with text".to_owned()));
    }
    Ok(())
}

/// Calls that can lengthen a text many times over. A few of them in one formula are plenty.
fn growth(text: &str, found: &Dependencies) -> Result<(), NotComputed> {
    let calls = |names: &[&str]| found.functions.iter().any(|name| names.contains(&name.as_str()));
    let count = |word: fn(&str) -> bool| tokens(text).filter(|token| word(token.text)).count();
    let joins =
        count(|word| word == "&" || word.eq_ignore_ascii_case("CONCAT") || word.eq_ignore_ascii_case("TEXTJOIN"));
    let substitutes = count(|word| word.eq_ignore_ascii_case("SUBSTITUTE"));
    let long_constants = tokens(text).any(|token| token.kind == TokenKind::Text && token.text.len() > 12);
    let doubling = calls(&["LET", "REDUCE", "SCAN"]) && joins + substitutes > 8;
    // Usual texts are cleaned by many SUBSTITUTEs with short constants; growth needs long or computed ones.
    let multiplying = substitutes > 3 && (long_constants || calls(&["REPT"]));
    if doubling || multiplying {
        return Err(NotComputed::Limit("text joined again and again in one formula".to_owned()));
    }
    Ok(())
}

/// SUBTOTAL and AGGREGATE leave out rows that a filter hides, which the engine does not know about. SUBTOTAL also leaves
/// out other subtotals.
fn hidden_rows(book: &Book<'_>, node: &Node, text: &str, found: &Dependencies) -> Result<(), NotComputed> {
    let Some(name) = found.functions.iter().find(|name| matches!(name.as_str(), "SUBTOTAL" | "AGGREGATE")) else {
        return Ok(());
    };
    if found.functions.iter().any(|name| name == "SUBTOTAL") && without_subtotals(book, node.key.sheet, text).is_none()
    {
        return Err(NotComputed::Unsupported("SUBTOTAL over other subtotals alone".to_owned()));
    }
    let hidden = node.reads.iter().any(|read| {
        let rows = book.model.sheets.get(read.sheet).map(|sheet| &sheet.hidden_rows);
        rows.is_some_and(|rows| rows.range(read.range.start().row()..=read.range.end().row()).next().is_some())
    });
    if hidden { Err(NotComputed::Unsupported(format!("{name} over hidden rows"))) } else { Ok(()) }
}

/// Functions that work on whole arrays, cell by cell, empty ones included.
pub(super) const ARRAYS: [&str; 24] = [
    "BYCOL",
    "BYROW",
    "CHOOSECOLS",
    "CHOOSEROWS",
    "DROP",
    "FILTER",
    "FREQUENCY",
    "HSTACK",
    "LINEST",
    "LOGEST",
    "MAP",
    "MMULT",
    "REDUCE",
    "SCAN",
    "SORT",
    "SORTBY",
    "SUMPRODUCT",
    "TAKE",
    "TOCOL",
    "TOROW",
    "TRANSPOSE",
    "TREND",
    "UNIQUE",
    "VSTACK",
];

/// Functions that search a range for every element of another, or join two ranges crosswise.
const SEARCHES: [&str; 18] = [
    "AVERAGEIF",
    "AVERAGEIFS",
    "COUNTIF",
    "COUNTIFS",
    "FREQUENCY",
    "HLOOKUP",
    "LOOKUP",
    "MATCH",
    "MAXIFS",
    "MINIFS",
    "MMULT",
    "RANK",
    "SUMIF",
    "SUMIFS",
    "TRANSPOSE",
    "UNIQUE",
    "VLOOKUP",
    "XLOOKUP",
];

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
    let calls = |list: &[&str]| found.functions.iter().any(|name| list.contains(&name.as_str()));
    let array = shape.area().is_some() || calls(&ARRAYS);
    // Where a whole column is left whole, counting looks at each of its cells.
    let every_cell = array || calls(&["COUNTBLANK", "COUNTIF", "COUNTIFS"]);
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
        [first, second, ..] if array && calls(&SEARCHES) => first.saturating_mul(*second),
        [only] if array && calls(&SEARCHES) => only.saturating_mul(*only),
        _ => 0,
    };
    let cost = if every_cell { once.saturating_mul(ARRAY_WEIGHT) } else { once }.saturating_add(crosswise);
    match left.checked_sub(cost) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(NotComputed::Limit("cells read".to_owned())),
    }
}
