//! Ranges that hold all filled cells and little else: what they span is bounded by the cells that there are, however
//! far apart those lie.

use crate::xlsx::address::{CellRef, ColumnName};

/// A range may span so many cells for each filled one,
const SPAN: u64 = 4;
/// and so many more.
const SLACK: u64 = 64;

/// Gathers cells into ranges.
#[derive(Debug, Default)]
pub(super) struct Cover {
    ranges: Vec<String>,
    open: Option<Band>,
    /// The cells of the row that is being taken in.
    row: Vec<CellRef>,
}

/// A range, and how many of its cells are filled.
#[derive(Debug, Clone, Copy)]
struct Band {
    rows: (u32, u32),
    columns: (u32, u32),
    cells: u64,
}

impl Cover {
    /// Takes a cell in; cells come row by row and left to right.
    pub(super) fn cell(&mut self, at: CellRef) {
        if self.row.first().is_some_and(|first| first.row() != at.row()) {
            self.end_row();
        }
        self.row.push(at);
    }

    /// The ranges, from the top down. They do not overlap.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.end_row();
        self.ranges.extend(self.open.map(Band::name));
        self.ranges
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        match row.iter().copied().map(Band::of).reduce(Band::with) {
            Some(whole) if whole.is_dense() => self.take(whole),
            _ => row.into_iter().for_each(|at| self.take(Band::of(at))),
        }
    }

    fn take(&mut self, new: Band) {
        let joined = self.open.map(|open| open.with(new)).filter(Band::is_dense);
        if joined.is_none() {
            self.ranges.extend(self.open.map(Band::name));
        }
        self.open = Some(joined.unwrap_or(new));
    }
}

impl Band {
    fn of(at: CellRef) -> Self {
        Self { rows: (at.row(), at.row()), columns: (at.col(), at.col()), cells: 1 }
    }

    fn with(self, other: Self) -> Self {
        let both = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
        Self {
            rows: both(self.rows, other.rows),
            columns: both(self.columns, other.columns),
            cells: self.cells + other.cells,
        }
    }

    fn is_dense(&self) -> bool {
        let length = |(first, last): (u32, u32)| u64::from(last - first) + 1;
        length(self.rows) * length(self.columns) <= SPAN * self.cells + SLACK
    }

    fn name(self) -> String {
        let (left, right) = (ColumnName(self.columns.0), ColumnName(self.columns.1));
        format!("{left}{}:{right}{}", self.rows.0, self.rows.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(cells: impl IntoIterator<Item = (u32, u32)>) -> Vec<String> {
        let mut cover = Cover::default();
        cells.into_iter().for_each(|(row, column)| cover.cell(CellRef::new(row, column).unwrap()));
        cover.finish()
    }

    #[test]
    fn far_cells_do_not_span_what_is_between_them() {
        assert_eq!(cover([]), [""; 0]);
        assert_eq!(cover([(1, 1), (1_048_576, 26)]), ["A1:A1", "Z1048576:Z1048576"]);
        assert_eq!(cover([(1, 1), (1, 16_384), (2, 2)]), ["A1:A1", "XFD1:XFD1", "B2:B2"]);
        assert_eq!(cover([(1, 1), (3, 2), (3, 3)]), ["A1:C3"]);
        let dense = (1..=1000).flat_map(|row| (1..=5).map(move |column| (row, column)));
        assert_eq!(cover(dense.chain([(9000, 1)])), ["A1:E1000", "A9000:A9000"]);
    }
}
