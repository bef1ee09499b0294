//! WebP: the chunks of its container.

use super::bytes::{at, le16, le24, le32};
use super::header::{CUT_OFF, Header, Why};

pub(super) fn header(bytes: &[u8]) -> Result<Header, Why> {
    let mut header = Header { format: "webp", frames: Some(1), ..Header::default() };
    let mut pictures = 0;
    let mut place = 12;
    let mut known = false;
    while let (Some(name), Some(length)) = (at(bytes, place, 4), le32(bytes, place + 4)) {
        let length = usize::try_from(length).map_err(|_| CUT_OFF)?;
        let start = place + 8;
        let data = bytes.get(start..).unwrap_or_default();
        match name {
            b"VP8X" => {
                header.width = le24(data, 4).ok_or(CUT_OFF)? + 1;
                header.height = le24(data, 7).ok_or(CUT_OFF)? + 1;
                set_alpha(&mut header, data.first().is_some_and(|flags| flags & 0x10 != 0));
                known = true;
            }
            b"VP8 " if !known => {
                let side = |at| le16(data, at).map(|side| side & 0x3FFF).ok_or(CUT_OFF);
                (header.width, header.height) = (side(6)?, side(8)?);
                set_alpha(&mut header, false);
                known = true;
            }
            b"VP8L" if !known => {
                let packed = le32(data, 1).ok_or(CUT_OFF)?;
                (header.width, header.height) = ((packed & 0x3FFF) + 1, ((packed >> 14) & 0x3FFF) + 1);
                set_alpha(&mut header, packed & (1 << 28) != 0);
                known = true;
            }
            b"ANMF" => pictures += 1,
            _ => {}
        }
        // Chunks begin at even places.
        place = start.saturating_add(length).saturating_add(length % 2);
    }
    if !known {
        return Err(CUT_OFF);
    }
    header.frames = Some(pictures.max(1));
    if place > bytes.len() {
        header.warnings.push("the picture is cut off: its end is missing".to_owned());
    }
    Ok(header)
}

fn set_alpha(header: &mut Header, alpha: bool) {
    header.alpha = Some(alpha);
    header.bits = Some(if alpha { 32 } else { 24 });
}
