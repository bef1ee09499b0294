//! `ImageRender`: a picture at a size that fits a page and a message.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ImageFile, draw};
use crate::engine::{FileError, Reason};
use crate::kind::FileKind;

/// The longest side of what is given.
const MOST_PIXELS: u32 = 2_048;
const LEAST_PIXELS: u32 = 16;
/// The largest picture that is given: written as text it has 10 MiB, and the message around it less than 12.
const MOST_BYTES: usize = (10 << 20) / 4 * 3;
/// Memory that decoding may take.
const MOST_MEMORY: u64 = 512 << 20;
/// How often a picture that is too large in bytes is made smaller.
const ATTEMPTS: u32 = 3;

#[derive(Deserialize)]
pub(super) struct Params {
    max_px: Option<u32>,
}

/// A picture ready to be shown.
struct Shown {
    bytes: Vec<u8>,
    media_type: &'static str,
    width: u32,
    height: u32,
    scaled_down: bool,
}

pub(super) fn render(file: &ImageFile, params: &Params, warnings: &mut Vec<String>) -> Result<Value, FileError> {
    let most = match params.max_px {
        None => MOST_PIXELS,
        Some(most) if (LEAST_PIXELS..=MOST_PIXELS).contains(&most) => most,
        Some(most) => {
            let words = format!("max_px: {most} is not between {LEAST_PIXELS} and {MOST_PIXELS}");
            return Err(FileError::invalid(words));
        }
    };
    let shown = shown(file, most, warnings)?;
    Ok(json!({
        "bytes_base64": STANDARD.encode(&shown.bytes),
        "mime_type": shown.media_type,
        "scaled_down": shown.scaled_down,
        "width": shown.width,
        "height": shown.height,
        "original_width": file.header.width,
        "original_height": file.header.height,
    }))
}

fn shown(file: &ImageFile, most: u32, warnings: &mut Vec<String>) -> Result<Shown, FileError> {
    let header = &file.header;
    let format = match header.kind {
        Some(FileKind::Svg) => {
            let (bytes, width, height) = draw::draw(&file.bytes, header, most, warnings)?;
            let scaled_down = width < header.width || height < header.height;
            return check_bytes(Shown { bytes, media_type: "image/png", width, height, scaled_down });
        }
        Some(FileKind::Png) => ImageFormat::Png,
        Some(FileKind::Jpeg) => ImageFormat::Jpeg,
        Some(FileKind::Gif) => ImageFormat::Gif,
        Some(FileKind::Webp) => ImageFormat::WebP,
        _ => {
            let words =
                format!("a picture in the format {} cannot be shown; png, jpg, gif, webp and svg can", header.format);
            return Err(FileError::new(Reason::WrongKind, words));
        }
    };
    if header.width.max(header.height) <= most && file.bytes.len() <= MOST_BYTES {
        return Ok(as_it_is(file, warnings));
    }
    if header.frames.is_some_and(|frames| frames > 1) {
        warnings.push("the picture moves; a smaller one shows only its first frame".to_owned());
    }
    let mut picture = decode(file, format)?;
    picture.apply_orientation(Orientation::from_exif(file.orientation()).unwrap_or(Orientation::NoTransforms));
    smaller(&picture, most, format)
}

/// The file itself, with all that is in it.
fn as_it_is(file: &ImageFile, warnings: &mut Vec<String>) -> Shown {
    if file.exif.as_ref().is_some_and(|exif| exif.has_gps) {
        warnings.push("the picture is given as it is, and it tells where it was taken".to_owned());
    }
    Shown {
        bytes: file.bytes.to_vec(),
        media_type: file.header.media_type,
        width: file.header.width,
        height: file.header.height,
        scaled_down: false,
    }
}

fn decode(file: &ImageFile, format: ImageFormat) -> Result<DynamicImage, FileError> {
    let mut reader = ImageReader::with_format(Cursor::new(&file.bytes[..]), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    // Decoders count what they hold on the way, not always the picture that comes out.
    let pixels = u64::from(file.header.width) * u64::from(file.header.height);
    if pixels.saturating_mul(4) > MOST_MEMORY {
        return Err(too_large(file));
    }
    reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => too_large(file),
        error => FileError::new(Reason::Damaged, format!("the picture is damaged: {error}")),
    })
}

fn too_large(file: &ImageFile) -> FileError {
    let words = format!(
        "the picture is too large to be shown: {} by {} pixels need more than {MOST_MEMORY} bytes of memory",
        file.header.width, file.header.height
    );
    FileError::new(Reason::TooLarge, words)
}

/// The picture within the bounds, in the format that suits it.
fn smaller(picture: &DynamicImage, most: u32, format: ImageFormat) -> Result<Shown, FileError> {
    let mut side = most;
    for _ in 0..=ATTEMPTS {
        let fits = picture.width().max(picture.height()) <= side;
        let scaled = if fits { picture.clone() } else { picture.resize(side, side, FilterType::Triangle) };
        let (bytes, media_type) = encode(&scaled, format)?;
        if bytes.len() <= MOST_BYTES {
            let (width, height) = (scaled.width(), scaled.height());
            return Ok(Shown { bytes, media_type, width, height, scaled_down: true });
        }
        side = side.min(picture.width().max(picture.height())) * 7 / 10;
    }
    Err(FileError::new(Reason::TooLarge, format!("the picture cannot be brought below {MOST_BYTES} bytes")))
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> Result<(Vec<u8>, &'static str), FileError> {
    let mut bytes = Vec::new();
    let failed =
        |error: image::ImageError| FileError::new(Reason::Damaged, format!("the picture cannot be written: {error}"));
    if format == ImageFormat::Jpeg {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, 85);
        picture.to_rgb8().write_with_encoder(encoder).map_err(failed)?;
        return Ok((bytes, "image/jpeg"));
    }
    let mut out = Cursor::new(&mut bytes);
    let written = match picture.color().has_alpha() {
        true => picture.to_rgba8().write_to(&mut out, ImageFormat::Png),
        false => picture.to_rgb8().write_to(&mut out, ImageFormat::Png),
    };
    written.map_err(failed)?;
    Ok((bytes, "image/png"))
}

fn check_bytes(shown: Shown) -> Result<Shown, FileError> {
    if shown.bytes.len() <= MOST_BYTES {
        return Ok(shown);
    }
    let words = format!(
        "the picture would have {} bytes; at most {MOST_BYTES} are given. A smaller `max_px` helps",
        shown.bytes.len()
    );
    Err(FileError::new(Reason::TooLarge, words))
}
