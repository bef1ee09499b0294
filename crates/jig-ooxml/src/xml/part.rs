//! An XML part as text: decoded on the way in, encoded as it was on the way out.

use std::cell::OnceCell;
use std::sync::Arc;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::tree::{Tree, TreeIndex};
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
        if self.encoding == UTF_8 {
            return self.text.clone().into_bytes();
        }
        // Readers differ in what they take a legacy encoding for: 0x80 in ISO-8859-1 is € to browsers
        // and to us, U+0080 to others. A reference is the same to all.
        self.encoding.encode(&referenced(&self.text)).0.into_owned()
    }

    /// The part as a tree.
    pub fn tree(&self, limits: &Limits) -> Result<Tree<'_>, PackageError> {
        Tree::parse(&self.name, &self.text, limits)
    }
}

/// A part that is parsed at most once, however often its tree is asked for. Its text never changes: an edit makes a new
/// one.
#[derive(Debug)]
pub(crate) struct ParsedPart {
    part: XmlPart,
    index: OnceCell<Arc<TreeIndex>>,
}

impl ParsedPart {
    pub(crate) fn new(part: XmlPart) -> Self {
        Self { part, index: OnceCell::new() }
    }

    /// The part's name.
    pub(crate) fn name(&self) -> &str {
        &self.part.name
    }

    /// The part's text.
    pub(crate) fn text(&self) -> &str {
        &self.part.text
    }

    /// The part as a tree.
    pub(crate) fn tree(&self, limits: &Limits) -> Result<Tree<'_>, PackageError> {
        if let Some(index) = self.index.get() {
            return Ok(Tree { source: &self.part.text, index: Arc::clone(index) });
        }
        let tree = self.part.tree(limits)?;
        Ok(Tree { source: tree.source, index: Arc::clone(self.index.get_or_init(|| tree.index)) })
    }

    /// The part with another text, in the same encoding.
    pub(crate) fn with_text(&self, text: String) -> XmlPart {
        XmlPart { name: self.part.name.clone(), text, encoding: self.part.encoding }
    }

    /// The part as it is written to the package.
    pub(crate) fn part(&self) -> &XmlPart {
        &self.part
    }
}

/// Markup with references for what is not ASCII, wherever XML reads references.
fn referenced(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len() + 64);
    let mut at = At::Text;
    for (start, c) in markup.char_indices() {
        match at {
            _ if c.is_ascii() => out.push(c),
            At::Text | At::Value(_) => out.push_str(&format!("&#x{:X};", u32::from(c))),
            At::Cdata => out.push_str(&format!("]]>&#x{:X};<![CDATA[", u32::from(c))),
            At::Tag | At::Raw(_) => out.push(c),
        }
        at = at.behind(c, markup, start);
    }
    out
}

/// Where in markup a character stands.
#[derive(Clone, Copy)]
enum At {
    Text,
    Tag,
    /// In the value of an attribute, with the quote that ends it.
    Value(char),
    /// In a comment or an instruction, with what ends it.
    Raw(&'static str),
    Cdata,
}

impl At {
    /// Where the next character stands, behind the one that starts at a byte.
    fn behind(self, c: char, markup: &str, start: usize) -> Self {
        let opens = |with: &str| markup.get(start..).is_some_and(|from| from.starts_with(with));
        let ends = |with: &str| markup.get(..start + c.len_utf8()).is_some_and(|seen| seen.ends_with(with));
        match (self, c) {
            (Self::Text, '<') if opens("<!--") => Self::Raw("-->"),
            (Self::Text, '<') if opens("<?") => Self::Raw("?>"),
            (Self::Text, '<') if opens("<![CDATA[") => Self::Cdata,
            (Self::Text, '<') => Self::Tag,
            (Self::Tag, '>') => Self::Text,
            (Self::Tag, '"' | '\'') => Self::Value(c),
            (Self::Value(quote), _) if c == quote => Self::Tag,
            (Self::Raw(end), '>') if ends(end) => Self::Text,
            (Self::Cdata, '>') if ends("]]>") => Self::Text,
            (same, _) => same,
        }
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
