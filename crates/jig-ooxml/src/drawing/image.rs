//! Image files that Office programs show: their kind, and the size at which they are placed.

use crate::image_header::{self, ImageFormat};

/// A kind of image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Bmp,
}

impl ImageKind {
    /// The usual extension.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Bmp => "bmp",
        }
    }

    /// The content type.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
        }
    }
}

/// An image file that can be placed: its kind, size and resolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ImageHeader {
    pub(crate) kind: ImageKind,
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
    /// Pixels per inch, as the file gives them.
    per_inch: Option<(f64, f64)>,
}

/// The resolution of screens, for images that give none.
const SCREEN: (f64, f64) = (96.0, 96.0);

impl ImageHeader {
    /// Reads the header of a file. None when it is not an image of a known kind, or has no size.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let format = ImageFormat::detect(bytes)?;
        let kind = match format {
            ImageFormat::Png => ImageKind::Png,
            ImageFormat::Jpeg => ImageKind::Jpeg,
            ImageFormat::Gif => ImageKind::Gif,
            ImageFormat::Bmp => ImageKind::Bmp,
            // Office programs do not show it.
            ImageFormat::Webp => return None,
        };
        let header = image_header::ImageHeader::read(format, bytes).ok()?;
        let image_header::ImageHeader { width, height, per_inch, .. } = header;
        (width > 0 && height > 0).then_some(Self { kind, width, height, per_inch })
    }

    /// Its natural size in inches. Files store resolutions per metre or centimetre, so they are rounded; implausible ones
    /// are replaced by that of screens.
    pub(crate) fn inches(&self) -> (f64, f64) {
        let plausible = |value: f64| (10.0..=10_000.0).contains(&value);
        let rounded = self.per_inch.map(|(x, y)| (x.round(), y.round()));
        let (x, y) = rounded.filter(|(x, y)| plausible(*x) && plausible(*y)).unwrap_or(SCREEN);
        (f64::from(self.width) / x, f64::from(self.height) / y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_header() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 44, 0, 0, 0, 150, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
        png.extend(b"\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\0\0\0\0");
        let jpeg =
            b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\x01\0\x48\0\x48\0\0\xFF\xC0\0\x11\x08\0\x48\0\x90\x03xxxxxxxxx";
        let gif = b"GIF89a\x60\0\xC0\0\0";
        let mut bmp = b"BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x60\0\0\0".to_vec();
        bmp.extend((-96_i32).to_le_bytes());
        let read = |bytes: &[u8]| ImageHeader::read(bytes).map(|image| (image.kind, image.width, image.inches()));
        assert_eq!(read(&png), Some((ImageKind::Png, 300, (1.0, 0.5))));
        assert_eq!(read(jpeg), Some((ImageKind::Jpeg, 144, (2.0, 1.0))));
        assert_eq!(read(gif), Some((ImageKind::Gif, 96, (1.0, 2.0))));
        assert_eq!(read(&bmp), Some((ImageKind::Bmp, 96, (1.0, 1.0))));
        assert_eq!(read(b"\xFF\xD8\xFF"), None);
        assert_eq!(read(b"GIF89a\0\0\0\0"), None);
        assert_eq!(read(b"<svg/>"), None);
    }
}
