//! Ops on the structure of tables: rows and columns, merged cells, the look of a table, and deleting one.
//!
//! Positions are those of the grid, so a merged cell covers several. Cells that continue others by a merge stay with them.

use jig_file_api::ops::docx_blocks::{
    DeleteTable, DeleteTableColumns, DeleteTableRows, InsertTableColumns, InsertTableRows, MergeTableCells,
    SetTableStyle,
};

use super::blocks::{Breaks, first_run_properties, remove_blocks};
use super::children::{CELL, Children, TABLE};
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::revisions::{Revisions, Striker};
use super::tables::{MOST_COLUMNS, cell_text, kept_children, row_like, write_cell_paragraph};
use super::{Body, DocumentEdit};
use crate::docx::blocks::{Block, blocks};
use crate::docx::styles::StyleKind;
use crate::docx::tables::{self, Cell, Row};
use crate::docx::word;
use crate::edit::{Color, EditError, MOST_LISTED, OpInput, OpReport, excerpt};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, Ns, Splice};

/// The most cells that one op may add.
const MOST_NEW_CELLS: usize = 100_000;

impl DocumentEdit<'_> {
    /// Applies `insert_table_rows`.
    pub(super) fn insert_table_rows(&mut self, input: &OpInput, fields: InsertTableRows) -> Result<(), Error> {
        let mut new: Vec<Vec<Vec<NewParagraph>>> = Vec::new();
        for (at, row) in fields.rows.unwrap_or_default().into_iter().enumerate() {
            let cells = row.into_iter().enumerate();
            let cells =
                cells.map(|(column, cell)| self.cell(cell.into_fields(), &input.at(&format!("rows[{at}][{column}]"))));
            new.push(cells.collect::<Result<Vec<_>, _>>()?);
        }
        let count = fields.count.unwrap_or_else(|| new.len().max(1));
        if count < new.len() {
            return Err(input.error("count", DocumentIssue::Excludes { other: "rows" }).into());
        }
        new.resize(count, Vec::new());
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let model = fields.row.checked_sub(1).and_then(|before| rows.get(before)).or_else(|| rows.first());
        let Some(model) = model.filter(|_| fields.row <= rows.len()) else {
            let issue = match rows.len() {
                0 => DocumentIssue::TableWithoutRows,
                count => DocumentIssue::NoRow { row: fields.row, rows: count, columns: tables::columns(&rows) },
            };
            return Err(input.error("row", issue).into());
        };
        if count.saturating_mul(model.cells.len()) > MOST_NEW_CELLS {
            return Err(input.error("count", DocumentIssue::TooManyCells { limit: MOST_NEW_CELLS }).into());
        }
        let dialect = Dialect::at(table);
        let following = rows.get(fields.row);
        // A new row inside merged cells is part of them.
        let inside: Vec<usize> = following.map_or_else(Vec::new, |row| {
            row.cells.iter().filter(|cell| vertical_merge(cell.node) == Some(false)).map(|cell| cell.column).collect()
        });
        let mut markup = String::new();
        for (at, cells) in new.iter().enumerate() {
            if cells.len() > model.cells.len() {
                let issue = DocumentIssue::RowTooLong { values: cells.len(), columns: model.cells.len() };
                return Err(input.error(&format!("rows[{at}]"), issue).into());
            }
            markup.push_str(&row_like(model, cells, &inside, &dialect, revisions.as_mut()));
        }
        let mut splice = Splice::new(main.text());
        match following {
            Some(row) => splice.before(child_of(table, row.node), markup),
            None => {
                if let Some(last) = rows.last() {
                    splice.after(child_of(table, last.node), markup);
                }
            }
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Inserted {} into table {}.", counted(count, "row"), fields.table);
        self.report(
            OpReport::new(input, summary).with("table", fields.table).with("rows", count).with("first_row", fields.row),
        );
        Ok(())
    }

    /// Applies `delete_table_rows`.
    pub(super) fn delete_table_rows(&mut self, input: &OpInput, fields: &DeleteTableRows) -> Result<(), Error> {
        let count = fields.count.unwrap_or(1);
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let end = fields.row.saturating_add(count);
        let Some(gone) = rows.get(fields.row..end).filter(|gone| !gone.is_empty()) else {
            let row = if fields.row >= rows.len() { fields.row } else { end - 1 };
            let issue = DocumentIssue::NoRow { row, rows: rows.len(), columns: tables::columns(&rows) };
            return Err(input.error("row", issue).into());
        };
        if gone.len() == rows.len() {
            return Err(input.error("row", DocumentIssue::EmptiesTable).suggest(["delete_table"]).into());
        }
        let dialect = Dialect::at(table);
        let mut splice = Splice::new(main.text());
        let old: Vec<String> = gone.iter().take(MOST_LISTED).map(row_text).collect();
        if let Some(revisions) = revisions.as_mut() {
            let mut striker = Striker { splice: &mut splice, dialect: &dialect, revisions };
            gone.iter().for_each(|row| striker.row(row));
        } else {
            let nodes: Vec<Node<'_>> = gone.iter().map(|row| child_of(table, row.node)).collect();
            remove_blocks(&mut splice, &nodes, Breaks::Drop);
            // The rest of a merged cell whose first row goes begins in the row below.
            for cell in rows.get(end).into_iter().flat_map(|row| &row.cells) {
                let starts = gone.iter().any(|row| {
                    row.cells.iter().any(|one| one.column == cell.column && vertical_merge(one.node) == Some(true))
                });
                if starts && vertical_merge(cell.node) == Some(false) {
                    set_cell(&mut splice, cell.node, |children, w| {
                        children.put("vMerge", format!("<{w}vMerge {w}val=\"restart\"/>"));
                    });
                }
            }
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Deleted {} of table {}.", counted(count, "row"), fields.table);
        self.report(
            OpReport::new(input, summary)
                .with("table", fields.table)
                .with("rows", count)
                .with("first_row", fields.row)
                .with("old", old),
        );
        Ok(())
    }

    /// Applies `insert_table_columns`.
    pub(super) fn insert_table_columns(&mut self, input: &OpInput, fields: InsertTableColumns) -> Result<(), Error> {
        let count = fields.count.unwrap_or(1);
        let mut values = Vec::new();
        for (at, cell) in fields.values.unwrap_or_default().into_iter().enumerate() {
            values.push(self.cell(cell.into_fields(), &input.at(&format!("values[{at}]")))?);
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let columns = tables::columns(&rows);
        if fields.column > columns || rows.is_empty() {
            let issue = DocumentIssue::NoColumn { column: fields.column, columns };
            return Err(input.error("column", issue).into());
        }
        if columns + count > MOST_COLUMNS {
            let issue = DocumentIssue::TooManyColumns { columns: columns + count, limit: MOST_COLUMNS };
            return Err(input.error("count", issue).into());
        }
        if values.len() > rows.len() {
            return Err(input
                .error("values", DocumentIssue::MoreValuesThanRows { values: values.len(), rows: rows.len() })
                .into());
        }
        let dialect = Dialect::at(table);
        let mut splice = Splice::new(main.text());
        let grid = Grid::of(table, columns);
        let empty = vec![NewParagraph::default()];
        for (at, row) in rows.iter().enumerate() {
            let inside =
                row.cells.iter().find(|cell| cell.column < fields.column && fields.column < cell.column + cell.span);
            if let Some(cell) = inside {
                let span = cell.span + count;
                set_cell(&mut splice, cell.node, |children, w| {
                    children.put("gridSpan", format!("<{w}gridSpan {w}val=\"{span}\"/>"));
                });
                continue;
            }
            let next = row.cells.iter().find(|cell| cell.column >= fields.column);
            let Some(model) = row.cells.iter().rev().find(|cell| cell.column < fields.column).or(next) else {
                continue;
            };
            let mut markup = String::new();
            for number in 0..count {
                let value = if number == 0 { values.get(at).unwrap_or(&empty) } else { &empty };
                markup.push_str(&cell_like(model, value, &dialect, revisions.as_mut()));
            }
            match next {
                Some(next) => splice.before(child_of(row.node, next.node), markup),
                None => splice.after(child_of(row.node, model.node), markup),
            }
        }
        grid.insert(&mut splice, fields.column, count, &dialect);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Inserted {} into table {}.", counted(count, "column"), fields.table);
        self.report(
            OpReport::new(input, summary)
                .with("table", fields.table)
                .with("columns", count)
                .with("first_column", fields.column),
        );
        Ok(())
    }

    /// Applies `delete_table_columns`.
    pub(super) fn delete_table_columns(&mut self, input: &OpInput, fields: &DeleteTableColumns) -> Result<(), Error> {
        let count = fields.count.unwrap_or(1);
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let columns = tables::columns(&rows);
        let gone = fields.column..fields.column.saturating_add(count);
        if gone.end > columns {
            let column = fields.column.max(gone.end - 1);
            return Err(input.error("column", DocumentIssue::NoColumn { column, columns }).into());
        }
        if gone.len() == columns {
            return Err(input.error("column", DocumentIssue::EmptiesTable).suggest(["delete_table"]).into());
        }
        let dialect = Dialect::at(table);
        let grid = Grid::of(table, columns);
        let mut splice = Splice::new(main.text());
        let mut old = Vec::new();
        for row in &rows {
            let is_gone = |cell: &&Cell<'_>| cell.column >= gone.start && cell.column + cell.span <= gone.end;
            let cells: Vec<&Cell<'_>> = row.cells.iter().filter(is_gone).collect();
            old.extend(cells.iter().filter(|cell| !cell.continues).map(|cell| excerpt(&cell_text(cell.node))));
            let cut = row.cells.iter().filter(|cell| cell.column < gone.end && cell.column + cell.span > gone.start);
            for cell in cut.filter(|cell| !is_gone(cell)) {
                if revisions.is_some() {
                    return Err(input
                        .error("column", DocumentIssue::NotTracked { what: "cutting a merged cell" })
                        .into());
                }
                let span = cell.span - (gone.end.min(cell.column + cell.span) - gone.start.max(cell.column));
                set_cell(&mut splice, cell.node, |children, w| match span {
                    1 => children.remove("gridSpan"),
                    span => children.put("gridSpan", format!("<{w}gridSpan {w}val=\"{span}\"/>")),
                });
            }
            match revisions.as_mut() {
                Some(revisions) => {
                    for cell in cells {
                        // A cell whose insertion is tracked never was in the document.
                        if cell.node.path(Ns::W, &["tcPr", "cellIns"]).is_some() {
                            splice.remove(child_of(row.node, cell.node));
                            continue;
                        }
                        let mark = revisions.element("cellDel", &dialect);
                        set_cell(&mut splice, cell.node, |children, _| children.put("cellDel", mark));
                        let mut striker = Striker { splice: &mut splice, dialect: &dialect, revisions };
                        striker.cell(cell.node);
                    }
                }
                None if cells.len() == row.cells.len() => splice.remove(child_of(table, row.node)),
                None => {
                    let nodes: Vec<Node<'_>> = cells.iter().map(|cell| child_of(row.node, cell.node)).collect();
                    remove_blocks(&mut splice, &nodes, Breaks::Drop);
                }
            }
        }
        if revisions.is_none() {
            grid.remove(&mut splice, &gone);
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        old.truncate(MOST_LISTED);
        let summary = format!("Deleted {} of table {}.", counted(count, "column"), fields.table);
        self.report(
            OpReport::new(input, summary)
                .with("table", fields.table)
                .with("columns", count)
                .with("first_column", fields.column)
                .with("old", old),
        );
        Ok(())
    }

    /// Applies `merge_table_cells`.
    pub(super) fn merge_table_cells(&mut self, input: &OpInput, fields: &MergeTableCells) -> Result<(), Error> {
        let (end_row, end_col) = (fields.end_row.unwrap_or(fields.row), fields.end_col.unwrap_or(fields.col));
        if end_row < fields.row || end_col < fields.col || (end_row == fields.row && end_col == fields.col) {
            return Err(input.error("end_row", DocumentIssue::NothingToMerge).into());
        }
        let styles = self.styles()?;
        if self.revisions(None)?.is_some() {
            self.warn(format!("{}: merging cells is not tracked", input.at("")));
        }
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let columns = tables::columns(&rows);
        if end_row >= rows.len() {
            return Err(input
                .error("end_row", DocumentIssue::NoRow { row: end_row, rows: rows.len(), columns })
                .into());
        }
        let chosen = rows.get(fields.row..=end_row).unwrap_or_default();
        let mut regions: Vec<Vec<Cell<'_>>> = Vec::new();
        for (at, row) in chosen.iter().enumerate() {
            let inside = |cell: &&Cell<'_>| cell.column <= end_col && cell.column + cell.span > fields.col;
            let cells: Vec<Cell<'_>> = row.cells.iter().filter(inside).copied().collect();
            let covers = cells.first().is_some_and(|cell| cell.column == fields.col)
                && cells.last().is_some_and(|cell| cell.column + cell.span == end_col + 1);
            if !covers {
                let row = fields.row + at;
                return Err(input.error("end_col", DocumentIssue::CutsMergedCell { row, columns }).into());
            }
            let wide = cells.iter().any(|cell| vertical_merge(cell.node).is_some_and(|starts| !starts && at == 0));
            if wide || (at + 1 == chosen.len() && continues_below(&rows, end_row, &cells)) {
                return Err(input
                    .error("end_row", DocumentIssue::CutsMergedCell { row: fields.row + at, columns })
                    .into());
            }
            regions.push(cells);
        }
        let dialect = Dialect::at(table);
        let w = &dialect.w;
        let span = end_col + 1 - fields.col;
        let mut splice = Splice::new(main.text());
        let moved: Vec<Node<'_>> = regions
            .iter()
            .flatten()
            .skip(1)
            .flat_map(|cell| blocks(cell.node))
            .map(Block::node)
            .filter(|node| {
                node.is(Ns::W, "tbl")
                    || !super::paragraphs::text_of(*node).trim().is_empty()
                    || node.descendants().any(|inner| inner.is(Ns::W, "drawing"))
            })
            .collect();
        let width: i64 = regions.first().into_iter().flatten().filter_map(|cell| dxa_width(cell.node)).sum();
        for (at, cells) in regions.iter().enumerate() {
            let Some((first, others)) = cells.split_first() else { continue };
            set_cell(&mut splice, first.node, |children, w| {
                if span > 1 {
                    children.put("gridSpan", format!("<{w}gridSpan {w}val=\"{span}\"/>"));
                    if width > 0 {
                        children.put("tcW", format!("<{w}tcW {w}w=\"{width}\" {w}type=\"dxa\"/>"));
                    }
                }
                if regions.len() > 1 {
                    let value = if at == 0 { format!(" {w}val=\"restart\"") } else { String::new() };
                    children.put("vMerge", format!("<{w}vMerge{value}/>"));
                }
            });
            for cell in others {
                splice.remove(cell.node);
            }
            if at > 0 {
                for block in blocks(first.node) {
                    splice.remove(block.node());
                }
                splice.append(first.node, format!("<{w}p{}/>", dialect.declare));
            }
        }
        if let Some(first) = regions.first().and_then(|cells| cells.first()) {
            let markup: String = moved.iter().map(|node| node.source()).collect();
            let empty = cell_text(first.node).is_empty() && blocks(first.node).len() == 1;
            let only = blocks(first.node)
                .first()
                .map(|block| block.node())
                .filter(|node| empty && !node.descendants().any(|n| n.is(Ns::W, "drawing")));
            let ends_in_paragraph = moved.last().is_some_and(|node| node.is(Ns::W, "p"));
            match only.filter(|_| ends_in_paragraph) {
                Some(paragraph) => splice.replace(paragraph.range(), markup),
                None if !markup.is_empty() => {
                    let end = if ends_in_paragraph { String::new() } else { format!("<{w}p{}/>", dialect.declare) };
                    splice.append(first.node, format!("{markup}{end}"));
                }
                None => {}
            }
        }
        self.splice_main(splice)?;
        let (tall, wide) = (chosen.len(), span);
        let summary =
            format!("Merged {} by {} of table {}.", counted(tall, "row"), counted(wide, "column"), fields.table);
        self.report(OpReport::new(input, summary).with("table", fields.table).with("rows", tall).with("columns", wide));
        Ok(())
    }

    /// Applies `set_table_style`.
    pub(super) fn set_table_style(&mut self, input: &OpInput, fields: &SetTableStyle) -> Result<(), Error> {
        let style = match &fields.style {
            Some(name) => self.style(StyleKind::Table, name, &input.at("style"))?,
            None => None,
        };
        let color = |text: &Option<String>| text.as_deref().and_then(Color::parse);
        let styles = self.styles()?;
        if self.revisions(None)?.is_some() {
            self.warn(format!("{}: the look of a table is not tracked", input.at("")));
        }
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let columns = tables::columns(&rows);
        let dialect = Dialect::at(table);
        let w = &dialect.w;
        let mut splice = Splice::new(main.text());
        let properties = table.child(Ns::W, "tblPr");
        let mut children = Children::of(properties, TABLE);
        let mut parts: Vec<&str> = Vec::new();
        if let Some(style) = &style {
            let mut markup = Markup::new(&dialect);
            markup.val("tblStyle", style);
            children.put("tblStyle", markup.finish());
            parts.push("style");
        }
        if let Some(borders) = &fields.borders {
            let size = (fields.border_width.unwrap_or(0.5) * 8.0).round().clamp(2.0, 96.0);
            children.put("tblBorders", borders_markup(borders, size, color(&fields.border_color).as_ref(), &dialect));
            parts.push("borders");
        } else if fields.border_color.is_some() || fields.border_width.is_some() {
            return Err(input.error("borders", DocumentIssue::Missing { what: "which lines the table has" }).into());
        }
        if let Some(alignment) = fields.alignment.as_deref().filter(|name| *name != "justify") {
            let value = match (alignment, dialect.strict) {
                ("left", true) => "start",
                ("right", true) => "end",
                (other, _) => other,
            };
            children.put("jc", format!("<{w}jc {w}val=\"{value}\"/>"));
            parts.push("alignment");
        }
        if let Some(widths) = &fields.column_widths {
            check_widths(widths, columns, input)?;
            let total: i64 = widths.iter().map(|inches| (inches * 1440.0).round() as i64).sum();
            children.put("tblW", format!("<{w}tblW {w}w=\"{total}\" {w}type=\"dxa\"/>"));
            children.put("tblLayout", format!("<{w}tblLayout {w}type=\"fixed\"/>"));
            parts.push("widths");
        }
        match properties {
            Some(properties) => children.write(&mut splice, properties),
            None => splice.prepend(table, format!("<{w}tblPr{}>{}</{w}tblPr>", dialect.declare, children.finish())),
        }
        if let Some(widths) = &fields.column_widths {
            Grid::of(table, columns).resize(&mut splice, table, widths, &dialect);
        }
        let (all, header) = (color(&fields.shading), color(&fields.header_shading));
        let headers = fields.header_rows;
        parts.extend(all.is_some().then_some("shading"));
        parts.extend(header.is_some().then_some("header shading"));
        parts.extend(headers.is_some().then_some("header rows"));
        if parts.is_empty() {
            return Err(input
                .error("style", DocumentIssue::Missing { what: "what to set, such as the style of the table" })
                .into());
        }
        for (at, row) in rows.iter().enumerate() {
            if let Some(count) = headers {
                set_header(&mut splice, row.node, at < count, &dialect);
            }
            let fill = if at == 0 { header.as_ref().or(all.as_ref()) } else { all.as_ref() };
            for cell in &row.cells {
                let width = fields.column_widths.as_ref().map(|widths| {
                    let covered = widths.iter().skip(cell.column).take(cell.span);
                    covered.map(|inches| (inches * 1440.0).round() as i64).sum::<i64>()
                });
                if fill.is_none() && width.is_none() {
                    continue;
                }
                set_cell(&mut splice, cell.node, |children, w| {
                    if let Some(fill) = fill {
                        let rgb = fill.rgb();
                        children.put("shd", format!("<{w}shd {w}val=\"clear\" {w}color=\"auto\" {w}fill=\"{rgb}\"/>"));
                    }
                    if let Some(width) = width {
                        children.put("tcW", format!("<{w}tcW {w}w=\"{width}\" {w}type=\"dxa\"/>"));
                    }
                });
            }
        }
        self.splice_main(splice)?;
        let summary = format!("Set the {} of table {}.", parts.join(", "), fields.table);
        self.report(OpReport::new(input, summary).with("table", fields.table).with("set", parts));
        Ok(())
    }

    /// Applies `delete_table`.
    pub(super) fn delete_table(&mut self, input: &OpInput, fields: &DeleteTable) -> Result<(), Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let table = body.table(fields.table, input)?;
        let rows = tables::rows(table);
        let old: Vec<String> = rows.iter().take(MOST_LISTED).map(row_text).collect();
        let dialect = Dialect::at(table);
        let mut splice = Splice::new(main.text());
        let mut warnings = Vec::new();
        match revisions.as_mut() {
            Some(revisions) => Striker { splice: &mut splice, dialect: &dialect, revisions }.table(table),
            None => {
                let position = body.blocks.iter().position(|block| block.node() == table).unwrap_or(0);
                let removed = remove_blocks(&mut splice, &body.units(&(position..position + 1)), Breaks::Drop);
                warnings = removed.warnings(&input.at(""), Breaks::Drop);
            }
        }
        warnings.into_iter().for_each(|warning| self.warn(warning));
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Deleted table {} of {}.", fields.table, counted(rows.len(), "row"));
        self.report(
            OpReport::new(input, summary).with("table", fields.table).with("rows", rows.len()).with("old", old),
        );
        Ok(())
    }
}

/// The child of an element that is or contains a node: rows and cells can be in content controls.
fn child_of<'t>(parent: Node<'t>, node: Node<'t>) -> Node<'t> {
    std::iter::once(node).chain(node.ancestors()).find(|one| one.parent() == Some(parent)).unwrap_or(node)
}

fn row_text(row: &Row<'_>) -> String {
    excerpt(&row.cells.iter().map(|cell| cell_text(cell.node)).collect::<Vec<_>>().join(" | "))
}

/// Whether a cell begins (`true`) or continues a vertical merge.
fn vertical_merge(cell: Node<'_>) -> Option<bool> {
    let merge = cell.path(Ns::W, &["tcPr", "vMerge"])?;
    Some(word::val(merge).is_some_and(|value| value == "restart"))
}

fn continues_below(rows: &[Row<'_>], row: usize, cells: &[Cell<'_>]) -> bool {
    let below = rows.get(row + 1).into_iter().flat_map(|row| &row.cells);
    below
        .filter(|cell| vertical_merge(cell.node) == Some(false))
        .any(|cell| cells.iter().any(|one| one.column == cell.column))
}

fn dxa_width(cell: Node<'_>) -> Option<i64> {
    let width = cell.path(Ns::W, &["tcPr", "tcW"])?;
    let is_dxa = word::attr(width, "type").is_none_or(|kind| kind == "dxa");
    word::number(width, "w").filter(|width| is_dxa && *width > 0)
}

/// Changes the properties of a cell.
fn set_cell(splice: &mut Splice<'_>, cell: Node<'_>, change: impl FnOnce(&mut Children, &str)) {
    let dialect = Dialect::at(cell);
    let properties = cell.child(Ns::W, "tcPr");
    let mut children = Children::of(properties, CELL);
    change(&mut children, &dialect.w);
    match properties {
        Some(properties) => children.write(splice, properties),
        None => {
            splice.prepend(cell, format!("<{w}tcPr{}>{}</{w}tcPr>", dialect.declare, children.finish(), w = dialect.w));
        }
    }
}

/// Makes a row one that is repeated on each page, or no longer.
fn set_header(splice: &mut Splice<'_>, row: Node<'_>, on: bool, dialect: &Dialect) {
    let properties = row.child(Ns::W, "trPr");
    let is_on = properties.and_then(|properties| word::switch(properties, "tblHeader")).unwrap_or(false);
    if is_on == on {
        return;
    }
    let w = &dialect.w;
    let old = properties.and_then(|properties| properties.child(Ns::W, "tblHeader"));
    match (old, properties) {
        (Some(old), _) if on => splice.replace(old.range(), format!("<{w}tblHeader/>")),
        (Some(old), _) => splice.remove(old),
        (None, Some(properties)) => splice.prepend(properties, format!("<{w}tblHeader/>")),
        (None, None) => {
            let markup = format!("<{w}trPr{}><{w}tblHeader/></{w}trPr>", dialect.declare);
            match row.child(Ns::W, "tblPrEx") {
                Some(exceptions) => splice.after(exceptions, markup),
                None => splice.prepend(row, markup),
            }
        }
    }
}

/// A new cell with the format of another.
fn cell_like(
    model: &Cell<'_>,
    value: &[NewParagraph],
    dialect: &Dialect,
    mut revisions: Option<&mut Revisions>,
) -> String {
    let skipped = ["vMerge", "hMerge", "gridSpan", "cnfStyle", "tcPrChange", "cellIns", "cellDel", "cellMerge"];
    let mut properties = kept_children(model.node.child(Ns::W, "tcPr"), &skipped);
    if let Some(revisions) = revisions.as_deref_mut() {
        properties.push_str(&revisions.element("cellIns", dialect));
    }
    let mut markup = Markup::new(dialect);
    markup.open("tc", &[]);
    if !properties.is_empty() {
        markup.open("tcPr", &[]);
        markup.raw(&properties);
        markup.close("tcPr");
    }
    let first = blocks(model.node).into_iter().map(Block::node).find(|node| node.is(Ns::W, "p"));
    let like = first.map(first_run_properties).unwrap_or_default();
    for paragraph in value {
        write_cell_paragraph(&mut markup, paragraph, first, &like, revisions.as_deref_mut());
    }
    markup.close("tc");
    markup.finish()
}

fn check_widths(widths: &[f64], columns: usize, input: &OpInput) -> Result<(), EditError> {
    if widths.len() != columns {
        return Err(input.error("column_widths", DocumentIssue::WidthCount { widths: widths.len(), columns }));
    }
    match widths.iter().find(|width| !(0.05..=22.0).contains(*width)) {
        Some(width) => {
            Err(input.error("column_widths", DocumentIssue::Distance { value: *width, least: 0.05, most: 22.0 }))
        }
        None => Ok(()),
    }
}

/// The lines of a table; those that it does not have are written too, since its style may have them.
fn borders_markup(kind: &str, size: f64, color: Option<&Color>, dialect: &Dialect) -> String {
    let (left, right) = if dialect.strict { ("start", "end") } else { ("left", "right") };
    let (outer, rows, columns) = match kind {
        "all" => (true, true, true),
        "outer" => (true, false, false),
        "inner" => (false, true, true),
        "horizontal" => (false, true, false),
        _ => (false, false, false),
    };
    let edge = outer || kind == "horizontal";
    let sides =
        [("top", edge), (left, outer), ("bottom", edge), (right, outer), ("insideH", rows), ("insideV", columns)];
    let (size, color) = (size.to_string(), color.map_or("auto", Color::rgb));
    let mut markup = Markup::new(dialect);
    markup.open("tblBorders", &[]);
    for (side, on) in sides {
        match on {
            true => markup.tag(side, &[("val", "single"), ("sz", &size), ("space", "0"), ("color", color)]),
            false => markup.val(side, "nil"),
        }
    }
    markup.close("tblBorders");
    markup.finish()
}

/// The columns of a table as it declares them.
struct Grid<'t> {
    columns: Vec<Node<'t>>,
    node: Option<Node<'t>>,
    /// Whether it declares as many as the table has; others are left alone.
    complete: bool,
}

impl<'t> Grid<'t> {
    fn of(table: Node<'t>, columns: usize) -> Self {
        let node = table.child(Ns::W, "tblGrid");
        let list: Vec<Node<'t>> = node.into_iter().flat_map(|grid| grid.children_named(Ns::W, "gridCol")).collect();
        Self { complete: list.len() == columns, columns: list, node }
    }

    /// Adds columns as wide as the one before them.
    fn insert(&self, splice: &mut Splice<'_>, at: usize, count: usize, dialect: &Dialect) {
        let model = at.checked_sub(1).and_then(|before| self.columns.get(before)).or_else(|| self.columns.first());
        let Some(model) = model.filter(|_| self.complete) else {
            return;
        };
        let width = word::attr(*model, "w").unwrap_or_else(|| "1440".into());
        let w = &dialect.w;
        let markup =
            format!("<{w}gridCol{} {w}w=\"{}\"/>", dialect.declare, crate::xml::escape_attribute(&width)).repeat(count);
        match self.columns.get(at) {
            Some(next) => splice.before(*next, markup),
            None => {
                if let Some(last) = self.columns.last() {
                    splice.after(*last, markup);
                }
            }
        }
    }

    fn remove(&self, splice: &mut Splice<'_>, gone: &std::ops::Range<usize>) {
        if self.complete {
            self.columns.get(gone.clone()).unwrap_or_default().iter().for_each(|column| splice.remove(*column));
        }
    }

    fn resize(&self, splice: &mut Splice<'_>, table: Node<'t>, widths: &[f64], dialect: &Dialect) {
        let w = &dialect.w;
        let columns: String = widths
            .iter()
            .map(|inches| format!("<{w}gridCol {w}w=\"{}\"/>", (inches * 1440.0).round() as i64))
            .collect();
        match self.node {
            Some(node) => splice.set_inner(node, columns),
            None => {
                let markup = format!("<{w}tblGrid{}>{columns}</{w}tblGrid>", dialect.declare);
                match table.child(Ns::W, "tblPr") {
                    Some(properties) => splice.after(properties, markup),
                    None => splice.prepend(table, markup),
                }
            }
        }
    }
}
