//! GIF: the blocks, counted without decoding any.

use super::bytes::{at, le16};
use super::header::{CUT_OFF, Header, Why};

pub(super) fn header(bytes: &[u8]) -> Result<Header, Why> {
    let packed = *bytes.get(10).ok_or(CUT_OFF)?;
    let mut header = Header {
        format: "gif",
        width: le16(bytes, 6).ok_or(CUT_OFF)?,
        height: le16(bytes, 8).ok_or(CUT_OFF)?,
        bits: Some(u32::from(packed & 7) + 1),
        alpha: Some(false),
        ..Header::default()
    };
    let mut place = 13 + palette(packed);
    let mut frames = 0;
    let ended = loop {
        match bytes.get(place) {
            Some(0x3B) => break true,
            Some(0x21) => {
                // Of the graphic control the lowest bit says that a colour is transparent.
                if at(bytes, place + 1, 2) == Some(&[0xF9, 4][..])
                    && bytes.get(place + 3).is_some_and(|flags| flags & 1 == 1)
                {
                    header.alpha = Some(true);
                }
                place += 2;
            }
            Some(0x2C) => {
                frames += 1;
                let Some(packed) = bytes.get(place + 9) else { break false };
                // The size of the code words stands behind the palette.
                place += 11 + palette(*packed);
            }
            _ => break false,
        }
        match skip(bytes, place) {
            Some(next) => place = next,
            None => break false,
        }
    };
    header.frames = Some(frames);
    if !ended {
        header.warnings.push("the picture is cut off: its end is missing".to_owned());
    }
    Ok(header)
}

/// The bytes of a palette that a flag announces.
fn palette(packed: u8) -> usize {
    if packed & 0x80 == 0 { 0 } else { 3 << ((packed & 7) + 1) }
}

/// Behind a row of blocks that each begin with their length.
fn skip(bytes: &[u8], mut place: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(place)?);
        place += 1 + length;
        if length == 0 {
            return Some(place);
        }
    }
}
