//! Blob names: the BLAKE3 hash of the content.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A BLAKE3 hash, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct BlobHash(#[schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))] [u8; 32]);

/// A text that is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid hash: expected 64 lower-case hexadecimal digits")]
pub struct BadHash;

impl BlobHash {
    /// Creates a hash from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written in one piece, because a list of a thousand files writes each hash several times.
        let mut text = [0; 64];
        for ([high, low], byte) in text.as_chunks_mut().0.iter_mut().zip(self.0) {
            (*high, *low) = (letter(byte >> 4), letter(byte & 15));
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobHash({self})")
    }
}

impl From<BlobHash> for String {
    fn from(hash: BlobHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for BlobHash {
    type Error = BadHash;
    fn try_from(text: String) -> Result<Self, BadHash> {
        text.parse()
    }
}

impl std::str::FromStr for BlobHash {
    type Err = BadHash;
    fn from_str(text: &str) -> Result<Self, BadHash> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(BadHash);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

/// The fewest digits of a [`HashPrefix`]: 48 bits, far more than a workbench has files.
pub const HASH_PREFIX_MIN: usize = 12;

/// The beginning of a hash, long enough to identify the content of a file: 12 to 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HashPrefix {
    bytes: [u8; 32],
    digits: usize,
}

impl JsonSchema for HashPrefix {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HashPrefix".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{12,64}$" })
    }
}

/// A text that is not the beginning of a hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid hash: expected 12 to 64 hexadecimal digits")]
pub struct BadHashPrefix;

impl HashPrefix {
    /// Whether a hash begins with these digits.
    pub fn matches(&self, hash: &BlobHash) -> bool {
        let (whole, half) = (self.digits / 2, self.digits % 2 == 1);
        let same = |end: usize| self.bytes.get(..end) == hash.0.get(..end);
        same(whole) && (!half || self.bytes.get(whole).map(|b| b >> 4) == hash.0.get(whole).map(|b| b >> 4))
    }
}

impl fmt::Display for HashPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = BlobHash(self.bytes).to_string();
        f.write_str(text.get(..self.digits).unwrap_or_default())
    }
}

impl fmt::Debug for HashPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HashPrefix({self})")
    }
}

impl std::str::FromStr for HashPrefix {
    type Err = BadHashPrefix;
    fn from_str(text: &str) -> Result<Self, BadHashPrefix> {
        let digits = text.len();
        if !(HASH_PREFIX_MIN..=64).contains(&digits) || !text.is_ascii() {
            return Err(BadHashPrefix);
        }
        // The missing digits are zeros, and are not compared.
        let full = format!("{:0<64}", text.to_ascii_lowercase());
        let BlobHash(bytes) = full.parse().map_err(|BadHash| BadHashPrefix)?;
        Ok(Self { bytes, digits })
    }
}

impl TryFrom<String> for HashPrefix {
    type Error = BadHashPrefix;
    fn try_from(text: String) -> Result<Self, BadHashPrefix> {
        text.parse()
    }
}

impl From<HashPrefix> for String {
    fn from(prefix: HashPrefix) -> Self {
        prefix.to_string()
    }
}

fn letter(digit: u8) -> u8 {
    if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
}

fn digit(c: u8) -> Result<u8, BadHash> {
    match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'a'..=b'f' => Ok(c - b'a' + 10),
        _ => Err(BadHash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_and_read_the_same() {
        let hash = BlobHash::from_bytes(std::array::from_fn(|n| n as u8 * 7));
        assert_eq!(hash.to_string(), "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for bad in ["", "00", &"g".repeat(64), &"A".repeat(64), &"0".repeat(65), &"é".repeat(32)] {
            assert_eq!(bad.parse::<BlobHash>(), Err(BadHash), "{bad}");
        }
    }

    #[test]
    fn a_prefix_of_twelve_digits_identifies_a_hash() {
        let hash = BlobHash::from_bytes(std::array::from_fn(|n| n as u8 * 7));
        for text in ["00070e151c23", "00070E151C232A31", &hash.to_string()] {
            assert!(text.parse::<HashPrefix>().unwrap().matches(&hash), "{text}");
        }
        assert!(!"00070e151c24".parse::<HashPrefix>().unwrap().matches(&hash));
        for bad in ["", "00070e151c2", "g0070e151c23", &"0".repeat(65), "é0070e151c23"] {
            assert_eq!(bad.parse::<HashPrefix>(), Err(BadHashPrefix), "{bad}");
        }
    }
}
