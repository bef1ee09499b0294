//! The styles part: formats of cells, and the tables they are made of.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::color::{self, Palette};
use crate::error::PackageError;
use crate::package::Package;
use crate::xlsx::numfmt::{NumberFormat, builtin, shown_builtin};
use crate::xml::{Node, Ns};

/// What the styles part says.
#[derive(Debug, Default)]
pub(super) struct Styles {
    pub(super) cell_formats: Vec<CellFormat>,
    pub(super) named: Vec<NamedStyle>,
    /// The file's own number formats by id.
    pub(super) codes: BTreeMap<u32, String>,
    pub(super) fonts: Vec<Value>,
    pub(super) fills: Vec<Value>,
    pub(super) borders: Vec<Value>,
    /// Parsed formats by number format id.
    parsed: BTreeMap<u32, NumberFormat>,
    /// Why the part could not be read.
    pub(super) fault: Option<String>,
    general: Option<NumberFormat>,
}

/// An entry of `cellXfs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellFormat {
    pub(super) number_format: u32,
    /// The entry of `cellStyleXfs` it is based on.
    pub(super) base: u32,
}

/// A named style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedStyle {
    pub(super) name: String,
    pub(super) base: u32,
    pub(super) builtin: bool,
}

impl Styles {
    /// Reads the part. One that cannot be read leaves all values without a format, and says so.
    pub(super) fn read(package: &Package, part: Option<&str>, theme: Option<&str>) -> Self {
        let Some(part) = part.filter(|part| package.has(part)) else { return Self::default().settled() };
        match Self::parse(package, part, theme) {
            Ok(styles) => styles.settled(),
            Err(error) => {
                Self { fault: Some(format!("number formats are left out: {error}")), ..Self::default() }.settled()
            }
        }
    }

    fn parse(package: &Package, part: &str, theme: Option<&str>) -> Result<Self, PackageError> {
        let content = package.xml(part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        let palette = Palette::of_styles(package, theme, root);
        Ok(Self {
            cell_formats: list(root, "cellXfs", "xf").map(cell_format).collect(),
            named: list(root, "cellStyles", "cellStyle").map(named).collect(),
            codes: list(root, "numFmts", "numFmt").filter_map(code).collect(),
            fonts: list(root, "fonts", "font").enumerate().map(|(at, node)| font(at, node, &palette)).collect(),
            fills: list(root, "fills", "fill").enumerate().map(|(at, node)| fill(at, node, &palette)).collect(),
            borders: list(root, "borders", "border").enumerate().map(|(at, node)| border(at, node, &palette)).collect(),
            ..Self::default()
        })
    }

    fn settled(mut self) -> Self {
        let mut ids: Vec<u32> = self.cell_formats.iter().map(|format| format.number_format).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let shown = self.codes.get(&id).map(String::as_str).or_else(|| shown_builtin(id)).unwrap_or("General");
            self.parsed.insert(id, NumberFormat::parse(shown));
        }
        self.general = Some(NumberFormat::parse("General"));
        self
    }

    /// The id of a cell's number format.
    pub(super) fn format_id(&self, style: u32) -> u32 {
        self.cell_formats.get(style as usize).map_or(0, |format| format.number_format)
    }

    /// A cell's number format; none means General.
    pub(super) fn format(&self, style: u32) -> Option<&NumberFormat> {
        self.parsed.get(&self.format_id(style)).or(self.general.as_ref()).filter(|format| !format.is_general())
    }

    /// The code of a number format.
    pub(super) fn code(&self, id: u32) -> &str {
        self.codes.get(&id).map(String::as_str).or_else(|| builtin(id)).unwrap_or("General")
    }

    /// The named style that a cell's format is based on.
    pub(super) fn named_style(&self, style: u32) -> Option<&str> {
        let base = self.cell_formats.get(style as usize)?.base;
        self.named.iter().find(|named| named.base == base).map(|named| named.name.as_str())
    }
}

fn list<'t>(root: Node<'t>, group: &'static str, item: &'static str) -> impl Iterator<Item = Node<'t>> {
    root.child(Ns::S, group).into_iter().flat_map(move |node| node.children_named(Ns::S, item))
}

fn number(node: Node<'_>, name: &str) -> u32 {
    node.attr(name).and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

fn cell_format(node: Node<'_>) -> CellFormat {
    CellFormat { number_format: number(node, "numFmtId"), base: number(node, "xfId") }
}

fn named(node: Node<'_>) -> NamedStyle {
    NamedStyle {
        name: node.attr("name").unwrap_or_default().into_owned(),
        base: number(node, "xfId"),
        builtin: node.attr("builtinId").is_some(),
    }
}

fn code(node: Node<'_>) -> Option<(u32, String)> {
    // Some writers list format 0 with an empty code.
    let code = node.attr("formatCode").filter(|code| !code.is_empty())?;
    Some((node.attr("numFmtId")?.trim().parse().ok()?, code.into_owned()))
}

pub(super) fn own_palette(node: Node<'_>) -> Vec<String> {
    let colors = node.elements().take(256);
    colors.map(|node| node.attr("rgb").and_then(|rgb| color::rgb_of(&rgb)).unwrap_or_default()).collect()
}

/// A property that is on unless its value says otherwise.
fn is_on(node: Node<'_>, name: &str) -> bool {
    node.child(Ns::S, name)
        .is_some_and(|found| !found.attr("val").is_some_and(|value| matches!(value.as_ref(), "0" | "false" | "off")))
}

fn font(index: usize, node: Node<'_>, palette: &Palette) -> Value {
    let value = |name| node.child(Ns::S, name).and_then(|found| found.attr("val"));
    let underline =
        node.child(Ns::S, "u").map(|found| found.attr("val").map_or("single".to_owned(), |v| v.into_owned()));
    json!({
        "index": index,
        "name": value("name"),
        "size": value("sz").and_then(|size| size.parse::<f64>().ok()),
        "bold": is_on(node, "b"),
        "italic": is_on(node, "i"),
        "underline": underline.filter(|kind| kind != "none"),
        "strike": is_on(node, "strike"),
        "color": node.child(Ns::S, "color").and_then(|color| palette.resolve(color)),
    })
}

fn fill(index: usize, node: Node<'_>, palette: &Palette) -> Value {
    let pattern = node.child(Ns::S, "patternFill");
    let color = |name| pattern.and_then(|pattern| pattern.child(Ns::S, name)).and_then(|color| palette.resolve(color));
    let gradient = node.child(Ns::S, "gradientFill");
    let stops = gradient.map(|gradient| {
        let stops = gradient.children_named(Ns::S, "stop");
        stops.filter_map(|stop| palette.resolve(stop.child(Ns::S, "color")?)).collect::<Vec<_>>()
    });
    let kind = match (pattern, gradient) {
        (_, Some(_)) => "gradient".to_owned(),
        (Some(pattern), None) => pattern.attr("patternType").map_or("none".to_owned(), |kind| kind.into_owned()),
        (None, None) => "none".to_owned(),
    };
    let mut fill = json!({"index": index, "pattern": kind, "fg_color": color("fgColor"), "bg_color": color("bgColor")});
    if let (Some(stops), Some(fields)) = (stops, fill.as_object_mut()) {
        fields.insert("gradient_colors".to_owned(), json!(stops));
    }
    fill
}

fn border(index: usize, node: Node<'_>, palette: &Palette) -> Value {
    // Strict files name left and right by the direction of the text.
    let edge = |name: &str, strict: &str| {
        let edge = node.child(Ns::S, name).or_else(|| node.child(Ns::S, strict))?;
        let style = edge.attr("style").filter(|style| style != "none")?;
        Some(json!({"style": style, "color": edge.child(Ns::S, "color").and_then(|color| palette.resolve(color))}))
    };
    json!({
        "index": index,
        "left": edge("left", "start"),
        "right": edge("right", "end"),
        "top": edge("top", "top"),
        "bottom": edge("bottom", "bottom"),
    })
}
