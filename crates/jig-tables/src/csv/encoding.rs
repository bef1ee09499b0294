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

/// UTF-16 without a mark shows by zeros in every other byte, and hardly any in the rest: a few characters have one there.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..head.len().min(4096) & !1)?;
    if head.len() < 4 {
        return None;
    }
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let pairs = head.len() / 2;
    let is_high = |high: usize, low: usize| high * 2 > pairs && low * 8 < high;
    match (zeros(0), zeros(1)) {
        (low, high) if is_high(high, low) => Some(UTF_16LE),
        (high, low) if is_high(high, low) => Some(UTF_16BE),
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
const UNREADABLE: &str = "the file could not be read";

/// A stream of text.
pub(crate) struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    decoder: Decoder,
    /// Whether all bytes so far were UTF-8, and are said to be, so that they can be taken as they are.
    plain: bool,
    /// The beginning of a character that is not all there yet.
    begun: Vec<u8>,
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
            plain: encoding == UTF_8,
            begun: Vec::new(),
            buffer: Vec::new(),
            ended: false,
            replaced: 0,
        }
    }

    /// Puts what was left of the last text and what follows it, about so many bytes in all, in place of an old text,
    /// whose room is used again. False at the end.
    pub(crate) fn next(&mut self, old: &mut String, left: &str, about: usize) -> Result<bool, TableError> {
        if self.plain {
            return self.next_plain(old, left, about);
        }
        old.clear();
        old.push_str(left);
        while !self.ended && old.len() < about {
            self.step(old)?;
        }
        Ok(!self.ended)
    }

    /// Adds all text that there is.
    pub(crate) fn rest(&mut self, text: &mut String) -> Result<(), TableError> {
        self.plain = false;
        while !self.ended {
            self.step(text)?;
        }
        Ok(())
    }

    fn step(&mut self, text: &mut String) -> Result<(), TableError> {
        self.buffer.resize(STEP, 0);
        let count = self.reader.read(&mut self.buffer).map_err(TableError::io(UNREADABLE))?;
        self.ended = count == 0;
        let bytes = std::mem::take(&mut self.buffer);
        self.decode(bytes.get(..count).unwrap_or_default(), text);
        self.buffer = bytes;
        Ok(())
    }

    fn decode(&mut self, bytes: &[u8], text: &mut String) {
        let room = self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
        text.reserve(room);
        let (_, _, wrong) = self.decoder.decode_to_string(bytes, text, self.ended);
        self.replaced += u64::from(wrong);
    }

    /// Bytes that are text already are read to where they stay.
    fn next_plain(&mut self, old: &mut String, left: &str, about: usize) -> Result<bool, TableError> {
        let mut bytes = std::mem::take(old).into_bytes();
        let mut count = 0;
        // There must be room for more than what is known.
        bytes.resize(about.max(left.len() + self.begun.len() + 1), 0);
        for known in [left.as_bytes(), &self.begun] {
            bytes.iter_mut().skip(count).zip(known).for_each(|(byte, of)| *byte = *of);
            count += known.len();
        }
        while let Some(room) = bytes.get_mut(count..).filter(|room| !room.is_empty()) {
            let read = self.reader.read(room).map_err(TableError::io(UNREADABLE))?;
            count += read;
            if read == 0 {
                self.ended = true;
                break;
            }
        }
        bytes.truncate(count);
        let whole = if self.ended { count } else { count - unfinished(&bytes) };
        self.begun = bytes.split_off(whole);
        match String::from_utf8(bytes) {
            Ok(text) => *old = text,
            Err(error) => self.turn(&error.into_bytes(), left, old),
        }
        Ok(!self.ended)
    }

    /// From the first byte on that is no character, all goes through the decoder.
    fn turn(&mut self, bytes: &[u8], left: &str, text: &mut String) {
        self.plain = false;
        text.push_str(left);
        self.decode(bytes.get(left.len()..).unwrap_or_default(), text);
        let begun = std::mem::take(&mut self.begun);
        // At the end there is none, and the decoder has finished.
        if !begun.is_empty() {
            self.decode(&begun, text);
        }
    }
}

/// How many bytes at the end may be the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let back = bytes.iter().rev().take(3).position(|byte| *byte >= 0xc0);
    match back.and_then(|back| Some((back, *bytes.get(bytes.len() - back - 1)?))) {
        Some((back, first)) => {
            let length = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                _ => 2,
            };
            if back + 1 < length { back + 1 } else { 0 }
        }
        None => 0,
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
        // The lower half of a character may be zero too.
        let text = "name,note\nfirst,\u{1f600}\nsecond,\u{100}\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(told(&little), ("utf-16le".to_owned(), 0));
        assert_eq!(told(&big), ("utf-16be".to_owned(), 0));
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
        let bytes = "añ€😀".as_bytes();
        let mut text = String::new();
        let mut source = Text::new(One(bytes), UTF_8);
        source.rest(&mut text).unwrap();
        assert_eq!((text.as_str(), source.replaced), ("añ€😀", 0));
        // Whatever is read at a time, and whatever was there before.
        for about in 1..12 {
            let (mut all, mut piece) = (String::new(), "xxxxxxx".to_owned());
            let mut source = Text::new(One(bytes), UTF_8);
            while source.next(&mut piece, "", about).unwrap() {
                all.push_str(&piece);
            }
            all.push_str(&piece);
            assert_eq!((all.as_str(), source.replaced), ("añ€😀", 0), "{about}");
        }
    }

    #[test]
    fn what_is_no_character_is_replaced_wherever_it_stands() {
        let kinds: [&[u8]; 8] =
            [b"a", "ñ".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xff", b"\xc3", b"\xe2\x82", b"\x80"];
        for seed in 0..4_000_usize {
            let picks = [seed % 8, seed / 8 % 8, seed / 64 % 8, seed / 512 % 8];
            let bytes: Vec<u8> = picks.iter().flat_map(|pick| kinds[*pick]).copied().collect();
            for about in [1, 3, 4, 5, 64] {
                let (mut all, mut piece) = (String::new(), String::new());
                let mut source = Text::new(bytes.as_slice(), UTF_8);
                loop {
                    let left = all.clone();
                    let more = source.next(&mut piece, &left, left.len() + about).unwrap();
                    all.clone_from(&piece);
                    if !more {
                        break;
                    }
                }
                assert_eq!(all, String::from_utf8_lossy(&bytes), "{bytes:?} {about}");
            }
        }
    }
}
