//! From bytes in any encoding to text, as a stream. Which encoding it is, `jig_text` tells, as it does for every other
//! reader of text.

use std::io::Read;

use jig_text::{Charset, CharsetDecoder};

use crate::error::TableError;

/// The encoding of this name.
pub(crate) fn named(label: &str) -> Result<Charset, TableError> {
    Charset::named(label).ok_or_else(|| TableError::Invalid(format!("encoding: there is no encoding `{label}`")))
}

/// How encodings are called in answers.
pub(crate) fn name(charset: Charset) -> String {
    charset.name().to_ascii_lowercase()
}

const STEP: usize = 256 << 10;
const UNREADABLE: &str = "the file could not be read";

/// A stream of text.
pub(crate) struct Text<'a> {
    reader: Box<dyn Read + Send + 'a>,
    decoder: CharsetDecoder,
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
    pub(crate) fn new(reader: impl Read + Send + 'a, charset: Charset) -> Self {
        Self {
            reader: Box::new(reader),
            decoder: charset.decoder(),
            plain: charset == Charset::UTF_8,
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
        let wrong = self.decoder.decode(bytes, text, self.ended);
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
        let mut source = Text::new(One(bytes), Charset::UTF_8);
        source.rest(&mut text).unwrap();
        assert_eq!((text.as_str(), source.replaced), ("añ€😀", 0));
        // Whatever is read at a time, and whatever was there before.
        for about in 1..12 {
            let (mut all, mut piece) = (String::new(), "xxxxxxx".to_owned());
            let mut source = Text::new(One(bytes), Charset::UTF_8);
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
                let mut source = Text::new(bytes.as_slice(), Charset::UTF_8);
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
