//! `add_chart`, `edit_chart`, `delete_chart`: charts on slides, whose data is in a workbook inside the presentation.

mod data;

use jig_file_api::ops::pptx::{AddSlideChart, DeleteSlideChart, EditSlideChart, SlideChartLook};
use serde_json::Value;

use self::data::{ChartData, Given, Layout, NewWorkbook};
use super::find_shape::find_shape;
use super::images::{append_shape, free_shape_id};
use super::new_table::empty_placeholder;
use super::{DeckEdit, place, shapes::delete_found};
use crate::content_types::ContentTypes;
use crate::drawing::chart::{Chart, ChartChange, ChartFacts, DataLabels, Stacking, legend_position};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::{Dialect, Prefixes};
use crate::pptx::shape::{Frame, Shape, ShapeKind, flat, graphic_data, placeholder_node, shapes};
use crate::pptx::template::free_part;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, escape_attribute};

const CHART_TYPE: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const WORKBOOK_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// The size of the text in a new chart: what programs take without it is too small on a slide.
const TEXT: &str = r#"<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="1400"/></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>"#;

pub(super) fn add_chart(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &AddSlideChart) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    place::check(input, &fields.place)?;
    check_limits(input, &fields.look)?;
    let layout = Layout::named(&fields.kind);
    let given = Given {
        categories: fields.categories.as_deref(),
        series: fields.series.as_deref(),
        values: fields.values.as_deref(),
    };
    let data = ChartData::new(edit, input, &given, layout)?;
    let look = cleaned(edit, input, &fields.look);
    let alt = fields.alt_text.as_deref().map(|text| edit.clean(&input.at("alt_text"), text));
    let alt = alt.or_else(|| look.title.clone()).unwrap_or_default();
    let name = fields.name.as_deref().map(|name| edit.clean(&input.at("name"), name));
    let name = name.filter(|name| !name.trim().is_empty());
    let free = place::is_empty(&fields.place);
    let wanted = fields.placeholder.as_ref();
    let target = empty_placeholder(edit, input, index, &slide.part, wanted, free, &["obj", "chart"])?;
    let size = edit.presentation.size;
    let (wide, high) = (size.0 as f64, size.1 as f64);
    let usual = Frame { x: wide * 0.07, y: high * 0.27, width: wide * 0.86, height: high * 0.63, rotation: 0.0 };
    let frame = place::frame(&fields.place, target.as_ref().and_then(|target| target.frame).unwrap_or(usual));
    if place::leaves_slide(frame, size) {
        let what = format!("the chart reaches beyond the slide; {}", place::slide_inches(size));
        edit.warn(&input.at(""), &what);
    }
    let part = free_part(&edit.package, &format!("{}charts/chart{{}}.xml", edit.presentation.folder()));
    edit.package.set(&part, b"");
    ContentTypes::add(&mut edit.package, &part, CHART_TYPE)?;
    let workbook = add_workbook(edit, &part, &data.workbook("Sheet1"))?;
    let series = data.series("Sheet1");
    let count = series.len();
    let legend = match look.legend.as_deref() {
        Some(name) => legend_position(name),
        // One series is named by the title; slices are not.
        None => (count > 1 || layout.kind.is_round()).then_some("r"),
    };
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let chart = Chart {
        series,
        stacking: stacking(edit, input, &look, layout),
        title: filled(&look.title),
        x_title: filled(&look.x_axis_title),
        y_title: filled(&look.y_axis_title),
        y2_title: filled(&look.y2_axis_title),
        legend,
        labels: look.data_labels.as_deref().filter(|name| *name != "none").map(DataLabels::named),
        number_format: filled(&look.number_format),
        y_min: look.y_min,
        y_max: look.y_max,
        workbook: Some(workbook),
    };
    let strict = edit.presentation.strict;
    let markup = chart.part(strict).replacen("<c:externalData", &format!("{TEXT}<c:externalData"), 1);
    edit.package.set(&part, markup.as_bytes());
    let relationship = Relationships::add(&mut edit.package, &slide.part, "chart", &part)?;
    let (id, name) = edit.edit_part(&slide.part, |root, splice| {
        let tree = root.path(Ns::P, &["cSld", "spTree"]).unwrap_or(root);
        let shapes = shapes(root, &[])?;
        let all = flat(&shapes);
        let holder = target.as_ref().and_then(|target| all.iter().find(|shape| shape.address == target.address));
        let prefixes = Prefixes::at(tree);
        let id = holder.and_then(|holder| holder.id()).map_or_else(|| free_shape_id(root), u64::from);
        let name = name.unwrap_or_else(|| format!("Chart {}", id.saturating_sub(1)));
        let held = holder.and_then(|holder| placeholder_node(holder.node)).map(Node::source).unwrap_or_default();
        let markup = frame_markup(&prefixes, (id, &name, &alt), held, frame, &relationship, strict);
        match holder {
            Some(holder) => splice.replace(holder.node.range(), markup),
            None => append_shape(root, splice, &markup),
        }
        Ok((id, name))
    })?;
    let summary = format!("Added the {} chart {name} with {count} series to slide {}.", fields.kind, index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("chart", name).with("shape_id", id);
    let report = report.with("type", fields.kind.clone()).with("series", count).with("part", part);
    Ok(match target {
        Some(target) => report.with("placeholder", target.name),
        None => report,
    })
}

fn frame_markup(
    prefixes: &Prefixes,
    (id, name, alt): (u64, &str, &str),
    placeholder: &str,
    frame: Frame,
    relationship: &str,
    strict: bool,
) -> String {
    let (p, a, r, declared) = (&prefixes.p, &prefixes.a, &prefixes.r, &prefixes.declared);
    let uri = Dialect::of_deck(strict).graphic_uri("chart");
    let alt = if alt.is_empty() { String::new() } else { format!(r#" descr="{}""#, escape_attribute(alt)) };
    let held = if placeholder.is_empty() { format!("<{p}nvPr/>") } else { format!("<{p}nvPr>{placeholder}</{p}nvPr>") };
    format!(
        r#"<{p}graphicFrame{declared}><{p}nvGraphicFramePr><{p}cNvPr id="{id}" name="{}"{alt}/><{p}cNvGraphicFramePr><{a}graphicFrameLocks noGrp="1"/></{p}cNvGraphicFramePr>{held}</{p}nvGraphicFramePr><{p}xfrm>{}</{p}xfrm><{a}graphic><{a}graphicData uri="{uri}"><c:chart xmlns:c="{uri}" {r}id="{}"/></{a}graphicData></{a}graphic></{p}graphicFrame>"#,
        escape_attribute(name),
        place::off_ext(a, frame),
        escape_attribute(relationship)
    )
}

/// Adds the workbook of a chart; returns the chart's relationship to it.
fn add_workbook(edit: &mut DeckEdit<'_>, chart: &str, new: &NewWorkbook) -> Result<String, Error> {
    let bytes = new.create(edit.options)?;
    let pattern = format!("{}embeddings/Microsoft_Excel_Sheet{{}}.xlsx", edit.presentation.folder());
    let part = free_part(&edit.package, &pattern);
    edit.package.set(&part, &bytes);
    ContentTypes::add_default(&mut edit.package, "xlsx", WORKBOOK_TYPE)?;
    ContentTypes::add(&mut edit.package, &part, WORKBOOK_TYPE)?;
    Relationships::add(&mut edit.package, chart, "package", &part)
}

/// The texts of a look as XML can hold them.
fn cleaned(edit: &mut DeckEdit<'_>, input: &OpInput, look: &SlideChartLook) -> SlideChartLook {
    let mut clean = |field: &str, text: &Option<String>| text.as_deref().map(|text| edit.clean(&input.at(field), text));
    SlideChartLook {
        title: clean("title", &look.title),
        x_axis_title: clean("x_axis_title", &look.x_axis_title),
        y_axis_title: clean("y_axis_title", &look.y_axis_title),
        y2_axis_title: clean("y2_axis_title", &look.y2_axis_title),
        number_format: clean("number_format", &look.number_format),
        ..look.clone()
    }
}

fn check_limits(input: &OpInput, look: &SlideChartLook) -> Result<(), EditError> {
    match (look.y_min, look.y_max) {
        (Some(min), Some(max)) if min >= max => {
            Err(input.error("y_max", format!("expected more than `y_min`, which is {min}, but found {max}")))
        }
        _ => Ok(()),
    }
}

/// The stacking of a new chart, where its kind can be stacked.
fn stacking(edit: &mut DeckEdit<'_>, input: &OpInput, look: &SlideChartLook, layout: Layout) -> Stacking {
    let stacking = look.stacked.as_deref().map(Stacking::named).unwrap_or_default();
    if stacking != Stacking::None && !layout.stacks() {
        edit.warn(&input.at("stacked"), "ignored: charts of this kind are not stacked");
        return Stacking::None;
    }
    stacking
}

/// The chart that an op names; without a name, the only one of the slide.
pub(super) fn find_chart<'s, 't>(
    input: &OpInput,
    index: usize,
    wanted: Option<&Value>,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    if let Some(wanted) = wanted {
        let shape = find_shape(input, "chart", index, wanted, shapes)?;
        if shape.kind != ShapeKind::Chart {
            let issue = DeckIssue::NotAChart { name: shape.name(), kind: shape.kind.name() };
            return Err(input.error("chart", issue));
        }
        return Ok(shape);
    }
    let charts: Vec<_> = flat(shapes).into_iter().filter(|shape| shape.kind == ShapeKind::Chart).collect();
    match charts.as_slice() {
        [chart] => Ok(chart),
        charts => {
            let known: Vec<String> = charts.iter().map(|chart| chart.name()).collect();
            let issue = DeckIssue::WhichChart { index, known: known.clone() };
            Err(input.error("chart", issue).suggest(known))
        }
    }
}

pub(super) fn delete_chart(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &DeleteSlideChart,
) -> Result<OpReport, Error> {
    let slide = edit.slide(input, "index", fields.index)?;
    let wanted = fields.chart.as_ref();
    delete_found(edit, input, &slide, |index, shapes| {
        find_chart(input, index, wanted, shapes).map(|chart| chart.address.clone())
    })
}

pub(super) fn edit_chart(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &EditSlideChart) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let given = Given {
        categories: fields.categories.as_deref(),
        series: fields.series.as_deref(),
        values: fields.values.as_deref(),
    };
    if given.is_empty() && fields.kind.is_none() && fields.look == SlideChartLook::default() {
        return Err(input.error("", DeckIssue::NothingToChange).into());
    }
    check_limits(input, &fields.look)?;
    let (name, relationship) = edit.edit_part(&slide.part, |root, _| {
        let shapes = shapes(root, &[])?;
        let chart = find_chart(input, index, fields.chart.as_ref(), &shapes)?;
        let found = graphic_data(chart.node).and_then(|data| data.elements().find(|node| node.is(Ns::C, "chart")));
        let id = found.and_then(|found| found.attr_ns(Ns::R, "id")).map(std::borrow::Cow::into_owned);
        Ok((chart.name(), id))
    })?;
    let relationships = Relationships::read(&edit.package, &slide.part)?;
    let part = relationship.as_deref().and_then(|id| relationships.part(id)).filter(|part| edit.package.has(part));
    let Some(part) = part.map(str::to_owned) else {
        return Err(input.error("chart", DeckIssue::FixedChart { name }).into());
    };
    let count = change(edit, input, fields, &given, &part)?;
    let series = count.map(|count| format!(", now with {count} series")).unwrap_or_default();
    let summary = format!("Changed the chart {name} on slide {}{series}.", index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("chart", name).with("part", part);
    Ok(match count {
        Some(count) => report.with("series", count),
        None => report,
    })
}

/// Splices the changes into a chart part and its workbook; how many series it has then, if its data changed.
fn change(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &EditSlideChart,
    given: &Given<'_>,
    part: &str,
) -> Result<Option<usize>, Error> {
    let look = cleaned(edit, input, &fields.look);
    let (facts, old) = edit.edit_part(part, |root, _| Ok((ChartFacts::read(root), ChartData::stored(root))))?;
    let layout = match fields.kind.as_deref() {
        Some(kind) => Layout::named(kind),
        None => Layout::named(&facts.kind),
    };
    let other_kind = fields.kind.as_deref().is_some_and(|kind| kind != facts.kind);
    let mixes = fields.series.iter().flatten().any(|one| one.kind.is_some() || one.secondary_axis.is_some());
    let extent = old.extent();
    let data = if given.is_empty() && !other_kind {
        None
    } else {
        Some(ChartData::changed(edit, input, given, layout, old, other_kind)?)
    };
    let sheet = facts.series.iter().find_map(|series| Some(series.values.as_deref()?.rsplit_once('!')?.0.to_owned()));
    let usual = facts.series.first().and_then(|series| series.values.as_deref());
    let usual = usual.is_some_and(|formula| formula.rsplit('!').next().is_some_and(|cells| cells.starts_with("$B$2")));
    let sheet = match &data {
        // A workbook that has the data elsewhere is replaced, so that nothing else in it is overwritten.
        Some(data) => Some(write_workbook(edit, input, part, (data, extent), sheet.as_deref().filter(|_| usual))?),
        None => None,
    };
    let series = data.as_ref().zip(sheet.as_deref()).map(|(data, sheet)| data.series(sheet));
    let kept = |new: &Option<String>, old: &Option<String>| {
        let new = new.clone().or_else(|| old.clone());
        new.filter(|text| !text.is_empty())
    };
    let labels = look.data_labels.as_deref().map(DataLabels::named);
    let plot = match series.as_ref().filter(|_| other_kind || mixes) {
        None => None,
        Some(series) => {
            let what = "the chart was drawn again for its new kind; formats of single series and axes are not kept";
            edit.warn(&input.at("type"), what);
            let stacked = look.stacked.as_deref().map_or(facts.stacking, Stacking::named);
            Some(Chart {
                series: series.clone(),
                stacking: if layout.stacks() { stacked } else { Stacking::None },
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
    let count = series.as_ref().map(Vec::len);
    let change = ChartChange {
        plot,
        series,
        title: look.title.clone(),
        x_title: look.x_axis_title.clone(),
        y_title: look.y_axis_title.clone(),
        y2_title: look.y2_axis_title.clone(),
        legend: look.legend.clone(),
        stacking: look.stacked.as_deref().map(Stacking::named),
        labels,
        number_format: look.number_format.clone().filter(|code| !code.is_empty()),
        y_min: look.y_min,
        y_max: look.y_max,
    };
    let strict = edit.presentation.strict;
    let skipped = edit.edit_part(part, |root, splice| Ok(change.splice(root, splice, strict)))?;
    for why in skipped {
        edit.warn(&input.at("chart"), &format!("{why}, skipped"));
    }
    Ok(count)
}

/// Writes the data into the workbook of a chart; returns the name of its sheet, as formulas write it.
fn write_workbook(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    chart: &str,
    (data, extent): (&ChartData, (usize, usize)),
    sheet: Option<&str>,
) -> Result<String, Error> {
    let relationships = Relationships::read(&edit.package, chart)?;
    let known = relationships.list.iter().find(|found| found.kind == "package");
    let part = known.and_then(|found| found.part.clone()).filter(|part| edit.package.has(part));
    if let (Some(part), Some(sheet)) = (&part, sheet) {
        let bytes = edit.package.read(part)?;
        let name = sheet.trim_matches('\'').replace("''", "'");
        if let Ok(bytes) = data.workbook(&name).over(extent).update(bytes, edit.options) {
            edit.package.set(part, &bytes);
            return Ok(sheet.to_owned());
        }
    }
    let new = data.workbook("Sheet1");
    match part {
        Some(part) => {
            edit.warn(&input.at("chart"), "its workbook was replaced, since the data was not where charts keep it");
            // The old one may be of another format, which its name and type say.
            let fresh = add_workbook(edit, chart, &new)?;
            relink(edit, chart, &fresh)?;
            let gone = known.map(|found| found.id.clone()).unwrap_or_default();
            Relationships::remove(&mut edit.package, chart, &gone)?;
            if !is_used(edit, &part) {
                edit.package.remove(&part);
                ContentTypes::remove(&mut edit.package, &part)?;
            }
        }
        None => {
            if relationships.list.iter().any(|found| found.part.is_none()) {
                edit.warn(&input.at("chart"), "its data was linked to another file and is now in the presentation");
            }
            let fresh = add_workbook(edit, chart, &new)?;
            relink(edit, chart, &fresh)?;
        }
    }
    Ok("Sheet1".to_owned())
}

/// Whether any part of the package still leads to a part.
fn is_used(edit: &DeckEdit<'_>, part: &str) -> bool {
    super::slides::reachable_parts(&edit.package).contains_key(part)
}

/// Names the workbook of a chart in the chart.
fn relink(edit: &mut DeckEdit<'_>, chart: &str, relationship: &str) -> Result<(), Error> {
    edit.edit_part(chart, |root, splice| {
        put_external_data(root, splice, relationship);
        Ok(())
    })
}

fn put_external_data(root: Node<'_>, splice: &mut Splice<'_>, relationship: &str) {
    let (r, declared) = Dialect::of(root).attribute_prefix(root, Ns::R, "r");
    let c = root.prefix();
    let id = escape_attribute(relationship);
    let markup = format!(r#"<{c}externalData {r}id="{id}"{declared}><{c}autoUpdate val="0"/></{c}externalData>"#);
    if let Some(old) = root.child(Ns::C, "externalData") {
        return splice.replace(old.range(), markup);
    }
    let before = ["chart", "spPr", "txPr"];
    let last = root.elements().filter(|node| node.ns() == Ns::C && before.contains(&node.local())).last();
    match last {
        Some(last) => splice.after(last, markup),
        None => splice.append(root, markup),
    }
}
