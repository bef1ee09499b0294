//! Image files: what their headers say, and the image itself at a size that fits.
//!
//! Metadata comes from headers alone; no pixel is decoded for it. Of EXIF only a summary is given: that a position was
//! recorded is reported, the position itself is not.

mod draw;
mod exif;
mod header;
mod render;
mod svg;

use std::error::Error as StdError;
use std::sync::Arc;

use jig_file_api::read::image::{ImageMetadata, RenderQuery, RenderedImage, Resolution};

use self::draw::DrawingCost;
use self::exif::Exif;
use self::header::{Header, HeaderError};
use crate::engine::{FileError, Reason};
use crate::kind::FileKind;

/// An error of a library that decodes or encodes images.
type Source = Box<dyn StdError + Send + Sync>;

/// Why an image file cannot be read or rendered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    /// The content is something else.
    #[error("this is not an image: the content is {}", kind.words())]
    NotAnImage {
        /// What it is.
        kind: FileKind,
    },
    /// The header cannot be read.
    #[error("the image is damaged ({}): {source}", kind.words())]
    Header {
        /// What the file is.
        kind: FileKind,
        /// What is wrong.
        source: HeaderError,
    },
    /// A width or height of 0.
    #[error("the image is damaged: it has no width or no height")]
    NoSize,
    /// The pixels cannot be decoded.
    #[error("the image is damaged: {source}")]
    Pixels {
        /// What is wrong.
        source: Source,
    },
    /// An SVG that cannot be parsed or drawn.
    #[error("the drawing is damaged: {source}")]
    Drawing {
        /// What is wrong.
        source: Source,
    },
    /// An SVG that would take too long to draw.
    #[error("the drawing asks for too much: {cost}")]
    TooCostly {
        /// Which bound it exceeds.
        cost: DrawingCost,
    },
    /// An SVG whose canvas does not fit into memory.
    #[error("the drawing is too large to be shown")]
    NoCanvas,
    /// More pixels than are decoded.
    #[error("the image is too large to be shown: {width} by {height} pixels need more than {limit} bytes of memory")]
    TooManyPixels {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// The limit in bytes.
        limit: u64,
    },
    /// A result that is too large, however small its sides.
    #[error("the image cannot be brought below {limit} bytes")]
    NotSmallEnough {
        /// The limit in bytes.
        limit: usize,
    },
    /// A result that is too large.
    #[error("the image would have {bytes} bytes; at most {limit} are given. A smaller `max_px` helps")]
    TooManyBytes {
        /// Its bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A format that is only described.
    #[error("an image in the format {format} cannot be shown; png, jpg, gif, webp and svg can")]
    NotRenderable {
        /// The format.
        format: &'static str,
    },
    /// A size that is not offered.
    #[error("max_px: {value} is not between {least} and {most}")]
    MaxPixels {
        /// What was asked for.
        value: u32,
        /// The smallest value.
        least: u32,
        /// The largest value.
        most: u32,
    },
    /// The decoded image could not be encoded: a fault of the encoder, not of the file.
    #[error("internal error: the image cannot be written: {source}")]
    Encode {
        /// What is wrong.
        source: Source,
    },
}

impl From<ImageError> for FileError {
    fn from(error: ImageError) -> Self {
        let reason = match error {
            ImageError::NotAnImage { .. } | ImageError::NotRenderable { .. } => Reason::WrongKind,
            ImageError::Header { .. } | ImageError::NoSize | ImageError::Pixels { .. } | ImageError::Drawing { .. } => {
                Reason::Damaged
            }
            ImageError::TooCostly { .. }
            | ImageError::NoCanvas
            | ImageError::TooManyPixels { .. }
            | ImageError::NotSmallEnough { .. }
            | ImageError::TooManyBytes { .. } => Reason::TooLarge,
            ImageError::MaxPixels { .. } => Reason::Invalid,
            ImageError::Encode { .. } => Reason::Internal,
        };
        Self::new(reason, error.to_string())
    }
}

/// An image file whose header has been read.
#[derive(Debug)]
pub struct ImageFile {
    bytes: Arc<[u8]>,
    header: Header,
    exif: Option<Exif>,
}

impl ImageFile {
    pub(crate) fn open(bytes: Arc<[u8]>) -> Result<Self, ImageError> {
        let header = Header::read(&bytes)?;
        let exif = Exif::read(&bytes);
        Ok(Self { bytes, header, exif })
    }

    /// What the header and the EXIF say.
    pub fn metadata(&self) -> ImageMetadata {
        let Header { format, width, height, bits, alpha, frames, per_inch, .. } = self.header;
        // Turned by a quarter, it is as wide as the stored image is high.
        let turned = self.orientation() >= 5;
        let per_inch = per_inch.or_else(|| self.exif.as_ref().and_then(|exif| exif.per_inch));
        let tenths = |number: f64| (number * 10.0).round() / 10.0;
        ImageMetadata {
            format,
            width,
            height,
            size_bytes: self.bytes.len(),
            color_depth: bits,
            orientation: self.orientation(),
            shown_width: turned.then_some(height),
            shown_height: turned.then_some(width),
            has_alpha: alpha,
            frames,
            dpi: per_inch.map(|(x, y)| Resolution { x: tenths(x), y: tenths(y) }),
            exif: self.exif.as_ref().map(|exif| exif.summary.clone()),
            warnings: self.header.warnings.clone(),
        }
    }

    /// The image at a size that fits a page and a message.
    pub fn render(&self, query: &RenderQuery) -> Result<RenderedImage, FileError> {
        Ok(render::render(self, query)?)
    }

    /// How the image must be turned to stand upright: 1 to 8 as EXIF counts, 1 for not at all.
    fn orientation(&self) -> u8 {
        self.exif.as_ref().and_then(|exif| exif.orientation).unwrap_or(1)
    }

    /// What the header says, in words, for a comparison with another version.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let Header { format, width, height, bits, alpha, frames, .. } = &self.header;
        let mut facts = vec![("format", (*format).to_owned()), ("pixels", format!("{width} × {height}"))];
        let mut put = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
        put("bits a pixel", bits.map(|bits| bits.to_string()));
        put("transparency", alpha.map(|alpha| if alpha { "yes" } else { "no" }.to_owned()));
        put("frames", frames.map(|frames| frames.to_string()));
        put("turned by EXIF", Some(self.orientation()).filter(|turn| *turn != 1).map(|turn| turn.to_string()));
        facts
    }
}
