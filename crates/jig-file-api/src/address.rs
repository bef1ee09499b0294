//! Addresses of cells and ranges: the only A1 parser.
//! Rows and columns count from 1, as in the file, and never leave the grid.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// The last row of a worksheet.
pub const MAX_ROW: u32 = 1_048_576;
/// The last column of a worksheet, `XFD`.
pub const MAX_COLUMN: u32 = 16_384;

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text is empty.
    #[error("an address is missing; write it like `B2` or `A1:C3`")]
    Empty,
    /// The text has not the form of an address.
    #[error("`{text}` is not a {expected}")]
    Form {
        /// What was given.
        text: String,
        /// What it should be, with an example.
        expected: &'static str,
    },
    /// The row is 0 or past the last one.
    #[error("`{text}`: row {row} does not exist; rows go from 1 to {MAX_ROW}")]
    Row {
        /// What was given.
        text: String,
        /// Its digits.
        row: String,
    },
    /// The column is past `XFD`.
    #[error("`{text}`: column {column} does not exist; columns go from A to XFD")]
    Column {
        /// What was given.
        text: String,
        /// Its letters.
        column: String,
    },
}

/// One cell: row 1 to [`MAX_ROW`], column 1 to [`MAX_COLUMN`]. Ordered by row, then by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRef {
    row: u32,
    col: u32,
}

impl CellRef {
    /// The cell at a row and a column, unless that is outside the grid.
    pub fn new(row: u32, col: u32) -> Option<Self> {
        let inside = (1..=MAX_ROW).contains(&row) && (1..=MAX_COLUMN).contains(&col);
        inside.then_some(Self { row, col })
    }

    /// Reads `B2` as files write it: without anchors. A sheet has an address in every cell, so this reports no reason.
    pub fn from_ascii(bytes: &[u8]) -> Option<Self> {
        let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (letters, digits) = bytes.split_at_checked(letters)?;
        Self::new(row_of(digits)?, column_of(letters)?)
    }

    /// The row, from 1.
    pub fn row(self) -> u32 {
        self.row
    }

    /// The column, from 1.
    pub fn col(self) -> u32 {
        self.col
    }
}

impl fmt::Display for CellRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", ColumnName(self.col), self.row)
    }
}

impl FromStr for CellRef {
    type Err = AddressError;

    /// Reads `B2`, also with anchors (`$B$2`) and in lower case.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        match Corner::parse(text, "cell; write it like `B2`")? {
            Corner { row: Some(row), col: Some(col) } => Ok(Self { row, col }),
            _ => Err(form(text, "cell; write it like `B2`")),
        }
    }
}

/// A rectangle of cells, both corners included; `start` is never right of or below `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRange {
    start: CellRef,
    end: CellRef,
}

impl CellRange {
    /// Every cell of a sheet.
    pub const ALL: Self = Self { start: CellRef { row: 1, col: 1 }, end: CellRef { row: MAX_ROW, col: MAX_COLUMN } };

    /// The rectangle between two corners, given in any order.
    pub fn new(a: CellRef, b: CellRef) -> Self {
        Self {
            start: CellRef { row: a.row.min(b.row), col: a.col.min(b.col) },
            end: CellRef { row: a.row.max(b.row), col: a.col.max(b.col) },
        }
    }

    /// The top left cell.
    pub fn start(self) -> CellRef {
        self.start
    }

    /// The bottom right cell.
    pub fn end(self) -> CellRef {
        self.end
    }

    /// How many rows it spans.
    pub fn rows(self) -> u32 {
        self.end.row - self.start.row + 1
    }

    /// How many columns it spans.
    pub fn columns(self) -> u32 {
        self.end.col - self.start.col + 1
    }

    /// How many cells it covers.
    pub fn cells(self) -> u64 {
        u64::from(self.rows()) * u64::from(self.columns())
    }

    /// Whether the range contains the cell.
    pub fn contains(self, cell: CellRef) -> bool {
        (self.start.row..=self.end.row).contains(&cell.row) && (self.start.col..=self.end.col).contains(&cell.col)
    }

    /// The cells that both have.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let start = CellRef { row: self.start.row.max(other.start.row), col: self.start.col.max(other.start.col) };
        let end = CellRef { row: self.end.row.min(other.end.row), col: self.end.col.min(other.end.col) };
        (start.row <= end.row && start.col <= end.col).then_some(Self { start, end })
    }

    fn all_rows(self) -> bool {
        self.start.row == 1 && self.end.row == MAX_ROW
    }

    fn all_columns(self) -> bool {
        self.start.col == 1 && self.end.col == MAX_COLUMN
    }
}

impl From<CellRef> for CellRange {
    fn from(cell: CellRef) -> Self {
        Self { start: cell, end: cell }
    }
}

impl fmt::Display for CellRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            self.start.fmt(f)
        } else if self.all_rows() {
            write!(f, "{}:{}", ColumnName(self.start.col), ColumnName(self.end.col))
        } else if self.all_columns() {
            write!(f, "{}:{}", self.start.row, self.end.row)
        } else {
            write!(f, "{}:{}", self.start, self.end)
        }
    }
}

impl FromStr for CellRange {
    type Err = AddressError;

    /// Reads `A1:C3`, `B2`, whole columns `A:C` and whole rows `1:3`, with or without anchors.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let Some((first, last)) = text.split_once(':') else {
            return text.parse::<CellRef>().map(Self::from);
        };
        let (first, last) = (Corner::parse(first, RANGE)?, Corner::parse(last, RANGE)?);
        let (a, b) = match (first, last) {
            (Corner { row: Some(r), col: Some(c) }, Corner { row: Some(s), col: Some(d) }) => ((r, c), (s, d)),
            (Corner { row: Some(r), col: None }, Corner { row: Some(s), col: None }) => ((r, 1), (s, MAX_COLUMN)),
            (Corner { row: None, col: Some(c) }, Corner { row: None, col: Some(d) }) => ((1, c), (MAX_ROW, d)),
            _ => return Err(form(text, RANGE)),
        };
        Ok(Self::new(CellRef { row: a.0, col: a.1 }, CellRef { row: b.0, col: b.1 }))
    }
}

/// Cells of a named sheet: `Budget!B2:C9` or `'My sheet'!A:A`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SheetRange {
    /// The sheet, without quotes.
    pub sheet: String,
    /// The cells on it.
    pub range: CellRange,
}

impl FromStr for SheetRange {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let without_sheet = || form(text, "place; write it like `Sheet1!B2`");
        let (sheet, cells) = split_sheet(text).filter(|(sheet, _)| !sheet.is_empty()).ok_or_else(without_sheet)?;
        Ok(Self { sheet: sheet.into_owned(), range: cells.trim().parse()? })
    }
}

/// Splits `'My sheet'!B2` into the sheet, without quotes, and the cells; `None` if no sheet is named.
pub fn split_sheet(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let (sheet, cells) = text.rsplit_once('!')?;
    let sheet = sheet.trim();
    let quoted = sheet.strip_prefix('\'').and_then(|sheet| sheet.strip_suffix('\''));
    let sheet = match quoted {
        Some(quoted) if quoted.contains("''") => Cow::Owned(quoted.replace("''", "'")),
        Some(quoted) => Cow::Borrowed(quoted),
        None => Cow::Borrowed(sheet),
    };
    Some((sheet, cells))
}

impl fmt::Display for SheetRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}!{}", quoted_sheet(&self.sheet), self.range)
    }
}

/// A sheet name as formulas write it: in quotes unless it is certain to be read without them.
pub fn quoted_sheet(name: &str) -> String {
    if needs_quotes(name) { format!("'{}'", name.replace('\'', "''")) } else { name.to_owned() }
}

/// Whether a sheet name needs quotes in a formula: all but plain ASCII words that cannot be taken for a cell (`A1`,
/// `R1C1`) or a truth value. Quotes are always allowed, so being careful costs nothing.
pub fn needs_quotes(name: &str) -> bool {
    let mut bytes = name.bytes();
    let is_word = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    // `A01` parses as a cell, but no program writes a cell that way.
    let is_cell = name.parse::<CellRef>().is_ok_and(|cell| cell.to_string().eq_ignore_ascii_case(name));
    !is_word || is_cell || is_r1c1(name) || ["TRUE", "FALSE"].iter().any(|word| name.eq_ignore_ascii_case(word))
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

const RANGE: &str = "range; write it like `A1:C3`, `A:C` or `1:3`";

/// The number of a column from its letters (`A` is 1, `XFD` is 16,384), in either case.
pub fn column_number(letters: &str) -> Option<u32> {
    column_of(letters.as_bytes())
}

fn column_of(letters: &[u8]) -> Option<u32> {
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let mut number = 0;
    for byte in letters {
        if !byte.is_ascii_alphabetic() {
            return None;
        }
        number = number * 26 + u32::from(byte.to_ascii_uppercase() - b'A') + 1;
    }
    (number <= MAX_COLUMN).then_some(number)
}

/// Writes a column number as its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnName(pub u32);

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = ['A'; 7];
        let mut rest = self.0;
        let mut used = 0;
        for letter in letters.iter_mut().rev() {
            if rest == 0 {
                break;
            }
            rest -= 1;
            *letter = char::from(b'A' + (rest % 26) as u8);
            rest /= 26;
            used += 1;
        }
        letters.iter().skip(letters.len() - used).try_for_each(|letter| write!(f, "{letter}"))
    }
}

/// Half of a range as written: a cell, a column alone or a row alone.
struct Corner {
    row: Option<u32>,
    col: Option<u32>,
}

impl Corner {
    fn parse(text: &str, expected: &'static str) -> Result<Self, AddressError> {
        if text.is_empty() {
            return Err(AddressError::Empty);
        }
        let rest = text.strip_prefix('$').unwrap_or(text);
        let letters_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (letters, rest) = rest.split_at(letters_end);
        let digits = if letters.is_empty() { rest } else { rest.strip_prefix('$').unwrap_or(rest) };
        let anchor_alone = digits.is_empty() && !rest.is_empty();
        if anchor_alone || !digits.bytes().all(|b| b.is_ascii_digit()) || (letters.is_empty() && digits.is_empty()) {
            return Err(form(text, expected));
        }
        let col = match letters {
            "" => None,
            _ => Some(
                column_number(letters)
                    .ok_or_else(|| AddressError::Column { text: text.to_owned(), column: letters.to_owned() })?,
            ),
        };
        let row = match digits {
            "" => None,
            _ => Some(
                row_of(digits.as_bytes())
                    .ok_or_else(|| AddressError::Row { text: text.to_owned(), row: digits.to_owned() })?,
            ),
        };
        Ok(Self { row, col })
    }
}

/// The number of a row from its digits, of which the last row has seven; leading zeros are accepted.
fn row_of(digits: &[u8]) -> Option<u32> {
    let mut number: u32 = 0;
    for byte in digits {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    (1..=MAX_ROW).contains(&number).then_some(number)
}

fn form(text: &str, expected: &'static str) -> AddressError {
    AddressError::Form { text: text.to_owned(), expected }
}
