//! The functions that Jig knows, as data: `functions.tsv` has one row for each.
//!
//! Columns: name; prefix in files; least and most arguments; traits; type of the result; roles of the arguments, of
//! which those with `*` repeat; errors that the function gives by itself and that programs agree on; kinds of values
//! that no argument may have; `yes` where it is computed. A function that is not `computed` there is never computed;
//! recorded results decide (`tests/functions` of `jig-files`).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::model::CellError;

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// What files write in front of the name: nothing, `_xlfn.` or `_xlfn._xlws.`.
    pub prefix: &'static str,
    /// The least number of arguments.
    pub least: usize,
    /// The most arguments, if there is a limit.
    pub most: Option<usize>,
    /// The type of its result.
    pub returns: Returns,
    /// Errors that it gives by itself and that programs agree on.
    pub errors: Vec<CellError>,
    /// Kinds of values that none of its arguments may have.
    pub limits: Vec<&'static str>,
    /// Whether it is computed.
    pub computed: bool,
    traits: Vec<&'static str>,
    roles: Vec<Role>,
    /// How many of the last roles repeat.
    repeated: usize,
}

/// The type of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// A number.
    Number,
    /// A date, which is a number.
    Date,
    /// Text.
    Text,
    /// A truth value.
    Bool,
    /// Whatever the arguments are.
    Any,
}

/// What an argument is for, and so which kinds of values every program treats alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Any value.
    Any,
    /// A value that becomes the result.
    Branch,
    /// A number.
    Number,
    /// A time, or a date with a time.
    Moment,
    /// A number at which the result jumps when it is whole.
    Step,
    /// A whole number.
    Whole,
    /// A whole number from 0.
    Length,
    /// A whole number from 1.
    Count,
    /// A year of four digits.
    Year,
    /// A date after February 1900.
    Date,
    /// A date without a time.
    Day,
    /// Text, or what becomes text.
    Text,
    /// Text that is not empty.
    Content,
    /// A number as text.
    Numeral,
    /// A date as `YYYY-MM-DD`.
    DateText,
    /// A time as `HH:MM`.
    TimeText,
    /// A condition.
    Logical,
    /// A condition among others, all of which are looked at.
    Truth,
    /// Numbers among other values, which do not count.
    Values,
    /// Numbers in ranges of one size.
    Pairs,
    /// Cells to which criteria apply.
    Among,
    /// A criterion.
    Criterion,
    /// A value to look for.
    Key,
    /// Cells to look in.
    Table,
    /// A number format.
    Format,
    /// Cells, whatever their values are.
    Cells,
}

static TABLE: LazyLock<HashMap<&'static str, Function>> =
    LazyLock::new(|| include_str!("functions.tsv").lines().skip(1).filter_map(row).collect());

/// The row of a function; its name is in upper case and without prefix.
pub fn function(name: &str) -> Option<&'static Function> {
    TABLE.get(name)
}

/// The names of all functions that are computed, in order.
pub fn computed_functions() -> Vec<&'static str> {
    let computed = TABLE.iter().filter(|(_, function)| function.computed);
    let mut names: Vec<&'static str> = computed.map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

/// Whether a function has a trait.
pub(crate) fn has_trait(name: &str, word: &str) -> bool {
    function(name).is_some_and(|function| function.has(word))
}

impl Function {
    /// Whether it has a trait: `volatile`, `clock`, `dynamic`, `dates`, `lengthens`, `spills`, `outside`, `calls`
    /// or `inexact`.
    pub fn has(&self, word: &str) -> bool {
        self.traits.contains(&word)
    }

    /// What the argument at a position, counted from 0, is for.
    pub fn role(&self, position: usize) -> Role {
        let fixed = self.roles.len() - self.repeated;
        let at = match position.checked_sub(fixed) {
            Some(beyond) if self.repeated > 0 => fixed + beyond % self.repeated,
            _ => position,
        };
        self.roles.get(at).copied().unwrap_or(Role::Any)
    }
}

fn row(line: &'static str) -> Option<(&'static str, Function)> {
    let mut columns = line.split('\t');
    let name = columns.next()?;
    let prefix = columns.next()?;
    let (least, most) = columns.next()?.split_once('-')?;
    let traits = columns.next()?.split_whitespace().collect();
    let returns = match columns.next()? {
        "number" => Returns::Number,
        "date" => Returns::Date,
        "text" => Returns::Text,
        "bool" => Returns::Bool,
        _ => Returns::Any,
    };
    let words: Vec<&str> = columns.next()?.split_whitespace().collect();
    let repeated = words.iter().filter(|word| word.ends_with('*')).count();
    let roles = words.iter().map(|word| role(word.trim_end_matches('*'))).collect();
    let errors = columns.next()?.split_whitespace().map(CellError::from_text).collect();
    let limits = columns.next()?.split_whitespace().collect();
    let computed = columns.next()? == "yes";
    let (least, most) = (least.parse().ok()?, most.parse().ok());
    Some((name, Function { prefix, least, most, returns, errors, limits, computed, traits, roles, repeated }))
}

fn role(word: &str) -> Role {
    match word {
        "branch" => Role::Branch,
        "number" => Role::Number,
        "moment" => Role::Moment,
        "step" => Role::Step,
        "whole" => Role::Whole,
        "length" => Role::Length,
        "count" => Role::Count,
        "year" => Role::Year,
        "date" => Role::Date,
        "day" => Role::Day,
        "text" => Role::Text,
        "content" => Role::Content,
        "numeral" => Role::Numeral,
        "datetext" => Role::DateText,
        "timetext" => Role::TimeText,
        "logical" => Role::Logical,
        "truth" => Role::Truth,
        "values" => Role::Values,
        "pairs" => Role::Pairs,
        "among" => Role::Among,
        "criterion" => Role::Criterion,
        "key" => Role::Key,
        "table" => Role::Table,
        "format" => Role::Format,
        "cells" => Role::Cells,
        _ => Role::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read() {
        for line in include_str!("functions.tsv").lines().skip(1) {
            assert!(row(line).is_some(), "{line}");
            assert_eq!(line.split('\t').count(), 9, "{line}");
        }
        let names: Vec<&str> =
            include_str!("functions.tsv").lines().skip(1).filter_map(|l| l.split('\t').next()).collect();
        assert!(names.is_sorted(), "rows are in order of their names");
    }

    #[test]
    fn the_last_roles_repeat() {
        let sumifs = function("SUMIFS").map(|sumifs| [0, 1, 2, 3, 4].map(|at| sumifs.role(at)));
        assert_eq!(sumifs, Some([Role::Values, Role::Among, Role::Criterion, Role::Among, Role::Criterion]));
    }
}
