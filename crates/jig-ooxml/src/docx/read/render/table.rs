//! Tables as text.

use super::{BlockKind, Renderer};
use crate::docx::blocks::Table;
use crate::docx::read::markdown;
use crate::docx::tables::{self, Row};
use crate::xml::Node;

impl Renderer<'_> {
    /// A table of the body as a Markdown table.
    pub(super) fn table(&mut self, table: Table<'_>) -> (String, BlockKind) {
        let rows = tables::rows(table.node);
        let columns = tables::columns(&rows);
        let kind = BlockKind::Table { index: table.index, rows: rows.len(), columns };
        if !self.options.shows(table.mark) {
            return (String::new(), kind);
        }
        let mut cells: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        let options = self.options;
        for row in rows.iter().filter(|row| options.shows(row.mark)) {
            cells.push(self.row(row).iter().map(|lines| markdown::cell(lines)).collect());
        }
        (markdown::table(&cells, columns), kind)
    }

    /// A table inside a cell, a note or a text box: cells on one line, rows on lines of their own.
    pub(super) fn flat_table(&mut self, table: Node<'_>) -> String {
        let mut lines = Vec::new();
        let options = self.options;
        for row in tables::rows(table).iter().filter(|row| options.shows(row.mark)) {
            let cells = self.row(row).into_iter().map(|lines| lines.join(" "));
            lines.push(cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; "));
        }
        lines.join("\n")
    }

    /// The lines of each cell, at its place in the grid; what merged cells cover stays empty.
    pub(in crate::docx::read) fn row(&mut self, row: &Row<'_>) -> Vec<Vec<String>> {
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); row.columns];
        for cell in row.cells.iter().filter(|cell| !cell.continues) {
            let lines = self.inner_blocks(cell.node);
            if let Some(place) = cells.get_mut(cell.column) {
                *place = lines;
            }
        }
        cells
    }
}
