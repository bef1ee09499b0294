//! Rows of tables: cells in one line belong together, where columns of running text do not.

use super::layout::{COLUMN_GAP, SAME_LINE, Word};

/// Rows further apart than this, in units of the font size, are no rows of one table.
const ROW_STEP: f32 = 4.0;
/// Of a row of running text in columns more than this is covered by letters.
const COVERED: f32 = 0.85;
/// Cells have few words, lines of running text have more.
const CELL_WORDS: usize = 3;
/// How exactly edges of cells must be aligned, in units of the font size.
const ALIGNED: f32 = 0.6;
/// No table has more columns; rows are compared cell by cell.
const COLUMNS: usize = 100;

/// A line over the whole page: its words, and where the cells in it begin and end.
struct Row {
    words: Vec<usize>,
    cells: Vec<(f32, f32)>,
    base: f32,
    size: f32,
}

/// Pairs of words that a table keeps together. The words come sorted by base line.
pub(super) fn rows_together(words: &[Word]) -> Vec<(usize, usize)> {
    let rows = rows(words);
    let mut pairs = Vec::new();
    for two in rows.windows(2) {
        let [above, below] = two else { continue };
        let near = below.base - above.base < ROW_STEP * above.size.max(below.size);
        if near && above.is_tabular() && below.is_tabular() && above.is_aligned(below) {
            let all: Vec<usize> = above.words.iter().chain(&below.words).copied().collect();
            pairs.extend(all.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))));
        }
    }
    pairs
}

fn rows(words: &[Word]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match rows.last_mut().filter(|row| word.base - row.base < SAME_LINE * row.size.max(word.size)) {
            Some(row) => {
                row.words.push(at);
                row.size = row.size.max(word.size);
            }
            None => rows.push(Row { words: vec![at], cells: Vec::new(), base: word.base, size: word.size }),
        }
    }
    for row in &mut rows {
        let mut spans: Vec<(f32, f32)> =
            row.words.iter().filter_map(|at| words.get(*at)).map(|word| (word.x0, word.x1)).collect();
        spans.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (x0, x1) in spans {
            match row.cells.last_mut().filter(|cell| x0 - cell.1 < COLUMN_GAP * row.size) {
                Some(cell) => cell.1 = cell.1.max(x1),
                None => row.cells.push((x0, x1)),
            }
        }
    }
    rows
}

impl Row {
    fn is_tabular(&self) -> bool {
        let (Some(first), Some(last)) = (self.cells.first(), self.cells.last()) else { return false };
        let covered: f32 = self.cells.iter().map(|(x0, x1)| x1 - x0).sum();
        let few = self.words.len() <= CELL_WORDS * self.cells.len();
        (2..=COLUMNS).contains(&self.cells.len()) && few && covered < COVERED * (last.1 - first.0)
    }

    /// Whether at least two cells are aligned with two of another row: by their left edges, right edges or middles.
    fn is_aligned(&self, below: &Self) -> bool {
        let near = ALIGNED * self.size.max(below.size);
        let stands = |cell: &&(f32, f32)| {
            below.cells.iter().any(|other| {
                (cell.0 - other.0).abs() < near
                    || (cell.1 - other.1).abs() < near
                    || (cell.0 + cell.1 - other.0 - other.1).abs() < 2.0 * near
            })
        };
        self.cells.iter().filter(stands).count() > 1
    }
}
