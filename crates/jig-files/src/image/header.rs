//! What the header of a picture says, format by format.

use super::{bytes, gif, jpeg, png, svg, webp};
use crate::engine::{FileError, Reason};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// What is known of a picture without decoding it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Header {
    pub(super) format: &'static str,
    pub(super) kind: Option<FileKind>,
    pub(super) media_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bits of one pixel, all channels together.
    pub(super) bits: Option<u32>,
    pub(super) alpha: Option<bool>,
    /// Pictures in it, where a format may have several.
    pub(super) frames: Option<usize>,
    pub(super) dpi: Option<(f64, f64)>,
    pub(super) warnings: Vec<String>,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, FileError> {
        let found = sniff("", bytes, Complete::Whole);
        let read = match found.kind {
            FileKind::Png => png::header(bytes),
            FileKind::Jpeg => jpeg::header(bytes),
            FileKind::Gif => gif::header(bytes),
            FileKind::Webp => webp::header(bytes),
            FileKind::Svg => svg::header(bytes),
            FileKind::Image => other(bytes, found.media_type),
            kind => {
                let words = format!("this is not a picture: the content is {}", kind.words());
                return Err(FileError::new(Reason::WrongKind, words));
            }
        };
        let header = read.map_err(|why| {
            FileError::new(Reason::Damaged, format!("the picture is damaged ({}): {why}", found.kind.words()))
        })?;
        if header.width == 0 || header.height == 0 {
            return Err(FileError::new(Reason::Damaged, "the picture is damaged: it has no width or no height"));
        }
        Ok(Self { kind: Some(found.kind), media_type: found.media_type, ..header })
    }
}

/// Why a header cannot be read.
pub(super) type Why = &'static str;

pub(super) const CUT_OFF: Why = "its header is cut off";

/// Formats of which only the size is wanted.
fn other(bytes: &[u8], media_type: &'static str) -> Result<Header, Why> {
    let format = match media_type {
        "image/vnd.microsoft.icon" => "ico",
        "image/vnd.adobe.photoshop" => "psd",
        other => other.strip_prefix("image/").unwrap_or(other),
    };
    let size = imagesize::blob_size(bytes).map_err(|_| "its header cannot be read")?;
    let number = |side: usize| u32::try_from(side).map_err(|_| "its size makes no sense");
    let bits = if format == "bmp" { bytes::le16(bytes, 28) } else { None };
    Ok(Header { format, width: number(size.width)?, height: number(size.height)?, bits, ..Header::default() })
}
