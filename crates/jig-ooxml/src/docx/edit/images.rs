//! `insert_image`: an image in a paragraph of its own, and what kind and size an image file has.

use base64::Engine;
use jig_file_api::ops::docx::{InsertImage, Paragraph};

use super::markup::{Dialect, Markup};
use super::paragraphs::{behind_last, insert_into_body, tail};
use super::revisions::{Revisions, history_of};
use super::tables::text_width;
use super::{Body, DocumentEdit};
use crate::content_types::ContentTypes;
use crate::docx::issue::DocumentIssue;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xml::{Splice, Tree, escape_attribute};

/// English metric units in an inch.
const INCH: f64 = 914_400.0;
/// No side of a picture is longer, in inches.
const LARGEST: f64 = 22.0;

/// A picture as it stands in the text.
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
        let bytes = self.picture_bytes(&fields, input)?;
        let field = if fields.path.is_some() { "path" } else { "data_base64" };
        let picture =
            Picture::read(&bytes).ok_or_else(|| input.error(field, DocumentIssue::NotAnImage { kinds: KINDS }))?;
        let alt_text = fields.alt_text.as_deref().unwrap_or_default();
        let alt_text = self.clean(alt_text, &input.at("alt_text"));
        let paragraph = Paragraph { alignment: fields.alignment, style: fields.style, ..Paragraph::default() };
        let paragraph = self.paragraph(paragraph, &input.at(""))?;
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(&fields.position, &body, input)?;
        let size = size(&picture, fields.width, fields.height, text_width(body.node), input)?;
        let rel_id = self.add_picture(&bytes, picture.extension, picture.content_type)?;
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
        let summary = format!("Inserted a picture of {width} by {height} inches {}.", gap.words);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let change = Change::new(input, summary).with("rel_id", rel_id).with("width", width).with("height", height);
        self.report(change);
        Ok(())
    }

    fn picture_bytes(&mut self, fields: &InsertImage, input: &OpInput) -> Result<Vec<u8>, Error> {
        match (&fields.path, &fields.data_base64) {
            (Some(_), Some(_)) => Err(input.error("data_base64", DocumentIssue::TwoImages).into()),
            (Some(path), None) => {
                let found = (self.options.files)(path);
                Ok(found.ok_or_else(|| input.error("path", DocumentIssue::NoFile { path: path.clone() }))?)
            }
            (None, Some(data)) => {
                let data = data.split_once("base64,").map_or(data.as_str(), |(_, data)| data);
                let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
                let engine = base64::engine::general_purpose::STANDARD;
                let decoded = engine.decode(data);
                Ok(decoded.map_err(|source| input.error("data_base64", DocumentIssue::NotBase64 { source }))?)
            }
            (None, None) => Err(input
                .error("path", DocumentIssue::Missing { what: "`path` of a picture, or `data_base64`" })
                .into()),
        }
    }

    /// Adds a picture's part and gives the id by which the main part refers to it.
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

/// A name whose number no other picture has, whatever its kind.
fn free_media_name(package: &crate::package::Package, folder: &str, extension: &str) -> String {
    let start = format!("{folder}media/image").to_ascii_lowercase();
    let numbers = package.names().filter_map(|name| {
        let name = name.trim_start_matches('/').to_ascii_lowercase();
        name.strip_prefix(&start)?.split('.').next()?.parse::<u32>().ok()
    });
    let number = numbers.max().unwrap_or(0).saturating_add(1);
    format!("{folder}media/image{number}.{extension}")
}

/// The size in the text: as asked for, with the proportions kept where one side is not given; else by
/// the pixels, made smaller to fit the text's width.
fn size(
    picture: &Picture,
    width: Option<f64>,
    height: Option<f64>,
    text_width: i64,
    input: &OpInput,
) -> Result<(u64, u64), Error> {
    let natural = (f64::from(picture.width) / picture.per_inch.0, f64::from(picture.height) / picture.per_inch.1);
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

/// A number that no drawing of the part has.
fn free_drawing_id(tree: &Tree<'_>) -> u32 {
    let drawings =
        tree.root().descendants().filter(|node| node.is_element() && matches!(node.local(), "docPr" | "cNvPr"));
    let used: std::collections::HashSet<u32> = drawings.filter_map(|node| node.attr("id")?.parse().ok()).collect();
    let above = used.iter().copied().filter(|id| *id < 0x7FFF_0000).max().map_or(1, |id| id + 1);
    (above..).find(|id| !used.contains(id)).unwrap_or(above)
}

impl Drawing<'_> {
    /// The run that holds it, as an inserted one with revisions.
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

/// A picture file that Word can show.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Picture {
    /// The usual extension.
    extension: &'static str,
    /// The content type.
    content_type: &'static str,
    /// Pixels.
    width: u32,
    /// Pixels.
    height: u32,
    /// Pixels per inch, as the file says or as screens have it.
    per_inch: (f64, f64),
}

/// The kinds that [`Picture::read`] knows, for messages.
const KINDS: &str = "png, jpeg, gif or bmp";

const SCREEN: (f64, f64) = (96.0, 96.0);

impl Picture {
    /// Reads the head of a file. None when it is no picture of a known kind, or has no size.
    fn read(bytes: &[u8]) -> Option<Self> {
        let found = match bytes {
            [0x89, b'P', b'N', b'G', ..] => png(bytes),
            [0xFF, 0xD8, 0xFF, ..] => jpeg(bytes),
            [b'G', b'I', b'F', b'8', ..] => gif(bytes),
            [b'B', b'M', ..] => bmp(bytes),
            _ => None,
        };
        found.filter(|picture| picture.width > 0 && picture.height > 0)
    }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn big_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes).map(u32::from)
}

fn little_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes).map(u32::from)
}

/// A resolution that can be meant, or that of screens.
fn sensible(per_inch: Option<(f64, f64)>) -> (f64, f64) {
    let fits = |value: f64| (10.0..=4800.0).contains(&value);
    per_inch.filter(|(x, y)| fits(*x) && fits(*y)).unwrap_or(SCREEN)
}

fn png(bytes: &[u8]) -> Option<Picture> {
    let (width, height) = (big(bytes, 16)?, big(bytes, 20)?);
    let mut at = 8;
    let mut per_inch = None;
    // Chunks before the pixels; there are few.
    for _ in 0..64 {
        let (Some(len), Some(kind)) = (big(bytes, at), bytes.get(at + 4..at + 8)) else { break };
        if kind == b"IDAT" {
            break;
        }
        if kind == b"pHYs" && bytes.get(at + 16) == Some(&1) {
            per_inch = big(bytes, at + 8)
                .zip(big(bytes, at + 12))
                .map(|(x, y)| (f64::from(x) * 0.0254, f64::from(y) * 0.0254));
        }
        let Some(next) = (len as usize).checked_add(12).and_then(|len| at.checked_add(len)) else { break };
        at = next;
    }
    Some(Picture { extension: "png", content_type: "image/png", width, height, per_inch: sensible(per_inch) })
}

fn jpeg(bytes: &[u8]) -> Option<Picture> {
    let mut at = 2;
    let mut per_inch = None;
    loop {
        while bytes.get(at) == Some(&0xFF) && bytes.get(at + 1) == Some(&0xFF) {
            at += 1;
        }
        if bytes.get(at) != Some(&0xFF) {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0x01 | 0xD0..=0xD8 => {
                at += 2;
                continue;
            }
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                let (height, width) = (big_short(bytes, at + 5)?, big_short(bytes, at + 7)?);
                let per_inch = sensible(per_inch);
                return Some(Picture { extension: "jpeg", content_type: "image/jpeg", width, height, per_inch });
            }
            0xE0 if bytes.get(at + 4..at + 8) == Some(b"JFIF") => {
                let density = big_short(bytes, at + 12).zip(big_short(bytes, at + 14));
                let unit = match bytes.get(at + 11) {
                    Some(1) => Some(1.0),
                    Some(2) => Some(2.54),
                    _ => None,
                };
                per_inch = density.zip(unit).map(|((x, y), unit)| (f64::from(x) * unit, f64::from(y) * unit));
            }
            _ => {}
        }
        at = at.checked_add(2)?.checked_add(big_short(bytes, at + 2)?.max(2) as usize)?;
    }
}

fn gif(bytes: &[u8]) -> Option<Picture> {
    let (width, height) = (little_short(bytes, 6)?, little_short(bytes, 8)?);
    Some(Picture { extension: "gif", content_type: "image/gif", width, height, per_inch: SCREEN })
}

fn bmp(bytes: &[u8]) -> Option<Picture> {
    // A negative height says that the rows run from the top.
    let (width, height) = (little(bytes, 18)?, little(bytes, 22)?.cast_signed().unsigned_abs());
    Some(Picture { extension: "bmp", content_type: "image/bmp", width, height, per_inch: SCREEN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_head() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 0, 0, 0, 0, 128, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
        png.extend(b"\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\0\0\0\0");
        let read = Picture::read(&png).map(|p| (p.extension, p.width, p.height, p.per_inch.0.round()));
        assert_eq!(read, Some(("png", 256, 128, 300.0)));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\x01\0\x48\0\x48\0\0\xFF\xC0\0\x11\x08\0\x10\0\x20\x03";
        let read = Picture::read(jpeg).map(|p| (p.extension, p.width, p.height, p.per_inch));
        assert_eq!(read, Some(("jpeg", 32, 16, (72.0, 72.0))));
        let gif = Picture::read(b"GIF89a\x05\0\x06\0").map(|p| (p.width, p.height));
        assert_eq!(gif, Some((5, 6)));
        assert_eq!(Picture::read(b"\xFF\xD8\xFF"), None);
        assert_eq!(Picture::read(b"<svg/>"), None);
    }
}
