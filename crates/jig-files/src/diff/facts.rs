//! What files that are not compared inside say of themselves.

use crate::kind::FileKind;

/// What can be told of two versions beside their sizes.
pub(super) fn notes(old: (FileKind, Option<&[u8]>), new: (FileKind, Option<&[u8]>)) -> Vec<String> {
    let mut notes = Vec::new();
    let size = |(kind, bytes): (FileKind, Option<&[u8]>)| bytes.filter(|_| kind.is_image()).and_then(dimensions);
    match (size(old), size(new)) {
        (Some(before), Some(after)) if before == after => notes.push(format!("{} × {} pixels", after.0, after.1)),
        (Some(before), Some(after)) => {
            notes.push(format!("{} × {} pixels before, {} × {} after", before.0, before.1, after.0, after.1));
        }
        (None, Some(only)) | (Some(only), None) => notes.push(format!("{} × {} pixels", only.0, only.1)),
        (None, None) => {}
    }
    let sum =
        |bytes: Option<&[u8]>| bytes.map(|bytes| blake3::hash(bytes).to_hex().chars().take(16).collect::<String>());
    match (sum(old.1), sum(new.1)) {
        (Some(before), Some(after)) if before != after => {
            notes.push(format!("BLAKE3 {before}… before, {after}… after"))
        }
        _ => {}
    }
    let seen = |(kind, _): (FileKind, Option<&[u8]>)| kind.is_image() || kind.as_str() == "pdf";
    if seen(new) || seen(old) {
        notes.push("a preview of both sides shows what changed".to_owned());
    }
    notes
}

/// Width and height of a picture, from its first bytes.
fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let at = |place: usize, len: usize| bytes.get(place..place + len);
    let big = |place: usize| Some(u32::from_be_bytes(at(place, 4)?.try_into().ok()?));
    let small = |place: usize| Some(u32::from(u16::from_le_bytes(at(place, 2)?.try_into().ok()?)));
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some((big(16)?, big(20)?)),
        [b'G', b'I', b'F', ..] => Some((small(6)?, small(8)?)),
        [0xFF, 0xD8, ..] => jpeg(bytes),
        _ => None,
    }
}

/// A JPEG says its size in the first frame header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let short = |place: usize| Some(u32::from(u16::from_be_bytes(bytes.get(place..place + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => return Some((short(at + 7)?, short(at + 5)?)),
            0xFF => at += 1,
            _ => at += 2 + short(at + 2)? as usize,
        }
    }
}
