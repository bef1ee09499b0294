//! Cells of which only the format differs, as ranges: a format laid over a block of cells is one change.

use std::collections::HashMap;

use jig_ooxml::xlsx::address::ColumnName;

/// A cell with the same content in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatChange {
    /// Row and column in the new sheet.
    pub(super) at: (u32, u32),
    pub(super) old_row: u32,
    /// The formats as both workbooks number them, before and after.
    pub(super) formats: (u32, u32),
    /// The formats as each workbook numbers its own.
    pub(super) styles: (u32, u32),
    /// Its content as a person sees it now.
    pub(super) text: String,
}

/// A rectangle of cells that differ in the same way.
pub(super) struct FormatRange<'c> {
    first: (u32, u32),
    last: (u32, u32),
    pub(super) cells: Vec<&'c FormatChange>,
}

impl FormatRange<'_> {
    pub(super) fn address(&self) -> String {
        let cell = |(row, col): (u32, u32)| format!("{}{row}", ColumnName(col));
        if self.first == self.last { cell(self.first) } else { format!("{}:{}", cell(self.first), cell(self.last)) }
    }
}

/// Cells (by row, then column) as rectangles, each as wide as neighbours in a row reach and as high as rows with the
/// same columns follow. One pass: each cell joins the run before it or begins one, each run the rectangle above it.
pub(super) fn rectangles(cells: &[FormatChange]) -> Vec<FormatRange<'_>> {
    let mut runs: Vec<FormatRange<'_>> = Vec::new();
    for cell in cells {
        let joins = |run: &&mut FormatRange<'_>| {
            run.last == (cell.at.0, cell.at.1.wrapping_sub(1))
                && run.cells.last().is_some_and(|known| known.formats == cell.formats)
        };
        match runs.last_mut().filter(joins) {
            Some(run) => {
                run.last = cell.at;
                run.cells.push(cell);
            }
            None => runs.push(FormatRange { first: cell.at, last: cell.at, cells: vec![cell] }),
        }
    }
    // The rectangle that ends in these columns with this pair of formats.
    let mut open: HashMap<(u32, u32, (u32, u32)), usize> = HashMap::new();
    let mut found: Vec<FormatRange<'_>> = Vec::new();
    for mut run in runs {
        let Some(formats) = run.cells.first().map(|cell| cell.formats) else { continue };
        let key = (run.first.1, run.last.1, formats);
        let above = open.get(&key).copied().and_then(|at| found.get_mut(at));
        match above.filter(|range| range.last.0 + 1 == run.first.0) {
            Some(range) => {
                range.last = run.last;
                range.cells.append(&mut run.cells);
            }
            None => {
                open.insert(key, found.len());
                found.push(run);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(cells: &[(u32, u32, u32)]) -> Vec<String> {
        let cell = |(row, col, format): &(u32, u32, u32)| FormatChange {
            at: (*row, *col),
            old_row: *row,
            formats: (0, *format),
            styles: (0, *format),
            text: String::new(),
        };
        let cells: Vec<FormatChange> = cells.iter().map(cell).collect();
        rectangles(&cells).iter().map(FormatRange::address).collect()
    }

    #[test]
    fn neighbours_that_differ_alike_are_one_range() {
        let block: Vec<(u32, u32, u32)> = (2..=4).flat_map(|row| (1..=3).map(move |col| (row, col, 7))).collect();
        assert_eq!(addresses(&block), ["A2:C4"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 2, 8), (1, 3, 8)]), ["A1", "B1:C1"]);
        assert_eq!(addresses(&[(1, 1, 7), (2, 1, 7), (4, 1, 7)]), ["A1:A2", "A4"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 2, 7), (2, 1, 7)]), ["A1:B1", "A2"]);
        assert_eq!(addresses(&[(1, 1, 7), (1, 3, 7), (2, 1, 7), (2, 3, 7)]), ["A1:A2", "C1:C2"]);
    }
}
