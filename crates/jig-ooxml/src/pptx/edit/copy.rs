//! Taking text formats, pictures and layouts over from another deck.

mod layout;
mod selector;
mod transfer;

use std::sync::Arc;

use serde_json::Value;

use self::layout::Done;
use self::selector::{Asset, Kind, Spot, Wanted};
use super::Editor;
use super::image::{NewPicture, append_shape, free_shape_id};
use super::markup::Words;
use super::media::store;
use crate::content_types::ContentTypes;
use crate::edit::{Applied, ApplyOptions, Change, EditError, asset_list};
use crate::error::Error;
use crate::package::Package;
use crate::pptx::presentation::Presentation;
use crate::pptx::read::hex;
use crate::pptx::shape::{Frame, Shape, flat, identity, shapes};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::text::{PieceKind, paragraphs, pieces};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};
use sha1::{Digest, Sha1};

/// Copies assets from a deck into another: `text_style:s:h->s:h`, `image:s:h->s`, `layout:<name>`, or the same as
/// objects.
/// Without a target, into a new deck without slides.
pub fn copy_assets(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    let list = asset_list(assets)?;
    let limits = options.limits;
    let wanted: Vec<Wanted> =
        list.iter().enumerate().map(|(number, asset)| Wanted::read(number, asset)).collect::<Result<_, _>>()?;
    let source = Package::open(source, limits)?;
    let from = Source { presentation: Presentation::read(&source)?, package: source };
    let target = match target {
        Some(bytes) => Package::open(bytes, limits)?,
        None => crate::pptx::template::deck(limits)?,
    };
    let mut editor = Editor::new(target, options)?;
    let mut changes = Vec::new();
    let mut done = Done::default();
    for asset in &wanted {
        changes.push(match asset {
            Wanted::Layout(asset) => layout::layout(&from, &mut editor, asset, &mut done)?,
            Wanted::Shape(asset) => match asset.kind {
                Kind::TextStyle => text_style(&from, &mut editor, asset)?,
                Kind::Image => image(&from, &mut editor, asset)?,
            },
        });
    }
    editor.finish(changes)
}

struct Source {
    package: Package,
    presentation: Presentation,
}

/// Finds a shape and hands it to a function.
fn with_shape<T>(
    package: &Package,
    presentation: &Presentation,
    (side, asset): (&str, &Asset),
    spot: &Spot,
    look: impl FnOnce(&Slide, &Shape<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let part = slide_part(presentation, (side, asset), spot)?;
    let page = Slide::load(package, &part, Inherited::Read)?;
    page.view(package.limits(), |_, shapes| {
        let all = flat(shapes);
        let shape = all.iter().find(|shape| shape.address == spot.shape).ok_or_else(|| {
            let why = format!("slide {} of the {side} has no shape {}; it has {}", spot.slide, spot.told(), all.len());
            EditError::new(asset.at(), why)
        })?;
        look(&page, shape)
    })
}

fn slide_part(presentation: &Presentation, (side, asset): (&str, &Asset), spot: &Spot) -> Result<String, EditError> {
    presentation.slides.get(spot.slide).map(|slide| slide.part.clone()).ok_or_else(|| {
        let count = presentation.slides.len();
        EditError::new(asset.at(), format!("the {side} has no slide {}; it has {count}, counted from 0", spot.slide))
    })
}

/// Gives the runs of a shape the formats of another's, paragraph by paragraph and run by run.
fn text_style(from: &Source, editor: &mut Editor<'_>, asset: &Asset) -> Result<Change, Error> {
    let styles: Vec<Vec<String>> =
        with_shape(&from.package, &from.presentation, ("source", asset), &asset.from, |_, shape| {
            let body = shape.body().ok_or_else(|| EditError::new(asset.at(), "the shape in the source has no text"))?;
            Ok(paragraphs(body).map(run_styles).filter(|styles| !styles.is_empty()).collect())
        })?;
    if styles.is_empty() {
        return Err(EditError::new(asset.at(), "the shape in the source has no runs of text").into());
    }
    let part = slide_part(&editor.presentation, ("target", asset), &asset.to)?;
    let (name, count) = editor.edit_part(&part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let missing = || {
            EditError::new(
                asset.at(),
                format!("slide {} of the target has no shape with text {}", asset.to.slide, asset.to.told()),
            )
        };
        let shape = flat(&shapes).into_iter().find(|shape| shape.address == asset.to.shape).ok_or_else(missing)?;
        let body = shape.body().ok_or_else(missing)?;
        let words = Words::text_at(body);
        let mut count = 0;
        for (number, paragraph) in paragraphs(body).enumerate() {
            let Some(styles) = styles.get(number).or(styles.last()) else { continue };
            for (at, run) in runs(paragraph).into_iter().enumerate() {
                let Some(style) = styles.get(at).or(styles.last()) else { continue };
                apply_style(splice, run, &words, style);
                count += 1;
            }
        }
        Ok((shape.name(), count))
    })?;
    let change = asset.change(format!("Copied the text style of {} to {}.", asset.from.told(), asset.to.told()));
    Ok(change.with("name", name).with("run_count", count))
}

fn runs(paragraph: Node<'_>) -> Vec<Node<'_>> {
    let pieces = pieces(paragraph).into_iter();
    pieces.filter(|piece| matches!(piece.kind, PieceKind::Run | PieceKind::Field)).map(|piece| piece.node).collect()
}

/// The properties of each run, in plain prefixes and without anything that refers to the source's parts.
fn run_styles(paragraph: Node<'_>) -> Vec<String> {
    runs(paragraph).into_iter().map(|run| plain_style(run.child(Ns::A, "rPr"))).collect()
}

/// The parts of a style that mean the same in every deck.
fn plain_style(properties: Option<Node<'_>>) -> String {
    let Some(properties) = properties else { return String::new() };
    let portable = |node: &Node<'_>| {
        let known = matches!(
            node.local(),
            "ln" | "noFill"
                | "solidFill"
                | "gradFill"
                | "pattFill"
                | "effectLst"
                | "highlight"
                | "latin"
                | "ea"
                | "cs"
                | "sym"
        );
        let prefixed = node.prefix() == "a:" && !node.source().contains(" r:");
        node.ns() == Ns::A && known && prefixed
    };
    let attributes: String = properties
        .attributes()
        .filter(|found| {
            !found.name.contains(':')
                && !matches!(found.name, "xmlns" | "lang" | "altLang" | "dirty" | "err" | "smtClean" | "bmk")
        })
        .map(|found| format!(" {}=\"{}\"", found.name, found.raw.replace('"', "&quot;")))
        .collect();
    let children: String = properties.elements().filter(portable).map(Node::source).collect();
    if attributes.is_empty() && children.is_empty() {
        return String::new();
    }
    format!("{attributes}>{children}")
}

fn apply_style(splice: &mut crate::xml::Splice<'_>, run: Node<'_>, words: &Words, style: &str) {
    let a = &words.a;
    let old = run.child(Ns::A, "rPr");
    // Links, language and extensions belong to the text, not to its style.
    let kept: String = old
        .into_iter()
        .flat_map(Node::elements)
        .filter(|node| matches!(node.local(), "hlinkClick" | "hlinkMouseOver" | "rtl" | "extLst"))
        .map(Node::source)
        .collect();
    let language = old
        .and_then(|old| old.attr("lang"))
        .map(|lang| format!(" lang=\"{}\"", crate::xml::escape_attribute(&lang)))
        .unwrap_or_default();
    let (attributes, children) = style.split_once('>').unwrap_or((style, ""));
    let children = children.replace("<a:", &format!("<{a}")).replace("</a:", &format!("</{a}"));
    let markup = format!("<{a}rPr{language}{attributes}>{children}{kept}</{a}rPr>");
    match old {
        Some(old) => splice.replace(old.range(), markup),
        None => splice.prepend(run, markup),
    }
}

/// A picture as it is taken out of the source.
struct Taken {
    bytes: Vec<u8>,
    extension: String,
    content_type: String,
    frame: Option<Frame>,
    crop: String,
    alt: Option<String>,
    name: String,
}

fn image(from: &Source, editor: &mut Editor<'_>, asset: &Asset) -> Result<Change, Error> {
    let taken = with_shape(&from.package, &from.presentation, ("source", asset), &asset.from, |page, shape| {
        take(&from.package, asset, page, shape)
    })?;
    let part = slide_part(&editor.presentation, ("target", asset), &asset.to)?;
    let frame = fitted(taken.frame, from.presentation.size, editor.presentation.size);
    let folder = editor.presentation.folder().to_owned();
    let media = store(&mut editor.package, &folder, &taken.bytes, &taken.extension, &taken.content_type)?;
    let relationship = Relationships::add(&mut editor.package, &part, "image", &media)?;
    editor.edit_part(&part, |root, splice| {
        let words = Words::at(root);
        let crop = if words.a == "a:" { taken.crop.as_str() } else { "" };
        let new = NewPicture {
            words: &words,
            relationship: &relationship,
            alt: taken.alt.as_deref(),
            name: Some(&taken.name),
        };
        append_shape(root, splice, &new.free(free_shape_id(root), frame, crop));
        Ok(())
    })?;
    let change = asset.change(format!("Copied the picture {} to slide {}.", asset.from.told(), asset.to.slide));
    Ok(change
        .with("rel_id", relationship)
        .with("size_bytes", taken.bytes.len())
        .with("sha1", hex(&Sha1::digest(&taken.bytes))))
}

fn take(package: &Package, asset: &Asset, page: &Slide, shape: &Shape<'_>) -> Result<Taken, Error> {
    let no_picture = |why: &str| EditError::new(asset.at(), format!("the shape in the source {why}"));
    let id = shape.picture().ok_or_else(|| no_picture("has no picture"))?;
    let part = page.relationships.part(&id).ok_or_else(|| no_picture("has a picture outside the file"))?;
    let bytes = package.read(part)?;
    let extension = part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
    let types = ContentTypes::read(package)?;
    let fill = shape.node.child(Ns::P, "blipFill");
    let crop = fill.and_then(|fill| fill.child(Ns::A, "srcRect")).filter(|node| node.prefix() == "a:");
    let alt = identity(shape.node).and_then(|node| node.attr("descr")).map(std::borrow::Cow::into_owned);
    Ok(Taken {
        content_type: types.of(part).unwrap_or("application/octet-stream").to_owned(),
        bytes,
        extension,
        frame: shape.frame,
        crop: crop.map(|node| node.source().to_owned()).unwrap_or_default(),
        alt,
        name: shape.name(),
    })
}

/// The same place on a slide of another size, in the same proportions.
fn fitted(frame: Option<Frame>, from: (i64, i64), to: (i64, i64)) -> Frame {
    let (wide, high) = (to.0 as f64, to.1 as f64);
    let scale = (wide / from.0 as f64).min(high / from.1 as f64);
    let middle = Frame { x: wide / 4.0, y: high / 4.0, width: wide / 2.0, height: high / 2.0, rotation: 0.0 };
    frame.map_or(middle, |frame| Frame {
        x: frame.x * wide / from.0 as f64,
        y: frame.y * high / from.1 as f64,
        width: frame.width * scale,
        height: frame.height * scale,
        rotation: frame.rotation,
    })
}
