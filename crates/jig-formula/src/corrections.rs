//! Formulas rewritten so that the engine computes what other programs do: numbers that become text have 15 digits,
//! `TEXT` rounds halves away from zero, parts of a time are rounded to seconds, and a formula that ends with a sum or
//! difference gives 0 where only rounding is left.

use crate::functions::{FunctionTable, Returns, Role};
use crate::model::CellValue;
use crate::quoted_sheet;

use crate::argument_limits::rounding::ZERO;
use crate::argument_limits::{is_many, returns};
use crate::kinds::decimals;
use crate::tree::{Expr, NodeId, Tree};

/// With so many decimals `ROUND` leaves the number as it is, except that it has at most 15 digits.
const ALL_DECIMALS: &str = "400";

/// Where writing stops; far beyond what a formula may have.
const BYTES: usize = 64 * 1024;

/// A part of a formula as the engine gets it. With a sheet, references without one name it, so that the part means the
/// same on another sheet. None if it would get too long.
pub(crate) fn corrected(tree: &Tree<'_>, id: NodeId, sheet: Option<&str>) -> Option<String> {
    let mut writer = Writer { tree, sheet: sheet.map(quoted_sheet), too_long: false };
    let mut written = String::new();
    if id == tree.root {
        writer.write_result(&mut written);
    } else {
        writer.write(id, &mut written);
    }
    (!writer.too_long && written.len() <= BYTES).then_some(written)
}

struct Writer<'a> {
    tree: &'a Tree<'a>,
    sheet: Option<String>,
    too_long: bool,
}

impl Writer<'_> {
    /// Writes the formula. What its last operation leaves of the operands is 0 if it is as little as their rounding.
    fn write_result(&mut self, out: &mut String) {
        let id = self.tree.root;
        let start = out.len();
        self.write(id, out);
        let Expr::Binary("+" | "-", left, right) = self.tree.expr(id) else { return };
        let plain = out.split_off(start);
        let [left, right] = [left, right].map(|side| {
            let mut written = String::new();
            self.write(*side, &mut written);
            written
        });
        if is_many(self.tree, id) || plain.len() > BYTES / 8 {
            out.push_str(&plain);
        } else {
            let parts = (2.0 / ZERO) as u64;
            out.push_str(&format!("IF(ABS({plain})<=(ABS(0+({left}))+ABS(0+({right})))/{parts},0,{plain})"));
        }
    }

    fn write(&mut self, id: NodeId, out: &mut String) {
        match self.tree.expr(id) {
            Expr::Missing => {}
            Expr::Cells(reference) => {
                if let (None, Some(sheet)) = (reference.prefix, &self.sheet) {
                    out.push_str(sheet);
                    out.push('!');
                }
                out.push_str(self.tree.text(id));
            }
            Expr::Constant(_) | Expr::Array(_) | Expr::Name => out.push_str(self.tree.text(id)),
            Expr::Group(of) => {
                out.push('(');
                self.write(*of, out);
                out.push(')');
            }
            Expr::Unary(sign, of) => {
                out.push_str(sign);
                self.write(*of, out);
            }
            Expr::Percent(of) => {
                self.write(*of, out);
                out.push('%');
            }
            Expr::Binary(sign, left, right) => {
                let side = if *sign == "&" { Self::write_text } else { Self::write };
                side(self, *left, out);
                out.push_str(sign);
                side(self, *right, out);
            }
            Expr::Call(name, arguments) => {
                let rounded = text_decimals(self.tree, name, arguments);
                let is_time = matches!(name.as_str(), "HOUR" | "MINUTE" | "SECOND");
                self.write_call(name, arguments, out, |writer, position, argument, out| match rounded {
                    Some(decimals) if position == 0 => writer.write_rounded(argument, &decimals.to_string(), out),
                    _ if is_time && !is_many(writer.tree, argument) => writer.write_time(argument, out),
                    _ => match role(name, position) {
                        Role::Text | Role::Content => writer.write_text(argument, out),
                        _ => writer.write(argument, out),
                    },
                });
            }
        }
    }

    fn write_call(
        &mut self,
        name: &str,
        arguments: &[NodeId],
        out: &mut String,
        write: impl Fn(&mut Self, usize, NodeId, &mut String),
    ) {
        out.push_str(name);
        out.push('(');
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                out.push(',');
            }
            write(self, position, *argument, out);
        }
        out.push(')');
    }

    /// Writes a time, a quarter of a second after the nearest second: the engine cuts off what is less than a second.
    fn write_time(&mut self, id: NodeId, out: &mut String) {
        out.push_str("(ROUND((");
        self.write(id, out);
        out.push_str(")*86400,0)+0.25)/86400");
    }

    /// Writes what becomes a text.
    fn write_text(&mut self, id: NodeId, out: &mut String) {
        match self.tree.expr(self.tree.inner(id)) {
            // What is chosen becomes the text.
            Expr::Call(name, arguments)
                if matches!(name.as_str(), "IF" | "IFERROR" | "IFNA") && !is_many(self.tree, id) =>
            {
                let is_condition = |position: usize| name == "IF" && position == 0;
                self.write_call(name, arguments, out, |writer, position, argument, out| {
                    if is_condition(position) { writer.write(argument, out) } else { writer.write_text(argument, out) }
                });
            }
            Expr::Missing | Expr::Constant(_) => self.write(id, out),
            _ => self.write_rounded(id, ALL_DECIMALS, out),
        }
    }

    /// Writes a part so that it is rounded if it is a number. Adding 0 makes a plain zero of a negative one.
    fn write_rounded(&mut self, id: NodeId, decimals: &str, out: &mut String) {
        let mut plain = String::new();
        self.write(id, &mut plain);
        let returned = returns(self.tree, id);
        if is_many(self.tree, id) || matches!(returned, Returns::Text | Returns::Bool) {
            out.push_str(&plain);
        } else if matches!(returned, Returns::Number | Returns::Date) {
            out.push_str(&format!("(ROUND({plain},{decimals})+0)"));
        } else if plain.len() > BYTES / 8 {
            // Each such part inside of another is written several times.
            self.too_long = true;
        } else {
            out.push_str(&format!("IF(ISNUMBER({plain}),ROUND({plain},{decimals})+0,{plain})"));
        }
    }
}

fn role(name: &str, position: usize) -> Role {
    FunctionTable::get(name).map_or(Role::Any, |known| known.role(position))
}

/// The decimals that a call of `TEXT` shows of a number.
fn text_decimals(tree: &Tree<'_>, name: &str, arguments: &[NodeId]) -> Option<usize> {
    let [_, format] = arguments else { return None };
    match tree.expr(tree.inner(*format)) {
        Expr::Constant(CellValue::Text(format)) if name == "TEXT" => decimals(format),
        _ => None,
    }
}
