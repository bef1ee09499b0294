//! The functions that are computed, as data: `functions.tsv` has one row for each. A function that is not listed there
//! as allowed is never computed. Its limits name the shapes of arguments with which results differ between programs or
//! from what the engine computes; the recorded cases under `tests/functions` decide both.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Whether it is computed at all.
    pub(super) allowed: bool,
    /// Whether its result depends on the day dates count from.
    pub(super) dates: bool,
    /// What it gives.
    pub(super) returns: Returns,
    /// Shapes of arguments with which it is not computed, such as `2:blank`: the second argument is an empty cell.
    pub(super) limits: Vec<String>,
}

/// The type of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    Number,
    Text,
    Bool,
    Any,
}

static TABLE: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| parse(include_str!("functions.tsv")));

/// The row of a function; its name is in upper case and without prefix.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    TABLE.get(name)
}

fn parse(text: &'static str) -> HashMap<&'static str, Function> {
    text.lines().skip(1).filter_map(row).collect()
}

/// Columns: name, returns, dates, allowed, limits.
fn row(line: &'static str) -> Option<(&'static str, Function)> {
    let mut columns = line.split('\t');
    let name = columns.next()?;
    let returns = match columns.next()? {
        "number" => Returns::Number,
        "text" => Returns::Text,
        "bool" => Returns::Bool,
        _ => Returns::Any,
    };
    let dates = columns.next()? == "yes";
    let allowed = columns.next()? == "yes";
    let limits = columns.next().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    Some((name, Function { allowed, dates, returns, limits }))
}
