//! Image files that Office programs show: their kind, size and resolution, read from the header.

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

/// The header of an image file.
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
        let found = match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => png(bytes),
            [0xFF, 0xD8, 0xFF, ..] => jpeg(bytes),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => gif(bytes),
            [b'B', b'M', ..] => bmp(bytes),
            _ => None,
        };
        found.filter(|image| image.width > 0 && image.height > 0)
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

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn big_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes).map(u32::from)
}

fn little_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes).map(u32::from)
}

fn png(bytes: &[u8]) -> Option<ImageHeader> {
    let (width, height) = (big(bytes, 16)?, big(bytes, 20)?);
    Some(ImageHeader { kind: ImageKind::Png, width, height, per_inch: png_resolution(bytes) })
}

/// The resolution in the chunk `pHYs`, which comes before the pixels.
fn png_resolution(bytes: &[u8]) -> Option<(f64, f64)> {
    let mut at = 8_usize;
    loop {
        let length = usize::try_from(big(bytes, at)?).ok()?;
        match bytes.get(at + 4..at + 8)? {
            // The unit 1 is pixels per metre.
            b"pHYs" if bytes.get(at + 16) == Some(&1) => {
                let (x, y) = (big(bytes, at + 8)?, big(bytes, at + 12)?);
                return Some((f64::from(x) * 0.0254, f64::from(y) * 0.0254));
            }
            b"IDAT" | b"IEND" => return None,
            // Length, name and checksum take twelve bytes.
            _ => at = at.checked_add(length)?.checked_add(12)?,
        }
    }
}

fn jpeg(bytes: &[u8]) -> Option<ImageHeader> {
    let mut per_inch = None;
    let mut at = 2_usize;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Markers may be padded.
            0xFF => at += 1,
            // These have no length.
            0x01 | 0xD0..=0xD8 => at += 2,
            // The start of a frame has the size.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let (height, width) = (big_short(bytes, at + 5)?, big_short(bytes, at + 7)?);
                return Some(ImageHeader { kind: ImageKind::Jpeg, width, height, per_inch });
            }
            _ => {
                if marker == 0xE0 && bytes.get(at + 4..at + 8) == Some(b"JFIF") {
                    per_inch = jfif_resolution(bytes, at);
                }
                // A length counts its own two bytes.
                let length = usize::try_from(big_short(bytes, at + 2)?.max(2)).ok()?;
                at = at.checked_add(2)?.checked_add(length)?;
            }
        }
    }
}

fn jfif_resolution(bytes: &[u8], at: usize) -> Option<(f64, f64)> {
    let (x, y) = (f64::from(big_short(bytes, at + 12)?), f64::from(big_short(bytes, at + 14)?));
    match bytes.get(at + 11)? {
        1 => Some((x, y)),
        // Pixels per centimetre.
        2 => Some((x * 2.54, y * 2.54)),
        _ => None,
    }
}

fn gif(bytes: &[u8]) -> Option<ImageHeader> {
    let (width, height) = (little_short(bytes, 6)?, little_short(bytes, 8)?);
    Some(ImageHeader { kind: ImageKind::Gif, width, height, per_inch: None })
}

fn bmp(bytes: &[u8]) -> Option<ImageHeader> {
    // Older headers are shorter and have the size elsewhere.
    if little(bytes, 14)? < 40 {
        return None;
    }
    // A negative height says that the rows run from the top.
    let (width, height) = (little(bytes, 18)?, little(bytes, 22)?);
    let size = |value: u32| value.cast_signed().unsigned_abs();
    Some(ImageHeader { kind: ImageKind::Bmp, width: size(width), height: size(height), per_inch: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_header() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 44, 0, 0, 0, 150, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
        png.extend(b"\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\0\0\0\0");
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\x01\0\x48\0\x48\0\0\xFF\xC0\0\x11\x08\0\x48\0\x90\x03";
        let gif = b"GIF89a\x60\0\xC0\0";
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
