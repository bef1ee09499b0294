//! Previews: pages as PNG images within bounds, and a plain rendering of text where no renderer is available.

mod picture;
mod plain;
mod sheet;

use serde_json::{Value, json};

use crate::pdf::{Document, PdfError};
use picture::encode;
pub(crate) use plain::{Kind, Plain};

/// Pixels to a point at scale 1: an A4 page is then 1,240 pixels wide.
const PIXELS_PER_POINT: f32 = 150.0 / 72.0;
/// The longest side of an image, in pixels.
const MOST_PIXELS: f32 = 2_048.0;
/// The longest side of a thumbnail.
const THUMBNAIL_PIXELS: f32 = 256.0;
/// The largest image, in bytes.
const MOST_BYTES: usize = 10 << 20;
/// How often an image that is too large is scaled down.
const ATTEMPTS: usize = 3;
/// How much smaller each time.
const SHRINK: f32 = 0.7;
const SCALES: std::ops::RangeInclusive<f64> = 0.25..=2.0;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PreviewRequest {
    page: usize,
    scale: f32,
    thumbnail: bool,
}

impl PreviewRequest {
    fn of(params: &Value) -> Result<Self, PdfError> {
        let given = |key: &str| params.get(key).filter(|value| !value.is_null());
        let page = match given("page_index").or_else(|| given("slide_index")) {
            None => 0,
            Some(page) => page
                .as_u64()
                .and_then(|page| usize::try_from(page).ok())
                .ok_or_else(|| PdfError::Invalid("page_index: a whole number from 0 is needed".to_owned()))?,
        };
        let scale = match given("scale") {
            None => 1.0,
            Some(scale) => scale.as_f64().filter(|scale| SCALES.contains(scale)).ok_or_else(|| {
                PdfError::Invalid(format!("scale: a number from {} to {} is needed", SCALES.start(), SCALES.end()))
            })?,
        };
        let thumbnail = match given("thumbnail") {
            None => false,
            Some(thumbnail) => {
                thumbnail.as_bool().ok_or_else(|| PdfError::Invalid("thumbnail: true or false is needed".to_owned()))?
            }
        };
        Ok(Self { page, scale: scale as f32, thumbnail })
    }
}

/// A page as a PNG, in the protocol's words.
pub(crate) fn answer(document: &Document, params: &Value) -> Result<Value, PdfError> {
    let wanted = PreviewRequest::of(params)?;
    let (width, height) = document.page_size(wanted.page)?;
    let longest = width.max(height).max(1.0);
    let asked = PIXELS_PER_POINT * wanted.scale;
    let most = if wanted.thumbnail { THUMBNAIL_PIXELS } else { MOST_PIXELS };
    let mut scale = asked.min(most / longest);
    // A thumbnail is always small; only other images report that they were scaled down.
    let mut scaled_down = !wanted.thumbnail && scale < asked;
    for attempt in 0..=ATTEMPTS {
        let raster = document.raster(wanted.page, scale)?;
        let (width, height) = (raster.width, raster.height);
        let png = encode(&raster)?;
        if png.len() <= MOST_BYTES {
            let mut answer = picture::image_reply(&png, (width, height), scaled_down);
            answer["page_count"] = json!(document.page_count());
            answer["page_index"] = json!(wanted.page);
            let missing = document.fonts_not_inside(wanted.page);
            if !missing.is_empty() {
                let words = "text in fonts that are not in the file may be missing from the image";
                answer["notice"] = json!(format!("{words}: {}", missing.join(", ")));
            }
            return Ok(answer);
        }
        if attempt < ATTEMPTS {
            scale *= SHRINK;
            scaled_down = true;
        }
    }
    let what = format!("the image of page {} exceeds {} MiB at every size", wanted.page + 1, MOST_BYTES >> 20);
    Err(PdfError::TooLarge { what })
}
