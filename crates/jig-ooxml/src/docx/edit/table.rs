//! Ops on tables that are there: filling cells and adding rows.

mod fill;

use std::collections::HashSet;

use jig_file_api::ops::docx::{AppendTableRows, Paragraph, ScalarText, SetTableCells, TableCell};
use serde_json::json;

use crate::docx::tables;
use crate::edit::{Change, EditError, MOST_LISTED, OpInput, shown};
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use self::fill::{fill, find_cell, row_like};
use super::body::counted;
use super::markup::Dialect;
use super::paragraph::NewParagraph;
use super::session::{Body, Session};
use super::single::text_of;

impl Session<'_> {
    /// What a cell is to hold: at least one paragraph.
    pub(super) fn cell(&mut self, fields: TableCell, at: &str) -> Result<Vec<NewParagraph>, Error> {
        if let Some(list) = fields.paragraphs {
            if fields.text.is_some() || fields.runs.is_some() {
                self.warn(format!("{at}: `text` and `runs` are skipped, since `paragraphs` is given too"));
            }
            let mut all = self.paragraphs(list, &format!("{at}.paragraphs"))?;
            if all.is_empty() {
                all.push(NewParagraph::default());
            }
            return Ok(all);
        }
        let text = fields.text.map(|ScalarText(text)| text);
        let paragraph = Paragraph {
            text,
            runs: fields.runs,
            style: fields.style,
            alignment: fields.alignment,
            ..Paragraph::default()
        };
        Ok(vec![self.paragraph(paragraph, at)?])
    }

    /// Carries out `set_table_cells`.
    pub(super) fn set_table_cells(&mut self, input: &OpInput, fields: SetTableCells) -> Result<(), Error> {
        let index = fields.table;
        if fields.cells.is_empty() {
            return Err(input.error("cells", "missing or empty: give at least one cell").into());
        }
        let mut wanted = Vec::new();
        for (at, cell) in fields.cells.into_iter().enumerate() {
            let at = input.at(&format!("cells[{at}]"));
            let missing = |field: &str| EditError::new(format!("{at}.{field}"), "missing: a number from 0");
            let row = cell.row.ok_or_else(|| missing("row"))?;
            let column = cell.col.ok_or_else(|| missing("col"))?;
            // A cell without a text would become empty by a misspelt field.
            if cell.text.is_none() && cell.runs.is_none() && cell.paragraphs.is_none() {
                let why = "missing: the text of the cell (an empty text clears it)";
                return Err(EditError::new(format!("{at}.text"), why).into());
            }
            wanted.push((row, column, self.cell(cell, &at)?, at));
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let table = body.table(index, input)?;
        let rows = tables::rows(table);
        let mut splice = Splice::new(&document.text);
        let mut filled = HashSet::new();
        let mut texts = Vec::new();
        for (row, column, new, at) in &wanted {
            let cell = find_cell(&rows, *row, *column, at)?;
            if !filled.insert(cell.node.id()) {
                let why = "this cell is set twice in one op; merged cells are one cell";
                return Err(EditError::new(at, why).into());
            }
            if texts.len() < MOST_LISTED {
                let old = shown(&cell_text(cell.node));
                let new = shown(&new.iter().map(NewParagraph::text).collect::<Vec<_>>().join("\n"));
                texts.push(json!({ "row": row, "col": column, "old": old, "new": new }));
            }
            if let Some(warning) = fill(&mut splice, &tree, cell.node, new, revisions.as_mut(), at) {
                self.warn(warning);
            }
        }
        self.keep(revisions);
        self.set_document(splice)?;
        let summary = format!("Set {} of table {index}.", counted(wanted.len(), "cell"));
        let change = Change::new(input, summary).with("table", index).with("cells", wanted.len());
        self.report(change.with("texts", texts));
        Ok(())
    }

    /// Carries out `append_table_rows`.
    pub(super) fn append_table_rows(&mut self, input: &OpInput, fields: AppendTableRows) -> Result<(), Error> {
        let index = fields.table;
        if fields.rows.iter().all(Vec::is_empty) {
            return Err(input.error("rows", "missing or empty: give at least one row with one cell").into());
        }
        let mut new = Vec::new();
        for (at, row) in fields.rows.into_iter().enumerate() {
            let at = input.at(&format!("rows[{at}]"));
            let cells = row.into_iter().enumerate();
            let cells = cells.map(|(column, cell)| self.cell(cell.into_fields(), &format!("{at}[{column}]")));
            new.push((cells.collect::<Result<Vec<_>, _>>()?, at));
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let table = body.table(index, input)?;
        let rows = tables::rows(table);
        let Some(last) = rows.last() else {
            return Err(input.error("table", "the table has no rows to take the format from").into());
        };
        let dialect = Dialect::at(table);
        let mut markup = String::new();
        for (cells, at) in &new {
            // The last row if it can be: one that merely has as many cells may have them in other columns.
            let model = rows.iter().rev().find(|row| row.cells.len() >= cells.len()).unwrap_or(last);
            if cells.len() > model.cells.len() {
                let why = format!(
                    "the row has {} but the table has {}",
                    counted(cells.len(), "value"),
                    counted(model.cells.len(), "column")
                );
                return Err(EditError::new(at, why).into());
            }
            markup.push_str(&row_like(model, cells, &dialect, revisions.as_mut()));
        }
        let mut splice = Splice::new(&document.text);
        let child = std::iter::once(last.node).chain(last.node.ancestors()).find(|node| node.parent() == Some(table));
        splice.after(child.unwrap_or(last.node), markup);
        self.keep(revisions);
        self.set_document(splice)?;
        let summary = format!("Added {} to table {index}.", counted(new.len(), "row"));
        let first = rows.len();
        self.report(Change::new(input, summary).with("table", index).with("rows", new.len()).with("first_row", first));
        Ok(())
    }
}

impl<'t> Body<'t> {
    /// The table with an index.
    fn table(&self, index: usize, input: &OpInput) -> Result<Node<'t>, EditError> {
        let tables: Vec<Node<'t>> = self.blocks.iter().filter_map(|b| b.table()).map(|table| table.node).collect();
        tables.get(index).copied().ok_or_else(|| {
            let why = match tables.len() {
                0 => "the document has no tables".to_owned(),
                1 => format!("there is no table {index}; the document has one, table 0"),
                count => format!("there is no table {index}; the document has tables 0 to {}", count - 1),
            };
            input.error("table", why)
        })
    }
}

/// The text of a cell, a line for each paragraph.
fn cell_text(cell: Node<'_>) -> String {
    let paragraphs = cell.descendants().filter(|node| node.is(Ns::W, "p"));
    paragraphs.map(text_of).collect::<Vec<_>>().join("\n")
}
