//! Where a table begins, whether its first record names the columns, and how they are called.

use std::collections::BTreeMap;
use std::collections::HashSet;

use crate::csv::rows::Rows;
use crate::infer::{Kind, Profile, decide, looks_typed};
use crate::value::is_nothing;

/// Records above a table that are looked at.
const MOST_PREAMBLE: usize = 50;
/// The most columns. What goes beyond is kept as text in one more: the engine's time for a query grows with the square
/// of the columns, and with ten thousand of them the smallest takes longer than a query may.
pub(crate) const MOST_COLUMNS: usize = 4_096;

/// The shape of a table, told by its beginning.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The first line of the table, with its header.
    pub(crate) first_line: u64,
    pub(crate) has_header: bool,
    /// From 0 to 1.
    pub(crate) header_confidence: f64,
    pub(crate) names: Vec<String>,
    /// What a reader should know.
    pub(crate) warnings: Vec<String>,
}

/// Tells the shape of a table.
pub(crate) fn lay_out(rows: &Rows, has_header: Option<bool>) -> Layout {
    let mut warnings = Vec::new();
    let width = usual_width(rows);
    let first = preamble(rows, width, &mut warnings);
    let Some(first) = first else {
        return Layout { first_line: 1, has_header: false, header_confidence: 1.0, names: Vec::new(), warnings };
    };
    let (is_header, header_confidence) = match has_header {
        Some(known) => (known, 1.0),
        None => header(rows, first, width),
    };
    let width = trailing(rows, first, width.max(if is_header { rows.width(first) } else { 0 }), &mut warnings);
    if width > MOST_COLUMNS {
        warnings.push(format!(
            "there are {width} columns; the first {MOST_COLUMNS} are columns here, and the rest of each row is in one more, without their names"
        ));
    }
    let width = width.min(MOST_COLUMNS);
    if has_header.is_none() && header_confidence < 0.7 {
        let what = if is_header { "the first record is taken for a header" } else { "no header was found" };
        warnings.push(format!("{what}, but nothing proves it; say `has_header` when it is wrong"));
    }
    let names = names(rows, is_header.then_some(first), width, &mut warnings);
    Layout { first_line: rows.line(first), has_header: is_header, header_confidence, names, warnings }
}

/// The width that most records have; of equals the larger.
fn usual_width(rows: &Rows) -> usize {
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for row in (0..rows.len()).filter(|row| !rows.is_blank(*row)) {
        *widths.entry(rows.width(row)).or_default() += 1;
    }
    widths.into_iter().max_by_key(|(width, count)| (*count, *width)).map_or(0, |(width, _)| width)
}

/// The first record of the table: after empty lines, remarks and titles.
fn preamble(rows: &Rows, width: usize, warnings: &mut Vec<String>) -> Option<usize> {
    let filled: Vec<usize> = (0..rows.len()).filter(|row| !rows.is_blank(*row)).collect();
    let begins =
        |row: usize, with: &str| rows.cell(row, 0).is_some_and(|cell| cell.text.trim_start().starts_with(with));
    let is_above = |row: usize| {
        let narrow = width > 1 && (rows.width(row) == 1 || rows.width(row) * 2 < width);
        let remark = begins(row, "#") && (rows.width(row) < width || width == 1);
        narrow || remark || begins(row, "sep=")
    };
    let above = filled.iter().take(MOST_PREAMBLE).take_while(|row| is_above(**row)).count();
    // A file that is nothing but such lines has no table below them.
    let above = if above == filled.len() { 0 } else { above };
    if let (true, Some(from), Some(to)) = (above > 0, filled.first(), filled.get(above - usize::from(above > 0))) {
        let lines = match (rows.line(*from), rows.line(*to)) {
            (from, to) if from == to => format!("line {from} stands above the table and is"),
            (from, to) => format!("lines {from} to {to} stand above the table and are"),
        };
        warnings.push(format!("{lines} not part of it"));
    }
    filled.get(above).copied()
}

/// Whether a record names the columns, and how sure that is.
fn header(rows: &Rows, first: usize, width: usize) -> (bool, f64) {
    let cell = |column: usize| rows.cell(first, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
    let body: Vec<usize> = (first + 1..rows.len()).filter(|row| !rows.is_blank(*row)).collect();
    let columns = rows.width(first).max(width).min(256);
    if body.is_empty() {
        let named = (0..columns).all(|column| !cell(column).is_empty() && !looks_typed(&cell(column)));
        return (named, 0.7);
    }
    let (mut speaks_for, mut against) = (0usize, 0usize);
    for column in 0..columns {
        let mut profile = Profile::default();
        for row in body.iter().take(1_000) {
            if let Some(cell) = rows.cell(*row, column) {
                profile.see(&cell, 0, 0);
            }
        }
        let typed = decide(&profile).kind != Kind::Text || profile.is_mostly_typed();
        let name = cell(column);
        if !typed || name.is_empty() || is_nothing(&name) {
            continue;
        }
        let named = !looks_typed(&name) || (is_year(&name) && !profile.holds_years());
        if named { speaks_for += 1 } else { against += 1 }
    }
    match (speaks_for, against) {
        (0, 0) => header_of_texts(rows, first, &body, columns),
        (0, _) => (false, 0.9),
        (_, 0) => (true, 0.95),
        _ => (true, 0.8),
    }
}

/// Whether a name is a year: tables have columns called 2023 and 2024.
fn is_year(name: &str) -> bool {
    name.len() == 4 && name.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// With text everywhere, names differ from each other and from what is below them.
fn header_of_texts(rows: &Rows, first: usize, body: &[usize], columns: usize) -> (bool, f64) {
    let mut seen = HashSet::new();
    let mut words = 0usize;
    for column in 0..columns {
        let name = rows.cell(first, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
        let text = |row: &usize| rows.cell(*row, column).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
        let below = |row: &usize| text(row) == name;
        let trailing = name.is_empty() && column + 1 == columns && columns > 1;
        // A number above texts is a name, as in `district,2018`; above other numbers it is one of them.
        let typed = looks_typed(&name);
        let one_of_them = typed && body.iter().any(|row| looks_typed(&text(row)));
        words += usize::from(!typed);
        if !trailing && (name.is_empty() || one_of_them || !seen.insert(name.to_lowercase()) || body.iter().any(below))
        {
            return (false, 0.6);
        }
    }
    (words > 0, 0.6)
}

/// Takes off a last column that is never filled: a delimiter at the end of each line.
fn trailing(rows: &Rows, first: usize, width: usize, warnings: &mut Vec<String>) -> usize {
    if width < 2 || rows.len() - first < 2 {
        return width;
    }
    let empty = |row: usize| rows.cell(row, width - 1).is_none_or(|cell| cell.is_missing());
    let there = (first..rows.len()).any(|row| rows.width(row) >= width);
    if there && (first..rows.len()).all(empty) && rows.width(first) >= width {
        warnings.push("each line ends with a delimiter; the empty column after it is left out".to_owned());
        return width - 1;
    }
    width
}

fn names(rows: &Rows, header: Option<usize>, width: usize, warnings: &mut Vec<String>) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(width);
    let (mut empty, mut twice) = (Vec::new(), Vec::new());
    for column in 0..width {
        let given = header.and_then(|row| rows.cell(row, column)).map(|cell| tidy(&cell.text)).unwrap_or_default();
        let wanted = if given.is_empty() { format!("column_{}", column + 1) } else { given.clone() };
        let name = fresh(&wanted, &mut used);
        if header.is_some() && given.is_empty() {
            empty.push(name.clone());
        } else if name != wanted {
            twice.push(format!("`{wanted}` → `{name}`"));
        }
        names.push(name);
    }
    if !empty.is_empty() {
        warnings.push(format!("{} without a name: {}", count(empty.len(), "column"), few(&empty)));
    }
    if !twice.is_empty() {
        warnings.push(format!("{} twice and renamed: {}", count(twice.len(), "name"), few(&twice)));
    }
    names
}

/// A name that is not used yet. Names are compared as SQL does: without case.
pub(crate) fn fresh(wanted: &str, used: &mut HashSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !used.insert(name.to_lowercase()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| *c != '\0').take(200).collect()
}

/// "3 columns".
pub(crate) fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// The first few of a list.
pub(crate) fn few(list: &[String]) -> String {
    const FEW: usize = 5;
    let shown = list.iter().take(FEW).map(String::as_str).collect::<Vec<_>>().join(", ");
    if list.len() > FEW { format!("{shown} and {} more", list.len() - FEW) } else { shown }
}
