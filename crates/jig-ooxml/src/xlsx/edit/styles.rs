//! The styles part: cell formats are found or appended, nothing in it is rewritten.

mod element;
mod number_format;
mod patch;

use std::collections::HashMap;

pub(super) use self::element::Element;
use self::number_format::{builtin_id, is_date};
pub(super) use self::patch::{SIDES, StylePatch};
use crate::edit::overlap;
use crate::error::{Error, PackageError, Quantity};
use crate::limits::Limits;
use crate::xml::{Node, Ns, Splice, Tree, XmlPart};

/// Children of `styleSheet` in the order of the schema.
const ORDER: [&str; 11] = [
    "numFmts",
    "fonts",
    "fills",
    "borders",
    "cellStyleXfs",
    "cellXfs",
    "cellStyles",
    "dxfs",
    "tableStyles",
    "colors",
    "extLst",
];
const FONT_ORDER: [&str; 15] = [
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
];
const BORDER_ORDER: [&str; 9] =
    ["start", "end", "left", "right", "top", "bottom", "diagonal", "vertical", "horizontal"];
const DXF_ORDER: [&str; 7] = ["font", "numFmt", "fill", "alignment", "border", "protection", "extLst"];
const XF_ORDER: [&str; 3] = ["alignment", "protection", "extLst"];
/// Excel refuses more cell formats than this.
const MOST_FORMATS: usize = 65_490;

/// A minimal part for workbooks that have none.
const MINIMAL: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs><cellXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/></cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>";

/// A list of the styles part with what is to be appended.
#[derive(Debug, Default)]
pub(super) struct List {
    items: Vec<Element>,
    by_form: HashMap<String, u32>,
    old: usize,
}

impl List {
    fn read(parent: Option<Node<'_>>) -> Self {
        let mut list = Self::default();
        for node in parent.into_iter().flat_map(Node::elements) {
            list.push(Element::of(node));
        }
        list.old = list.items.len();
        list
    }

    fn push(&mut self, item: Element) -> u32 {
        let at = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.by_form.entry(item.canonical()).or_insert(at);
        self.items.push(item);
        at
    }

    /// The place of an equal element, or of this one appended.
    pub(super) fn find_or_add(&mut self, item: Element) -> u32 {
        match self.by_form.get(&item.canonical()) {
            Some(at) => *at,
            None => self.push(item),
        }
    }

    pub(super) fn get(&self, at: u32) -> Option<&Element> {
        self.items.get(at as usize)
    }

    fn fresh(&self) -> &[Element] {
        self.items.get(self.old..).unwrap_or_default()
    }
}

/// The styles of a workbook, read once, with what an edit adds.
#[derive(Debug)]
pub(super) struct Styles {
    part: XmlPart,
    is_new: bool,
    prefix: String,
    pub(super) formats: Vec<(u32, String)>,
    old_formats: usize,
    pub(super) fonts: List,
    pub(super) fills: List,
    pub(super) borders: List,
    pub(super) style_xfs: List,
    pub(super) xfs: List,
    pub(super) cell_styles: List,
    /// The formats of conditional formats and tables.
    pub(super) dxfs: List,
    memo: Vec<(u32, StylePatch, u32)>,
}

impl Styles {
    /// Reads the part.
    pub(super) fn read(part: XmlPart, limits: &Limits) -> Result<Self, PackageError> {
        Self::load(part, false, limits)
    }

    /// Styles for a workbook that has none.
    pub(super) fn minimal(name: &str, limits: &Limits) -> Result<Self, PackageError> {
        Self::load(XmlPart::new(name, MINIMAL), true, limits)
    }

    fn load(part: XmlPart, is_new: bool, limits: &Limits) -> Result<Self, PackageError> {
        let tree = part.tree(limits)?;
        let root = tree.root();
        let list = |name: &str| List::read(root.child(Ns::S, name));
        let formats: Vec<(u32, String)> = root
            .child(Ns::S, "numFmts")
            .into_iter()
            .flat_map(Node::elements)
            .filter_map(|node| {
                let id = node.attr("numFmtId")?.trim().parse().ok()?;
                Some((id, node.attr("formatCode")?.into_owned()))
            })
            .collect();
        let mut styles = Self {
            is_new,
            prefix: root.prefix().to_owned(),
            old_formats: formats.len(),
            formats,
            fonts: list("fonts"),
            fills: list("fills"),
            borders: list("borders"),
            style_xfs: list("cellStyleXfs"),
            xfs: list("cellXfs"),
            cell_styles: list("cellStyles"),
            dxfs: list("dxfs"),
            memo: Vec::new(),
            part: XmlPart::new("", ""),
        };
        drop(tree);
        styles.part = part;
        styles.fill_gaps();
        Ok(styles)
    }

    /// What every part must have before formats can be derived from it.
    fn fill_gaps(&mut self) {
        if self.fonts.items.is_empty() {
            let font = self.element("font");
            let name = self.element("name").with("val", "Calibri");
            let size = self.element("sz").with("val", "11");
            let mut font = font;
            font.put(size, &FONT_ORDER);
            font.put(name, &FONT_ORDER);
            self.fonts.push(font);
        }
        for pattern in ["none", "gray125"].iter().skip(self.fills.items.len()) {
            let mut fill = self.element("fill");
            fill.put(self.element("patternFill").with("patternType", *pattern), &[]);
            self.fills.push(fill);
        }
        if self.borders.items.is_empty() {
            let mut border = self.element("border");
            for side in ["left", "right", "top", "bottom", "diagonal"] {
                border.put(self.element(side), &BORDER_ORDER);
            }
            self.borders.push(border);
        }
        if self.xfs.items.is_empty() {
            let mut xf = self.element("xf");
            for id in ["numFmtId", "fontId", "fillId", "borderId"] {
                xf.set(id, "0");
            }
            self.xfs.push(xf);
        }
    }

    fn element(&self, local: &str) -> Element {
        Element::new(format!("{}{local}", self.prefix))
    }

    /// Whether anything is to be written.
    pub(super) fn is_changed(&self) -> bool {
        let lists =
            [&self.fonts, &self.fills, &self.borders, &self.style_xfs, &self.xfs, &self.cell_styles, &self.dxfs];
        self.formats.len() > self.old_formats || lists.iter().any(|list| list.items.len() > list.old)
    }

    /// Whether the workbook had no such part.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// The id of a number format, found or appended.
    pub(super) fn number_format(&mut self, code: &str) -> u32 {
        if let Some((id, _)) = self.formats.iter().find(|(_, known)| known == code) {
            return *id;
        }
        if let Some(id) = builtin_id(code) {
            return id;
        }
        let id = self.formats.iter().map(|(id, _)| *id).max().unwrap_or(0).max(163).saturating_add(1);
        self.formats.push((id, code.to_owned()));
        id
    }

    /// The number of a format that changes only what it names, found or appended.
    pub(super) fn differential(&mut self, patch: &StylePatch) -> u32 {
        let mut dxf = self.element("dxf");
        let mut font = self.element("font");
        for (name, on) in [("b", patch.bold), ("i", patch.italic), ("u", patch.underline)] {
            match (name, on) {
                (_, Some(true)) => font.put(self.element(name), &FONT_ORDER),
                ("u", Some(false)) => font.put(self.element(name).with("val", "none"), &FONT_ORDER),
                (_, Some(false)) => font.put(self.element(name).with("val", "0"), &FONT_ORDER),
                (_, None) => {}
            }
        }
        if let Some(color) = &patch.font_color {
            font.put(self.element("color").with("rgb", color), &FONT_ORDER);
        }
        if font.elements().next().is_some() {
            dxf.put(font, &DXF_ORDER);
        }
        if let Some(code) = &patch.number_format {
            let id = self.number_format(code);
            let format = self.element("numFmt").with("numFmtId", id.to_string()).with("formatCode", code);
            dxf.put(format, &DXF_ORDER);
        }
        if patch.fill_color.is_some() || patch.fill_pattern.is_some() {
            let mut pattern = self.element("patternFill");
            if let Some(kind) = patch.fill_pattern.as_deref().filter(|kind| *kind != "solid") {
                pattern.set("patternType", kind);
            }
            // Here the colour of a plain fill is the one behind the pattern.
            if let Some(color) = &patch.fill_color {
                pattern.put(self.element("bgColor").with("rgb", color), &[]);
            }
            let mut fill = self.element("fill");
            fill.put(pattern, &[]);
            dxf.put(fill, &DXF_ORDER);
        }
        if patch.borders.iter().any(Option::is_some) {
            let mut border = self.element("border");
            for (side, wanted) in SIDES.iter().zip(&patch.borders) {
                let Some(wanted) = wanted else { continue };
                let mut edge = self.element(side);
                if wanted.style != "none" {
                    edge.set("style", wanted.style.clone());
                    let color = self.element("color");
                    edge.put(
                        match &wanted.color {
                            Some(rgb) => color.with("rgb", rgb),
                            None => color.with("auto", "1"),
                        },
                        &[],
                    );
                }
                border.put(edge, &BORDER_ORDER);
            }
            dxf.put(border, &DXF_ORDER);
        }
        self.dxfs.find_or_add(dxf)
    }

    /// The number format of a cell format.
    pub(super) fn code(&self, xf: u32) -> String {
        let id = self.xfs.get(xf).and_then(|xf| xf.number("numFmtId")).unwrap_or(0);
        let own = self.formats.iter().find(|(known, _)| *known == id).map(|(_, code)| code.as_str());
        own.or_else(|| crate::xlsx::number_format::builtin(id)).unwrap_or("General").to_owned()
    }

    /// Whether cells of a format show dates or times.
    pub(super) fn shows_date(&self, xf: u32) -> bool {
        let id = self.xfs.get(xf).and_then(|xf| xf.number("numFmtId")).unwrap_or(0);
        match self.formats.iter().find(|(known, _)| *known == id) {
            Some((_, code)) => is_date(code),
            None => matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58),
        }
    }

    /// The prefix of the part's elements.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether there are formats behind named styles.
    pub(super) fn has_style_xfs(&self) -> bool {
        !self.style_xfs.items.is_empty()
    }

    /// A named style's entry.
    pub(super) fn named(&self, name: &str) -> Option<&Element> {
        self.cell_styles.items.iter().find(|style| style.attr("name") == Some(name))
    }

    /// The names of all named styles.
    pub(super) fn style_names(&self) -> Vec<String> {
        self.cell_styles.items.iter().filter_map(|style| style.attr("name")).map(str::to_owned).collect()
    }

    /// The name of the style with a format.
    pub(super) fn style_name(&self, xf: u32) -> Option<&str> {
        self.cell_styles.items.iter().find(|style| style.number("xfId") == Some(xf)).and_then(|s| s.attr("name"))
    }

    /// The format of a named style.
    pub(super) fn style_xf(&self, name: &str) -> Option<u32> {
        self.named(name)?.number("xfId")
    }

    /// Adds a named style with its format.
    pub(super) fn add_named(&mut self, entry: &Element, mut xf: Element) {
        xf.unset("xfId");
        if self.style_xfs.items.is_empty() {
            // The first one is the plain style, which every other format falls back to.
            let mut plain = self.element("xf");
            for id in ["numFmtId", "fontId", "fillId", "borderId"] {
                plain.set(id, "0");
            }
            self.style_xfs.push(plain);
        }
        let at = self.style_xfs.push(xf);
        let mut entry = entry.reprefixed(&self.prefix);
        entry.set("xfId", at.to_string());
        self.cell_styles.push(entry);
    }

    /// The format that a patch makes of another, found or appended.
    pub(super) fn apply(&mut self, base: u32, patch: &StylePatch) -> Result<u32, PackageError> {
        let base = if self.xfs.get(base).is_some() { base } else { 0 };
        if patch.is_empty() {
            return Ok(base);
        }
        if let Some((_, _, xf)) =
            self.memo.iter().rev().take(64).find(|(from, known, _)| *from == base && known == patch)
        {
            return Ok(*xf);
        }
        let mut xf = self.xfs.get(base).cloned().unwrap_or_else(|| self.element("xf"));
        if let Some(code) = &patch.number_format {
            let id = self.number_format(code);
            xf.set("numFmtId", id.to_string());
            xf.set("applyNumberFormat", "1");
        }
        self.patch_font(&mut xf, patch);
        self.patch_fill(&mut xf, patch);
        self.patch_border(&mut xf, patch);
        self.patch_alignment(&mut xf, patch);
        let at = self.add_xf(xf)?;
        self.memo.push((base, patch.clone(), at));
        Ok(at)
    }

    /// A cell format, found or appended.
    pub(super) fn add_xf(&mut self, xf: Element) -> Result<u32, PackageError> {
        let at = self.xfs.find_or_add(xf);
        if at as usize >= MOST_FORMATS {
            return Err(PackageError::TooLarge { what: Quantity::CellFormats, limit: MOST_FORMATS as u64 });
        }
        Ok(at)
    }

    fn patch_font(&mut self, xf: &mut Element, patch: &StylePatch) {
        let old = self.fonts.get(xf.number("fontId").unwrap_or(0)).or_else(|| self.fonts.get(0));
        let mut font = old.cloned().unwrap_or_else(|| self.element("font"));
        let before = font.clone();
        for (name, on) in [("b", patch.bold), ("i", patch.italic), ("u", patch.underline)] {
            match on {
                Some(true) => font.put(self.element(name), &FONT_ORDER),
                Some(false) => font.remove(name),
                None => {}
            }
        }
        if let Some(size) = patch.font_size {
            font.put(self.element("sz").with("val", size.to_string()), &FONT_ORDER);
        }
        if let Some(color) = &patch.font_color {
            font.put(self.element("color").with("rgb", color), &FONT_ORDER);
        }
        if let Some(name) = &patch.font_name {
            font.put(self.element("name").with("val", name), &FONT_ORDER);
            // `scheme` would make Excel use the theme's font instead of the name; `family` and `charset` describe the old font.
            for local in ["scheme", "family", "charset"] {
                font.remove(local);
            }
        }
        if font != before {
            font.sort(&FONT_ORDER);
            let id = self.fonts.find_or_add(font);
            xf.set("fontId", id.to_string());
            xf.set("applyFont", "1");
        }
    }

    fn patch_fill(&mut self, xf: &mut Element, patch: &StylePatch) {
        if patch.fill_color.is_none() && patch.fill_pattern.is_none() {
            return;
        }
        let old = self.fills.get(xf.number("fillId").unwrap_or(0)).and_then(|fill| fill.child("patternFill"));
        let mut pattern = old.cloned().unwrap_or_else(|| self.element("patternFill"));
        let kept = pattern.attr("patternType").filter(|kind| *kind != "none").map(str::to_owned);
        let kind = match (patch.fill_pattern.as_deref(), &patch.fill_color) {
            (Some(kind), _) => kind.to_owned(),
            (None, _) => kept.unwrap_or_else(|| "solid".to_owned()),
        };
        pattern.set("patternType", kind.as_str());
        if let Some(color) = &patch.fill_color {
            pattern.put(self.element("fgColor").with("rgb", color), &["fgColor", "bgColor"]);
            if kind == "solid" {
                pattern.put(self.element("bgColor").with("indexed", "64"), &["fgColor", "bgColor"]);
            }
        }
        if kind == "none" {
            pattern.remove("fgColor");
            pattern.remove("bgColor");
        }
        let mut fill = self.element("fill");
        fill.put(pattern, &[]);
        let id = self.fills.find_or_add(fill);
        xf.set("fillId", id.to_string());
        xf.set("applyFill", "1");
    }

    fn patch_border(&mut self, xf: &mut Element, patch: &StylePatch) {
        if patch.borders.iter().all(Option::is_none) {
            return;
        }
        let old = self.borders.get(xf.number("borderId").unwrap_or(0)).or_else(|| self.borders.get(0));
        let mut border = old.cloned().unwrap_or_else(|| self.element("border"));
        for (side, wanted) in SIDES.iter().zip(&patch.borders) {
            let Some(wanted) = wanted else { continue };
            // Strict files may call the sides by the direction of the text.
            let local = match *side {
                "left" if border.child("start").is_some() => "start",
                "right" if border.child("end").is_some() => "end",
                side => side,
            };
            let mut edge = self.element(local);
            if wanted.style != "none" {
                edge.set("style", wanted.style.clone());
                let color = self.element("color");
                let color = match &wanted.color {
                    Some(rgb) => color.with("rgb", rgb),
                    None => color.with("auto", "1"),
                };
                edge.put(color, &[]);
            }
            border.put(edge, &BORDER_ORDER);
        }
        border.sort(&BORDER_ORDER);
        let id = self.borders.find_or_add(border);
        xf.set("borderId", id.to_string());
        xf.set("applyBorder", "1");
    }

    fn patch_alignment(&mut self, xf: &mut Element, patch: &StylePatch) {
        if patch.horizontal.is_none() && patch.vertical.is_none() && patch.wrap.is_none() {
            return;
        }
        let mut alignment = xf.child("alignment").cloned().unwrap_or_else(|| self.element("alignment"));
        if let Some(word) = &patch.horizontal {
            alignment.set("horizontal", word.clone());
        }
        if let Some(word) = &patch.vertical {
            alignment.set("vertical", word.clone());
        }
        match patch.wrap {
            Some(true) => alignment.set("wrapText", "1"),
            Some(false) => alignment.unset("wrapText"),
            None => {}
        }
        xf.put(alignment, &XF_ORDER);
        xf.set("applyAlignment", "1");
    }

    /// The part with everything that was added.
    pub(super) fn write(&self, limits: &Limits) -> Result<XmlPart, Error> {
        let mut part = self.part.clone();
        let tree = part.tree(limits)?;
        let mut splice = Splice::new(&part.text);
        let formats: Vec<Element> = self
            .formats
            .get(self.old_formats..)
            .unwrap_or_default()
            .iter()
            .map(|(id, code)| self.element("numFmt").with("numFmtId", id.to_string()).with("formatCode", code))
            .collect();
        append(&tree, &mut splice, "numFmts", self.formats.len(), &formats);
        let lists = [
            ("fonts", &self.fonts),
            ("fills", &self.fills),
            ("borders", &self.borders),
            ("cellStyleXfs", &self.style_xfs),
            ("cellXfs", &self.xfs),
            ("cellStyles", &self.cell_styles),
            ("dxfs", &self.dxfs),
        ];
        for (name, list) in lists {
            append(&tree, &mut splice, name, list.items.len(), list.fresh());
        }
        let name = part.name.clone();
        part.text = splice.finish().map_err(|e| overlap(&name, &e))?;
        Ok(part)
    }
}

/// Appends elements to a list of the part and sets its count; creates a missing list.
fn append(tree: &Tree<'_>, splice: &mut Splice<'_>, name: &str, count: usize, fresh: &[Element]) {
    if fresh.is_empty() {
        return;
    }
    let root = tree.root();
    let markup: String = fresh.iter().map(Element::markup).collect();
    if let Some(list) = root.child(Ns::S, name) {
        splice.append(list, markup);
        if list.attr("count").is_some() {
            splice.set_attr(list, "count", &count.to_string());
        }
        return;
    }
    let prefix = root.prefix();
    let markup = format!("<{prefix}{name} count=\"{count}\">{markup}</{prefix}{name}>");
    super::order::insert_in_order(splice, root, name, &markup, &ORDER);
}
