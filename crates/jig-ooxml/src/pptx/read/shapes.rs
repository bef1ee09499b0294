//! Every shape of a slide, with its text, place and content.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;

use jig_file_api::read::pptx::{
    Bounds, ChartContent, FrameEmu, ImageRef, OleContent, PositionedShape, PositionedSlide, ShapeContent, SlideBody,
    SlideContent, SlideDetail, SlideQuery, SlideRunContent, SlideTable, SmartArtContent, TextBlock,
};
use sha1::{Digest, Sha1};

use super::text::{chart_title, smart_art_texts, table_texts};
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::package::Package;
use crate::pptx::deck::DeckReader;
use crate::pptx::map::slide_size;
use crate::pptx::shape::{Shape, ShapeKind, flat, graphic_data, identity};
use crate::pptx::slide::{Inherited, Slide, is_hidden, title};
use crate::pptx::text::{Piece, PieceKind, body_text, level, paragraph_text, paragraphs, pieces};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};

/// The most nodes of text that one reply opens up into runs: far more than a slide can show.
const MAX_NODES: usize = 500_000;

pub(in crate::pptx) fn slide(deck: &DeckReader<'_>, query: &SlideQuery) -> Result<SlideContent, Error> {
    let slide_index = query.slide_index;
    let slide = deck.slide(slide_index, Inherited::Read)?;
    let notes = deck.notes(&slide)?;
    let layout = layout_name(deck, &slide);
    let types = ContentTypes::read(&deck.package)?;
    let reader = ShapeReader { deck, slide: &slide, types: &types, left: Cell::new(MAX_NODES) };
    let body = slide.view(deck.package.limits(), |root, shapes| {
        Ok(SlideBody {
            index: slide_index,
            title: title(shapes),
            layout,
            hidden: is_hidden(root),
            shapes: shapes.iter().map(|shape| reader.shape(shape)).collect(),
            notes: notes.unwrap_or_default(),
            render_mode: query.detail,
            positioned: (query.detail == SlideDetail::Positioned).then(|| reader.positioned(shapes)),
        })
    })?;
    Ok(SlideContent { slide_index, slide_count: deck.presentation.slides.len(), slide: body })
}

fn layout_name(deck: &DeckReader<'_>, slide: &Slide) -> Option<String> {
    let content = deck.package.xml(slide.relationships.first("slideLayout")?).ok()?;
    let tree = content.tree(deck.package.limits()).ok()?;
    tree.root().child(Ns::P, "cSld")?.attr("name").map(Cow::into_owned)
}

/// What the fields of a shape are read from.
struct ShapeReader<'a> {
    deck: &'a DeckReader<'a>,
    slide: &'a Slide,
    types: &'a ContentTypes,
    /// Nodes of text that may still be opened up.
    left: Cell<usize>,
}

impl ShapeReader<'_> {
    /// The text of a shape, when the reply has room for it.
    fn body<'t>(&self, shape: &Shape<'t>) -> Option<Node<'t>> {
        let body = shape.body()?;
        let left = self.left.get().checked_sub(body.descendants().count())?;
        self.left.set(left);
        Some(body)
    }

    /// A shape with all its fields; those in a group under `shapes`.
    fn shape(&self, shape: &Shape<'_>) -> ShapeContent {
        let index = shape.address.last().copied().unwrap_or(0);
        let frame = shape.frame;
        let emu = |value: Option<f64>| value.map(|value| value.round() as i64);
        let (package, relationships) = (&self.deck.package, &self.slide.relationships);
        let image_ref = image_ref(package, self.types, relationships, shape);
        let properties = identity(shape.node);
        let body = self.body(shape);
        let placeholder = shape.placeholder();
        let hidden = properties.and_then(|node| node.attr("hidden"));
        ShapeContent {
            index,
            address: shape.address(),
            id: shape.id(),
            name: shape.name(),
            shape_type: shape.kind.name(),
            z_index: index,
            left: emu(frame.map(|frame| frame.x)),
            top: emu(frame.map(|frame| frame.y)),
            width: emu(frame.map(|frame| frame.width)),
            height: emu(frame.map(|frame| frame.height)),
            rotation: frame.map_or(0.0, |frame| frame.rotation),
            text_blocks: body.map(text_blocks).unwrap_or_default(),
            has_image: image_ref.is_some(),
            text_left_out: (body.is_none() && shape.body().is_some()).then_some(true),
            placeholder_index: placeholder.as_ref().map(|found| found.index),
            placeholder_type: placeholder.map(|found| found.kind),
            alt_text: properties.and_then(|node| node.attr("descr")).map(Cow::into_owned),
            hidden: hidden.map(|flag| matches!(&*flag, "1" | "true")),
            image_ref,
            table: shape.table().map(table),
            chart: (shape.kind == ShapeKind::Chart)
                .then(|| ChartContent { title: chart_title(package, relationships, shape.node) }),
            smart_art: (shape.kind == ShapeKind::SmartArt)
                .then(|| SmartArtContent { texts: smart_art_texts(package, relationships, shape.node) }),
            ole: ole(shape),
            shapes: (shape.kind == ShapeKind::Group)
                .then(|| shape.children.iter().map(|child| self.shape(child)).collect()),
        }
    }

    /// The slide as a drawing would place it: every shape with its bounds in parts of the slide.
    fn positioned(&self, shapes: &[Shape<'_>]) -> PositionedSlide {
        let slide_size = slide_size(self.deck.presentation);
        let mut missing_features: BTreeSet<&'static str> = BTreeSet::new();
        let mut font_families: BTreeSet<String> = BTreeSet::new();
        let mut positioned_shapes = Vec::new();
        for shape in flat(shapes) {
            missing_features.extend(missing_feature(shape));
            font_families.extend(fonts(shape));
            if shape.kind != ShapeKind::Group {
                let size = (slide_size.width as f64, slide_size.height as f64);
                positioned_shapes.push(self.positioned_shape(shape, positioned_shapes.len(), size));
            }
        }
        let coordinate_space = "slide_ratio";
        PositionedSlide { coordinate_space, slide_size, positioned_shapes, font_families, missing_features }
    }

    fn positioned_shape(
        &self,
        shape: &Shape<'_>,
        order: usize,
        (slide_width, slide_height): (f64, f64),
    ) -> PositionedShape {
        let fields = ShapeContent { z_index: order, ..self.shape(shape) };
        let frame = shape.frame;
        let ratio = |value: Option<f64>, whole: f64| value.map(|value| (value / whole * 1e6).round() / 1e6);
        let x = ratio(frame.map(|frame| frame.x), slide_width);
        let y = ratio(frame.map(|frame| frame.y), slide_height);
        let width = ratio(frame.map(|frame| frame.width), slide_width);
        let height = ratio(frame.map(|frame| frame.height), slide_height);
        // Where the reply had no room for the paragraphs, it has none for the runs either.
        let body = shape.body().filter(|_| fields.text_left_out.is_none());
        PositionedShape {
            bounds: Bounds { x, y, width, height, unit: "ratio" },
            frame_emu: FrameEmu {
                left: fields.left,
                top: fields.top,
                x: fields.left,
                y: fields.top,
                width: fields.width,
                height: fields.height,
                unit: "emu",
            },
            x,
            y,
            w: width,
            h: height,
            text: shape.body().map(body_text).unwrap_or_default(),
            text_runs: body.into_iter().flat_map(paragraphs).flat_map(runs).collect(),
            shape: fields,
        }
    }
}

/// What a drawing made from the fields of a shape would lack.
fn missing_feature(shape: &Shape<'_>) -> Option<&'static str> {
    match shape.kind {
        ShapeKind::Chart => Some("charts"),
        ShapeKind::SmartArt => Some("smart_art"),
        ShapeKind::OleObject => Some("ole_objects"),
        ShapeKind::Media => Some("media"),
        ShapeKind::Connector => Some("connectors"),
        ShapeKind::Other => Some("other_content"),
        _ => None,
    }
}

fn fonts(shape: &Shape<'_>) -> Vec<String> {
    let inside = shape.body().into_iter().chain(shape.table()).flat_map(|node| node.descendants());
    inside.filter(|node| node.is(Ns::A, "rPr")).filter_map(font).collect()
}

fn table(table: Node<'_>) -> SlideTable {
    let rows = table_texts(table);
    let columns = table.child(Ns::A, "tblGrid").map_or(0, |grid| grid.children_named(Ns::A, "gridCol").count());
    let col_count = rows.iter().map(Vec::len).max().unwrap_or(0).max(columns);
    SlideTable { row_count: rows.len(), col_count, rows }
}

fn ole(shape: &Shape<'_>) -> Option<OleContent> {
    if shape.kind != ShapeKind::OleObject {
        return None;
    }
    let data = graphic_data(shape.node)?;
    let object = data.descendants().find(|node| node.is(Ns::P, "oleObj"))?;
    let text = |name| object.attr(name).map(Cow::into_owned);
    Some(OleContent { program: text("progId"), name: text("name") })
}

/// The paragraphs of a text body.
fn text_blocks(body: Node<'_>) -> Vec<TextBlock> {
    let block = |(index, paragraph): (usize, Node<'_>)| {
        let alignment = paragraph.child(Ns::A, "pPr").and_then(|properties| properties.attr("algn"));
        TextBlock {
            index,
            level: level(paragraph),
            text: paragraph_text(paragraph),
            alignment: alignment.as_deref().map(|written| alignment_name(written).to_owned()),
            runs: runs(paragraph),
        }
    };
    paragraphs(body).enumerate().map(block).collect()
}

/// The runs of a paragraph with the format they give themselves. What is none is inherited.
pub(super) fn runs(paragraph: Node<'_>) -> Vec<SlideRunContent> {
    pieces(paragraph).iter().filter(|piece| piece.kind != PieceKind::Break).enumerate().map(run).collect()
}

/// How many runs a paragraph has.
pub(super) fn run_count(paragraph: Node<'_>) -> usize {
    pieces(paragraph).iter().filter(|piece| piece.kind != PieceKind::Break).count()
}

fn run((index, piece): (usize, &Piece<'_>)) -> SlideRunContent {
    let properties = piece.node.child(Ns::A, "rPr");
    let attribute = |name| properties.and_then(|node| node.attr(name));
    let flag = |name| attribute(name).map(|value| matches!(&*value, "1" | "true"));
    let fill = properties.and_then(|node| node.child(Ns::A, "solidFill"));
    let (color, theme_color) = fill.map_or((None, None), color_of);
    SlideRunContent {
        index,
        text: piece.text.clone().into_owned(),
        bold: flag("b"),
        italic: flag("i"),
        underline: attribute("u").map(|value| value != "none"),
        size_pt: attribute("sz").and_then(|size| size.parse::<f64>().ok()).map(|size| size / 100.0),
        font_name: properties.and_then(font),
        color,
        theme_color,
        highlight_color: properties.and_then(|node| node.child(Ns::A, "highlight")).and_then(|node| color_of(node).0),
        field: (piece.kind == PieceKind::Field).then(|| piece.node.attr("type").map(Cow::into_owned)),
    }
}

/// The colour of a fill: as `#RRGGBB`, or by its name in the theme.
fn color_of(fill: Node<'_>) -> (Option<String>, Option<String>) {
    let Some(color) = fill.elements().next() else { return (None, None) };
    match color.local() {
        "srgbClr" => (color.attr("val").map(|digits| format!("#{}", digits.to_ascii_uppercase())), None),
        "sysClr" => (color.attr("lastClr").map(|digits| format!("#{}", digits.to_ascii_uppercase())), None),
        "schemeClr" | "prstClr" => (None, color.attr("val").map(Cow::into_owned)),
        _ => (None, None),
    }
}

/// The font of Latin text.
pub(super) fn font(properties: Node<'_>) -> Option<String> {
    properties.child(Ns::A, "latin")?.attr("typeface").map(Cow::into_owned)
}

fn alignment_name(written: &str) -> &str {
    match written {
        "l" => "left",
        "ctr" => "center",
        "r" => "right",
        "just" => "justify",
        other => other,
    }
}

/// The image that a shape is or is filled with; with the error when it cannot be read.
pub(super) fn image_ref(
    package: &Package,
    types: &ContentTypes,
    relationships: &Relationships,
    shape: &Shape<'_>,
) -> Option<ImageRef> {
    let rel_id = shape.picture()?.into_owned();
    let Some(relationship) = relationships.by_id(&rel_id) else {
        return Some(ImageRef::Missing { rel_id, error: "the image is not in the file" });
    };
    let Some(part) = &relationship.part else {
        return Some(ImageRef::Linked { rel_id, linked: true, error: "the image is outside the file" });
    };
    let filename = part.rsplit('/').next().unwrap_or_default().to_owned();
    let ext = filename.rsplit_once('.').map_or("", |(_, extension)| extension).to_owned();
    Some(match package.read(part) {
        Ok(bytes) => ImageRef::Embedded {
            rel_id,
            filename,
            ext,
            content_type: types.of(part).map(str::to_owned),
            size_bytes: bytes.len(),
            sha1: hex(&Sha1::digest(&bytes)),
        },
        Err(error) => ImageRef::Unreadable { rel_id, filename, ext, error: error.to_string() },
    })
}

/// Bytes as lower-case hexadecimal digits.
pub(in crate::pptx) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
