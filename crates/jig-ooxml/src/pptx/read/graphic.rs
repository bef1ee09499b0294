//! Text that lies in parts of its own: charts and SmartArt.

use crate::package::Package;
use crate::pptx::shape::graphic_data;
use crate::pptx::text::{body_text, one_line};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};

/// A line that names a chart.
pub(super) fn chart_text(package: &Package, relationships: &Relationships, frame: Node<'_>) -> String {
    match chart_title(package, relationships, frame) {
        Some(title) => format!("[Chart: {title}]\n"),
        None => "[Chart]\n".to_owned(),
    }
}

/// The title that a chart was given. What cannot be read has none: the slide's own text counts.
pub(super) fn chart_title(package: &Package, relationships: &Relationships, frame: Node<'_>) -> Option<String> {
    let chart = graphic_data(frame)?.elements().next()?;
    let content = package.xml(relationships.part(&chart.attr_ns(Ns::R, "id")?)?).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    let chart = tree.root().elements().find(|node| node.local() == "chart")?;
    let title = chart.elements().find(|node| node.local() == "title")?;
    let texts = title.descendants().filter(|node| node.is(Ns::A, "t") || node.is(Ns::C, "v"));
    let title = one_line(&texts.map(|node| node.text().into_owned()).collect::<String>());
    (!title.is_empty()).then_some(title)
}

/// The lines of SmartArt.
pub(super) fn diagram_text(package: &Package, relationships: &Relationships, frame: Node<'_>) -> String {
    let lines = diagram_lines(package, relationships, frame).unwrap_or_default();
    let mut text = "[SmartArt]\n".to_owned();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The texts of SmartArt in the order of its data.
pub(super) fn diagram_lines(package: &Package, relationships: &Relationships, frame: Node<'_>) -> Option<Vec<String>> {
    let ids = graphic_data(frame)?.child(Ns::Dgm, "relIds")?;
    let content = package.xml(relationships.part(&ids.attr_ns(Ns::R, "dm")?)?).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    let points = tree.root().child(Ns::Dgm, "ptLst")?;
    let texts = points.children_named(Ns::Dgm, "pt").filter_map(|point| point.child(Ns::Dgm, "t"));
    Some(texts.map(body_text).filter(|text| !text.trim().is_empty()).collect())
}
