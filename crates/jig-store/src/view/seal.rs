//! A checksum at the end of a small file, so that a torn file counts as missing.

const CHECKSUM: usize = 32;

/// Appends the checksum.
pub(super) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = blake3::hash(&bytes);
    bytes.extend_from_slice(sum.as_bytes());
    bytes
}

/// The content before the checksum, if the checksum is right.
pub(super) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    (blake3::hash(content).as_bytes() == sum).then_some(content)
}
