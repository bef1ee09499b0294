//! Results on which programs differ because of how they compute. Above all, differences that are nothing but rounding:
//! `0.3-0.2-0.1` is not 0 in binary. Where the last operation of a formula leaves so little, programs give 0
//! (`corrections.rs` does too). Anywhere else some give 0 and others the rest, so a formula is refused unless both lead to
//! the same value.

use super::{Check, Verdict, is_many};
use crate::model::CellValue;
use crate::not_computed::Unsupported;
use crate::tree::{Expr, NodeId};

/// What is left of operands relative to them: up to `ZERO`, all programs give 0 for the last operation of a formula.
pub(crate) const ZERO: f64 = 1.0 / (1_u64 << 49) as f64;
/// From here on, all programs give the difference.
const CERTAIN: f64 = 1.0 / (1_u64 << 44) as f64;
/// Below this a result may be nothing but rounding; larger rests need operands beyond 15 digits of money.
const SMALL: f64 = 1.0;

/// Functions that add up numbers, in an order of their own.
const SUMS: [&str; 7] = ["SUM", "SUMIF", "SUMIFS", "SUMPRODUCT", "SUBTOTAL", "AVERAGE", "AVERAGEIFS"];

impl Check<'_> {
    /// Refuses a formula whose result is the rest of a difference.
    pub(super) fn rounding_in_result(&self) -> Verdict {
        let root = self.tree.root;
        if !self.is_small(self.result) {
            return Ok(());
        }
        let rest = match self.tree.expr(root) {
            // The last operation: what is almost 0 has become 0.
            Expr::Binary("+" | "-", left, right) => self.rest_of(root, *left, *right, true),
            _ => self.rest(root, true),
        };
        if rest.is_some() { Err(Unsupported::AlmostZero.into()) } else { Ok(()) }
    }

    /// Refuses a call of which an argument is the rest of a difference.
    pub(super) fn rounding_in_argument(&self, name: &str, position: usize, id: NodeId) -> Verdict {
        if matches!((name, position), ("ROUND", 0) | ("ABS", _)) || is_many(self.tree, id) {
            return Ok(());
        }
        let decides = position == 0 && matches!(name, "IF" | "IFS");
        if self.rest(id, decides || self.is_small(self.result)).is_some() {
            return Err(Unsupported::AlmostZero.into());
        }
        Ok(())
    }

    /// Refuses an operation on the rest of a difference, unless the other operand is large.
    pub(super) fn rounding_in_operand(&self, sign: &str, left: NodeId, right: NodeId) -> Verdict {
        for (id, other) in [(left, right), (right, left)] {
            if is_many(self.tree, id) {
                continue;
            }
            let Some(rest) = self.rest(id, self.is_small(self.result)) else { continue };
            let vanishes = matches!(sign, "+" | "-")
                && self.amount(other).is_some_and(|other| rest.abs() <= other.abs() * CERTAIN);
            if !vanishes {
                return Err(Unsupported::AlmostZero.into());
            }
        }
        Ok(())
    }

    /// Refuses a comparison of the rest of a difference with a number so close to 0 that it decides.
    pub(super) fn rounding_in_comparison(&self, left: NodeId, right: NodeId) -> Verdict {
        for (id, other) in [(left, right), (right, left)] {
            if is_many(self.tree, id) || !self.is_small(self.amount(id)) {
                continue;
            }
            if let Some(rest) = self.rest(id, true)
                && self.amount(other).is_some_and(|other| other.abs() <= 2.0 * rest.abs())
            {
                return Err(Unsupported::AlmostZero.into());
            }
        }
        Ok(())
    }

    /// Refuses a rate far from the guess with which the search for it starts: programs give up at different points.
    pub(super) fn found_rate(&self, name: &str, id: NodeId) -> Verdict {
        if !matches!(name, "IRR" | "XIRR" | "RATE") {
            return Ok(());
        }
        let rate = if id == self.tree.inner(self.tree.root) {
            self.result
        } else {
            match self.known(id) {
                Some(CellValue::Number(rate)) => Some(rate),
                _ => None,
            }
        };
        if rate.is_some_and(|rate| rate.abs() > 1.0) {
            return Err(Unsupported::Argument { function: name.to_owned(), kind: "a rate above 100 %" }.into());
        }
        Ok(())
    }

    fn is_small(&self, value: Option<f64>) -> bool {
        value.is_some_and(|value| value != 0.0 && value.abs() < SMALL)
    }

    /// The value of a part, if it is the rest of a difference. `ask` says whether values that are not known are asked for.
    fn rest(&self, id: NodeId, ask: bool) -> Option<f64> {
        let id = self.tree.inner(id);
        match self.tree.expr(id) {
            Expr::Unary(_, of) | Expr::Percent(of) => self.rest(*of, ask),
            Expr::Call(name, arguments) if name == "ABS" => self.rest(*arguments.first()?, ask),
            Expr::Call(name, _) if SUMS.contains(&name.as_str()) => {
                let sum = if id == self.tree.inner(self.tree.root) { self.result? } else { self.amount(id)? };
                let is_rest = self.is_small(Some(sum)) && sum.abs() < self.greatest(id) * CERTAIN;
                is_rest.then_some(sum)
            }
            Expr::Binary("+" | "-", left, right) => self.rest_of(id, *left, *right, ask),
            _ => None,
        }
    }

    fn rest_of(&self, id: NodeId, left: NodeId, right: NodeId, ask: bool) -> Option<f64> {
        if [left, right].into_iter().any(|side| is_many(self.tree, side)) {
            return None;
        }
        let [left, right] = [left, right].map(|side| {
            let found = self.amount(side);
            if found.is_none() && ask && !self.calls_indirect(side) {
                self.known(side);
            }
            found
        });
        let (left, right) = (left?, right?);
        let rest = match self.tree.expr(id) {
            Expr::Binary("-", ..) => left - right,
            _ => left + right,
        };
        let least = if id == self.tree.root { ZERO } else { 0.0 };
        let greatest = left.abs().max(right.abs());
        (rest.abs() > greatest * least && rest.abs() < greatest * CERTAIN).then_some(rest)
    }

    /// Whether a part has `INDIRECT`, which has no value on another sheet.
    fn calls_indirect(&self, id: NodeId) -> bool {
        let is_indirect = |id: &NodeId| matches!(self.tree.expr(*id), Expr::Call(name, _) if name == "INDIRECT");
        self.tree.descendants(id).iter().any(is_indirect)
    }

    /// The number that a part is, as far as that follows from cells and other known values.
    fn amount(&self, id: NodeId) -> Option<f64> {
        let id = self.tree.inner(id);
        if let Some(known) = self.amounts.borrow().get(&id) {
            return *known;
        }
        let found = match self.value(id) {
            Some(CellValue::Number(number)) => Some(number),
            Some(CellValue::Bool(truth)) => Some(f64::from(u8::from(truth))),
            Some(CellValue::Empty) => Some(0.0),
            Some(CellValue::Text(_) | CellValue::Error(_)) => None,
            None => match self.tree.expr(id) {
                Expr::Unary("-", of) => self.amount(*of).map(|number| -number),
                Expr::Percent(of) => self.amount(*of).map(|number| number / 100.0),
                Expr::Binary(sign, left, right) => match (*sign, self.amount(*left), self.amount(*right)) {
                    ("+", Some(left), Some(right)) => Some(left + right),
                    ("-", Some(left), Some(right)) => Some(left - right),
                    ("*", Some(left), Some(right)) => Some(left * right),
                    ("/", Some(left), Some(right)) if right != 0.0 => Some(left / right),
                    _ => None,
                },
                _ => None,
            },
        };
        self.amounts.borrow_mut().insert(id, found);
        found
    }

    /// The greatest number, by its size, among the cells and constants that a part reads.
    fn greatest(&self, id: NodeId) -> f64 {
        let sizes = self.tree.descendants(id).into_iter().flat_map(|id| match self.tree.expr(id) {
            Expr::Cells(reference) => {
                let kinds = self.range(*reference).map(|(sheet, range)| self.context.known.kinds(sheet, range));
                kinds.map_or_else(Vec::new, |kinds| kinds.numbers.clone())
            }
            Expr::Constant(CellValue::Number(number)) => vec![*number],
            _ => Vec::new(),
        });
        sizes.fold(0.0, |greatest: f64, number| greatest.max(number.abs()))
    }
}
