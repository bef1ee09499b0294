//! The shapes of a slide with their texts.

use jig_ooxml::xml::{Node, Ns};

use super::super::change::Detail;

/// How deep groups of shapes are read.
const DEEPEST: usize = 16;

/// A shape.
pub(super) struct Shape<'t> {
    pub(super) node: Node<'t>,
    /// Its number on the slide with what it is.
    pub(super) key: (String, String),
    pub(super) name: String,
    pub(super) noun: &'static str,
    pub(super) text: String,
    /// Where it is and how large.
    pub(super) place: String,
    pub(super) is_body: bool,
    /// Whether it is in a group of shapes.
    pub(super) inside: bool,
    is_title: bool,
    cells: Vec<Vec<String>>,
}

/// All shapes in the order they are drawn; those in groups one by one.
pub(super) fn shapes<'t>(root: Node<'t>) -> Vec<Shape<'t>> {
    let mut found = Vec::new();
    if let Some(tree) = root.path(Ns::P, &["cSld", "spTree"]) {
        walk(tree, 0, &mut found);
    }
    found
}

fn walk<'t>(parent: Node<'t>, depth: usize, found: &mut Vec<Shape<'t>>) {
    for node in parent.elements() {
        let noun = match node.local() {
            "grpSp" if depth < DEEPEST => {
                walk(node, depth + 1, found);
                continue;
            }
            "sp" => "shape",
            "graphicFrame" => {
                let table = node.descendants().any(|inside| inside.is(Ns::A, "tbl"));
                if table { "table" } else { "graphic" }
            }
            "pic" => "picture",
            "cxnSp" => "line",
            _ => continue,
        };
        found.push(shape(node, noun, depth > 0));
    }
}

fn shape<'t>(node: Node<'t>, noun: &'static str, inside: bool) -> Shape<'t> {
    let own = node.elements().next();
    let properties = own.and_then(|own| own.elements().find(|inside| inside.local() == "cNvPr"));
    let attr = |name: &str| properties.and_then(|node| node.attr(name)).unwrap_or_default().into_owned();
    let placeholder = own.and_then(|own| own.descendants().find(|inside| inside.is(Ns::P, "ph")));
    let kind = placeholder.map(|node| node.attr("type").unwrap_or("body".into()).into_owned());
    let cells = cells_of(node);
    let text = if noun == "table" {
        cells.iter().map(|row| row.join(" | ")).collect::<Vec<_>>().join("\n")
    } else {
        text_of(node)
    };
    let name = attr("name");
    Shape {
        node,
        key: (attr("id"), node.local().to_owned()),
        name: if name.is_empty() { format!("shape {}", attr("id")) } else { name },
        noun,
        text,
        place: place(node),
        is_body: kind.as_deref() == Some("body"),
        is_title: matches!(kind.as_deref(), Some("title" | "ctrTitle")),
        inside,
        cells,
    }
}

/// The paragraphs in a node, each on a line.
fn text_of(node: Node<'_>) -> String {
    let paragraphs = node.descendants().filter(|inside| inside.is(Ns::A, "p"));
    let line = |paragraph: Node<'_>| -> String {
        paragraph
            .descendants()
            .filter(|inside| inside.is_element())
            .map(|inside| match inside.local() {
                "t" if inside.ns() == Ns::A => inside.text().into_owned(),
                "br" => "\n".to_owned(),
                _ => String::new(),
            })
            .collect()
    };
    paragraphs.map(line).collect::<Vec<_>>().join("\n")
}

fn cells_of(node: Node<'_>) -> Vec<Vec<String>> {
    let rows = node.descendants().filter(|inside| inside.is(Ns::A, "tr"));
    rows.map(|row| row.children_named(Ns::A, "tc").map(text_of).collect()).collect()
}

fn place(node: Node<'_>) -> String {
    let Some(frame) = node.descendants().find(|inside| inside.is_element() && inside.local() == "xfrm") else {
        return String::new();
    };
    let child = |name: &str| frame.elements().find(|inside| inside.local() == name);
    // In hundredths of a centimetre a place says something to a person.
    let attr = |node: Option<Node<'_>>, name: &str| {
        let value = node.and_then(|node| node.attr(name)?.parse::<f64>().ok()).unwrap_or(0.0);
        format!("{:.2}", value / 360_000.0)
    };
    let (off, ext) = (child("off"), child("ext"));
    format!("{} × {} cm at {}, {}", attr(ext, "cx"), attr(ext, "cy"), attr(off, "x"), attr(off, "y"))
}

/// The words in the title of a slide.
pub(super) fn title(shapes: &[Shape<'_>]) -> String {
    shapes.iter().find(|shape| shape.is_title).map(|shape| shape.text.clone()).unwrap_or_default()
}

/// Cells of a table that differ, where both have the same rows and columns.
pub(super) fn cells(old: &Shape<'_>, new: &Shape<'_>) -> Vec<Detail> {
    let shape = |shape: &Shape<'_>| shape.cells.iter().map(Vec::len).collect::<Vec<_>>();
    if old.cells.is_empty() || shape(old) != shape(new) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (row, (a, b)) in old.cells.iter().zip(&new.cells).enumerate() {
        for (column, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
            found.push(Detail::new(format!("row {}, column {}", row + 1, column + 1), a.as_str(), b.as_str()));
        }
    }
    found
}
