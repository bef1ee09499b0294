//! Limits that depend on the values that a formula reads: shapes of arguments with which programs differ, and results
//! that are not the same everywhere. They are checked when everything is computed, so that a formula is refused by the
//! values it was really given.

use std::collections::BTreeSet;

use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::formula::recalculate::{CellError, CellKey, CellValue, NotComputed};
use jig_ooxml::xlsx::formula::{Prefix, Reference, Target, Token, TokenKind, tokens};

use super::book::Book;
use super::functions::{Function, Returns, function};

/// Looks values up as they are after the calculation.
pub(super) trait Values {
    /// The value of a cell; `Empty` for one without content.
    fn value(&self, key: CellKey) -> CellValue;
    /// The values of the cells of a range that are not empty.
    fn values_in(&self, sheet: usize, range: RangeRef) -> Vec<CellValue>;
}

/// Ranges of more cells than this are not checked value by value; formulas with limits over them are refused.
const MOST_CELLS: u64 = 200_000;
/// The digits that programs show of a number that becomes text.
const DIGITS: usize = 15;

/// Refuses a result that other programs may not give.
pub(super) fn check(
    book: &Book<'_>,
    at: CellKey,
    text: &str,
    results: &[(CellKey, CellValue)],
    values: &dyn Values,
    every_function: bool,
) -> Result<(), NotComputed> {
    let all: Vec<Token<'_>> = tokens(text).filter(|token| token.kind != TokenKind::Space).collect();
    let formula = Formula { book, at, all: &all, values };
    for (_, result) in results {
        formula.check_result(result)?;
    }
    formula.check_joined(results)?;
    formula.check_comparisons()?;
    for call in formula.calls() {
        formula.check_lookup(&call)?;
        if let Some(known) = function(&call.name).filter(|known| !known.limits.is_empty() && !every_function) {
            formula.check_call(&call, known)?;
        }
    }
    Ok(())
}

/// The shapes of the arguments of all calls of a function in a formula, for the tool that derives limits.
pub(super) fn shapes_of(book: &Book<'_>, at: CellKey, text: &str, name: &str, values: &dyn Values) -> BTreeSet<String> {
    let all: Vec<Token<'_>> = tokens(text).filter(|token| token.kind != TokenKind::Space).collect();
    let formula = Formula { book, at, all: &all, values };
    formula.calls().iter().filter(|call| call.name == name).flat_map(|call| formula.shapes(call)).collect()
}

struct Formula<'a> {
    book: &'a Book<'a>,
    at: CellKey,
    all: &'a [Token<'a>],
    values: &'a dyn Values,
}

/// A call with its arguments as pieces of the formula.
struct Call<'a> {
    name: String,
    arguments: Vec<&'a [Token<'a>]>,
}

impl<'a> Formula<'a> {
    /// An error that comes from an input is the same everywhere; which error a function gives by itself, or which of
    /// two it passes on, is not.
    fn check_result(&self, result: &CellValue) -> Result<(), NotComputed> {
        let CellValue::Error(error) = result else { return Ok(()) };
        let read = self.errors_read();
        let usual = matches!(error, CellError::Div | CellError::NotAvailable | CellError::Value);
        if read.iter().all(|other| other == error) && (usual || !read.is_empty()) {
            return Ok(());
        }
        Err(NotComputed::Unsupported(format!("an error ({error}) that differs between programs")))
    }

    fn errors_read(&self) -> Vec<CellError> {
        let mut found = Vec::new();
        for token in self.all {
            match token.kind {
                TokenKind::Error => found.push(CellError::from_text(token.text)),
                TokenKind::Reference(Reference { target: Target::Lost, .. }) => found.push(CellError::Ref),
                TokenKind::Reference(reference) => {
                    let Some((sheet, range)) = self.range(reference).filter(|(_, range)| range.cells() <= MOST_CELLS)
                    else {
                        continue;
                    };
                    found.extend(self.values.values_in(sheet, range).into_iter().filter_map(|value| match value {
                        CellValue::Error(error) => Some(error),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        found
    }

    /// Programs write a number into a text with 15 digits, the engine with all it has; truth values differ too.
    fn check_joined(&self, results: &[(CellKey, CellValue)]) -> Result<(), NotComputed> {
        let joins = self.all.iter().any(|token| token.text == "&");
        if !joins && !self.calls().iter().any(|call| takes_text(&call.name)) {
            return Ok(());
        }
        let long = || NotComputed::Unsupported(format!("a number with {DIGITS} or more digits as text"));
        let is_text = results.iter().any(|(_, result)| matches!(result, CellValue::Text(_)));
        for (_, result) in results {
            let CellValue::Text(text) = result else { continue };
            if has_long_number(text) {
                return Err(long());
            }
            if text.contains("TRUE") || text.contains("FALSE") {
                return Err(NotComputed::Unsupported("a truth value as text".to_owned()));
            }
        }
        if is_text {
            return Ok(());
        }
        // The text is used up inside of the formula: what it was is not seen.
        let divides = self.all.iter().any(|token| matches!(token.text, "/" | "^"));
        let reads_long = || {
            self.single_cells()
                .any(|value| matches!(value, CellValue::Number(number) if has_long_number(&number.to_string())))
        };
        let reads_bool = || self.single_cells().any(|value| matches!(value, CellValue::Bool(_)));
        if divides || reads_long() || (joins && reads_bool()) { Err(long()) } else { Ok(()) }
    }

    fn single_cells(&self) -> impl Iterator<Item = CellValue> {
        self.all.iter().filter_map(|token| {
            let TokenKind::Reference(reference) = token.kind else { return None };
            let (sheet, range) = self.range(reference).filter(|(_, range)| range.cells() == 1)?;
            Some(self.values.value(CellKey { sheet, cell: range.start() }))
        })
    }

    /// Programs order truth values among numbers and texts in different ways.
    fn check_comparisons(&self) -> Result<(), NotComputed> {
        for (index, token) in self.all.iter().enumerate() {
            if token.kind != TokenKind::Operator || !matches!(token.text, "=" | "<" | ">" | "<=" | ">=" | "<>") {
                continue;
            }
            let sides =
                [self.all.get(self.operand_start(index)..index), self.all.get(index + 1..self.operand_end(index))];
            let is_bool = sides.map(|side| {
                let shapes = self.shape(side.unwrap_or_default());
                shapes.iter().any(|shape| shape == "bool")
            });
            if is_bool.first() != is_bool.last() {
                return Err(NotComputed::Unsupported("a comparison of a truth value with another value".to_owned()));
            }
        }
        Ok(())
    }

    /// Where the operand before an operator starts: behind the bracket, separator or comparison before it.
    fn operand_start(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for at in (0..index).rev() {
            let Some(token) = self.all.get(at) else { break };
            match token.kind {
                TokenKind::Close | TokenKind::CloseArray => depth += 1,
                TokenKind::Open | TokenKind::OpenArray if depth == 0 => return at + 1,
                TokenKind::Open | TokenKind::OpenArray => depth -= 1,
                TokenKind::Separator if depth == 0 => return at + 1,
                _ => {}
            }
        }
        0
    }

    fn operand_end(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for at in index + 1..self.all.len() {
            let Some(token) = self.all.get(at) else { break };
            match token.kind {
                TokenKind::Open | TokenKind::OpenArray => depth += 1,
                TokenKind::Close | TokenKind::CloseArray if depth == 0 => return at,
                TokenKind::Close | TokenKind::CloseArray => depth -= 1,
                TokenKind::Separator if depth == 0 => return at,
                _ => {}
            }
        }
        self.all.len()
    }

    fn calls(&self) -> Vec<Call<'a>> {
        let mut found = Vec::new();
        let mut open: Vec<(Option<String>, usize, Vec<&'a [Token<'a>]>)> = Vec::new();
        let mut constant = false;
        for (index, token) in self.all.iter().enumerate() {
            match token.kind {
                TokenKind::Open => {
                    let before = index.checked_sub(1).and_then(|at| self.all.get(at));
                    let name = before.filter(|token| matches!(token.kind, TokenKind::Function(_)));
                    open.push((name.map(|token| token.text.to_ascii_uppercase()), index + 1, Vec::new()));
                }
                TokenKind::Close => {
                    let Some((name, start, mut arguments)) = open.pop() else { continue };
                    let last = self.all.get(start..index).unwrap_or_default();
                    if !(arguments.is_empty() && last.is_empty()) {
                        arguments.push(last);
                    }
                    if let Some(name) = name {
                        found.push(Call { name, arguments });
                    }
                }
                TokenKind::OpenArray => constant = true,
                TokenKind::CloseArray => constant = false,
                TokenKind::Separator if !constant => {
                    if let Some((_, start, arguments)) = open.last_mut() {
                        arguments.push(self.all.get(*start..index).unwrap_or_default());
                        *start = index + 1;
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn check_call(&self, call: &Call<'_>, known: &Function) -> Result<(), NotComputed> {
        let shapes = self.shapes(call);
        let refused =
            |shape: &str| NotComputed::Unsupported(format!("{} with this kind of argument ({shape})", call.name));
        for shape in &shapes {
            if known.limits.contains(shape) {
                return Err(refused(shape));
            }
            // A value of any type may be of one that is not computed.
            if let Some(place) = shape.strip_suffix(":any") {
                let typed = ["blank", "text", "numtext", "bool"];
                if typed.iter().any(|kind| known.limits.contains(&format!("{place}:{kind}"))) {
                    return Err(refused("a value of any type"));
                }
            }
        }
        Ok(())
    }

    /// A search for the nearest value needs sorted ones; what programs give otherwise depends on how they search.
    fn check_lookup(&self, call: &Call<'_>) -> Result<(), NotComputed> {
        let kind = |place: usize| call.arguments.get(place).map(|argument| self.shape(argument));
        let is_exact = |place: usize| {
            kind(place)
                .is_some_and(|shapes| shapes.iter().all(|shape| matches!(shape.as_str(), "zero" | "bool" | "false")))
        };
        let exact = match call.name.as_str() {
            "MATCH" => is_exact(2),
            "VLOOKUP" | "HLOOKUP" => is_exact(3),
            "XLOOKUP" => call.arguments.len() <= 4,
            "XMATCH" => call.arguments.len() <= 2,
            "LOOKUP" => false,
            _ => return Ok(()),
        };
        if exact {
            return Ok(());
        }
        let refused = || NotComputed::Unsupported(format!("{} for the nearest value in unsorted cells", call.name));
        if call.name == "MATCH" && kind(2).is_some_and(|shapes| shapes != ["whole"]) || call.name.starts_with('X') {
            return Err(refused());
        }
        let Some([token]) = call.arguments.get(1) else { return Err(refused()) };
        let TokenKind::Reference(reference) = token.kind else { return Err(refused()) };
        let (sheet, range) = self.range(reference).ok_or_else(refused)?;
        let (start, end) = (range.start(), range.end());
        let corner = match call.name.as_str() {
            "VLOOKUP" => CellRef::new(end.row(), start.col()),
            "HLOOKUP" => CellRef::new(start.row(), end.col()),
            _ if range.rows() > 1 && range.columns() > 1 => None,
            _ => Some(end),
        };
        let line = RangeRef::new(start, corner.ok_or_else(refused)?);
        let found = self.values.values_in(sheet, line);
        if found.len() as u64 == line.cells() && is_sorted(&found) { Ok(()) } else { Err(refused()) }
    }

    /// The shapes of a call's arguments: `1:text`, `2:many-blank`.
    fn shapes(&self, call: &Call<'_>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        found.insert(format!("arguments:{}", call.arguments.len()));
        for (index, argument) in call.arguments.iter().enumerate() {
            let place = (index + 1).min(4);
            self.shape(argument).into_iter().for_each(|shape| {
                // What holds for the cells of one range holds for those of the next.
                let place = if shape.starts_with("many-") { "*".to_owned() } else { place.to_string() };
                found.insert(format!("{place}:{shape}"));
            });
        }
        let sizes = call.arguments.iter().filter_map(|argument| match argument {
            [token] => match token.kind {
                TokenKind::Reference(reference) => {
                    self.range(reference).map(|(_, range)| (range.rows(), range.columns()))
                }
                _ => None,
            },
            _ => None,
        });
        let sizes: BTreeSet<(u32, u32)> = sizes.filter(|size| *size != (1, 1)).collect();
        if sizes.len() > 1 {
            found.insert("*:many-sizes".to_owned());
        }
        found
    }

    fn shape(&self, argument: &[Token<'_>]) -> Vec<String> {
        let one = |shape: &str| vec![shape.to_owned()];
        match argument {
            [] => one("missing"),
            [token] => match token.kind {
                TokenKind::Number => number_shape(token.text.parse().unwrap_or(0.0)),
                TokenKind::Text => {
                    let inner = token.text.trim_matches('"').replace("\"\"", "\"");
                    let mut shapes = scalar(&CellValue::Text(inner.clone()));
                    shapes.extend(pattern(&inner));
                    shapes
                }
                TokenKind::Bool => scalar(&CellValue::Bool(token.text.eq_ignore_ascii_case("TRUE"))),
                TokenKind::Error => one("error"),
                TokenKind::Reference(reference) => self.reference_shape(reference),
                _ => one("any"),
            },
            [sign, token] if sign.text == "-" && token.kind == TokenKind::Number => {
                number_shape(-token.text.parse().unwrap_or(0.0))
            }
            [first, .., last] if first.kind == TokenKind::OpenArray && last.kind == TokenKind::CloseArray => {
                one("array")
            }
            _ => one(static_type(argument)),
        }
    }

    fn reference_shape(&self, reference: Reference<'_>) -> Vec<String> {
        let Some((sheet, range)) = self.range(reference) else { return vec!["any".to_owned()] };
        if range.cells() == 1 {
            return scalar(&self.values.value(CellKey { sheet, cell: range.start() }));
        }
        let mut shapes = BTreeSet::new();
        if range.rows() > 1 && range.columns() > 1 {
            shapes.insert("many-columns".to_owned());
        }
        let found = self.values.values_in(sheet, range);
        if (found.len() as u64) < range.cells() {
            shapes.insert("many-blank".to_owned());
        }
        for value in &found {
            match value {
                CellValue::Number(_) => {}
                CellValue::Empty => {
                    shapes.insert("many-blank".to_owned());
                }
                value => scalar(value).into_iter().for_each(|shape| {
                    shapes.insert(format!("many-{shape}"));
                }),
            }
        }
        if !is_sorted(&found) {
            shapes.insert("many-unsorted".to_owned());
        }
        shapes.into_iter().collect()
    }

    fn range(&self, reference: Reference<'_>) -> Option<(usize, RangeRef)> {
        let Target::Area(area) = reference.target else { return None };
        let sheet = match reference.prefix.map(Prefix::sheets) {
            None => self.at.sheet,
            Some(sheets) if sheets.book.is_none() && sheets.last.is_none() => self.book.sheet(&sheets.first)?,
            Some(_) => return None,
        };
        Some((sheet, area.range()?))
    }
}

fn takes_text(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "CODE",
        "CONCAT",
        "CONCATENATE",
        "EXACT",
        "FIND",
        "LEFT",
        "LEN",
        "LOWER",
        "MID",
        "REPLACE",
        "REPT",
        "RIGHT",
        "SEARCH",
        "SUBSTITUTE",
        "TEXTJOIN",
        "TRIM",
    ];
    NAMES.contains(&name)
}

fn is_sorted(values: &[CellValue]) -> bool {
    values.windows(2).all(|pair| match pair {
        [CellValue::Number(a), CellValue::Number(b)] => a <= b,
        [CellValue::Text(a), CellValue::Text(b)] => a.to_lowercase() <= b.to_lowercase(),
        _ => false,
    })
}

fn scalar(value: &CellValue) -> Vec<String> {
    let shape = match value {
        CellValue::Empty => "blank",
        CellValue::Number(number) => return number_shape(*number),
        CellValue::Text(text) if text.is_empty() => "emptytext",
        CellValue::Text(text) if text.trim().parse::<f64>().is_ok() => "numtext",
        CellValue::Text(_) => "text",
        CellValue::Bool(true) => return vec!["bool".to_owned(), "true".to_owned()],
        CellValue::Bool(false) => return vec!["bool".to_owned(), "false".to_owned()],
        CellValue::Error(_) => "error",
    };
    vec![shape.to_owned()]
}

fn number_shape(number: f64) -> Vec<String> {
    let shape = match number {
        0.0 => "zero",
        number if number < 0.0 => "negative",
        number if number.fract() != 0.0 => "fraction",
        _ => "whole",
    };
    vec![shape.to_owned()]
}

/// What a text means as a criterion or a format.
fn pattern(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.starts_with("<>") {
        found.push("other-than".to_owned());
    } else if text.starts_with(['<', '>', '=']) {
        found.push("comparison".to_owned());
    }
    if text.contains(['*', '?', '~']) {
        found.push("wildcard".to_owned());
    }
    found
}

/// The type of an expression, as far as its text says.
fn static_type(argument: &[Token<'_>]) -> &'static str {
    let mut depth = 0_usize;
    let mut found = None;
    for token in argument {
        match token.kind {
            TokenKind::Open | TokenKind::OpenArray => depth += 1,
            TokenKind::Close | TokenKind::CloseArray => depth = depth.saturating_sub(1),
            TokenKind::Operator if depth == 0 => match token.text {
                "=" | "<" | ">" | "<=" | ">=" | "<>" => return "bool",
                "&" => found = Some("text"),
                ":" => return "any",
                _ => found = found.or(Some("number")),
            },
            _ => {}
        }
    }
    if let Some(found) = found {
        return found;
    }
    match argument {
        [first, ..] if matches!(first.kind, TokenKind::Function(_)) => {
            match function(&first.text.to_ascii_uppercase()).map(|known| known.returns) {
                Some(Returns::Number) => "number",
                Some(Returns::Text) => "text",
                Some(Returns::Bool) => "bool",
                Some(Returns::Any) | None => "any",
            }
        }
        [first, rest @ .., last] if first.kind == TokenKind::Open && last.kind == TokenKind::Close => static_type(rest),
        _ => "any",
    }
}

/// Whether a text has a number with more digits than programs write.
fn has_long_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    text.split(|c| !is_part(c)).any(|run| {
        let digits = run.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count();
        if run.contains('.') { digits >= DIGITS } else { digits > DIGITS }
    })
}
