//! The pieces of markup, one after another, by their places alone.
//!
//! A tree is made of places, so nothing is copied or decoded here; that is what makes it several times as fast as a
//! general reader, and large documents are read for every answer.

use memchr::{memchr, memmem};

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A start tag with the length of its name.
    Open { name_len: usize, empty: bool },
    /// An end tag with the length of its name.
    Close { name_len: usize },
    /// Characters, references still in them.
    Text,
    /// A CDATA section.
    Cdata,
    /// A comment or a processing instruction.
    Aside,
    /// A document type.
    DocType,
}

/// Why there is no piece, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

/// Goes through the pieces.
pub(super) struct Tokens<'a> {
    source: &'a [u8],
    /// Where the next piece begins.
    pub(super) at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str, at: usize) -> Self {
        Self { source: source.as_bytes(), at }
    }

    /// The next piece, from where `at` was to where it is then; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Fault> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let (token, len) = match rest {
            [] => return Ok(None),
            [b'<', b'/', ..] => self.close(rest)?,
            [b'<', b'!', ..] => self.declared(rest)?,
            [b'<', b'?', ..] => (Token::Aside, self.up_to(rest, 2, b"?>", "a processing instruction is not closed")?),
            [b'<', ..] => self.open(rest)?,
            _ => (Token::Text, memchr(b'<', rest).unwrap_or(rest.len())),
        };
        self.at += len;
        Ok(Some(token))
    }

    fn open(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let end = tag_end(rest).ok_or_else(|| self.fault("a tag is not closed"))?;
        let inside = rest.get(1..end).unwrap_or_default();
        let (inside, empty) = match inside.strip_suffix(b"/") {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let name_len = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        if name_len == 0 {
            return Err(self.fault("a tag has no name"));
        }
        Ok((Token::Open { name_len, empty }, end + 1))
    }

    fn close(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let end = memchr(b'>', rest).ok_or_else(|| self.fault("an end tag is not closed"))?;
        let name_len = rest.get(2..end).unwrap_or_default().trim_ascii_end().len();
        Ok((Token::Close { name_len }, end + 1))
    }

    fn declared(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        if rest.starts_with(b"<!--") {
            return Ok((Token::Aside, self.up_to(rest, 4, b"-->", "a comment is not closed")?));
        }
        if rest.starts_with(b"<![CDATA[") {
            return Ok((Token::Cdata, self.up_to(rest, 9, b"]]>", "character data is not closed")?));
        }
        if rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case(b"DOCTYPE")) {
            // It is refused, so that its end does not matter.
            return Ok((Token::DocType, rest.len()));
        }
        Err(self.fault("markup that begins with <! is neither a comment nor character data"))
    }

    fn up_to(&self, rest: &[u8], from: usize, mark: &[u8], why: &'static str) -> Result<usize, Fault> {
        let found = memmem::find(rest.get(from..).unwrap_or_default(), mark);
        found.map(|found| from + found + mark.len()).ok_or_else(|| self.fault(why))
    }

    fn fault(&self, why: &'static str) -> Fault {
        Fault { at: self.at, why }
    }
}

/// Where a tag's `>` is: one inside quotes does not count.
pub(crate) fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    // One search up to a quote and another through what is quoted, so that neither has to remember where it is.
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
            ("x<a b='>", "a tag is not closed"),
            ("x< a>", "a tag has no name"),
            ("x</>", ""),
            ("x<a", "a tag is not closed"),
            ("x</a", "an end tag is not closed"),
            ("x<!-- --", "a comment is not closed"),
            ("x<!-->", "a comment is not closed"),
            ("x<![CDATA[ ]]", "character data is not closed"),
            ("x<?a ?", "a processing instruction is not closed"),
            ("x<!ELEMENT>", "markup that begins with <! is neither a comment nor character data"),
        ];
        for (source, why) in faults {
            let fault = (!why.is_empty()).then_some(Fault { at: 1, why });
            assert_eq!(tokens(source).1, fault, "{source}");
        }
        assert_eq!(tokens("<!doctype html>").0, [(Token::DocType, "<!doctype html>")]);
    }
}
