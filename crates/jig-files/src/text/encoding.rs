//! Which encoding a text has, and the way from bytes to characters and back.

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A character encoding, with or without a byte order mark in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding {
    encoding: &'static Encoding,
    bom: bool,
}

/// A text that does not fit into the encoding it should be written in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the character {character:?} does not exist in the encoding {encoding}")]
pub struct EncodeError {
    /// The first character that does not fit.
    pub character: char,
    /// The encoding that lacks it.
    pub encoding: TextEncoding,
}

impl TextEncoding {
    /// UTF-8 without a byte order mark, what new files get.
    pub const UTF_8: Self = Self::new(UTF_8, false);

    const fn new(encoding: &'static Encoding, bom: bool) -> Self {
        Self { encoding, bom }
    }

    /// The encoding's standard name, such as `UTF-8` or `windows-1252`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.encoding.name()
    }

    /// Whether the file starts with a byte order mark.
    #[must_use]
    pub fn has_bom(self) -> bool {
        self.bom
    }

    /// The encoding of a whole file: by byte order mark, by structure, else an educated guess.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        Self::detect_exact(bytes).unwrap_or_else(|| Self::guess_legacy(bytes))
    }

    /// The encoding of a file of which only the head is here, possibly cut inside a character.
    pub(crate) fn detect_head(bytes: &[u8]) -> Self {
        let cut = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
        match Self::detect_exact(bytes) {
            Some(encoding) => encoding,
            None if cut => Self::UTF_8,
            None => Self::guess_legacy(bytes),
        }
    }

    /// Whether this is a guess among encodings that leave no trace of which they are.
    pub(crate) fn is_legacy(self) -> bool {
        ![UTF_8, UTF_16LE, UTF_16BE].contains(&self.encoding)
    }

    fn detect_exact(bytes: &[u8]) -> Option<Self> {
        if let Some((encoding, _)) = Encoding::for_bom(bytes) {
            return Some(Self::new(encoding, true));
        }
        // UTF-16 goes first: ASCII characters in it are valid UTF-8 with a NUL after each.
        if let Some(encoding) = guess_utf16(bytes) {
            return Some(Self::new(encoding, false));
        }
        let escapes = bytes.contains(&0x1b);
        (!escapes && std::str::from_utf8(bytes).is_ok()).then_some(Self::UTF_8)
    }

    fn guess_legacy(bytes: &[u8]) -> Self {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(bytes, true);
        let guess = detector.guess(None, Utf8Detection::Allow);
        // Text with escape sequences but no other sign of a legacy encoding is plain UTF-8.
        if guess.is_single_byte() && std::str::from_utf8(bytes).is_ok() {
            return Self::UTF_8;
        }
        Self::new(guess, false)
    }

    /// Decodes a whole file, without its byte order mark; the flag says that bytes were replaced.
    pub(crate) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        let mark = if self.bom { Encoding::for_bom(bytes).map_or(0, |(_, length)| length) } else { 0 };
        let body = bytes.get(mark..).unwrap_or_default();
        self.encoding.decode_without_bom_handling(body)
    }

    /// Whether `text`, decoded from `bytes` without errors, would be written as the same bytes.
    pub(crate) fn writes_back(self, text: &str, bytes: &[u8]) -> bool {
        !self.is_legacy() || self.encode(text).is_ok_and(|written| written == bytes)
    }

    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::with_capacity(text.len() + 3);
        let mark = if self.bom { "\u{feff}" } else { "" };
        if self.encoding == UTF_16LE {
            out.extend(utf16(mark, text).flat_map(u16::to_le_bytes));
        } else if self.encoding == UTF_16BE {
            out.extend(utf16(mark, text).flat_map(u16::to_be_bytes));
        } else {
            out.extend(mark.as_bytes());
            out.extend(&*self.encode_8bit(text)?);
        }
        Ok(out)
    }

    /// Whether a text can be written in this encoding and read back the same.
    pub(crate) fn holds(self, text: &str) -> bool {
        if !self.is_legacy() {
            return true;
        }
        self.plain(text).is_some_and(|bytes| self.encoding.decode_without_bom_handling(&bytes).0 == text)
    }

    /// A piece of text as bytes, without a byte order mark.
    pub(crate) fn plain(self, text: &str) -> Option<Vec<u8>> {
        Self { bom: false, ..self }.encode(text).ok()
    }

    /// Whether line ends are the bytes that ASCII has for them, and nothing else is.
    pub(crate) fn is_ascii_compatible(self) -> bool {
        self.encoding.is_ascii_compatible()
    }

    fn encode_8bit(self, text: &str) -> Result<Cow<'_, [u8]>, EncodeError> {
        let (encoded, _, unmappable) = self.encoding.encode(text);
        if !unmappable {
            return Ok(Cow::Owned(encoded.into_owned()));
        }
        let fits = |character: &char| !self.encoding.encode(character.encode_utf8(&mut [0; 4])).2;
        let character = text.chars().find(|character| !fits(character));
        Err(EncodeError { character: character.unwrap_or(char::REPLACEMENT_CHARACTER), encoding: self })
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

fn utf16<'a>(mark: &'a str, text: &'a str) -> impl Iterator<Item = u16> + 'a {
    mark.encode_utf16().chain(text.encode_utf16())
}

/// UTF-16 without a mark shows by NULs that fall (nearly) all on one side of each byte pair.
///
/// Text in scripts outside Latin may have few of them; its line breaks and spaces still do.
fn guess_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = bytes.len() / 2;
    let (mut even, mut odd) = (0_usize, 0_usize);
    for pair in bytes.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let encoding = match (even, odd) {
        (0, 0) => return None,
        (even, odd) if odd > even * 20 => UTF_16LE,
        (even, odd) if even > odd * 20 => UTF_16BE,
        _ => return None,
    };
    let plausible = even.max(odd) * 20 >= pairs && decodes_as_text(encoding, bytes);
    plausible.then_some(encoding)
}

fn decodes_as_text(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    // An odd byte at the end is a damaged or cut file, not a reason to call it binary.
    let even = bytes.get(..bytes.len() & !1).unwrap_or_default();
    let (text, _) = encoding.decode_without_bom_handling(even);
    let odd_one = |c: char| c == '\0' || c == '\u{fffd}' || (c.is_control() && !c.is_whitespace());
    text.chars().filter(|&c| odd_one(c)).count() * 50 <= text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(bytes: &[u8]) -> String {
        TextEncoding::detect(bytes).to_string()
    }

    #[test]
    fn marks_and_structure_decide() {
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
            let found = TextEncoding::detect(&bytes);
            assert_eq!(found.name(), encoding.name());
            assert_eq!(found.decode(&bytes), (Cow::Borrowed(text), false));
            assert_eq!(found.encode(text).unwrap(), *bytes);
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
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
