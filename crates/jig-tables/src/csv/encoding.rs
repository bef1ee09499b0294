//! From bytes in any encoding to text, as a stream.

use std::io::Read;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::TableError;

/// What is known of a file's encoding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub(crate) encoding: &'static Encoding,
    /// Bytes of a byte order mark.
    pub(crate) mark: usize,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    /// Whether only ASCII was seen, so that more text may show another encoding.
    pub(crate) ascii: bool,
}

/// Tells a file's encoding by its beginning.
pub(crate) fn detect(head: &[u8], whole: bool) -> Found {
    for (mark, encoding) in [(&b"\xef\xbb\xbf"[..], UTF_8), (b"\xff\xfe", UTF_16LE), (b"\xfe\xff", UTF_16BE)] {
        if head.starts_with(mark) {
            return Found { encoding, mark: mark.len(), confidence: 1.0, ascii: false };
        }
    }
    if let Some(encoding) = wide(head) {
        return Found { encoding, mark: 0, confidence: 0.9, ascii: false };
    }
    if head.is_ascii() {
        return Found { encoding: UTF_8, mark: 0, confidence: 1.0, ascii: true };
    }
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that is only cut off at the end of what was read.
        Err(error) => !whole && error.error_len().is_none(),
    };
    if valid {
        return Found { encoding: UTF_8, mark: 0, confidence: 1.0, ascii: false };
    }
    if is_mostly_utf8(head) {
        return Found { encoding: UTF_8, mark: 0, confidence: 0.7, ascii: false };
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, whole);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let odd = head.iter().filter(|byte| !byte.is_ascii()).count();
    let confidence = if odd >= 8 { 0.8 } else { 0.5 };
    Found { encoding, mark: 0, confidence, ascii: false }
}

/// Whether bytes that are no UTF-8 are the exception among longer characters that are.
fn is_mostly_utf8(head: &[u8]) -> bool {
    let (mut right, mut wrong) = (0usize, 0usize);
    for chunk in head.utf8_chunks() {
        right += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right >= 2 * wrong
}

/// UTF-16 without a mark shows by zeros in every other byte.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..head.len().min(4096) & !1)?;
    if head.len() < 4 {
        return None;
    }
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let pairs = head.len() / 2;
    match (zeros(0), zeros(1)) {
        (0, high) if high * 2 > pairs => Some(UTF_16LE),
        (high, 0) if high * 2 > pairs => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of this name.
pub(crate) fn named(label: &str) -> Result<&'static Encoding, TableError> {
    let label = match label.trim().to_ascii_lowercase().as_str() {
        "utf-8-sig" | "utf8-sig" => "utf-8".to_owned(),
        "utf-16" | "utf16" => "utf-16le".to_owned(),
        other => other.to_owned(),
    };
    Encoding::for_label_no_replacement(label.as_bytes())
        .ok_or_else(|| TableError::Invalid(format!("encoding: there is no encoding `{label}`")))
}

/// How encodings are called in answers.
pub(crate) fn name(encoding: &'static Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

const STEP: usize = 256 << 10;

/// A stream of text.
pub(crate) struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    decoder: Decoder,
    buffer: Vec<u8>,
    ended: bool,
    /// How many times bytes were no character.
    pub(crate) replaced: u64,
}

impl<'a> Text<'a> {
    /// Text from bytes that begin after any byte order mark.
    pub(crate) fn new(reader: impl Read + Send + 'a, encoding: &'static Encoding) -> Self {
        Self {
            reader: Box::new(reader),
            decoder: encoding.new_decoder_without_bom_handling(),
            buffer: vec![0; STEP],
            ended: false,
            replaced: 0,
        }
    }

    /// Adds some text; false at the end.
    pub(crate) fn fill(&mut self, text: &mut String) -> Result<bool, TableError> {
        if self.ended {
            return Ok(false);
        }
        let count = self.reader.read(&mut self.buffer).map_err(TableError::io("the file could not be read"))?;
        self.ended = count == 0;
        let bytes = self.buffer.get(..count).unwrap_or_default();
        let room = self.decoder.max_utf8_buffer_length(count).unwrap_or(count * 3 + 16);
        text.reserve(room);
        let (_, _, wrong) = self.decoder.decode_to_string(bytes, text, self.ended);
        self.replaced += u64::from(wrong);
        Ok(!self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8]) -> (String, usize) {
        let found = detect(bytes, true);
        (name(found.encoding), found.mark)
    }

    #[test]
    fn marks_zeros_and_validity_tell_unicode() {
        assert_eq!(told(b"\xef\xbb\xbfa,b"), ("utf-8".to_owned(), 3));
        assert_eq!(told(b"\xff\xfea\0,\0"), ("utf-16le".to_owned(), 2));
        assert_eq!(told(b"\0a\0,\0b\0\n"), ("utf-16be".to_owned(), 0));
        assert_eq!(told(b"a\0,\0b\0\n\0"), ("utf-16le".to_owned(), 0));
        assert_eq!(told("größe".as_bytes()), ("utf-8".to_owned(), 0));
        assert_eq!(told(b"a,b\n1,2\n"), ("utf-8".to_owned(), 0));
    }

    #[test]
    fn a_stream_cut_inside_characters_reads_as_one() {
        struct One<'a>(&'a [u8]);
        impl Read for One<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
                (buffer[0], self.0) = (*first, rest);
                Ok(1)
            }
        }
        let mut text = String::new();
        let mut source = Text::new(One("añ€😀".as_bytes()), UTF_8);
        while source.fill(&mut text).unwrap() {}
        assert_eq!((text.as_str(), source.replaced), ("añ€😀", 0));
    }
}
