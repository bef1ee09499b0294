//! The headers of raster images: size, colours and resolution, read without decoding a pixel.
//!
//! The one reader of image headers: edits place images with it, and `jig-files` describes image files with it. Own code,
//! because the crates for this (`imagesize`) give the size alone, and decoders read the pixels too; `jig-files` uses
//! `imagesize` for the formats of which the size is enough.

/// The format of a raster image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG in any of its containers.
    Jpeg,
    /// GIF, animated or not.
    Gif,
    /// WebP, animated or not.
    Webp,
    /// Windows bitmap.
    Bmp,
}

impl ImageFormat {
    /// The format that the first bytes announce.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'B', b'M', ..] => Some(Self::Bmp),
            _ => None,
        }
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageHeader {
    /// The format.
    pub format: ImageFormat,
    /// Pixels; may be 0 in a damaged file.
    pub width: u32,
    /// Pixels; may be 0 in a damaged file.
    pub height: u32,
    /// Bits per pixel, all channels together.
    pub bits: Option<u32>,
    /// Whether pixels can be transparent.
    pub alpha: Option<bool>,
    /// Frames, in formats that can have several.
    pub frames: Option<usize>,
    /// Pixels per inch, as the file gives them: neither rounded nor checked for plausibility.
    pub per_inch: Option<(f64, f64)>,
    /// Whether the end of the file is missing.
    pub cut_off: bool,
}

/// Why a header cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageHeaderError {
    /// The file ends inside the header.
    #[error("its header is cut off")]
    CutOff,
    /// A PNG file must begin with its header chunk.
    #[error("its first chunk is not the header")]
    FirstChunk,
    /// A color type that PNG does not define.
    #[error("its colours are of an unknown sort")]
    ColorType,
    /// A JPEG segment that is shorter than its own length field.
    #[error("a segment has no length")]
    SegmentLength,
    /// JPEG pixel data before the frame header.
    #[error("the picture begins before its size is told")]
    PixelsFirst,
}

use ImageHeaderError::CutOff;

impl ImageHeader {
    /// Reads the header of a file in this format.
    pub fn read(format: ImageFormat, bytes: &[u8]) -> Result<Self, ImageHeaderError> {
        match format {
            ImageFormat::Png => png(bytes),
            ImageFormat::Jpeg => jpeg(bytes),
            ImageFormat::Gif => gif(bytes),
            ImageFormat::Webp => webp(bytes),
            ImageFormat::Bmp => bmp(bytes),
        }
    }

    const fn new(format: ImageFormat, width: u32, height: u32) -> Self {
        Self { format, width, height, bits: None, alpha: None, frames: None, per_inch: None, cut_off: false }
    }
}

/// Bytes at a position that may be past the end.
fn at(bytes: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    bytes.get(start..start.checked_add(length)?)
}

fn be16(bytes: &[u8], start: usize) -> Option<u32> {
    let bytes = at(bytes, start, 2)?.try_into().ok()?;
    Some(u32::from(u16::from_be_bytes(bytes)))
}

fn be32(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_be_bytes(at(bytes, start, 4)?.try_into().ok()?))
}

fn le16(bytes: &[u8], start: usize) -> Option<u32> {
    let bytes = at(bytes, start, 2)?.try_into().ok()?;
    Some(u32::from(u16::from_le_bytes(bytes)))
}

fn le24(bytes: &[u8], start: usize) -> Option<u32> {
    let [a, b, c] = at(bytes, start, 3)?.try_into().ok()?;
    Some(u32::from_le_bytes([a, b, c, 0]))
}

fn le32(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_le_bytes(at(bytes, start, 4)?.try_into().ok()?))
}

fn png(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
    let [depth, color] = at(bytes, 24, 2).and_then(|two| <[u8; 2]>::try_from(two).ok()).ok_or(CutOff)?;
    if at(bytes, 12, 4) != Some(b"IHDR".as_slice()) {
        return Err(ImageHeaderError::FirstChunk);
    }
    let channels = match color {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        6 => 4,
        _ => return Err(ImageHeaderError::ColorType),
    };
    let mut header = ImageHeader::new(ImageFormat::Png, be32(bytes, 16).ok_or(CutOff)?, be32(bytes, 20).ok_or(CutOff)?);
    header.bits = Some(u32::from(depth) * channels);
    header.alpha = Some(matches!(color, 4 | 6));
    header.frames = Some(1);
    header.cut_off = true;
    for (name, data) in png_chunks(bytes) {
        match name {
            // A transparent color of the palette, or of all pixels.
            b"tRNS" => header.alpha = Some(true),
            b"acTL" => header.frames = be32(data, 0).and_then(|count| usize::try_from(count).ok()),
            // The unit 1 is pixels per metre.
            b"pHYs" if data.get(8) == Some(&1) => {
                let inch = |at| be32(data, at).map(|per_metre| f64::from(per_metre) * 0.0254);
                header.per_inch = inch(0).zip(inch(4));
            }
            b"IEND" => header.cut_off = false,
            _ => {}
        }
    }
    Ok(header)
}

/// Chunks with their data, up to the first one that is cut off.
fn png_chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut position = 8;
    std::iter::from_fn(move || {
        let length = usize::try_from(be32(bytes, position)?).ok()?;
        let name = at(bytes, position + 4, 4)?.try_into().ok()?;
        let data = at(bytes, position + 8, length)?;
        // Length, name and checksum take twelve bytes.
        position = position.checked_add(length)?.checked_add(12)?;
        Some((name, data))
    })
}

/// The segments up to the frame header, which has the size.
fn jpeg(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
    let mut per_inch = None;
    let mut position = 2;
    loop {
        let marker = jpeg_marker(bytes, &mut position).ok_or(CutOff)?;
        // These have no length and no data.
        if matches!(marker, 0x01 | 0xD0..=0xD8) {
            continue;
        }
        let length = be16(bytes, position).and_then(|length| usize::try_from(length).ok()).ok_or(CutOff)?;
        // A length counts its own two bytes.
        let data_length = length.checked_sub(2).ok_or(ImageHeaderError::SegmentLength)?;
        let data = at(bytes, position + 2, data_length).ok_or(CutOff)?;
        match marker {
            0xE0 if data.starts_with(b"JFIF\0") => per_inch = jfif_resolution(data),
            // Tables that have numbers among those of frame headers.
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF => return jpeg_frame(bytes, data, per_inch),
            0xDA => return Err(ImageHeaderError::PixelsFirst),
            _ => {}
        }
        position += length;
    }
}

/// The next marker; fill bytes may come before it.
fn jpeg_marker(bytes: &[u8], position: &mut usize) -> Option<u8> {
    if bytes.get(*position) != Some(&0xFF) {
        return None;
    }
    while bytes.get(*position) == Some(&0xFF) {
        *position += 1;
    }
    let marker = *bytes.get(*position)?;
    *position += 1;
    Some(marker)
}

fn jfif_resolution(data: &[u8]) -> Option<(f64, f64)> {
    let unit = match data.get(7)? {
        1 => 1.0,
        // Pixels per centimetre.
        2 => 2.54,
        _ => return None,
    };
    let side = |at| be16(data, at).map(|density| f64::from(density) * unit).filter(|dpi| *dpi > 0.0);
    side(8).zip(side(10))
}

fn jpeg_frame(bytes: &[u8], data: &[u8], per_inch: Option<(f64, f64)>) -> Result<ImageHeader, ImageHeaderError> {
    let precision = *data.first().ok_or(CutOff)?;
    let components = *data.get(5).ok_or(CutOff)?;
    let mut header = ImageHeader::new(ImageFormat::Jpeg, be16(data, 3).ok_or(CutOff)?, be16(data, 1).ok_or(CutOff)?);
    header.bits = Some(u32::from(precision) * u32::from(components));
    header.alpha = Some(false);
    header.frames = Some(1);
    header.per_inch = per_inch;
    // Cameras append data after the end marker, so it is searched for from the end.
    header.cut_off = !bytes.windows(2).rev().any(|two| two == [0xFF, 0xD9]);
    Ok(header)
}

/// The blocks, counted without decoding any.
fn gif(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
    let mut header = ImageHeader::new(ImageFormat::Gif, le16(bytes, 6).ok_or(CutOff)?, le16(bytes, 8).ok_or(CutOff)?);
    let packed = *bytes.get(10).ok_or(CutOff)?;
    header.bits = Some(u32::from(packed & 7) + 1);
    header.alpha = Some(false);
    let mut position = 13 + gif_palette(packed);
    let mut frames = 0;
    let ended = loop {
        match bytes.get(position) {
            // The trailer.
            Some(0x3B) => break true,
            // An extension. The lowest bit of a graphic control says that one color is transparent.
            Some(0x21) => {
                if at(bytes, position + 1, 2) == Some(&[0xF9, 4][..])
                    && bytes.get(position + 3).is_some_and(|flags| flags & 1 == 1)
                {
                    header.alpha = Some(true);
                }
                position += 2;
            }
            // A frame: its own palette and the size of the code words come before its data.
            Some(0x2C) => {
                frames += 1;
                let Some(packed) = bytes.get(position + 9) else { break false };
                position += 11 + gif_palette(*packed);
            }
            _ => break false,
        }
        match skip_sub_blocks(bytes, position) {
            Some(next) => position = next,
            None => break false,
        }
    };
    header.frames = Some(frames);
    header.cut_off = !ended;
    Ok(header)
}

/// The bytes of a palette that a flag announces.
fn gif_palette(packed: u8) -> usize {
    if packed & 0x80 == 0 { 0 } else { 3 << ((packed & 7) + 1) }
}

/// The position after blocks that each begin with their length; the last one is empty.
fn skip_sub_blocks(bytes: &[u8], mut position: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(position)?);
        position += 1 + length;
        if length == 0 {
            return Some(position);
        }
    }
}

/// The chunks of the container. An extended header comes first and decides about size and transparency.
fn webp(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
    let mut found: Option<(u32, u32, bool)> = None;
    let mut frames = 0_usize;
    let mut position = 12_usize;
    while let (Some(name), Some(length)) = (at(bytes, position, 4), le32(bytes, position + 4)) {
        let length = usize::try_from(length).map_err(|_| CutOff)?;
        let start = position + 8;
        let data = bytes.get(start..).unwrap_or_default();
        match name {
            b"VP8X" => {
                let side = |at| le24(data, at).map(|side| side + 1).ok_or(CutOff);
                found = Some((side(4)?, side(7)?, data.first().is_some_and(|flags| flags & 0x10 != 0)));
            }
            b"VP8 " if found.is_none() => {
                let side = |at| le16(data, at).map(|side| side & 0x3FFF).ok_or(CutOff);
                found = Some((side(6)?, side(8)?, false));
            }
            b"VP8L" if found.is_none() => {
                let packed = le32(data, 1).ok_or(CutOff)?;
                found = Some(((packed & 0x3FFF) + 1, ((packed >> 14) & 0x3FFF) + 1, packed & (1 << 28) != 0));
            }
            b"ANMF" => frames += 1,
            _ => {}
        }
        // Chunks begin at even positions.
        position = start.saturating_add(length).saturating_add(length % 2);
    }
    let (width, height, alpha) = found.ok_or(CutOff)?;
    Ok(ImageHeader {
        bits: Some(if alpha { 32 } else { 24 }),
        alpha: Some(alpha),
        frames: Some(frames.max(1)),
        cut_off: position > bytes.len(),
        ..ImageHeader::new(ImageFormat::Webp, width, height)
    })
}

fn bmp(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
    let (width, height, bits) = if le32(bytes, 14).ok_or(CutOff)? < 40 {
        // The header of before Windows 3.0.
        (le16(bytes, 18).ok_or(CutOff)?, le16(bytes, 20).ok_or(CutOff)?, le16(bytes, 24))
    } else {
        // A negative height says that the rows run from the top.
        let side = |at| le32(bytes, at).map(|value| value.cast_signed().unsigned_abs()).ok_or(CutOff);
        (side(18)?, side(22)?, le16(bytes, 28))
    };
    Ok(ImageHeader { bits, ..ImageHeader::new(ImageFormat::Bmp, width, height) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<ImageHeader, ImageHeaderError> {
        ImageHeader::read(ImageFormat::detect(bytes).unwrap(), bytes)
    }

    #[test]
    fn segments_without_a_length_are_passed_over() {
        let jpeg = b"\xFF\xD8\xFF\x01\xFF\xFF\xD0\xFF\xC0\0\x11\x08\0\x48\0\x90\x03xxxxxxxxx\xFF\xD9";
        let header = read(jpeg).unwrap();
        assert_eq!((header.width, header.height, header.bits, header.cut_off), (144, 72, Some(24), false));
    }

    #[test]
    fn both_headers_of_bitmaps_are_read() {
        let old = b"BM\0\0\0\0\0\0\0\0\0\0\0\0\x0C\0\0\0\x05\0\x07\0\x01\0\x18\0";
        let new = b"BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x05\0\0\0\xF9\xFF\xFF\xFF\x01\0\x18\0";
        for bytes in [&old[..], new] {
            let header = read(bytes).unwrap();
            assert_eq!((header.width, header.height, header.bits), (5, 7, Some(24)));
        }
    }

    #[test]
    fn every_beginning_of_a_file_is_refused_or_read() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x02\x08\x06\0\0\0\0\0\0\0".to_vec();
        png.extend(b"\0\0\0\x09pHYs\0\0\x2e\x23\0\0\x2e\x23\x01\0\0\0\0");
        for end in 8..26 {
            assert_eq!(read(&png[..end]), Err(CutOff), "{end}");
        }
        let header = read(&png).unwrap();
        assert_eq!((header.width, header.height, header.bits, header.cut_off), (1, 2, Some(32), true));
        assert!(header.per_inch.is_some());
    }
}
