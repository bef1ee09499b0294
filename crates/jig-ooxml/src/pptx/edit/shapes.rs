//! Ops on any shape of a slide: its text and its place, new text boxes, and deleting shapes with all that refers to them.

use std::collections::BTreeSet;

use jig_file_api::ops::pptx::{AddTextBox, DeleteShape, MoveShape, SetShapeText};
use serde_json::json;

use super::find_shape::find_shape;
use super::images::{append_shape, free_shape_id};
use super::slides::{reachable_parts, remove_lost, used_relationships};
use super::text::{Base, NewParagraph, ShapeText, WriteMode, new_text, paragraph_markup, shape_text, write_text};
use super::{DeckEdit, place};
use crate::edit::{Color, EditError, OpInput, OpReport};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::Prefixes;
use crate::pptx::presentation::SlideRef;
use crate::pptx::shape::{Frame, GroupSpace, Shape, ShapeKind, flat, graphic_data, rotation, shapes, transform};
use crate::pptx::slide::{Inherited, Slide};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, escape_attribute};

pub(super) fn set_shape_text(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: SetShapeText,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let given = ShapeText {
        text: fields.text.as_deref(),
        runs: fields.runs,
        paragraphs: fields.paragraphs,
        text_style: &fields.text_style,
        style: &fields.style,
    };
    let clears = fields.clear == Some(true);
    let text = match given.read(edit, input)? {
        Some(_) if clears => {
            return Err(input.error("clear", DeckIssue::ClearAndText { what: "text".to_owned() }).into());
        }
        None if clears => vec![NewParagraph::default()],
        text => text.ok_or_else(|| input.error("text", DeckIssue::Missing { what: "the text of the shape" }))?,
    };
    let mode = if fields.append == Some(true) && !clears { WriteMode::Append } else { WriteMode::Replace };
    let (name, id, old) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let shape = find_shape(input, "shape", index, &fields.shape, &shapes)?;
        if shape.node.local() != "sp" {
            return Err(without_text(input, shape).into());
        }
        for node in shape.twins().into_iter().filter(|node| node.local() == "sp") {
            write_text(splice, &Shape { node, children: Vec::new(), ..shape.clone() }, &text, mode);
        }
        Ok((shape.name(), shape.id(), shape_text(shape)))
    })?;
    let verb = if mode == WriteMode::Append { "Added to" } else { "Set" };
    let summary = format!("{verb} the text of {name} on slide {}.", index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("shape", name).with("shape_id", id);
    Ok(report.with("old", old).with("new", new_text(&text)))
}

/// The error for a shape that is not one for text, with what to use instead.
fn without_text(input: &OpInput, shape: &Shape<'_>) -> EditError {
    let instead = match shape.kind {
        ShapeKind::Table => "use set_table_cells",
        ShapeKind::Group => "name a shape inside the group",
        ShapeKind::Chart => "use replace_text for its title",
        ShapeKind::SmartArt => "use replace_text",
        _ => "use add_text_box to put text over it",
    };
    input.error("shape", DeckIssue::ShapeWithoutText { name: shape.name(), kind: shape.kind.name(), instead })
}

pub(super) fn add_text_box(edit: &mut DeckEdit<'_>, input: &OpInput, fields: AddTextBox) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    place::check(input, &fields.place)?;
    let given = ShapeText {
        text: fields.text.as_deref(),
        runs: fields.runs,
        paragraphs: fields.paragraphs,
        text_style: &fields.text_style,
        style: &fields.style,
    };
    let text = given.read(edit, input)?;
    let text = text.ok_or_else(|| input.error("text", DeckIssue::Missing { what: "the text of the text box" }))?;
    let fill = fields
        .fill_color
        .as_deref()
        .map(|color| Color::parse(color).ok_or_else(|| input.error("fill_color", DeckIssue::InvalidColor)));
    let fill = fill.transpose()?;
    let name = fields.name.as_deref().map(|name| edit.clean(&input.at("name"), name));
    let frame = text_box_frame(&fields.place, &text, edit.presentation.size);
    if place::leaves_slide(frame, edit.presentation.size) {
        let what = format!("the text box reaches beyond the slide; {}", place::slide_inches(edit.presentation.size));
        edit.warn(&input.at(""), &what);
    }
    // A given height stays; otherwise the box grows with its text.
    let fits = if fields.place.height.is_some() { "noAutofit" } else { "spAutoFit" };
    let (id, name) = edit.edit_part(&slide.part, |root, splice| {
        let tree = root.path(Ns::P, &["cSld", "spTree"]).unwrap_or(root);
        let prefixes = Prefixes::at(tree);
        let id = free_shape_id(root);
        let name = name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| format!("TextBox {}", id - 1));
        let (p, a, declared) = (&prefixes.p, &prefixes.a, &prefixes.declared);
        let inner = Prefixes { declared: String::new(), ..prefixes.clone() };
        let text: String = text.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
        let fill = match &fill {
            Some(color) => format!(r#"<{a}solidFill><{a}srgbClr val="{}"/></{a}solidFill>"#, color.rgb()),
            None => format!("<{a}noFill/>"),
        };
        let markup = format!(
            r#"<{p}sp{declared}><{p}nvSpPr><{p}cNvPr id="{id}" name="{}"/><{p}cNvSpPr txBox="1"/><{p}nvPr/></{p}nvSpPr><{p}spPr><{a}xfrm>{}</{a}xfrm><{a}prstGeom prst="rect"><{a}avLst/></{a}prstGeom>{fill}</{p}spPr><{p}txBody><{a}bodyPr wrap="square" rtlCol="0"><{a}{fits}/></{a}bodyPr><{a}lstStyle/>{text}</{p}txBody></{p}sp>"#,
            escape_attribute(&name),
            place::off_ext(a, frame),
        );
        append_shape(root, splice, &markup);
        Ok((id, name))
    })?;
    let summary = format!("Added the text box {name} to slide {}.", index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("shape", name).with("shape_id", id);
    Ok(report.with("new", new_text(&text)))
}

/// The place of a new text box: where nothing is given, across the middle of the slide, as high as its lines.
fn text_box_frame(
    given: &jig_file_api::ops::pptx::PlaceFields,
    text: &[NewParagraph],
    (wide, high): (i64, i64),
) -> Frame {
    let (wide, high) = (wide as f64, high as f64);
    let left = given.left.map_or(wide * 0.07, |left| left * place::INCH);
    let room = (wide * 0.93 - left).max(place::INCH);
    let width = given.width.map_or(room, |width| width * place::INCH);
    // Characters are taken as half as wide as they are high, and lines as a fifth higher.
    let points = width / 12_700.0;
    let height: f64 = text
        .iter()
        .map(|paragraph| {
            let size = paragraph.runs.iter().filter_map(|run| run.format.size).max().unwrap_or(1800);
            let size = f64::from(size) / 100.0;
            let lines = (paragraph.text().chars().count() as f64 * size * 0.5 / points).ceil().max(1.0);
            lines * size * 1.2 * 12_700.0
        })
        .sum();
    let other = Frame { x: left, y: high * 0.4, width, height: height + 91_440.0, rotation: 0.0 };
    place::frame(given, other)
}

pub(super) fn move_shape(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &MoveShape) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    place::check(input, &fields.place)?;
    if place::is_empty(&fields.place) && fields.rotation.is_none() {
        return Err(input.error("left", DeckIssue::Missing { what: "left, top, width, height or rotation" }).into());
    }
    // Placeholders stand where their layout puts them until they have a place of their own.
    let page = Slide::load(&edit.package, &slide.part, Inherited::Read)?;
    let (address, old, new) = page.view(edit.package.limits(), |_, shapes| {
        let shape = find_shape(input, "shape", index, &fields.shape, shapes)?;
        let given = &fields.place;
        let full = [given.left, given.top, given.width, given.height].iter().all(Option::is_some);
        let nowhere = Frame { x: 0.0, y: 0.0, width: 0.0, height: 0.0, rotation: 0.0 };
        let known = shape.frame.or_else(|| full.then_some(nowhere));
        let known = known.ok_or_else(|| input.error("shape", DeckIssue::ShapeWithoutPlace { name: shape.name() }))?;
        let mut frame = place::frame(given, known);
        if let Some(rotation) = fields.rotation {
            frame.rotation = rotation.rem_euclid(360.0);
        }
        Ok((shape.address.clone(), shape.frame, frame))
    })?;
    let (name, id, attached) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let all = flat(&shapes);
        let shape = all.iter().find(|shape| shape.address == address);
        let shape = shape.ok_or_else(|| input.error("shape", DeckIssue::PlaceholderGone))?;
        let inside = GroupSpace::around(shape.node).iter().fold(new, |frame, space| space.inward(frame));
        let mut moved = false;
        for node in shape.twins() {
            // The turn stays as it is written, so that rounding changes nothing.
            let frame = match transform(node).filter(|_| fields.rotation.is_none()) {
                Some(transform) => Frame { rotation: rotation(transform), ..inside },
                None => inside,
            };
            moved |= place::write(splice, node, frame, fields.rotation.is_some())?;
        }
        if !moved {
            return Err(input.error("shape", DeckIssue::ShapeCannotMove { name: shape.name() }).into());
        }
        if let (Some(table), Some(old)) = (shape.table(), old) {
            scale_table(splice, table, (new.width / old.width, new.height / old.height));
        }
        Ok((shape.name(), shape.id(), attached_connectors(&all, shape.id())))
    })?;
    if !attached.is_empty() {
        let what = format!("connectors that are attached to the shape stay where they are: {}", attached.join(", "));
        edit.warn(&input.at(""), &what);
    }
    if place::leaves_slide(new, edit.presentation.size) {
        let what = format!("the shape reaches beyond the slide; {}", place::slide_inches(edit.presentation.size));
        edit.warn(&input.at(""), &what);
    }
    let inches = |value: f64| (value / place::INCH * 1000.0).round() / 1000.0;
    let shown = |frame: Frame| {
        json!({
            "left": inches(frame.x), "top": inches(frame.y), "width": inches(frame.width),
            "height": inches(frame.height), "rotation": frame.rotation,
        })
    };
    let summary = format!("Moved {name} on slide {}.", index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("shape", name).with("shape_id", id);
    Ok(report.with("old", old.map(shown)).with("new", shown(new)))
}

/// Columns and rows have sizes of their own, which count more than the frame of the table.
fn scale_table(splice: &mut Splice<'_>, table: Node<'_>, (across, down): (f64, f64)) {
    let columns = table.child(Ns::A, "tblGrid").into_iter().flat_map(|grid| grid.children_named(Ns::A, "gridCol"));
    let rows = table.children_named(Ns::A, "tr");
    let sides = columns.map(|column| (column, "w", across)).chain(rows.map(|row| (row, "h", down)));
    for (node, name, scale) in sides {
        let size = node.attr(name).and_then(|size| size.parse::<f64>().ok());
        if let Some(size) = size.filter(|_| scale.is_finite() && (scale - 1.0).abs() > 1e-6) {
            splice.set_attr(node, name, &place::emu(size * scale).max(1).to_string());
        }
    }
}

/// The names of connectors that begin or end at a shape.
fn attached_connectors(all: &[&Shape<'_>], id: Option<u32>) -> Vec<String> {
    let Some(id) = id.map(|id| id.to_string()) else { return Vec::new() };
    let attached = |shape: &&&Shape<'_>| {
        shape.kind == ShapeKind::Connector && shape.node.descendants().any(|node| ends_at(node, &id))
    };
    all.iter().filter(attached).map(|shape| shape.name()).collect()
}

/// Whether an end of a connector is attached to the shape with this id.
fn ends_at(node: Node<'_>, id: &str) -> bool {
    (node.is(Ns::A, "stCxn") || node.is(Ns::A, "endCxn")) && node.attr("id").is_some_and(|found| found == id)
}

pub(super) fn delete_shape(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &DeleteShape) -> Result<OpReport, Error> {
    let slide = edit.slide(input, "index", fields.index)?;
    delete_found(edit, input, &slide, |index, shapes| {
        find_shape(input, "shape", index, &fields.shape, shapes).map(|shape| shape.address.clone())
    })
}

/// Deletes the shape whose address a function gives.
pub(super) fn delete_found(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    (index, slide): &(usize, SlideRef),
    find: impl FnOnce(usize, &[Shape<'_>]) -> Result<Vec<usize>, EditError>,
) -> Result<OpReport, Error> {
    let index = *index;
    let before = reachable_parts(&edit.package);
    let own = Relationships::read(&edit.package, &slide.part)?;
    let (name, kind, mut used, data) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let address = find(index, &shapes)?;
        let all = flat(&shapes);
        let shape = all.iter().find(|shape| shape.address == address);
        let shape = shape.ok_or_else(|| input.error("shape", DeckIssue::PlaceholderGone))?;
        let nodes = removed_nodes(shape);
        let inside = || nodes.iter().flat_map(|node| std::iter::once(*node).chain(node.descendants()));
        let ids: BTreeSet<String> = inside()
            .filter(|node| node.is_element() && node.local() == "cNvPr")
            .filter_map(|node| node.attr("id").map(std::borrow::Cow::into_owned))
            .collect();
        let used: BTreeSet<String> = inside().flat_map(used_relationships).map(str::to_owned).collect();
        let data = graphic_data(shape.node).and_then(|data| data.child(Ns::Dgm, "relIds"));
        let data = data.and_then(|data| data.attr_ns(Ns::R, "dm")).map(std::borrow::Cow::into_owned);
        nodes.iter().for_each(|node| splice.remove(*node));
        for end in root.descendants().filter(|node| ids.iter().any(|id| ends_at(*node, id))) {
            splice.remove(end);
        }
        remove_animations(root, splice, &ids);
        Ok((shape.name(), shape.kind.name(), used, data))
    })?;
    used.extend(data.and_then(|data| smart_art_drawing(edit, own.part(&data)?)));
    remove_unused(edit, &slide.part, &used)?;
    let gone = remove_lost(&mut edit.package, &before)?;
    let summary = format!("Deleted {name} from slide {}.", index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("shape", name).with("kind", kind);
    Ok(report.with("parts_removed", gone))
}

/// What is removed with a shape: all of an alternate content that shows nothing else.
fn removed_nodes<'t>(shape: &Shape<'t>) -> Vec<Node<'t>> {
    let parent = shape.node.parent().filter(|node| node.ns() == Ns::Mc);
    let alternate = parent.and_then(Node::parent).filter(|node| node.is(Ns::Mc, "AlternateContent"));
    match (alternate, parent) {
        (Some(alternate), Some(branch)) if branch.elements().count() == 1 => vec![alternate],
        _ => shape.twins(),
    }
}

/// The relationship of the drawing that repeats a SmartArt, which only the SmartArt's data names.
fn smart_art_drawing(edit: &DeckEdit<'_>, part: &str) -> Option<String> {
    let content = edit.package.xml(part).ok()?;
    let tree = content.tree(edit.package.limits()).ok()?;
    let named = tree.root().descendants().find(|node| node.is_element() && node.local() == "dataModelExt")?;
    named.attr("relId").map(std::borrow::Cow::into_owned)
}

/// Removes those relationships of a part that nothing in it uses any more.
pub(super) fn remove_unused(edit: &mut DeckEdit<'_>, part: &str, ids: &BTreeSet<String>) -> Result<(), Error> {
    let content = edit.parts.get(&edit.package, part)?;
    let tree = content.tree(edit.package.limits())?;
    let used: BTreeSet<&str> =
        std::iter::once(tree.root()).chain(tree.root().descendants()).flat_map(used_relationships).collect();
    for id in ids.iter().filter(|id| !used.contains(id.as_str())) {
        Relationships::remove(&mut edit.package, part, id)?;
    }
    Ok(())
}

/// Removes animations of shapes. What animates only these is removed as one piece, since time nodes cannot be empty.
fn remove_animations(root: Node<'_>, splice: &mut Splice<'_>, ids: &BTreeSet<String>) {
    let names = |node: Node<'_>| node.attr("spid").is_some_and(|id| ids.contains(&*id));
    for timing in root.descendants().filter(|node| node.is(Ns::P, "timing")) {
        let targets: Vec<Node<'_>> = timing.descendants().filter(|node| node.is(Ns::P, "spTgt")).collect();
        let (gone, left): (Vec<_>, Vec<_>) = targets.into_iter().partition(|node| names(*node));
        if gone.is_empty() {
            continue;
        }
        if left.is_empty() {
            splice.remove(timing);
            continue;
        }
        let keeps = |node: Node<'_>| left.iter().any(|kept| node.range().contains(&kept.range().start));
        let mut pieces: Vec<Node<'_>> = Vec::new();
        for target in gone {
            let inside = target.ancestors().take_while(|node| *node != timing && !keeps(*node));
            let is_time = |node: &Node<'_>| {
                node.ns() == Ns::P
                    && matches!(
                        node.local(),
                        "par"
                            | "seq"
                            | "excl"
                            | "set"
                            | "anim"
                            | "animClr"
                            | "animEffect"
                            | "animMotion"
                            | "animRot"
                            | "animScale"
                            | "cmd"
                            | "audio"
                            | "video"
                    )
            };
            pieces.extend(inside.filter(is_time).last());
        }
        pieces.into_iter().for_each(|piece| splice.remove(piece));
        for list in timing.children_named(Ns::P, "bldLst") {
            let builds: Vec<Node<'_>> = list.elements().collect();
            if builds.iter().all(|build| names(*build)) {
                splice.remove(list);
            } else {
                builds.into_iter().filter(|build| names(*build)).for_each(|build| splice.remove(build));
            }
        }
    }
}
