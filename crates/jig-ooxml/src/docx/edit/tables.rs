//! Ops on tables: filling cells, adding rows, and inserting a table.

use std::collections::HashSet;

use jig_file_api::ops::docx::{
    AppendTableRows, InsertTable, Paragraph, Position, ScalarText, SetTableCells, TableCell,
};
use serde_json::{Value, json};

use super::blocks::{Breaks, first_run_properties, refill, remove_blocks};
use super::children::{CELL, Children};
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::paragraphs::{behind_last, insert_into_body, tail, text_of};
use super::revisions::{Revisions, Striker, base_properties, history_of};
use super::{Body, DocumentEdit};
use crate::docx::blocks::{Block, blocks};
use crate::docx::styles::StyleKind;
use crate::docx::tables::{self, Cell, Row};
use crate::docx::word;
use crate::edit::{EditError, MOST_LISTED, OpInput, OpReport, excerpt};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, Ns, Splice, Tree};

impl DocumentEdit<'_> {
    /// The new content of a cell: at least one paragraph.
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

    /// Applies `set_table_cells`.
    pub(super) fn set_table_cells(&mut self, input: &OpInput, fields: SetTableCells) -> Result<(), Error> {
        let index = fields.table;
        if fields.cells.is_empty() {
            return Err(input.error("cells", DocumentIssue::Empty { item: "cell" }).into());
        }
        let mut wanted = Vec::new();
        for (at, cell) in fields.cells.into_iter().enumerate() {
            let at = input.at(&format!("cells[{at}]"));
            let missing = |field: &str| {
                EditError::new(format!("{at}.{field}"), DocumentIssue::Missing { what: "a number from 0" })
            };
            let row = cell.row.ok_or_else(|| missing("row"))?;
            let column = cell.col.ok_or_else(|| missing("col"))?;
            // Without this check, a misspelt field would empty the cell.
            if cell.text.is_none() && cell.runs.is_none() && cell.paragraphs.is_none() {
                let issue = DocumentIssue::Missing { what: "the text of the cell (an empty text clears it)" };
                return Err(EditError::new(format!("{at}.text"), issue).into());
            }
            wanted.push((row, column, self.cell(cell, &at)?, at));
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(index, input)?;
        let rows = tables::rows(table);
        let mut splice = Splice::new(main.text());
        let mut filled = HashSet::new();
        let mut texts = Vec::new();
        for (row, column, new, at) in &wanted {
            let cell = find_cell(&rows, *row, *column, at)?;
            if !filled.insert(cell.node.id()) {
                return Err(EditError::new(at, DocumentIssue::CellSetTwice).into());
            }
            if texts.len() < MOST_LISTED {
                let old = excerpt(&cell_text(cell.node));
                let new = excerpt(&new.iter().map(NewParagraph::text).collect::<Vec<_>>().join("\n"));
                texts.push(json!({ "row": row, "col": column, "old": old, "new": new }));
            }
            if let Some(warning) = fill(&mut splice, &tree, cell.node, new, revisions.as_mut(), at) {
                self.warn(warning);
            }
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Set {} of table {index}.", counted(wanted.len(), "cell"));
        let change = OpReport::new(input, summary).with("table", index).with("cells", wanted.len());
        self.report(change.with("texts", texts));
        Ok(())
    }

    /// Applies `append_table_rows`.
    pub(super) fn append_table_rows(&mut self, input: &OpInput, fields: AppendTableRows) -> Result<(), Error> {
        let index = fields.table;
        if fields.rows.iter().all(Vec::is_empty) {
            return Err(input.error("rows", DocumentIssue::Empty { item: "row with one cell" }).into());
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
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(index, input)?;
        let rows = tables::rows(table);
        let Some(last) = rows.last() else {
            return Err(input.error("table", DocumentIssue::TableWithoutRows).into());
        };
        let dialect = Dialect::at(table);
        let mut markup = String::new();
        for (cells, at) in &new {
            // The last row if possible: another row with as many cells may have them in other columns.
            let model = rows.iter().rev().find(|row| row.cells.len() >= cells.len()).unwrap_or(last);
            if cells.len() > model.cells.len() {
                let issue = DocumentIssue::RowTooLong { values: cells.len(), columns: model.cells.len() };
                return Err(EditError::new(at, issue).into());
            }
            markup.push_str(&row_like(model, cells, &[], &dialect, revisions.as_mut()));
        }
        let mut splice = Splice::new(main.text());
        let child = std::iter::once(last.node).chain(last.node.ancestors()).find(|node| node.parent() == Some(table));
        splice.after(child.unwrap_or(last.node), markup);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Added {} to table {index}.", counted(new.len(), "row"));
        let first = rows.len();
        self.report(
            OpReport::new(input, summary).with("table", index).with("rows", new.len()).with("first_row", first),
        );
        Ok(())
    }
}

impl<'t> Body<'t> {
    /// The table with an index.
    pub(super) fn table(&self, index: usize, input: &OpInput) -> Result<Node<'t>, EditError> {
        let tables: Vec<Node<'t>> = self.blocks.iter().filter_map(|b| b.table()).map(|table| table.node).collect();
        tables.get(index).copied().ok_or_else(|| {
            let issue = DocumentIssue::NoTable { index, count: tables.len() };
            input.error("table", issue)
        })
    }
}

/// The text of a cell, a line for each paragraph.
pub(super) fn cell_text(cell: Node<'_>) -> String {
    let paragraphs = cell.descendants().filter(|node| node.is(Ns::W, "p"));
    paragraphs.map(text_of).collect::<Vec<_>>().join("\n")
}

/// The cell at a position of the grid; for one that continues another, that other.
fn find_cell<'t>(rows: &[Row<'t>], row: usize, column: usize, at: &str) -> Result<Cell<'t>, EditError> {
    let covering = |row: usize| {
        let cells = rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        cells.iter().find(|cell| (cell.column..cell.column + cell.span).contains(&column)).copied()
    };
    let columns = tables::columns(rows);
    if row >= rows.len() {
        return Err(EditError::new(format!("{at}.row"), DocumentIssue::NoRow { row, rows: rows.len(), columns }));
    }
    let found = covering(row).ok_or_else(|| {
        EditError::new(format!("{at}.col"), DocumentIssue::NoCell { row, column, rows: rows.len(), columns })
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

/// Replaces the content of a cell. Its properties and the format of its first paragraph stay.
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
            refill(splice, first, head, &dialect, revisions.as_deref_mut());
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
    lost.then(|| format!("{at}: the cell contained a table or image, which the new content replaces"))
}

/// Further paragraphs with the format of the first.
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

pub(super) fn write_cell_paragraph(
    markup: &mut Markup<'_>,
    new: &NewParagraph,
    model: Option<Node<'_>>,
    like: &str,
    revisions: Option<&mut Revisions>,
) {
    markup.open("p", &[]);
    if new.is_formatted() {
        new.write_properties(markup, None, "");
    } else if let Some(properties) = model.map(base_properties).filter(|base| !base.is_empty()) {
        markup.open("pPr", &[]);
        markup.raw(&properties);
        markup.close("pPr");
    }
    new.write_runs_like(markup, like, revisions);
    markup.close("p");
}

/// A new row with the format of another. The cells of the columns `merged` continue the cells above them.
pub(super) fn row_like(
    model: &Row<'_>,
    values: &[Vec<NewParagraph>],
    merged: &[usize],
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
        let mut properties = Children::of(cell.node.child(Ns::W, "tcPr"), CELL);
        skipped.iter().for_each(|name| properties.remove(name));
        if merged.contains(&cell.column) {
            properties.put("vMerge", format!("<{}vMerge/>", dialect.w));
        }
        let properties = properties.finish();
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
pub(super) fn kept_children(node: Option<Node<'_>>, without: &[&str]) -> String {
    let children = node.into_iter().flat_map(Node::elements);
    children.filter(|child| !without.contains(&child.local())).map(Node::source).collect()
}

/// Word's own limit.
pub(super) const MOST_COLUMNS: usize = 63;
/// The text width of A4 with usual margins, in twentieths of a point.
const USUAL_WIDTH: i64 = 9026;

/// A table to be written.
struct NewTable {
    rows: Vec<Vec<Vec<NewParagraph>>>,
    columns: usize,
    header: bool,
    style: Option<String>,
    width: i64,
}

impl DocumentEdit<'_> {
    /// Applies `insert_table`.
    pub(super) fn insert_table(&mut self, input: &OpInput, fields: InsertTable) -> Result<(), Error> {
        let mut rows = Vec::new();
        let header = self.header_row(fields.header, &mut rows, input)?;
        for (at, row) in fields.rows.into_iter().enumerate() {
            let cells = row.into_iter().enumerate();
            let cells =
                cells.map(|(column, cell)| self.cell(cell.into_fields(), &input.at(&format!("rows[{at}][{column}]"))));
            rows.push(cells.collect::<Result<Vec<_>, _>>()?);
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return Err(input.error("rows", DocumentIssue::TableWithoutCells).into());
        }
        if columns > MOST_COLUMNS {
            return Err(input.error("rows", DocumentIssue::TooManyColumns { columns, limit: MOST_COLUMNS }).into());
        }
        let style =
            self.style(StyleKind::Table, fields.style.as_deref().unwrap_or("Table Grid"), &input.at("style"))?;
        let mut table = NewTable { rows, columns, header, style, width: USUAL_WIDTH };
        let words = self.put_table(&mut table, &fields.position, fields.track_changes, input)?;
        let summary = format!(
            "Inserted a table of {} and {} {words}.",
            counted(table.rows.len(), "row"),
            counted(columns, "column")
        );
        self.report(OpReport::new(input, summary).with("rows", table.rows.len()).with("columns", columns));
        Ok(())
    }

    /// `header` is true if the first row is a header, or it has the texts of one.
    fn header_row(
        &mut self,
        header: Option<Value>,
        rows: &mut Vec<Vec<Vec<NewParagraph>>>,
        input: &OpInput,
    ) -> Result<bool, Error> {
        match header {
            None => Ok(false),
            Some(Value::Bool(header)) => Ok(header),
            Some(Value::Array(texts)) => {
                let cells = texts.iter().map(|text| match text {
                    Value::String(text) => vec![NewParagraph::plain(&self.clean(text, &input.at("header")), None)],
                    other => vec![NewParagraph::plain(&other.to_string(), None)],
                });
                rows.push(cells.collect());
                Ok(true)
            }
            Some(_) => Err(input.error("header", DocumentIssue::InvalidHeader).into()),
        }
    }

    fn put_table(
        &mut self,
        table: &mut NewTable,
        position: &Position,
        track: Option<bool>,
        input: &OpInput,
    ) -> Result<&'static str, Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(position, &body, input)?;
        table.width = text_width(body.node);
        let dialect = Dialect::at(body.node);
        let is_table = |node: Option<Node<'_>>| node.is_some_and(|node| node.is(Ns::W, "tbl"));
        let words = gap.words;
        let mut splice = Splice::new(main.text());
        if let (Some(revisions), Some(last)) = (revisions.as_mut(), tail(&body, &gap)) {
            behind_last(&mut splice, last, gap.at, &dialect, revisions, |markup, revisions, old| {
                table.write(markup, Some(revisions));
                markup.open("p", &[]);
                let history = history_of(old, &dialect, revisions);
                NewParagraph::default().write_properties(markup, None, &history);
                markup.close("p");
            });
        } else {
            let mut markup = Markup::new(&dialect);
            // Adjacent tables become one, and Word requires a paragraph after the last.
            if is_table(gap.before) {
                NewParagraph::default().write(&mut markup, revisions.as_mut());
            }
            table.write(&mut markup, revisions.as_mut());
            if is_table(gap.behind) || gap.behind.is_none() {
                NewParagraph::default().write(&mut markup, revisions.as_mut());
            }
            insert_into_body(&mut splice, body.node, gap.at, &markup.finish());
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        Ok(words)
    }
}

/// The width of the text, from the page of the last section.
pub(super) fn text_width(body: Node<'_>) -> i64 {
    let section = body.child(Ns::W, "sectPr");
    let size = |element: &str, attribute: &str| {
        section.and_then(|section| section.child(Ns::W, element)).and_then(|node| word::number(node, attribute))
    };
    let width = size("pgSz", "w").zip(size("pgMar", "left")).zip(size("pgMar", "right"));
    let width = width.map(|((page, left), right)| page.saturating_sub(left).saturating_sub(right));
    width.filter(|width| (720..=31_680).contains(width)).unwrap_or(USUAL_WIDTH)
}

impl NewTable {
    fn write(&self, markup: &mut Markup<'_>, mut revisions: Option<&mut Revisions>) {
        let column = (self.width / i64::try_from(self.columns).unwrap_or(1)).to_string();
        markup.open("tbl", &[]);
        markup.open("tblPr", &[]);
        if let Some(style) = &self.style {
            markup.val("tblStyle", style);
        }
        markup.tag("tblW", &[("w", "0"), ("type", "auto")]);
        if self.style.is_none() {
            write_borders(markup);
        }
        let first = if self.header { "1" } else { "0" };
        let look = [
            ("firstRow", first),
            ("lastRow", "0"),
            ("firstColumn", "0"),
            ("lastColumn", "0"),
            ("noHBand", "0"),
            ("noVBand", "1"),
        ];
        markup.tag("tblLook", &look);
        markup.close("tblPr");
        markup.open("tblGrid", &[]);
        for _ in 0..self.columns {
            markup.tag("gridCol", &[("w", &column)]);
        }
        markup.close("tblGrid");
        for (at, row) in self.rows.iter().enumerate() {
            self.write_row(markup, row, self.header && at == 0, &column, revisions.as_deref_mut());
        }
        markup.close("tbl");
    }

    fn write_row(
        &self,
        markup: &mut Markup<'_>,
        row: &[Vec<NewParagraph>],
        header: bool,
        width: &str,
        mut revisions: Option<&mut Revisions>,
    ) {
        let mark = revisions.as_deref_mut().map(|revisions| revisions.element("ins", markup.dialect));
        markup.open("tr", &[]);
        if header || mark.is_some() {
            markup.open("trPr", &[]);
            if header {
                markup.tag("tblHeader", &[]);
            }
            markup.raw(mark.as_deref().unwrap_or_default());
            markup.close("trPr");
        }
        let empty = vec![NewParagraph::default()];
        for at in 0..self.columns {
            markup.open("tc", &[]);
            markup.open("tcPr", &[]);
            markup.tag("tcW", &[("w", width), ("type", "dxa")]);
            markup.close("tcPr");
            for paragraph in row.get(at).unwrap_or(&empty) {
                let paragraph = if header { paragraph.clone().bold() } else { paragraph.clone() };
                markup.open("p", &[]);
                paragraph.write_properties(markup, None, "");
                paragraph.write_runs(markup, revisions.as_deref_mut());
                markup.close("p");
            }
            markup.close("tc");
        }
        markup.close("tr");
    }
}

/// Plain lines, for a table without a style.
fn write_borders(markup: &mut Markup<'_>) {
    let (left, right) = if markup.dialect.strict { ("start", "end") } else { ("left", "right") };
    markup.open("tblBorders", &[]);
    for side in ["top", left, "bottom", right, "insideH", "insideV"] {
        markup.tag(side, &[("val", "single"), ("sz", "4"), ("space", "0"), ("color", "auto")]);
    }
    markup.close("tblBorders");
}
