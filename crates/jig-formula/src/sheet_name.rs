//! Sheet names in formulas: when they need quotes, and what renaming and deleting a sheet changes.

use super::lexer::TokenKind;
use super::reference::{Area, Prefix, Reference, Sheets};
use super::rewrite::{Fate, Rewritten, rewrite};

/// Whether two sheet names mean the same sheet; Excel ignores case.
pub fn same_sheet(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase())
}

/// A sheet name as it is written in a formula: in quotes unless it is certain to be read without them.
pub fn quoted_sheet(name: &str) -> String {
    if reads_unquoted(name) { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

/// Rewrites a formula after a sheet got another name. References to other workbooks stay.
pub fn rename_sheet<'a>(formula: &'a str, old: &str, new: &str) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(token.kind) else { return Fate::Keep };
        let mut sheets = prefix.sheets();
        if sheets.book.is_some() {
            return Fate::Keep;
        }
        let mut renamed = false;
        for name in std::iter::once(&mut sheets.first).chain(sheets.last.as_mut()) {
            if same_sheet(name, old) {
                new.clone_into(name);
                renamed = true;
            }
        }
        if renamed { Fate::Replace(with_prefix(&sheets, prefix, token.text)) } else { Fate::Keep }
    })
}

/// Rewrites a formula after a sheet was deleted: its references become `#REF!`. A reference across
/// several sheets that began or ended there now begins or ends at the neighbour; `order` is the list of
/// sheets before the deletion.
pub fn delete_sheet<'a>(formula: &'a str, deleted: &str, order: &[&str]) -> Rewritten<'a> {
    rewrite(formula, |token| {
        let Some(prefix) = prefix_of(token.kind) else { return Fate::Keep };
        let sheets = prefix.sheets();
        if sheets.book.is_some() {
            return Fate::Keep;
        }
        let hit = |name: &str| same_sheet(name, deleted);
        let remaining = match &sheets.last {
            None if hit(&sheets.first) => None,
            Some(last) if hit(&sheets.first) || hit(last) => shrink(&sheets, deleted, order),
            _ => return Fate::Keep,
        };
        match remaining {
            Some(sheets) => Fate::Replace(with_prefix(&sheets, prefix, token.text)),
            None => Fate::Lose("#REF!".to_owned()),
        }
    })
}

/// The sheets of `Jan:Dec!` without a deleted end.
fn shrink(sheets: &Sheets, deleted: &str, order: &[&str]) -> Option<Sheets> {
    let place = |name: &str| order.iter().position(|sheet| same_sheet(sheet, name));
    let last = sheets.last.as_deref()?;
    let (a, b) = (place(&sheets.first)?, place(last)?);
    let span = order.get(a.min(b)..=a.max(b))?;
    let mut left = span.iter().filter(|name| !same_sheet(name, deleted));
    let first = left.next()?;
    let last = left.next_back().map(|name| (*name).to_owned());
    Some(Sheets { book: None, first: (*first).to_owned(), last })
}

fn prefix_of(kind: TokenKind<'_>) -> Option<Prefix<'_>> {
    match kind {
        TokenKind::Reference(Reference { prefix, .. })
        | TokenKind::Name(prefix)
        | TokenKind::Function(prefix)
        | TokenKind::Structured(prefix) => prefix,
        _ => None,
    }
}

fn with_prefix(sheets: &Sheets, old: Prefix<'_>, token: &str) -> String {
    let rest = token.strip_prefix(old.text()).unwrap_or(token);
    let plain = reads_unquoted(&sheets.first) && sheets.last.as_deref().is_none_or(reads_unquoted);
    let names = match &sheets.last {
        Some(last) => format!("{}:{last}", sheets.first),
        None => sheets.first.clone(),
    };
    if plain { format!("{names}!{rest}") } else { format!("'{}'!{rest}", names.replace('\'', "''")) }
}

/// Only plain ASCII words that cannot be taken for a cell (`A1`, `R1C1`) or a truth value. Quotes are
/// always allowed, so being careful costs nothing.
fn reads_unquoted(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        && Area::read(name).is_none_or(|(_, length)| length != name.len())
        && !is_r1c1(name)
        && !["TRUE", "FALSE"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// `R`, `C`, `RC`, `R1`, `C2`, `R1C1` and the like.
fn is_r1c1(name: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let upper = name.to_ascii_uppercase();
    match upper.strip_prefix('R') {
        Some(rest) => rest.split_once('C').map_or_else(|| digits(rest), |(row, col)| digits(row) && digits(col)),
        None => upper.strip_prefix('C').is_some_and(digits),
    }
}
