//! Marks dynamic array formulas: the attribute `cm` of the cell points to an entry of the metadata part. Without it,
//! Excel takes one value of the result and displays the formula with `@`.

use super::WorkbookEdit;
use crate::edit::overlap;
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

const DYNAMIC: &str = "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray";
const NAME: &str = "XLDAPR";
const EXTENSION: &str = "{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}";
/// The children of `metadata` in the order of the schema.
const ORDER: [&str; 7] =
    ["metadataTypes", "metadataStrings", "mdxMetadata", "futureMetadata", "cellMetadata", "valueMetadata", "extLst"];

/// The `cm` number of dynamic array cells; creates or completes the metadata part where needed.
pub(super) fn dynamic_array(editor: &mut WorkbookEdit<'_>) -> Result<u32, Error> {
    let part = match editor.book.metadata().filter(|part| editor.package.has(part)) {
        Some(part) => part.to_owned(),
        None => {
            let part = editor.sibling("metadata{}.xml", "metadata.xml");
            let main = editor.namespace()?;
            let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
            editor.package.set(&part, format!("{declaration}<metadata xmlns=\"{main}\"></metadata>").as_bytes());
            editor.link("sheetMetadata", &part, "sheetMetadata")?;
            part
        }
    };
    // The type first, then its properties, then the entry that cells point to: each refers to the one before.
    let kind = ensure(
        editor,
        &part,
        |root| list(root, "metadataTypes", "metadataType", is_type),
        |root| {
            let flags = "copy=\"1\" pasteAll=\"1\" pasteValues=\"1\" merge=\"1\" splitFirst=\"1\" rowColShift=\"1\" \
                     clearFormats=\"1\" clearComments=\"1\" assign=\"1\" coerce=\"1\" cellMeta=\"1\"";
            format!("<{}metadataType name=\"{NAME}\" minSupportedVersion=\"120000\" {flags}/>", root.prefix())
        },
    )?;
    let properties = ensure(
        editor,
        &part,
        |root| list(root, "futureMetadata", "bk", is_spilling),
        |root| {
            let p = root.prefix();
            format!(
                "<{p}bk><{p}extLst><{p}ext uri=\"{EXTENSION}\"><xda:dynamicArrayProperties xmlns:xda=\"{DYNAMIC}\" \
             fDynamic=\"1\" fCollapsed=\"0\"/></{p}ext></{p}extLst></{p}bk>"
            )
        },
    )?;
    let (t, v) = (kind.saturating_add(1), properties);
    let entry = ensure(
        editor,
        &part,
        |root| list(root, "cellMetadata", "bk", |bk| points_to(bk, t, v)),
        |root| {
            let p = root.prefix();
            format!("<{p}bk><{p}rc t=\"{t}\" v=\"{v}\"/></{p}bk>")
        },
    )?;
    Ok(entry.saturating_add(1))
}

/// A list of the metadata part: its element, its number of entries and the position of the matching one.
struct List<'t> {
    element: &'static str,
    node: Option<Node<'t>>,
    count: u32,
    found: Option<u32>,
}

fn list<'t>(root: Node<'t>, element: &'static str, entry: &'static str, wanted: impl Fn(Node<'t>) -> bool) -> List<'t> {
    // There is one list of properties for each type.
    let is_list = |node: &Node<'t>| element != "futureMetadata" || node.attr("name").as_deref() == Some(NAME);
    let node = root.children_named(Ns::S, element).find(is_list);
    let entries = || node.into_iter().flat_map(|node| node.children_named(Ns::S, entry));
    let found = entries().position(wanted).and_then(|at| u32::try_from(at).ok());
    List { element, node, count: u32::try_from(entries().count()).unwrap_or(u32::MAX), found }
}

/// The place of an entry, which is appended where it is missing.
fn ensure(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    find: impl for<'t> Fn(Node<'t>) -> List<'t>,
    entry: impl Fn(Node<'_>) -> String,
) -> Result<u32, Error> {
    let mut content = editor.package.xml(part)?;
    let tree = content.tree(editor.package.limits())?;
    let root = tree.root();
    let List { element, node, count, found } = find(root);
    if let Some(found) = found {
        return Ok(found);
    }
    let mut splice = Splice::new(&content.text);
    match node {
        Some(node) => {
            splice.append(node, entry(root));
            splice.set_attr(node, "count", &count.saturating_add(1).to_string());
        }
        None => {
            let name = if element == "futureMetadata" { format!(" name=\"{NAME}\"") } else { String::new() };
            let p = root.prefix();
            let markup = format!("<{p}{element}{name} count=\"1\">{}</{p}{element}>", entry(root));
            super::order::insert_in_order(&mut splice, root, element, &markup, &ORDER);
        }
    }
    content.text = splice.finish().map_err(|error| overlap(part, &error))?;
    editor.package.set_xml(&content);
    Ok(count)
}

fn is_type(node: Node<'_>) -> bool {
    node.attr("name").as_deref() == Some(NAME)
}

fn is_spilling(bk: Node<'_>) -> bool {
    let is_on = |node: Node<'_>, name: &str| matches!(node.attr(name).as_deref(), Some("1" | "true"));
    bk.descendants()
        .any(|node| node.local() == "dynamicArrayProperties" && is_on(node, "fDynamic") && !is_on(node, "fCollapsed"))
}

fn points_to(bk: Node<'_>, kind: u32, properties: u32) -> bool {
    let number = |node: Node<'_>, name: &str| node.attr(name).and_then(|value| value.trim().parse::<u32>().ok());
    let mut entries = bk.children_named(Ns::S, "rc");
    let first = entries.next();
    let same = |node: Node<'_>| number(node, "t") == Some(kind) && number(node, "v") == Some(properties);
    first.is_some_and(same) && entries.next().is_none()
}
