//! `insert_image`: an image on a slide, at a place, in a placeholder or in an existing picture.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jig_file_api::ops::pptx::{InsertImage, PlaceFields};
use serde_json::Value;

use super::find_shape::find_shape;
use super::place::{INCH, off_ext};
use super::shapes::remove_unused;
use super::slides::{reachable_parts, remove_lost, used_relationships};
use super::{DeckEdit, place, placeholder_names};
use crate::content_types::ContentTypes;
use crate::drawing::image::ImageHeader;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DeckIssue, Error};
use crate::package::Package;
use crate::pptx::markup::{Prefixes, percent};
use crate::pptx::presentation::SlideRef;
use crate::pptx::shape::{Frame, GroupSpace, Shape, ShapeKind, flat, identity, placeholder_node, shapes};
use crate::pptx::slide::{Inherited, Slide};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, escape_attribute};

pub(super) fn insert_image(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &InsertImage) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let bytes = bytes(edit, input, fields)?;
    let picture = ImageHeader::read(&bytes).ok_or_else(|| {
        input.error(if fields.path.is_some() { "path" } else { "data_base64" }, DeckIssue::NotAnImage)
    })?;
    let alt = fields.alt_text.as_deref().map(|text| edit.clean(&input.at("alt_text"), text));
    let name = fields.name.as_deref().map(|text| edit.clean(&input.at("name"), text));
    if fields.replaces.is_some() {
        return replace_image(edit, input, fields, (index, &slide), &bytes, &picture, alt.as_deref());
    }
    let page = Slide::load(&edit.package, &slide.part, Inherited::Read)?;
    let target = page.view(edit.package.limits(), |_, shapes| match &fields.placeholder {
        Some(wanted) => Ok(Some(find_placeholder(input, index, wanted, shapes)?)),
        None => Ok(None),
    })?;
    let folder = edit.presentation.folder().to_owned();
    if target.is_none() {
        check_sides(input, fields)?;
    }
    let part = store(&mut edit.package, &folder, &bytes, picture.kind.extension(), picture.kind.content_type())?;
    let relationship = Relationships::add(&mut edit.package, &slide.part, "image", &part)?;
    let frame = free_frame(fields, &picture, edit.presentation.size);
    let fit = Fit::of(fields.fit.as_deref());
    let ignored =
        target.is_some() && [fields.left, fields.top, fields.width, fields.height].iter().any(Option::is_some);
    if ignored {
        edit.warn(&input.at("placeholder"), "left, top, width and height are ignored in a placeholder");
    }
    edit.edit_part(&slide.part, |root, splice| {
        let prefixes = Prefixes::at(root);
        let new =
            NewPicture { prefixes: &prefixes, relationship: &relationship, alt: alt.as_deref(), name: name.as_deref() };
        match &target {
            None => append_shape(root, splice, &new.free(free_shape_id(root), frame, "")),
            Some((address, holder)) => {
                let shapes = shapes(root, &[])?;
                let shape = flat(&shapes).into_iter().find(|shape| shape.address == *address);
                let shape = shape.ok_or_else(|| input.error("placeholder", DeckIssue::PlaceholderGone))?;
                splice.replace(shape.node.range(), new.placed(shape.node, &picture, *holder, fit));
            }
        }
        Ok(())
    })?;
    let summary = format!("Inserted an image on slide {}.", index + 1);
    Ok(OpReport::new(input, summary)
        .with("slide_index", index)
        .with("part", part)
        .with("width_px", picture.width)
        .with("height_px", picture.height))
}

fn bytes(edit: &DeckEdit<'_>, input: &OpInput, fields: &InsertImage) -> Result<Vec<u8>, EditError> {
    match (&fields.path, &fields.data_base64) {
        (Some(path), None) => {
            (edit.options.files)(path).ok_or_else(|| input.error("path", DeckIssue::NoFile { path: path.clone() }))
        }
        (None, Some(data)) => {
            // A data address carries its type before the comma.
            let data = data.rsplit_once("base64,").map_or(data.as_str(), |(_, data)| data);
            let data: String = data.chars().filter(|c| !c.is_whitespace()).collect();
            STANDARD.decode(data).map_err(|source| input.error("data_base64", DeckIssue::NotBase64 { source }))
        }
        (Some(_), Some(_)) => Err(input.error("path", DeckIssue::TwoImages)),
        (None, None) => Err(input.error("path", DeckIssue::Missing { what: "the path of an image, or data_base64" })),
    }
}

fn check_sides(input: &OpInput, fields: &InsertImage) -> Result<(), EditError> {
    for (name, value) in [("width", fields.width), ("height", fields.height)] {
        if value.is_some_and(|value| !(0.01..=100.0).contains(&value)) {
            return Err(input.error(name, DeckIssue::ImageSize));
        }
    }
    for (name, value) in [("left", fields.left), ("top", fields.top)] {
        if value.is_some_and(|value| !(-100.0..=100.0).contains(&value)) {
            return Err(input.error(name, DeckIssue::ImagePlace));
        }
    }
    Ok(())
}

/// The frame of an image: as requested, otherwise centred in its own proportions, no larger than the slide.
fn free_frame(fields: &InsertImage, picture: &ImageHeader, (wide, high): (i64, i64)) -> Frame {
    let (natural_width, natural_height) = picture.inches();
    let (natural_width, natural_height) = (natural_width * INCH, natural_height * INCH);
    let (wide, high) = (wide as f64, high as f64);
    let (width, height) = match (fields.width, fields.height) {
        (Some(width), Some(height)) => (width * INCH, height * INCH),
        (Some(width), None) => (width * INCH, width * INCH * natural_height / natural_width),
        (None, Some(height)) => (height * INCH * natural_width / natural_height, height * INCH),
        (None, None) => {
            let scale = (wide / natural_width).min(high / natural_height).min(1.0);
            (natural_width * scale, natural_height * scale)
        }
    };
    let x = fields.left.map_or((wide - width) / 2.0, |left| left * INCH);
    let y = fields.top.map_or((high - height) / 2.0, |top| top * INCH);
    Frame { x, y, width, height, rotation: 0.0 }
}

/// The placeholder by number, name or kind, with its frame.
fn find_placeholder(
    input: &OpInput,
    index: usize,
    wanted: &Value,
    shapes: &[Shape<'_>],
) -> Result<(Vec<usize>, Option<Frame>), EditError> {
    let all = flat(shapes);
    let usable = all.iter().filter(|shape| {
        shape.node.local() == "sp"
            && shape.placeholder().is_some_and(|found| !found.is_title() && !found.is_furniture())
    });
    let usable: Vec<&&Shape<'_>> = usable.collect();
    let by_kind = |kind: &str| usable.iter().find(|shape| shape.placeholder().is_some_and(|found| found.kind == kind));
    let found = match wanted {
        Value::Number(number) => usable
            .iter()
            .find(|shape| shape.placeholder().is_some_and(|found| Some(u64::from(found.index)) == number.as_u64())),
        Value::String(name) => {
            let named = usable.iter().find(|shape| shape.name().eq_ignore_ascii_case(name));
            let kind = match name.as_str() {
                "picture" | "image" => "pic",
                "content" => "obj",
                other => other,
            };
            named.or_else(|| by_kind(kind))
        }
        _ => by_kind("pic").or_else(|| by_kind("obj")),
    };
    found.map(|shape| (shape.address.clone(), shape.frame)).ok_or_else(|| {
        let (placeholders, names) = placeholder_names(shapes);
        input.error("placeholder", DeckIssue::NoImagePlaceholder { index, placeholders }).suggest(names)
    })
}

/// An image to write.
pub(super) struct NewPicture<'a> {
    pub(super) prefixes: &'a Prefixes,
    pub(super) relationship: &'a str,
    pub(super) alt: Option<&'a str>,
    pub(super) name: Option<&'a str>,
}

impl NewPicture<'_> {
    /// An image at a position. `crop` is the markup of a `srcRect`.
    pub(super) fn free(&self, id: u64, frame: Frame, crop: &str) -> String {
        let a = &self.prefixes.a;
        let turn = (frame.rotation * 60_000.0).round() as i64;
        let turn = if turn == 0 { String::new() } else { format!(r#" rot="{turn}""#) };
        let properties = format!(
            r#"<{a}xfrm{turn}><{a}off x="{}" y="{}"/><{a}ext cx="{}" cy="{}"/></{a}xfrm><{a}prstGeom prst="rect"><{a}avLst/></{a}prstGeom>"#,
            frame.x.round() as i64,
            frame.y.round() as i64,
            (frame.width.round() as i64).max(1),
            (frame.height.round() as i64).max(1)
        );
        let p = &self.prefixes.p;
        self.markup(
            &id.to_string(),
            &format!("Picture {}", id.saturating_sub(1)),
            &format!("<{p}nvPr/>"),
            &format!("<{p}spPr>{properties}</{p}spPr>"),
            crop,
        )
    }

    /// An image that replaces an empty placeholder, cropped to fill its frame.
    fn placed(&self, holder: Node<'_>, picture: &ImageHeader, frame: Option<Frame>, fit: Fit) -> String {
        let p = &self.prefixes.p;
        let identity = identity(holder);
        let attribute = |name| identity.and_then(|node| node.attr(name)).map(std::borrow::Cow::into_owned);
        let properties = placeholder_node(holder).map(Node::source).unwrap_or_default();
        let mut shape =
            holder.child(Ns::P, "spPr").map_or_else(|| format!("<{p}spPr/>"), |node| node.source().to_owned());
        let mut crop = String::new();
        match (fit, frame) {
            (Fit::Crop, Some(frame)) => crop = self.crop(picture, frame),
            (Fit::Contain, Some(frame)) => {
                let a = &self.prefixes.a;
                let inside = contained(frame, picture);
                shape = format!("<{p}spPr><{a}xfrm>{}</{a}xfrm></{p}spPr>", off_ext(a, inside));
            }
            _ => {}
        }
        let id = attribute("id").unwrap_or_else(|| "2".to_owned());
        let name = attribute("name").unwrap_or_else(|| "Picture".to_owned());
        self.markup(&id, &name, &format!("<{p}nvPr>{properties}</{p}nvPr>"), &shape, &crop)
    }

    fn crop(&self, picture: &ImageHeader, frame: Frame) -> String {
        let a = &self.prefixes.a;
        let (width, height) = picture.inches();
        if frame.width <= 0.0 || frame.height <= 0.0 {
            return String::new();
        }
        let (own, wanted) = (width / height, frame.width / frame.height);
        let share = |value: f64| percent((value * 50_000.0).round() / 1000.0);
        if own > wanted {
            let cut = share(1.0 - wanted / own);
            format!(r#"<{a}srcRect l="{cut}" r="{cut}"/>"#)
        } else if own < wanted {
            let cut = share(1.0 - own / wanted);
            format!(r#"<{a}srcRect t="{cut}" b="{cut}"/>"#)
        } else {
            String::new()
        }
    }

    fn markup(&self, id: &str, name: &str, application: &str, shape: &str, crop: &str) -> String {
        let (p, a, declared) = (&self.prefixes.p, &self.prefixes.a, &self.prefixes.declared);
        let name = escape_attribute(self.name.unwrap_or(name));
        let alt = self.alt.map(|alt| format!(r#" descr="{}""#, escape_attribute(alt))).unwrap_or_default();
        let fill =
            NewPicture { prefixes: &Prefixes { declared: String::new(), ..self.prefixes.clone() }, ..*self }.fill(crop);
        format!(
            r#"<{p}pic{declared}><{p}nvPicPr><{p}cNvPr id="{id}" name="{name}"{alt}/><{p}cNvPicPr><{a}picLocks noChangeAspect="1"/></{p}cNvPicPr>{application}</{p}nvPicPr>{fill}{shape}</{p}pic>"#
        )
    }

    /// What shows the image in a picture.
    fn fill(&self, crop: &str) -> String {
        let (p, a, r, declared) = (&self.prefixes.p, &self.prefixes.a, &self.prefixes.r, &self.prefixes.declared);
        let relationship = escape_attribute(self.relationship);
        format!(
            r#"<{p}blipFill{declared}><{a}blip {r}embed="{relationship}"/>{crop}<{a}stretch><{a}fillRect/></{a}stretch></{p}blipFill>"#
        )
    }
}

/// How an image fills a frame of other proportions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// What is too much is cropped.
    Crop,
    /// It is inside the frame, which becomes smaller.
    Contain,
    /// It is distorted.
    Stretch,
}

impl Fit {
    fn of(given: Option<&str>) -> Self {
        match given {
            Some("contain") => Self::Contain,
            Some("stretch") => Self::Stretch,
            _ => Self::Crop,
        }
    }
}

/// The largest frame of the image's proportions inside another, in its middle.
fn contained(frame: Frame, picture: &ImageHeader) -> Frame {
    let (width, height) = picture.inches();
    let scale = (frame.width / width).min(frame.height / height);
    let (width, height) = (width * scale, height * scale);
    Frame {
        x: frame.x + (frame.width - width) / 2.0,
        y: frame.y + (frame.height - height) / 2.0,
        width,
        height,
        ..frame
    }
}

/// Puts an image into a picture that is there. Its place, name, effects and animations stay.
fn replace_image(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertImage,
    (index, slide): (usize, &SlideRef),
    bytes: &[u8],
    picture: &ImageHeader,
    alt: Option<&str>,
) -> Result<OpReport, Error> {
    let wanted = fields.replaces.as_ref().unwrap_or(&Value::Null);
    if fields.placeholder.is_some() {
        return Err(input.error("placeholder", DeckIssue::Either { one: "placeholder", other: "replaces" }).into());
    }
    check_sides(input, fields)?;
    let before = reachable_parts(&edit.package);
    let folder = edit.presentation.folder().to_owned();
    let page = Slide::load(&edit.package, &slide.part, Inherited::Read)?;
    let (address, frame) = page.view(edit.package.limits(), |_, shapes| {
        let shape = find_shape(input, "replaces", index, wanted, shapes)?;
        if shape.node.local() != "pic" || shape.kind == ShapeKind::Media {
            let issue = DeckIssue::NotAPicture { name: shape.name(), kind: shape.kind.name() };
            return Err(input.error("replaces", issue).into());
        }
        Ok((shape.address.clone(), shape.frame))
    })?;
    let part = store(&mut edit.package, &folder, bytes, picture.kind.extension(), picture.kind.content_type())?;
    let relationship = Relationships::add(&mut edit.package, &slide.part, "image", &part)?;
    let fit = Fit::of(fields.fit.as_deref());
    let sides = PlaceFields { left: fields.left, top: fields.top, width: fields.width, height: fields.height };
    let (name, old) = edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let all = flat(&shapes);
        let shape = all.iter().find(|shape| shape.address == address);
        let shape = shape.ok_or_else(|| input.error("replaces", DeckIssue::PlaceholderGone))?;
        let mut old = BTreeSet::new();
        for node in shape.twins().into_iter().filter(|node| node.local() == "pic") {
            let Some(fill) = node.child(Ns::P, "blipFill") else { continue };
            old.extend(fill.descendants().flat_map(used_relationships).map(str::to_owned));
            let prefixes = Prefixes::at(fill);
            let new = NewPicture { prefixes: &prefixes, relationship: &relationship, alt: None, name: None };
            let known = frame.map(|frame| place::frame(&sides, frame));
            let crop = match (fit, known) {
                (Fit::Crop, Some(frame)) => new.crop(picture, frame),
                _ => String::new(),
            };
            splice.replace(fill.range(), new.fill(&crop));
            let moved = match (fit, known) {
                (Fit::Contain, Some(frame)) => Some(contained(frame, picture)),
                (_, Some(frame)) if !place::is_empty(&sides) => Some(frame),
                _ => None,
            };
            if let Some(moved) = moved {
                let inside = GroupSpace::around(node).iter().fold(moved, |frame, space| space.inward(frame));
                place::write(splice, node, inside, false)?;
            }
            if let Some(identity) = identity(node) {
                if let Some(alt) = alt {
                    splice.set_attr(identity, "descr", alt);
                }
                if let Some(name) = &fields.name {
                    splice.set_attr(identity, "name", name);
                }
            }
        }
        Ok((shape.name(), old))
    })?;
    remove_unused(edit, &slide.part, &old)?;
    remove_lost(&mut edit.package, &before)?;
    let summary = format!("Replaced the image of {name} on slide {}.", index + 1);
    Ok(OpReport::new(input, summary)
        .with("slide_index", index)
        .with("shape", name)
        .with("part", part)
        .with("width_px", picture.width)
        .with("height_px", picture.height))
}

/// A number that no shape of the slide uses.
pub(super) fn free_shape_id(root: Node<'_>) -> u64 {
    let ids = root.descendants().filter(|node| node.is_element() && node.local() == "cNvPr");
    let max = ids.filter_map(|node| node.attr("id")?.parse::<u64>().ok()).filter(|id| *id < 2_147_483_000).max();
    max.unwrap_or(1) + 1
}

/// Adds a shape on top of all others.
pub(super) fn append_shape(root: Node<'_>, splice: &mut Splice<'_>, markup: &str) {
    let Some(tree) = root.path(Ns::P, &["cSld", "spTree"]) else { return };
    match tree.child(Ns::P, "extLst") {
        Some(extensions) => splice.before(extensions, markup),
        None => splice.append(tree, markup),
    }
}

/// Adds an image to the package; returns its part. The same bytes are stored once.
pub(super) fn store(
    package: &mut Package,
    folder: &str,
    bytes: &[u8],
    extension: &str,
    content_type: &str,
) -> Result<String, Error> {
    let media = format!("{folder}media/");
    let ending = format!(".{extension}");
    let same = package.names().filter(|name| name.starts_with(&media) && name.ends_with(&ending));
    let same = same.filter(|name| package.declared_bytes(name) == Some(bytes.len() as u64));
    let same = same.into_iter().find(|name| package.read(name).is_ok_and(|found| found == bytes)).map(str::to_owned);
    if let Some(part) = same {
        return Ok(part);
    }
    let part = package.free_name(&format!("{media}image{{}}{ending}"));
    package.set(&part, bytes);
    ContentTypes::add_default(package, extension, content_type)?;
    // The extension may have another content type in this package.
    ContentTypes::add(package, &part, content_type)?;
    Ok(part)
}
