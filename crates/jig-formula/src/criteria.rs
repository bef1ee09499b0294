//! The ranges of functions that count and sum by criteria, as the engine wants them.

use std::sync::Arc;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::not_computed::{NotComputed, Unsupported};
use crate::{FormulaText, ParsedFormula, Prefix, Reference, Target, Token, TokenKind};
use jig_file_api::address::CellRange;

use crate::shape_limits::{Call, called};

/// The formula with `A2:A2` for `A2` where a range is expected: the engine takes no single cell there.
pub(crate) fn with_ranges(formula: &Arc<ParsedFormula>) -> Arc<ParsedFormula> {
    let text = formula.text();
    let mut written = String::new();
    let mut copied = 0;
    let is_cell = |given: &CriteriaRange<'_>| given.range.cells() == 1 && !given.token.text.contains(':');
    for given in given(formula).into_iter().filter(is_cell) {
        let end = given.token.start + given.token.text.len();
        written.push_str(text.get(copied..end).unwrap_or(""));
        written.push(':');
        written.push_str(given.token.text.strip_prefix(given.prefix).unwrap_or(given.token.text));
        copied = end;
    }
    if copied == 0 {
        return formula.clone();
    }
    written.push_str(text.get(copied..).unwrap_or(""));
    Arc::new(ParsedFormula::parse(written))
}

/// Excel takes as many cells from the start of the third range as the first one has; the engine does not.
pub(crate) fn check_sizes(formula: &ParsedFormula) -> Result<(), NotComputed> {
    let all = given(formula);
    let is_third =
        |given: &&CriteriaRange<'_>| given.argument == 2 && matches!(given.name.as_str(), "SUMIF" | "AVERAGEIF");
    for third in all.iter().filter(is_third) {
        let first = all.iter().find(|given| given.call == third.call && given.argument == 0);
        let size = |range: CellRange| (range.rows(), range.columns());
        if first.is_some_and(|first| size(first.range) != size(third.range)) {
            return Err(Unsupported::DifferentSizes(third.name.clone()).into());
        }
    }
    Ok(())
}

/// Cells that are the whole argument of a function by criteria, where it takes a range.
struct CriteriaRange<'a> {
    /// Which call it is, counted by brackets.
    call: usize,
    name: String,
    argument: usize,
    token: Token<'a>,
    /// The sheet as written, with its `!`.
    prefix: &'a str,
    range: CellRange,
}

fn given(formula: &ParsedFormula) -> Vec<CriteriaRange<'_>> {
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    let mut found = Vec::new();
    let mut calls: Vec<(usize, Call)> = Vec::new();
    let mut constant = false;
    for (index, token) in all.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| all.get(before));
        match token.kind {
            TokenKind::Open => calls.push((index, Call { name: called(before), argument: 0 })),
            TokenKind::Close => {
                calls.pop();
            }
            TokenKind::OpenArray => constant = true,
            TokenKind::CloseArray => constant = false,
            TokenKind::Separator if !constant => {
                if let Some((_, call)) = calls.last_mut() {
                    call.argument += 1;
                }
            }
            TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) => {
                let alone = before.is_some_and(|token| matches!(token.kind, TokenKind::Open | TokenKind::Separator))
                    && all.get(index + 1).is_some_and(|t| matches!(t.kind, TokenKind::Close | TokenKind::Separator));
                if let (true, Some((at, call)), Some(range)) = (alone, calls.last(), area.range())
                    && FunctionTable::has(&call.name, FunctionTrait::Criteria)
                    && call.takes_many()
                {
                    let prefix = prefix.map_or("", Prefix::text);
                    let (name, argument) = (call.name.clone(), call.argument);
                    found.push(CriteriaRange { call: *at, name, argument, token: *token, prefix, range });
                }
            }
            _ => {}
        }
    }
    found
}
