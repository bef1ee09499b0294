//! Taking text formats and pictures over from another deck.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Editor;
use super::image::{NewPicture, append_shape, free_shape_id};
use super::markup::Words;
use super::media::store;
use crate::content_types::ContentTypes;
use crate::edit::{Applied, ApplyOptions, Change, EditError};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::pptx::frame::Frame;
use crate::pptx::page::{Depth, Page};
use crate::pptx::presentation::Presentation;
use crate::pptx::read::hex;
use crate::pptx::shape::{Shape, flat, identity, shapes};
use crate::pptx::text::{PieceKind, paragraphs, pieces};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};
use sha1::{Digest, Sha1};

/// Copies assets from a deck into another: `text_style:s:h->s:h`, `image:s:h->s`, or the same as objects.
pub fn copy_assets(source: Arc<[u8]>, target: Arc<[u8]>, assets: &Value, limits: Limits) -> Result<Applied, Error> {
    let list = assets.as_array().ok_or_else(|| EditError::new("assets", "a list of assets is needed"))?;
    let wanted: Vec<Asset> =
        list.iter().enumerate().map(|(number, asset)| Asset::read(number, asset)).collect::<Result<_, _>>()?;
    let source = Package::open(source, limits)?;
    let from = Source { presentation: Presentation::read(&source)?, package: source };
    let options = ApplyOptions { limits, ..ApplyOptions::default() };
    let mut editor = Editor::new(Package::open(target, limits)?, &options)?;
    let mut changes = Vec::new();
    for asset in &wanted {
        changes.push(match asset.kind {
            Kind::TextStyle => text_style(&from, &mut editor, asset)?,
            Kind::Image => image(&from, &mut editor, asset)?,
        });
    }
    editor.finish(changes)
}

struct Source {
    package: Package,
    presentation: Presentation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    TextStyle,
    Image,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::TextStyle => "text_style",
            Self::Image => "image",
        }
    }
}

/// A shape: the number of its slide, and its address there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    slide: usize,
    shape: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Asset {
    number: usize,
    kind: Kind,
    selector: String,
    from: Spot,
    to: Spot,
}

impl Asset {
    fn read(number: usize, asset: &Value) -> Result<Self, EditError> {
        let at = format!("assets[{number}]");
        match asset {
            Value::String(text) => Self::from_text(number, &at, text),
            Value::Object(fields) => Self::from_object(number, &at, fields),
            _ => Err(EditError::new(at, "an asset is a text or an object")),
        }
    }

    fn from_text(number: usize, at: &str, text: &str) -> Result<Self, EditError> {
        let form = "written `text_style:slide:shape->slide:shape` or `image:slide:shape->slide`";
        let wrong = || EditError::new(at, format!("`{text}` is no asset that can be copied; it is {form}"));
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        let kind = kind_of(at, kind.trim())?;
        let (from, to) = rest
            .split_once("->")
            .ok_or_else(|| EditError::new(at, format!("`{text}` does not say where it goes; it is {form}")))?;
        let from = spot(from).filter(|spot| !spot.shape.is_empty()).ok_or_else(wrong)?;
        let to = spot(to).filter(|spot| kind == Kind::Image || !spot.shape.is_empty()).ok_or_else(wrong)?;
        Ok(Self { number, kind, selector: text.to_owned(), from, to })
    }

    fn from_object(number: usize, at: &str, fields: &Map<String, Value>) -> Result<Self, EditError> {
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let kind = kind_of(&format!("{at}.type"), kind)?;
        let number_of = |name: &str| -> Result<usize, EditError> {
            let value = fields.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
            value.ok_or_else(|| EditError::new(format!("{at}.{name}"), "a whole number from 0 on is needed"))
        };
        let address = |name: &str| -> Result<Vec<usize>, EditError> {
            match fields.get(name) {
                Some(Value::String(text)) => self::address(text).ok_or_else(|| {
                    EditError::new(format!("{at}.{name}"), "a number, or numbers with points, are needed")
                }),
                _ => number_of(name).map(|number| vec![number]),
            }
        };
        let from = Spot { slide: number_of("source_slide_index")?, shape: address("source_shape_index")? };
        let shape = if kind == Kind::Image { Vec::new() } else { address("target_shape_index")? };
        let to = Spot { slide: number_of("target_slide_index")?, shape };
        let selector = format!("{}:{}->{}", kind.name(), from.told(), to.told());
        Ok(Self { number, kind, selector, from, to })
    }

    fn at(&self) -> String {
        format!("assets[{}]", self.number)
    }

    fn change(&self, summary: String) -> Change {
        let change = Change { index: self.number, op: "copy_asset".to_owned(), summary, details: Map::new() };
        change.with("type", self.kind.name()).with("selector", self.selector.clone())
    }
}

impl Spot {
    fn told(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        if shape.is_empty() { self.slide.to_string() } else { format!("{}:{}", self.slide, shape.join(".")) }
    }
}

fn kind_of(at: &str, name: &str) -> Result<Kind, EditError> {
    match name {
        "text_style" => Ok(Kind::TextStyle),
        "image" => Ok(Kind::Image),
        other => {
            Err(EditError::new(at, format!("assets of the type `{other}` cannot be copied; text_style and image can"))
                .suggest(["text_style", "image"]))
        }
    }
}

fn spot(text: &str) -> Option<Spot> {
    let text = text.trim();
    let (slide, shape) = text.split_once(':').map_or((text, None), |(slide, shape)| (slide, Some(shape)));
    let shape = shape.map_or(Some(Vec::new()), address)?;
    Some(Spot { slide: slide.trim().parse().ok()?, shape })
}

fn address(text: &str) -> Option<Vec<usize>> {
    text.trim().split('.').map(|number| number.parse().ok()).collect()
}

/// Finds a shape and hands it to a function.
fn with_shape<T>(
    package: &Package,
    presentation: &Presentation,
    (side, asset): (&str, &Asset),
    spot: &Spot,
    look: impl FnOnce(&Page, &Shape<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let part = slide_part(presentation, (side, asset), spot)?;
    let page = Page::load(package, &part, Depth::Behind)?;
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

fn take(package: &Package, asset: &Asset, page: &Page, shape: &Shape<'_>) -> Result<Taken, Error> {
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
