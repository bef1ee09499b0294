//! Reads the styles part: cell formats with their fonts, fills and borders, and `XlsxGetStyles`.

use std::collections::BTreeMap;

use jig_file_api::read::xlsx::{
    BorderEdge, BorderStyle, Capped, ConditionalFormatMap, FillStyle, FontStyle, SheetStyles, StyleAsset,
    StyleAssetType, StyleDetails, WorkbookStyles,
};

use super::address::CellRef;
use super::map::named_range;
use super::number_format::{NumberFormat, builtin, shown_builtin};
use super::palette::{self, Palette};
use super::sheet::rows;
use super::workbook::{ReadCall, Workbook};
use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::xml::{Node, Ns, XmlPart};

/// How many entries of a kind a reply lists.
const LISTED: usize = 1000;
/// Sheets of more bytes are searched for conditional formats only when they are named.
const SMALL: u64 = 8 << 20;

/// The content of the styles part.
#[derive(Debug, Default)]
pub(super) struct Styles {
    pub(super) cell_formats: Vec<CellFormat>,
    pub(super) named: Vec<NamedStyle>,
    /// The file's own number formats by id.
    pub(super) codes: BTreeMap<u32, String>,
    pub(super) fonts: Vec<FontStyle>,
    pub(super) fills: Vec<FillStyle>,
    pub(super) borders: Vec<BorderStyle>,
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
    /// Reads the part. One that cannot be read leaves all values without a format, with a warning.
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
    colors.map(|node| node.attr("rgb").and_then(|rgb| palette::rgb_of(&rgb)).unwrap_or_default()).collect()
}

/// A property that is on unless its value says otherwise.
fn is_on(node: Node<'_>, name: &str) -> bool {
    node.child(Ns::S, name)
        .is_some_and(|found| !found.attr("val").is_some_and(|value| matches!(value.as_ref(), "0" | "false" | "off")))
}

fn font(index: usize, node: Node<'_>, palette: &Palette) -> FontStyle {
    let value = |name| node.child(Ns::S, name).and_then(|found| found.attr("val"));
    let underline =
        node.child(Ns::S, "u").map(|found| found.attr("val").map_or("single".to_owned(), |v| v.into_owned()));
    FontStyle {
        index,
        name: value("name").map(|name| name.into_owned()),
        size: value("sz").and_then(|size| size.parse::<f64>().ok()),
        bold: is_on(node, "b"),
        italic: is_on(node, "i"),
        underline: underline.filter(|kind| kind != "none"),
        strike: is_on(node, "strike"),
        color: node.child(Ns::S, "color").and_then(|color| palette.resolve(color)),
    }
}

fn fill(index: usize, node: Node<'_>, palette: &Palette) -> FillStyle {
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
    FillStyle { index, pattern: kind, fg_color: color("fgColor"), bg_color: color("bgColor"), gradient_colors: stops }
}

fn border(index: usize, node: Node<'_>, palette: &Palette) -> BorderStyle {
    // Strict files name left and right by the direction of the text.
    let edge = |name: &str, strict: &str| {
        let edge = node.child(Ns::S, name).or_else(|| node.child(Ns::S, strict))?;
        let style = edge.attr("style").filter(|style| style != "none")?.into_owned();
        Some(BorderEdge { style, color: edge.child(Ns::S, "color").and_then(|color| palette.resolve(color)) })
    };
    BorderStyle {
        index,
        left: edge("left", "start"),
        right: edge("right", "end"),
        top: edge("top", "top"),
        bottom: edge("bottom", "bottom"),
    }
}

impl Workbook {
    /// The styles of the workbook and what of them can be copied, with those of one sheet's cells if it is named.
    pub fn styles(&self, sheet: Option<&str>) -> Result<WorkbookStyles, Error> {
        let call = ReadCall::new(self)?;
        let sheet = sheet.map(|name| self.sheet_index(Some(name))).transpose()?;
        let only = sheet;
        let styles = call.formatter.styles.clone();
        let named: Vec<StyleAsset> = styles.named.iter().map(named_asset).collect();
        let formats = number_formats(&styles);
        let mut assets = [named.as_slice(), formats.as_slice()].concat();
        let sheet = match sheet {
            Some(place) => {
                let cells = cell_styles(&call, place)?;
                assets.extend_from_slice(&cells);
                Some(SheetStyles { name: call.sheet_name(place).to_owned(), cell_styles: Capped::new(cells, LISTED) })
            }
            None => None,
        };
        let names = call.book.names.iter().filter(|name| !name.hidden).map(|name| named_range(&call, name));
        let named_ranges = Capped::new(names.collect(), LISTED);
        let mut rules = Vec::new();
        for (place, sheet) in call.sheets() {
            // A large sheet is scanned only when it is asked for.
            let part = sheet.part.as_deref().filter(|_| sheet.kind.has_cells());
            let small = part.and_then(|part| call.package.declared_bytes(part)).is_some_and(|bytes| bytes < SMALL);
            if only == Some(place) || (only.is_none() && small) {
                conditional_formats(&call, place, &mut rules)?;
            }
        }
        Ok(WorkbookStyles {
            conditional_formats: Capped::new(rules, LISTED),
            named_ranges,
            sheets: call.book.sheets.iter().map(|sheet| sheet.name.clone()).collect(),
            style_count: styles.cell_formats.len(),
            named_styles: Capped::new(named, LISTED),
            number_formats: Capped::new(formats, LISTED),
            fonts: Capped::new(styles.fonts.clone(), LISTED),
            fills: Capped::new(styles.fills.clone(), LISTED),
            borders: Capped::new(styles.borders.clone(), LISTED),
            sheet,
            assets: Capped::new(assets, LISTED),
            warnings: call.into_warnings(),
        })
    }
}

fn named_asset(style: &NamedStyle) -> StyleAsset {
    StyleAsset {
        asset_id: format!("named_style:{}", style.name),
        kind: StyleAssetType::NamedStyle,
        details: StyleDetails::NamedStyle { name: style.name.clone(), builtin: style.builtin },
    }
}

/// Every format that a cell uses or the file defines.
fn number_formats(styles: &Styles) -> Vec<StyleAsset> {
    let mut ids: Vec<u32> = styles.cell_formats.iter().map(|format| format.number_format).collect();
    ids.extend(styles.codes.keys());
    ids.sort_unstable();
    ids.dedup();
    let asset = |id: &u32| {
        let code = styles.code(*id);
        StyleAsset {
            asset_id: format!("number_format:{code}"),
            kind: StyleAssetType::NumberFormat,
            details: StyleDetails::NumberFormat { index: *id, code: code.to_owned() },
        }
    };
    ids.iter().map(asset).collect()
}

/// The rules of a sheet, in the order of the file.
fn conditional_formats(call: &ReadCall<'_>, place: usize, found: &mut Vec<ConditionalFormatMap>) -> Result<(), Error> {
    let data = call.sheet(place)?;
    let part = call.book.sheets.get(place).and_then(|sheet| sheet.part.as_deref());
    let Some(part) = part.filter(|_| data.facts.conditional_formats) else { return Ok(()) };
    let decoded = rows::decoded(&call.package, part)?;
    let frame = rows::walk(rows::open(&call.package, part, decoded.as_ref())?, &mut |_| Ok(()))?;
    let frame = XmlPart::new(part, frame.text);
    let tree = frame.tree(call.package.limits())?;
    for area in tree.root().children_named(Ns::S, "conditionalFormatting") {
        let range = area.attr("sqref").unwrap_or_default();
        for rule in area.children_named(Ns::S, "cfRule") {
            let nodes = || rule.descendants().filter(|node| node.is_element() && node.ns() == Ns::S);
            let color = |node: Node<'_>| {
                let rgb = node.attr("rgb").map(|rgb| format!("#{}", rgb.get(2..).unwrap_or(&rgb)));
                rgb.or_else(|| Some(format!("theme {}", node.attr("theme")?)))
            };
            found.push(ConditionalFormatMap {
                sheet: call.sheet_name(place).to_owned(),
                range: range.clone().into_owned(),
                kind: rule.attr("type").unwrap_or_default().into_owned(),
                operator: rule.attr("operator").map(std::borrow::Cow::into_owned),
                formulas: rule.children_named(Ns::S, "formula").map(|node| node.text().into_owned()).collect(),
                colors: nodes().filter(|node| node.local() == "color").filter_map(color).collect(),
                icons: nodes().find_map(|node| Some(node.attr("iconSet")?.into_owned())),
                priority: rule.attr("priority").and_then(|text| text.trim().parse().ok()),
            });
        }
    }
    Ok(())
}

/// The first cell of each format on a sheet.
fn cell_styles(call: &ReadCall<'_>, place: usize) -> Result<Vec<StyleAsset>, Error> {
    let data = call.sheet(place)?;
    call.note_faults(place, &data);
    let name = call.sheet_name(place);
    let styles = &call.formatter.styles;
    let mut found: Vec<_> = data.facts.styles.iter().collect();
    found.sort_unstable_by_key(|(_, (at, _))| *at);
    if found.len() > LISTED {
        call.note(format!("{name} has {} cell styles; the first {LISTED} are listed", found.len()));
        found.truncate(LISTED);
    }
    let asset = |(style, (at, count)): (&u32, &(CellRef, u64))| StyleAsset {
        asset_id: format!("cell_style:{name}!{at}"),
        kind: StyleAssetType::CellStyle,
        details: StyleDetails::CellStyle {
            sheet: name.to_owned(),
            cell: at.to_string(),
            style_id: *style,
            named_style: styles.named_style(*style).map(str::to_owned),
            number_format: styles.code(styles.format_id(*style)).to_owned(),
            cell_count: *count,
        },
    };
    Ok(found.into_iter().map(asset).collect())
}
