//! What the formats of cells come to, so that two workbooks can be compared whatever their numbering.

use std::collections::HashMap;

use jig_ooxml::xlsx::book::Book;
use jig_ooxml::xlsx::numfmt::{NumberFormat, builtin};
use jig_ooxml::xml::{Node, Ns};
use jig_ooxml::{Package, PackageError};

use super::super::change::Detail;

/// The cell formats of a workbook.
pub(super) struct Styles {
    formats: Vec<CellFormat>,
}

/// One cell format, spelled out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct CellFormat {
    number: String,
    font: String,
    fill: String,
    border: String,
    alignment: String,
    protection: String,
    named: String,
}

const NAMES: [&str; 7] = ["number format", "font", "fill", "border", "alignment", "protection", "cell style"];

impl Styles {
    pub(super) fn read(package: &Package, book: &Book) -> Result<Self, PackageError> {
        let Some(part) = book.styles().filter(|part| package.has(part)) else {
            return Ok(Self { formats: Vec::new() });
        };
        let content = package.xml(part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        let list = |name: &str| -> Vec<String> {
            root.child(Ns::S, name).into_iter().flat_map(Node::elements).map(spelled).collect()
        };
        let (fonts, fills, borders) = (list("fonts"), list("fills"), list("borders"));
        let codes: HashMap<u32, String> = root
            .child(Ns::S, "numFmts")
            .into_iter()
            .flat_map(Node::elements)
            .filter_map(|node| Some((number(node, "numFmtId")?, node.attr("formatCode")?.into_owned())))
            .collect();
        let named = root.child(Ns::S, "cellStyles").into_iter().flat_map(Node::elements);
        let named: HashMap<u32, String> =
            named.filter_map(|node| Some((number(node, "xfId")?, node.attr("name")?.into_owned()))).collect();
        let at = |list: &[String], node: Node<'_>, name: &str| {
            number(node, name).and_then(|at| list.get(at as usize)).cloned().unwrap_or_default()
        };
        let inside = |node: Node<'_>, name: &str| node.child(Ns::S, name).map(spelled).unwrap_or_default();
        let formats = root.child(Ns::S, "cellXfs").into_iter().flat_map(Node::elements).map(|node| {
            let id = number(node, "numFmtId").unwrap_or(0);
            let code = codes.get(&id).cloned().or_else(|| builtin(id).map(|code| code.to_string()));
            CellFormat {
                number: code.unwrap_or_else(|| "General".to_owned()),
                font: at(&fonts, node, "fontId"),
                fill: at(&fills, node, "fillId"),
                border: at(&borders, node, "borderId"),
                alignment: inside(node, "alignment"),
                protection: inside(node, "protection"),
                named: number(node, "xfId").and_then(|id| named.get(&id)).cloned().unwrap_or_default(),
            }
        });
        Ok(Self { formats: formats.collect() })
    }

    /// The format of a number; that of plain cells for one that is not there.
    pub(super) fn get(&self, number: u32) -> CellFormat {
        self.formats.get(number as usize).cloned().unwrap_or_default()
    }

    /// A number for each format that is the same for equal ones of all lists it was made from.
    pub(super) fn keys(&self, known: &mut HashMap<CellFormat, u32>) -> Vec<u32> {
        let key = |format: &CellFormat| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(format.clone()).or_insert(next)
        };
        self.formats.iter().map(key).collect()
    }
}

impl CellFormat {
    /// The number format.
    pub(super) fn number_format(&self) -> NumberFormat {
        NumberFormat::parse(if self.number.is_empty() { "General" } else { &self.number })
    }

    fn parts(&self) -> [&str; 7] {
        [&self.number, &self.font, &self.fill, &self.border, &self.alignment, &self.protection, &self.named]
    }

    /// What differs, property by property.
    pub(super) fn details(&self, new: &Self) -> Vec<Detail> {
        let sides = self.parts().into_iter().zip(new.parts());
        let differ = NAMES.into_iter().zip(sides).filter(|(_, (old, new))| old != new);
        let shown = |name: &str, text: &str| match name {
            "number format" | "cell style" => text.to_owned(),
            _ => readable(text),
        };
        differ
            .map(|(name, (old, new))| {
                let (old, new) = (shown(name, old), shown(name, new));
                let none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
                Detail::new(name, none(old), none(new))
            })
            .collect()
    }
}

/// Markup in one spelling: names without prefixes, white space as it is.
fn spelled(node: Node<'_>) -> String {
    let mut out = String::new();
    spell(node, &mut out);
    out
}

fn spell(node: Node<'_>, out: &mut String) {
    out.push('<');
    out.push_str(node.local());
    let mut attributes: Vec<_> = node.attributes().filter(|one| !one.name.starts_with("xmlns")).collect();
    attributes.sort_by_key(|one| one.name);
    for one in attributes {
        out.push_str(&format!(" {}=\"{}\"", one.name, one.raw));
    }
    out.push('>');
    node.elements().for_each(|child| spell(child, out));
    out.push('/');
}

/// Markup as a person may read it: `bold, 14, Arial, #FF0000`.
fn readable(spelled: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for tag in spelled.split('<').skip(2).chain(spelled.split('<').skip(1).take(1)) {
        let inside = tag.trim_end_matches('/').trim_end_matches('>');
        let (name, rest) = inside.split_once(' ').unwrap_or((inside, ""));
        let values: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
        let value = values.join(" ");
        let word = match (name, value.as_str()) {
            ("b", "" | "1" | "true") => "bold".to_owned(),
            ("i", "" | "1" | "true") => "italic".to_owned(),
            ("u", _) => "underlined".to_owned(),
            ("strike", _) => "struck".to_owned(),
            ("family" | "scheme" | "charset" | "font" | "fill" | "border" | "diagonal", "") => continue,
            ("family" | "scheme" | "charset", _) => continue,
            ("fgColor" | "color" | "bgColor", value) if value.len() == 8 => {
                format!("#{}", value.get(2..).unwrap_or(value))
            }
            ("bgColor", _) => continue,
            ("color" | "fgColor", value) => format!("colour {value}"),
            (_, "") => continue,
            ("sz" | "name" | "patternFill", value) => value.to_owned(),
            (name, value) => format!("{name} {value}"),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

fn number(node: Node<'_>, name: &str) -> Option<u32> {
    node.attr(name)?.trim().parse().ok()
}
