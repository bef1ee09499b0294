//! The columns of tables when columns of their sheet are inserted or deleted: each has an entry with a name, which must
//! be the text of its header cell.

use std::collections::HashSet;

use super::super::rewrite_references::{self, Rewriter};
use super::super::stale::Stale;
use super::super::tables::Table;
use super::super::values::NewValue;
use super::super::{CellWrite, WorkbookEdit};
use crate::edit::OpInput;
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{Axis, Edit, EditKind};
use crate::xml::{Node, Ns, Splice};

/// The entries of a table that an edit inserts or deletes: from which on, counted from 0, and how many.
fn touched(range: CellRange, edit: &Edit) -> Option<(usize, usize)> {
    if edit.axis != Axis::Columns {
        return None;
    }
    let (left, right) = (range.start().col(), range.end().col());
    match edit.kind {
        EditKind::Insert if edit.at > left && edit.at <= right => {
            Some(((edit.at - left) as usize, edit.count as usize))
        }
        EditKind::Insert => None,
        EditKind::Delete => {
            let (from, to) = (edit.at.max(left), (edit.at + edit.count - 1).min(right));
            (from <= to).then(|| ((from - left) as usize, (to - from + 1) as usize))
        }
    }
}

/// Adds or removes the entries of a table's columns.
pub(super) fn change(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit) {
    let Some(range) = root.attr("ref").and_then(|text| text.parse::<CellRange>().ok()) else { return };
    let (Some((from, count)), Some(list)) = (touched(range, edit), root.child(Ns::S, "tableColumns")) else { return };
    let columns: Vec<Node<'_>> = list.children_named(Ns::S, "tableColumn").collect();
    let left = match edit.kind {
        EditKind::Delete => {
            let gone: Vec<Node<'_>> = columns.iter().copied().skip(from).take(count).collect();
            gone.iter().for_each(|node| splice.remove(*node));
            columns.len() - gone.len()
        }
        EditKind::Insert => {
            let taken: HashSet<String> =
                columns.iter().filter_map(|node| node.attr("name")).map(|name| name.to_lowercase()).collect();
            let ids = columns.iter().filter_map(|node| node.attr("id")?.trim().parse::<u32>().ok());
            let first = ids.max().unwrap_or(0).saturating_add(1);
            let prefix = list.prefix();
            let free =
                (1_u32..).map(|number| format!("Column{number}")).filter(|name| !taken.contains(&name.to_lowercase()));
            let markup: String = (first..)
                .zip(free)
                .take(count)
                .map(|(id, name)| format!("<{prefix}tableColumn id=\"{id}\" name=\"{name}\"/>"))
                .collect();
            match columns.get(from) {
                Some(next) => splice.before(*next, markup),
                None => splice.append(list, markup),
            }
            columns.len() + count
        }
    };
    if list.attr("count").is_some() {
        splice.set_attr(list, "count", &left.to_string());
    }
}

/// Makes references to columns that are about to be deleted `#REF!`.
pub(super) fn lose_references(editor: &mut WorkbookEdit<'_>, part: &str, edit: &Edit) -> Result<(), Error> {
    let tables: Vec<Table> = editor.tables(part)?.clone();
    for table in tables {
        let Some((from, count)) = touched(table.range, edit) else { continue };
        let columns: Vec<String> = table.columns.iter().skip(from).take(count).map(|(name, _)| name.clone()).collect();
        let rewriter = Rewriter::TableColumns { sheet: &edit.sheet, table: &table.name, columns: &columns };
        let stale = Stale::new(editor, &rewriter);
        rewrite_references::rewrite(editor, &stale)?;
    }
    editor.forget_tables();
    Ok(())
}

/// Writes the names of new columns into the header cells of their tables, and returns them.
pub(super) fn write_headers(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    edit: &Edit,
) -> Result<Vec<String>, Error> {
    let tables: Vec<Table> = editor.tables(part)?.clone();
    let mut writes = Vec::new();
    let mut names = Vec::new();
    for table in tables {
        let last = edit.at + edit.count - 1;
        let (left, right) = (table.range.start().col(), table.range.end().col());
        // The table has grown already; one that begins or ends beside the new columns has not.
        if edit.at <= left || last >= right {
            continue;
        }
        for col in edit.at..=last {
            let Some((name, _)) = table.columns.get((col - left) as usize) else { continue };
            names.push(format!("{}[{name}]", table.name));
            if let Some(at) = CellRef::new(table.range.start().row(), col).filter(|_| table.header_rows > 0) {
                let value = Some(NewValue::Text(name.clone()));
                writes.push(CellWrite { at, value, patch: None, field: input.at("column") });
            }
        }
    }
    editor.write_cells(input, part, writes)?;
    Ok(names)
}
