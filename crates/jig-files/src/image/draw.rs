//! Drawing SVG, with nothing but what the file itself holds: no other file, no network, no font of the system.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::roxmltree::{Document, Node, NodeId, ParsingOptions};
use resvg::usvg::{ImageHrefResolver, ImageKind, Options, Size, Tree, fontdb};

use super::ImageError;
use super::header::Header;
use super::svg::UNSIZED;
use crate::text::Text;

const FONT: &[u8] = include_bytes!("font/Roboto.ttf");
const FAMILY: &str = "Roboto";

/// Elements of a drawing, and of what references make of it.
const ELEMENTS: u64 = 200_000;
/// Elements inside each other. Drawing goes as deep as they do.
const DEPTH: usize = 100;
/// Pixels that filters, masks and the like may work through.
const EFFECT_PIXELS: u64 = 2_000_000_000;
/// The largest numbers of filters whose cost grows with them.
const FILTER_NUMBER: f64 = 50.0;
/// Pixels of an image inside a drawing.
const PICTURE_PIXELS: usize = 50_000_000;

/// A bound that a drawing exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DrawingCost {
    /// Elements inside each other.
    #[error("its elements are nested too deeply")]
    Depth,
    /// Elements, each as often as it is used.
    #[error("its elements and what they repeat are too many")]
    Elements,
    /// Pixels that filters and masks work through.
    #[error("its filters and masks are too many for this size")]
    Effects,
    /// A parameter of a filter whose cost grows with it.
    #[error("a filter's numbers are too large")]
    FilterNumbers,
}

/// Draws a drawing as PNG, no side longer than `most`.
pub(super) fn draw(
    bytes: &[u8],
    header: &Header,
    most: u32,
    warnings: &mut Vec<String>,
) -> Result<(Vec<u8>, u32, u32), ImageError> {
    let text = Text::decode(bytes);
    let limits = ParsingOptions { allow_dtd: true, nodes_limit: 1_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text.content(), limits)
        .map_err(|error| ImageError::Drawing { source: error.into() })?;
    let scale = (f64::from(most) / f64::from(header.width.max(header.height))).min(1.0);
    let side = |length: u32| ((f64::from(length) * scale).round() as u32).clamp(1, most);
    let (width, height) = (side(header.width), side(header.height));
    check(&document, u64::from(width) * u64::from(height))?;
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let tree = Tree::from_xmltree(&document, &options(&skipped))
        .map_err(|error| ImageError::Drawing { source: error.into() })?;
    warnings.append(&mut skipped.lock().unwrap_or_else(PoisonError::into_inner));
    if document.descendants().any(|node| node.tag_name().name() == "text") {
        warnings
            .push("text in the drawing is shown in a font of Jig's own, without characters that it lacks".to_owned());
    }
    let mut pixels = Pixmap::new(width, height).ok_or(ImageError::NoCanvas)?;
    let stretch = Transform::from_scale(width as f32 / tree.size().width(), height as f32 / tree.size().height());
    resvg::render(&tree, stretch, &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(|error| ImageError::Encode { source: error.into() })?;
    Ok((png, width, height))
}

fn options(skipped: &Arc<Mutex<Vec<String>>>) -> Options<'static> {
    let note = |skipped: &Arc<Mutex<Vec<String>>>, words: &str| {
        let mut list = skipped.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|known| known == words) {
            list.push(words.to_owned());
        }
    };
    let (inside, outside) = (skipped.clone(), skipped.clone());
    let resolver = ImageHrefResolver {
        resolve_data: Box::new(move |_: &str, data: Arc<Vec<u8>>, _: &Options<'_>| {
            let found = raster_image(data);
            if found.is_none() {
                note(&inside, "an image inside the drawing is left out: its format is not known, or it is too large");
            }
            found
        }),
        resolve_string: Box::new(move |_: &str, _: &Options<'_>| {
            note(&outside, "an image outside the file is left out");
            None
        }),
    };
    let mut options = Options {
        image_href_resolver: resolver,
        fontdb: fonts(),
        font_family: FAMILY.to_owned(),
        ..Options::default()
    };
    if let Some(size) = Size::from_wh(UNSIZED, UNSIZED) {
        options.default_size = size;
    }
    options
}

/// The one font, under every name that a drawing falls back on.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(FONT.to_vec());
        fonts.set_serif_family(FAMILY);
        fonts.set_sans_serif_family(FAMILY);
        fonts.set_monospace_family(FAMILY);
        fonts.set_cursive_family(FAMILY);
        fonts.set_fantasy_family(FAMILY);
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

/// An image inside a drawing, by its content. Drawings inside drawings are not followed.
fn raster_image(data: Arc<Vec<u8>>) -> Option<ImageKind> {
    let header = Header::read(&data).ok()?;
    let pixels = usize::try_from(u64::from(header.width) * u64::from(header.height)).ok()?;
    if pixels > PICTURE_PIXELS {
        return None;
    }
    match header.format {
        "png" => Some(ImageKind::PNG(data)),
        "jpeg" => Some(ImageKind::JPEG(data)),
        "gif" => Some(ImageKind::GIF(data)),
        "webp" => Some(ImageKind::WEBP(data)),
        _ => None,
    }
}

/// Refuses drawings that cost too much: by depth, by references that multiply, or by filters.
fn check(document: &Document<'_>, pixels: u64) -> Result<(), ImageError> {
    let refused = |cost| Err(ImageError::TooCostly { cost });
    if is_deep(document) {
        return refused(DrawingCost::Depth);
    }
    let mut cost = Costs::new(document);
    let total = cost.of(document.root_element(), 0);
    if total.elements > ELEMENTS {
        return refused(DrawingCost::Elements);
    }
    if total.effects.saturating_mul(pixels) > EFFECT_PIXELS {
        return refused(DrawingCost::Effects);
    }
    if document.descendants().any(|node| is_costly_filter(&node)) {
        return refused(DrawingCost::FilterNumbers);
    }
    Ok(())
}

fn is_deep(document: &Document<'_>) -> bool {
    let mut node = document.root_element();
    let mut depth = 0_usize;
    // A walk without recursion: down where possible, else along, else up.
    loop {
        if depth > DEPTH {
            return true;
        }
        if let Some(child) = node.first_element_child() {
            (node, depth) = (child, depth + 1);
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling_element() {
                node = next;
                break;
            }
            match node.parent_element() {
                Some(parent) => (node, depth) = (parent, depth.saturating_sub(1)),
                None => return false,
            }
        }
    }
}

fn is_costly_filter(node: &Node<'_, '_>) -> bool {
    let large = |name: &str| {
        let value = node.attribute(name).unwrap_or_default();
        let numbers = value.split(|c: char| c.is_whitespace() || c == ',').filter_map(|one| one.parse::<f64>().ok());
        numbers.into_iter().any(|number| number.is_nan() || number > FILTER_NUMBER)
    };
    match node.tag_name().name() {
        "feTurbulence" => large("numOctaves"),
        "feConvolveMatrix" => large("order"),
        "feMorphology" => large("radius"),
        _ => false,
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    elements: u64,
    effects: u64,
}

/// What elements cost with all that they refer to.
struct Costs<'d, 'i> {
    by_id: HashMap<&'d str, Node<'d, 'i>>,
    known: HashMap<NodeId, Cost>,
}

impl<'d, 'i> Costs<'d, 'i> {
    fn new(document: &'d Document<'i>) -> Self {
        let named = document.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
        Self { by_id: named.collect(), known: HashMap::new() }
    }

    /// `depth` counts references as well as elements, and a chain that is too long costs more than anything.
    fn of(&mut self, node: Node<'d, 'i>, depth: usize) -> Cost {
        if let Some(cost) = self.known.get(&node.id()) {
            return *cost;
        }
        if depth > 2 * DEPTH {
            return Cost { elements: u64::MAX, effects: 0 };
        }
        // A loop of references is cut by usvg; here it counts once.
        self.known.insert(node.id(), Cost { elements: 1, effects: 0 });
        let mut cost = Cost { elements: 1, effects: u64::from(has_effect(&node)) };
        for child in node.children().filter(Node::is_element) {
            cost = add(cost, self.of(child, depth + 1));
        }
        for id in references(&node) {
            if let Some(target) = self.by_id.get(id).copied() {
                cost = add(cost, self.of(target, depth + 1));
            }
        }
        self.known.insert(node.id(), cost);
        cost
    }
}

fn add(one: Cost, other: Cost) -> Cost {
    Cost { elements: one.elements.saturating_add(other.elements), effects: one.effects.saturating_add(other.effects) }
}

/// What makes a whole layer necessary.
fn has_effect(node: &Node<'_, '_>) -> bool {
    let style = node.attribute("style").unwrap_or_default();
    let names = ["filter", "mask", "clip-path", "opacity", "mix-blend-mode", "isolation"];
    names.iter().any(|name| node.has_attribute(*name) || style.contains(name)) || node.tag_name().name() == "pattern"
}

/// The ids that an element refers to, in any of its attributes.
fn references<'d>(node: &Node<'d, '_>) -> Vec<&'d str> {
    let mut ids = Vec::new();
    for attribute in node.attributes() {
        let value = attribute.value();
        if attribute.name() == "href" {
            ids.extend(value.trim().strip_prefix('#'));
        }
        for piece in value.split("url(").skip(1) {
            let inside = piece.split(')').next().unwrap_or_default().trim_matches(['"', '\'', ' ']);
            ids.extend(inside.strip_prefix('#'));
        }
    }
    ids
}
