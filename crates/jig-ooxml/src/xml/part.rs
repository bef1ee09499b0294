//! An XML part as text. It is decoded when it is read, and written in the same encoding.

use std::sync::{Arc, OnceLock};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::namespaces::Vocabulary;
use super::scan::encoding_of;
use super::tree::{Tree, TreeIndex};
use crate::error::{PackageError, PartFault};
use crate::limits::Limits;

/// The text of a part with its encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlPart {
    /// The part's name.
    pub name: String,
    /// The text. A byte order mark is part of it, so that it is written as it was read.
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
                .map_err(|e| PackageError::part(name, e.utf8_error().valid_up_to(), not_text(encoding)))?;
            return Ok(Self { name: name.to_owned(), text, encoding });
        }
        let (text, failed) = encoding.decode_without_bom_handling(&bytes);
        if failed {
            return Err(PackageError::part(name, 0, not_text(encoding)));
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
        // Programs decode legacy encodings differently: 0x80 in ISO-8859-1 is € in browsers and here, U+0080 in others.
        // References are unambiguous.
        self.encoding.encode(&referenced(&self.text)).0.into_owned()
    }

    /// The part as a tree.
    pub fn tree(&self, limits: &Limits) -> Result<Tree<'_>, PackageError> {
        Tree::parse(&self.name, &self.text, limits)
    }

    /// The part as a tree with the namespaces of another file format.
    pub fn tree_with(&self, limits: &Limits, vocabulary: Vocabulary) -> Result<Tree<'_>, PackageError> {
        Tree::parse_with(&self.name, &self.text, limits, vocabulary)
    }
}

fn not_text(encoding: &'static Encoding) -> PartFault {
    PartFault::Encoding { encoding: encoding.name() }
}

/// A part that is parsed at most once, however often its tree is requested. Its text never changes: an edit creates a new
/// one.
#[derive(Debug)]
pub(crate) struct ParsedPart {
    part: XmlPart,
    index: OnceLock<Arc<TreeIndex>>,
}

impl ParsedPart {
    pub(crate) fn new(part: XmlPart) -> Self {
        Self { part, index: OnceLock::new() }
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

/// Markup with references for characters that are not ASCII, where XML allows references.
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

/// The kind of markup that a character is in.
#[derive(Clone, Copy)]
enum At {
    Text,
    Tag,
    /// The value of an attribute, with the quote that ends it.
    Value(char),
    /// A comment or an instruction, with the mark that ends it.
    Raw(&'static str),
    Cdata,
}

impl At {
    /// The kind of markup after the character that starts at a byte.
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
