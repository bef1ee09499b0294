//! An image at a size that fits a page and a message.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use jig_file_api::read::image::{RenderQuery, RenderedImage};

use super::{ImageError, ImageFile, draw};
use crate::kind::FileKind;

/// The longest and the shortest that the longest side of the result may be.
const MOST_PIXELS: u32 = 2_048;
const LEAST_PIXELS: u32 = 16;
/// The largest result: as base64 it has 10 MiB, and the message around it less than 12.
const MOST_BYTES: usize = (10 << 20) / 4 * 3;
/// Memory that decoding may take.
const MOST_MEMORY: u64 = 512 << 20;
/// How often a result with too many bytes is made smaller.
const ATTEMPTS: u32 = 3;

/// The result.
struct Encoded {
    bytes: Vec<u8>,
    media_type: &'static str,
    width: u32,
    height: u32,
    scaled_down: bool,
}

pub(super) fn render(file: &ImageFile, query: &RenderQuery) -> Result<RenderedImage, ImageError> {
    let most = match query.max_px {
        None => MOST_PIXELS,
        Some(most) if (LEAST_PIXELS..=MOST_PIXELS).contains(&most) => most,
        Some(value) => return Err(ImageError::MaxPixels { value, least: LEAST_PIXELS, most: MOST_PIXELS }),
    };
    let mut warnings = Vec::new();
    let encoded = encoded(file, most, &mut warnings)?;
    Ok(RenderedImage {
        bytes_base64: STANDARD.encode(&encoded.bytes),
        mime_type: encoded.media_type,
        scaled_down: encoded.scaled_down,
        width: encoded.width,
        height: encoded.height,
        original_width: file.header.width,
        original_height: file.header.height,
        warnings,
    })
}

fn encoded(file: &ImageFile, most: u32, warnings: &mut Vec<String>) -> Result<Encoded, ImageError> {
    let header = &file.header;
    let format = match header.kind {
        Some(FileKind::Svg) => {
            let (bytes, width, height) = draw::draw(&file.bytes, header, most, warnings)?;
            let scaled_down = width < header.width || height < header.height;
            return check_bytes(Encoded { bytes, media_type: "image/png", width, height, scaled_down });
        }
        Some(FileKind::Png) => ImageFormat::Png,
        Some(FileKind::Jpeg) => ImageFormat::Jpeg,
        Some(FileKind::Gif) => ImageFormat::Gif,
        Some(FileKind::Webp) => ImageFormat::WebP,
        _ => return Err(ImageError::NotRenderable { format: header.format }),
    };
    if header.width.max(header.height) <= most && file.bytes.len() <= MOST_BYTES {
        return Ok(as_it_is(file, warnings));
    }
    if header.frames.is_some_and(|frames| frames > 1) {
        warnings.push("the image is animated; a smaller one shows only its first frame".to_owned());
    }
    let mut image = decode(file, format)?;
    image.apply_orientation(Orientation::from_exif(file.orientation()).unwrap_or(Orientation::NoTransforms));
    smaller(&image, most, format)
}

/// The file itself, with its metadata.
fn as_it_is(file: &ImageFile, warnings: &mut Vec<String>) -> Encoded {
    if file.exif.as_ref().is_some_and(|exif| exif.summary.has_gps) {
        warnings.push("the image is given as it is, with the position where it was taken".to_owned());
    }
    Encoded {
        bytes: file.bytes.to_vec(),
        media_type: file.header.media_type,
        width: file.header.width,
        height: file.header.height,
        scaled_down: false,
    }
}

fn decode(file: &ImageFile, format: ImageFormat) -> Result<DynamicImage, ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(&file.bytes[..]), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    // Decoders count the memory of their work, but not always that of the result.
    let pixels = u64::from(file.header.width) * u64::from(file.header.height);
    if pixels.saturating_mul(4) > MOST_MEMORY {
        return Err(too_large(file));
    }
    reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => too_large(file),
        error => ImageError::Pixels { source: error.into() },
    })
}

fn too_large(file: &ImageFile) -> ImageError {
    ImageError::TooManyPixels { width: file.header.width, height: file.header.height, limit: MOST_MEMORY }
}

/// The image within the bounds, as JPEG if the file is one, else as PNG.
fn smaller(image: &DynamicImage, most: u32, format: ImageFormat) -> Result<Encoded, ImageError> {
    let mut side = most;
    for _ in 0..=ATTEMPTS {
        let fits = image.width().max(image.height()) <= side;
        let scaled = if fits { image.clone() } else { image.resize(side, side, FilterType::Triangle) };
        let (bytes, media_type) = encode(&scaled, format)?;
        if bytes.len() <= MOST_BYTES {
            let (width, height) = (scaled.width(), scaled.height());
            return Ok(Encoded { bytes, media_type, width, height, scaled_down: true });
        }
        side = side.min(image.width().max(image.height())) * 7 / 10;
    }
    Err(ImageError::NotSmallEnough { limit: MOST_BYTES })
}

fn encode(image: &DynamicImage, format: ImageFormat) -> Result<(Vec<u8>, &'static str), ImageError> {
    let mut bytes = Vec::new();
    let failed = |error: image::ImageError| ImageError::Encode { source: error.into() };
    if format == ImageFormat::Jpeg {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, 85);
        image.to_rgb8().write_with_encoder(encoder).map_err(failed)?;
        return Ok((bytes, "image/jpeg"));
    }
    let mut out = Cursor::new(&mut bytes);
    let written = match image.color().has_alpha() {
        true => image.to_rgba8().write_to(&mut out, ImageFormat::Png),
        false => image.to_rgb8().write_to(&mut out, ImageFormat::Png),
    };
    written.map_err(failed)?;
    Ok((bytes, "image/png"))
}

fn check_bytes(encoded: Encoded) -> Result<Encoded, ImageError> {
    if encoded.bytes.len() <= MOST_BYTES {
        return Ok(encoded);
    }
    Err(ImageError::TooManyBytes { bytes: encoded.bytes.len(), limit: MOST_BYTES })
}
