//! Detects the encoding of bytes: by byte order mark, else by structure, else by statistics.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::ISO_2022_JP;

use super::Charset;

/// Bytes examined for the structure of UTF-16 and UTF-32.
const STRUCTURE: usize = 1 << 20;
/// From this many non-ASCII bytes on, the statistics for legacy encodings are reliable.
const ENOUGH: usize = 8;

/// The result of [`detect_encoding`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedEncoding {
    /// The encoding.
    pub charset: Charset,
    /// The length of the byte order mark at the start of the bytes; 0 without one.
    pub bom_len: usize,
    /// How certain this is, from 0 to 1: 1 for a byte order mark or valid UTF-8, 0.5 for a guess from a few bytes.
    pub confidence: f64,
    /// Whether the bytes are all ASCII. Then later bytes of the same file may reveal another encoding.
    pub ascii: bool,
}

impl DetectedEncoding {
    const fn new(charset: Charset, bom_len: usize, confidence: f64) -> Self {
        Self { charset, bom_len, confidence, ascii: false }
    }
}

/// Detects the encoding of a file by its first bytes. `complete` states that these are all of its bytes, so that an
/// incomplete character at the end is an error.
///
/// ```
/// use jig_text::detect_encoding;
///
/// let detected = detect_encoding("Größe;Maß".as_bytes(), true);
/// assert_eq!((detected.charset.name(), detected.confidence), ("UTF-8", 1.0));
/// ```
#[must_use]
pub fn detect_encoding(bytes: &[u8], complete: bool) -> DetectedEncoding {
    if let Some(detected) = by_byte_order_mark(bytes) {
        return detected;
    }
    // Wide encodings first: ASCII characters in them are valid UTF-8 with NUL characters between.
    if let Some(charset) = utf32(bytes) {
        return DetectedEncoding::new(charset, 0, 0.95);
    }
    if let Some(charset) = utf16(bytes) {
        return DetectedEncoding::new(charset, 0, 0.9);
    }
    let escapes = bytes.contains(&0x1b);
    if !escapes && bytes.is_ascii() {
        return DetectedEncoding { ascii: true, ..DetectedEncoding::new(Charset::UTF_8, 0, 1.0) };
    }
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => !complete && error.error_len().is_none(),
    };
    if escapes {
        if let Some(detected) = iso_2022_jp(bytes, complete) {
            return detected;
        }
        if bytes.is_ascii() {
            return DetectedEncoding { ascii: true, ..DetectedEncoding::new(Charset::UTF_8, 0, 1.0) };
        }
    }
    if valid {
        return DetectedEncoding::new(Charset::UTF_8, 0, 1.0);
    }
    if is_mostly_utf8(bytes) {
        return DetectedEncoding::new(Charset::UTF_8, 0, 0.7);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, complete);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let odd = bytes.iter().filter(|byte| !byte.is_ascii()).take(ENOUGH).count();
    DetectedEncoding::new(Charset::web(guess), 0, if odd >= ENOUGH { 0.8 } else { 0.5 })
}

fn by_byte_order_mark(bytes: &[u8]) -> Option<DetectedEncoding> {
    let marked = |charset: Charset| DetectedEncoding::new(charset, charset.bom_len(), 1.0);
    // The byte order mark of UTF-32 starts with that of UTF-16; the following bytes decide.
    if bytes.starts_with(b"\xff\xfe\0\0") && is_text(Charset::UTF_32LE, bytes.get(4..).unwrap_or_default()) {
        return Some(marked(Charset::UTF_32LE));
    }
    let marks: [(&[u8], Charset); 4] = [
        (b"\0\0\xfe\xff", Charset::UTF_32BE),
        (b"\xef\xbb\xbf", Charset::UTF_8),
        (b"\xff\xfe", Charset::UTF_16LE),
        (b"\xfe\xff", Charset::UTF_16BE),
    ];
    marks.into_iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, charset)| marked(charset))
}

/// UTF-32 without a byte order mark: every four bytes are a character. Text in UTF-16 hardly ever has this structure,
/// because one of each two characters would have to be a control character.
fn utf32(bytes: &[u8]) -> Option<Charset> {
    let head = bytes.get(..bytes.len().min(STRUCTURE) & !3)?;
    if head.len() < 8 || !head.contains(&0) {
        return None;
    }
    [Charset::UTF_32LE, Charset::UTF_32BE].into_iter().find(|charset| is_text(*charset, head))
}

/// UTF-16 without a byte order mark: (nearly) all zero bytes are on one side of the byte pairs.
///
/// Text in other scripts than Latin has few of them, but its line breaks and spaces still do.
fn utf16(bytes: &[u8]) -> Option<Charset> {
    let bytes = bytes.get(..bytes.len().min(STRUCTURE) & !1)?;
    let (mut even, mut odd) = (0_usize, 0_usize);
    for pair in bytes.chunks_exact(2) {
        even += usize::from(pair.first() == Some(&0));
        odd += usize::from(pair.last() == Some(&0));
    }
    let (charset, major, minor) =
        if odd > even { (Charset::UTF_16LE, odd, even) } else { (Charset::UTF_16BE, even, odd) };
    // A few characters have a zero as their low byte, some of them frequent, such as U+AC00 in Korean. With many of them,
    // only text without a single odd character counts.
    let per = match (major, minor) {
        (0, _) => return None,
        _ if major > minor * 8 => 50,
        _ if major > minor * 2 => usize::MAX,
        _ => return None,
    };
    let zeros = even + odd;
    let plausible =
        zeros * 20 >= bytes.len() / 2 && !is_ascii_with_zeros(bytes, zeros) && is_text_with(charset, bytes, per);
    plausible.then_some(charset)
}

/// Whether bytes are ASCII with some zero bytes, as in a damaged export. In UTF-16 every other byte of such a text
/// would be zero, and the bytes of letters of other scripts would include control characters.
fn is_ascii_with_zeros(bytes: &[u8], zeros: usize) -> bool {
    let is_text = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' '..=b'~');
    zeros * 4 < bytes.len() && bytes.iter().all(is_text)
}

/// Whether bytes decode to characters that occur in texts, with few exceptions.
fn is_text(charset: Charset, bytes: &[u8]) -> bool {
    is_text_with(charset, bytes, 50)
}

/// The same with at most one odd character among `per` ones. An incomplete character at the end is allowed.
fn is_text_with(charset: Charset, bytes: &[u8], per: usize) -> bool {
    let unit = if charset.bom_len() == 4 { 4 } else { 2 };
    let complete = bytes.get(..bytes.len().min(STRUCTURE) / unit * unit).unwrap_or_default();
    let (text, _) = charset.decode(complete);
    // Planes 4 to 13 are unassigned; two UTF-16 characters, one of them a line feed, would decode to one of these.
    let unassigned = |c: char| ('\u{40000}'..='\u{dffff}').contains(&c);
    let is_odd = |c: char| c == '\0' || c == '\u{fffd}' || unassigned(c) || (c.is_control() && !c.is_whitespace());
    let (mut all, mut odd) = (0_usize, 0_usize);
    for character in text.chars() {
        all += 1;
        odd += usize::from(is_odd(character));
    }
    odd.saturating_mul(per) <= all
}

/// ISO-2022-JP (Japanese mail, old exports) is ASCII with escape sequences. Terminal colours have escapes too.
fn iso_2022_jp(bytes: &[u8], complete: bool) -> Option<DetectedEncoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, complete);
    let guess = detector.guess(None, Utf8Detection::Allow);
    (guess == ISO_2022_JP).then(|| DetectedEncoding::new(Charset::web(guess), 0, 0.9))
}

/// Whether invalid bytes are the exception among multi-byte characters that are valid UTF-8.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right >= 2 * wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(bytes: &[u8]) -> (&'static str, usize) {
        let detected = detect_encoding(bytes, true);
        (detected.charset.name(), detected.bom_len)
    }

    #[test]
    fn byte_order_marks_and_structure_decide() {
        assert_eq!(detected(b""), ("UTF-8", 0));
        assert_eq!(detected(b"\xef\xbb\xbfa,b"), ("UTF-8", 3));
        assert_eq!(detected(b"\xff\xfea\0,\0"), ("UTF-16LE", 2));
        assert_eq!(detected(b"\xfe\xff\0a\0,"), ("UTF-16BE", 2));
        assert_eq!(detected(b"\xff\xfe\0\0a\0\0\0"), ("UTF-32LE", 4));
        assert_eq!(detected(b"\0\0\xfe\xff\0\0\0a"), ("UTF-32BE", 4));
        assert_eq!(detected("größe".as_bytes()), ("UTF-8", 0));
        assert_eq!(detected(b"\x1b[1mbold\x1b[0m"), ("UTF-8", 0));
        // Zero bytes in ASCII text are a defect of the text, not UTF-16.
        for text in [&b"a,b\n1,x\0y\n2,z\n"[..], b"x\0y\0 damaged line\n", b"\0name;amount\n1;2\n"] {
            assert_eq!(detected(text), ("UTF-8", 0), "{text:?}");
        }
    }

    #[test]
    fn wide_encodings_without_a_byte_order_mark_are_detected() {
        let texts = [
            "name,note\nfirst,\u{1f600}\nsecond,\u{100}\n",
            "1\n2\n3\n4\n",
            "a\tb\r\nc\td\r\n",
            "имя,город\nАнна,Москва\n",
            "名前,都市\n花子,東京\n",
        ];
        for text in texts {
            for charset in [Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE] {
                let bytes = charset.encode(text).unwrap();
                assert_eq!(detected(&bytes), (charset.name(), 0), "{text:?}");
            }
        }
    }

    #[test]
    fn an_incomplete_character_is_an_error_only_at_the_end_of_the_file() {
        let bytes = "ein Käse".as_bytes();
        assert_eq!(detect_encoding(&bytes[..6], false).charset, Charset::UTF_8);
        assert_eq!(detect_encoding(&bytes[..6], false).confidence, 1.0);
        assert_ne!(detect_encoding(&bytes[..6], true).confidence, 1.0);
    }

    #[test]
    fn the_confidence_of_a_guess_depends_on_the_evidence() {
        let sure = |text: &str| {
            detect_encoding(&Charset::named("windows-1252").unwrap().encode(text).unwrap(), true).confidence
        };
        assert_eq!(sure("Käse"), 0.5);
        assert_eq!(sure("Käse für Jürgen, Straße, naïve façade, déjà vu"), 0.8);
    }
}
