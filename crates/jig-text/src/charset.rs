//! Character encodings: those of the web by `encoding_rs`, and UTF-32, which the web does without and Excel exports,
//! statistics programs and databases still write.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Web(&'static Encoding),
    Utf32(Order),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn unit(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }
}

impl Charset {
    /// UTF-8, what new files get.
    pub const UTF_8: Self = Self(Kind::Web(UTF_8));
    /// UTF-16, little-endian.
    pub const UTF_16LE: Self = Self(Kind::Web(UTF_16LE));
    /// UTF-16, big-endian.
    pub const UTF_16BE: Self = Self(Kind::Web(UTF_16BE));
    /// UTF-32, little-endian.
    pub const UTF_32LE: Self = Self(Kind::Utf32(Order::Little));
    /// UTF-32, big-endian.
    pub const UTF_32BE: Self = Self(Kind::Utf32(Order::Big));

    pub(crate) const fn web(encoding: &'static Encoding) -> Self {
        Self(Kind::Web(encoding))
    }

    /// The encoding that a label names, such as `latin1`, `utf-8-sig` or `cp1252`.
    #[must_use]
    pub fn named(label: &str) -> Option<Self> {
        let label = label.trim().to_ascii_lowercase();
        Some(match label.as_str() {
            "utf-8-sig" | "utf8-sig" => Self::UTF_8,
            "utf-16" | "utf16" => Self::UTF_16LE,
            "utf-32" | "utf32" | "utf-32le" | "utf32le" | "ucs-4" => Self::UTF_32LE,
            "utf-32be" | "utf32be" => Self::UTF_32BE,
            other => Self::web(Encoding::for_label_no_replacement(other.as_bytes())?),
        })
    }

    /// The standard name, such as `UTF-8` or `windows-1252`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Web(encoding) => encoding.name(),
            Kind::Utf32(Order::Little) => "UTF-32LE",
            Kind::Utf32(Order::Big) => "UTF-32BE",
        }
    }

    /// Whether it holds every character there is.
    #[must_use]
    pub fn is_unicode(self) -> bool {
        match self.0 {
            Kind::Web(encoding) => [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding),
            Kind::Utf32(_) => true,
        }
    }

    /// Whether line ends are the bytes that ASCII has for them, and nothing else is.
    #[must_use]
    pub fn is_ascii_compatible(self) -> bool {
        match self.0 {
            Kind::Web(encoding) => encoding.is_ascii_compatible(),
            Kind::Utf32(_) => false,
        }
    }

    /// How many bytes a byte order mark takes; 0 for an encoding that has none.
    #[must_use]
    pub fn mark_len(self) -> usize {
        match self.0 {
            Kind::Web(encoding) if encoding == UTF_8 => 3,
            Kind::Web(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => 2,
            Kind::Web(_) => 0,
            Kind::Utf32(_) => 4,
        }
    }

    /// Decodes bytes without a byte order mark. The flag says that some were not text and became U+FFFD.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self.0 {
            Kind::Web(encoding) => encoding.decode_without_bom_handling(bytes),
            Kind::Utf32(_) => {
                let mut text = String::with_capacity(bytes.len() / 4);
                let wrong = self.decoder().decode(bytes, &mut text, true);
                (Cow::Owned(text), wrong)
            }
        }
    }

    /// A decoder for a stream of bytes that begins after any byte order mark.
    #[must_use]
    pub fn decoder(self) -> CharsetDecoder {
        CharsetDecoder(match self.0 {
            Kind::Web(encoding) => State::Web(Box::new(encoding.new_decoder_without_bom_handling())),
            Kind::Utf32(order) => State::Utf32 { order, begun: Vec::new() },
        })
    }

    /// The bytes of a text, without a byte order mark; the first character that the encoding lacks, if there is one.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self.0 {
            Kind::Web(encoding) if encoding == UTF_16LE => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Kind::Web(encoding) if encoding == UTF_16BE => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Kind::Web(encoding) => {
                let (encoded, _, unmappable) = encoding.encode(text);
                if !unmappable {
                    return Ok(encoded.into_owned());
                }
                let fits = |character: &char| !encoding.encode(character.encode_utf8(&mut [0; 4])).2;
                Err(text.chars().find(|character| !fits(character)).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            Kind::Utf32(Order::Little) => Ok(text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
            Kind::Utf32(Order::Big) => Ok(text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()),
        }
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Decodes a stream of bytes piece by piece.
pub struct CharsetDecoder(State);

enum State {
    Web(Box<Decoder>),
    Utf32 {
        order: Order,
        /// The beginning of a character that is not complete yet.
        begun: Vec<u8>,
    },
}

impl CharsetDecoder {
    /// Adds the characters of some bytes to a text; `last` says that no more follow. True when bytes were not text and
    /// became U+FFFD.
    pub fn decode(&mut self, bytes: &[u8], text: &mut String, last: bool) -> bool {
        match &mut self.0 {
            State::Web(decoder) => {
                text.reserve(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16));
                decoder.decode_to_string(bytes, text, last).2
            }
            State::Utf32 { order, begun } => {
                let mut wrong = false;
                let mut put = |unit: [u8; 4], text: &mut String| {
                    let character = char::from_u32(order.unit(unit));
                    wrong |= character.is_none();
                    text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                };
                let missing = if begun.is_empty() { 0 } else { 4 - begun.len() };
                let (head, rest) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
                begun.extend_from_slice(head);
                if let Ok(unit) = <[u8; 4]>::try_from(begun.as_slice()) {
                    put(unit, text);
                    begun.clear();
                }
                let units = rest.chunks_exact(4);
                let tail = units.remainder();
                for unit in units {
                    put(<[u8; 4]>::try_from(unit).unwrap_or_default(), text);
                }
                begun.extend_from_slice(tail);
                if last && !begun.is_empty() {
                    begun.clear();
                    wrong = true;
                    text.push(char::REPLACEMENT_CHARACTER);
                }
                wrong
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf32_reads_the_same_whatever_the_pieces() {
        let text = "naïve, 猫\n😀\u{10ffff}";
        for charset in [Charset::UTF_32LE, Charset::UTF_32BE] {
            let bytes = charset.encode(text).unwrap();
            assert_eq!(charset.decode(&bytes), (Cow::Borrowed(text), false));
            for step in 1..9 {
                let (mut decoder, mut out, mut wrong) = (charset.decoder(), String::new(), false);
                for piece in bytes.chunks(step) {
                    wrong |= decoder.decode(piece, &mut out, false);
                }
                wrong |= decoder.decode(&[], &mut out, true);
                assert_eq!((out.as_str(), wrong), (text, false), "{charset} by {step}");
            }
        }
    }

    #[test]
    fn what_is_no_character_in_utf32_is_replaced_and_reported() {
        // A surrogate, a number beyond Unicode, and a cut character at the end.
        let bytes = [0x00, 0xd8, 0, 0, b'a', 0, 0, 0, 0, 0, 0x11, 0, b'b', 0];
        assert_eq!(Charset::UTF_32LE.decode(&bytes), (Cow::Borrowed("\u{fffd}a\u{fffd}\u{fffd}"), true));
    }

    #[test]
    fn labels_are_those_that_programs_use() {
        let found = |label: &str| Charset::named(label).map(Charset::name);
        assert_eq!(found("UTF-8-SIG"), Some("UTF-8"));
        assert_eq!(found("utf-32be"), Some("UTF-32BE"));
        assert_eq!(found(" latin1 "), Some("windows-1252"));
        assert_eq!(found("klingon"), None);
    }
}
