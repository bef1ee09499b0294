//! Which encoding a text has, and the way from bytes to characters and back.

use std::borrow::Cow;
use std::fmt;

use jig_text::{Charset, DetectedEncoding, detect};

/// A character encoding, with or without a byte order mark in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding {
    charset: Charset,
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
    pub const UTF_8: Self = Self { charset: Charset::UTF_8, bom: false };

    const fn of(found: DetectedEncoding) -> Self {
        Self { charset: found.charset, bom: found.mark > 0 }
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

    /// The encoding of a whole file: by byte order mark, by structure, else an educated guess.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        Self::of(detect(bytes, true))
    }

    /// The encoding of a file of which only the head is here, possibly cut inside a character.
    pub(crate) fn detect_head(bytes: &[u8]) -> Self {
        Self::of(detect(bytes, false))
    }

    /// Whether this is a guess among encodings that leave no trace of which they are.
    pub(crate) fn is_legacy(self) -> bool {
        !self.charset.is_unicode()
    }

    /// How many bytes of a file are its byte order mark.
    pub(crate) fn mark_len(self) -> usize {
        if self.bom { self.charset.mark_len() } else { 0 }
    }

    /// Decodes a whole file, without its byte order mark; the flag says that bytes were replaced.
    pub(crate) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        self.charset.decode(bytes.get(self.mark_len()..).unwrap_or_default())
    }

    /// Whether `text`, decoded from `bytes` without errors, would be written as the same bytes.
    pub(crate) fn writes_back(self, text: &str, bytes: &[u8]) -> bool {
        !self.is_legacy() || self.encode(text).is_ok_and(|written| written == bytes)
    }

    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, EncodeError> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        let encoded =
            |text: &str| self.charset.encode(text).map_err(|character| EncodeError { character, encoding: self });
        let mut out = encoded(mark)?;
        out.append(&mut encoded(text)?);
        Ok(out)
    }

    /// Whether a text can be written in this encoding and read back the same.
    pub(crate) fn holds(self, text: &str) -> bool {
        if !self.is_legacy() {
            return true;
        }
        self.plain(text).is_some_and(|bytes| self.charset.decode(&bytes).0 == text)
    }

    /// A piece of text as bytes, without a byte order mark.
    pub(crate) fn plain(self, text: &str) -> Option<Vec<u8>> {
        Self { bom: false, ..self }.encode(text).ok()
    }

    /// Whether line ends are the bytes that ASCII has for them, and nothing else is.
    pub(crate) fn is_ascii_compatible(self) -> bool {
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
