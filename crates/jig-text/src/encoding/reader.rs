//! Decodes a stream of bytes piece by piece. UTF-8, the common case, is validated and never copied.

use std::io::{self, Read};

use super::{Charset, Decoder};

/// Bytes that are read and decoded at a time, if they are not UTF-8.
const STEP: usize = 256 << 10;

/// Reads text from a stream of bytes in any encoding.
///
/// ```
/// use jig_text::{Charset, TextReader};
///
/// let mut reader = TextReader::new(b"caf\xe9".as_slice(), Charset::named("latin1").unwrap());
/// let mut text = String::new();
/// reader.read_to_end(&mut text)?;
/// assert_eq!(text, "café");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TextReader<'a> {
    reader: Box<dyn Read + Send + 'a>,
    decoder: Decoder,
    /// Whether all bytes so far were valid UTF-8, in a file in that encoding: they need no decoder.
    is_utf8: bool,
    /// The first bytes of a character that is not complete yet.
    partial: Vec<u8>,
    buffer: Vec<u8>,
    ended: bool,
    replaced: u64,
}

impl<'a> TextReader<'a> {
    /// Reads text from bytes that start after any byte order mark.
    pub fn new(reader: impl Read + Send + 'a, charset: Charset) -> Self {
        Self {
            reader: Box::new(reader),
            decoder: charset.decoder(),
            is_utf8: charset == Charset::UTF_8,
            partial: Vec::new(),
            buffer: Vec::new(),
            ended: false,
            replaced: 0,
        }
    }

    /// A reader without any text.
    pub(crate) fn empty() -> Self {
        Self::new(io::empty(), Charset::UTF_8)
    }

    /// Replaces `text` by `rest`, which an earlier call returned and the caller has not used yet, followed by new text:
    /// about `size` bytes in total. The allocation of `text` is reused. Returns false at the end of the stream.
    ///
    /// # Errors
    /// What the underlying reader returned.
    pub fn read_next(&mut self, text: &mut String, rest: &str, size: usize) -> io::Result<bool> {
        if self.is_utf8 {
            return self.read_utf8(text, rest, size);
        }
        text.clear();
        text.push_str(rest);
        while !self.ended && text.len() < size {
            self.step(text)?;
        }
        Ok(!self.ended)
    }

    /// Appends all remaining text.
    ///
    /// # Errors
    /// What the underlying reader returned.
    pub fn read_to_end(&mut self, text: &mut String) -> io::Result<()> {
        self.is_utf8 = false;
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.decode(&partial, text);
        }
        while !self.ended {
            self.step(text)?;
        }
        Ok(())
    }

    /// How many pieces contained invalid bytes, which were replaced by U+FFFD.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    fn step(&mut self, text: &mut String) -> io::Result<()> {
        self.buffer.resize(STEP, 0);
        let count = self.reader.read(&mut self.buffer)?;
        self.ended = count == 0;
        let bytes = std::mem::take(&mut self.buffer);
        self.decode(bytes.get(..count).unwrap_or_default(), text);
        self.buffer = bytes;
        Ok(())
    }

    fn decode(&mut self, bytes: &[u8], text: &mut String) {
        let replaced = self.decoder.decode(bytes, text, self.ended);
        self.replaced += u64::from(replaced);
    }

    /// Valid UTF-8 is read straight into the text and not copied.
    fn read_utf8(&mut self, text: &mut String, rest: &str, size: usize) -> io::Result<bool> {
        let mut bytes = std::mem::take(text).into_bytes();
        let mut count = 0;
        // Always room for at least one new byte.
        bytes.resize(size.max(rest.len() + self.partial.len() + 1), 0);
        for known in [rest.as_bytes(), &self.partial] {
            bytes.iter_mut().skip(count).zip(known).for_each(|(byte, of)| *byte = *of);
            count += known.len();
        }
        while let Some(room) = bytes.get_mut(count..).filter(|room| !room.is_empty()) {
            let read = self.reader.read(room)?;
            count += read;
            if read == 0 {
                self.ended = true;
                break;
            }
        }
        bytes.truncate(count);
        let whole = if self.ended { count } else { count - incomplete(&bytes) };
        self.partial = bytes.split_off(whole);
        match String::from_utf8(bytes) {
            Ok(valid) => *text = valid,
            Err(error) => self.switch_to_decoder(&error.into_bytes(), rest, text),
        }
        Ok(!self.ended)
    }

    /// From the first invalid byte on, everything goes through the decoder.
    fn switch_to_decoder(&mut self, bytes: &[u8], rest: &str, text: &mut String) {
        self.is_utf8 = false;
        text.push_str(rest);
        self.decode(bytes.get(rest.len()..).unwrap_or_default(), text);
        let partial = std::mem::take(&mut self.partial);
        // Never at the end of the stream, after which the decoder accepts no more bytes.
        if !partial.is_empty() {
            self.decode(&partial, text);
        }
    }
}

/// How many bytes at the end may be the start of a character.
fn incomplete(bytes: &[u8]) -> usize {
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
    fn pieces_may_end_inside_characters() {
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
        let mut source = TextReader::new(One(bytes), Charset::UTF_8);
        source.read_to_end(&mut text).unwrap();
        assert_eq!((text.as_str(), source.replaced()), ("añ€😀", 0));
        // For any size of the pieces and any earlier content of the buffer.
        for about in 1..12 {
            let (mut all, mut piece) = (String::new(), "xxxxxxx".to_owned());
            let mut source = TextReader::new(One(bytes), Charset::UTF_8);
            while source.read_next(&mut piece, "", about).unwrap() {
                all.push_str(&piece);
            }
            all.push_str(&piece);
            assert_eq!((all.as_str(), source.replaced()), ("añ€😀", 0), "{about}");
        }
    }

    #[test]
    fn invalid_bytes_are_replaced_wherever_they_are() {
        let kinds: [&[u8]; 8] =
            [b"a", "ñ".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xff", b"\xc3", b"\xe2\x82", b"\x80"];
        for seed in 0..4_000_usize {
            let picks = [seed % 8, seed / 8 % 8, seed / 64 % 8, seed / 512 % 8];
            let bytes: Vec<u8> = picks.iter().flat_map(|pick| kinds[*pick]).copied().collect();
            for about in [1, 3, 4, 5, 64] {
                let (mut all, mut piece) = (String::new(), String::new());
                let mut source = TextReader::new(bytes.as_slice(), Charset::UTF_8);
                loop {
                    let left = all.clone();
                    let more = source.read_next(&mut piece, &left, left.len() + about).unwrap();
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
