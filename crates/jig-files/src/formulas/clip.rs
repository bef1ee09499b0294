//! Whole columns and rows cut to the rows and columns that are in use, where the empty rest cannot matter:
//! the engine looks at every one of a million cells, empty or not.

use std::borrow::Cow;

use jig_ooxml::xlsx::address::{ColumnName, MAX_COLUMN, MAX_ROW};
use jig_ooxml::xlsx::formula::{Area, Prefix, Reference, Target, Token, TokenKind, tokens};

use super::book::Book;

/// Functions for which empty cells behind the last used one change nothing.
const BLIND_TO_EMPTY: [&str; 26] = [
    "AVERAGE",
    "AVERAGEIF",
    "AVERAGEIFS",
    "COUNT",
    "COUNTA",
    "HLOOKUP",
    "LARGE",
    "LOOKUP",
    "MATCH",
    "MAX",
    "MAXIFS",
    "MEDIAN",
    "MIN",
    "MINIFS",
    "PRODUCT",
    "SMALL",
    "STDEV",
    "STDEV.S",
    "SUM",
    "SUMIF",
    "SUMIFS",
    "SUMSQ",
    "VAR",
    "VLOOKUP",
    "XLOOKUP",
    "XMATCH",
];

/// Functions that count empty cells when the criterion asks for them.
const COUNTS: [&str; 2] = ["COUNTIF", "COUNTIFS"];

/// The formula with whole columns and rows cut where that is safe.
pub(super) fn clip<'a>(book: &Book<'_>, text: &'a str) -> Cow<'a, str> {
    let all: Vec<Token<'a>> = tokens(text).filter(|token| token.kind != TokenKind::Space).collect();
    let areas = || all.iter().filter_map(|token| area(token.kind));
    // Ranges of one call must keep one size, so nothing is cut beside a range that ends at the last row.
    let long = |area: Area| area.rows().is_some_and(|rows| rows.first.at.max(rows.last.at) > MAX_ROW / 2);
    if !areas().any(|area| is_whole(&area)) || areas().any(long) {
        return Cow::Borrowed(text);
    }
    let counts_safely = areas().all(|area| is_whole(&area))
        && !all.iter().any(|token| {
            let text = token.text;
            token.kind == TokenKind::Text && (text == "\"\"" || text.starts_with("\"<>") || text.starts_with("\"="))
        });
    let safe = |function: &str| BLIND_TO_EMPTY.contains(&function) || (counts_safely && COUNTS.contains(&function));
    let mut written = String::with_capacity(text.len());
    let mut copied = 0;
    let mut calls: Vec<String> = Vec::new();
    for (index, token) in all.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| all.get(before));
        match token.kind {
            TokenKind::Open => calls.push(called(before)),
            TokenKind::Close => {
                calls.pop();
            }
            TokenKind::Reference(Reference { prefix, target: Target::Area(area) }) if is_whole(&area) => {
                let alone = before.is_some_and(|token| matches!(token.kind, TokenKind::Open | TokenKind::Separator))
                    && all.get(index + 1).is_some_and(|t| matches!(t.kind, TokenKind::Close | TokenKind::Separator));
                if alone && calls.last().is_some_and(|call| safe(call)) {
                    written.push_str(text.get(copied..token.start).unwrap_or(""));
                    written.push_str(prefix.map_or("", Prefix::text));
                    written.push_str(&cut(book, &area));
                    copied = token.start + token.text.len();
                }
            }
            _ => {}
        }
    }
    written.push_str(text.get(copied..).unwrap_or(""));
    Cow::Owned(written)
}

fn area(kind: TokenKind<'_>) -> Option<Area> {
    match kind {
        TokenKind::Reference(Reference { target: Target::Area(area), .. }) => Some(area),
        _ => None,
    }
}

fn is_whole(area: &Area) -> bool {
    area.rows().is_none() || area.columns().is_none()
}

/// The function whose bracket opens, in upper case; nothing for a bracket of its own.
fn called(before: Option<&Token<'_>>) -> String {
    match before {
        Some(token) if matches!(token.kind, TokenKind::Function(_)) => token.text.to_ascii_uppercase(),
        _ => String::new(),
    }
}

/// Up to the last row and column in use on any sheet, so that ranges on several sheets keep one size.
fn cut(book: &Book<'_>, area: &Area) -> String {
    let ends = book.model.sheets.iter().filter_map(|sheet| sheet.used()).map(|used| used.end());
    let (row, col) = ends.fold((1, 1), |(row, col), end| (row.max(end.row()), col.max(end.col())));
    let (top, bottom) = area.rows().map_or((1, row.min(MAX_ROW)), |rows| (rows.first.at, rows.last.at));
    let (left, right) = area.columns().map_or((1, col.min(MAX_COLUMN)), |cols| (cols.first.at, cols.last.at));
    format!("{}{top}:{}{bottom}", ColumnName(left), ColumnName(right))
}
