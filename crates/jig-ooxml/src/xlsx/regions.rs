//! Locates the data of a sheet: data blocks, which are rectangles separated by blank rows and columns, and ranges that
//! hold all filled cells and little else.
//!
//! Rows are added one by one. Consecutive rows with the same pattern of filled columns are stored as one, so that a
//! table costs next to nothing. Memory and work are bounded; beyond the bound, data blocks get coarser and the reply
//! reports it.

use super::address::{CellRange, CellRef};

/// How many runs of filled cells one block may keep.
const RUNS: usize = 1_000_000;
/// How many runs may be examined for one block.
const WORK: usize = 8_000_000;
/// How many data blocks are listed; more are counted.
const BLOCKS: usize = 1000;
const DEPTH: usize = 8;

/// First and last of rows or columns.
type Span = (u32, u32);

/// The data blocks of a sheet.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// The first blocks, sorted by their first cell.
    pub(super) blocks: Vec<CellRange>,
    /// The number of all blocks.
    pub(super) count: u64,
    /// Whether some are larger than they should be.
    pub(super) coarse: bool,
}

/// Finds data blocks.
#[derive(Debug, Default)]
pub(super) struct RegionFinder {
    regions: Regions,
    block: Block,
    row: u32,
    /// The runs of the current row.
    current: Vec<Span>,
}

/// Rows without a blank one between them.
#[derive(Debug, Default)]
struct Block {
    segments: Vec<Segment>,
    runs: Vec<Span>,
    work: usize,
}

/// Rows with the same runs.
#[derive(Debug, Clone, Copy)]
struct Segment {
    rows: Span,
    /// Where its runs are.
    from: usize,
    to: usize,
}

impl RegionFinder {
    /// Adds a cell; cells come row by row and left to right. Rows that come too late are left out.
    pub(super) fn cell(&mut self, at: CellRef) {
        if at.row() < self.row {
            return;
        }
        if at.row() != self.row {
            self.end_row();
            if at.row() > self.row + 1 {
                self.end_block();
            }
            self.row = at.row();
        }
        match self.current.last_mut() {
            Some(run) if run.1 + 1 >= at.col() => run.1 = run.1.max(at.col()),
            _ => self.current.push((at.col(), at.col())),
        }
    }

    /// The data blocks of all cells.
    pub(super) fn finish(mut self) -> Regions {
        self.end_row();
        self.end_block();
        self.regions.blocks.sort_unstable();
        self.regions
    }

    fn end_row(&mut self) {
        if self.current.is_empty() {
            return;
        }
        if !self.block.extend(self.row, &self.current) {
            if self.block.runs.len() + self.current.len() > RUNS {
                self.block.flatten();
                self.regions.coarse = true;
            }
            self.block.add(self.row, &self.current);
        }
        self.current.clear();
    }

    fn end_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        let all = (0, block.segments.len());
        if !block.segments.is_empty() {
            let regions = &mut self.regions;
            let complete = block.cut(all, (1, u32::MAX - 1), 0, &mut |rows, cols| {
                regions.count += 1;
                let corners = (CellRef::new(rows.0, cols.0), CellRef::new(rows.1, cols.1));
                if let (true, (Some(a), Some(b))) = (regions.blocks.len() < BLOCKS, corners) {
                    regions.blocks.push(CellRange::new(a, b));
                }
            });
            regions.coarse |= !complete;
        }
    }
}

impl Block {
    /// Lengthens the last segment when the row has the same runs.
    fn extend(&mut self, row: u32, runs: &[Span]) -> bool {
        let Some(last) = self.segments.last_mut() else { return false };
        let same = self.runs.get(last.from..last.to) == Some(runs);
        if same {
            last.rows.1 = row;
        }
        same
    }

    fn add(&mut self, row: u32, runs: &[Span]) {
        let from = self.runs.len();
        self.runs.extend_from_slice(runs);
        self.segments.push(Segment { rows: (row, row), from, to: self.runs.len() });
    }

    /// Joins all segments into one.
    fn flatten(&mut self) {
        let (first, last) = (self.segments.first().map(|s| s.rows.0), self.segments.last().map(|s| s.rows.1));
        let runs = joined(std::mem::take(&mut self.runs));
        self.segments.clear();
        if let (Some(first), Some(last)) = (first, last) {
            self.segments.push(Segment { rows: (first, last), from: 0, to: runs.len() });
        }
        self.runs = runs;
    }

    /// Splits segments at blank columns, and the pieces at blank rows, until nothing is left to split. False if it gave
    /// up somewhere.
    fn cut(&mut self, part: (usize, usize), cols: Span, depth: usize, found: &mut dyn FnMut(Span, Span)) -> bool {
        let mut complete = true;
        let groups = self.groups(part, cols);
        let single = groups.len() == 1;
        for group in groups {
            let pieces = self.pieces(part, group);
            for (rows, inner) in &pieces {
                let whole = single && pieces.len() == 1;
                if whole || depth >= DEPTH || self.work > WORK {
                    complete &= whole;
                    found(*rows, group);
                } else {
                    complete &= self.cut(*inner, group, depth + 1, found);
                }
            }
        }
        complete
    }

    /// The groups of columns that have no blank column inside.
    fn groups(&mut self, part: (usize, usize), cols: Span) -> Vec<Span> {
        let mut runs = Vec::new();
        for segment in self.segments.get(part.0..part.1).unwrap_or_default() {
            let all = self.runs.get(segment.from..segment.to).unwrap_or_default();
            self.work += all.len();
            runs.extend(all.iter().filter_map(|run| clipped(*run, cols)));
        }
        joined(runs)
    }

    /// The rows of some columns that have no blank row inside, with their segments.
    fn pieces(&mut self, part: (usize, usize), cols: Span) -> Vec<(Span, (usize, usize))> {
        let mut pieces: Vec<(Span, (usize, usize))> = Vec::new();
        for place in part.0..part.1 {
            let Some(segment) = self.segments.get(place) else { break };
            let runs = self.runs.get(segment.from..segment.to).unwrap_or_default();
            // Runs are in order: only one may reach into the columns from the left.
            let first = runs.partition_point(|run| run.1 < cols.0);
            self.work += 4;
            if runs.get(first).is_none_or(|run| run.0 > cols.1) {
                continue;
            }
            match pieces.last_mut() {
                Some((rows, inner)) if rows.1 + 1 >= segment.rows.0 => {
                    rows.1 = segment.rows.1;
                    inner.1 = place + 1;
                }
                _ => pieces.push((segment.rows, (place, place + 1))),
            }
        }
        pieces
    }
}

fn clipped(run: Span, cols: Span) -> Option<Span> {
    let both = (run.0.max(cols.0), run.1.min(cols.1));
    (both.0 <= both.1).then_some(both)
}

/// Spans that touch become one.
fn joined(mut runs: Vec<Span>) -> Vec<Span> {
    runs.sort_unstable();
    let mut out: Vec<Span> = Vec::new();
    for run in runs {
        match out.last_mut() {
            Some(last) if last.1 + 1 >= run.0 => last.1 = last.1.max(run.1),
            _ => out.push(run),
        }
    }
    out
}

/// A range may span so many cells for each filled one,
const SPAN: u64 = 4;
/// and so many more.
const SLACK: u64 = 64;

/// Gathers cells into ranges.
#[derive(Debug, Default)]
pub(super) struct FilledRanges {
    ranges: Vec<CellRange>,
    open: Option<Band>,
    /// The cells of the current row.
    row: Vec<CellRef>,
}

/// A range, and how many of its cells are filled.
#[derive(Debug, Clone, Copy)]
struct Band {
    rows: (u32, u32),
    columns: (u32, u32),
    cells: u64,
}

impl FilledRanges {
    /// Adds a cell; cells come row by row and left to right.
    pub(super) fn cell(&mut self, at: CellRef) {
        if self.row.first().is_some_and(|first| first.row() != at.row()) {
            self.end_row();
        }
        self.row.push(at);
    }

    /// The ranges, from the top down. They do not overlap.
    pub(super) fn finish(mut self) -> Vec<CellRange> {
        self.end_row();
        self.ranges.extend(self.open.and_then(Band::range));
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
            self.ranges.extend(self.open.and_then(Band::range));
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

    fn range(self) -> Option<CellRange> {
        let corner = |row, column| CellRef::new(row, column);
        Some(CellRange::new(corner(self.rows.0, self.columns.0)?, corner(self.rows.1, self.columns.1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data blocks of a drawing: `x` is a filled cell.
    fn data_blocks(drawing: &[&str]) -> Vec<String> {
        let mut finder = RegionFinder::default();
        for (row, line) in drawing.iter().enumerate() {
            for (col, _) in line.bytes().enumerate().filter(|(_, byte)| *byte == b'x') {
                finder.cell(CellRef::new(row as u32 + 1, col as u32 + 1).unwrap());
            }
        }
        let regions = finder.finish();
        assert!(!regions.coarse);
        assert_eq!(regions.count, regions.blocks.len() as u64);
        regions.blocks.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn blank_rows_and_columns_divide() {
        assert_eq!(data_blocks(&["xx", "xx"]), ["A1:B2"]);
        assert_eq!(data_blocks(&["xx", "", "x.", "xx"]), ["A1:B1", "A3:B4"]);
        assert_eq!(data_blocks(&["xx.x", "xx.x"]), ["A1:B2", "D1:D2"]);
        assert_eq!(data_blocks(&["xx.x", "xx..", "xx.x"]), ["A1:B3", "D1", "D3"]);
        assert_eq!(data_blocks(&["xx.xx", "xx...", "xx.x.", "xx.x."]), ["A1:B4", "D1:E1", "D3:D4"]);
        assert_eq!(data_blocks(&["x.x", ".x.", "x.x"]), ["A1:C3"]);
        assert_eq!(data_blocks(&[]), [""; 0]);
        assert_eq!(data_blocks(&["", "..x"]), ["C2"]);
    }

    #[test]
    fn a_checkerboard_stays_within_bounds() {
        let mut finder = RegionFinder::default();
        for row in 1..=3000_u32 {
            for col in (1..=600).step_by(2) {
                finder.cell(CellRef::new(row, col).unwrap());
            }
        }
        let regions = finder.finish();
        assert_eq!((regions.count, regions.blocks.len()), (300, 300));
        let mut scattered = RegionFinder::default();
        for row in 1..=6000_u32 {
            for col in (1 + row % 3..=900).step_by(3) {
                scattered.cell(CellRef::new(row, col).unwrap());
            }
        }
        assert_eq!(scattered.finish().count, 1);
    }

    fn cover(cells: impl IntoIterator<Item = (u32, u32)>) -> Vec<String> {
        let mut cover = FilledRanges::default();
        cells.into_iter().for_each(|(row, column)| cover.cell(CellRef::new(row, column).unwrap()));
        cover.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn far_cells_do_not_span_what_is_between_them() {
        assert_eq!(cover([]), [""; 0]);
        assert_eq!(cover([(1, 1), (1_048_576, 26)]), ["A1", "Z1048576"]);
        assert_eq!(cover([(1, 1), (1, 16_384), (2, 2)]), ["A1", "XFD1", "B2"]);
        assert_eq!(cover([(1, 1), (3, 2), (3, 3)]), ["A1:C3"]);
        let dense = (1..=1000).flat_map(|row| (1..=5).map(move |column| (row, column)));
        assert_eq!(cover(dense.chain([(9000, 1)])), ["A1:E1000", "A9000"]);
    }
}
