//! Functions of one value that are given many. Excel computes them for each value, or takes one cell of the
//! range; the engine does either only in some places and gives a false value in the others.

use crate::model::{FormulaShape, NotComputed};
use crate::{Reference, Target, Token, TokenKind, tokens};

use super::guard::ARRAYS;

/// Refuses a formula in which the engine would not compute a function for each of many values.
pub(super) fn check(text: &str, shape: FormulaShape) -> Result<(), NotComputed> {
    let all: Vec<Token<'_>> = tokens(text).filter(|token| token.kind != TokenKind::Space).collect();
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
pub(super) struct Call {
    pub(super) name: String,
    pub(super) argument: usize,
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
            if !(call.passes_on() || each && LIFTED.contains(&call.name.as_str())) {
                return Err(call.refused());
            }
        }
        Ok(())
    }

    /// One cell of the range is meant; the engine takes it only where the range is the whole argument.
    fn intersect(&self, alone: bool) -> Result<(), NotComputed> {
        let mut calls = self.calls.iter().rev().filter(|call| !call.name.is_empty());
        let Some(call) = calls.next().filter(|call| !call.takes_many() && !call.passes_on()) else { return Ok(()) };
        // `SUM(IF(A1,B1:B9,C1:C9))` means the whole range.
        let whole = call.name == "IF" && call.argument > 0 && calls.next().is_some();
        if alone && !whole && !NEVER_ONE_CELL.contains(&call.name.as_str()) { Ok(()) } else { Err(call.refused()) }
    }
}

impl Call {
    fn refused(&self) -> NotComputed {
        NotComputed::Unsupported(format!("{} with many values at once", self.name))
    }

    /// Whether Excel computes with each value of a range inside it, in an ordinary formula too.
    fn evaluates_arrays(&self) -> bool {
        match self.name.as_str() {
            "INDEX" => self.argument == 0,
            "LOOKUP" | "XLOOKUP" | "XMATCH" => self.argument > 0,
            "MDETERM" | "MINVERSE" => true,
            name => ARRAYS.contains(&name),
        }
    }

    fn passes_on(&self) -> bool {
        self.name.is_empty() || PASSES_ON.contains(&self.name.as_str())
    }

    /// Whether the argument may be many values.
    pub(super) fn takes_many(&self) -> bool {
        let argument = self.argument;
        match self.name.as_str() {
            "COUNTIF" | "INDEX" | "OFFSET" | "LARGE" | "SMALL" | "TRIMMEAN" => argument == 0,
            "XIRR" => argument <= 1,
            "MATCH" | "XMATCH" | "VLOOKUP" | "HLOOKUP" | "RANK" | "RANK.EQ" | "RANK.AVG" | "FVSCHEDULE" => {
                argument == 1
            }
            "SUMIF" | "AVERAGEIF" => argument != 1,
            "COUNTIFS" => argument.is_multiple_of(2),
            "SUMIFS" | "AVERAGEIFS" | "MAXIFS" | "MINIFS" => argument == 0 || !argument.is_multiple_of(2),
            "LOOKUP" | "XLOOKUP" | "FORECAST" | "FORECAST.LINEAR" | "XNPV" => matches!(argument, 1 | 2),
            "CHOOSE" | "NPV" | "SUBTOTAL" => argument > 0,
            "TEXTJOIN" | "NETWORKDAYS" => argument > 1,
            "NETWORKDAYS.INTL" => argument > 2,
            name if name.starts_with("PERCENT") || name.starts_with("QUARTILE") => argument == 0,
            name => TAKES_MANY.contains(&name),
        }
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
pub(super) fn called(before: Option<&Token<'_>>) -> String {
    match before {
        Some(token) if matches!(token.kind, TokenKind::Function(_)) => token.text.to_ascii_uppercase(),
        _ => String::new(),
    }
}

/// Functions that give many values for many.
const PASSES_ON: [&str; 19] = [
    "CHOOSECOLS",
    "CHOOSEROWS",
    "COLUMN",
    "DROP",
    "FILTER",
    "GROWTH",
    "HSTACK",
    "MINVERSE",
    "MMULT",
    "ROW",
    "SORT",
    "SORTBY",
    "TAKE",
    "TOCOL",
    "TOROW",
    "TRANSPOSE",
    "TREND",
    "UNIQUE",
    "VSTACK",
];

/// Functions of one value that the engine computes for each of many, where it gets them.
const LIFTED: [&str; 29] = [
    "ABS",
    "CONCATENATE",
    "DATE",
    "DAY",
    "EXACT",
    "EXP",
    "HOUR",
    "IF",
    "IFERROR",
    "IFNA",
    "INT",
    "LEFT",
    "LEN",
    "LN",
    "LOG10",
    "LOWER",
    "MID",
    "MINUTE",
    "MONTH",
    "REPT",
    "RIGHT",
    "SIGN",
    "SQRT",
    "SUBSTITUTE",
    "TEXT",
    "TRIM",
    "UPPER",
    "WEEKDAY",
    "YEAR",
];

/// Functions for which the engine does not take one cell of a range where Excel does, or takes one of the holidays.
const NEVER_ONE_CELL: [&str; 15] = [
    "AVERAGEIFS",
    "COUNTIFS",
    "HLOOKUP",
    "LOOKUP",
    "MATCH",
    "MAXIFS",
    "MINIFS",
    "RIGHT",
    "SUMIF",
    "SUMIFS",
    "VLOOKUP",
    "WORKDAY",
    "WORKDAY.INTL",
    "XLOOKUP",
    "XMATCH",
];

/// Functions of which every argument may be many values.
const TAKES_MANY: [&str; 76] = [
    "AND",
    "AREAS",
    "ARRAYTOTEXT",
    "AVEDEV",
    "AVERAGE",
    "AVERAGEA",
    "BYCOL",
    "BYROW",
    "CHISQ.TEST",
    "CHITEST",
    "COLUMNS",
    "CONCAT",
    "CORREL",
    "COUNT",
    "COUNTA",
    "COUNTBLANK",
    "COVAR",
    "COVARIANCE.P",
    "COVARIANCE.S",
    "DEVSQ",
    "F.TEST",
    "FREQUENCY",
    "FTEST",
    "GCD",
    "GEOMEAN",
    "HARMEAN",
    "INTERCEPT",
    "IRR",
    "ISREF",
    "KURT",
    "LAMBDA",
    "LCM",
    "LET",
    "LINEST",
    "LOGEST",
    "MAP",
    "MAX",
    "MAXA",
    "MDETERM",
    "MEDIAN",
    "MIN",
    "MINA",
    "MIRR",
    "MODE",
    "MODE.MULT",
    "MODE.SNGL",
    "MULTINOMIAL",
    "OR",
    "PEARSON",
    "PRODUCT",
    "REDUCE",
    "ROWS",
    "RSQ",
    "SCAN",
    "SINGLE",
    "SKEW",
    "SKEW.P",
    "SLOPE",
    "STDEV",
    "STDEV.P",
    "STDEV.S",
    "STDEVA",
    "STDEVP",
    "STDEVPA",
    "STEYX",
    "SUM",
    "SUMPRODUCT",
    "SUMSQ",
    "SUMX2MY2",
    "SUMX2PY2",
    "SUMXMY2",
    "VAR",
    "VAR.P",
    "VAR.S",
    "VARA",
    "VARP",
];
