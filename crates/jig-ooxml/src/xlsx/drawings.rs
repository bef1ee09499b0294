//! The drawing of a sheet: its charts and images with their anchors.

use crate::error::PackageError;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xml::{Node, NodeId, Ns};

/// What an object of a drawing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DrawnKind {
    /// A chart.
    Chart,
    /// A chart of 2014 and later, such as a waterfall.
    ExtendedChart,
    /// An image.
    Image,
}

/// A chart or an image on a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) kind: DrawnKind,
    /// The part of the drawing.
    pub(crate) drawing: String,
    /// Its element in the drawing: a frame or an image.
    pub(crate) node: NodeId,
    pub(crate) name: String,
    pub(crate) alt_text: String,
    /// The cells that it covers, or the cell of its top left corner; none for a position outside the cells.
    pub(crate) anchor: Option<CellRange>,
    /// The relationship of the drawing to its part.
    pub(crate) rel_id: String,
    /// The chart or image part.
    pub(crate) part: Option<String>,
}

/// The charts and images of a sheet, in the order of its drawing.
pub(crate) fn drawn(package: &Package, sheet: &str) -> Result<Vec<Drawn>, PackageError> {
    let mut found = Vec::new();
    let relationships = Relationships::read(package, sheet)?;
    for drawing in relationships.of_kind("drawing").filter_map(|found| found.part.as_deref()) {
        if !package.has(drawing) {
            continue;
        }
        let targets = Relationships::read(package, drawing)?;
        let content = package.xml(drawing)?;
        let tree = content.tree(package.limits())?;
        for node in tree.root().descendants().filter(|node| node.is_element() && node.ns() == Ns::Xdr) {
            let Some((kind, rel_id)) = object_of(node) else { continue };
            // The fallback repeats the object for programs that do not know it.
            if node.ancestors().any(|around| around.is(Ns::Mc, "Fallback")) {
                continue;
            }
            let about = node.elements().find_map(|child| child.child(Ns::Xdr, "cNvPr"));
            let text = |name: &str| about.and_then(|about| about.attr(name)).unwrap_or_default().into_owned();
            found.push(Drawn {
                kind,
                drawing: drawing.to_owned(),
                node: node.id(),
                name: text("name"),
                alt_text: text("descr"),
                anchor: anchor_of(node).and_then(anchor_range),
                part: targets.part(&rel_id).map(str::to_owned),
                rel_id,
            });
        }
    }
    Ok(found)
}

fn object_of(node: Node<'_>) -> Option<(DrawnKind, String)> {
    match node.local() {
        "graphicFrame" => {
            let chart = node
                .descendants()
                .find(|node| node.is_element() && node.local() == "chart" && matches!(node.ns(), Ns::C | Ns::Cx))?;
            let kind = if chart.ns() == Ns::Cx { DrawnKind::ExtendedChart } else { DrawnKind::Chart };
            Some((kind, chart.attr_ns(Ns::R, "id")?.into_owned()))
        }
        "pic" => {
            let blip = node.child(Ns::Xdr, "blipFill")?.child(Ns::A, "blip")?;
            Some((DrawnKind::Image, blip.attr_ns(Ns::R, "embed").or_else(|| blip.attr_ns(Ns::R, "link"))?.into_owned()))
        }
        _ => None,
    }
}

/// The anchor around an object.
pub(crate) fn anchor_of(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors().find(|around| {
        around.ns() == Ns::Xdr && matches!(around.local(), "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor")
    })
}

/// The cells that an anchor covers; of one with a size only, its first cell.
pub(crate) fn anchor_range(anchor: Node<'_>) -> Option<CellRange> {
    let from = marker(anchor.child(Ns::Xdr, "from")?)?;
    let Some(to) = anchor.child(Ns::Xdr, "to") else { return Some(CellRange::from(from)) };
    let end = marker(to)?;
    // An end without an offset is where the next cell starts.
    let past = |name: &str| to.child(Ns::Xdr, name).is_none_or(|node| node.text().trim() == "0");
    let row = end.row() - u32::from(past("rowOff") && end.row() > from.row());
    let col = end.col() - u32::from(past("colOff") && end.col() > from.col());
    Some(CellRange::new(from, CellRef::new(row, col)?))
}

/// The cell of a marker, which counts from 0.
pub(crate) fn marker(node: Node<'_>) -> Option<CellRef> {
    let number = |name: &str| node.child(Ns::Xdr, name)?.text().trim().parse::<u32>().ok();
    CellRef::new(number("row")?.checked_add(1)?, number("col")?.checked_add(1)?)
}
