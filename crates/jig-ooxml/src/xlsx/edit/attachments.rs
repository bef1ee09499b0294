//! What belongs to single cells besides their content: links, notes and comment threads. They move with their cells.

use super::WorkbookEdit;
use crate::edit::overlap;
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xml::{Node, Ns, Splice};

/// The new place of a cell; none if what belongs to it is removed.
pub(super) type Places<'a> = dyn Fn(CellRef) -> Option<CellRef> + 'a;

/// Moves links, notes and threads to the new places of their cells.
pub(super) fn relocate(editor: &mut WorkbookEdit<'_>, part: &str, places: &Places<'_>) -> Result<(), Error> {
    editor.edit_frame(part, |root, splice| {
        if let Some(list) = root.child(Ns::S, "hyperlinks") {
            let nodes: Vec<Node<'_>> = list.children_named(Ns::S, "hyperlink").collect();
            cells_in(&nodes, list, splice, places);
        }
        Ok(())
    })?;
    let relationships = Relationships::read(&editor.package, part)?;
    for found in &relationships.list {
        let Some(part) = found.part.clone().filter(|part| editor.package.has(part)) else { continue };
        match found.kind.as_str() {
            "comments" | "threadedComment" => edit_part(editor, &part, |root, splice| {
                let is_comment = |node: &Node<'_>| matches!(node.local(), "comment" | "threadedComment");
                let nodes: Vec<Node<'_>> = root.descendants().filter(|n| n.is_element()).filter(is_comment).collect();
                for node in nodes {
                    single(node, splice, places);
                }
            })?,
            "vmlDrawing" => edit_part(editor, &part, |root, splice| boxes(root, splice, places))?,
            _ => {}
        }
    }
    editor.flush()
}

/// Changes a part by splicing. One that cannot be read, as old VML, stays as it is with a warning.
pub(super) fn edit_part(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    change: impl FnOnce(Node<'_>, &mut Splice<'_>),
) -> Result<(), Error> {
    let Ok(mut content) = editor.package.xml(part) else {
        editor.warnings.push(format!("the part {part} cannot be read and stays as it is"));
        return Ok(());
    };
    let text = {
        let Ok(tree) = content.tree(editor.package.limits()) else {
            editor.warnings.push(format!("the part {part} cannot be read and stays as it is"));
            return Ok(());
        };
        let mut splice = Splice::new(&content.text);
        change(tree.root(), &mut splice);
        if splice.is_empty() {
            return Ok(());
        }
        splice.finish().map_err(|error| overlap(part, &error))?
    };
    content.text = text;
    editor.package.set_xml(&content);
    Ok(())
}

fn cells_in(nodes: &[Node<'_>], list: Node<'_>, splice: &mut Splice<'_>, places: &Places<'_>) {
    let gone = |node: &&Node<'_>| single_place(**node).is_some_and(|at| places(at).is_none());
    if !nodes.is_empty() && nodes.iter().filter(gone).count() == nodes.len() {
        splice.remove(list);
        return;
    }
    for node in nodes {
        single(*node, splice, places);
    }
}

/// The cell of a node that belongs to one cell only.
fn single_place(node: Node<'_>) -> Option<CellRef> {
    let range: CellRange = node.attr("ref")?.parse().ok()?;
    (range.cells() == 1).then(|| range.start())
}

fn single(node: Node<'_>, splice: &mut Splice<'_>, places: &Places<'_>) {
    let Some(at) = single_place(node) else { return };
    match places(at) {
        Some(new) if new != at => splice.set_attr(node, "ref", &new.to_string()),
        Some(_) => {}
        None => splice.remove(node),
    }
}

/// The boxes of notes in a VML drawing.
fn boxes(root: Node<'_>, splice: &mut Splice<'_>, places: &Places<'_>) {
    for data in root.descendants().filter(|node| node.is_element() && node.local() == "ClientData") {
        if data.attr("ObjectType").as_deref() != Some("Note") {
            continue;
        }
        let child = |name: &str| data.elements().find(|node| node.local() == name);
        let number = |name: &str| child(name).and_then(|node| node.text().trim().parse::<u32>().ok());
        let (Some(row), Some(col)) = (number("Row"), number("Column")) else { continue };
        let Some(at) = CellRef::new(row.saturating_add(1), col.saturating_add(1)) else { continue };
        let Some(new) = places(at) else {
            if let Some(shape) = data.parent().filter(|shape| shape.local() == "shape") {
                splice.remove(shape);
            }
            continue;
        };
        if new == at {
            continue;
        }
        let set = |splice: &mut Splice<'_>, name: &str, value: u32| {
            if let Some(node) = child(name) {
                splice.set_text(node, &value.to_string());
            }
        };
        set(splice, "Row", new.row() - 1);
        set(splice, "Column", new.col() - 1);
        if let Some(anchor) = child("Anchor") {
            let (down, right) =
                (i64::from(new.row()) - i64::from(at.row()), i64::from(new.col()) - i64::from(at.col()));
            let text = anchor.text();
            let moved: Vec<String> = text
                .split(',')
                .map(str::trim)
                .enumerate()
                .map(|(place, number)| match (place, number.parse::<i64>()) {
                    (0 | 4, Ok(number)) => (number + right).max(0).to_string(),
                    (2 | 6, Ok(number)) => (number + down).max(0).to_string(),
                    _ => number.to_owned(),
                })
                .collect();
            splice.set_text(anchor, &moved.join(", "));
        }
    }
}
