//! Copying text formats, images, media and layouts from another deck.

mod media;
mod transfer;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use sha1::{Digest, Sha1};

use self::transfer::Transfer;
use super::DeckEdit;
use super::images::{NewPicture, append_shape, free_shape_id, store};
use crate::content_types::ContentTypes;
use crate::edit::{Applied, ApplyOptions, EditError, OpReport, asset_list, nearest};
use crate::error::{DeckIssue, Error};
use crate::package::Package;
use crate::pptx::markup::Prefixes;
use crate::pptx::presentation::{Layout, Presentation};
use crate::pptx::read::hex;
use crate::pptx::shape::{Frame, Shape, flat, identity, shapes};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::template::{self, link_layout, link_master};
use crate::pptx::text::{PieceKind, paragraphs, pieces};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, escape_attribute};

/// Copies assets from a deck into another: `text_style:s:h->s:h`, `image:s:h->s`, `media:s:h->s`, `layout:<name>`, or the same as
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
    let selectors: Vec<Selector> =
        list.iter().enumerate().map(|(number, asset)| Selector::read(number, asset)).collect::<Result<_, _>>()?;
    let source = Package::open(source, limits)?;
    let from = Source { presentation: Presentation::read(&source)?, package: source };
    let target = match target {
        Some(bytes) => Package::open(bytes, limits)?,
        None => template::deck(limits)?,
    };
    let mut edit = DeckEdit::new(target, options)?;
    let mut changes = Vec::new();
    let mut done = CopiedLayouts::default();
    for asset in &selectors {
        changes.push(match asset {
            Selector::Layout(asset) => copy_layout(&from, &mut edit, asset, &mut done)?,
            Selector::Shape(asset) => match asset.kind {
                AssetKind::TextStyle => copy_text_style(&from, &mut edit, asset)?,
                AssetKind::Image => copy_image(&from, &mut edit, asset)?,
                AssetKind::Media => media::copy_media(&from, &mut edit, asset)?,
            },
        });
    }
    edit.finish(changes)
}

struct Source {
    package: Package,
    presentation: Presentation,
}

/// Finds a shape and calls a function with it.
fn with_shape<T>(
    package: &Package,
    presentation: &Presentation,
    (side, asset): (&'static str, &ShapeAsset),
    spot: &ShapeLocation,
    look: impl FnOnce(&Slide, &Shape<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let part = slide_part(presentation, (side, asset), spot)?;
    let page = Slide::load(package, &part, Inherited::Read)?;
    page.view(package.limits(), |_, shapes| {
        let all = flat(shapes);
        let shape = all.iter().find(|shape| shape.address == spot.shape).ok_or_else(|| {
            let (slide, shape, count) = (spot.slide, spot.text(), all.len());
            EditError::new(asset.at(), DeckIssue::NoShapeIn { side, slide, shape, count })
        })?;
        look(&page, shape)
    })
}

fn slide_part(
    presentation: &Presentation,
    (side, asset): (&'static str, &ShapeAsset),
    spot: &ShapeLocation,
) -> Result<String, EditError> {
    presentation.slides.get(spot.slide).map(|slide| slide.part.clone()).ok_or_else(|| {
        let count = presentation.slides.len();
        EditError::new(asset.at(), DeckIssue::NoSlideIn { side, index: spot.slide, count })
    })
}

/// Copies the run formats of one shape to another, paragraph by paragraph and run by run.
fn copy_text_style(from: &Source, edit: &mut DeckEdit<'_>, asset: &ShapeAsset) -> Result<OpReport, Error> {
    let styles: Vec<Vec<String>> =
        with_shape(&from.package, &from.presentation, ("source", asset), &asset.from, |_, shape| {
            let body =
                shape.body().ok_or_else(|| EditError::new(asset.at(), DeckIssue::SourceShape { lacks: "no text" }))?;
            Ok(paragraphs(body).map(run_styles).filter(|styles| !styles.is_empty()).collect())
        })?;
    if styles.is_empty() {
        return Err(EditError::new(asset.at(), DeckIssue::SourceShape { lacks: "no runs of text" }).into());
    }
    let part = slide_part(&edit.presentation, ("target", asset), &asset.to)?;
    let (name, count) = edit.edit_part(&part, |root, splice| {
        let shapes = shapes(root, &[])?;
        let missing = || {
            EditError::new(asset.at(), DeckIssue::NoTextShapeInTarget { slide: asset.to.slide, shape: asset.to.text() })
        };
        let shape = flat(&shapes).into_iter().find(|shape| shape.address == asset.to.shape).ok_or_else(missing)?;
        let body = shape.body().ok_or_else(missing)?;
        let prefixes = Prefixes::text_at(body);
        let mut count = 0;
        for (number, paragraph) in paragraphs(body).enumerate() {
            let Some(styles) = styles.get(number).or(styles.last()) else { continue };
            for (at, run) in runs(paragraph).into_iter().enumerate() {
                let Some(style) = styles.get(at).or(styles.last()) else { continue };
                apply_style(splice, run, &prefixes, style);
                count += 1;
            }
        }
        Ok((shape.name(), count))
    })?;
    let change = asset.change(format!("Copied the text style of {} to {}.", asset.from.text(), asset.to.text()));
    Ok(change.with("name", name).with("run_count", count))
}

fn runs(paragraph: Node<'_>) -> Vec<Node<'_>> {
    let pieces = pieces(paragraph).into_iter();
    pieces.filter(|piece| matches!(piece.kind, PieceKind::Run | PieceKind::Field)).map(|piece| piece.node).collect()
}

/// The properties of each run, with the usual prefixes and without references to parts of the source.
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

fn apply_style(splice: &mut Splice<'_>, run: Node<'_>, prefixes: &Prefixes, style: &str) {
    let a = &prefixes.a;
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
        .map(|lang| format!(" lang=\"{}\"", escape_attribute(&lang)))
        .unwrap_or_default();
    let (attributes, children) = style.split_once('>').unwrap_or((style, ""));
    let children = children.replace("<a:", &format!("<{a}")).replace("</a:", &format!("</{a}"));
    let markup = format!("<{a}rPr{language}{attributes}>{children}{kept}</{a}rPr>");
    match old {
        Some(old) => splice.replace(old.range(), markup),
        None => splice.prepend(run, markup),
    }
}

/// An image with its look, read from the source.
struct SourceImage {
    bytes: Vec<u8>,
    extension: String,
    content_type: String,
    frame: Option<Frame>,
    crop: String,
    alt: Option<String>,
    name: String,
}

fn copy_image(from: &Source, edit: &mut DeckEdit<'_>, asset: &ShapeAsset) -> Result<OpReport, Error> {
    let taken = with_shape(&from.package, &from.presentation, ("source", asset), &asset.from, |page, shape| {
        take(&from.package, asset, page, shape)
    })?;
    let part = slide_part(&edit.presentation, ("target", asset), &asset.to)?;
    let frame = fitted(taken.frame, from.presentation.size, edit.presentation.size);
    let folder = edit.presentation.folder().to_owned();
    let media = store(&mut edit.package, &folder, &taken.bytes, &taken.extension, &taken.content_type)?;
    let relationship = Relationships::add(&mut edit.package, &part, "image", &media)?;
    edit.edit_part(&part, |root, splice| {
        let prefixes = Prefixes::at(root);
        let crop = if prefixes.a == "a:" { taken.crop.as_str() } else { "" };
        let new = NewPicture {
            prefixes: &prefixes,
            relationship: &relationship,
            alt: taken.alt.as_deref(),
            name: Some(&taken.name),
        };
        append_shape(root, splice, &new.free(free_shape_id(root), frame, crop));
        Ok(())
    })?;
    let change = asset.change(format!("Copied the image {} to slide {}.", asset.from.text(), asset.to.slide + 1));
    Ok(change
        .with("rel_id", relationship)
        .with("size_bytes", taken.bytes.len())
        .with("sha1", hex(&Sha1::digest(&taken.bytes))))
}

fn take(package: &Package, asset: &ShapeAsset, page: &Slide, shape: &Shape<'_>) -> Result<SourceImage, Error> {
    let without = |lacks: &'static str| EditError::new(asset.at(), DeckIssue::SourceShape { lacks });
    let id = shape.picture().ok_or_else(|| without("no image"))?;
    let part = page.relationships.part(&id).ok_or_else(|| without("a linked image"))?;
    let bytes = package.read(part)?;
    let extension = part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
    let types = ContentTypes::read(package)?;
    let fill = shape.node.child(Ns::P, "blipFill");
    let crop = fill.and_then(|fill| fill.child(Ns::A, "srcRect")).filter(|node| node.prefix() == "a:");
    let alt = identity(shape.node).and_then(|node| node.attr("descr")).map(std::borrow::Cow::into_owned);
    Ok(SourceImage {
        content_type: types.of(part).unwrap_or("application/octet-stream").to_owned(),
        bytes,
        extension,
        frame: shape.frame,
        crop: crop.map(|node| node.source().to_owned()).unwrap_or_default(),
        alt,
        name: shape.name(),
    })
}

/// The same position on a slide of another size, in proportion.
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

/// A layout to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LayoutAsset {
    number: usize,
    name: String,
}

impl LayoutAsset {
    fn at(&self) -> String {
        format!("assets[{}]", self.number)
    }

    fn there_already(&self, name: &str) -> OpReport {
        let change = self.change(format!("The layout {name} was there already."));
        change.with("name", name).with("parts", Vec::<String>::new())
    }

    fn change(&self, summary: String) -> OpReport {
        let change = OpReport { index: self.number, op: "copy_asset".to_owned(), summary, details: Map::new() };
        change.with("type", "layout").with("selector", format!("layout:{}", self.name))
    }
}

/// What was copied so far: several layouts of one master share it.
#[derive(Default)]
struct CopiedLayouts {
    /// The copy of each master.
    masters: HashMap<String, String>,
    /// The name of the copy of each layout.
    layouts: HashMap<String, String>,
}

fn copy_layout(
    from: &Source,
    edit: &mut DeckEdit<'_>,
    asset: &LayoutAsset,
    done: &mut CopiedLayouts,
) -> Result<OpReport, Error> {
    let at = asset.at();
    if from.presentation.strict != edit.presentation.strict {
        return Err(EditError::new(at, DeckIssue::StrictAndTransitional).into());
    }
    let found = find_layout(from, asset)?;
    let source_master = from.presentation.masters.get(found.master).cloned().unwrap_or_default();
    let there = edit.presentation.layouts(&edit.package);
    let same_name = |layout: &&Layout| layout.name.eq_ignore_ascii_case(&found.name);
    if let Some(name) = done.layouts.get(&found.part) {
        return Ok(asset.there_already(name));
    }
    let mut transfer = Transfer::new(&from.package, edit.presentation.folder(), at.clone());
    let master = match done.masters.get(&source_master).cloned().or_else(|| same_master(from, edit, &source_master)) {
        Some(master) => {
            let number = edit.presentation.masters.iter().position(|known| *known == master);
            if there.iter().filter(same_name).any(|layout| Some(layout.master) == number) {
                return Ok(asset.there_already(&found.name));
            }
            master
        }
        None => {
            let master = transfer.copy(&mut edit.package, &source_master, Some("slideLayout"))?;
            empty_list(edit, &master)?;
            link_master(&mut edit.package, &master)?;
            master
        }
    };
    done.masters.insert(source_master.clone(), master.clone());
    transfer.map(&source_master, &master);
    let part = transfer.copy(&mut edit.package, &found.part, None)?;
    link_layout(&mut edit.package, &master, &part)?;
    // A name of two layouts refers to the first.
    let name = free_name(&found.name, &there);
    if name != found.name {
        rename(edit, &part, &name)?;
        edit.warn(&at, &format!("the deck has a layout `{}` already; the copy is called `{name}`", found.name));
    }
    if from.presentation.size != edit.presentation.size {
        edit.warn(&at, "the slides of the two decks differ in size; the layout keeps its own measures");
    }
    edit.refresh()?;
    done.layouts.insert(found.part, name.clone());
    let summary = format!("Copied the layout {} ({} new parts).", found.name, transfer.added.len());
    Ok(asset.change(summary).with("name", name).with("parts", transfer.added))
}

fn find_layout(from: &Source, asset: &LayoutAsset) -> Result<Layout, EditError> {
    let layouts = from.presentation.clone().layouts(&from.package);
    let wanted = asset.name.trim();
    if let Some(found) = layouts.iter().find(|layout| layout.name.trim().eq_ignore_ascii_case(wanted)) {
        return Ok(found.clone());
    }
    let names: Vec<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
    let known = names.iter().map(|name| (*name).to_owned()).collect();
    let issue = DeckIssue::NoSourceLayout { name: wanted.to_owned(), known };
    Err(EditError::new(asset.at(), issue).suggest(nearest(wanted, names.iter().copied())))
}

/// A master of the target that is equal to that of the source, including its theme.
fn same_master(from: &Source, edit: &DeckEdit<'_>, master: &str) -> Option<String> {
    let wanted = fingerprint(&from.package, master)?;
    let same = |known: &&String| fingerprint(&edit.package, known).is_some_and(|found| found == wanted);
    edit.presentation.masters.iter().find(same).cloned()
}

fn fingerprint(package: &Package, master: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let relationships = Relationships::read(package, master).ok()?;
    Some((package.read(master).ok()?, package.read(relationships.first("theme")?).ok()?))
}

/// Empties the list of layouts of a master: they are added again one by one.
fn empty_list(edit: &mut DeckEdit<'_>, master: &str) -> Result<(), Error> {
    edit.edit_part(master, |root, splice| {
        if let Some(list) = root.child(Ns::P, "sldLayoutIdLst") {
            splice.remove(list);
        }
        Ok(())
    })
}

/// A unique name in the form that PowerPoint uses for layouts with the same name.
fn free_name(name: &str, there: &[Layout]) -> String {
    let taken = |name: &str| there.iter().any(|layout| layout.name.eq_ignore_ascii_case(name));
    if !taken(name) {
        return name.to_owned();
    }
    let mut number = 1_u32;
    while taken(&format!("{number}_{name}")) {
        number += 1;
    }
    format!("{number}_{name}")
}

fn rename(edit: &mut DeckEdit<'_>, part: &str, name: &str) -> Result<(), Error> {
    edit.edit_part(part, |root, splice| {
        if let Some(slide) = root.child(Ns::P, "cSld") {
            splice.set_attr(slide, "name", name);
        }
        Ok(())
    })
}

/// What can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AssetKind {
    TextStyle,
    Image,
    Media,
}

impl AssetKind {
    fn name(self) -> &'static str {
        match self {
            Self::TextStyle => "text_style",
            Self::Image => "image",
            Self::Media => "media",
        }
    }
}

/// A shape: the number of its slide, and its address there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShapeLocation {
    slide: usize,
    shape: Vec<usize>,
}

/// What to copy, with source and target.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShapeAsset {
    number: usize,
    kind: AssetKind,
    selector: String,
    from: ShapeLocation,
    to: ShapeLocation,
}

/// An asset to copy.
enum Selector {
    /// Content or format of a shape, for another shape or slide.
    Shape(ShapeAsset),
    /// A layout, for the deck.
    Layout(LayoutAsset),
}

impl Selector {
    /// Reads a selector, written as a text or as an object.
    fn read(number: usize, asset: &Value) -> Result<Self, EditError> {
        let at = format!("assets[{number}]");
        match asset {
            Value::String(text) => match text.split_once(':').filter(|(kind, _)| kind.trim() == "layout") {
                Some((_, name)) => layout_asset(number, &at, name),
                None => ShapeAsset::from_text(number, &at, text).map(Self::Shape),
            },
            Value::Object(fields) if fields.get("type").and_then(Value::as_str) == Some("layout") => {
                let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
                layout_asset(number, &format!("{at}.name"), name)
            }
            Value::Object(fields) => ShapeAsset::from_object(number, &at, fields).map(Self::Shape),
            _ => Err(EditError::new(at, DeckIssue::InvalidAsset)),
        }
    }
}

fn layout_asset(number: usize, at: &str, name: &str) -> Result<Selector, EditError> {
    if name.trim().is_empty() {
        return Err(EditError::new(at, DeckIssue::Missing { what: "the name of the layout" }));
    }
    Ok(Selector::Layout(LayoutAsset { number, name: name.trim().to_owned() }))
}

impl ShapeAsset {
    fn from_text(number: usize, at: &str, text: &str) -> Result<Self, EditError> {
        let wrong = || EditError::new(at, DeckIssue::UnreadableAsset { text: text.to_owned() });
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        let kind = kind_of(at, kind.trim())?;
        let (from, to) = rest
            .split_once("->")
            .ok_or_else(|| EditError::new(at, DeckIssue::AssetWithoutTarget { text: text.to_owned() }))?;
        let from = spot(from).filter(|spot| !spot.shape.is_empty()).ok_or_else(wrong)?;
        let to = spot(to).filter(|spot| kind != AssetKind::TextStyle || !spot.shape.is_empty()).ok_or_else(wrong)?;
        Ok(Self { number, kind, selector: text.to_owned(), from, to })
    }

    fn from_object(number: usize, at: &str, fields: &Map<String, Value>) -> Result<Self, EditError> {
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let kind = kind_of(&format!("{at}.type"), kind)?;
        let number_of = |name: &str| -> Result<usize, EditError> {
            let value = fields.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
            value.ok_or_else(|| EditError::new(format!("{at}.{name}"), DeckIssue::NotAnIndex))
        };
        let address = |name: &str| -> Result<Vec<usize>, EditError> {
            match fields.get(name) {
                Some(Value::String(text)) => {
                    self::address(text).ok_or_else(|| EditError::new(format!("{at}.{name}"), DeckIssue::InvalidAddress))
                }
                _ => number_of(name).map(|number| vec![number]),
            }
        };
        let from = ShapeLocation { slide: number_of("source_slide_index")?, shape: address("source_shape_index")? };
        let shape = if kind == AssetKind::TextStyle { address("target_shape_index")? } else { Vec::new() };
        let to = ShapeLocation { slide: number_of("target_slide_index")?, shape };
        let selector = format!("{}:{}->{}", kind.name(), from.text(), to.text());
        Ok(Self { number, kind, selector, from, to })
    }

    /// Its path, for messages.
    fn at(&self) -> String {
        format!("assets[{}]", self.number)
    }

    /// The change that copying it made.
    fn change(&self, summary: String) -> OpReport {
        let change = OpReport { index: self.number, op: "copy_asset".to_owned(), summary, details: Map::new() };
        change.with("type", self.kind.name()).with("selector", self.selector.clone())
    }
}

impl ShapeLocation {
    /// The address as text.
    fn text(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        if shape.is_empty() { self.slide.to_string() } else { format!("{}:{}", self.slide, shape.join(".")) }
    }
}

fn kind_of(at: &str, name: &str) -> Result<AssetKind, EditError> {
    match name {
        "text_style" => Ok(AssetKind::TextStyle),
        "image" => Ok(AssetKind::Image),
        "media" | "video" | "audio" => Ok(AssetKind::Media),
        other => {
            let issue = DeckIssue::UnknownAssetType { kind: other.to_owned() };
            Err(EditError::new(at, issue).suggest(["text_style", "image", "media", "layout"]))
        }
    }
}

fn spot(text: &str) -> Option<ShapeLocation> {
    let text = text.trim();
    let (slide, shape) = text.split_once(':').map_or((text, None), |(slide, shape)| (slide, Some(shape)));
    let shape = shape.map_or(Some(Vec::new()), address)?;
    Some(ShapeLocation { slide: slide.trim().parse().ok()?, shape })
}

fn address(text: &str) -> Option<Vec<usize>> {
    text.trim().split('.').map(|number| number.parse().ok()).collect()
}
