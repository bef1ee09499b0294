//! Which values a formula may be computed with. Programs agree on what a function does with the values it is made for,
//! and differ on the others: truth values among numbers, numbers stored as text, dates before March 1900, searches in
//! unsorted cells. The role of an argument says which kinds of values it takes; with others the formula is refused.
//!
//! The check runs on the values that the formula really had. Values inside of the formula are asked for as probes, and
//! branches that were not taken do not count.

pub(crate) mod rounding;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use crate::functions::{Function, FunctionTable, FunctionTrait, Returns, Role};
use crate::model::{CellError, CellKey, CellValue};
use crate::not_computed::{NotComputed, SyntaxProblem, Unsupported};
use crate::{Prefix, Reference, Target};
use jig_file_api::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};

use crate::kinds::{
    DATES, Kind, decimals, ends_february, is_date_format, is_nearly, is_plain, is_word, may_mean_numbers, spelled,
};
use crate::known::{Known, first_line, line_of, looks_like_number};
use crate::tree::{Expr, NodeId, Tree};

/// Where a formula stands, and the values it reads.
pub(crate) struct Context<'a> {
    pub(crate) sheet: usize,
    pub(crate) sheets: &'a HashMap<String, usize>,
    pub(crate) known: &'a Known,
}

/// What a check found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) problem: Option<NotComputed>,
    /// Parts of the formula whose values are needed to decide.
    pub(crate) wanted: BTreeSet<NodeId>,
}

/// Checks a formula with the values that are known so far.
pub(crate) fn check(
    tree: &Tree<'_>,
    context: &Context<'_>,
    probes: &HashMap<NodeId, CellValue>,
    results: &[(CellKey, CellValue)],
) -> Findings {
    let result = match results {
        [(_, CellValue::Number(number))] => Some(*number),
        _ => None,
    };
    let (wanted, deciding, amounts) = (RefCell::default(), RefCell::default(), RefCell::default());
    let check = Check { tree, context, probes, result, wanted, deciding, amounts };
    let results = results.iter().try_for_each(|(_, result)| check.result(result));
    let problem = check.node(tree.root).and(results).and_then(|()| check.rounding_in_result()).err();
    let mut wanted = check.wanted.into_inner();
    if problem.is_some() {
        // It may be in a branch that was not taken.
        wanted.extend(check.deciding.into_inner());
    }
    wanted.retain(|id| !probes.contains_key(id));
    Findings { problem, wanted }
}

/// Refuses calls with too few or too many arguments.
pub(crate) fn check_counts(tree: &Tree<'_>) -> Verdict {
    for id in tree.descendants(tree.root) {
        if let Expr::Call(name, arguments) = tree.expr(id)
            && let Some(known) = FunctionTable::get(name)
            && (arguments.len() < known.least || known.most.is_some_and(|most| arguments.len() > most))
        {
            return Err(SyntaxProblem::ArgumentCount { function: name.clone(), count: arguments.len() }.into());
        }
    }
    Ok(())
}

type Verdict = Result<(), NotComputed>;

struct Check<'a> {
    tree: &'a Tree<'a>,
    context: &'a Context<'a>,
    probes: &'a HashMap<NodeId, CellValue>,
    /// The number that the formula gives.
    result: Option<f64>,
    wanted: RefCell<BTreeSet<NodeId>>,
    deciding: RefCell<BTreeSet<NodeId>>,
    /// The numbers of parts that were looked for.
    amounts: RefCell<HashMap<NodeId, Option<f64>>>,
}

impl<'a> Check<'a> {
    /// Checks a node and all below it that were evaluated.
    fn node(&self, id: NodeId) -> Verdict {
        match self.tree.expr(id) {
            Expr::Call(name, arguments) => self.call(name, arguments).and_then(|()| self.found_rate(name, id)),
            Expr::Binary(sign, left, right) => {
                self.node(*left)?;
                self.node(*right)?;
                self.operator(sign, *left, *right)
            }
            Expr::Unary("-", of) | Expr::Percent(of) => {
                self.node(*of)?;
                if self.returns(*of) == Returns::Bool && !self.is_many(*of) {
                    return Err(Unsupported::NegativeBool.into());
                }
                self.operand(*of)
            }
            _ => self.tree.children(id).into_iter().try_for_each(|child| self.node(child)),
        }
    }

    fn call(&self, name: &str, arguments: &[NodeId]) -> Verdict {
        let Some(known) = FunctionTable::get(name) else {
            return arguments.iter().try_for_each(|argument| self.node(*argument));
        };
        let absorbs = known.has(FunctionTrait::AbsorbsErrors);
        for (position, argument) in arguments.iter().enumerate() {
            if !self.is_evaluated(name, arguments, position) {
                continue;
            }
            self.node(*argument)?;
            self.argument(name, known, position, arguments)?;
            self.rounding_in_argument(name, position, *argument)?;
            if absorbs && position == 0 {
                self.absorbed(*argument)?;
            }
        }
        self.same_sizes(name, known, arguments)?;
        self.format(name, arguments)?;
        self.remainder(name, arguments)?;
        self.reversed(name, known, arguments)?;
        self.search(name, arguments)
    }

    /// A division that comes out almost even leaves nothing for some programs and almost the divisor for others.
    fn remainder(&self, name: &str, arguments: &[NodeId]) -> Verdict {
        let [of, by] = arguments else { return Ok(()) };
        if !matches!(name, "MOD" | "QUOTIENT") || self.is_many(*of) || self.is_many(*by) {
            return Ok(());
        }
        let [Some(of), Some(by)] = [of, by].map(|id| self.known(*id)) else { return Ok(()) };
        if let (CellValue::Number(of), CellValue::Number(by)) = (of, by) {
            let ratio = of / by;
            let whole = of.fract() == 0.0 && by.fract() == 0.0;
            if !whole && is_nearly(ratio, ratio.round()) {
                return Err(Unsupported::AlmostEven(name.to_owned()).into());
            }
        }
        Ok(())
    }

    /// Periods that programs count in different ways: backwards, or from or to the end of February.
    fn reversed(&self, name: &str, known: &Function, arguments: &[NodeId]) -> Verdict {
        let [start, end, ..] = arguments else { return Ok(()) };
        if !known.limits.contains(&"reversed") || self.is_many(*start) || self.is_many(*end) {
            return Ok(());
        }
        let [Some(start), Some(end)] = [start, end].map(|id| self.known(*id)) else { return Ok(()) };
        match (start, end) {
            (CellValue::Number(start), CellValue::Number(end)) if start > end => {
                Err(Unsupported::ReversedDates(name.to_owned()).into())
            }
            (CellValue::Number(start), CellValue::Number(end)) if ends_february(start) || ends_february(end) => {
                Err(Unsupported::EndOfFebruary(name.to_owned()).into())
            }
            _ => Ok(()),
        }
    }

    /// The value of a part; if it is not known yet, it is asked for.
    fn known(&self, id: NodeId) -> Option<CellValue> {
        let value = self.value(id);
        if value.is_none() {
            self.wanted.borrow_mut().insert(self.tree.inner(id));
        }
        value
    }

    /// Whether a branch was taken, as far as that is known.
    fn is_evaluated(&self, name: &str, arguments: &[NodeId], position: usize) -> bool {
        let Some(first) = arguments.first() else { return true };
        if position == 0 || !matches!(name, "IF" | "IFERROR" | "IFNA") || self.is_many(*first) {
            return true;
        }
        let Some(value) = self.value(*first) else {
            self.deciding.borrow_mut().insert(self.tree.inner(*first));
            return true;
        };
        let truth = match value {
            CellValue::Bool(truth) => Some(truth),
            CellValue::Number(number) => Some(number != 0.0),
            CellValue::Empty => Some(false),
            CellValue::Text(_) | CellValue::Error(_) => None,
        };
        match name {
            "IF" => truth == Some(position == 1),
            "IFNA" => value == CellValue::Error(CellError::NotAvailable),
            _ => matches!(value, CellValue::Error(_)),
        }
    }

    /// Checks one argument by its role and the limits of the function.
    fn argument(&self, name: &str, known: &Function, position: usize, arguments: &[NodeId]) -> Verdict {
        let role = known.role(position);
        let Some(id) = arguments.get(position).map(|id| self.tree.inner(*id)) else { return Ok(()) };
        // A number stored as text meets a criterion that is a number for some programs only.
        let criterion = arguments.get(position + 1).filter(|_| role == Role::Among).map(|id| self.value(*id));
        let by_text = criterion.as_ref().is_some_and(|value| value.as_ref().is_none_or(is_word));
        let by_pattern = matches!(&criterion, Some(Some(CellValue::Text(text))) if may_mean_numbers(text));
        let refused = |kind: &'static str| NotComputed::from(Unsupported::Argument { function: name.to_owned(), kind });
        let words = known.limits.iter().copied();
        let limits: Vec<&str> = words.filter(|limit| !matches!(*limit, "sheets" | "reversed" | "arrays")).collect();
        // The engine passes over numbers that are not in cells.
        let only_cells =
            known.limits.contains(&"arrays") || (known.has(FunctionTrait::Criteria) && role != Role::Criterion);
        if only_cells && self.is_many(id) && !matches!(self.tree.expr(id), Expr::Cells(_)) {
            return Err(refused("an array"));
        }
        let fits = |kind: Kind, alone: bool| {
            let fits = kind.fits(role, alone) || (by_text && kind == Kind::NumberText);
            if by_pattern && matches!(kind, Kind::Number(_)) {
                return Err(refused("such a criterion for numbers"));
            }
            let fits = fits && !limits.iter().any(|limit| kind.is(limit));
            if fits { Ok(()) } else { Err(refused(kind.name())) }
        };
        if role == Role::Values
            && let Some(kinds) = self.possible(id)
        {
            return kinds.into_iter().try_for_each(|kind| fits(kind, false));
        }
        match self.tree.expr(id) {
            Expr::Missing if matches!(role, Role::Any | Role::Branch | Role::Number) => Ok(()),
            Expr::Missing => Err(refused("an omitted argument")),
            Expr::Array(values) => values.iter().try_for_each(|value| fits(Kind::of(value), false)),
            Expr::Cells(reference) => {
                let Some((sheet, range)) = self.range(*reference) else { return Err(refused("such a reference")) };
                if matches!(role, Role::Any | Role::Branch | Role::Cells) && limits.is_empty() {
                    return Ok(());
                }
                let range = if role == Role::Table { searched(name, range) } else { range };
                if range.cells() == 1 {
                    let cell = CellKey { sheet, cell: range.start() };
                    let in_range = matches!(role, Role::Values | Role::Among | Role::Table | Role::Pairs);
                    let value = self.context.known.value(cell);
                    fits(Kind::of(&value), !in_range)?;
                    return spelled(role, &value).then_some(()).ok_or_else(|| refused("such a text"));
                }
                let kinds = self.context.known.kinds(sheet, range);
                Kind::all_of(&kinds).into_iter().try_for_each(|kind| fits(kind, false))
            }
            _ if self.is_many(id) => match role {
                Role::Any | Role::Branch | Role::Cells => Ok(()),
                Role::Pairs | Role::Among | Role::Table => Err(refused("computed cells")),
                _ => self.leaves(id, &refused),
            },
            _ => {
                let limited = !limits.is_empty();
                if !limited && self.is_certain(id, role) {
                    return Ok(());
                }
                match self.value(id) {
                    Some(value) => {
                        fits(Kind::of(&value), true)?;
                        self.passed_on(&value, id)?;
                        if matches!(role, Role::Text | Role::Content) {
                            self.all_digits(&value, id)?;
                        }
                        spelled(role, &value).then_some(()).ok_or_else(|| refused("such a text"))
                    }
                    None => {
                        self.wanted.borrow_mut().insert(id);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Whether the type of an expression alone says that its value fits, whatever it is.
    fn is_certain(&self, id: NodeId, role: Role) -> bool {
        let returns = self.returns(id);
        match role {
            Role::Any | Role::Branch | Role::Cells => true,
            Role::Number | Role::Values => matches!(returns, Returns::Number | Returns::Date),
            Role::Text => returns == Returns::Text,
            Role::Logical => matches!(returns, Returns::Bool | Returns::Number),
            Role::Truth => self.is_always_bool(id),
            _ => false,
        }
    }

    /// Whether a part is a truth value and never an error.
    fn is_always_bool(&self, id: NodeId) -> bool {
        match self.tree.expr(self.tree.inner(id)) {
            Expr::Constant(value) => matches!(value, CellValue::Bool(_)),
            Expr::Binary("=" | "<" | ">" | "<=" | ">=" | "<>", left, right) => [left, right].into_iter().all(|side| {
                !self.is_many(*side) && self.value(*side).is_some_and(|value| !matches!(value, CellValue::Error(_)))
            }),
            Expr::Call(name, arguments) if matches!(name.as_str(), "AND" | "OR" | "NOT" | "XOR") => {
                arguments.iter().all(|argument| self.is_always_bool(*argument))
            }
            Expr::Call(name, arguments) => {
                FunctionTable::has(name, FunctionTrait::Predicate)
                    && !arguments.iter().any(|argument| self.is_many(*argument))
            }
            _ => false,
        }
    }

    /// The kinds of values that cells found by `OFFSET` or `INDIRECT` may have: those of all cells they may be.
    fn possible(&self, id: NodeId) -> Option<Vec<Kind>> {
        let all = CellRange::new(CellRef::new(1, 1)?, CellRef::new(MAX_ROW, MAX_COLUMN)?);
        let kinds = |sheet: usize| Kind::all_of(&self.context.known.kinds(sheet, all));
        match self.tree.expr(self.tree.inner(id)) {
            Expr::Call(name, arguments) if name == "OFFSET" => {
                let Expr::Cells(reference) = self.tree.expr(self.tree.inner(*arguments.first()?)) else { return None };
                Some(kinds(self.range(*reference)?.0))
            }
            Expr::Call(name, _) if name == "INDIRECT" => Some((0..self.context.sheets.len()).flat_map(kinds).collect()),
            _ => None,
        }
    }

    /// The cells that an expression of many values reads: kinds with which the operators on them differ.
    fn leaves(&self, id: NodeId, refused: &dyn Fn(&'static str) -> NotComputed) -> Verdict {
        for id in self.tree.descendants(id) {
            let kinds = match self.tree.expr(id) {
                Expr::Cells(reference) => {
                    let (sheet, range) = self.range(*reference).ok_or_else(|| refused("such a reference"))?;
                    Kind::all_of(&self.context.known.kinds(sheet, range))
                }
                Expr::Array(values) => values.iter().map(Kind::of).collect(),
                Expr::Name => return Err(refused("names")),
                Expr::Call(name, _) if matches!(name.as_str(), "OFFSET" | "INDIRECT") => {
                    return Err(refused("computed cells"));
                }
                _ => continue,
            };
            if let Some(kind) = kinds.into_iter().find(|kind| matches!(kind, Kind::Bool | Kind::NumberText)) {
                return Err(refused(kind.name()));
            }
        }
        Ok(())
    }

    /// Formats that all programs read alike: digits and separators, and dates without names of months.
    fn format(&self, name: &str, arguments: &[NodeId]) -> Verdict {
        let [value, format] = arguments else { return Ok(()) };
        if name != "TEXT" {
            return Ok(());
        }
        let refused = || NotComputed::from(Unsupported::TextFormat(name.to_owned()));
        let Expr::Constant(CellValue::Text(format)) = self.tree.expr(self.tree.inner(*format)) else {
            return Err(refused());
        };
        if decimals(format).is_some() {
            return Ok(());
        }
        if !is_date_format(format) || self.is_many(*value) {
            return Err(refused());
        }
        let days = if format.contains(['y', 'd']) { DATES } else { 0.0..DATES.end };
        match self.value(*value) {
            Some(CellValue::Number(number)) if !days.contains(&number) => {
                Err(Unsupported::AmbiguousDate(name.to_owned()).into())
            }
            Some(_) => Ok(()),
            None => {
                self.wanted.borrow_mut().insert(self.tree.inner(*value));
                Ok(())
            }
        }
    }

    /// Ranges that are read side by side have one size, and for some functions one sheet.
    fn same_sizes(&self, name: &str, known: &Function, arguments: &[NodeId]) -> Verdict {
        let looks_up = matches!(name, "LOOKUP" | "XLOOKUP");
        let is_paired = |role: Role| match role {
            Role::Pairs | Role::Among => true,
            Role::Table | Role::Cells => looks_up,
            _ => name == "SUMPRODUCT",
        };
        let roles = arguments.iter().enumerate().map(|(position, id)| (known.role(position), *id));
        let by_criteria = known.has(FunctionTrait::Criteria) && known.most.is_none();
        let paired = roles.filter(|(role, _)| is_paired(*role) || (by_criteria && *role == Role::Values));
        let mut sizes: Vec<(u32, u32)> = Vec::new();
        let mut sheets: BTreeSet<usize> = BTreeSet::new();
        for (_, id) in paired {
            if let Expr::Cells(reference) = self.tree.expr(self.tree.inner(id))
                && let Some((sheet, range)) = self.range(*reference)
            {
                sizes.push((range.rows(), range.columns()));
                sheets.insert(sheet);
            }
        }
        if sizes.iter().any(|size| sizes.first() != Some(size)) {
            return Err(Unsupported::DifferentSizes(name.to_owned()).into());
        }
        let one_sheet = known.limits.contains(&"sheets");
        if one_sheet && (sheets.len() > 1 || sheets.iter().any(|sheet| *sheet != self.context.sheet)) {
            return Err(Unsupported::OtherSheets(name.to_owned()).into());
        }
        Ok(())
    }

    /// A search for the nearest value needs sorted values of one type; what programs give otherwise depends on how
    /// they search. A search for an equal value takes no wildcards where programs differ on them.
    fn search(&self, name: &str, arguments: &[NodeId]) -> Verdict {
        let mode = |position: usize| {
            arguments.get(position).map(|id| {
                self.value(*id).or_else(|| {
                    self.wanted.borrow_mut().insert(self.tree.inner(*id));
                    None
                })
            })
        };
        let is_exact = |position: usize| match mode(position) {
            Some(Some(CellValue::Bool(truth))) => Some(!truth),
            Some(Some(CellValue::Number(number))) => Some(number == 0.0),
            Some(None) => None,
            _ => Some(false),
        };
        let exact = match name {
            "MATCH" => is_exact(2),
            "VLOOKUP" | "HLOOKUP" => is_exact(3),
            "XLOOKUP" => Some(arguments.len() <= 4),
            "XMATCH" => Some(arguments.len() <= 2),
            "LOOKUP" => Some(false),
            _ => return Ok(()),
        };
        let Some([key, cells]) = arguments.first_chunk() else { return Ok(()) };
        let Some(exact) = exact else { return Ok(()) };
        let key = self.value(*key);
        if exact {
            let wild = matches!(&key, Some(CellValue::Text(text)) if text.contains(['*', '?', '~']));
            return if wild { Err(Unsupported::Wildcard(name.to_owned()).into()) } else { Ok(()) };
        }
        let unsorted = || NotComputed::from(Unsupported::UnsortedSearch(name.to_owned()));
        if name.starts_with('X')
            || (name == "MATCH" && mode(2).is_some_and(|mode| mode != Some(CellValue::Number(1.0))))
        {
            return Err(unsorted());
        }
        let Expr::Cells(reference) = self.tree.expr(self.tree.inner(*cells)) else { return Err(unsorted()) };
        let (sheet, range) = self.range(*reference).ok_or_else(unsorted)?;
        let line = match name {
            "VLOOKUP" | "HLOOKUP" => first_line(range, name == "VLOOKUP"),
            _ => line_of(range),
        };
        let line = line.ok_or_else(unsorted)?;
        let values = self.context.known.line(sheet, line).ok_or_else(unsorted)?;
        let of_key = |value: &CellValue| match (&key, value) {
            (Some(CellValue::Number(_)), value) => matches!(value, CellValue::Number(_)),
            (Some(CellValue::Text(text)), CellValue::Text(other)) => is_plain(text) && is_plain(other),
            (Some(CellValue::Error(_)) | None, _) => true,
            _ => false,
        };
        let sorted = values.windows(2).all(|pair| match pair {
            [CellValue::Number(a), CellValue::Number(b)] => a <= b,
            [CellValue::Text(a), CellValue::Text(b)] => a.to_lowercase() <= b.to_lowercase(),
            _ => false,
        });
        if sorted && !values.is_empty() && values.iter().all(of_key) { Ok(()) } else { Err(unsorted()) }
    }

    fn operator(&self, sign: &str, left: NodeId, right: NodeId) -> Verdict {
        match sign {
            "&" => [left, right].into_iter().try_for_each(|id| self.joined(id)),
            "=" | "<" | ">" | "<=" | ">=" | "<>" => self.comparison(sign, left, right),
            _ => {
                self.operand(left)?;
                self.operand(right)?;
                self.rounding_in_operand(sign, left, right)?;
                if sign == "^" { self.power(left, right) } else { Ok(()) }
            }
        }
    }

    /// Powers that are errors for some programs: 0^0, and those too small for a number.
    fn power(&self, base: NodeId, exponent: NodeId) -> Verdict {
        let [base, exponent] = [base, exponent].map(|id| if self.is_many(id) { None } else { self.known(id) });
        let (Some(CellValue::Number(base)), Some(CellValue::Number(exponent))) = (base, exponent) else {
            return Ok(());
        };
        let undecided = if base == 0.0 { exponent <= 0.0 } else { !base.powf(exponent).is_normal() };
        if undecided { Err(Unsupported::Power { base, exponent }.into()) } else { Ok(()) }
    }

    /// What is joined to a text.
    fn joined(&self, id: NodeId) -> Verdict {
        let id = self.tree.inner(id);
        let refused = |kind: &'static str| NotComputed::from(Unsupported::AsText(kind));
        let fits = |kind: Kind, alone: bool| {
            if kind.fits(Role::Text, alone) { Ok(()) } else { Err(refused(kind.name())) }
        };
        if self.is_many(id) {
            return match self.tree.expr(id) {
                Expr::Cells(reference) => match self.range(*reference) {
                    Some((sheet, range)) => {
                        let kinds = self.context.known.kinds(sheet, range);
                        Kind::all_of(&kinds).into_iter().try_for_each(|kind| fits(kind, false))
                    }
                    None => Err(refused("such a reference")),
                },
                _ => self.leaves(id, &refused),
            };
        }
        if self.is_certain(id, Role::Text) {
            return Ok(());
        }
        match self.value(id) {
            Some(value) => {
                fits(Kind::of(&value), true)?;
                self.passed_on(&value, id)?;
                self.all_digits(&value, id)
            }
            None => {
                self.wanted.borrow_mut().insert(id);
                Ok(())
            }
        }
    }

    /// An error inside of a formula must be one that all programs give.
    fn passed_on(&self, value: &CellValue, id: NodeId) -> Verdict {
        match value {
            CellValue::Error(error) => self.trusted(*error, id),
            _ => Ok(()),
        }
    }

    /// The last of 15 digits depends on how a function is computed.
    fn all_digits(&self, value: &CellValue, id: NodeId) -> Verdict {
        let is_long = matches!(value, CellValue::Number(number) if number.fract() != 0.0);
        let is_inexact = || {
            self.tree.descendants(id).into_iter().any(|id| match self.tree.expr(id) {
                Expr::Call(name, _) => FunctionTable::has(name, FunctionTrait::Inexact),
                _ => false,
            })
        };
        if is_long && is_inexact() {
            return Err(Unsupported::LastDigit.into());
        }
        Ok(())
    }

    /// What is computed with: texts that are numbers for some programs only are refused.
    fn operand(&self, id: NodeId) -> Verdict {
        let id = self.tree.inner(id);
        let refused = |kind: &'static str| NotComputed::from(Unsupported::Operand(kind));
        if self.is_many(id) {
            return match self.tree.expr(id) {
                Expr::Cells(_) => self.leaves(id, &refused),
                _ => Ok(()),
            };
        }
        if matches!(self.returns(id), Returns::Number | Returns::Date | Returns::Bool) {
            return Ok(());
        }
        if let Some(kinds) = self.possible(id) {
            return if kinds.contains(&Kind::NumberText) { Err(refused("a text")) } else { Ok(()) };
        }
        match self.value(id) {
            Some(CellValue::Text(text)) if looks_like_number(&text) && text.parse::<f64>().is_err() => {
                Err(refused("a text"))
            }
            Some(value) => self.passed_on(&value, id),
            None => {
                self.wanted.borrow_mut().insert(id);
                Ok(())
            }
        }
    }

    fn comparison(&self, sign: &str, left: NodeId, right: NodeId) -> Verdict {
        let refused = |what: &'static str| NotComputed::from(Unsupported::Comparison(what));
        let sides = [self.tree.inner(left), self.tree.inner(right)];
        if sides.iter().any(|id| self.is_many(*id)) {
            return sides.into_iter().try_for_each(|id| self.leaves(id, &refused));
        }
        // Texts and numbers are never equal, and equal texts are so everywhere.
        let is_safe = |id: NodeId| {
            matches!(self.returns(id), Returns::Text) || matches!(self.value(id), Some(CellValue::Text(_)))
        };
        let is_other = |id: NodeId| matches!(self.returns(id), Returns::Number | Returns::Date);
        let [first, second] = sides;
        if matches!(sign, "=" | "<>")
            && (is_safe(first) && (is_safe(second) || is_other(second)) || is_other(first) && is_safe(second))
        {
            return Ok(());
        }
        let [Some(left), Some(right)] = sides.map(|id| self.value(id)) else {
            self.wanted.borrow_mut().extend(sides.iter().filter(|id| self.value(**id).is_none()));
            return Ok(());
        };
        self.passed_on(&left, first)?;
        self.passed_on(&right, second)?;
        self.rounding_in_comparison(first, second)?;
        match (&left, &right) {
            (CellValue::Bool(_), CellValue::Number(_) | CellValue::Text(_))
            | (CellValue::Number(_) | CellValue::Text(_), CellValue::Bool(_)) => {
                Err(refused("a truth value with another value"))
            }
            (CellValue::Bool(_), CellValue::Empty) | (CellValue::Empty, CellValue::Bool(_)) => {
                Err(refused("a truth value with an empty cell"))
            }
            (CellValue::Text(a), CellValue::Text(b)) => {
                let ordered = !matches!(sign, "=" | "<>");
                let plain = is_plain(a) && is_plain(b);
                if ordered && !plain { Err(refused("texts with other signs than letters and digits")) } else { Ok(()) }
            }
            (CellValue::Number(a), CellValue::Number(b)) => {
                // Equal to 15 digits is equal for all; close to it is not.
                let same = format!("{a:.14e}") == format!("{b:.14e}");
                if !same && is_nearly(*a, *b) && (a - b).abs() < 1e-9 {
                    Err(refused("almost equal numbers"))
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    /// An error that a function gives by itself is the same everywhere only for some.
    fn result(&self, result: &CellValue) -> Verdict {
        match result {
            CellValue::Error(error) => self.trusted(*error, self.tree.root),
            _ => Ok(()),
        }
    }

    /// An error that does not show: `IFERROR` and its like.
    fn absorbed(&self, id: NodeId) -> Verdict {
        if self.is_many(id) {
            return Ok(());
        }
        match self.value(id) {
            Some(CellValue::Error(error)) => self.trusted(error, id),
            Some(_) => Ok(()),
            None => {
                self.wanted.borrow_mut().insert(self.tree.inner(id));
                Ok(())
            }
        }
    }

    fn trusted(&self, error: CellError, id: NodeId) -> Verdict {
        let mut read: Vec<CellError> = Vec::new();
        let mut own: Vec<CellError> = Vec::new();
        if matches!(self.tree.expr(id), Expr::Cells(_)) {
            // One cell of a range that has none beside the formula.
            own.push(CellError::Value);
        }
        for id in self.tree.descendants(id) {
            match self.tree.expr(id) {
                Expr::Constant(CellValue::Error(error)) => read.push(*error),
                Expr::Array(values) => read.extend(values.iter().filter_map(|value| match value {
                    CellValue::Error(error) => Some(*error),
                    _ => None,
                })),
                Expr::Cells(reference) => {
                    if let Some((sheet, range)) = self.range(*reference) {
                        read.extend(&self.context.known.kinds(sheet, range).errors);
                    }
                }
                Expr::Binary(sign @ ("+" | "-" | "*" | "/" | "^"), left, right) => {
                    own.extend(self.own_error(*left, false));
                    own.extend(self.own_error(*right, *sign == "/"));
                }
                Expr::Unary("-", of) | Expr::Percent(of) => own.extend(self.own_error(*of, false)),
                Expr::Call(name, _) => own.extend(FunctionTable::get(name).iter().flat_map(|known| &known.errors)),
                _ => {}
            }
        }
        let same = read.iter().all(|other| *other == error);
        if same && (!read.is_empty() || own.contains(&error)) {
            return Ok(());
        }
        Err(Unsupported::ErrorValue(error).into())
    }

    /// The error that an operator gives for an operand: a text, or a divisor of zero.
    fn own_error(&self, id: NodeId, divides: bool) -> Option<CellError> {
        if self.is_many(id) {
            return Some(CellError::Value);
        }
        match self.value(id) {
            Some(CellValue::Text(_)) => Some(CellError::Value),
            Some(CellValue::Number(0.0) | CellValue::Empty) if divides => Some(CellError::Div),
            Some(_) => None,
            None => {
                self.wanted.borrow_mut().insert(self.tree.inner(id));
                // Until it is known.
                Some(if divides { CellError::Div } else { CellError::Value })
            }
        }
    }

    /// The value of a part, as far as it is known without computing.
    fn value(&self, id: NodeId) -> Option<CellValue> {
        let id = self.tree.inner(id);
        match self.tree.expr(id) {
            Expr::Constant(value) => Some(value.clone()),
            Expr::Cells(reference) => {
                let (sheet, range) = self.range(*reference).filter(|(_, range)| range.cells() == 1)?;
                Some(self.context.known.value(CellKey { sheet, cell: range.start() }))
            }
            Expr::Unary(sign, of) => match (*sign, self.value(*of)) {
                ("-", Some(CellValue::Number(number))) => Some(CellValue::Number(-number)),
                ("+", value) => value,
                _ => self.probes.get(&id).cloned(),
            },
            Expr::Call(name, arguments) if arguments.is_empty() && name == "TRUE" => Some(CellValue::Bool(true)),
            Expr::Call(name, arguments) if arguments.is_empty() && name == "FALSE" => Some(CellValue::Bool(false)),
            _ => self.probes.get(&id).cloned(),
        }
    }

    /// The type of a part, as far as its text says.
    fn returns(&self, id: NodeId) -> Returns {
        returns(self.tree, id)
    }

    fn is_many(&self, id: NodeId) -> bool {
        is_many(self.tree, id)
    }

    fn range(&self, reference: Reference<'_>) -> Option<(usize, CellRange)> {
        let Target::Area(area) = reference.target else { return None };
        let sheet = match reference.prefix.map(Prefix::sheets) {
            None => self.context.sheet,
            Some(sheets) if sheets.book.is_none() && sheets.last.is_none() => {
                *self.context.sheets.get(&sheets.first.to_lowercase())?
            }
            Some(_) => return None,
        };
        Some((sheet, area.range()?))
    }
}

/// The type of a part, as far as its text says.
pub(crate) fn returns(tree: &Tree<'_>, id: NodeId) -> Returns {
    let id = tree.inner(id);
    match tree.expr(id) {
        Expr::Constant(CellValue::Number(_)) | Expr::Percent(_) | Expr::Unary("-", _) => Returns::Number,
        Expr::Constant(CellValue::Text(_)) | Expr::Binary("&", ..) => Returns::Text,
        Expr::Constant(CellValue::Bool(_)) | Expr::Binary("=" | "<" | ">" | "<=" | ">=" | "<>", ..) => Returns::Bool,
        Expr::Binary(..) => Returns::Number,
        Expr::Unary(_, of) => returns(tree, *of),
        Expr::Call(name, _) => FunctionTable::get(name).map_or(Returns::Any, |known| known.returns),
        _ => Returns::Any,
    }
}

/// Whether a part can be many values.
pub(crate) fn is_many(tree: &Tree<'_>, id: NodeId) -> bool {
    match tree.expr(id) {
        Expr::Array(_) => true,
        Expr::Cells(Reference { target: Target::Area(area), .. }) => area.range().is_none_or(|range| range.cells() > 1),
        Expr::Unary("@", _) => false,
        Expr::Group(of) | Expr::Unary(_, of) | Expr::Percent(of) => is_many(tree, *of),
        Expr::Binary(_, left, right) => is_many(tree, *left) || is_many(tree, *right),
        Expr::Call(name, arguments) => match FunctionTable::get(name) {
            Some(known) if known.has(FunctionTrait::Spills) || name == "TRANSPOSE" => true,
            Some(known) => arguments.iter().enumerate().any(|(position, id)| {
                let lifted = match known.role(position) {
                    Role::Values | Role::Pairs | Role::Among | Role::Table | Role::Truth => false,
                    Role::Cells => matches!(name.as_str(), "ROW" | "COLUMN"),
                    Role::Any => !matches!(name.as_str(), "COUNTA" | "ISREF" | "XLOOKUP"),
                    Role::Text => !matches!(name.as_str(), "CONCAT" | "TEXTJOIN"),
                    _ => true,
                };
                lifted && is_many(tree, *id)
            }),
            None => true,
        },
        Expr::Name => true,
        Expr::Missing | Expr::Constant(_) | Expr::Cells(_) => false,
    }
}

/// The cells of a table that are searched.
fn searched(name: &str, range: CellRange) -> CellRange {
    match name {
        "VLOOKUP" | "HLOOKUP" => first_line(range, name == "VLOOKUP").unwrap_or(range),
        _ => range,
    }
}
