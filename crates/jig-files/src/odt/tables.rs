//! Tables as Markdown.

use jig_ooxml::xml::Node;

use super::body::Walk;
use super::namespaces::TABLE;
use super::{Block, What};

/// How often a repeated cell or row is written out.
const REPEATED: usize = 100;
/// Cells of all tables together.
const CELLS: usize = 500_000;

impl Walk<'_> {
    pub(super) fn table(&mut self, table: Node<'_>) {
        let outer = (std::mem::take(&mut self.images), std::mem::take(&mut self.cited));
        let mut rows: Vec<Vec<String>> = Vec::new();
        self.rows(table, &mut rows);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let images = std::mem::replace(&mut self.images, outer.0);
        let notes = std::mem::replace(&mut self.cited, outer.1);
        let what = What::Table { rows: rows.len(), columns };
        let text = if self.inside == 0 { markdown(&rows, columns) } else { flat(&rows) };
        self.out.push(Block { text, what, images, notes });
    }

    fn rows(&mut self, node: Node<'_>, rows: &mut Vec<Vec<String>>) {
        for child in node.elements() {
            if child.is(TABLE, "table-row") {
                let row = self.row(child);
                let times = self.times(child, "number-rows-repeated", row.len());
                rows.extend(std::iter::repeat_n(row, times));
            } else if child.ns() == TABLE
                && matches!(child.local(), "table-header-rows" | "table-rows" | "table-row-group")
            {
                self.rows(child, rows);
            }
        }
    }

    fn row(&mut self, node: Node<'_>) -> Vec<String> {
        let mut row = Vec::new();
        for cell in node.elements() {
            let text = if cell.is(TABLE, "table-cell") {
                self.cell(cell)
            } else if cell.is(TABLE, "covered-table-cell") {
                // A merged cell covers it, which is shown once.
                String::new()
            } else {
                continue;
            };
            let times = self.times(cell, "number-columns-repeated", 1);
            row.extend(std::iter::repeat_n(text, times));
        }
        row
    }

    /// How often a cell or row counts, within bounds.
    fn times(&mut self, node: Node<'_>, attribute: &str, cells: usize) -> usize {
        let given = node.attr_ns(TABLE, attribute).and_then(|text| text.trim().parse::<usize>().ok());
        let given = given.unwrap_or(1).max(1);
        let room = CELLS.saturating_sub(self.cells) / cells.max(1);
        let times = given.min(REPEATED).min(room);
        self.cells += times * cells;
        if times < given {
            self.warn("tables: repeated or very many cells are left out");
        }
        times
    }

    /// A cell's lines on one line. Tables inside it are flattened.
    fn cell(&mut self, cell: Node<'_>) -> String {
        let outer = std::mem::take(&mut self.out);
        self.inside += 1;
        self.blocks(cell);
        self.inside -= 1;
        let inner = std::mem::replace(&mut self.out, outer);
        let mut lines = Vec::new();
        for block in inner {
            self.images.extend(block.images);
            self.cited.extend(block.notes);
            if !block.text.is_empty() {
                lines.push(block.text);
            }
        }
        lines.join("\n").replace('|', "\\|").replace('\n', "<br>").replace('\t', " ").trim().to_owned()
    }
}

/// A table inside a cell: a line for each row.
fn flat(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| row.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join(" / ");
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A table whose first row is its header.
fn markdown(rows: &[Vec<String>], columns: usize) -> String {
    let Some((first, rest)) = rows.split_first() else { return String::new() };
    let line = |row: &Vec<String>| {
        let cells = (0..columns.max(1)).map(|at| match row.get(at).map_or("", String::as_str) {
            "" => " |".to_owned(),
            text => format!(" {text} |"),
        });
        format!("|{}", cells.collect::<String>())
    };
    let mut lines = vec![line(first), format!("|{}", " --- |".repeat(columns.max(1)))];
    lines.extend(rest.iter().map(line));
    lines.join("\n")
}
