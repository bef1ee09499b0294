//! An XML part as text: decoded on the way in, encoded as it was on the way out.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::tree::Tree;
use crate::error::PackageError;
use crate::limits::Limits;

/// A part's text with the encoding it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlPart {
    /// The part's name.
    pub name: String,
    /// The text. A mark of the byte order is part of it, so that it goes out as it came in.
    pub text: String,
    encoding: &'static Encoding,
}

impl XmlPart {
    /// A new part in UTF-8.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), encoding: UTF_8 }
    }

    /// Reads a part's bytes: UTF-8, or UTF-16 as the standard allows, or what the declaration names.
    pub fn decode(name: &str, bytes: Vec<u8>) -> Result<Self, PackageError> {
        let encoding = encoding_of(&bytes);
        if encoding == UTF_8 {
            let text = String::from_utf8(bytes)
                .map_err(|e| PackageError::part(name, e.utf8_error().valid_up_to(), "it is not UTF-8 text"))?;
            return Ok(Self { name: name.to_owned(), text, encoding });
        }
        let (text, failed) = encoding.decode_without_bom_handling(&bytes);
        if failed {
            return Err(PackageError::part(name, 0, format!("it is not {} text", encoding.name())));
        }
        Ok(Self { name: name.to_owned(), text: text.into_owned(), encoding })
    }

    /// The part's bytes.
    pub fn encode(&self) -> Vec<u8> {
        if self.encoding == UTF_16LE {
            return self.text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        if self.encoding == UTF_16BE {
            return self.text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        // What a legacy encoding lacks becomes a numeric reference, which XML reads the same.
        self.encoding.encode(&self.text).0.into_owned()
    }

    /// The part as a tree.
    pub fn tree(&self, limits: &Limits) -> Result<Tree<'_>, PackageError> {
        Tree::parse(&self.name, &self.text, limits)
    }
}

fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => UTF_16BE,
        _ => declared(bytes).unwrap_or(UTF_8),
    }
}

/// The encoding that the XML declaration names, when it is one that begins like ASCII.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(200))?;
    let head = head.get(..memchr::memchr(b'>', head)?)?;
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let from = head.get(memchr::memmem::find(head, b"encoding")? + 8..)?;
    let quote = from.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let label = from.get(quote + 1..)?;
    let label = label.get(..label.iter().position(|byte| matches!(byte, b'"' | b'\''))?)?;
    Encoding::for_label(label).filter(|encoding| encoding.is_ascii_compatible())
}
