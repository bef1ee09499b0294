//! Writes images as PNG.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use serde_json::{Value, json};

use crate::pdf::{PdfError, Raster};

/// The media type of previews.
const MIME_TYPE: &str = "image/png";

/// An image as PNG.
pub(super) fn encode(raster: &Raster) -> Result<Vec<u8>, PdfError> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    let written = encoder.write_image(&raster.pixels, raster.width, raster.height, ExtendedColorType::Rgb8);
    written.map_err(|error| PdfError::Invalid(format!("the page has no size that an image can have: {error}")))?;
    Ok(png)
}

/// An image as the protocol's reply.
pub(super) fn image_reply(png: &[u8], (width, height): (u32, u32), scaled_down: bool) -> Value {
    json!({
        "bytes_base64": BASE64_STANDARD.encode(png),
        "mime_type": MIME_TYPE,
        "width": width,
        "height": height,
        "scaled_down": scaled_down,
    })
}
