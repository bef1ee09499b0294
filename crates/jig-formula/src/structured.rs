//! Structured references such as `Sales[[#This Row],[Net]]`: what they name, and which cells that is.

use crate::model::TableModel;
use crate::rewrite::same_sheet;
use jig_file_api::address::{CellRange, CellRef};

/// A structured reference taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredRef {
    /// The table; `None` inside the table itself (`[@Net]`).
    pub table: Option<String>,
    /// The parts of the table that are named; none means the data.
    pub items: Vec<Item>,
    /// The first and last column; `None` means all.
    pub columns: Option<(String, String)>,
}

/// A part of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// `#All`.
    All,
    /// `#Data`.
    Data,
    /// `#Headers`.
    Headers,
    /// `#Totals`.
    Totals,
    /// `#This Row`, or `@`.
    ThisRow,
}

impl StructuredRef {
    /// Takes the text of a [`TokenKind::Structured`](super::TokenKind::Structured) token apart.
    /// `None` when it does not follow the grammar.
    pub fn parse(text: &str) -> Option<Self> {
        let open = text.find('[')?;
        let table = text.get(..open)?.rsplit('!').next().filter(|name| !name.is_empty()).map(str::to_owned);
        let inner = text.get(open + 1..)?.strip_suffix(']')?.trim();
        let mut found = Self { table, items: Vec::new(), columns: None };
        match inner.strip_prefix('@') {
            Some(rest) => {
                found.items.push(Item::ThisRow);
                found.read_parts(rest.trim())?;
            }
            None => found.read_parts(inner)?,
        }
        Some(found)
    }

    /// The cells that a formula in `at` refers to. `None` when the table has no such column
    /// or part, or when `#This Row` is used beside the table's data.
    pub fn range(&self, table: &TableModel, at: CellRef) -> Option<CellRange> {
        let (left, right) = match &self.columns {
            None => (table.range.start().col(), table.range.end().col()),
            Some((first, last)) => (column(table, first)?, column(table, last)?),
        };
        let (top, bottom) = self.rows(table, at)?;
        Some(CellRange::new(CellRef::new(top, left)?, CellRef::new(bottom, right)?))
    }

    fn read_parts(&mut self, inner: &str) -> Option<()> {
        if !inner.starts_with('[') {
            return self.read_part(inner, false);
        }
        let mut rest = inner;
        let mut after_colon = false;
        loop {
            let end = closing(rest)?;
            self.read_part(rest.get(1..end)?, after_colon)?;
            rest = rest.get(end + 1..)?.trim_start();
            after_colon = match rest.bytes().next() {
                None => return Some(()),
                Some(b':') => true,
                Some(b',') => false,
                Some(_) => return None,
            };
            rest = rest.get(1..)?.trim_start();
        }
    }

    fn read_part(&mut self, part: &str, after_colon: bool) -> Option<()> {
        if part.is_empty() {
            return Some(());
        }
        if let Some(item) = item(part) {
            self.items.push(item);
            return Some(());
        }
        let name = unescaped(part);
        match (&mut self.columns, after_colon) {
            (Some((_, last)), true) => *last = name,
            (columns @ None, false) => *columns = Some((name.clone(), name)),
            _ => return None,
        }
        Some(())
    }

    fn rows(&self, table: &TableModel, at: CellRef) -> Option<(u32, u32)> {
        let (start, end) = (table.range.start().row(), table.range.end().row());
        let data = (start + table.header_rows, end.checked_sub(table.totals_rows)?);
        let mut rows: Option<(u32, u32)> = None;
        for item in if self.items.is_empty() { &[Item::Data] } else { self.items.as_slice() } {
            let part = match item {
                Item::All => (start, end),
                Item::Data => data,
                Item::Headers => (start, data.0 - 1),
                Item::Totals => (data.1 + 1, end),
                Item::ThisRow => (at.row(), at.row()),
            };
            let beside = *item == Item::ThisRow && !(data.0..=data.1).contains(&at.row());
            if part.0 > part.1 || beside {
                return None;
            }
            rows = Some(rows.map_or(part, |(top, bottom)| (top.min(part.0), bottom.max(part.1))));
        }
        rows
    }
}

fn column(table: &TableModel, name: &str) -> Option<u32> {
    let index = table.columns.iter().position(|column| same_sheet(column, name))?;
    let col = table.range.start().col() + u32::try_from(index).ok()?;
    (col <= table.range.end().col()).then_some(col)
}

fn item(part: &str) -> Option<Item> {
    let name = part.strip_prefix('#')?;
    let items = [
        ("All", Item::All),
        ("Data", Item::Data),
        ("Headers", Item::Headers),
        ("Totals", Item::Totals),
        ("This Row", Item::ThisRow),
    ];
    items.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, item)| *item)
}

/// Where the bracket that opens at the start closes; `'` escapes the character after it.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\'' => escaped = true,
            b']' => return Some(index),
            _ => {}
        }
    }
    None
}

fn unescaped(part: &str) -> String {
    let mut name = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        name.push(if c == '\'' { chars.next().unwrap_or(c) } else { c });
    }
    name
}
