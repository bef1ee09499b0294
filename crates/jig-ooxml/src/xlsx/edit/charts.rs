//! `add_chart`, `edit_chart`, `delete_chart`.

mod series;

use std::collections::BTreeMap;

use jig_file_api::ops::xlsx::{AddChart, ChartLook, DeleteChart, EditChart};

use self::series::{Layout, absolute_series, from_range, listed_series};
use super::WorkbookEdit;
use super::current_cells::{CurrentCell, Source, stored_cells};
use super::drawings::{Placement, anchor_at, emu, find_object};
use crate::content_types::ContentTypes;
use crate::drawing::chart::{
    Chart, ChartChange, ChartFacts, ChartKind, Data, DataLabels, Points, Series, SeriesFacts, SeriesName, Stacking,
    fill_caches, legend_position,
};
use crate::edit::{Color, EditError, OpInput, OpReport, overlap};
use crate::error::Error;
use crate::xlsx::address::SheetRange;
use crate::xlsx::drawings::{Drawn, DrawnKind, drawn};
use crate::xlsx::formula::CellValue;
use crate::xml::{Splice, escape_attribute, strip_illegal};

const CHART: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
/// The size of a chart in inches, unless the op gives another.
const SIZE: [f64; 2] = [5.0, 3.0];
/// The most points of a series whose values are stored in the chart.
const MOST_POINTS: u64 = 32_000;
/// The most series of a chart, as in Excel.
const MOST_SERIES: usize = 255;

/// Adds a chart.
pub(super) fn add(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: AddChart) -> Result<OpReport, Error> {
    let kind = ChartKind::named(&op.kind);
    let layout = Layout { kind: kind.unwrap_or(ChartKind::Column), combo: kind.is_none() };
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let series = match (&op.range, &op.series) {
        (Some(_), Some(list)) if !list.is_empty() => {
            return Err(input.error("range", "`range` and `series` are both given; give one").into());
        }
        (_, Some(list)) if !list.is_empty() => {
            listed_series(editor, input, list, op.categories.as_deref(), &op.sheet, layout)?
        }
        (Some(range), _) => from_range(editor, input, range, op.categories.as_deref(), &op.sheet, layout)?,
        (None, _) => {
            let why = "missing: the cells to show; give `range` with headers and categories, or `series`";
            return Err(input.error("range", why).into());
        }
    };
    check_series(input, &series, layout)?;
    let look = &op.look;
    let legend = match look.legend.as_deref() {
        Some(name) => legend_position(name),
        // One series is named by the title; slices are not.
        None => (series.len() > 1 || layout.kind.is_round()).then_some("r"),
    };
    let text = |text: &Option<String>| text.as_deref().map(clean).filter(|text| !text.is_empty());
    let chart = Chart {
        stacking: stacking(editor, input, look, layout),
        title: text(&look.title),
        x_title: text(&look.x_axis_title),
        y_title: text(&look.y_axis_title),
        y2_title: text(&look.y2_axis_title),
        legend,
        labels: look.data_labels.as_deref().filter(|name| *name != "none").map(DataLabels::named),
        number_format: text(&look.number_format),
        y_min: look.y_min,
        y_max: look.y_max,
        workbook: None,
        series,
    };
    check_limits(input, look)?;
    if layout.kind.is_round() {
        warn_of_axes(editor, input, look);
    }
    let placement = placement(editor, input, look, &op.sheet, &part)?;
    let name = object_name(editor, input, look, &part)?;
    let target = editor.fresh_part("charts/chart{}.xml");
    let strict = editor.is_strict()?;
    editor.package.set(&target, chart.part(strict).as_bytes());
    ContentTypes::add(&mut editor.package, &target, CHART)?;
    let object = name.clone();
    let alt_text = chart.title.clone().unwrap_or_default();
    editor.add_object(&part, placement, "chart", &target, |p, id, rel_id, strict| {
        copied_frame(p, id, &object, &alt_text, rel_id, strict)
    })?;
    editor.charts.insert(target);
    let count = chart.series.len();
    let at = placement.range();
    let titled = chart.title.map(|title| format!(" ({title})")).unwrap_or_default();
    let summary = format!("Added the {} chart {name}{titled} with {count} series to {} at {at}.", op.kind, op.sheet);
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("chart", name).with("type", op.kind);
    Ok(report.with("series", count).with("anchor", at.to_string()))
}

/// Changes a chart.
pub(super) fn edit(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: EditChart) -> Result<OpReport, Error> {
    let (object, sheet_part) = find(editor, input, &op.sheet, op.chart.as_deref())?;
    let look = &op.look;
    let moves = look.anchor.is_some() || look.width.is_some() || look.height.is_some();
    if moves {
        let anchor = look.anchor.as_deref().map(|text| anchor_at(input, text, &op.sheet)).transpose()?;
        let default = SIZE.map(emu);
        editor.place_object(&object, anchor, [look.width.map(emu), look.height.map(emu)], default)?;
    }
    if look.name.is_some() {
        let name = object_name(editor, input, look, &sheet_part)?;
        // The element may have moved inside the drawing, but its place among the elements is the same.
        let renamed = drawn(&editor.package, &sheet_part)?.into_iter().find(|one| one.rel_id == object.rel_id);
        editor.rename_object(&renamed.unwrap_or_else(|| object.clone()), &name)?;
    }
    let changes_chart = op.kind.is_some()
        || op.range.is_some()
        || op.series.is_some()
        || op.categories.is_some()
        || [&look.title, &look.x_axis_title, &look.y_axis_title, &look.y2_axis_title].iter().any(|text| text.is_some())
        || [&look.legend, &look.stacked, &look.data_labels, &look.number_format].iter().any(|text| text.is_some())
        || look.y_min.is_some()
        || look.y_max.is_some();
    if !changes_chart && !moves && look.name.is_none() {
        return Err(input.error("", "nothing to change: give a field such as `title`, `type` or `range`").into());
    }
    let mut count = None;
    if changes_chart {
        let Some(part) = object.part.clone().filter(|part| editor.package.has(part)) else {
            return Err(input.error("chart", format!("the chart `{}` has no part in the file", object.name)).into());
        };
        if object.kind == DrawnKind::ExtendedChart {
            let why = format!("`{}` is a chart of a kind that can only be moved, renamed and deleted", object.name);
            return Err(input.error("chart", why).into());
        }
        count = change_part(editor, input, &op, &part)?;
    }
    let name = look.name.as_deref().map_or(object.name.clone(), clean);
    let series = count.map(|count| format!(", now with {count} series")).unwrap_or_default();
    let summary = format!("Changed the chart {name} on {}{series}.", op.sheet);
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("chart", name);
    Ok(match count {
        Some(count) => report.with("series", count),
        None => report,
    })
}

/// Splices the changes into a chart part; how many series it has then, if they changed.
fn change_part(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &EditChart,
    part: &str,
) -> Result<Option<usize>, Error> {
    let facts = {
        let content = editor.package.xml(part)?;
        let tree = content.tree(editor.package.limits())?;
        ChartFacts::read(tree.root())
    };
    let look = &op.look;
    let named = op.kind.as_deref().map(|name| (name, ChartKind::named(name)));
    let old_kind = ChartKind::named(&facts.kind);
    let layout = match named {
        Some((_, kind)) => Layout { kind: kind.unwrap_or(ChartKind::Column), combo: kind.is_none() },
        None => Layout { kind: old_kind.unwrap_or(ChartKind::Column), combo: facts.kind == "combo" },
    };
    let mut series = match (&op.range, &op.series) {
        (Some(_), Some(list)) if !list.is_empty() => {
            return Err(input.error("range", "`range` and `series` are both given; give one").into());
        }
        (_, Some(list)) if !list.is_empty() => {
            Some(listed_series(editor, input, list, op.categories.as_deref(), &op.sheet, layout)?)
        }
        (Some(range), _) => Some(from_range(editor, input, range, op.categories.as_deref(), &op.sheet, layout)?),
        (None, _) => None,
    };
    let other_kind = named.is_some_and(|(name, _)| name != facts.kind);
    let mixes = op.series.iter().flatten().any(|one| one.kind.is_some() || one.secondary_axis.is_some());
    let rebuilds = other_kind || (mixes && series.is_some());
    if series.is_none() && (rebuilds || op.categories.is_some()) {
        let mut own = existing_series(&facts.series, layout, named.is_some(), facts.kind == "combo");
        if own.is_empty() {
            return Err(input
                .error("type", "the chart has no series that could be kept; give `range` or `series`")
                .into());
        }
        if let Some(text) = &op.categories {
            let categories = absolute_series(editor, input, "categories", text, &op.sheet)?;
            own.iter_mut().for_each(|series| series.categories = Some(categories.clone()));
        }
        series = Some(own);
    }
    if let Some(series) = &series {
        check_series(input, series, layout)?;
    }
    check_limits(input, look)?;
    let text = |text: &Option<String>| text.as_deref().map(clean);
    let labels = look.data_labels.as_deref().map(DataLabels::named);
    let count = series.as_ref().map(Vec::len);
    let kept = |new: &Option<String>, old: &Option<String>| {
        let new = new.as_deref().map(clean).or_else(|| old.clone());
        new.filter(|text| !text.is_empty())
    };
    let plot = match series.as_ref().filter(|_| rebuilds) {
        None => None,
        Some(series) => {
            let what = "the chart was drawn again for its new kind; formats of single series and axes are not kept";
            editor.warnings.push(format!("{}: {what}", input.at("type")));
            let stacked = look.stacked.as_deref().map_or(facts.stacking, Stacking::named);
            Some(Chart {
                series: series.clone(),
                stacking: if stacks(layout) { stacked } else { Stacking::None },
                title: None,
                x_title: kept(&look.x_axis_title, &facts.x_title),
                y_title: kept(&look.y_axis_title, &facts.y_title),
                y2_title: kept(&look.y2_axis_title, &facts.y2_title),
                legend: None,
                labels: labels.filter(|labels| *labels != DataLabels::default()),
                number_format: kept(&look.number_format, &facts.number_format),
                y_min: look.y_min,
                y_max: look.y_max,
                workbook: None,
            })
        }
    };
    let change = ChartChange {
        plot,
        series,
        title: text(&look.title),
        x_title: text(&look.x_axis_title),
        y_title: text(&look.y_axis_title),
        y2_title: text(&look.y2_axis_title),
        legend: look.legend.clone(),
        stacking: look.stacked.as_deref().map(Stacking::named),
        labels,
        number_format: text(&look.number_format).filter(|code| !code.is_empty()),
        y_min: look.y_min,
        y_max: look.y_max,
    };
    let strict = editor.is_strict()?;
    let skipped = editor.edit_xml(part, |root, splice| Ok(change.splice(root, splice, strict)))?;
    editor.warnings.extend(skipped.into_iter().map(|why| format!("{}: {why}, skipped", input.at("chart"))));
    editor.charts.insert(part.to_owned());
    Ok(count)
}

/// The series of an existing chart, for another plot area.
fn existing_series(facts: &[SeriesFacts], layout: Layout, new_kind: bool, was_combo: bool) -> Vec<Series> {
    let series = facts.iter().filter_map(|facts| {
        let values = facts.values.clone()?;
        Some((facts, values))
    });
    let kind = |at: usize, facts: &SeriesFacts| match (layout.combo, new_kind) {
        (false, true) => layout.kind,
        (true, true) if !was_combo => layout.of(at),
        _ => facts.kind.unwrap_or(layout.kind),
    };
    let data = |formula: String, numeric: bool| Data {
        formula,
        points: if numeric { Points::UnknownNumbers } else { Points::UnknownTexts },
    };
    series
        .enumerate()
        .map(|(at, (facts, values))| Series {
            kind: kind(at, facts),
            secondary: facts.secondary && !(new_kind && layout.kind.is_round()),
            color: facts.color.clone(),
            name: match (&facts.name_ref, &facts.name) {
                (Some(formula), _) => Some(SeriesName::Cell(data(formula.clone(), false))),
                (None, Some(text)) => Some(SeriesName::Text(text.clone())),
                (None, None) => None,
            },
            categories: facts.categories.clone().map(|formula| data(formula, facts.numeric_categories)),
            values: data(values, true),
        })
        .collect()
}

/// Deletes a chart.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: DeleteChart) -> Result<OpReport, Error> {
    let (object, part) = find(editor, input, &op.sheet, op.chart.as_deref())?;
    let place = editor.place(input, "sheet", &op.sheet)?;
    if editor.book.sheets.get(place).is_some_and(|sheet| !sheet.kind.has_cells()) {
        let why = format!("`{}` is a chart sheet; the op `delete_sheet` deletes it with its chart", op.sheet);
        return Err(input.error("sheet", why).into());
    }
    editor.remove_object(&part, &object)?;
    let summary = format!("Deleted the chart {} of {}.", object.name, op.sheet);
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("chart", object.name))
}

/// A chart of a sheet, which may be a chart sheet.
fn find(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    sheet: &str,
    chart: Option<&str>,
) -> Result<(Drawn, String), Error> {
    let place = editor.place(input, "sheet", sheet)?;
    let Some(part) = editor.book.sheets.get(place).and_then(|sheet| sheet.part.clone()) else {
        return Err(input.error("sheet", format!("`{sheet}` has no part in the file")).into());
    };
    let objects = titled_charts(editor, &part)?;
    let (object, _) = find_object(input, "chart", chart, &objects, "chart", sheet)?;
    Ok((object.clone(), part))
}

/// The charts of a sheet with their titles.
pub(super) fn titled_charts(editor: &WorkbookEdit<'_>, sheet: &str) -> Result<Vec<(Drawn, Option<String>)>, Error> {
    let charts = drawn(&editor.package, sheet)?.into_iter().filter(|object| object.kind != DrawnKind::Image);
    let mut found = Vec::new();
    for object in charts {
        let content = object.part.as_deref().filter(|part| editor.package.has(part));
        // A chart that cannot be read can still be deleted by its name.
        let title = content.and_then(|part| {
            let content = editor.package.xml(part).ok()?;
            let tree = content.tree(editor.package.limits()).ok()?;
            ChartFacts::read(tree.root()).title
        });
        found.push((object, title));
    }
    Ok(found)
}

fn check_series(input: &OpInput, series: &[Series], layout: Layout) -> Result<(), EditError> {
    if series.len() > MOST_SERIES {
        let why = format!("the chart would have {} series; at most {MOST_SERIES} are possible", series.len());
        return Err(input.error("series", why));
    }
    if layout.kind == ChartKind::Pie && !layout.combo && series.len() > 1 {
        let why = format!(
            "a pie chart shows one series, but the data has {}; give one column of values, or use `doughnut` or `column`",
            series.len()
        );
        return Err(input.error("series", why));
    }
    Ok(())
}

fn check_limits(input: &OpInput, look: &ChartLook) -> Result<(), EditError> {
    if let (Some(min), Some(max)) = (look.y_min, look.y_max)
        && min >= max
    {
        return Err(input.error("y_min", format!("`y_min` must be less than `y_max` (got {min} and {max})")));
    }
    Ok(())
}

fn stacks(layout: Layout) -> bool {
    layout.combo || matches!(layout.kind, ChartKind::Column | ChartKind::Bar | ChartKind::Line | ChartKind::Area)
}

fn stacking(editor: &mut WorkbookEdit<'_>, input: &OpInput, look: &ChartLook, layout: Layout) -> Stacking {
    let stacking = look.stacked.as_deref().map(Stacking::named).unwrap_or_default();
    if stacking != Stacking::None && !stacks(layout) {
        let why = format!("a {} chart cannot be stacked, skipped", layout.kind.name());
        editor.warnings.push(format!("{}: {why}", input.at("stacked")));
        return Stacking::None;
    }
    stacking
}

fn warn_of_axes(editor: &mut WorkbookEdit<'_>, input: &OpInput, look: &ChartLook) {
    let given = [
        ("x_axis_title", look.x_axis_title.is_some()),
        ("y_axis_title", look.y_axis_title.is_some()),
        ("y2_axis_title", look.y2_axis_title.is_some()),
        ("y_min", look.y_min.is_some()),
        ("y_max", look.y_max.is_some()),
    ];
    for (field, _) in given.into_iter().filter(|(_, given)| *given) {
        editor.warnings.push(format!("{}: the chart has no axes, skipped", input.at(field)));
    }
}

fn placement(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    look: &ChartLook,
    sheet: &str,
    part: &str,
) -> Result<Placement, Error> {
    let anchor = look.anchor.as_deref().map(|text| anchor_at(input, text, sheet)).transpose()?;
    let size = [look.width.unwrap_or(SIZE[0]), look.height.unwrap_or(SIZE[1])].map(emu);
    Ok(match anchor {
        Some(range) if range.cells() > 1 => Placement::Cells(range),
        Some(cell) => Placement::Corner(cell.start(), size),
        None => Placement::Corner(editor.free_place(part)?, size),
    })
}

fn object_name(editor: &WorkbookEdit<'_>, input: &OpInput, look: &ChartLook, part: &str) -> Result<String, Error> {
    let Some(name) = look.name.as_deref().map(clean).filter(|name| !name.trim().is_empty()) else {
        return editor.next_object_name(part, "Chart");
    };
    if drawn(&editor.package, part)?.iter().any(|object| object.name.eq_ignore_ascii_case(&name)) {
        return Err(input.error("name", format!("the sheet has an object called `{name}` already")).into());
    }
    Ok(name)
}

pub(super) fn copied_frame(p: &str, id: u32, name: &str, alt_text: &str, rel_id: &str, strict: bool) -> String {
    let base = if strict { "http://purl.oclc.org/ooxml" } else { "http://schemas.openxmlformats.org" };
    let year = if strict { "" } else { "/2006" };
    let (a, c) = (format!("{base}/drawingml{year}/main"), format!("{base}/drawingml{year}/chart"));
    let r = format!("{base}/officeDocument{year}/relationships");
    let (name, rel_id) = (escape_attribute(name), escape_attribute(rel_id));
    let alt = if alt_text.is_empty() { String::new() } else { format!(" descr=\"{}\"", escape_attribute(alt_text)) };
    format!(
        "<{p}graphicFrame macro=\"\"><{p}nvGraphicFramePr><{p}cNvPr id=\"{id}\" name=\"{name}\"{alt}/><{p}cNvGraphicFramePr/></{p}nvGraphicFramePr>\
         <{p}xfrm><a:off xmlns:a=\"{a}\" x=\"0\" y=\"0\"/><a:ext xmlns:a=\"{a}\" cx=\"0\" cy=\"0\"/></{p}xfrm>\
         <a:graphic xmlns:a=\"{a}\"><a:graphicData uri=\"{c}\"><c:chart xmlns:c=\"{c}\" xmlns:r=\"{r}\" r:id=\"{rel_id}\"/></a:graphicData></a:graphic>\
         </{p}graphicFrame>"
    )
}

/// A text that a file can hold.
fn clean(text: &str) -> String {
    strip_illegal(text).0.into_owned()
}

/// The colour that an op gives, as six digits.
fn color(text: Option<&str>, at: &str) -> Result<Option<String>, EditError> {
    let Some(text) = text else { return Ok(None) };
    match Color::parse(text) {
        Some(color) => Ok(Some(color.rgb().to_owned())),
        None => Err(EditError::new(at, format!("expected {}", Color::FORM))),
    }
}

/// Writes the current values into the charts that ops added or changed, when all cells are written.
pub(super) fn fill(editor: &mut WorkbookEdit<'_>) -> Result<(), Error> {
    let parts = std::mem::take(&mut editor.charts);
    for part in parts.into_iter().filter(|part| editor.package.has(part)).collect::<Vec<_>>() {
        let mut content = editor.package.xml(&part)?;
        let text = {
            let tree = content.tree(editor.package.limits())?;
            let mut splice = Splice::new(&content.text);
            let mut failed = None;
            fill_caches(tree.root(), &mut splice, &mut |formula, numeric| match points(editor, formula, numeric) {
                Ok(points) => points,
                Err(error) => {
                    failed.get_or_insert(error);
                    None
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            splice.finish().map_err(|e| overlap(&part, &e))?
        };
        content.text = text;
        editor.package.set_xml(&content);
    }
    Ok(())
}

/// The values of a reference; none for what is no plain range of one row or column.
fn points(editor: &mut WorkbookEdit<'_>, formula: &str, numeric: bool) -> Result<Option<Points>, Error> {
    let Ok(reference) = formula.parse::<SheetRange>() else { return Ok(None) };
    let range = reference.range;
    if range.cells() > MOST_POINTS || (range.rows() > 1 && range.columns() > 1) {
        return Ok(None);
    }
    let Some(place) = editor.book.sheet_place(&reference.sheet) else { return Ok(None) };
    let Some(part) = super::grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else {
        return Ok(None);
    };
    let source = Source { place, sheet: reference.sheet, part, range };
    let cells: BTreeMap<_, CurrentCell> = stored_cells(editor, &source)?;
    let formats: Vec<u32> = cells.values().map(|cell| cell.format).collect();
    if numeric {
        let format = match formats.first() {
            Some(format) => editor.styles()?.code(*format),
            None => "General".to_owned(),
        };
        let number = |at| match cells.get(&at)?.value.as_ref()? {
            CellValue::Number(number) => Some(*number),
            _ => None,
        };
        return Ok(Some(Points::Numbers { format, values: super::cells_of(range).map(number).collect() }));
    }
    let mut texts = Vec::new();
    for at in super::cells_of(range) {
        let cell = cells.get(&at);
        texts.push(match cell.and_then(|cell| cell.value.as_ref()) {
            None | Some(CellValue::Empty) => None,
            Some(CellValue::Text(text)) => Some(text.clone()),
            Some(CellValue::Number(number)) => Some(super::values::number_text(*number)),
            Some(CellValue::Bool(flag)) => Some(if *flag { "TRUE" } else { "FALSE" }.to_owned()),
            Some(CellValue::Error(error)) => Some(error.to_string()),
        });
    }
    Ok(Some(Points::Texts(texts)))
}
