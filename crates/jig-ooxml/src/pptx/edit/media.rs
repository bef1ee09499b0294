//! Pictures as files: what they are, how large, and where they go in the package.

use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::package::Package;

/// EMU in an inch.
pub(super) const INCH: f64 = 914_400.0;

/// A picture that PowerPoint shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Picture {
    pub(super) extension: &'static str,
    pub(super) content_type: &'static str,
    /// In pixels.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels in an inch.
    pub(super) dpi: (f64, f64),
}

impl Picture {
    /// Reads the head of a PNG, JPEG, GIF or BMP file.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let found = png(bytes).or_else(|| jpeg(bytes)).or_else(|| gif(bytes)).or_else(|| bmp(bytes))?;
        (found.width > 0 && found.height > 0).then_some(found)
    }

    /// Its natural size in EMU.
    pub(super) fn size(&self) -> (f64, f64) {
        (f64::from(self.width) / self.dpi.0 * INCH, f64::from(self.height) / self.dpi.1 * INCH)
    }
}

fn picture(
    extension: &'static str,
    content_type: &'static str,
    width: u32,
    height: u32,
    dpi: Option<(f64, f64)>,
) -> Picture {
    let usable = dpi.filter(|(x, y)| (10.0..=10_000.0).contains(x) && (10.0..=10_000.0).contains(y));
    Picture { extension, content_type, width, height, dpi: usable.unwrap_or((96.0, 96.0)) }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn big_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(|two| u32::from(u16::from_be_bytes(two)))
}

fn little_short(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(|two| u32::from(u16::from_le_bytes(two)))
}

fn png(bytes: &[u8]) -> Option<Picture> {
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return None;
    }
    let (width, height) = (big(bytes, 16)?, big(bytes, 20)?);
    Some(picture("png", "image/png", width, height, png_dpi(bytes)))
}

/// The resolution that a PNG gives, in the chunks before its pixels.
fn png_dpi(bytes: &[u8]) -> Option<(f64, f64)> {
    let mut at = 8_usize;
    loop {
        let length = usize::try_from(big(bytes, at)?).ok()?;
        match bytes.get(at + 4..at + 8)? {
            b"pHYs" if bytes.get(at + 16) == Some(&1) => {
                let per_inch = |value: u32| f64::from(value) * 0.0254;
                return Some((per_inch(big(bytes, at + 8)?).round(), per_inch(big(bytes, at + 12)?).round()));
            }
            b"IDAT" | b"IEND" => return None,
            _ => at = at.checked_add(length)?.checked_add(12)?,
        }
    }
}

fn jpeg(bytes: &[u8]) -> Option<Picture> {
    if !bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        return None;
    }
    let mut dpi = None;
    let mut at = 2_usize;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xFF => at += 1,
            0x01 | 0xD0..=0xD8 => at += 2,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some(picture("jpeg", "image/jpeg", big_short(bytes, at + 7)?, big_short(bytes, at + 5)?, dpi));
            }
            _ => {
                if marker == 0xE0 && bytes.get(at + 4..at + 9) == Some(b"JFIF\0") {
                    dpi = jfif_dpi(bytes, at);
                }
                at = at.checked_add(2)?.checked_add(usize::try_from(big_short(bytes, at + 2)?).ok()?)?;
            }
        }
    }
}

fn jfif_dpi(bytes: &[u8], at: usize) -> Option<(f64, f64)> {
    let (x, y) = (f64::from(big_short(bytes, at + 12)?), f64::from(big_short(bytes, at + 14)?));
    match bytes.get(at + 11)? {
        1 => Some((x, y)),
        2 => Some(((x * 2.54).round(), (y * 2.54).round())),
        _ => None,
    }
}

fn gif(bytes: &[u8]) -> Option<Picture> {
    let known = bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a");
    known.then_some(())?;
    Some(picture("gif", "image/gif", little_short(bytes, 6)?, little_short(bytes, 8)?, None))
}

fn bmp(bytes: &[u8]) -> Option<Picture> {
    let little = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?).unsigned_abs());
    (bytes.starts_with(b"BM") && little(14)? >= 40).then_some(())?;
    Some(picture("bmp", "image/bmp", little(18)?, little(22)?, None))
}

/// Puts a picture into the package and gives its part. The same bytes are stored once.
pub(super) fn store(
    package: &mut Package,
    folder: &str,
    bytes: &[u8],
    extension: &str,
    content_type: &str,
) -> Result<String, Error> {
    let media = format!("{folder}media/");
    let ending = format!(".{extension}");
    let same = package.names().filter(|name| name.starts_with(&media) && name.ends_with(&ending));
    let same = same.filter(|name| package.declared_bytes(name) == Some(bytes.len() as u64));
    let same = same.into_iter().find(|name| package.read(name).is_ok_and(|found| found == bytes)).map(str::to_owned);
    if let Some(part) = same {
        return Ok(part);
    }
    let part = package.free_name(&format!("{media}image{{}}{ending}"));
    package.set(&part, bytes);
    ContentTypes::add_default(package, extension, content_type)?;
    // The extension may stand for another type in this package.
    ContentTypes::add(package, &part, content_type)?;
    Ok(part)
}
