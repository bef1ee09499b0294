//! The functions of spreadsheets, as data: `functions.tsv` has one row for each and is the only list of functions.
//!
//! | column | meaning |
//! |---|---|
//! | `name` | in upper case, without prefix |
//! | `prefix` | what files write in front of newer functions |
//! | `arguments` | the least and the greatest number of arguments |
//! | `traits` | see [`FunctionTrait`] |
//! | `many` | the arguments that may be many values, counted from 1: `1 3-`, `even`, `odd` |
//! | `elementwise` | the arguments within which Excel computes with each value of a range, in an ordinary formula too |
//! | `returns` | see [`Returns`] |
//! | `roles` | see [`Role`]; the last ones, with `*`, repeat |
//! | `errors` | errors that the function gives by itself and on which programs agree |
//! | `limits` | kinds of values that no argument may have |
//! | `allowed` | `yes` if the function is computed: recorded results decide (`tests/functions`) |

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::model::CellError;

/// The rows of `functions.tsv` by name.
#[derive(Debug)]
pub struct FunctionTable {
    rows: HashMap<&'static str, Function>,
}

static TABLE: LazyLock<FunctionTable> =
    LazyLock::new(|| FunctionTable { rows: include_str!("functions.tsv").lines().skip(1).filter_map(row).collect() });

impl FunctionTable {
    /// The row of a function; the name is in upper case and without prefix.
    pub fn get(name: &str) -> Option<&'static Function> {
        TABLE.rows.get(name)
    }

    /// The names of all functions that are computed, in order.
    pub fn allowed() -> Vec<&'static str> {
        let allowed = TABLE.rows.iter().filter(|(_, function)| function.allowed);
        let mut names: Vec<&'static str> = allowed.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Whether a function has a trait. An unknown function has none.
    pub fn has(name: &str, wanted: FunctionTrait) -> bool {
        Self::get(name).is_some_and(|function| function.has(wanted))
    }
}

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
    /// Errors that it gives by itself and on which programs agree.
    pub errors: Vec<CellError>,
    /// Kinds of values that none of its arguments may have.
    pub limits: Vec<&'static str>,
    /// Whether it is computed.
    pub allowed: bool,
    traits: u32,
    many: Vec<Positions>,
    elementwise: Vec<Positions>,
    roles: Vec<Role>,
    /// How many of the last roles repeat.
    repeated: usize,
}

/// A property of a function. The word is that of the column `traits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionTrait {
    /// `absorbs-errors`: gives a value for an argument that is an error.
    AbsorbsErrors,
    /// `array`: works on entire arrays, cell by cell, empty ones included.
    Array,
    /// `calls`: calls a function that it gets as an argument.
    Calls,
    /// `clock`: depends on the time or on chance.
    Clock,
    /// `counts-cells`: counts the cells of a range, empty ones too.
    CountsCells,
    /// `criteria`: chooses cells by criteria.
    Criteria,
    /// `dates`: depends on the day from which dates count.
    Dates,
    /// `dynamic`: reads cells that the formula does not name.
    Dynamic,
    /// `formula-text`: shows a formula, which may read another way after an edit.
    FormulaText,
    /// `inexact`: the last digits depend on how a program computes it.
    Inexact,
    /// `lengthens`: can give a text longer than those it gets.
    Lengthens,
    /// `never-one-cell`: the engine does not take one cell of a range where Excel does.
    NeverOneCell,
    /// `outside`: reaches the network, the system or a data source.
    Outside,
    /// `passes-arrays`: gives many values for many.
    PassesArrays,
    /// `per-value`: a function of one value that the engine computes for each of many.
    PerValue,
    /// `position`: depends on where a cell is.
    Position,
    /// `predicate`: tests its argument and gives a truth value, never an error.
    Predicate,
    /// `searches`: searches a range for every element of another, or joins two ranges crosswise.
    Searches,
    /// `sheet-list`: depends on which sheets there are.
    SheetList,
    /// `skips-blanks`: passes over empty cells.
    SkipsBlanks,
    /// `skips-tail`: empty cells behind the last used one change nothing.
    SkipsTail,
    /// `spans-sheets`: takes the same cells of several sheets (`Jan:Dec!A1`) as so many arguments.
    SpansSheets,
    /// `spills`: its result may fill several cells.
    Spills,
    /// `subtotal`: leaves out the other functions with this trait in its ranges.
    Subtotal,
    /// `volatile`: its value can change though nothing it names does.
    Volatile,
}

const TRAITS: [(&str, FunctionTrait); 25] = [
    ("absorbs-errors", FunctionTrait::AbsorbsErrors),
    ("array", FunctionTrait::Array),
    ("calls", FunctionTrait::Calls),
    ("clock", FunctionTrait::Clock),
    ("counts-cells", FunctionTrait::CountsCells),
    ("criteria", FunctionTrait::Criteria),
    ("dates", FunctionTrait::Dates),
    ("dynamic", FunctionTrait::Dynamic),
    ("formula-text", FunctionTrait::FormulaText),
    ("inexact", FunctionTrait::Inexact),
    ("lengthens", FunctionTrait::Lengthens),
    ("never-one-cell", FunctionTrait::NeverOneCell),
    ("outside", FunctionTrait::Outside),
    ("passes-arrays", FunctionTrait::PassesArrays),
    ("per-value", FunctionTrait::PerValue),
    ("position", FunctionTrait::Position),
    ("predicate", FunctionTrait::Predicate),
    ("searches", FunctionTrait::Searches),
    ("sheet-list", FunctionTrait::SheetList),
    ("skips-blanks", FunctionTrait::SkipsBlanks),
    ("skips-tail", FunctionTrait::SkipsTail),
    ("spans-sheets", FunctionTrait::SpansSheets),
    ("spills", FunctionTrait::Spills),
    ("subtotal", FunctionTrait::Subtotal),
    ("volatile", FunctionTrait::Volatile),
];

/// Positions of arguments, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Positions {
    Odd,
    Even,
    From(usize),
    Between(usize, usize),
}

impl Positions {
    fn read(word: &str) -> Option<Self> {
        match (word, word.split_once('-')) {
            ("odd", _) => Some(Self::Odd),
            ("even", _) => Some(Self::Even),
            (_, Some((first, ""))) => first.parse().ok().map(Self::From),
            (_, Some((first, last))) => Some(Self::Between(first.parse().ok()?, last.parse().ok()?)),
            (single, None) => single.parse().ok().map(|at| Self::Between(at, at)),
        }
    }

    fn include(self, position: usize) -> bool {
        match self {
            Self::Odd => !position.is_multiple_of(2),
            Self::Even => position.is_multiple_of(2),
            Self::From(first) => position >= first,
            Self::Between(first, last) => (first..=last).contains(&position),
        }
    }
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
    /// A whole number of at most 32,767, or as much below zero.
    Short,
    /// A number of digits before or behind the point: a whole number from -15 to 15.
    Digits,
    /// A number of decimals: a whole number from 0 to 15.
    Places,
    /// An interest rate of at most 1.
    Rate,
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

impl Function {
    /// Whether it has a trait.
    pub fn has(&self, wanted: FunctionTrait) -> bool {
        self.traits & (1 << wanted as u32) != 0
    }

    /// Whether the argument at a position, counted from 0, may be many values.
    pub fn takes_many(&self, position: usize) -> bool {
        self.many.iter().any(|positions| positions.include(position + 1))
    }

    /// Whether Excel computes with each value of a range within the argument at a position, counted from 0, in an
    /// ordinary formula too.
    pub fn is_elementwise(&self, position: usize) -> bool {
        self.has(FunctionTrait::Array) || self.elementwise.iter().any(|positions| positions.include(position + 1))
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

/// A row of the table; `None` if it is not well formed, which a test excludes.
fn row(line: &'static str) -> Option<(&'static str, Function)> {
    let mut columns = line.split('\t');
    let name = columns.next()?;
    let prefix = columns.next()?;
    let (least, most) = columns.next()?.split_once('-')?;
    let traits = columns.next()?.split_whitespace().try_fold(0, |traits, word| Some(traits | trait_bit(word)?))?;
    let many = positions(columns.next()?)?;
    let elementwise = positions(columns.next()?)?;
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
    let allowed = columns.next()? == "yes";
    let (least, most) = (least.parse().ok()?, most.parse().ok());
    let function =
        Function { prefix, least, most, returns, errors, limits, allowed, traits, many, elementwise, roles, repeated };
    Some((name, function))
}

fn trait_bit(word: &str) -> Option<u32> {
    TRAITS.iter().find(|(known, _)| *known == word).map(|(_, wanted)| 1 << *wanted as u32)
}

fn positions(words: &str) -> Option<Vec<Positions>> {
    words.split_whitespace().map(Positions::read).collect()
}

fn role(word: &str) -> Role {
    match word {
        "branch" => Role::Branch,
        "number" => Role::Number,
        "moment" => Role::Moment,
        "step" => Role::Step,
        "whole" => Role::Whole,
        "short" => Role::Short,
        "digits" => Role::Digits,
        "places" => Role::Places,
        "rate" => Role::Rate,
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
            assert_eq!(line.split('\t').count(), 11, "{line}");
        }
        let names: Vec<&str> =
            include_str!("functions.tsv").lines().skip(1).filter_map(|l| l.split('\t').next()).collect();
        assert!(names.is_sorted(), "rows are in order of their names");
    }

    #[test]
    fn the_last_roles_repeat() {
        let sumifs = FunctionTable::get("SUMIFS").map(|sumifs| [0, 1, 2, 3, 4].map(|at| sumifs.role(at)));
        assert_eq!(sumifs, Some([Role::Values, Role::Among, Role::Criterion, Role::Among, Role::Criterion]));
    }

    #[test]
    fn positions_count_from_one_in_the_table() {
        let many = |name: &str| FunctionTable::get(name).map(|known| [0, 1, 2, 3].map(|at| known.takes_many(at)));
        assert_eq!(many("SUM"), Some([true; 4]));
        assert_eq!(many("SUMIF"), Some([true, false, true, true]));
        assert_eq!(many("SUMIFS"), Some([true, true, false, true]));
        assert_eq!(many("COUNTIFS"), Some([true, false, true, false]));
        assert_eq!(many("ABS"), Some([false; 4]));
        let within = |name: &str| FunctionTable::get(name).map(|known| [0, 1].map(|at| known.is_elementwise(at)));
        assert_eq!(within("INDEX"), Some([true, false]));
        assert_eq!(within("SUMPRODUCT"), Some([true, true]));
    }
}
