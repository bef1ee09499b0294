//! One reference as written: the sheets in front of it, the area, and which of its edges are fixed
//! by `$`.

use std::fmt;

use jig_file_api::address::{CellRange, CellRef, ColumnName, MAX_COLUMN, MAX_ROW, column_number};

/// A reference to cells, such as `A1`, `'My Sheet'!$A:$C` or `[1]Sheet1!B2:B9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The sheet part, when there is one.
    pub prefix: Option<Prefix<'a>>,
    /// The cells.
    pub target: Target,
}

/// What a reference points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Cells of the grid.
    Area(Area),
    /// `Sheet1!#REF!`: cells that were deleted.
    Lost,
}

/// The sheet part of a reference as written, with its `!`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix<'a> {
    text: &'a str,
}

/// What a sheet part names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheets {
    /// Another workbook: `1` of `[1]Sheet1!`, with its folder when one is written.
    pub book: Option<String>,
    /// The sheet, or the first one of `Jan:Dec!`. Empty in `[1]!Name`.
    pub first: String,
    /// The last sheet of `Jan:Dec!`.
    pub last: Option<String>,
}

impl<'a> Prefix<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// The part as written, `!` included.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The names in it, without quotes. `[0]` is the workbook itself, and `[0]!Rate` has an empty sheet name.
    pub fn sheets(self) -> Sheets {
        let text = self.text.strip_suffix('!').unwrap_or(self.text);
        let quoted = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        let plain = quoted.map_or_else(|| text.to_owned(), |text| text.replace("''", "'"));
        let (book, names) = match plain.rsplit_once(']') {
            Some((book, names)) => (Some(book.replacen('[', "", 1)), names),
            None => (None, plain.as_str()),
        };
        let book = book.filter(|book| book != "0");
        match names.split_once(':') {
            Some((first, last)) => Sheets { book, first: first.to_owned(), last: Some(last.to_owned()) },
            None => Sheets { book, first: names.to_owned(), last: None },
        }
    }
}

/// A row or column as written: its number, and whether `$` fixes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The number, from 1.
    pub at: u32,
    /// Whether it is written with `$`.
    pub fixed: bool,
}

/// Two edges in the order they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The edge left of the colon.
    pub first: Edge,
    /// The edge right of the colon; equal to `first` for a single cell.
    pub last: Edge,
}

/// The cells of a reference: `B2`, `A1:C3`, whole columns `A:C` (no rows) or whole rows `1:3` (no columns).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    pub(crate) rows: Option<Span>,
    pub(crate) cols: Option<Span>,
    pub(crate) single: bool,
}

impl Area {
    /// The rows; `None` for whole columns.
    pub fn rows(&self) -> Option<Span> {
        self.rows
    }

    /// The columns; `None` for whole rows.
    pub fn columns(&self) -> Option<Span> {
        self.cols
    }

    /// The rectangle of cells.
    pub fn range(&self) -> Option<CellRange> {
        let (top, bottom) = self.rows.map_or((1, MAX_ROW), |rows| (rows.first.at, rows.last.at));
        let (left, right) = self.cols.map_or((1, MAX_COLUMN), |cols| (cols.first.at, cols.last.at));
        Some(CellRange::new(CellRef::new(top, left)?, CellRef::new(bottom, right)?))
    }

    /// Reads an area at the start of `text`; gives it with its length in bytes.
    pub(crate) fn read(text: &str) -> Option<(Self, usize)> {
        let (first, first_length) = Half::read(text)?;
        let after = text.get(first_length..)?;
        let last = after.strip_prefix(':').and_then(Half::read);
        if let Some((last, last_length)) = last
            && let length = first_length + 1 + last_length
            && ends_here(text, length)
            && let Some(area) = Self::between(first, last)
        {
            return Some((area, length));
        }
        let area = Self { rows: Some(Span::one(first.row?)), cols: Some(Span::one(first.col?)), single: true };
        ends_here(text, first_length).then_some((area, first_length))
    }

    fn between(first: Half, last: Half) -> Option<Self> {
        let rows = pair(first.row, last.row)?;
        let cols = pair(first.col, last.col)?;
        Some(Self { rows, cols, single: false })
    }
}

/// Both edges, or none of them: one alone is not a range.
fn pair(first: Option<Edge>, last: Option<Edge>) -> Option<Option<Span>> {
    match (first, last) {
        (Some(first), Some(last)) => Some(Some(Span { first, last })),
        (None, None) => Some(None),
        _ => None,
    }
}

impl Span {
    fn one(edge: Edge) -> Self {
        Self { first: edge, last: edge }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = |f: &mut fmt::Formatter<'_>, side: fn(Span) -> Edge| {
            if let Some(cols) = self.cols {
                let edge = side(cols);
                write!(f, "{}{}", anchor(edge), ColumnName(edge.at))?;
            }
            if let Some(rows) = self.rows {
                let edge = side(rows);
                write!(f, "{}{}", anchor(edge), edge.at)?;
            }
            Ok(())
        };
        half(f, |span| span.first)?;
        if self.single {
            return Ok(());
        }
        f.write_str(":")?;
        half(f, |span| span.last)
    }
}

fn anchor(edge: Edge) -> &'static str {
    if edge.fixed { "$" } else { "" }
}

/// One side of the colon: a cell, a column or a row.
#[derive(Clone, Copy)]
struct Half {
    row: Option<Edge>,
    col: Option<Edge>,
}

impl Half {
    fn read(text: &str) -> Option<(Self, usize)> {
        let (col, after) = read_edge(text, |b| b.is_ascii_alphabetic(), column_number);
        let (row, rest) = read_edge(after, |b| b.is_ascii_digit(), row_number);
        (col.is_some() || row.is_some()).then_some((Self { row, col }, text.len() - rest.len()))
    }
}

fn read_edge(text: &str, part: fn(u8) -> bool, number: fn(&str) -> Option<u32>) -> (Option<Edge>, &str) {
    let plain = text.strip_prefix('$');
    let rest = plain.unwrap_or(text);
    let length = rest.bytes().take_while(|b| part(*b)).count();
    let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    match number(word) {
        Some(at) => (Some(Edge { at, fixed: plain.is_some() }), after),
        None => (None, text),
    }
}

fn row_number(digits: &str) -> Option<u32> {
    let plausible = !digits.starts_with('0') && digits.len() <= 7;
    digits.parse().ok().filter(|row| plausible && (1..=MAX_ROW).contains(row))
}

/// Whether an address may end at this position: what follows must not make it part of a longer word,
/// a function such as `LOG10(`, a table or a sheet.
fn ends_here(text: &str, position: usize) -> bool {
    text.as_bytes().get(position).is_none_or(|byte| !is_word(*byte) && !matches!(byte, b'(' | b'[' | b'!' | b'$'))
}

/// Bytes that names, functions and unquoted sheets are made of. Every byte of a non-ASCII letter counts.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\\' | b'?') || !byte.is_ascii()
}
