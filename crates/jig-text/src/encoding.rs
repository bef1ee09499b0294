//! Character encodings: those of the Encoding Standard through `encoding_rs`, plus UTF-32, which the standard omits
//! but Excel exports, statistics programs and databases still write.

mod detect;
mod reader;

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

pub use detect::{DetectedEncoding, detect_encoding};
pub use reader::TextReader;

/// A character encoding, without the question whether a byte order mark precedes the text.
///
/// ```
/// use jig_text::Charset;
///
/// let latin1 = Charset::named("latin1").unwrap();
/// assert_eq!(latin1.name(), "windows-1252"); // as the Encoding Standard defines it
/// assert_eq!(latin1.decode(b"caf\xe9").0, "café");
/// assert_eq!(latin1.encode("猫"), Err('猫'));
/// ```
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
    /// UTF-8.
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

    /// Whether it can represent every Unicode character.
    #[must_use]
    pub fn is_unicode(self) -> bool {
        match self.0 {
            Kind::Web(encoding) => [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding),
            Kind::Utf32(_) => true,
        }
    }

    /// Whether ASCII bytes always are ASCII characters, so that lines can be split without decoding.
    #[must_use]
    pub fn is_ascii_compatible(self) -> bool {
        match self.0 {
            Kind::Web(encoding) => encoding.is_ascii_compatible(),
            Kind::Utf32(_) => false,
        }
    }

    /// The length of the byte order mark in bytes; 0 for an encoding without one.
    #[must_use]
    pub fn bom_len(self) -> usize {
        match self.0 {
            Kind::Web(encoding) if encoding == UTF_8 => 3,
            Kind::Web(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => 2,
            Kind::Web(_) => 0,
            Kind::Utf32(_) => 4,
        }
    }

    /// Decodes bytes without a byte order mark. The flag is set if invalid bytes were replaced by U+FFFD.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self.0 {
            Kind::Web(encoding) => encoding.decode_without_bom_handling(bytes),
            Kind::Utf32(_) => {
                let mut text = String::with_capacity(bytes.len() / 4);
                let replaced = self.decoder().decode(bytes, &mut text, true);
                (Cow::Owned(text), replaced)
            }
        }
    }

    /// A decoder for a stream of bytes that starts after any byte order mark.
    #[must_use]
    pub fn decoder(self) -> Decoder {
        Decoder(match self.0 {
            Kind::Web(encoding) => State::Web(Box::new(encoding.new_decoder_without_bom_handling())),
            Kind::Utf32(order) => State::Utf32 { order, partial: Vec::new() },
        })
    }

    /// Encodes a text without a byte order mark.
    ///
    /// # Errors
    /// The first character that the encoding cannot represent.
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

/// Decodes a stream of bytes in pieces of any size.
pub struct Decoder(State);

enum State {
    Web(Box<encoding_rs::Decoder>),
    Utf32 {
        order: Order,
        /// The first bytes of a character that is not complete yet.
        partial: Vec<u8>,
    },
}

impl Decoder {
    /// Appends the decoded bytes to `text`; `last` marks the end of the stream. Returns true if invalid bytes were
    /// replaced by U+FFFD.
    pub fn decode(&mut self, bytes: &[u8], text: &mut String, last: bool) -> bool {
        match &mut self.0 {
            State::Web(decoder) => {
                text.reserve(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16));
                decoder.decode_to_string(bytes, text, last).2
            }
            State::Utf32 { order, partial } => {
                let mut replaced = false;
                let mut put = |unit: [u8; 4], text: &mut String| {
                    let character = char::from_u32(order.unit(unit));
                    replaced |= character.is_none();
                    text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                };
                let missing = if partial.is_empty() { 0 } else { 4 - partial.len() };
                let (head, rest) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
                partial.extend_from_slice(head);
                if let Ok(unit) = <[u8; 4]>::try_from(partial.as_slice()) {
                    put(unit, text);
                    partial.clear();
                }
                let units = rest.chunks_exact(4);
                let tail = units.remainder();
                for unit in units {
                    put(<[u8; 4]>::try_from(unit).unwrap_or_default(), text);
                }
                partial.extend_from_slice(tail);
                if last && !partial.is_empty() {
                    partial.clear();
                    replaced = true;
                    text.push(char::REPLACEMENT_CHARACTER);
                }
                replaced
            }
        }
    }
}

/// How a text file is encoded: its [`Charset`] and whether it starts with a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding {
    charset: Charset,
    bom: bool,
}

/// A text contains a character that the encoding cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the character {character:?} does not exist in the encoding {encoding}")]
pub struct EncodeError {
    /// The first such character.
    pub character: char,
    /// The encoding.
    pub encoding: TextEncoding,
}

impl TextEncoding {
    /// UTF-8 without a byte order mark.
    pub const UTF_8: Self = Self { charset: Charset::UTF_8, bom: false };

    const fn of(detected: DetectedEncoding) -> Self {
        Self { charset: detected.charset, bom: detected.bom_len > 0 }
    }

    /// The encoding without the byte order mark.
    #[must_use]
    pub const fn charset(self) -> Charset {
        self.charset
    }

    /// The encoding's standard name, such as `UTF-8` or `windows-1252`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.charset.name()
    }

    /// Whether the file starts with a byte order mark.
    #[must_use]
    pub fn has_bom(self) -> bool {
        self.bom
    }

    /// Detects the encoding of a complete file; see [`detect_encoding`].
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Self {
        Self::of(detect_encoding(bytes, true))
    }

    /// Detects the encoding of a file by its first bytes, which may end inside a character.
    #[must_use]
    pub fn detect_head(bytes: &[u8]) -> Self {
        Self::of(detect_encoding(bytes, false))
    }

    /// Whether it is not a Unicode encoding. Such encodings leave no trace of which one they are, so detection guesses.
    #[must_use]
    pub fn is_legacy(self) -> bool {
        !self.charset.is_unicode()
    }

    /// The length of the file's byte order mark in bytes.
    #[must_use]
    pub fn bom_len(self) -> usize {
        if self.bom { self.charset.bom_len() } else { 0 }
    }

    /// Decodes a complete file and skips its byte order mark. The flag is set if invalid bytes were replaced by U+FFFD.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        self.charset.decode(bytes.get(self.bom_len()..).unwrap_or_default())
    }

    /// Whether `text`, decoded from `bytes` without errors, encodes to the same bytes. Some legacy encodings have
    /// several byte sequences for one character.
    #[must_use]
    pub fn writes_back(self, text: &str, bytes: &[u8]) -> bool {
        !self.is_legacy() || self.encode(text).is_ok_and(|written| written == bytes)
    }

    /// Encodes a complete file, with a byte order mark if the encoding has one.
    ///
    /// # Errors
    /// [`EncodeError`] for the first character that the encoding cannot represent.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, EncodeError> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        let encoded =
            |text: &str| self.charset.encode(text).map_err(|character| EncodeError { character, encoding: self });
        let mut out = encoded(mark)?;
        out.append(&mut encoded(text)?);
        Ok(out)
    }

    /// Whether a text survives encoding and decoding unchanged.
    #[must_use]
    pub fn holds(self, text: &str) -> bool {
        if !self.is_legacy() {
            return true;
        }
        self.encode_part(text).is_some_and(|bytes| self.charset.decode(&bytes).0 == text)
    }

    /// Encodes part of a text, without a byte order mark.
    #[must_use]
    pub fn encode_part(self, text: &str) -> Option<Vec<u8>> {
        Self { bom: false, ..self }.encode(text).ok()
    }

    /// Whether ASCII bytes always are ASCII characters, so that lines can be split without decoding.
    #[must_use]
    pub fn is_ascii_compatible(self) -> bool {
        self.charset.is_ascii_compatible()
    }
}

impl Default for TextEncoding {
    fn default() -> Self {
        Self::UTF_8
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        f.write_str(if self.bom { " with BOM" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf32_decodes_the_same_in_pieces_of_any_size() {
        let text = "naïve, 猫\n😀\u{10ffff}";
        for charset in [Charset::UTF_32LE, Charset::UTF_32BE] {
            let bytes = charset.encode(text).unwrap();
            assert_eq!(charset.decode(&bytes), (Cow::Borrowed(text), false));
            for step in 1..9 {
                let (mut decoder, mut out, mut replaced) = (charset.decoder(), String::new(), false);
                for piece in bytes.chunks(step) {
                    replaced |= decoder.decode(piece, &mut out, false);
                }
                replaced |= decoder.decode(&[], &mut out, true);
                assert_eq!((out.as_str(), replaced), (text, false), "{charset} by {step}");
            }
        }
    }

    #[test]
    fn invalid_utf32_is_replaced_and_reported() {
        // A surrogate, a number beyond Unicode, and a cut character at the end.
        let bytes = [0x00, 0xd8, 0, 0, b'a', 0, 0, 0, 0, 0, 0x11, 0, b'b', 0];
        assert_eq!(Charset::UTF_32LE.decode(&bytes), (Cow::Borrowed("\u{fffd}a\u{fffd}\u{fffd}"), true));
    }

    #[test]
    fn labels_of_other_programs_are_known() {
        let found = |label: &str| Charset::named(label).map(Charset::name);
        assert_eq!(found("UTF-8-SIG"), Some("UTF-8"));
        assert_eq!(found("utf-32be"), Some("UTF-32BE"));
        assert_eq!(found(" latin1 "), Some("windows-1252"));
        assert_eq!(found("klingon"), None);
    }

    fn detected(bytes: &[u8]) -> String {
        TextEncoding::detect(bytes).to_string()
    }

    #[test]
    fn byte_order_marks_and_structure_decide() {
        assert_eq!(detected(b""), "UTF-8");
        assert_eq!(detected(b"plain"), "UTF-8");
        assert_eq!(detected(b"\xef\xbb\xbfplain"), "UTF-8 with BOM");
        assert_eq!(detected(b"\xff\xfea\0"), "UTF-16LE with BOM");
        assert_eq!(detected(b"\xfe\xff\0a"), "UTF-16BE with BOM");
        assert_eq!(detected(b"h\0e\0l\0l\0o\0\n\0"), "UTF-16LE");
        assert_eq!(detected(b"\0h\0e\0l\0l\0o\0\n"), "UTF-16BE");
        assert_eq!(detected(b"\x1b[1mbold\x1b[0m"), "UTF-8");
    }

    #[test]
    fn legacy_encodings_are_guessed() {
        let cases = [
            (encoding_rs::WINDOWS_1252, "Käse für Jürgen, Straße, naïve façade"),
            (encoding_rs::WINDOWS_1251, "Привет, как дела? Сегодня хорошая погода."),
            (encoding_rs::SHIFT_JIS, "これは日本語の文章です。漢字とかなが混ざっています。"),
            (encoding_rs::GBK, "这是一个用中文写的句子，里面有很多汉字。"),
            (encoding_rs::ISO_2022_JP, "これは日本語の文章です。"),
        ];
        for (encoding, text) in cases {
            let (bytes, _, _) = encoding.encode(text);
            let detected = TextEncoding::detect(&bytes);
            assert_eq!(detected.name(), encoding.name());
            assert_eq!(detected.decode(&bytes), (Cow::Borrowed(text), false));
            assert_eq!(detected.encode(text).unwrap(), *bytes);
        }
    }

    #[test]
    fn the_error_names_the_character() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode("Käse für Jürgen");
        let encoding = TextEncoding::detect(&bytes);
        let error = encoding.encode("ok 猫").unwrap_err();
        let words = "the character '猫' does not exist in the encoding windows-1252";
        assert_eq!(error.to_string(), words);
    }

    #[test]
    fn a_cut_head_stays_utf8() {
        let bytes = "ein Käse".as_bytes();
        assert_eq!(TextEncoding::detect_head(&bytes[..6]), TextEncoding::UTF_8);
    }
}
