//! The tokenizer: where tags, attributes, text and other markup begin and end, and which encoding a part has.
//!
//! It works on bytes and returns positions; nothing is copied or decoded. [`Tokens`] walks a complete part for the tree, and
//! the streams of large sheets use the functions below it on their window of a part.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memmem};

use crate::error::PartFault;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A start tag with the length of its name.
    Open { name_len: usize, empty: bool },
    /// An end tag with the length of its name.
    Close { name_len: usize },
    /// Text, with its references.
    Text,
    /// A CDATA section.
    Cdata,
    /// A comment or a processing instruction.
    Aside,
    /// A document type.
    DocType,
}

/// Markup that is not well-formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) fault: PartFault,
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    source: &'a [u8],
    /// Where the next token begins.
    pub(super) at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str, at: usize) -> Self {
        Self { source: source.as_bytes(), at }
    }

    /// The next token, which ends at the new value of `at`; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Fault> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let (token, len) = match rest {
            [] => return Ok(None),
            [b'<', ..] => match Markup::of(rest) {
                Markup::StartTag => self.open(rest)?,
                Markup::EndTag => self.close(rest)?,
                Markup::Declaration => self.declaration(rest)?,
                Markup::Comment => (Token::Aside, self.end_of(rest, "a comment")?),
                Markup::Instruction => (Token::Aside, self.end_of(rest, "a processing instruction")?),
                Markup::Cdata => (Token::Cdata, self.end_of(rest, "character data")?),
            },
            _ => (Token::Text, memchr(b'<', rest).unwrap_or(rest.len())),
        };
        self.at += len;
        Ok(Some(token))
    }

    fn open(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let end = tag_end(rest).ok_or_else(|| self.not_closed("a tag"))?;
        let inside = rest.get(1..end).unwrap_or_default();
        let (inside, empty) = match inside.strip_suffix(b"/") {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let name_len = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        if name_len == 0 {
            return Err(self.fault(PartFault::NoName));
        }
        Ok((Token::Open { name_len, empty }, end + 1))
    }

    fn close(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let end = memchr(b'>', rest).ok_or_else(|| self.not_closed("an end tag"))?;
        let name_len = rest.get(2..end).unwrap_or_default().trim_ascii_end().len();
        Ok((Token::Close { name_len }, end + 1))
    }

    fn declaration(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        if rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case(b"DOCTYPE")) {
            // The parser refuses it, so its end does not matter.
            return Ok((Token::DocType, rest.len()));
        }
        Err(self.fault(PartFault::UnknownDeclaration))
    }

    fn end_of(&self, rest: &[u8], what: &'static str) -> Result<usize, Fault> {
        markup_end(rest, 0).ok_or_else(|| self.not_closed(what))
    }

    fn not_closed(&self, what: &'static str) -> Fault {
        self.fault(PartFault::NotClosed { what })
    }

    fn fault(&self, fault: PartFault) -> Fault {
        Fault { at: self.at, fault }
    }
}

/// The kind of markup that begins with `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    StartTag,
    EndTag,
    Comment,
    Instruction,
    Cdata,
    /// `<!` that starts something else, such as a document type.
    Declaration,
}

impl Markup {
    /// The kind of what begins with these bytes, of which the first is `<`. Nine bytes are enough to distinguish all.
    pub(crate) fn of(rest: &[u8]) -> Self {
        match rest.get(1) {
            Some(b'/') => Self::EndTag,
            Some(b'?') => Self::Instruction,
            Some(b'!') if rest.starts_with(b"<!--") => Self::Comment,
            Some(b'!') if rest.starts_with(b"<![CDATA[") => Self::Cdata,
            Some(b'!') => Self::Declaration,
            _ => Self::StartTag,
        }
    }

    /// The length of what begins it and the mark that ends it; none for tags, which end with a `>` outside quotes.
    pub(crate) fn delimiters(self) -> Option<(usize, &'static [u8])> {
        match self {
            Self::Comment => Some((4, b"-->")),
            Self::Instruction => Some((2, b"?>")),
            Self::Cdata => Some((9, b"]]>")),
            Self::StartTag | Self::EndTag | Self::Declaration => None,
        }
    }
}

/// The end of the markup that begins at `start` (a `<`), after its `>`. None if the bytes end before.
pub(crate) fn markup_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    let len = match Markup::of(rest).delimiters() {
        Some((opening, mark)) => opening + memmem::find(rest.get(opening..)?, mark)? + mark.len(),
        // `<!` at the end of the bytes could still become a comment; then its `>` is missing too.
        None => tag_end(rest)? + 1,
    };
    Some(start + len)
}

/// The position of the `>` that ends a tag; one inside quotes does not.
pub(crate) fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    // Two searches, outside and inside quotes, so that neither needs a state for each byte.
    loop {
        let rest = tag.get(at..)?;
        let found = rest.iter().position(|byte| matches!(byte, b'>' | b'"' | b'\''))?;
        let quote = *rest.get(found)?;
        if quote == b'>' {
            return Some(at + found);
        }
        let quoted = rest.get(found + 1..)?;
        at += found + 1 + quoted.iter().position(|byte| *byte == quote)? + 1;
    }
}

/// An attribute of a tag. Ranges count from the start of the bytes that were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawAttribute<'a> {
    /// The qualified name.
    pub(crate) name: &'a [u8],
    /// The value, with its references.
    pub(crate) value: &'a [u8],
    /// Where the name begins.
    pub(crate) start: usize,
    /// From the space before the name to the closing quote.
    pub(crate) whole: Range<usize>,
    /// The value between its quotes.
    pub(crate) value_range: Range<usize>,
}

/// The attributes of a tag in their order. It is lenient, since the tokenizer checks only where a tag ends: it ends at the
/// first attribute that is not well-formed.
#[derive(Debug, Clone)]
pub(crate) struct Attributes<'a> {
    tag: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    /// The attributes after the name of a tag, which ends at `name_end`.
    pub(crate) fn new(tag: &'a [u8], name_end: usize) -> Self {
        Self { tag, at: name_end }
    }

    fn skip_space(&self, from: usize) -> usize {
        let rest = self.tag.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = RawAttribute<'a>;

    // Names and values are a few bytes long: searching them byte by byte is faster than calling memchr.
    fn next(&mut self) -> Option<RawAttribute<'a>> {
        let find = |from: usize, byte: u8| {
            let found = self.tag.get(from..)?.iter().position(|other| *other == byte)?;
            Some(from + found)
        };
        let space = self.at;
        let start = self.skip_space(space);
        let equals = find(start, b'=')?;
        let name = self.tag.get(start..equals)?.trim_ascii_end();
        let open = self.skip_space(equals + 1);
        let quote = *self.tag.get(open).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let value_range = open + 1..find(open + 1, quote)?;
        self.at = value_range.end + 1;
        let value = self.tag.get(value_range.clone())?;
        Some(RawAttribute { name, value, start, whole: space..self.at, value_range })
    }
}

/// A name without its prefix.
pub(crate) fn local(name: &[u8]) -> &[u8] {
    match name.iter().position(|byte| *byte == b':') {
        Some(colon) => name.get(colon + 1..).unwrap_or_default(),
        None => name,
    }
}

/// The encoding of a part, by its first bytes: a byte order mark, else what the XML declaration names, else UTF-8.
pub(crate) fn encoding_of(head: &[u8]) -> &'static Encoding {
    match head {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => UTF_16BE,
        _ => declared_encoding(head).unwrap_or(UTF_8),
    }
}

/// How far the XML declaration is searched for an encoding.
const DECLARATION_BYTES: usize = 200;

/// The encoding that the XML declaration names. It cannot be UTF-16, since the declaration was read as ASCII.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(declared_label(head)?).filter(|encoding| encoding.is_ascii_compatible())
}

/// The name of the encoding in the XML declaration.
pub(crate) fn declared_label(head: &[u8]) -> Option<&[u8]> {
    let head = head.get(..head.len().min(DECLARATION_BYTES))?;
    let declaration = head.get(..memchr(b'>', head)?)?;
    if !declaration.starts_with(b"<?xml") {
        return None;
    }
    let encoding = Attributes::new(declaration, b"<?xml".len()).find(|attribute| attribute.name == b"encoding")?;
    Some(encoding.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> (Vec<(Token, &str)>, Option<Fault>) {
        let mut tokens = Tokens::new(source, 0);
        let mut all = Vec::new();
        loop {
            let start = tokens.at;
            match tokens.next() {
                Ok(Some(token)) => all.push((token, &source[start..tokens.at])),
                Ok(None) => return (all, None),
                Err(fault) => return (all, Some(fault)),
            }
        }
    }

    #[test]
    fn every_kind_of_piece_is_found_where_it_is() {
        let source = "<?xml version='1.0'?><a:b c='>' d=\"'>'\">x &amp; y<e/><!-- <f> --><![CDATA[<g>]]></a:b >\n";
        let expected = vec![
            (Token::Aside, "<?xml version='1.0'?>"),
            (Token::Open { name_len: 3, empty: false }, "<a:b c='>' d=\"'>'\">"),
            (Token::Text, "x &amp; y"),
            (Token::Open { name_len: 1, empty: true }, "<e/>"),
            (Token::Aside, "<!-- <f> -->"),
            (Token::Cdata, "<![CDATA[<g>]]>"),
            (Token::Close { name_len: 3 }, "</a:b >"),
            (Token::Text, "\n"),
        ];
        assert_eq!(tokens(source), (expected, None));
    }

    #[test]
    fn what_is_not_closed_or_not_named_is_a_fault_at_its_place() {
        let faults = [
            ("x<a b='>", Some(PartFault::NotClosed { what: "a tag" })),
            ("x< a>", Some(PartFault::NoName)),
            ("x</>", None),
            ("x<a", Some(PartFault::NotClosed { what: "a tag" })),
            ("x</a", Some(PartFault::NotClosed { what: "an end tag" })),
            ("x<!-- --", Some(PartFault::NotClosed { what: "a comment" })),
            ("x<!-->", Some(PartFault::NotClosed { what: "a comment" })),
            ("x<![CDATA[ ]]", Some(PartFault::NotClosed { what: "character data" })),
            ("x<?a ?", Some(PartFault::NotClosed { what: "a processing instruction" })),
            ("x<!ELEMENT>", Some(PartFault::UnknownDeclaration)),
        ];
        for (source, fault) in faults {
            assert_eq!(tokens(source).1, fault.map(|fault| Fault { at: 1, fault }), "{source}");
        }
        assert_eq!(tokens("<!doctype html>").0, [(Token::DocType, "<!doctype html>")]);
    }

    #[test]
    fn attributes_are_ranges_of_the_tag_and_end_at_the_first_that_is_malformed() {
        let tag = b"<a b='1' c = \"2>\" d=3 e='4'>";
        let found: Vec<_> =
            Attributes::new(tag, 2).map(|one| (one.name, one.value, one.start, one.whole, one.value_range)).collect();
        assert_eq!(found, [(&b"b"[..], &b"1"[..], 3, 2..8, 6..7), (&b"c"[..], &b"2>"[..], 9, 8..17, 14..16)]);
        assert_eq!(Attributes::new(b"<a b='1", 2).next(), None);
        assert_eq!(Attributes::new(b"<a", 2).next(), None);
    }

    #[test]
    fn the_encoding_is_that_of_the_byte_order_mark_or_of_the_declaration() {
        let cases: [(&[u8], &Encoding); 9] = [
            (b"<a/>", UTF_8),
            (b"", UTF_8),
            (b"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-2'?>", UTF_8),
            (b"<?xml version='1.0' encoding = \"utf-8\"?>", UTF_8),
            (b"<?xml version='1.0' encoding='ISO-8859-1'?>", encoding_rs::WINDOWS_1252),
            (b"<?xml version='1.0' encoding='UTF-16'?>", UTF_8),
            (b"<?xml version='1.0' encoding='unheard-of'?>", UTF_8),
            (b"<\0a\0", UTF_16LE),
            (b"\xFE\xFF\0<", UTF_16BE),
        ];
        for (head, encoding) in cases {
            assert_eq!(encoding_of(head), encoding, "{}", String::from_utf8_lossy(head));
        }
    }
}
