//! What the header of an image says, whatever its format.

use jig_ooxml::image_header::{ImageFormat, ImageHeader, ImageHeaderError};

use super::{ImageError, svg};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// What is known of an image without decoding it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Header {
    pub(super) format: &'static str,
    pub(super) kind: Option<FileKind>,
    pub(super) media_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bits per pixel, all channels together.
    pub(super) bits: Option<u32>,
    pub(super) alpha: Option<bool>,
    /// How many frames, in formats that can have several.
    pub(super) frames: Option<usize>,
    pub(super) per_inch: Option<(f64, f64)>,
    pub(super) warnings: Vec<String>,
}

/// Why a header cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeaderError {
    /// A raster image.
    #[error(transparent)]
    Raster(#[from] ImageHeaderError),
    /// An SVG without a readable first element.
    #[error("its first element cannot be read")]
    SvgRoot,
    /// A format of which only the size is read.
    #[error("its header cannot be read")]
    Unreadable,
    /// A size that no image can have.
    #[error("its size makes no sense")]
    Size,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        let found = sniff("", bytes, Complete::Whole);
        let raster = |format, name| raster(format, name, bytes);
        let read = match found.kind {
            FileKind::Png => raster(ImageFormat::Png, "png"),
            FileKind::Jpeg => raster(ImageFormat::Jpeg, "jpeg"),
            FileKind::Gif => raster(ImageFormat::Gif, "gif"),
            FileKind::Webp => raster(ImageFormat::Webp, "webp"),
            FileKind::Svg => svg::header(bytes),
            FileKind::Image if found.media_type == "image/bmp" => raster(ImageFormat::Bmp, "bmp"),
            FileKind::Image => size_alone(bytes, found.media_type),
            kind => return Err(ImageError::NotAnImage { kind }),
        };
        let header = read.map_err(|source| ImageError::Header { kind: found.kind, source })?;
        if header.width == 0 || header.height == 0 {
            return Err(ImageError::NoSize);
        }
        Ok(Self { kind: Some(found.kind), media_type: found.media_type, ..header })
    }
}

fn raster(format: ImageFormat, name: &'static str, bytes: &[u8]) -> Result<Header, HeaderError> {
    let ImageHeader { width, height, bits, alpha, frames, per_inch, cut_off, .. } = ImageHeader::read(format, bytes)?;
    let mut warnings = Vec::new();
    if cut_off {
        warnings.push("the image is cut off: its end is missing".to_owned());
    }
    Ok(Header { format: name, width, height, bits, alpha, frames, per_inch, warnings, ..Header::default() })
}

/// TIFF, HEIC, icons and the like.
fn size_alone(bytes: &[u8], media_type: &'static str) -> Result<Header, HeaderError> {
    let format = match media_type {
        "image/vnd.microsoft.icon" => "ico",
        "image/vnd.adobe.photoshop" => "psd",
        other => other.strip_prefix("image/").unwrap_or(other),
    };
    let size = imagesize::blob_size(bytes).map_err(|_| HeaderError::Unreadable)?;
    let side = |side: usize| u32::try_from(side).map_err(|_| HeaderError::Size);
    Ok(Header { format, width: side(size.width)?, height: side(size.height)?, ..Header::default() })
}
