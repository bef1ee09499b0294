//! Sets of cells that answer quickly whether a range meets them.

use std::collections::BTreeMap;

use crate::model::CellKey;
use jig_file_api::address::{CellRange, CellRef};

use crate::graph::{Node, NodeId, SMALL_AREA, cells_of};

/// Cells of all sheets, each with the formula that gives its value.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    columns: BTreeMap<(usize, u32), BTreeMap<u32, NodeId>>,
    areas: Vec<(usize, CellRange, NodeId)>,
}

impl Cells {
    /// Adds the cells that a formula fills.
    pub(crate) fn insert(&mut self, node: &Node, id: NodeId) {
        self.put(node.key, id);
        match node.area {
            Some(area) if area.cells() > SMALL_AREA => self.areas.push((node.key.sheet, area, id)),
            Some(area) => cells_of(node.key.sheet, area).for_each(|key| self.put(key, id)),
            None => {}
        }
    }

    fn put(&mut self, key: CellKey, id: NodeId) {
        self.columns.entry((key.sheet, key.cell.col())).or_default().insert(key.cell.row(), id);
    }

    /// Removes the cells that a formula fills.
    pub(crate) fn remove(&mut self, node: &Node, id: NodeId) {
        self.take(node.key, id);
        match node.area {
            Some(area) if area.cells() > SMALL_AREA => self.areas.retain(|(_, _, other)| *other != id),
            Some(area) => cells_of(node.key.sheet, area).for_each(|key| self.take(key, id)),
            None => {}
        }
    }

    fn take(&mut self, key: CellKey, id: NodeId) {
        let column = (key.sheet, key.cell.col());
        if let Some(rows) = self.columns.get_mut(&column) {
            if rows.get(&key.cell.row()) == Some(&id) {
                rows.remove(&key.cell.row());
            }
            if rows.is_empty() {
                self.columns.remove(&column);
            }
        }
    }

    /// The first cell of the set within a range.
    pub(crate) fn first_in(&self, sheet: usize, range: CellRange) -> Option<(CellKey, NodeId)> {
        let (start, end) = (range.start(), range.end());
        let mut columns = self.columns.range((sheet, start.col())..=(sheet, end.col()));
        let single = columns.find_map(|((sheet, col), rows)| {
            let (row, node) = rows.range(start.row()..=end.row()).next()?;
            Some((CellKey { sheet: *sheet, cell: CellRef::new(*row, *col)? }, *node))
        });
        single.or_else(|| {
            let meets = |(on, area, id): &(usize, CellRange, NodeId)| {
                let met = area.intersection(range).filter(|_| *on == sheet)?;
                Some((CellKey { sheet, cell: met.start() }, *id))
            };
            self.areas.iter().find_map(meets)
        })
    }

    /// Any cell of the set.
    pub(crate) fn first(&self) -> Option<NodeId> {
        self.columns.values().find_map(|rows| rows.values().next()).copied()
    }
}
