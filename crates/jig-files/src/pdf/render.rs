//! Renders pages as images.

use std::collections::HashSet;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Stream};
use hayro::hayro_syntax::page::Resources;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};

use super::error::PdfError;
use super::{Document, text, words};

/// The most pixels of one image on a page.
const IMAGE_PIXELS: u64 = 100_000_000;
/// How deep forms are looked into for images.
const DEEPEST: usize = 8;
/// The most forms and images that are looked at.
const OBJECTS: usize = 10_000;

/// An image: three bytes per pixel, red, green and blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raster {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<u8>,
}

impl Document {
    /// The width and height of a page in points, as it is shown.
    pub(crate) fn page_size(&self, index: usize) -> Result<(f32, f32), PdfError> {
        let none = || PdfError::NoPage { page: index as u64 + 1, count: self.page_count() };
        Ok(self.pdf.pages().get(index).ok_or_else(none)?.render_dimensions())
    }

    /// A page on white, with so many pixels to a point.
    pub(crate) fn raster(&self, index: usize, scale: f32) -> Result<Raster, PdfError> {
        let none = || PdfError::NoPage { page: index as u64 + 1, count: self.page_count() };
        let page = self.pdf.pages().get(index).ok_or_else(none)?;
        let mut left = OBJECTS;
        check_images(page.resources(), &mut HashSet::new(), 0, &mut left)?;
        if text::is_endless(self, index) {
            return Err(PdfError::TooLarge { what: format!("page {} has too many operations", index + 1) });
        }
        let (width, height) = page.render_dimensions();
        if width * scale < 1.0 || height * scale < 1.0 {
            return Err(PdfError::Invalid(format!("page {} is too thin to be shown", index + 1)));
        }
        // The renderer leaves out a last pixel that is not whole; sides are rounded here instead.
        let whole = |side: f32| ((side * scale).round() + 0.01) / side;
        let settings = PixmapSettings { x_scale: whole(width), y_scale: whole(height), bg_color: WHITE };
        let (cache, interpreter) = (RenderCache::new(), InterpreterSettings::default());
        let pixmap = hayro::render(page, &cache, &interpreter, &RenderSettings::default(), &settings);
        let pixels = pixmap.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
        Ok(Raster { width: pixmap.width().into(), height: pixmap.height().into(), pixels })
    }
}

impl Document {
    /// The fonts of a page that are not embedded and have no substitute, such as East Asian ones.
    pub(crate) fn fonts_not_inside(&self, index: usize) -> Vec<String> {
        let Some(page) = self.pdf.pages().get(index) else { return Vec::new() };
        let fonts = &page.resources().fonts;
        let mut names: Vec<String> =
            fonts.keys().filter_map(|key| not_inside(&fonts.get::<Dict<'_>>(key.as_ref())?)).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The name of a composite font without a program of its own.
fn not_inside(font: &Dict<'_>) -> Option<String> {
    let below = font.get::<Array<'_>>(b"DescendantFonts")?.iter::<Dict<'_>>().next()?;
    let descriptor = below.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
    let inside = [&b"FontFile"[..], b"FontFile2", b"FontFile3"].into_iter().any(|key| descriptor.contains_key(key));
    let name = below.get::<Name<'_>>(b"BaseFont").map(|name| words::decode(name.as_ref()));
    (!inside).then(|| name.unwrap_or_default())
}

/// The pixels of an image or of one of its masks, whichever has more.
fn most_pixels(image: &Dict<'_>) -> u64 {
    let pixels = |dict: &Dict<'_>| {
        let side = |key: &[u8]| dict.get::<u32>(key).map_or(0, u64::from);
        side(b"Width").saturating_mul(side(b"Height"))
    };
    let masks = [&b"SMask"[..], b"Mask"].into_iter().filter_map(|key| image.get::<Stream<'_>>(key));
    masks.map(|mask| pixels(mask.dict())).fold(pixels(image), u64::max)
}

/// An image is unpacked whole before it is scaled, so one that would fill the memory is refused.
fn check_images(
    resources: &Resources<'_>,
    seen: &mut HashSet<ObjectIdentifier>,
    depth: usize,
    left: &mut usize,
) -> Result<(), PdfError> {
    for name in resources.x_objects.keys() {
        let Some(object) = resources.x_objects.get::<Stream<'_>>(name.as_ref()) else { continue };
        if !seen.insert(object.obj_id()) {
            continue;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Err(PdfError::TooLarge { what: format!("a page draws more than {OBJECTS} objects") });
        }
        match object.dict().get::<Name<'_>>(b"Subtype").as_ref().map(|kind| kind.as_ref()) {
            Some(b"Image") if most_pixels(object.dict()) > IMAGE_PIXELS => {
                let what = format!("an image on the page has more than {} million pixels", IMAGE_PIXELS / 1_000_000);
                return Err(PdfError::TooLarge { what });
            }
            Some(b"Form") if depth < DEEPEST => {
                if let Some(own) = object.dict().get::<Dict<'_>>(b"Resources") {
                    check_images(&Resources::new(own), seen, depth + 1, left)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
