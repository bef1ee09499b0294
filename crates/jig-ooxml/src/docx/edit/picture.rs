//! Pictures: what kind a file is and how large, read from its first bytes.

/// A picture file that Word can show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Picture {
    /// The usual extension.
    pub(super) extension: &'static str,
    /// The content type.
    pub(super) content_type: &'static str,
    /// Pixels.
    pub(super) width: u32,
    /// Pixels.
    pub(super) height: u32,
    /// Pixels per inch, as the file says or as screens have it.
    pub(super) per_inch: (f64, f64),
}

/// The kinds that [`Picture::read`] knows, for messages.
pub(super) const KINDS: &str = "png, jpeg, gif or bmp";

const SCREEN: (f64, f64) = (96.0, 96.0);

impl Picture {
    /// Reads the head of a file. None when it is no picture of a known kind, or has no size.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let found = match bytes {
            [0x89, b'P', b'N', b'G', ..] => png(bytes),
            [0xFF, 0xD8, 0xFF, ..] => jpeg(bytes),
            [b'G', b'I', b'F', b'8', ..] => gif(bytes),
            [b'B', b'M', ..] => bmp(bytes),
            _ => None,
        };
        found.filter(|picture| picture.width > 0 && picture.height > 0)
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

/// A resolution that can be meant, or that of screens.
fn sensible(per_inch: Option<(f64, f64)>) -> (f64, f64) {
    let fits = |value: f64| (10.0..=4800.0).contains(&value);
    per_inch.filter(|(x, y)| fits(*x) && fits(*y)).unwrap_or(SCREEN)
}

fn png(bytes: &[u8]) -> Option<Picture> {
    let (width, height) = (big(bytes, 16)?, big(bytes, 20)?);
    let mut at = 8;
    let mut per_inch = None;
    // Chunks before the pixels; there are few.
    for _ in 0..64 {
        let (Some(len), Some(kind)) = (big(bytes, at), bytes.get(at + 4..at + 8)) else { break };
        if kind == b"IDAT" {
            break;
        }
        if kind == b"pHYs" && bytes.get(at + 16) == Some(&1) {
            per_inch = big(bytes, at + 8)
                .zip(big(bytes, at + 12))
                .map(|(x, y)| (f64::from(x) * 0.0254, f64::from(y) * 0.0254));
        }
        let Some(next) = (len as usize).checked_add(12).and_then(|len| at.checked_add(len)) else { break };
        at = next;
    }
    Some(Picture { extension: "png", content_type: "image/png", width, height, per_inch: sensible(per_inch) })
}

fn jpeg(bytes: &[u8]) -> Option<Picture> {
    let mut at = 2;
    let mut per_inch = None;
    loop {
        while bytes.get(at) == Some(&0xFF) && bytes.get(at + 1) == Some(&0xFF) {
            at += 1;
        }
        if bytes.get(at) != Some(&0xFF) {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0x01 | 0xD0..=0xD8 => {
                at += 2;
                continue;
            }
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                let (height, width) = (big_short(bytes, at + 5)?, big_short(bytes, at + 7)?);
                let per_inch = sensible(per_inch);
                return Some(Picture { extension: "jpeg", content_type: "image/jpeg", width, height, per_inch });
            }
            0xE0 if bytes.get(at + 4..at + 8) == Some(b"JFIF") => {
                let density = big_short(bytes, at + 12).zip(big_short(bytes, at + 14));
                let unit = match bytes.get(at + 11) {
                    Some(1) => Some(1.0),
                    Some(2) => Some(2.54),
                    _ => None,
                };
                per_inch = density.zip(unit).map(|((x, y), unit)| (f64::from(x) * unit, f64::from(y) * unit));
            }
            _ => {}
        }
        at = at.checked_add(2)?.checked_add(big_short(bytes, at + 2)?.max(2) as usize)?;
    }
}

fn gif(bytes: &[u8]) -> Option<Picture> {
    let (width, height) = (little_short(bytes, 6)?, little_short(bytes, 8)?);
    Some(Picture { extension: "gif", content_type: "image/gif", width, height, per_inch: SCREEN })
}

fn bmp(bytes: &[u8]) -> Option<Picture> {
    // A negative height says that the rows run from the top.
    let (width, height) = (little(bytes, 18)?, little(bytes, 22)?.cast_signed().unsigned_abs());
    Some(Picture { extension: "bmp", content_type: "image/bmp", width, height, per_inch: SCREEN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_head() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 0, 0, 0, 0, 128, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
        png.extend(b"\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\0\0\0\0");
        let read = Picture::read(&png).map(|p| (p.extension, p.width, p.height, p.per_inch.0.round()));
        assert_eq!(read, Some(("png", 256, 128, 300.0)));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\x01\0\x48\0\x48\0\0\xFF\xC0\0\x11\x08\0\x10\0\x20\x03";
        let read = Picture::read(jpeg).map(|p| (p.extension, p.width, p.height, p.per_inch));
        assert_eq!(read, Some(("jpeg", 32, 16, (72.0, 72.0))));
        let gif = Picture::read(b"GIF89a\x05\0\x06\0").map(|p| (p.width, p.height));
        assert_eq!(gif, Some((5, 6)));
        assert_eq!(Picture::read(b"\xFF\xD8\xFF"), None);
        assert_eq!(Picture::read(b"<svg/>"), None);
    }
}
