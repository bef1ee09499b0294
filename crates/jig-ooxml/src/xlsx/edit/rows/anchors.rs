//! Moves the anchors of images, charts and comment boxes. Rows and columns count from 0 here.

use crate::xlsx::formula::{Axis, Edit, EditKind};
use crate::xml::{Node, Ns, Splice};

/// The new row or column of an anchor. One in deleted rows or columns moves to their position.
fn moved(row: u32, edit: &Edit) -> u32 {
    let number = row.saturating_add(1);
    match edit.kind {
        EditKind::Insert if number >= edit.at => row.saturating_add(edit.count),
        EditKind::Delete if number >= edit.at.saturating_add(edit.count) => row - edit.count,
        EditKind::Delete if number >= edit.at => edit.at.saturating_sub(1),
        _ => row,
    }
}

/// The row or column of one end of an anchor.
fn line_of(marker: Node<'_>, axis: Axis) -> Option<(Node<'_>, u32)> {
    let node = marker.child(
        Ns::Xdr,
        match axis {
            Axis::Rows => "row",
            Axis::Columns => "col",
        },
    )?;
    Some((node, node.text().trim().parse().ok()?))
}

/// One end of an anchor.
pub(super) fn marker(node: Node<'_>, splice: &mut Splice<'_>, edit: &Edit) {
    if let Some((node, row)) = line_of(node, edit.axis) {
        put(node, row, moved(row, edit), splice);
    }
}

fn put(node: Node<'_>, old: u32, new: u32, splice: &mut Splice<'_>) {
    if new != old {
        splice.set_text(node, &new.to_string());
    }
}

/// The anchors of a drawing.
pub(super) fn drawing(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, _: &mut Vec<String>) {
    let anchors = root.descendants().filter(|node| node.is_element() && node.ns() == Ns::Xdr);
    for anchor in anchors.filter(|node| matches!(node.local(), "twoCellAnchor" | "oneCellAnchor")) {
        let Some((from, top)) = anchor.child(Ns::Xdr, "from").and_then(|end| line_of(end, edit.axis)) else { continue };
        let to = anchor.child(Ns::Xdr, "to").and_then(|end| line_of(end, edit.axis));
        match anchor.attr("editAs").as_deref() {
            Some("absolute") => {}
            // It moves but keeps its size.
            Some("oneCell") => {
                let new = moved(top, edit);
                put(from, top, new, splice);
                if let Some((to, bottom)) = to {
                    put(to, bottom, (bottom + new).saturating_sub(top), splice);
                }
            }
            _ => {
                put(from, top, moved(top, edit), splice);
                if let Some((to, bottom)) = to {
                    put(to, bottom, moved(bottom, edit), splice);
                }
            }
        }
    }
}

/// The boxes of old comments and controls.
pub(super) fn legacy(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, _: &mut Vec<String>) {
    for data in root.descendants().filter(|node| node.is_element() && node.local() == "ClientData") {
        let child = |name: &str| data.elements().find(|node| node.local() == name);
        let (line, places) = match edit.axis {
            Axis::Rows => ("Row", [2, 6]),
            Axis::Columns => ("Column", [0, 4]),
        };
        let row = child(line).and_then(|node| Some((node, node.text().trim().parse::<u32>().ok()?)));
        if let Some((node, row)) = row {
            if super::moved_line(row.saturating_add(1), edit).is_none() {
                // The comment is gone, and its box with it.
                if let Some(shape) = data.parent().filter(|shape| shape.local() == "shape") {
                    splice.remove(shape);
                }
                continue;
            }
            put(node, row, moved(row, edit), splice);
        }
        if let Some(anchor) = child("Anchor") {
            let text = anchor.text();
            let numbers: Vec<&str> = text.split(',').map(str::trim).collect();
            let new: Vec<String> = numbers
                .iter()
                .enumerate()
                .map(|(place, number)| match (place, number.parse::<u32>()) {
                    (place, Ok(row)) if places.contains(&place) => moved(row, edit).to_string(),
                    _ => (*number).to_owned(),
                })
                .collect();
            if numbers != new {
                splice.set_text(anchor, &new.join(", "));
            }
        }
    }
}
