//! Functions of one value that are given many. Excel computes them for each value, or takes one cell of the
//! range; the engine does either only in some places and gives a false value in the others.

use crate::functions::{FunctionTable, FunctionTrait};
use crate::model::FormulaShape;
use crate::not_computed::{NotComputed, Unsupported};
use crate::{FormulaText, ParsedFormula, Reference, Target, Token, TokenKind};

/// Refuses a formula in which the engine would not compute a function for each of many values.
pub(crate) fn check(formula: &ParsedFormula, shape: FormulaShape) -> Result<(), NotComputed> {
    let all: Vec<Token<'_>> = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
    // What LAMBDA binds is one value after the other.
    let lambda = all.iter().any(|token| is_call(token, "LAMBDA"));
    let mut place = Place { calls: Vec::new(), array: shape.area().is_some() };
    let mut constant = false;
    for (index, token) in all.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| all.get(before));
        let after = all.get(index + 1);
        match token.kind {
            TokenKind::Open => place.calls.push(Call { name: called(before), argument: 0 }),
            TokenKind::Close => {
                place.calls.pop();
            }
            TokenKind::OpenArray => {
                constant = true;
                place.constant()?;
            }
            TokenKind::CloseArray => constant = false,
            TokenKind::Separator if !constant => place.next_argument(),
            TokenKind::Reference(reference) if is_many(reference) => place.range(before, after)?,
            TokenKind::Name(_) if !lambda => place.unknown()?,
            TokenKind::Function(_) if is_call(token, "SEQUENCE") || is_call(token, "TRANSPOSE") => {
                place.array(token)?;
            }
            TokenKind::Function(_) if is_call(token, "INDIRECT") || is_call(token, "OFFSET") => place.unknown()?,
            // In an array formula it mostly gives one cell.
            TokenKind::Function(_) if is_call(token, "INDEX") && !place.array => place.unknown()?,
            _ => {}
        }
    }
    Ok(())
}

/// The calls around a token.
struct Place {
    calls: Vec<Call>,
    /// The whole formula is an array formula.
    array: bool,
}

/// A function and which of its arguments is read, from 0; a bracket of its own has no name.
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) argument: usize,
}

impl Place {
    fn next_argument(&mut self) {
        if let Some(call) = self.calls.last_mut() {
            call.argument += 1;
        }
    }

    fn range(&self, before: Option<&Token<'_>>, after: Option<&Token<'_>>) -> Result<(), NotComputed> {
        let starts = before.map(|token| token.kind);
        if starts == Some(TokenKind::At) {
            return Ok(());
        }
        if self.is_lifted() {
            return self.lift(self.array);
        }
        let ends = after.map(|token| token.kind);
        let alone = matches!(starts, Some(TokenKind::Open | TokenKind::Separator))
            && matches!(ends, Some(TokenKind::Close | TokenKind::Separator))
            && self.calls.last().is_some_and(|call| !call.name.is_empty());
        self.intersect(alone)
    }

    /// Excel computes with each value of a constant wherever it stands.
    fn constant(&self) -> Result<(), NotComputed> {
        self.lift(true)
    }

    /// A function that gives an array. In a formula for one cell, some programs take its first value, others the one
    /// beside the formula.
    fn array(&self, token: &Token<'_>) -> Result<(), NotComputed> {
        if !self.array && !self.calls.iter().any(|call| call.takes_many() || call.evaluates_arrays()) {
            return Err(Unsupported::ManyValues(token.text.to_ascii_uppercase()).into());
        }
        self.lift(true)
    }

    /// A value that may turn out to be many.
    fn unknown(&self) -> Result<(), NotComputed> {
        if self.is_lifted() { self.lift(self.array) } else { Ok(()) }
    }

    /// Whether Excel computes with each value of a range here.
    fn is_lifted(&self) -> bool {
        self.array || self.calls.iter().any(Call::evaluates_arrays)
    }

    /// Many values go up from call to call until one takes them all. `each` says whether the calls that the
    /// engine computes for each value get them; elsewhere it takes one cell of the range first.
    fn lift(&self, each: bool) -> Result<(), NotComputed> {
        for call in self.calls.iter().rev() {
            if call.takes_many() {
                return Ok(());
            }
            if !(call.passes_on() || each && FunctionTable::has(&call.name, FunctionTrait::PerValue)) {
                return Err(call.refused());
            }
        }
        Ok(())
    }

    /// Excel takes one cell of the range; the engine does so only where the range is the whole argument.
    fn intersect(&self, alone: bool) -> Result<(), NotComputed> {
        let mut calls = self.calls.iter().rev().filter(|call| !call.name.is_empty());
        let Some(call) = calls.next().filter(|call| !call.takes_many() && !call.passes_on()) else { return Ok(()) };
        // `SUM(IF(A1,B1:B9,C1:C9))` means the whole range.
        let whole = call.name == "IF" && call.argument > 0 && calls.next().is_some();
        if alone && !whole && !FunctionTable::has(&call.name, FunctionTrait::NeverOneCell) {
            Ok(())
        } else {
            Err(call.refused())
        }
    }
}

impl Call {
    fn refused(&self) -> NotComputed {
        Unsupported::ManyValues(self.name.clone()).into()
    }

    /// Whether Excel computes with each value of a range inside it, in an ordinary formula too.
    fn evaluates_arrays(&self) -> bool {
        FunctionTable::get(&self.name).is_some_and(|known| known.is_elementwise(self.argument))
    }

    fn passes_on(&self) -> bool {
        self.name.is_empty() || FunctionTable::has(&self.name, FunctionTrait::PassesArrays)
    }

    /// Whether the argument may be many values.
    pub(crate) fn takes_many(&self) -> bool {
        FunctionTable::get(&self.name).is_some_and(|known| known.takes_many(self.argument))
    }
}

fn is_many(reference: Reference<'_>) -> bool {
    match reference.target {
        Target::Area(area) => area.range().is_some_and(|range| range.cells() > 1),
        Target::Lost => false,
    }
}

fn is_call(token: &Token<'_>, name: &str) -> bool {
    matches!(token.kind, TokenKind::Function(_)) && token.text.eq_ignore_ascii_case(name)
}

/// The function whose bracket opens, in upper case; nothing for a bracket of its own.
pub(crate) fn called(before: Option<&Token<'_>>) -> String {
    match before {
        Some(token) if matches!(token.kind, TokenKind::Function(_)) => token.text.to_ascii_uppercase(),
        _ => String::new(),
    }
}
