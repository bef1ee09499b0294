//! Ops on tables that are there: filling cells and adding rows.

use std::collections::HashSet;

use serde::Deserialize;

use crate::docx::blocks::{Block, blocks};
use crate::docx::tables::{self, Cell, Row};
use crate::edit::{Change, EditError, OpInput};
use crate::error::Error;
use crate::xml::{Node, Ns, Splice, Tree};

use super::body::counted;
use super::fields::{CellFields, OneOf, ParagraphFields, Scalar};
use super::markup::{Dialect, Markup};
use super::paragraph::NewParagraph;
use super::refill::{self, first_run_properties};
use super::remove::{Breaks, remove_blocks};
use super::session::{Body, Session};
use super::strike::Striker;
use super::track::Revisions;

#[derive(Deserialize)]
struct SetCells {
    table: Option<usize>,
    /// Another word for `table`.
    table_index: Option<usize>,
    cells: Vec<CellFields>,
    track_changes: Option<bool>,
}

#[derive(Deserialize)]
struct AppendRows {
    table: Option<usize>,
    /// Another word for `table`.
    table_index: Option<usize>,
    rows: Vec<Vec<OneOf<CellFields>>>,
    track_changes: Option<bool>,
}

impl Session<'_> {
    /// What a cell is to hold: at least one paragraph.
    pub(super) fn cell(&mut self, fields: CellFields, at: &str) -> Result<Vec<NewParagraph>, Error> {
        if let Some(list) = fields.paragraphs {
            if fields.text.is_some() || fields.value.is_some() || fields.runs.is_some() {
                self.warn(format!("{at}: `text` and `runs` are skipped, since `paragraphs` is given too"));
            }
            let mut all = self.paragraphs(list, &format!("{at}.paragraphs"))?;
            if all.is_empty() {
                all.push(NewParagraph::default());
            }
            return Ok(all);
        }
        let text = fields.text.or(fields.value).map(|Scalar(text)| text);
        let paragraph = ParagraphFields {
            text,
            runs: fields.runs,
            style: fields.style,
            alignment: fields.alignment,
            ..ParagraphFields::default()
        };
        Ok(vec![self.paragraph(paragraph, at)?])
    }

    /// Carries out `set_table_cells`.
    pub(super) fn set_table_cells(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: SetCells = self.parse(input)?;
        let index = fields.table.or(fields.table_index).unwrap_or(0);
        let mut wanted = Vec::new();
        for (at, cell) in fields.cells.into_iter().enumerate() {
            let at = input.at(&format!("cells[{at}]"));
            let missing = |field: &str| EditError::new(format!("{at}.{field}"), "missing: a number from 0");
            let row = cell.row.ok_or_else(|| missing("row"))?;
            let column = cell.col.or(cell.column).ok_or_else(|| missing("col"))?;
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
        for (row, column, new, at) in &wanted {
            let cell = find_cell(&rows, *row, *column, at)?;
            if !filled.insert(cell.node.id()) {
                let why = "this cell is set twice in one op; merged cells are one cell";
                return Err(EditError::new(at, why).into());
            }
            if let Some(warning) = fill(&mut splice, &tree, cell.node, new, revisions.as_mut(), at) {
                self.warn(warning);
            }
        }
        self.keep(revisions);
        self.set_document(splice)?;
        let summary = format!("Set {} of table {index}.", counted(wanted.len(), "cell"));
        self.report(Change::new(input, summary).with("table", index).with("cells", wanted.len()));
        Ok(())
    }

    /// Carries out `append_table_rows`.
    pub(super) fn append_table_rows(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: AppendRows = self.parse(input)?;
        let index = fields.table.or(fields.table_index).unwrap_or(0);
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
            let model = rows.iter().rev().find(|row| row.cells.len() == cells.len()).unwrap_or(last);
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

/// The cell at a place of the grid; for one that continues another, that other.
fn find_cell<'t>(rows: &[Row<'t>], row: usize, column: usize, at: &str) -> Result<Cell<'t>, EditError> {
    let covering = |row: usize| {
        let cells = rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        cells.iter().find(|cell| (cell.column..cell.column + cell.span).contains(&column)).copied()
    };
    let size = || {
        format!(
            "the table has {} and {}, counted from 0",
            counted(rows.len(), "row"),
            counted(tables::columns(rows), "column")
        )
    };
    if row >= rows.len() {
        return Err(EditError::new(format!("{at}.row"), format!("there is no row {row}; {}", size())));
    }
    let found = covering(row).ok_or_else(|| {
        EditError::new(format!("{at}.col"), format!("row {row} has no cell in column {column}; {}", size()))
    })?;
    let above = (0..row).rev().map_while(covering);
    let mut cell = found;
    for upper in above {
        if !cell.continues {
            break;
        }
        cell = upper;
    }
    Ok(cell)
}

/// Gives a cell another content. Its properties stay, and so does the look of its first paragraph.
fn fill(
    splice: &mut Splice<'_>,
    tree: &Tree<'_>,
    cell: Node<'_>,
    new: &[NewParagraph],
    mut revisions: Option<&mut Revisions>,
    at: &str,
) -> Option<String> {
    let dialect = Dialect::at(tree.root());
    let old: Vec<Node<'_>> = blocks(cell).into_iter().map(Block::node).collect();
    let first = old.iter().find(|node| node.is(Ns::W, "p")).copied();
    let (head, others) = new.split_first()?;
    let more = match first {
        Some(first) => {
            let gone: Vec<Node<'_>> = old.iter().copied().filter(|node| *node != first).collect();
            refill::paragraph(splice, first, head, &dialect, revisions.as_deref_mut());
            match revisions.as_deref_mut() {
                Some(revisions) => {
                    for node in &gone {
                        Striker { splice, dialect: &dialect, revisions }.block(*node);
                    }
                }
                None => {
                    remove_blocks(splice, &gone, Breaks::Drop);
                }
            }
            written_like(others, first, &dialect, revisions)
        }
        None => String::new(),
    };
    match first {
        Some(first) => splice.after(first, more),
        None => {
            let mut markup = Markup::new(&dialect);
            new.iter().for_each(|paragraph| paragraph.write(&mut markup, None));
            splice.append(cell, markup.finish());
        }
    }
    let lost =
        cell.descendants().any(|node| node.is(Ns::W, "tbl") || node.is(Ns::W, "drawing") || node.is(Ns::W, "pict"));
    lost.then(|| format!("{at}: the cell held a table or picture, which the new content replaces"))
}

/// Further paragraphs that look like a first one.
fn written_like(
    new: &[NewParagraph],
    first: Node<'_>,
    dialect: &Dialect,
    mut revisions: Option<&mut Revisions>,
) -> String {
    let like = first_run_properties(first);
    let mut markup = Markup::new(dialect);
    for paragraph in new {
        write_cell_paragraph(&mut markup, paragraph, Some(first), &like, revisions.as_deref_mut());
    }
    markup.finish()
}

fn write_cell_paragraph(
    markup: &mut Markup<'_>,
    new: &NewParagraph,
    model: Option<Node<'_>>,
    like: &str,
    revisions: Option<&mut Revisions>,
) {
    markup.open("p", &[]);
    if new.is_formatted() {
        new.write_properties(markup, None, "");
    } else if let Some(properties) = model.map(super::body::base_properties).filter(|base| !base.is_empty()) {
        markup.open("pPr", &[]);
        markup.raw(&properties);
        markup.close("pPr");
    }
    new.write_runs_like(markup, like, revisions);
    markup.close("p");
}

/// A new row that looks like another.
fn row_like(
    model: &Row<'_>,
    values: &[Vec<NewParagraph>],
    dialect: &Dialect,
    mut revisions: Option<&mut Revisions>,
) -> String {
    let mut markup = Markup::new(dialect);
    markup.open("tr", &[]);
    if let Some(exceptions) = model.node.child(Ns::W, "tblPrEx") {
        markup.raw(exceptions.source());
    }
    let mut properties =
        kept_children(model.node.child(Ns::W, "trPr"), &["ins", "del", "trPrChange", "tblHeader", "cnfStyle"]);
    if let Some(revisions) = revisions.as_deref_mut() {
        properties.push_str(&revisions.element("ins", dialect));
    }
    if !properties.is_empty() {
        markup.open("trPr", &[]);
        markup.raw(&properties);
        markup.close("trPr");
    }
    let empty = vec![NewParagraph::default()];
    for (at, cell) in model.cells.iter().enumerate() {
        let value = values.get(at).unwrap_or(&empty);
        markup.open("tc", &[]);
        let skipped = ["vMerge", "hMerge", "cnfStyle", "tcPrChange", "cellIns", "cellDel", "cellMerge"];
        let properties = kept_children(cell.node.child(Ns::W, "tcPr"), &skipped);
        if !properties.is_empty() {
            markup.open("tcPr", &[]);
            markup.raw(&properties);
            markup.close("tcPr");
        }
        let first = blocks(cell.node).into_iter().map(Block::node).find(|node| node.is(Ns::W, "p"));
        let like = first.map(first_run_properties).unwrap_or_default();
        for paragraph in value {
            write_cell_paragraph(&mut markup, paragraph, first, &like, revisions.as_deref_mut());
        }
        markup.close("tc");
    }
    markup.close("tr");
    markup.finish()
}

/// The children of an element as they are written, some left out.
fn kept_children(node: Option<Node<'_>>, without: &[&str]) -> String {
    let children = node.into_iter().flat_map(Node::elements);
    children.filter(|child| !without.contains(&child.local())).map(Node::source).collect()
}
