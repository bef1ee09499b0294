//! Sets of cells that answer quickly whether a range meets them.

use std::collections::BTreeMap;

use jig_ooxml::xlsx::address::{CellRef, RangeRef};
use jig_ooxml::xlsx::formula::recalculate::CellKey;

use super::graph::NodeId;

/// Cells of all sheets, each with the formula that gives its value.
#[derive(Debug, Default)]
pub(super) struct Cells {
    columns: BTreeMap<(usize, u32), BTreeMap<u32, NodeId>>,
}

impl Cells {
    pub(super) fn insert(&mut self, key: CellKey, node: NodeId) {
        self.columns.entry((key.sheet, key.cell.col())).or_default().insert(key.cell.row(), node);
    }

    pub(super) fn remove(&mut self, key: CellKey) {
        let column = (key.sheet, key.cell.col());
        if let Some(rows) = self.columns.get_mut(&column) {
            rows.remove(&key.cell.row());
            if rows.is_empty() {
                self.columns.remove(&column);
            }
        }
    }

    /// The first cell of the set within a range.
    pub(super) fn first_in(&self, sheet: usize, range: RangeRef) -> Option<(CellKey, NodeId)> {
        let (start, end) = (range.start(), range.end());
        self.columns.range((sheet, start.col())..=(sheet, end.col())).find_map(|((sheet, col), rows)| {
            let (row, node) = rows.range(start.row()..=end.row()).next()?;
            Some((CellKey { sheet: *sheet, cell: CellRef::new(*row, *col)? }, *node))
        })
    }

    pub(super) fn contains(&self, key: CellKey) -> bool {
        self.columns.get(&(key.sheet, key.cell.col())).is_some_and(|rows| rows.contains_key(&key.cell.row()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
}
