//! What an existing chart shows, whichever program wrote it.

use super::{ChartFacts, ChartKind, SeriesFacts, Stacking};
use crate::xml::{Node, Ns};

impl ChartFacts {
    /// Reads the root of a chart part.
    pub(crate) fn read(root: Node<'_>) -> Self {
        if root.ns() == Ns::Cx {
            return Self::extended(root);
        }
        let Some(chart) = root.child(Ns::C, "chart") else { return Self::default() };
        let groups = groups(root);
        let first_axes = groups.first().map(|group| axis_ids(*group)).unwrap_or_default();
        let mut facts = Self { title: chart.child(Ns::C, "title").and_then(title_text), ..Self::default() };
        let mut names: Vec<&str> = Vec::new();
        for group in &groups {
            let (name, kind) = kind_of(*group);
            if !names.contains(&name) {
                names.push(name);
            }
            match group.child(Ns::C, "grouping").and_then(|node| node.attr("val")).as_deref() {
                Some("stacked") => facts.stacking = Stacking::Stacked,
                Some("percentStacked") => facts.stacking = Stacking::Percent,
                _ => {}
            }
            let secondary = axis_ids(*group) != first_axes;
            for node in group.children_named(Ns::C, "ser") {
                facts.series.push(SeriesFacts { kind, secondary, ..SeriesFacts::read(node) });
            }
        }
        facts.kind = match names.as_slice() {
            [] => "unknown".to_owned(),
            [one] => (*one).to_owned(),
            _ => "combo".to_owned(),
        };
        let axes = Axes::of(root);
        facts.x_title = axes.categories.and_then(|axis| axis.child(Ns::C, "title")).and_then(title_text);
        facts.y_title = axes.values.and_then(|axis| axis.child(Ns::C, "title")).and_then(title_text);
        facts.y2_title = axes.second_values.and_then(|axis| axis.child(Ns::C, "title")).and_then(title_text);
        let format = axes.values.and_then(|axis| axis.child(Ns::C, "numFmt"));
        let own = format.filter(|format| !matches!(format.attr("sourceLinked").as_deref(), Some("1" | "true")));
        facts.number_format = own.and_then(|format| Some(format.attr("formatCode")?.into_owned()));
        facts
    }

    /// A chart of 2014 and later, such as a waterfall.
    fn extended(root: Node<'_>) -> Self {
        let mut facts = Self::default();
        let nodes = || root.descendants().filter(|node| node.is_element());
        let layout = nodes().find(|node| node.is(Ns::Cx, "series")).and_then(|node| node.attr("layoutId"));
        facts.kind = layout.map_or_else(|| "unknown".to_owned(), std::borrow::Cow::into_owned);
        facts.title = root.child(Ns::Cx, "chart").and_then(|chart| chart.child(Ns::Cx, "title")).and_then(title_text);
        facts.series = nodes()
            .filter(|node| node.is(Ns::Cx, "numDim"))
            .filter_map(|node| node.child(Ns::Cx, "f"))
            .map(|node| SeriesFacts { values: Some(node.text().into_owned()), ..SeriesFacts::default() })
            .collect();
        facts
    }
}

/// The elements of a plot area that hold series.
pub(super) fn groups(root: Node<'_>) -> Vec<Node<'_>> {
    let area = root.child(Ns::C, "chart").and_then(|chart| chart.child(Ns::C, "plotArea"));
    let elements = area.into_iter().flat_map(Node::elements);
    elements.filter(|node| node.ns() == Ns::C && node.local().ends_with("Chart")).collect()
}

fn axis_ids(group: Node<'_>) -> Vec<String> {
    group.children_named(Ns::C, "axId").filter_map(|node| Some(node.attr("val")?.into_owned())).collect()
}

/// The axes of a chart.
#[derive(Default)]
pub(super) struct Axes<'t> {
    pub(super) categories: Option<Node<'t>>,
    pub(super) values: Option<Node<'t>>,
    pub(super) second_values: Option<Node<'t>>,
}

impl<'t> Axes<'t> {
    pub(super) fn of(root: Node<'t>) -> Self {
        let area = root.child(Ns::C, "chart").and_then(|chart| chart.child(Ns::C, "plotArea"));
        let Some(area) = area else { return Self::default() };
        let axis = |id: &String| {
            area.elements().filter(|node| node.ns() == Ns::C && node.local().ends_with("Ax")).find(|node| {
                node.child(Ns::C, "axId").and_then(|node| node.attr("val")).is_some_and(|found| found == id.as_str())
            })
        };
        let groups = groups(root);
        let pair = |ids: &[String]| (ids.first().and_then(axis), ids.get(1).and_then(axis));
        let first_ids = groups.first().map(|group| axis_ids(*group)).unwrap_or_default();
        let (mut categories, mut values) = pair(&first_ids);
        // The order of the ids is free: the axis with the values is the one of that name.
        if categories.is_some_and(|axis| axis.local() == "valAx") && values.is_some_and(|axis| axis.local() != "valAx")
        {
            std::mem::swap(&mut categories, &mut values);
        }
        let other = groups.iter().map(|group| axis_ids(*group)).find(|ids| *ids != first_ids).unwrap_or_default();
        let second_values = other.iter().filter_map(axis).rfind(|axis| axis.local() == "valAx");
        Self { categories, values, second_values }
    }
}

/// The kind of a group, for replies and, if an op can create it, for the model.
fn kind_of(group: Node<'_>) -> (&'static str, Option<ChartKind>) {
    let horizontal = group.child(Ns::C, "barDir").and_then(|node| node.attr("val")).is_some_and(|dir| dir == "bar");
    let kind = match group.local() {
        "barChart" | "bar3DChart" if horizontal => ChartKind::Bar,
        "barChart" | "bar3DChart" => ChartKind::Column,
        "lineChart" | "line3DChart" => ChartKind::Line,
        "areaChart" | "area3DChart" => ChartKind::Area,
        "pieChart" | "pie3DChart" => ChartKind::Pie,
        "doughnutChart" => ChartKind::Doughnut,
        "scatterChart" => ChartKind::Scatter,
        "ofPieChart" => return ("pie_of_pie", None),
        "radarChart" => return ("radar", None),
        "bubbleChart" => return ("bubble", None),
        "stockChart" => return ("stock", None),
        "surfaceChart" | "surface3DChart" => return ("surface", None),
        _ => return ("unknown", None),
    };
    (kind.name(), Some(kind))
}

/// The text of a title; of a title that shows a cell, its stored text.
pub(super) fn title_text(title: Node<'_>) -> Option<String> {
    let nodes = || title.descendants().filter(|node| node.is_element());
    let paragraphs: Vec<String> = nodes()
        .filter(|node| node.is(Ns::A, "p"))
        .map(|paragraph| {
            let texts = paragraph.descendants().filter(|node| node.is_element() && node.is(Ns::A, "t"));
            texts.map(|node| node.text().into_owned()).collect()
        })
        .collect();
    let text = paragraphs.join("\n");
    if !text.is_empty() {
        return Some(text);
    }
    nodes().find(|node| node.ns() == Ns::C && node.local() == "v").map(|node| node.text().into_owned())
}

impl SeriesFacts {
    fn read(node: Node<'_>) -> Self {
        let formula = |node: Node<'_>| {
            let nodes = node.descendants().filter(|node| node.is_element());
            nodes.filter(|node| node.is(Ns::C, "f")).map(|node| node.text().into_owned()).next()
        };
        let data = |names: [&'static str; 2]| names.iter().find_map(|name| node.child(Ns::C, name));
        let name = node.child(Ns::C, "tx");
        let value = name.and_then(|tx| tx.descendants().find(|node| node.is_element() && node.is(Ns::C, "v")));
        let categories = data(["cat", "xVal"]);
        let fill = node.child(Ns::C, "spPr").and_then(|format| {
            let line = || format.child(Ns::A, "ln")?.child(Ns::A, "solidFill");
            format.child(Ns::A, "solidFill").or_else(line)?.child(Ns::A, "srgbClr")?.attr("val")
        });
        Self {
            name: value.map(|node| node.text().into_owned()),
            name_ref: name.and_then(formula),
            numeric_categories: categories.is_some_and(|node| node.child(Ns::C, "numRef").is_some()),
            categories: categories.and_then(formula),
            values: data(["val", "yVal"]).and_then(formula),
            color: fill.map(std::borrow::Cow::into_owned),
            ..Self::default()
        }
    }
}
