//! The data of a chart on a slide: as ops give it, as a chart stores it, and as cells of a workbook.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_file_api::ops::pptx::SlideChartSeries;
use serde_json::{Value, json};

use super::super::DeckEdit;
use crate::drawing::chart::{ChartFacts, ChartKind, Data, Points, Series, SeriesName};
use crate::edit::{ApplyOptions, Color, EditError, OpInput};
use crate::error::{DeckIssue, Error};
use crate::xlsx;
use crate::xml::{Node, Ns};

/// The most points of a series, and the most series.
const MOST_POINTS: usize = 10_000;
const MOST_SERIES: usize = 255;

/// How the series of a chart are drawn.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) kind: ChartKind,
    combo: bool,
}

impl Layout {
    /// That of the kind with a name; `combo` and kinds that no op creates begin with columns.
    pub(super) fn named(name: &str) -> Self {
        let kind = ChartKind::named(name);
        Self { kind: kind.unwrap_or(ChartKind::Column), combo: name == "combo" }
    }

    fn of(self, at: usize) -> ChartKind {
        if self.combo && at > 0 { ChartKind::Line } else { self.kind }
    }

    pub(super) fn stacks(self) -> bool {
        matches!(self.kind, ChartKind::Column | ChartKind::Bar | ChartKind::Line | ChartKind::Area)
    }

    fn is_scatter(self) -> bool {
        self.kind == ChartKind::Scatter
    }
}

/// The data of an op.
pub(super) struct Given<'a> {
    pub(super) categories: Option<&'a [Value]>,
    pub(super) series: Option<&'a [SlideChartSeries]>,
    pub(super) values: Option<&'a [Vec<Value>]>,
}

impl Given<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.categories.is_none() && self.series.is_none() && self.values.is_none()
    }
}

/// A category: a text, a number or nothing.
#[derive(Debug, Clone, PartialEq)]
enum Label {
    Text(String),
    Number(f64),
    Empty,
}

/// A series with its points.
#[derive(Debug, Clone, PartialEq)]
struct SeriesData {
    name: Option<String>,
    values: Vec<Option<f64>>,
    /// Its own x values, in a scatter chart.
    x: Option<Vec<Option<f64>>>,
    kind: ChartKind,
    secondary: bool,
    color: Option<String>,
}

/// All data of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ChartData {
    labels: Vec<Label>,
    series: Vec<SeriesData>,
}

impl ChartData {
    /// The data of a new chart.
    pub(super) fn new(
        edit: &mut DeckEdit<'_>,
        input: &OpInput,
        given: &Given<'_>,
        layout: Layout,
    ) -> Result<Self, EditError> {
        Self::changed(edit, input, given, layout, Self::default(), true)
    }

    /// The data of a chart after a change; what is not given stays. With another kind of chart, all series are drawn
    /// as the new kind says.
    pub(super) fn changed(
        edit: &mut DeckEdit<'_>,
        input: &OpInput,
        given: &Given<'_>,
        layout: Layout,
        old: Self,
        other_kind: bool,
    ) -> Result<Self, EditError> {
        let mut data = old;
        if let Some(rows) = given.values {
            if given.series.is_some() || given.categories.is_some() {
                return Err(input.error("values", DeckIssue::Either { one: "values", other: "series" }));
            }
            data = Self::from_rows(edit, input, rows, layout)?;
        }
        if let Some(series) = given.series {
            data.series = read_series(edit, input, series, layout)?;
        } else if other_kind {
            for (at, series) in data.series.iter_mut().enumerate() {
                series.kind = layout.of(at);
                series.secondary &= !layout.kind.is_round();
            }
        }
        if let Some(labels) = given.categories {
            data.labels = read_labels(edit, input, "categories", labels)?;
        }
        data.check(input, layout, given)?;
        Ok(data)
    }

    /// Rows with names of series first, then a category and its values each.
    fn from_rows(
        edit: &mut DeckEdit<'_>,
        input: &OpInput,
        rows: &[Vec<Value>],
        layout: Layout,
    ) -> Result<Self, EditError> {
        let Some((header, rows)) = rows.split_first().filter(|(header, rows)| header.len() > 1 && !rows.is_empty())
        else {
            return Err(input.error("values", DeckIssue::ChartRows));
        };
        let mut data = Self::default();
        for (at, name) in header.iter().enumerate().skip(1) {
            let name = label(edit, input, &format!("values[0][{at}]"), name)?.text();
            let (kind, secondary, color) = (layout.of(at - 1), false, None);
            data.series.push(SeriesData { name, values: Vec::new(), x: None, kind, secondary, color });
        }
        for (number, row) in rows.iter().enumerate() {
            let at = |column: usize| format!("values[{}][{column}]", number + 1);
            if row.len() > header.len() {
                let issue = DeckIssue::TooManyValues { axis: "the row", given: row.len(), count: header.len() };
                return Err(input.error(&format!("values[{}]", number + 1), issue));
            }
            data.labels.push(label(edit, input, &at(0), row.first().unwrap_or(&Value::Null))?);
            for (column, series) in data.series.iter_mut().enumerate() {
                let value = row.get(column + 1).unwrap_or(&Value::Null);
                let number = number_of(value).ok_or_else(|| input.error(&at(column + 1), DeckIssue::NotANumber))?;
                series.values.push(number);
            }
        }
        Ok(data)
    }

    fn check(&mut self, input: &OpInput, layout: Layout, given: &Given<'_>) -> Result<(), EditError> {
        if self.series.is_empty() {
            return Err(input.error("series", DeckIssue::Missing { what: "the series of the chart, or `values`" }));
        }
        if self.series.len() > MOST_SERIES {
            let issue = DeckIssue::TooManyPoints { what: "series", count: self.series.len(), limit: MOST_SERIES };
            return Err(input.error("series", issue));
        }
        if layout.kind == ChartKind::Pie && self.series.len() > 1 {
            return Err(input.error("series", DeckIssue::PieSeries { count: self.series.len() }));
        }
        let longest = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
        if longest.max(self.labels.len()) > MOST_POINTS {
            let count = longest.max(self.labels.len());
            return Err(input.error("series", DeckIssue::TooManyPoints { what: "points", count, limit: MOST_POINTS }));
        }
        if given.categories.is_some() && longest > self.labels.len() {
            let issue = DeckIssue::TooManyValues { axis: "a series", given: longest, count: self.labels.len() };
            return Err(input.error("series", issue));
        }
        if layout.is_scatter() {
            let own = self.series.iter().all(|series| series.x.is_some());
            if !own && (self.labels.is_empty() || self.labels.iter().any(|label| matches!(label, Label::Text(_)))) {
                return Err(input.error("categories", DeckIssue::ScatterLabels));
            }
            for (number, series) in self.series.iter().enumerate() {
                if let Some(x) = series.x.as_ref().filter(|x| x.len() != series.values.len()) {
                    let issue = DeckIssue::TooManyValues {
                        axis: "the list of x values",
                        given: x.len(),
                        count: series.values.len(),
                    };
                    return Err(input.error(&format!("series[{number}].x_values"), issue));
                }
            }
        }
        Ok(())
    }

    /// The data that a chart stores, whichever program wrote it.
    pub(super) fn stored(root: Node<'_>) -> Self {
        let facts = ChartFacts::read(root);
        let nodes = root.descendants().filter(|node| node.is(Ns::C, "ser"));
        let mut data = Self::default();
        for (facts, node) in facts.series.iter().zip(nodes) {
            let is_scatter = facts.kind == Some(ChartKind::Scatter);
            let x = node.child(Ns::C, "xVal").or_else(|| node.child(Ns::C, "cat")).map(points).unwrap_or_default();
            let values = node.child(Ns::C, "yVal").or_else(|| node.child(Ns::C, "val")).map(points);
            let numbers = |list: &[Label]| list.iter().map(Label::number).collect::<Vec<_>>();
            if data.labels.len() < x.len() && !is_scatter {
                data.labels = x.clone();
            }
            data.series.push(SeriesData {
                name: facts.name.clone(),
                values: numbers(&values.unwrap_or_default()),
                x: is_scatter.then(|| numbers(&x)),
                kind: facts.kind.unwrap_or(ChartKind::Column),
                secondary: facts.secondary,
                color: facts.color.clone(),
            });
        }
        // The x values that all series of a scatter chart have are the categories of another chart.
        if let Some(first) = data.series.first().and_then(|series| series.x.clone())
            && data.series.iter().all(|series| series.x.as_ref() == Some(&first))
        {
            data.labels = first.into_iter().map(|x| x.map_or(Label::Empty, Label::Number)).collect();
            data.series.iter_mut().for_each(|series| series.x = None);
        }
        data
    }

    /// The columns of the workbook: the labels first, and x values of their own before their series.
    fn columns(&self) -> Vec<Vec<Label>> {
        let labels = std::iter::once(Label::Empty).chain(self.labels.iter().cloned()).collect();
        let mut columns = vec![labels];
        for series in &self.series {
            let number = |value: &Option<f64>| value.map_or(Label::Empty, Label::Number);
            if let Some(x) = self.own_x(series) {
                columns.push(std::iter::once(Label::Text("X".to_owned())).chain(x.iter().map(number)).collect());
            }
            let name = series.name.clone().map_or(Label::Empty, Label::Text);
            columns.push(std::iter::once(name).chain(series.values.iter().map(number)).collect());
        }
        columns
    }

    fn own_x<'a>(&self, series: &'a SeriesData) -> Option<&'a Vec<Option<f64>>> {
        series.x.as_ref().filter(|_| series.kind == ChartKind::Scatter)
    }

    /// The cells of the workbook.
    pub(super) fn workbook(&self, sheet: &str) -> NewWorkbook {
        NewWorkbook { sheet: sheet.to_owned(), columns: self.columns() }
    }

    /// Rows and columns of its cells.
    pub(super) fn extent(&self) -> (usize, usize) {
        let columns = self.columns();
        (columns.iter().map(Vec::len).max().unwrap_or(0), columns.len())
    }

    /// The series with references to a sheet, whose name is written as in formulas.
    pub(super) fn series(&self, sheet: &str) -> Vec<Series> {
        let cells = |column: usize, count: usize| {
            let letters = column_letters(column);
            format!("{sheet}!${letters}$2:${letters}${}", count.max(1) + 1)
        };
        let format = || "General".to_owned();
        let mut column = 0;
        let mut all = Vec::with_capacity(self.series.len());
        for series in &self.series {
            let count = self.labels.len().max(series.values.len());
            column += 1;
            let categories = match self.own_x(series) {
                Some(x) => {
                    column += 1;
                    let points = Points::Numbers { format: format(), values: x.clone() };
                    Some(Data { formula: cells(column - 1, x.len()), points })
                }
                None if self.labels.is_empty() => None,
                None => Some(Data { formula: cells(0, self.labels.len()), points: self.label_points() }),
            };
            let mut values = series.values.clone();
            values.resize(if self.own_x(series).is_some() { values.len() } else { count }, None);
            let name = series.name.clone().map(|name| {
                let formula = format!("{sheet}!${}$1", column_letters(column));
                SeriesName::Cell(Data { formula, points: Points::Texts(vec![Some(name)]) })
            });
            all.push(Series {
                kind: series.kind,
                secondary: series.secondary,
                color: series.color.clone(),
                name,
                categories,
                values: Data {
                    formula: cells(column, values.len()),
                    points: Points::Numbers { format: format(), values },
                },
            });
        }
        all
    }

    fn label_points(&self) -> Points {
        if self.labels.iter().all(|label| !matches!(label, Label::Text(_))) {
            let values = self.labels.iter().map(Label::number).collect();
            return Points::Numbers { format: "General".to_owned(), values };
        }
        Points::Texts(self.labels.iter().map(Label::text).collect())
    }
}

impl Label {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Empty => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Number(number) => Some(*number),
            Self::Empty => None,
        }
    }
}

/// The points that a reference or list of a chart stores.
fn points(holder: Node<'_>) -> Vec<Label> {
    let numeric = holder.descendants().any(|node| node.is(Ns::C, "numCache") || node.is(Ns::C, "numLit"));
    // Categories of several levels begin with the innermost one.
    let level = holder.descendants().find(|node| node.is(Ns::C, "lvl"));
    let size = holder.descendants().find(|node| node.is(Ns::C, "ptCount")).and_then(|node| node.attr("val"));
    let mut found = BTreeMap::new();
    for point in level.unwrap_or(holder).descendants().filter(|node| node.is(Ns::C, "pt")) {
        let at = point.attr("idx").and_then(|at| at.parse::<usize>().ok()).filter(|at| *at < MOST_POINTS);
        let text = point.child(Ns::C, "v").map(|node| node.text().into_owned());
        if let (Some(at), Some(text)) = (at, text) {
            let number = text.trim().parse::<f64>().ok().filter(|number| numeric && number.is_finite());
            found.insert(at, number.map_or(Label::Text(text), Label::Number));
        }
    }
    let size = size.and_then(|size| size.parse::<usize>().ok()).unwrap_or(0).min(MOST_POINTS);
    let size = found.keys().next_back().map_or(size, |last| size.max(last + 1));
    (0..size).map(|at| found.remove(&at).unwrap_or(Label::Empty)).collect()
}

fn read_series(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    given: &[SlideChartSeries],
    layout: Layout,
) -> Result<Vec<SeriesData>, EditError> {
    let mut all = Vec::with_capacity(given.len());
    for (at, series) in given.iter().enumerate() {
        let field = |name: &str| format!("series[{at}].{name}");
        let values = series.values.clone().filter(|values| !values.is_empty());
        let values = values.ok_or_else(|| input.error(&field("values"), DeckIssue::Missing { what: "the values" }))?;
        let kind = match series.kind.as_deref().and_then(ChartKind::named) {
            Some(kind) if kind != layout.of(at) && !(kind.combines() && layout.kind.combines()) => {
                return Err(input.error(&field("type"), DeckIssue::SeriesKind { kind: kind.name() }));
            }
            kind => kind.unwrap_or_else(|| layout.of(at)),
        };
        let secondary = series.secondary_axis == Some(true);
        if secondary && layout.kind.is_round() {
            edit.warn(&input.at(&field("secondary_axis")), "ignored: the chart has no axes");
        }
        all.push(SeriesData {
            name: series.name.as_deref().map(|name| edit.clean(&input.at(&field("name")), name)),
            values,
            x: series.x_values.clone().filter(|_| layout.is_scatter()),
            kind,
            secondary: secondary && !layout.kind.is_round(),
            color: series.color.as_deref().and_then(Color::parse).map(|color| color.rgb().to_owned()),
        });
    }
    Ok(all)
}

fn read_labels(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    field: &str,
    given: &[Value],
) -> Result<Vec<Label>, EditError> {
    given.iter().enumerate().map(|(at, value)| label(edit, input, &format!("{field}[{at}]"), value)).collect()
}

fn label(edit: &mut DeckEdit<'_>, input: &OpInput, at: &str, value: &Value) -> Result<Label, EditError> {
    Ok(match value {
        Value::Null => Label::Empty,
        Value::String(text) => Label::Text(edit.clean(&input.at(at), text)),
        Value::Bool(flag) => Label::Text(flag.to_string()),
        Value::Number(number) => number.as_f64().map_or(Label::Empty, Label::Number),
        Value::Array(_) | Value::Object(_) => return Err(input.error(at, DeckIssue::InvalidCellValue)),
    })
}

/// A value of a series; none within for a gap, and none at all for what is no number.
fn number_of(value: &Value) -> Option<Option<f64>> {
    match value {
        Value::Null => Some(None),
        Value::Number(number) => Some(number.as_f64()),
        Value::String(text) if text.trim().is_empty() => Some(None),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Some),
        _ => None,
    }
}

/// The letters of a column, from 0.
fn column_letters(column: usize) -> String {
    let (mut rest, mut letters) = (column + 1, Vec::new());
    while rest > 0 {
        letters.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or(0)));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// The workbook of a chart, as columns from A.
pub(super) struct NewWorkbook {
    sheet: String,
    columns: Vec<Vec<Label>>,
}

impl NewWorkbook {
    /// Clears the cells beyond its own that the data before it had.
    pub(super) fn over(mut self, (rows, columns): (usize, usize)) -> Self {
        self.columns.resize(self.columns.len().max(columns), Vec::new());
        for column in &mut self.columns {
            column.resize(column.len().max(rows), Label::Empty);
        }
        self
    }

    /// A workbook with the data alone.
    pub(super) fn create(&self, options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
        let options = ApplyOptions { formulas: None, texts_are_meant: true, ..*options };
        Ok(xlsx::apply(None, &self.ops(), &options)?.bytes)
    }

    /// An existing workbook with the data in place of the old.
    pub(super) fn update(&self, bytes: Vec<u8>, options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
        let options = ApplyOptions { formulas: None, texts_are_meant: true, must_exist: true, ..*options };
        let bytes: Arc<[u8]> = bytes.into();
        Ok(xlsx::apply(Some(bytes), &self.ops(), &options)?.bytes)
    }

    /// Sets all cells. Texts are never read as formulas.
    fn ops(&self) -> Value {
        let mut cells = Vec::new();
        for (column, labels) in self.columns.iter().enumerate() {
            for (row, label) in labels.iter().enumerate() {
                let cell = format!("{}{}", column_letters(column), row + 1);
                cells.push(match label {
                    Label::Text(text) => json!({ "cell": cell, "value": text, "type": "string" }),
                    Label::Number(number) => json!({ "cell": cell, "value": number }),
                    Label::Empty => json!({ "cell": cell, "value": null }),
                });
            }
        }
        json!([{ "op": "set_cells", "sheet": self.sheet, "cells": cells }])
    }
}
