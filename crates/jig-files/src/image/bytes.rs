//! Reading numbers out of bytes that may end anywhere.

/// Bytes at a place.
pub(super) fn at(bytes: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    bytes.get(start..start.checked_add(length)?)
}

pub(super) fn be16(bytes: &[u8], start: usize) -> Option<u32> {
    let bytes = at(bytes, start, 2)?.try_into().ok()?;
    Some(u32::from(u16::from_be_bytes(bytes)))
}

pub(super) fn be32(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_be_bytes(at(bytes, start, 4)?.try_into().ok()?))
}

pub(super) fn le16(bytes: &[u8], start: usize) -> Option<u32> {
    let bytes = at(bytes, start, 2)?.try_into().ok()?;
    Some(u32::from(u16::from_le_bytes(bytes)))
}

pub(super) fn le24(bytes: &[u8], start: usize) -> Option<u32> {
    let [a, b, c] = at(bytes, start, 3)?.try_into().ok()?;
    Some(u32::from_le_bytes([a, b, c, 0]))
}

pub(super) fn le32(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_le_bytes(at(bytes, start, 4)?.try_into().ok()?))
}
