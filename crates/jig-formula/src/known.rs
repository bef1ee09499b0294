//! The values of cells while a calculation runs, and what kinds of values ranges have.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::model::{CellError, CellKey, CellValue};
use jig_file_api::address::{CellRange, CellRef};

/// All values that formulas read, and those that are computed so far.
#[derive(Default)]
pub(crate) struct Known {
    /// Cells by column, then row, for each sheet.
    sheets: Vec<BTreeMap<(u32, u32), CellValue>>,
    kinds: RefCell<HashMap<(usize, CellRange), Rc<RangeKinds>>>,
}

/// Which kinds of values a range has.
#[derive(Debug, Clone, Default)]
pub(crate) struct RangeKinds {
    pub(crate) blank: bool,
    pub(crate) empty_text: bool,
    pub(crate) number_text: bool,
    pub(crate) text: bool,
    pub(crate) bool: bool,
    /// Some of the numbers: the least, the greatest, and one of each kind that matters.
    pub(crate) numbers: Vec<f64>,
    pub(crate) errors: Vec<CellError>,
}

impl Known {
    pub(crate) fn insert(&mut self, key: CellKey, value: CellValue) {
        if self.sheets.len() <= key.sheet {
            self.sheets.resize_with(key.sheet + 1, BTreeMap::new);
        }
        if let Some(cells) = self.sheets.get_mut(key.sheet) {
            cells.insert((key.cell.col(), key.cell.row()), value);
        }
    }

    /// The value of a cell; a cell that is not known is empty.
    pub(crate) fn value(&self, key: CellKey) -> CellValue {
        let cells = self.sheets.get(key.sheet);
        cells.and_then(|cells| cells.get(&(key.cell.col(), key.cell.row()))).cloned().unwrap_or(CellValue::Empty)
    }

    /// The values of a row or column in order, without the empty cells behind the last one; none when there are gaps.
    pub(crate) fn line(&self, sheet: usize, range: CellRange) -> Option<Vec<CellValue>> {
        let cells = self.sheets.get(sheet)?;
        let (start, end) = (range.start(), range.end());
        let columns = start.col()..=end.col();
        let filled = columns.take_while(|_| range.columns() == 1 || range.rows() == 1).flat_map(|col| {
            let rows = cells.range((col, start.row())..=(col, end.row()));
            rows.filter(|(_, value)| **value != CellValue::Empty)
        });
        let mut values = Vec::new();
        for (((col, row), value), expected) in filled.zip(0..) {
            let at = if range.columns() == 1 { row - start.row() } else { col - start.col() };
            if at != expected {
                return None;
            }
            values.push(value.clone());
        }
        Some(values)
    }

    pub(crate) fn kinds(&self, sheet: usize, range: CellRange) -> Rc<RangeKinds> {
        if let Some(found) = self.kinds.borrow().get(&(sheet, range)) {
            return found.clone();
        }
        let found = Rc::new(self.kinds_of(sheet, range));
        self.kinds.borrow_mut().insert((sheet, range), found.clone());
        found
    }

    fn kinds_of(&self, sheet: usize, range: CellRange) -> RangeKinds {
        let mut kinds = RangeKinds::default();
        let mut filled = 0_u64;
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut fraction, mut long) = (None, None);
        for value in self.in_range(sheet, range) {
            filled += u64::from(*value != CellValue::Empty);
            match value {
                CellValue::Empty => {}
                CellValue::Number(number) => {
                    least = least.min(*number);
                    greatest = greatest.max(*number);
                    if number.fract() != 0.0 {
                        fraction = Some(*number);
                        long = long.or(Some(*number).filter(|number| !is_short(*number)));
                    }
                }
                CellValue::Text(text) if text.is_empty() => kinds.empty_text = true,
                CellValue::Text(text) if looks_like_number(text) => kinds.number_text = true,
                CellValue::Text(_) => kinds.text = true,
                CellValue::Bool(_) => kinds.bool = true,
                CellValue::Error(error) if !kinds.errors.contains(error) => kinds.errors.push(*error),
                CellValue::Error(_) => {}
            }
        }
        kinds.blank = filled < range.cells();
        if least <= greatest {
            kinds.numbers.extend([least, greatest].into_iter().chain(fraction).chain(long));
        }
        kinds
    }

    fn in_range(&self, sheet: usize, range: CellRange) -> impl Iterator<Item = &CellValue> {
        let (start, end) = (range.start(), range.end());
        let columns = start.col()..=end.col();
        let cells = self.sheets.get(sheet);
        let columns = cells.into_iter().flat_map(move |cells| {
            // Columns without cells are passed over: a range can be as wide as the sheet.
            let last = cells.keys().next_back().map_or(0, |(col, _)| *col);
            columns.clone().take_while(move |col| *col <= last).map(move |col| (cells, col))
        });
        columns.flat_map(move |(cells, col)| cells.range((col, start.row())..=(col, end.row())).map(|(_, value)| value))
    }
}

/// Whether programs show all digits of a number when it becomes text.
pub(crate) fn is_short(number: f64) -> bool {
    format!("{number:.14e}").parse() == Ok(number)
}

/// Whether programs may take a text for a number, a date or a time.
pub(crate) fn looks_like_number(text: &str) -> bool {
    let text = text.trim();
    text.parse::<f64>().is_ok_and(f64::is_finite)
        || (text.contains(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || " .,:/-+%$€£()eE".contains(c)))
}

/// The one line of a range that is a row or a column.
pub(crate) fn line_of(range: CellRange) -> Option<CellRange> {
    (range.rows() == 1 || range.columns() == 1).then_some(range)
}

/// The cell in the last row of a range's first column, or in the last column of its first row.
pub(crate) fn first_line(range: CellRange, column: bool) -> Option<CellRange> {
    let (start, end) = (range.start(), range.end());
    let corner = if column { CellRef::new(end.row(), start.col()) } else { CellRef::new(start.row(), end.col()) };
    Some(CellRange::new(start, corner?))
}
