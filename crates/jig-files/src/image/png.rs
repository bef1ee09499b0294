//! PNG: the chunks, without what is in the picture's own.

use super::bytes::{at, be32};
use super::header::{CUT_OFF, Header, Why};

pub(super) fn header(bytes: &[u8]) -> Result<Header, Why> {
    let [depth, color] = at(bytes, 24, 2).and_then(|two| <[u8; 2]>::try_from(two).ok()).ok_or(CUT_OFF)?;
    if at(bytes, 12, 4) != Some(b"IHDR".as_slice()) {
        return Err("its first chunk is not the header");
    }
    let channels = match color {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        6 => 4,
        _ => return Err("its colours are of an unknown sort"),
    };
    let mut header = Header {
        format: "png",
        width: be32(bytes, 16).ok_or(CUT_OFF)?,
        height: be32(bytes, 20).ok_or(CUT_OFF)?,
        bits: Some(u32::from(depth) * channels),
        alpha: Some(matches!(color, 4 | 6)),
        frames: Some(1),
        ..Header::default()
    };
    let mut ended = false;
    for (name, data) in chunks(bytes) {
        match name {
            b"tRNS" => header.alpha = Some(true),
            b"acTL" => header.frames = be32(data, 0).and_then(|count| usize::try_from(count).ok()),
            // One says that the unit is the metre.
            b"pHYs" if data.get(8) == Some(&1) => {
                let inch = |at| be32(data, at).map(|per_metre| f64::from(per_metre) * 0.0254);
                header.dpi = inch(0).zip(inch(4));
            }
            b"IEND" => ended = true,
            _ => {}
        }
    }
    if !ended {
        header.warnings.push("the picture is cut off: its end is missing".to_owned());
    }
    Ok(header)
}

/// Chunks with their data, as long as they are whole.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut place = 8;
    std::iter::from_fn(move || {
        let length = usize::try_from(be32(bytes, place)?).ok()?;
        let name = at(bytes, place + 4, 4)?.try_into().ok()?;
        let data = at(bytes, place + 8, length)?;
        place = place.checked_add(length)?.checked_add(12)?;
        Some((name, data))
    })
}
