//! Tables by their grid: merged cells keep the positions that they cover.

use super::inline::Mark;
use super::word;
use crate::xml::{Node, Ns};

/// Word has no wider tables; larger spans are reduced to this.
const WIDEST: usize = 63;

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'t> {
    /// `w:tr`.
    pub node: Node<'t>,
    /// Tracked changes of the row.
    pub mark: Mark<'t>,
    /// Its cells.
    pub cells: Vec<Cell<'t>>,
    /// The columns of the grid that the row covers, including empty ones at its ends.
    pub columns: usize,
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'t> {
    /// `w:tc`.
    pub node: Node<'t>,
    /// The first column of the grid that it covers, from 0.
    pub column: usize,
    /// How many columns it covers.
    pub span: usize,
    /// Whether it only continues the cell above it, or, in old files, the one before it. Its own
    /// content is not shown then.
    pub continues: bool,
}

/// The rows of a `w:tbl`. A table that declares far more positions than it has cells is read as if no cell
/// covered more than one.
pub fn rows(table: Node<'_>) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    collect(table, "tr", Mark::default(), &mut |node, mark| rows.push(row(node, mark)));
    if !is_plausible(rows.iter().map(|row| row.columns).sum(), rows.iter().map(|row| row.cells.len()).sum()) {
        rows.iter_mut().for_each(Row::drop_spans);
    }
    rows
}

/// Whether a grid of this size is plausible for this number of cells. A small file must not require a huge grid.
pub fn is_plausible(places: usize, cells: usize) -> bool {
    places <= cells.saturating_mul(4).saturating_add(10_000)
}

impl Row<'_> {
    /// Lets each cell cover one column.
    fn drop_spans(&mut self) {
        self.columns = self.cells.len();
        for (column, cell) in self.cells.iter_mut().enumerate() {
            (cell.column, cell.span) = (column, 1);
        }
    }
}

/// How many columns the widest row covers.
pub fn columns(rows: &[Row<'_>]) -> usize {
    rows.iter().map(|row| row.columns).max().unwrap_or(0)
}

fn row<'t>(node: Node<'t>, mark: Mark<'t>) -> Row<'t> {
    let properties = node.child(Ns::W, "trPr");
    let count = |name| properties.and_then(|found| word::child_number(found, name)).map_or(0, bounded);
    let tracked = |name| properties.and_then(|found| found.child(Ns::W, name));
    let mark = Mark { inserted: tracked("ins").or(mark.inserted), deleted: tracked("del").or(mark.deleted) };
    let mut cells = Vec::new();
    let mut column = count("gridBefore");
    collect(node, "tc", Mark::default(), &mut |node, _| {
        let cell = cell(node, column);
        column += cell.span;
        cells.push(cell);
    });
    Row { node, mark, cells, columns: column + count("gridAfter") }
}

fn cell(node: Node<'_>, column: usize) -> Cell<'_> {
    let properties = node.child(Ns::W, "tcPr");
    let span = properties.and_then(|found| word::child_number(found, "gridSpan")).map_or(1, bounded).max(1);
    let continues = |name| {
        let merge = properties.and_then(|found| found.child(Ns::W, name));
        merge.is_some_and(|merge| word::val(merge).is_none_or(|value| value != "restart"))
    };
    Cell { node, column, span, continues: continues("vMerge") || continues("hMerge") }
}

fn bounded(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0).min(WIDEST)
}

/// All elements of a name, through content controls, custom XML, tracked changes and alternatives.
fn collect<'t>(parent: Node<'t>, name: &str, mark: Mark<'t>, found: &mut impl FnMut(Node<'t>, Mark<'t>)) {
    for node in parent.elements() {
        match (node.ns(), node.local()) {
            (Ns::W, local) if local == name => found(node, mark),
            (Ns::W, "sdt" | "sdtContent" | "customXml" | "smartTag") => collect(node, name, mark, found),
            (Ns::W, "ins" | "moveTo") => collect(node, name, mark.inserted_by(node), found),
            (Ns::W, "del" | "moveFrom") => collect(node, name, mark.deleted_by(node), found),
            (Ns::Mc, "AlternateContent") => {
                if let Some(branch) = word::branch(node) {
                    collect(branch, name, mark, found);
                }
            }
            _ => {}
        }
    }
}
