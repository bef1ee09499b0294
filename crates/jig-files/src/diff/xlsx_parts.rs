//! Charts, drawings, pivot tables and chart sheets as facts: a path of element names and a value. Programs rewrite these
//! parts at each save with other defaults written out, so parts are equal when their facts are. What follows from cells
//! (cached values, items of a pivot cache) and what names objects only inside the part is left out.

use std::collections::BTreeMap;

use jig_ooxml::xlsx::address::ColumnName;
use jig_ooxml::xml::{Node, Ns};

use super::change::Detail;
use super::package_parts::Links;
use super::xlsx_styles::decimal;

pub(super) type Facts = BTreeMap<String, String>;

/// Details of one part that are listed.
const DETAILS_MAX: usize = 12;
/// How deep elements are read. Deeper ones are beyond what any program writes here.
const DEEPEST: usize = 64;

/// A kind of part that is compared by facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Chart,
    Drawing,
    PivotTable,
    PivotCache,
    ChartSheet,
}

impl PartKind {
    fn of(root: Node<'_>) -> Option<Self> {
        match root.local() {
            "chartSpace" => Some(Self::Chart),
            "wsDr" => Some(Self::Drawing),
            "pivotTableDefinition" => Some(Self::PivotTable),
            "pivotCacheDefinition" => Some(Self::PivotCache),
            "chartsheet" => Some(Self::ChartSheet),
            _ => None,
        }
    }

    fn skips(self, local: &str) -> bool {
        match self {
            Self::Chart | Self::Drawing => matches!(
                local,
                // Copies of cell values, and what a printer or a language setting left.
                "numCache" | "strCache" | "multiLvlStrCache" | "printSettings" | "lang" | "date1904"
                // Names and ids; the position is that of the anchor.
                | "nvPicPr" | "nvSpPr" | "nvGraphicFramePr" | "nvCxnSpPr" | "nvGrpSpPr" | "xfrm" | "axId" | "crossAx"
            ),
            // The layout of items follows from the data.
            Self::PivotTable => matches!(local, "rowItems" | "colItems"),
            Self::PivotCache => local == "sharedItems",
            Self::ChartSheet => matches!(local, "sheetViews" | "drawing" | "legacyDrawing"),
        }
    }
}

/// Values of chart and drawing elements that programs write or leave out without a difference. An axis without tick
/// marks, for instance, is saved with `none` by some libraries.
const CHART_DEFAULTS: [(&str, &str); 21] = [
    ("prstDash", "solid"),
    ("dispBlanksAs", "gap"),
    ("majorTickMark", "none"),
    ("minorTickMark", "none"),
    ("gapWidth", "150"),
    ("symbol", "none"),
    ("roundedCorners", "0"),
    ("showDLblsOverMax", "0"),
    ("autoTitleDeleted", "0"),
    ("plotVisOnly", "1"),
    ("overlay", "0"),
    ("auto", "1"),
    ("delete", "0"),
    ("invertIfNegative", "0"),
    ("smooth", "0"),
    ("crosses", "autoZero"),
    ("orientation", "minMax"),
    ("tickLblPos", "nextTo"),
    ("lblAlgn", "ctr"),
    ("lblOffset", "100"),
    ("noMultiLvlLbl", "0"),
];

/// Attributes of text in charts with these values are as if not written.
const TEXT_DEFAULTS: [(&str, &str); 7] = [
    ("b", "0"),
    ("i", "0"),
    ("u", "none"),
    ("strike", "noStrike"),
    ("baseline", "0"),
    ("editAs", "twoCell"),
    ("sourceLinked", "0"),
];

/// Flags of pivot tables that the standard sets when they are not written. All others are off by default.
const PIVOT_ON: [&str; 42] = [
    "showMissing",
    "showItems",
    "showCalcMbrs",
    "visualTotals",
    "showMultipleLabel",
    "showDataDropDown",
    "showDrill",
    "showMemberPropertyTips",
    "showDataTips",
    "enableWizard",
    "enableDrill",
    "enableFieldProperties",
    "preserveFormatting",
    "rowGrandTotals",
    "colGrandTotals",
    "showDropZones",
    "showHeaders",
    "compact",
    "compactData",
    "immersive",
    "multipleFieldFilters",
    "showDropDowns",
    "subtotalTop",
    "dragToRow",
    "dragToCol",
    "dragToPage",
    "dragToData",
    "dragOff",
    "showAll",
    "topAutoShow",
    "defaultSubtotal",
    "sd",
    "e",
    "dataOnly",
    "saveData",
    "enableRefresh",
    "databaseField",
    "uniqueList",
    "containsSemiMixedTypes",
    "containsNonDate",
    "containsString",
    "outlineField",
];

/// Other values of pivot tables that are as if not written.
const PIVOT_DEFAULTS: [(&str, &str); 14] = [
    ("itemPageCount", "10"),
    ("sortType", "manual"),
    ("t", "data"),
    ("showDataAs", "normal"),
    ("subtotal", "sum"),
    ("indent", "1"),
    ("indent", "0"),
    ("baseField", "-1"),
    ("baseField", "0"),
    ("baseItem", "1048832"),
    ("baseItem", "0"),
    ("action", "formatting"),
    ("type", "normal"),
    ("chartFormat", "0"),
];

/// Attributes that say when and by which version a pivot table was written.
const PIVOT_NOISE: [&str; 9] = [
    "refreshedDate",
    "refreshedBy",
    "refreshedVersion",
    "createdVersion",
    "updatedVersion",
    "minRefreshableVersion",
    "recordCount",
    "cacheId",
    "dataCaption",
];

/// The facts of a part; `None` for a part of another kind.
pub(super) fn facts(root: Node<'_>, links: &Links) -> Option<Facts> {
    let kind = PartKind::of(root)?;
    let mut facts = Facts::new();
    match kind {
        PartKind::Drawing => drawing(root, links, &mut facts),
        _ => element(kind, root, "", 0, &mut facts),
    }
    Some(facts)
}

/// The facts that differ, in the order of their paths.
pub(super) fn differing(old: &Facts, new: &Facts) -> Vec<Detail> {
    let value = |facts: &Facts, key: &str| match facts.get(key).map(String::as_str) {
        None => String::new(),
        Some("") => "present".to_owned(),
        Some(value) => value.to_owned(),
    };
    let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    let differ: Vec<&String> = keys.filter(|key| old.get(*key) != new.get(*key)).collect();
    let shown = differ.iter().take(DETAILS_MAX).map(|key| Detail::new(key.as_str(), value(old, key), value(new, key)));
    let more = differ.len().saturating_sub(DETAILS_MAX);
    shown.chain((more > 0).then(|| Detail::new("more", "", format!("{more} not shown")))).collect()
}

/// Adds an element with all that is in it.
fn element(kind: PartKind, node: Node<'_>, path: &str, depth: usize, facts: &mut Facts) {
    if depth > DEEPEST {
        return;
    }
    let (mut written, before) = (0, facts.len());
    for one in node.attributes() {
        let (prefix, local) = one.name.split_once(':').unwrap_or(("", one.name));
        let is_relation = !prefix.is_empty() && node.namespace_of(prefix) == Some(Ns::R);
        if is_relation || prefix == "xmlns" || local == "xmlns" || matches!(prefix, "mc" | "xr" | "xr2" | "xr3") {
            continue;
        }
        let value = match jig_ooxml::xml::unescape(one.raw).as_ref() {
            "true" => "1".to_owned(),
            "false" => "0".to_owned(),
            value => decimal(value),
        };
        written += 1;
        if !is_default(kind, node, local, &value) {
            let name = if local == "val" { path.to_owned() } else { format!("{path} {local}") };
            facts.insert(name.trim_start().to_owned(), value);
        }
    }
    let children: Vec<Node<'_>> =
        node.elements().filter(|child| !kind.skips(child.local()) && !is_extension(*child)).collect();
    for (at, child) in children.iter().enumerate() {
        let alike = |other: &&Node<'_>| other.local() == child.local();
        let name = match children.iter().filter(alike).count() {
            1 => child.local().to_owned(),
            _ => format!("{} {}", child.local(), children.iter().take(at + 1).filter(alike).count()),
        };
        element(kind, *child, &format!("{path} {name}"), depth + 1, facts);
    }
    if node.elements().next().is_none() {
        let text = node.text().replace("\r\n", "\n");
        if !text.trim().is_empty() {
            facts.insert(path.trim_start().to_owned(), decimal(&text));
        }
    }
    if facts.len() == before && written == 0 && is_told_by_presence(node.local()) {
        facts.insert(path.trim_start().to_owned(), String::new());
    }
}

/// Whether an element without attributes and content has a meaning, as `noFill` and `legend` do. Containers do not.
fn is_told_by_presence(local: &str) -> bool {
    !(local.ends_with("Pr")
        || matches!(
            local,
            "layout"
                | "lstStyle"
                | "ln"
                | "effectLst"
                | "avLst"
                | "blip"
                | "marker"
                | "scaling"
                | "pivotField"
                | "rich"
                | "tx"
                | "t"
                | "r"
                | "p"
                | "x"
                | "i"
        )
        || local.ends_with("Header")
        || local.ends_with("Footer"))
}

fn is_extension(node: Node<'_>) -> bool {
    matches!(node.local(), "extLst" | "AlternateContent")
}

fn is_default(kind: PartKind, node: Node<'_>, local: &str, value: &str) -> bool {
    if matches!(local, "uid" | "count" | "lang" | "altLang" | "dirty" | "err" | "smtClean" | "codeName" | "cstate") {
        return true;
    }
    match kind {
        PartKind::Chart | PartKind::Drawing => {
            (local == "val" && CHART_DEFAULTS.contains(&(node.local(), value)))
                || TEXT_DEFAULTS.contains(&(local, value))
        }
        PartKind::PivotTable | PartKind::PivotCache => {
            // Fields are in outline form by default, the table as a whole is not.
            let is_on = PIVOT_ON.contains(&local) || (local == "outline" && node.local() != "pivotTableDefinition");
            let flag = matches!((is_on, value), (true, "1") | (false, "0"));
            let off = local == "multipleFieldFilters" && value == "0";
            flag || off || PIVOT_DEFAULTS.contains(&(local, value)) || PIVOT_NOISE.contains(&local)
        }
        PartKind::ChartSheet => local == "alignWithMargins" || local == "scaleWithDoc",
    }
}

/// The objects of a drawing with their positions, numbered among those of the same label.
fn drawing(root: Node<'_>, links: &Links, facts: &mut Facts) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let anchors = root.elements().flat_map(|node| {
        // Newer objects are wrapped, with a fallback for older programs.
        let choice = node.elements().find(|inside| inside.local() == "Choice");
        let wrapped: Vec<Node<'_>> = match choice {
            Some(choice) if node.local() == "AlternateContent" => choice.elements().collect(),
            _ => vec![node],
        };
        wrapped
    });
    for anchor in anchors.filter(|node| node.local().ends_with("Anchor")) {
        let objects = ["sp", "pic", "graphicFrame", "cxnSp", "grpSp", "contentPart", "AlternateContent"];
        let Some(object) = anchor.elements().find(|node| objects.contains(&node.local())) else { continue };
        let label = label(object, links);
        let number = counts.entry(label.clone()).or_default();
        *number += 1;
        let key = if *number == 1 { label } else { format!("{label} ({number})") };
        facts.insert(key.clone(), position(anchor));
        if !matches!(object.local(), "graphicFrame" | "AlternateContent") {
            element(PartKind::Drawing, object, &key, 0, facts);
        }
    }
}

fn label(object: Node<'_>, links: &Links) -> String {
    let inside = |name: &str| object.descendants().find(|node| node.is_element() && node.local() == name);
    match object.local() {
        "pic" => {
            let image = inside("blip").and_then(|blip| links.embedded(blip)).unwrap_or_default();
            format!("image {image}").trim_end().to_owned()
        }
        "graphicFrame" => {
            let uri = inside("graphicData").and_then(|data| data.attr("uri")).unwrap_or_default();
            if uri.ends_with("/chart") { "chart" } else { "graphic" }.to_owned()
        }
        "cxnSp" => "line".to_owned(),
        "grpSp" => "group".to_owned(),
        "AlternateContent" | "contentPart" => "graphic".to_owned(),
        _ => "shape".to_owned(),
    }
}

/// Where an object is: its cells, with distances from their corners in centimetres, or its size.
fn position(anchor: Node<'_>) -> String {
    let centimetres = |value: Option<f64>| decimal(&format!("{:.2}", value.unwrap_or(0.0) / 360_000.0));
    let corner = |name: &str| {
        let node = anchor.elements().find(|child| child.local() == name)?;
        let index = |name: &str| number_in(node, name).map_or(1, |at| at as u32 + 1);
        let offset = |name: &str| centimetres(number_in(node, name));
        let cell = format!("{}{}", ColumnName(index("col")), index("row"));
        Some(format!("{cell} +{}, {} cm", offset("colOff"), offset("rowOff")))
    };
    let size = || {
        let node = anchor.elements().find(|child| child.local() == "ext")?;
        let attr = |name: &str| centimetres(node.attr(name).and_then(|value| value.trim().parse::<f64>().ok()));
        Some(format!("{} × {} cm", attr("cx"), attr("cy")))
    };
    // The chart of a chart sheet fills it, whatever size is written.
    if anchor.local() == "absoluteAnchor" {
        return String::new();
    }
    let words = [corner("from"), corner("to"), size()];
    words.into_iter().flatten().collect::<Vec<_>>().join(" to ")
}

/// The number in a child of an anchor's corner.
fn number_in(node: Node<'_>, name: &str) -> Option<f64> {
    node.elements().find(|child| child.local() == name)?.text().trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use jig_ooxml::Limits;
    use jig_ooxml::xml::Tree;

    use super::*;

    const CHART: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";

    fn of(markup: &str) -> Facts {
        let limits = Limits::default();
        let tree = Tree::parse("part.xml", markup, &limits).unwrap();
        facts(tree.root(), &Links::default()).unwrap()
    }

    #[test]
    fn a_chart_with_defaults_written_out_is_the_same() {
        let old = format!(
            "<c:chartSpace xmlns:c=\"{CHART}\"><c:chart><c:barChart><c:ser><c:val><c:numRef><c:f>A!$B$1:$B$4</c:f>\
             <c:numCache><c:ptCount val=\"4\"/></c:numCache></c:numRef></c:val></c:ser></c:barChart>\
             <c:legend><c:layout/></c:legend></c:chart></c:chartSpace>"
        );
        let new = |range: &str| {
            format!(
                "<chartSpace xmlns=\"{CHART}\"><chart><barChart><ser><spPr><ln><prstDash val=\"solid\"/></ln></spPr>\
                 <val><numRef><f>{range}</f></numRef></val></ser><gapWidth val=\"150\"/></barChart>\
                 <legend/><dispBlanksAs val=\"gap\"/></chart></chartSpace>"
            )
        };
        let before = of(&old);
        assert_eq!(differing(&before, &of(&new("A!$B$1:$B$4"))), []);
        let detail = Detail::new("chart barChart ser val numRef f", "A!$B$1:$B$4", "A!$B$1:$B$9");
        assert_eq!(differing(&before, &of(&new("A!$B$1:$B$9"))), [detail]);
    }

    #[test]
    fn a_pivot_table_compares_by_its_settings() {
        let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
        let old = format!(
            "<pivotTableDefinition {main} name=\"P\"><pivotFields><pivotField axis=\"axisRow\"/></pivotFields></pivotTableDefinition>"
        );
        let new = |grand: &str| {
            format!(
                "<pivotTableDefinition {main} name=\"P\" rowGrandTotals=\"{grand}\" showError=\"0\" outline=\"0\">\
                 <pivotFields count=\"1\"><pivotField axis=\"axisRow\" outline=\"1\" sortType=\"manual\"/></pivotFields>\
                 <rowItems><i><x v=\"0\"/></i></rowItems></pivotTableDefinition>"
            )
        };
        assert_eq!(differing(&of(&old), &of(&new("1"))), []);
        assert_eq!(differing(&of(&old), &of(&new("0"))), [Detail::new("rowGrandTotals", "", "0")]);
    }
}
