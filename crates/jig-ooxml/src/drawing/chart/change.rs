//! Changes of an existing chart by splicing: formats that no op names stay as the program that drew it left them.

use super::markup::{legend_markup, namespaces, title_markup};
use super::read::{Axes, groups};
use super::{Chart, ChartFacts, ChartKind, DataLabels, Points, Series, Stacking, legend_position};
use crate::xml::{Node, Ns, Splice, escape_attribute};

/// What to change; what is not given stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChartChange {
    /// Another plot area, for another kind of chart.
    pub(crate) plot: Option<Chart>,
    /// All series from now on.
    pub(crate) series: Option<Vec<Series>>,
    /// Titles; an empty text removes one.
    pub(crate) title: Option<String>,
    pub(crate) x_title: Option<String>,
    pub(crate) y_title: Option<String>,
    pub(crate) y2_title: Option<String>,
    /// The name of a position, or `none`.
    pub(crate) legend: Option<String>,
    pub(crate) stacking: Option<Stacking>,
    pub(crate) labels: Option<DataLabels>,
    pub(crate) number_format: Option<String>,
    pub(crate) y_min: Option<f64>,
    pub(crate) y_max: Option<f64>,
}

/// Children of `c:chart` in the order of the schema.
const CHART: [&str; 11] = [
    "title",
    "autoTitleDeleted",
    "pivotFmts",
    "view3D",
    "floor",
    "sideWall",
    "backWall",
    "plotArea",
    "legend",
    "plotVisOnly",
    "dispBlanksAs",
];
/// Children of an axis up to those that end it.
const AXIS: [&str; 14] = [
    "axId",
    "scaling",
    "delete",
    "axPos",
    "majorGridlines",
    "minorGridlines",
    "title",
    "numFmt",
    "majorTickMark",
    "minorTickMark",
    "tickLblPos",
    "spPr",
    "txPr",
    "crossAx",
];
/// Children of a group of series that come after its labels.
const AFTER_LABELS: [&str; 16] = [
    "gapWidth",
    "gapDepth",
    "overlap",
    "shape",
    "serLines",
    "dropLines",
    "hiLowLines",
    "upDownBars",
    "marker",
    "smooth",
    "firstSliceAng",
    "holeSize",
    "axId",
    "splitType",
    "secondPieSize",
    "extLst",
];

impl ChartChange {
    /// Splices the changes into a chart part; a sentence for each that the chart cannot take.
    pub(crate) fn splice(&self, root: Node<'_>, splice: &mut Splice<'_>, strict: bool) -> Vec<String> {
        let mut skipped = Vec::new();
        let Some(chart) = root.child(Ns::C, "chart") else { return vec!["the chart part has no chart".to_owned()] };
        if let Some(title) = &self.title {
            set_title(root, chart, title, 1400, &CHART, splice, strict);
            let deleted = u8::from(title.is_empty()).to_string();
            match chart.child(Ns::C, "autoTitleDeleted") {
                Some(node) => splice.set_attr(node, "val", &deleted),
                None => {
                    let markup = format!("<{}autoTitleDeleted val=\"{deleted}\"/>", chart.prefix());
                    insert(splice, chart, "autoTitleDeleted", &markup, &CHART);
                }
            }
        }
        if let Some(legend) = &self.legend {
            set_legend(chart, legend, splice);
        }
        if let Some(plot) = &self.plot {
            if let Some(area) = chart.child(Ns::C, "plotArea") {
                let names = namespaces(strict);
                splice.replace(area.range(), format!("<c:plotArea {names}>{}</c:plotArea>", plot.plot_area()));
            }
            return skipped;
        }
        self.axes(root, splice, strict, &mut skipped);
        // Before the labels, which come behind new series.
        if let Some(series) = &self.series {
            set_series(root, series, splice, strict, &mut skipped);
        }
        for group in groups(root) {
            if let Some(stacking) = self.stacking {
                set_stacking(group, stacking, splice, &mut skipped);
            }
            if let Some(labels) = &self.labels {
                set_labels(group, labels, self.number_format.as_deref(), splice);
            }
        }
        skipped
    }

    fn axes(&self, root: Node<'_>, splice: &mut Splice<'_>, strict: bool, skipped: &mut Vec<String>) {
        let axes = Axes::of(root);
        let titles = [
            ("x_axis_title", &self.x_title, axes.categories),
            ("y_axis_title", &self.y_title, axes.values),
            ("y2_axis_title", &self.y2_title, axes.second_values),
        ];
        for (field, title, axis) in titles {
            match (title, axis) {
                (Some(title), Some(axis)) => set_title(root, axis, title, 1000, &AXIS, splice, strict),
                (Some(_), None) => skipped.push(format!("`{field}`: the chart has no such axis")),
                (None, _) => {}
            }
        }
        let wants_axis = self.number_format.is_some() || self.y_min.is_some() || self.y_max.is_some();
        let Some(axis) = axes.values else {
            if wants_axis {
                skipped.push("`number_format`, `y_min` and `y_max`: the chart has no axis with values".to_owned());
            }
            return;
        };
        if let Some(code) = &self.number_format {
            match axis.child(Ns::C, "numFmt") {
                Some(node) => {
                    splice.set_attr(node, "formatCode", code);
                    splice.set_attr(node, "sourceLinked", "0");
                }
                None => {
                    let (p, code) = (axis.prefix(), escape_attribute(code));
                    insert(
                        splice,
                        axis,
                        "numFmt",
                        &format!("<{p}numFmt formatCode=\"{code}\" sourceLinked=\"0\"/>"),
                        &AXIS,
                    );
                }
            }
        }
        let scaling = axis.child(Ns::C, "scaling");
        for (name, limit) in [("max", self.y_max), ("min", self.y_min)] {
            let (Some(limit), Some(scaling)) = (limit, scaling) else { continue };
            match scaling.child(Ns::C, name) {
                Some(node) => splice.set_attr(node, "val", &limit.to_string()),
                None => {
                    let markup = format!("<{}{name} val=\"{limit}\"/>", scaling.prefix());
                    insert(splice, scaling, name, &markup, &["logBase", "orientation", "max", "min"]);
                }
            }
        }
    }
}

/// Puts markup before the first child that the order has later.
fn insert(splice: &mut Splice<'_>, parent: Node<'_>, name: &str, markup: &str, order: &[&str]) {
    let rank = |local: &str| order.iter().position(|known| *known == local).unwrap_or(order.len());
    let own = rank(name);
    match parent.elements().find(|child| child.ns() == Ns::C && rank(child.local()) > own) {
        Some(later) => splice.before(later, markup),
        None => splice.append(parent, markup),
    }
}

/// Markup of this module for a part whose prefixes may differ.
fn adapted(markup: &str, root: Node<'_>, strict: bool) -> String {
    let p = root.prefix();
    // Text content is escaped, so `<` only starts tags.
    let markup = if p == "c:" {
        markup.to_owned()
    } else {
        markup.replace("<c:", &format!("<{p}")).replace("</c:", &format!("</{p}"))
    };
    if !markup.contains("<a:") || root.namespace_of("a") == Some(Ns::A) {
        return markup;
    }
    let uri = if strict { "http://purl.oclc.org/ooxml/drawingml/main" } else { Ns::A.uri() };
    let end = markup.find(['>', ' ', '/']).unwrap_or(markup.len());
    let (head, tail) = markup.split_at(end);
    format!("{head} xmlns:a=\"{uri}\"{tail}")
}

/// Sets the title of a chart or an axis: the text of one that exists, with the format of its first run.
fn set_title(
    root: Node<'_>,
    owner: Node<'_>,
    text: &str,
    size: u32,
    order: &[&str],
    splice: &mut Splice<'_>,
    strict: bool,
) {
    let old = owner.child(Ns::C, "title");
    if text.is_empty() {
        if let Some(old) = old {
            splice.remove(old);
        }
        return;
    }
    let Some(old) = old else {
        let markup = adapted(&title_markup("c:", text, size), root, strict);
        insert(splice, owner, "title", &markup, order);
        return;
    };
    let rich = old.path(Ns::C, &["tx", "rich"]);
    let runs: Vec<Node<'_>> = rich
        .into_iter()
        .flat_map(|rich| rich.descendants())
        .filter(|node| node.is_element() && node.ns() == Ns::A && matches!(node.local(), "r" | "fld" | "br"))
        .collect();
    let first = runs.iter().find(|node| node.local() == "r").and_then(|run| run.child(Ns::A, "t"));
    let single = rich.is_some_and(|rich| rich.children_named(Ns::A, "p").count() == 1);
    match first.filter(|_| single && !text.contains('\n')) {
        Some(first) => {
            splice.set_text(first, text);
            let kept = first.parent().map(Node::id);
            runs.iter().filter(|run| Some(run.id()) != kept).for_each(|run| splice.remove(*run));
        }
        None => splice.replace(old.range(), adapted(&title_markup("c:", text, size), root, strict)),
    }
}

fn set_legend(chart: Node<'_>, name: &str, splice: &mut Splice<'_>) {
    let old = chart.child(Ns::C, "legend");
    match (legend_position(name), old) {
        (None, Some(old)) => splice.remove(old),
        (None, None) => {}
        (Some(position), Some(old)) => match old.child(Ns::C, "legendPos") {
            Some(node) => {
                splice.set_attr(node, "val", position);
                // A position by hand would win over the new one.
                if let Some(layout) = old.child(Ns::C, "layout") {
                    splice.remove(layout);
                }
            }
            None => splice.prepend(old, format!("<{}legendPos val=\"{position}\"/>", old.prefix())),
        },
        (Some(position), None) => {
            insert(splice, chart, "legend", &legend_markup(chart.prefix(), position), &CHART);
        }
    }
}

fn set_stacking(group: Node<'_>, stacking: Stacking, splice: &mut Splice<'_>, skipped: &mut Vec<String>) {
    let bar = group.local().starts_with("bar");
    let Some(grouping) = group.child(Ns::C, "grouping") else {
        if stacking != Stacking::None {
            skipped.push("`stacked`: this kind of chart cannot be stacked".to_owned());
        }
        return;
    };
    let word = match stacking {
        Stacking::None if bar => "clustered",
        Stacking::None => "standard",
        Stacking::Stacked => "stacked",
        Stacking::Percent => "percentStacked",
    };
    splice.set_attr(grouping, "val", word);
    if !bar || group.local() == "bar3DChart" {
        return;
    }
    match (group.child(Ns::C, "overlap"), stacking) {
        (Some(node), Stacking::None) => splice.remove(node),
        (Some(node), _) => splice.set_attr(node, "val", "100"),
        (None, Stacking::None) => {}
        (None, _) => {
            let markup = format!("<{}overlap val=\"100\"/>", group.prefix());
            let later = group.elements().find(|node| matches!(node.local(), "serLines" | "axId" | "extLst"));
            match later {
                Some(later) => splice.before(later, markup),
                None => splice.append(group, markup),
            }
        }
    }
}

/// Sets the labels of a group; labels of single series, which would win, are removed.
fn set_labels(group: Node<'_>, labels: &DataLabels, format: Option<&str>, splice: &mut Splice<'_>) {
    let p = group.prefix();
    for series in group.children_named(Ns::C, "ser") {
        if let Some(old) = series.child(Ns::C, "dLbls") {
            splice.remove(old);
        }
    }
    let markup = labels.markup(p, format);
    match group.child(Ns::C, "dLbls") {
        Some(old) => splice.replace(old.range(), markup),
        None => match group.elements().find(|node| AFTER_LABELS.contains(&node.local())) {
            Some(later) => splice.before(later, markup),
            None => splice.append(group, markup),
        },
    }
}

/// Replaces the references of the series one by one, adds the missing ones at the end and removes those left over.
fn set_series(root: Node<'_>, series: &[Series], splice: &mut Splice<'_>, strict: bool, skipped: &mut Vec<String>) {
    let nodes: Vec<Node<'_>> = groups(root).into_iter().flat_map(|group| group.children_named(Ns::C, "ser")).collect();
    for (node, new) in nodes.iter().zip(series) {
        set_refs(*node, new, splice);
    }
    for left in nodes.iter().skip(series.len()) {
        splice.remove(*left);
    }
    let Some(last) = nodes.last() else {
        skipped.push("`series`: the chart has no series to change".to_owned());
        return;
    };
    let number = |name: &str| {
        let values = nodes.iter().filter_map(|node| node.child(Ns::C, name)?.attr("val")?.trim().parse::<usize>().ok());
        values.max().map_or(nodes.len(), |most| most.saturating_add(1))
    };
    let kind = ChartFacts::read(root).series.last().and_then(|series| series.kind);
    let next = number("idx").max(number("order"));
    for (at, new) in series.iter().enumerate().skip(nodes.len()) {
        let Some(kind) = kind else {
            skipped.push("`series`: series cannot be added to this kind of chart".to_owned());
            return;
        };
        let new = Series { kind, ..new.clone() };
        splice.after(*last, adapted(&new.markup(next + at - nodes.len()), root, strict));
    }
}

fn set_refs(node: Node<'_>, new: &Series, splice: &mut Splice<'_>) {
    let p = node.prefix();
    let child = |names: [&'static str; 2]| names.iter().find_map(|name| node.child(Ns::C, name));
    if let Some(name) = &new.name {
        match node.child(Ns::C, "tx") {
            Some(old) => splice.replace(old.range(), name.markup(p)),
            None => {
                if let Some(order) = child(["order", "idx"]) {
                    splice.after(order, name.markup(p));
                }
            }
        }
    }
    let values = child(["val", "yVal"]);
    if let Some(values) = values {
        splice.set_inner(values, new.values.markup(p));
    }
    if let Some(categories) = &new.categories {
        match child(["cat", "xVal"]) {
            Some(old) => splice.set_inner(old, categories.markup(p)),
            None => {
                if let Some(values) = values {
                    let name = if values.local() == "yVal" { "xVal" } else { "cat" };
                    splice.before(values, format!("<{p}{name}>{}</{p}{name}>", categories.markup(p)));
                }
            }
        }
    }
    if let Some(color) = &new.color {
        set_color(node, new.kind, color, splice);
    }
}

/// Sets the colour of a series where it has one; formats of other kinds stay.
fn set_color(node: Node<'_>, kind: ChartKind, color: &str, splice: &mut Splice<'_>) {
    let format = node.child(Ns::C, "spPr");
    let holder =
        format.and_then(|format| if kind == ChartKind::Line { format.child(Ns::A, "ln") } else { Some(format) });
    let fills = ["noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"];
    let old = holder.and_then(|holder| holder.elements().find(|node| fills.contains(&node.local())));
    if let Some(old) = old {
        let p = old.prefix();
        splice.replace(old.range(), format!("<{p}solidFill><{p}srgbClr val=\"{color}\"/></{p}solidFill>"));
    }
}

/// Fills the caches of all references of a chart with what `values` gives for their formulas. `numeric` is whether
/// numbers are expected. References without values keep what they have.
pub(crate) fn fill_caches(
    root: Node<'_>,
    splice: &mut Splice<'_>,
    values: &mut dyn FnMut(&str, bool) -> Option<Points>,
) {
    for node in root.descendants().filter(|node| node.is_element() && node.ns() == Ns::C) {
        let (cache, numeric) = match node.local() {
            "numRef" => ("numCache", true),
            "strRef" => ("strCache", false),
            _ => continue,
        };
        let Some(formula) = node.child(Ns::C, "f") else { continue };
        let Some(points) = values(&formula.text(), numeric) else { continue };
        let markup = points.cache(node.prefix());
        match node.child(Ns::C, cache) {
            Some(old) => splice.replace(old.range(), markup),
            None => splice.after(formula, markup),
        }
    }
}
