//! What moves around the cells: ranges in the frame of the sheet, and the parts that belong to it.

use std::collections::BTreeSet;

use super::super::WorkbookEdit;
use super::super::rewrite_references::{Report, Rewriter, formulas_in};
use super::{anchors, table_columns};
use crate::edit::overlap;
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN};
use crate::xlsx::formula::{Axis, Edit, EditKind, shift_range, shift_sqref};
use crate::xml::{Node, NodeId, Ns, Splice};

/// Shifts everything in the frame of the edited sheet.
pub(super) fn shift(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, report: &mut Report) {
    // Splices must not overlap: find the elements to delete before changing anything inside them.
    let mut gone = Gone::default();
    ranges_in(root, &mut Splice::new(splice.source()), edit, &mut gone);
    gone.close(root);
    let gone = gone;
    ranges_in(root, splice, edit, &mut gone.clone());
    formulas_in(root, splice, "", &edit.sheet, &Rewriter::Shift(edit), report, &|node| gone.covers(node));
    gone.remove(root, splice);
}

/// Shifts every range and collects the nodes whose range is deleted; nodes already collected are skipped.
fn ranges_in(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    for node in root.descendants().filter(|node| node.is_element()) {
        if gone.covers(node) {
            continue;
        }
        match (node.ns(), node.local()) {
            // Selections belong to the user's view; Excel accepts any.
            (_, "selection" | "sheetData") => {}
            (Ns::S, "brk") => {
                let list = match edit.axis {
                    Axis::Rows => "rowBreaks",
                    Axis::Columns => "colBreaks",
                };
                if node.parent().is_some_and(|parent| parent.local() == list) {
                    page_break(node, splice, edit, gone);
                }
            }
            (Ns::S, "col") if edit.axis == Axis::Columns => column(node, splice, edit, gone),
            (Ns::S, "filterColumn") if edit.axis == Axis::Columns => filter_column(node, splice, edit, gone),
            (Ns::S, "dimension") => range_attr(node, "ref", splice, edit, &mut Gone::default()),
            (Ns::S, "mergeCell") => {
                let range = node.attr("ref").and_then(|old| old.parse::<CellRange>().ok());
                let single = range.and_then(|range| shift_range(range, edit)).is_some_and(|new| new.cells() == 1);
                if single {
                    gone.add(node);
                } else {
                    range_attr(node, "ref", splice, edit, gone);
                }
            }
            (Ns::S, "cellWatch" | "inputCells") => range_attr(node, "r", splice, edit, gone),
            (Ns::Xm, "sqref") => sqref_text(node, splice, edit, gone),
            (Ns::S | Ns::X14, _) => {
                range_attr(node, "ref", splice, edit, gone);
                range_attr(node, "sqref", splice, edit, gone);
            }
            (Ns::Xdr, "from" | "to") => anchors::marker(node, splice, edit),
            _ => {}
        }
    }
}

/// Nodes whose range is deleted.
#[derive(Default, Clone)]
pub(crate) struct Gone(BTreeSet<NodeId>);

impl Gone {
    pub(crate) fn add(&mut self, node: Node<'_>) {
        self.0.insert(node.id());
    }

    /// Whether a node or one around it is among them.
    fn covers(&self, node: Node<'_>) -> bool {
        !self.0.is_empty()
            && (self.0.contains(&node.id()) || node.ancestors().any(|around| self.0.contains(&around.id())))
    }

    /// Adds the lists that are empty without them.
    pub(crate) fn close(&mut self, root: Node<'_>) {
        let mut fresh: BTreeSet<NodeId> = self.0.clone();
        while !fresh.is_empty() {
            let parents = fresh.iter().filter_map(|id| root.tree().node(*id).parent());
            let parents: BTreeSet<NodeId> = parents.filter(|parent| *parent != root).map(Node::id).collect();
            let empty = |id: &NodeId| {
                let node = root.tree().node(*id);
                // A group of sparklines has colours too, but means nothing without its lines.
                let counts = |child: &Node<'_>| node.local() != "sparklineGroup" || child.local() == "sparklines";
                // A filter without conditions is still a filter.
                node.local() != "autoFilter" && node.elements().filter(counts).all(|child| self.0.contains(&child.id()))
            };
            fresh = parents.into_iter().filter(|id| !self.0.contains(id)).filter(empty).collect();
            self.0.extend(fresh.iter().copied());
        }
    }

    /// Takes the nodes out; counts are set right.
    pub(crate) fn remove(&self, root: Node<'_>, splice: &mut Splice<'_>) {
        let mut counted: BTreeSet<NodeId> = BTreeSet::new();
        for id in &self.0 {
            let node = root.tree().node(*id);
            let Some(parent) = node.parent() else { continue };
            if self.covers(parent) {
                continue;
            }
            splice.remove(node);
            if parent.attr("count").is_some() && counted.insert(parent.id()) {
                let left = parent.elements().filter(|child| !self.0.contains(&child.id())).count();
                splice.set_attr(parent, "count", &left.to_string());
            }
        }
    }
}

fn range_attr(node: Node<'_>, name: &str, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    let Some(old) = node.attr(name) else { return };
    match shift_sqref(&old, edit) {
        Some(new) if new != old => splice.set_attr(node, name, &new),
        Some(_) => {}
        None => gone.add(node),
    }
}

/// A list of ranges as text; what it belongs to goes with it.
fn sqref_text(node: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    let old = node.text();
    match shift_sqref(&old, edit) {
        Some(new) if new != old => splice.set_text(node, &new),
        Some(_) => {}
        None => {
            if let Some(owner) = node.parent() {
                gone.add(owner);
            }
        }
    }
}

/// The widths and formats of columns.
fn column(node: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    let number = |name: &str| node.attr(name).and_then(|value| value.trim().parse::<u32>().ok());
    let ends = number("min").zip(number("max"));
    let range = ends.and_then(|(min, max)| {
        Some(CellRange::new(CellRef::new(1, min)?, CellRef::new(1, max.max(min).min(MAX_COLUMN))?))
    });
    let Some(range) = range else { return };
    match shift_range(range, edit) {
        Some(new) if new != range => {
            splice.set_attr(node, "min", &new.start().col().to_string());
            splice.set_attr(node, "max", &new.end().col().to_string());
        }
        Some(_) => {}
        None => gone.add(node),
    }
}

/// A column of a filter: it counts from the filter's first column, from 0.
fn filter_column(node: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    let range = node.parent().and_then(|filter| filter.attr("ref")?.parse::<CellRange>().ok());
    let id = node.attr("colId").and_then(|id| id.trim().parse::<u32>().ok());
    let (Some(range), Some(id)) = (range, id) else { return };
    let left = shift_range(range, edit).map(|new| new.start().col());
    match (super::moved_line(range.start().col().saturating_add(id), edit), left) {
        (Some(new), Some(left)) if new >= left => {
            if new - left != id {
                splice.set_attr(node, "colId", &(new - left).to_string());
            }
        }
        _ => gone.add(node),
    }
}

/// A page break: its `id` is the row above it, or the column left of it.
fn page_break(node: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, gone: &mut Gone) {
    let Some(row) = node.attr("id").and_then(|id| id.trim().parse::<u32>().ok()) else { return };
    match super::moved_line(row, edit) {
        Some(new) if new != row => splice.set_attr(node, "id", &new.to_string()),
        Some(_) => {}
        None => gone.add(node),
    }
}

/// The pivot tables of a sheet with the ranges they fill.
pub(in crate::xlsx::edit) fn pivots(package: &Package, sheet: &str) -> Result<Vec<(String, CellRange)>, Error> {
    let mut found = Vec::new();
    for part in Relationships::read(package, sheet)?.of_kind("pivotTable").filter_map(|found| found.part.clone()) {
        if !package.has(&part) {
            continue;
        }
        let content = package.xml(&part)?;
        let tree = content.tree(package.limits())?;
        let range = tree.root().child(Ns::S, "location").and_then(|node| node.attr("ref")?.parse().ok());
        if let Some(range) = range {
            found.push((tree.root().attr("name").unwrap_or_default().into_owned(), range));
        }
    }
    Ok(found)
}

/// Shifts the parts that belong to the edited sheet: tables, comments, drawings, pivots.
pub(super) fn related(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    edit: &Edit,
    report: &mut Report,
) -> Result<(), Error> {
    let relationships = Relationships::read(&editor.package, part)?;
    let mut comments = Vec::new();
    for found in &relationships.list {
        let Some(part) = found.part.as_deref().filter(|part| editor.package.has(part)) else { continue };
        let change: fn(Node<'_>, &mut Splice<'_>, &Edit, &mut Vec<String>) = match found.kind.as_str() {
            "table" => table,
            "pivotTable" => location,
            "comments" | "threadedComment" => commented,
            "drawing" => anchors::drawing,
            "vmlDrawing" => anchors::legacy,
            _ => continue,
        };
        edit_part(&mut editor.package, part, edit, report, change, &mut comments)?;
    }
    comments.sort();
    comments.dedup();
    super::gone(&mut editor.warnings, "comments", comments, edit.axis);
    editor.forget_tables();
    Ok(())
}

fn edit_part(
    package: &mut Package,
    part: &str,
    edit: &Edit,
    report: &mut Report,
    change: fn(Node<'_>, &mut Splice<'_>, &Edit, &mut Vec<String>),
    removed: &mut Vec<String>,
) -> Result<(), Error> {
    let Ok(mut content) = package.xml(part) else {
        report.unread.push(part.to_owned());
        return Ok(());
    };
    let text = {
        let Ok(tree) = content.tree(package.limits()) else {
            report.unread.push(part.to_owned());
            return Ok(());
        };
        let mut splice = Splice::new(&content.text);
        change(tree.root(), &mut splice, edit, removed);
        if splice.is_empty() {
            return Ok(());
        }
        splice.finish().map_err(|e| overlap(part, &e))?
    };
    content.text = text;
    package.set_xml(&content);
    Ok(())
}

/// Every `ref` of a table, and its columns.
fn table(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, _: &mut Vec<String>) {
    let mut gone = Gone::default();
    range_attr(root, "ref", splice, edit, &mut Gone::default());
    ranges_in(root, &mut Splice::new(splice.source()), edit, &mut gone);
    gone.close(root);
    ranges_in(root, splice, edit, &mut gone.clone());
    gone.remove(root, splice);
    table_columns::change(root, splice, edit);
}

/// A pivot table's place; its other references count from there.
fn location(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, _: &mut Vec<String>) {
    if let Some(node) = root.child(Ns::S, "location") {
        range_attr(node, "ref", splice, edit, &mut Gone::default());
    }
}

/// Comments, old and threaded: each belongs to a cell.
fn commented(root: Node<'_>, splice: &mut Splice<'_>, edit: &Edit, removed: &mut Vec<String>) {
    let nodes = root.descendants().filter(|node| matches!(node.local(), "comment" | "threadedComment"));
    for node in nodes.filter(|node| node.is_element()) {
        let Some(old) = node.attr("ref") else { continue };
        match shift_sqref(&old, edit) {
            Some(new) if new != old => splice.set_attr(node, "ref", &new),
            Some(_) => {}
            None => {
                removed.push(old.into_owned());
                splice.remove(node);
            }
        }
    }
    debug_assert!(edit.kind == EditKind::Delete || removed.is_empty());
}
