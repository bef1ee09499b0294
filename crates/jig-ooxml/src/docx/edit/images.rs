//! `insert_image`: an image in a paragraph of its own; `replace_image` and `delete_image`.

use base64::Engine;
use jig_file_api::ops::docx::{InsertImage, Paragraph};
use jig_file_api::ops::docx_content::{DeleteImage, ReplaceImage};

use super::markup::{Dialect, Markup};
use super::paragraphs::{behind_last, insert_into_body, tail};
use super::revisions::{Revisions, history_of};
use super::tables::text_width;
use super::{Body, DocumentEdit};
use crate::content_types::ContentTypes;
use crate::drawing::image::ImageHeader;
use crate::edit::{OpInput, OpReport};
use crate::error::{DocumentIssue, Error};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, Tree, escape_attribute};

/// English metric units in an inch.
const INCH: f64 = 914_400.0;
/// The kinds of images that Word shows, for messages.
const KINDS: &str = "png, jpeg, gif or bmp";
/// The longest side of an image, in inches.
const LARGEST: f64 = 22.0;

/// An image in the text.
struct Drawing<'a> {
    rel_id: &'a str,
    name: String,
    alt_text: &'a str,
    /// In English metric units.
    size: (u64, u64),
    id: u32,
}

impl DocumentEdit<'_> {
    /// Applies `insert_image`.
    pub(super) fn insert_image(&mut self, input: &OpInput, fields: InsertImage) -> Result<(), Error> {
        let bytes = self.picture_bytes(fields.path.as_deref(), fields.data_base64.as_deref(), input)?;
        let field = if fields.path.is_some() { "path" } else { "data_base64" };
        let image =
            ImageHeader::read(&bytes).ok_or_else(|| input.error(field, DocumentIssue::NotAnImage { kinds: KINDS }))?;
        let alt_text = fields.alt_text.as_deref().unwrap_or_default();
        let alt_text = self.clean(alt_text, &input.at("alt_text"));
        let paragraph = Paragraph { alignment: fields.alignment, style: fields.style, ..Paragraph::default() };
        let paragraph = self.paragraph(paragraph, &input.at(""))?;
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(&fields.position, &body, input)?;
        let size = size(&image, fields.width, fields.height, text_width(body.node), input)?;
        let rel_id = self.add_picture(&bytes, image.kind.extension(), image.kind.content_type())?;
        let id = free_drawing_id(&tree);
        let drawing = Drawing { rel_id: &rel_id, name: format!("Picture {id}"), alt_text: &alt_text, size, id };
        let mut revisions = self.revisions(fields.track_changes)?;
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(main.text());
        if let (Some(revisions), Some(last)) = (revisions.as_mut(), tail(&body, &gap)) {
            behind_last(&mut splice, last, gap.at, &dialect, revisions, |markup, revisions, old| {
                markup.open("p", &[]);
                let history = history_of(old, &dialect, revisions);
                paragraph.write_properties(markup, None, &history);
                drawing.write(markup, Some(revisions));
                markup.close("p");
            });
        } else {
            let mut markup = Markup::new(&dialect);
            markup.open("p", &[]);
            let mark = revisions.as_mut().map(|revisions| revisions.element("ins", &dialect));
            paragraph.write_properties(&mut markup, mark.as_deref(), "");
            drawing.write(&mut markup, revisions.as_mut());
            markup.close("p");
            insert_into_body(&mut splice, body.node, gap.at, &markup.finish());
        }
        let inches = |emu: u64| (emu as f64 / INCH * 100.0).round() / 100.0;
        let (width, height) = (inches(size.0), inches(size.1));
        let summary = format!("Inserted an image of {width} by {height} inches {}.", gap.words);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let change = OpReport::new(input, summary).with("rel_id", rel_id).with("width", width).with("height", height);
        self.report(change);
        Ok(())
    }

    fn picture_bytes(&mut self, path: Option<&str>, data: Option<&str>, input: &OpInput) -> Result<Vec<u8>, Error> {
        match (path, data) {
            (Some(_), Some(_)) => Err(input.error("data_base64", DocumentIssue::TwoImages).into()),
            (Some(path), None) => {
                let found = (self.options.files)(path);
                Ok(found.ok_or_else(|| input.error("path", DocumentIssue::NoFile { path: path.to_owned() }))?)
            }
            (None, Some(data)) => {
                let data = data.split_once("base64,").map_or(data, |(_, data)| data);
                let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
                let engine = base64::engine::general_purpose::STANDARD;
                let decoded = engine.decode(data);
                Ok(decoded.map_err(|source| input.error("data_base64", DocumentIssue::NotBase64 { source }))?)
            }
            (None, None) => {
                Err(input.error("path", DocumentIssue::Missing { what: "`path` of an image, or `data_base64`" }).into())
            }
        }
    }

    /// Adds the part of an image; returns the id by which the main part refers to it.
    pub(super) fn add_picture(&mut self, bytes: &[u8], extension: &str, content_type: &str) -> Result<String, Error> {
        let document = self.names.document.clone();
        let folder = document.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let name = free_media_name(&self.package, &folder, extension);
        self.package.set(&name, bytes);
        ContentTypes::add_default(&mut self.package, extension, content_type)?;
        if ContentTypes::read(&self.package)?.of(&name).is_none_or(|kind| !kind.starts_with("image/")) {
            ContentTypes::add(&mut self.package, &name, content_type)?;
        }
        Relationships::add(&mut self.package, &document, "image", &name)
    }
}

/// A name whose number no other image has, whatever its extension.
fn free_media_name(package: &crate::package::Package, folder: &str, extension: &str) -> String {
    let start = format!("{folder}media/image").to_ascii_lowercase();
    let numbers = package.names().filter_map(|name| {
        let name = name.trim_start_matches('/').to_ascii_lowercase();
        name.strip_prefix(&start)?.split('.').next()?.parse::<u32>().ok()
    });
    let number = numbers.max().unwrap_or(0).saturating_add(1);
    format!("{folder}media/image{number}.{extension}")
}

/// The size in the text: as requested, with the proportions kept if one side is not given; otherwise by
/// the pixels, reduced to the width of the text.
fn size(
    image: &ImageHeader,
    width: Option<f64>,
    height: Option<f64>,
    text_width: i64,
    input: &OpInput,
) -> Result<(u64, u64), Error> {
    let natural = image.inches();
    for (field, value) in [("width", width), ("height", height)] {
        if value.is_some_and(|value| !(0.01..=LARGEST).contains(&value)) {
            return Err(input.error(field, DocumentIssue::ImageSize { limit: LARGEST }).into());
        }
    }
    let (width, height) = match (width, height) {
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, width * natural.1 / natural.0),
        (None, Some(height)) => (height * natural.0 / natural.1, height),
        (None, None) => {
            let scale = (text_width as f64 / 1440.0 / natural.0).min(LARGEST / natural.1).min(1.0);
            (natural.0 * scale, natural.1 * scale)
        }
    };
    let emu = |inches: f64| (inches.clamp(0.01, LARGEST) * INCH).round() as u64;
    Ok((emu(width), emu(height)))
}

/// A number that no drawing of the part uses.
fn free_drawing_id(tree: &Tree<'_>) -> u32 {
    let drawings =
        tree.root().descendants().filter(|node| node.is_element() && matches!(node.local(), "docPr" | "cNvPr"));
    let used: std::collections::HashSet<u32> = drawings.filter_map(|node| node.attr("id")?.parse().ok()).collect();
    let above = used.iter().copied().filter(|id| *id < 0x7FFF_0000).max().map_or(1, |id| id + 1);
    (above..).find(|id| !used.contains(id)).unwrap_or(above)
}

impl Drawing<'_> {
    /// The run with the image, marked as inserted if there are revisions.
    fn write(&self, markup: &mut Markup<'_>, mut revisions: Option<&mut Revisions>) {
        if let Some(revisions) = revisions.as_deref_mut() {
            let open = revisions.open("ins", markup.dialect);
            markup.raw(&open);
        }
        markup.open("r", &[]);
        markup.open("drawing", &[]);
        markup.raw(&self.markup(markup.dialect.strict));
        markup.close("drawing");
        markup.close("r");
        if revisions.is_some() {
            markup.close("ins");
        }
    }

    fn markup(&self, strict: bool) -> String {
        let base = if strict { "http://purl.oclc.org/ooxml/" } else { "http://schemas.openxmlformats.org/" };
        let year = if strict { "" } else { "/2006" };
        let uri = |what: &str| format!("{base}drawingml{year}/{what}");
        let (wp, a, pic) = (uri("wordprocessingDrawing"), uri("main"), uri("picture"));
        let r = format!("{base}officeDocument{year}/relationships");
        let (id, rel_id) = (self.id, escape_attribute(self.rel_id));
        let (name, alt) = (escape_attribute(&self.name), escape_attribute(self.alt_text));
        let (cx, cy) = self.size;
        [
            format!(r#"<wp:inline xmlns:wp="{wp}" distT="0" distB="0" distL="0" distR="0"><wp:extent cx="{cx}" cy="{cy}"/>"#),
            format!(r#"<wp:docPr id="{id}" name="{name}" descr="{alt}"/><wp:cNvGraphicFramePr>"#),
            format!(r#"<a:graphicFrameLocks xmlns:a="{a}" noChangeAspect="1"/></wp:cNvGraphicFramePr>"#),
            format!(r#"<a:graphic xmlns:a="{a}"><a:graphicData uri="{pic}"><pic:pic xmlns:pic="{pic}">"#),
            format!(r#"<pic:nvPicPr><pic:cNvPr id="{id}" name="{name}" descr="{alt}"/><pic:cNvPicPr/></pic:nvPicPr>"#),
            format!(r#"<pic:blipFill><a:blip xmlns:r="{r}" r:embed="{rel_id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>"#),
            format!(r#"<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{cx}" cy="{cy}"/></a:xfrm>"#),
            r#"<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>"#.to_owned(),
        ]
        .concat()
    }
}

/// An image of the body: the element that refers to it, and the drawing around it.
struct Placed<'t> {
    blip: Node<'t>,
    drawing: Node<'t>,
}

/// The images of the body in the order of the map.
fn placed<'t>(body: Node<'t>) -> Vec<Placed<'t>> {
    let unread = |node: &Node<'t>| {
        let mut at = *node;
        node.ancestors().any(|around| {
            let hidden = around.is(Ns::Mc, "AlternateContent") && crate::docx::word::branch(around) != Some(at);
            at = around;
            hidden
        })
    };
    let blips = body.descendants().filter(|node| node.is(Ns::A, "blip") || node.is(Ns::V, "imagedata"));
    let read = blips.filter(|node| !unread(node));
    let is_drawing = |node: &Node<'t>| node.is(Ns::W, "drawing") || node.is(Ns::W, "pict") || node.is(Ns::W, "object");
    read.filter_map(|blip| Some(Placed { blip, drawing: blip.ancestors().find(is_drawing)? })).collect()
}

impl DocumentEdit<'_> {
    /// Applies `replace_image`.
    pub(super) fn replace_image(&mut self, input: &OpInput, fields: &ReplaceImage) -> Result<(), Error> {
        let bytes = self.picture_bytes(fields.path.as_deref(), fields.data_base64.as_deref(), input)?;
        let field = if fields.path.is_some() { "path" } else { "data_base64" };
        let image =
            ImageHeader::read(&bytes).ok_or_else(|| input.error(field, DocumentIssue::NotAnImage { kinds: KINDS }))?;
        let alt_text = fields.alt_text.as_deref().map(|text| self.clean(text, &input.at("alt_text")));
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = crate::docx::blocks::body(&tree, main.name())?;
        let images = placed(body);
        let found = images
            .get(fields.index)
            .ok_or_else(|| input.error("index", DocumentIssue::NoImage { index: fields.index, count: images.len() }))?;
        let reference = ["embed", "id"].iter().find_map(|name| found.blip.attr_ns_value_range(Ns::R, name));
        let Some(reference) = reference else {
            return Err(input.error("index", DocumentIssue::LinkedImage).into());
        };
        let rel_id = self.add_picture(&bytes, image.kind.extension(), image.kind.content_type())?;
        let mut splice = Splice::new(main.text());
        splice.replace(reference, escape_attribute(&rel_id));
        // The width stays, and the height follows the new proportions.
        let natural = image.inches();
        let sizes = found.drawing.descendants().filter(|node| {
            node.is(Ns::Wp, "extent")
                || (node.is(Ns::A, "ext") && node.parent().is_some_and(|parent| parent.is(Ns::A, "xfrm")))
        });
        for size in sizes {
            let width = size.attr("cx").and_then(|width| width.parse::<u64>().ok());
            let (Some(width), Some(range)) = (width, size.attr_value_range("cy")) else { continue };
            let height = (width as f64 * natural.1 / natural.0).round().clamp(1.0, LARGEST * INCH);
            splice.replace(range, format!("{height}"));
        }
        if let Some(text) = &alt_text {
            for node in found.drawing.descendants().filter(|node| node.is(Ns::Wp, "docPr") || node.is(Ns::Pic, "cNvPr"))
            {
                splice.set_attr(node, "descr", text);
            }
        }
        self.splice_main(splice)?;
        let summary = format!("Replaced image {}.", fields.index);
        self.report(OpReport::new(input, summary).with("image", fields.index).with("rel_id", rel_id));
        Ok(())
    }

    /// Applies `delete_image`.
    pub(super) fn delete_image(&mut self, input: &OpInput, fields: &DeleteImage) -> Result<(), Error> {
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = crate::docx::blocks::body(&tree, main.name())?;
        let images = placed(body);
        let found = images
            .get(fields.index)
            .ok_or_else(|| input.error("index", DocumentIssue::NoImage { index: fields.index, count: images.len() }))?;
        let shared = images.iter().filter(|one| one.drawing == found.drawing).count();
        if shared > 1 {
            self.warn(format!("{}: the drawing had {shared} images, which went with it", input.at("index")));
        }
        let around = found.drawing.ancestors().find(|node| node.is(Ns::Mc, "AlternateContent"));
        let outer =
            around.filter(|node| node.parent().is_some_and(|parent| parent.is(Ns::W, "r"))).unwrap_or(found.drawing);
        let run = outer.parent().filter(|parent| parent.is(Ns::W, "r"));
        let mut splice = Splice::new(main.text());
        match (run, revisions.as_mut()) {
            (Some(run), Some(revisions)) => {
                let dialect = Dialect::at(run);
                splice.before(run, revisions.open("del", &dialect));
                splice.after(run, format!("</{}del>", dialect.w));
            }
            (Some(run), None) if run.elements().all(|child| child == outer || child.is(Ns::W, "rPr")) => {
                splice.remove(run);
            }
            _ => splice.remove(outer),
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Deleted image {}.", fields.index);
        self.report(OpReport::new(input, summary).with("image", fields.index));
        Ok(())
    }
}
