//! JPEG: the segments up to the one that tells the size.

use super::bytes::{at, be16};
use super::header::{CUT_OFF, Header, Why};

pub(super) fn header(bytes: &[u8]) -> Result<Header, Why> {
    let mut dpi = None;
    let mut place = 2;
    loop {
        let marker = marker(bytes, &mut place).ok_or(CUT_OFF)?;
        let length = be16(bytes, place).and_then(|length| usize::try_from(length).ok()).ok_or(CUT_OFF)?;
        let data = at(bytes, place + 2, length.checked_sub(2).ok_or("a segment has no length")?).ok_or(CUT_OFF)?;
        match marker {
            0xE0 if data.starts_with(b"JFIF\0") => dpi = density(data),
            // Tables and the like have numbers among those of the frame.
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF => return frame(bytes, data, dpi),
            0xDA => return Err("the picture begins before its size is told"),
            _ => {}
        }
        place += length;
    }
}

/// The next marker; fill bytes may stand before it.
fn marker(bytes: &[u8], place: &mut usize) -> Option<u8> {
    if bytes.get(*place) != Some(&0xFF) {
        return None;
    }
    while bytes.get(*place) == Some(&0xFF) {
        *place += 1;
    }
    let marker = *bytes.get(*place)?;
    *place += 1;
    Some(marker)
}

fn density(data: &[u8]) -> Option<(f64, f64)> {
    let unit = match data.get(7)? {
        1 => 1.0,
        2 => 2.54,
        _ => return None,
    };
    let of = |at| be16(data, at).map(|density| f64::from(density) * unit).filter(|dpi| *dpi > 0.0);
    of(8).zip(of(10))
}

fn frame(bytes: &[u8], data: &[u8], dpi: Option<(f64, f64)>) -> Result<Header, Why> {
    let precision = *data.first().ok_or(CUT_OFF)?;
    let components = *data.get(5).ok_or(CUT_OFF)?;
    let mut header = Header {
        format: "jpeg",
        height: be16(data, 1).ok_or(CUT_OFF)?,
        width: be16(data, 3).ok_or(CUT_OFF)?,
        bits: Some(u32::from(precision) * u32::from(components)),
        alpha: Some(false),
        frames: Some(1),
        dpi,
        ..Header::default()
    };
    // Cameras append things behind the end, so it is looked for.
    if !bytes.windows(2).rev().any(|two| two == [0xFF, 0xD9]) {
        header.warnings.push("the picture is cut off: its end is missing".to_owned());
    }
    Ok(header)
}
