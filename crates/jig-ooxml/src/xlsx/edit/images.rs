//! `insert_image` and `delete_image` on sheets.

use base64::Engine;
use jig_file_api::ops::xlsx::{DeleteImage, InsertImage};

use super::WorkbookEdit;
use super::drawings::{Placement, anchor_at, emu, find_object};
use crate::content_types::ContentTypes;
use crate::drawing::image::ImageHeader;
use crate::edit::{OpInput, OpReport};
use crate::error::{DocumentIssue, Error};
use crate::package::Package;
use crate::xlsx::drawings::{Drawn, DrawnKind, drawn};
use crate::xml::{escape_attribute, strip_illegal};

/// The kinds of images that Excel shows, for messages.
const KINDS: &str = "png, jpeg, gif or bmp";
/// The longest side of an image without a size, in inches.
const LONGEST: f64 = 6.0;

/// Puts an image on a sheet.
pub(super) fn insert(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: InsertImage) -> Result<OpReport, Error> {
    let bytes = image_bytes(editor, input, &op)?;
    let field = if op.path.is_some() { "path" } else { "data_base64" };
    let image =
        ImageHeader::read(&bytes).ok_or_else(|| input.error(field, DocumentIssue::NotAnImage { kinds: KINDS }))?;
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let size = size(image.inches(), op.width, op.height).map(emu);
    let anchor = op.anchor.as_deref().map(|text| anchor_at(input, text, &op.sheet)).transpose()?;
    let placement = match anchor {
        Some(range) if range.cells() > 1 => Placement::Cells(range),
        Some(cell) => Placement::Corner(cell.start(), size),
        None => Placement::Corner(editor.free_place(&part)?, size),
    };
    let name = op.name.as_deref().map(|name| strip_illegal(name.trim()).0.into_owned()).filter(|name| !name.is_empty());
    let name = match name {
        Some(name) => {
            if drawn(&editor.package, &part)?.iter().any(|object| object.name.eq_ignore_ascii_case(&name)) {
                return Err(input.error("name", format!("the sheet has an object called `{name}` already")).into());
            }
            name
        }
        None => editor.next_object_name(&part, "Picture")?,
    };
    let target = add_image_part(&mut editor.package, &editor.book.part, &bytes, &image)?;
    let alt = strip_illegal(op.alt_text.as_deref().unwrap_or_default()).0.into_owned();
    let object = name.clone();
    editor.add_object(&part, placement, "image", &target, |p, id, rel_id, strict| {
        picture_markup(p, id, &object, &alt, rel_id, size, strict)
    })?;
    let at = placement.range();
    let summary = format!("Inserted the image {name} on {} at {at}.", op.sheet);
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("image", name);
    let inches = |emu: u64| (emu as f64 / super::drawings::INCH * 100.0).round() / 100.0;
    Ok(report.with("anchor", at.to_string()).with("width", inches(size[0])).with("height", inches(size[1])))
}

fn image_bytes(editor: &WorkbookEdit<'_>, input: &OpInput, op: &InsertImage) -> Result<Vec<u8>, Error> {
    match (&op.path, &op.data_base64) {
        (Some(_), Some(_)) => Err(input.error("data_base64", DocumentIssue::TwoImages).into()),
        (Some(path), None) => {
            let found = (editor.options.files)(path);
            Ok(found.ok_or_else(|| input.error("path", DocumentIssue::NoFile { path: path.clone() }))?)
        }
        (None, Some(data)) => {
            let data = data.split_once("base64,").map_or(data.as_str(), |(_, data)| data);
            let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
            let decoded = base64::engine::general_purpose::STANDARD.decode(data);
            Ok(decoded.map_err(|source| input.error("data_base64", DocumentIssue::NotBase64 { source }))?)
        }
        (None, None) => {
            Err(input.error("path", DocumentIssue::Missing { what: "`path` of an image, or `data_base64`" }).into())
        }
    }
}

/// The size in inches: proportions are kept if one side is not given; without a size, that of the pixels, reduced.
fn size(natural: (f64, f64), width: Option<f64>, height: Option<f64>) -> [f64; 2] {
    match (width, height) {
        (Some(width), Some(height)) => [width, height],
        (Some(width), None) => [width, width * natural.1 / natural.0],
        (None, Some(height)) => [height * natural.0 / natural.1, height],
        (None, None) => {
            let scale = (LONGEST / natural.0.max(natural.1)).min(1.0);
            [natural.0 * scale, natural.1 * scale]
        }
    }
}

/// Adds the part of an image; returns its name.
pub(super) fn add_image_part(
    package: &mut Package,
    book: &str,
    bytes: &[u8],
    image: &ImageHeader,
) -> Result<String, Error> {
    let folder = book.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let (extension, kind) = (image.kind.extension(), image.kind.content_type());
    let start = format!("{folder}media/image").to_ascii_lowercase();
    let numbers = package.names().filter_map(|name| {
        let name = name.trim_start_matches('/').to_ascii_lowercase();
        name.strip_prefix(&start)?.split('.').next()?.parse::<u32>().ok()
    });
    let number = numbers.max().unwrap_or(0).saturating_add(1);
    let name = format!("{folder}media/image{number}.{extension}");
    package.set(&name, bytes);
    ContentTypes::add_default(package, extension, kind)?;
    if ContentTypes::read(package)?.of(&name).is_none_or(|kind| !kind.starts_with("image/")) {
        ContentTypes::add(package, &name, kind)?;
    }
    Ok(name)
}

pub(super) fn picture_markup(
    p: &str,
    id: u32,
    name: &str,
    alt: &str,
    rel_id: &str,
    size: [u64; 2],
    strict: bool,
) -> String {
    let base = if strict { "http://purl.oclc.org/ooxml" } else { "http://schemas.openxmlformats.org" };
    let year = if strict { "" } else { "/2006" };
    let a = format!("xmlns:a=\"{base}/drawingml{year}/main\"");
    let r = format!("xmlns:r=\"{base}/officeDocument{year}/relationships\"");
    let (name, alt, rel_id) = (escape_attribute(name), escape_attribute(alt), escape_attribute(rel_id));
    let alt = if alt.is_empty() { String::new() } else { format!(" descr=\"{alt}\"") };
    let [cx, cy] = size;
    format!(
        "<{p}pic><{p}nvPicPr><{p}cNvPr id=\"{id}\" name=\"{name}\"{alt}/><{p}cNvPicPr><a:picLocks {a} noChangeAspect=\"1\"/></{p}cNvPicPr></{p}nvPicPr>\
         <{p}blipFill><a:blip {a} {r} r:embed=\"{rel_id}\"/><a:stretch {a}><a:fillRect/></a:stretch></{p}blipFill>\
         <{p}spPr><a:xfrm {a}><a:off x=\"0\" y=\"0\"/><a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm><a:prstGeom {a} prst=\"rect\"><a:avLst/></a:prstGeom></{p}spPr></{p}pic>"
    )
}

/// Deletes an image.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: DeleteImage) -> Result<OpReport, Error> {
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let images = drawn(&editor.package, &part)?.into_iter().filter(|object| object.kind == DrawnKind::Image);
    let titled = |object: Drawn| {
        let alt = Some(object.alt_text.clone()).filter(|text| !text.is_empty());
        (object, alt)
    };
    let images: Vec<_> = images.map(titled).collect();
    let (object, _) = find_object(input, "image", op.image.as_deref(), &images, "image", &op.sheet)?;
    let object = object.clone();
    editor.remove_object(&part, &object)?;
    let summary = format!("Deleted the image {} of {}.", object.name, op.sheet);
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("image", object.name))
}
