//! Finding a cell, giving it another content, and making rows that look like others.

use crate::docx::blocks::{Block, blocks};
use crate::docx::edit::body::counted;
use crate::docx::edit::exchange::base_properties;
use crate::docx::edit::markup::{Dialect, Markup};
use crate::docx::edit::paragraph::NewParagraph;
use crate::docx::edit::refill::{self, first_run_properties};
use crate::docx::edit::remove::{Breaks, remove_blocks};
use crate::docx::edit::strike::Striker;
use crate::docx::edit::track::Revisions;
use crate::docx::tables::{self, Cell, Row};
use crate::edit::EditError;
use crate::xml::{Node, Ns, Splice, Tree};

/// The cell at a place of the grid; for one that continues another, that other.
pub(super) fn find_cell<'t>(rows: &[Row<'t>], row: usize, column: usize, at: &str) -> Result<Cell<'t>, EditError> {
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
pub(super) fn fill(
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
    } else if let Some(properties) = model.map(base_properties).filter(|base| !base.is_empty()) {
        markup.open("pPr", &[]);
        markup.raw(&properties);
        markup.close("pPr");
    }
    new.write_runs_like(markup, like, revisions);
    markup.close("p");
}

/// A new row that looks like another.
pub(super) fn row_like(
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
