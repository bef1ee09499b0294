//! Which encoding bytes are in: by byte order mark, else by structure, else by an educated guess, with how sure it is.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::ISO_2022_JP;

use crate::charset::Charset;

/// Bytes that are looked at for the structure of UTF-16 and UTF-32.
const STRUCTURE: usize = 1 << 20;
/// Bytes beyond ASCII from which on a guess among legacy encodings is a good one.
const ENOUGH: usize = 8;

/// An encoding that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedEncoding {
    /// Which one.
    pub charset: Charset,
    /// Bytes of a byte order mark at the beginning.
    pub mark: usize,
    /// From 0 to 1.
    pub confidence: f64,
    /// Whether only ASCII was seen, so that more text may show another encoding.
    pub ascii: bool,
}

impl DetectedEncoding {
    const fn new(charset: Charset, mark: usize, confidence: f64) -> Self {
        Self { charset, mark, confidence, ascii: false }
    }
}

/// Finds the encoding of a file by its bytes; `whole` says that there are no more of them, so that a character cut at
/// the end is a fault.
#[must_use]
pub fn detect(bytes: &[u8], whole: bool) -> DetectedEncoding {
    if let Some(found) = by_mark(bytes) {
        return found;
    }
    // Those with zeros go first: ASCII characters in them are valid UTF-8 with a NUL around each.
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
        Err(error) => !whole && error.error_len().is_none(),
    };
    if escapes {
        if let Some(found) = iso_2022_jp(bytes, whole) {
            return found;
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
    detector.feed(bytes, whole);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let odd = bytes.iter().filter(|byte| !byte.is_ascii()).take(ENOUGH).count();
    DetectedEncoding::new(Charset::web(guess), 0, if odd >= ENOUGH { 0.8 } else { 0.5 })
}

fn by_mark(bytes: &[u8]) -> Option<DetectedEncoding> {
    let marked = |charset: Charset| DetectedEncoding::new(charset, charset.mark_len(), 1.0);
    // The mark of UTF-32 begins with that of UTF-16: what follows decides.
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

/// UTF-32 without a mark: every four bytes are a character of a text. Two characters of UTF-16 are hardly ever, as one
/// of them would have to be a control character.
fn utf32(bytes: &[u8]) -> Option<Charset> {
    let head = bytes.get(..bytes.len().min(STRUCTURE) & !3)?;
    if head.len() < 8 || !head.contains(&0) {
        return None;
    }
    [Charset::UTF_32LE, Charset::UTF_32BE].into_iter().find(|charset| is_text(*charset, head))
}

/// UTF-16 without a mark shows by NULs that fall (nearly) all on one side of each byte pair.
///
/// Text in scripts outside Latin may have few of them; its line breaks and spaces still do.
fn utf16(bytes: &[u8]) -> Option<Charset> {
    let bytes = bytes.get(..bytes.len().min(STRUCTURE) & !1)?;
    let (mut even, mut odd) = (0_usize, 0_usize);
    for pair in bytes.chunks_exact(2) {
        even += usize::from(pair.first() == Some(&0));
        odd += usize::from(pair.last() == Some(&0));
    }
    // A few characters have a zero in their lower half.
    let charset = match (even, odd) {
        (0, 0) => return None,
        (even, odd) if odd > even * 8 => Charset::UTF_16LE,
        (even, odd) if even > odd * 8 => Charset::UTF_16BE,
        _ => return None,
    };
    let zeros = even + odd;
    let plausible = zeros * 20 >= bytes.len() / 2 && !is_ascii_with_zeros(bytes, zeros) && is_text(charset, bytes);
    plausible.then_some(charset)
}

/// Whether bytes are a text in ASCII with zeros in it, which a damaged export has. In UTF-16 every other byte of such a
/// text is zero, and letters of other scripts have control characters among their bytes.
fn is_ascii_with_zeros(bytes: &[u8], zeros: usize) -> bool {
    let is_text = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' '..=b'~');
    zeros * 4 < bytes.len() && bytes.iter().all(is_text)
}

/// Whether bytes decode to characters that texts contain. An odd byte at the end is a cut file, not a reason against it.
fn is_text(charset: Charset, bytes: &[u8]) -> bool {
    let unit = if charset.mark_len() == 4 { 4 } else { 2 };
    let complete = bytes.get(..bytes.len().min(STRUCTURE) / unit * unit).unwrap_or_default();
    let (text, _) = charset.decode(complete);
    // No character of planes 4 to 13 is assigned; there two characters of UTF-16 with a line end among them would fall.
    let unassigned = |c: char| ('\u{40000}'..='\u{dffff}').contains(&c);
    let is_odd = |c: char| c == '\0' || c == '\u{fffd}' || unassigned(c) || (c.is_control() && !c.is_whitespace());
    let (mut all, mut odd) = (0_usize, 0_usize);
    for character in text.chars() {
        all += 1;
        odd += usize::from(is_odd(character));
    }
    odd * 50 <= all
}

/// Japanese mail and old exports: ASCII with escape sequences. Terminal colours have escapes too.
fn iso_2022_jp(bytes: &[u8], whole: bool) -> Option<DetectedEncoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, whole);
    let guess = detector.guess(None, Utf8Detection::Allow);
    (guess == ISO_2022_JP).then(|| DetectedEncoding::new(Charset::web(guess), 0, 0.9))
}

/// Whether bytes that are not UTF-8 are the exception among longer characters that are.
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

    fn told(bytes: &[u8]) -> (&'static str, usize) {
        let found = detect(bytes, true);
        (found.charset.name(), found.mark)
    }

    #[test]
    fn marks_and_structure_decide() {
        assert_eq!(told(b""), ("UTF-8", 0));
        assert_eq!(told(b"\xef\xbb\xbfa,b"), ("UTF-8", 3));
        assert_eq!(told(b"\xff\xfea\0,\0"), ("UTF-16LE", 2));
        assert_eq!(told(b"\xfe\xff\0a\0,"), ("UTF-16BE", 2));
        assert_eq!(told(b"\xff\xfe\0\0a\0\0\0"), ("UTF-32LE", 4));
        assert_eq!(told(b"\0\0\xfe\xff\0\0\0a"), ("UTF-32BE", 4));
        assert_eq!(told("größe".as_bytes()), ("UTF-8", 0));
        assert_eq!(told(b"\x1b[1mbold\x1b[0m"), ("UTF-8", 0));
        // Zeros in an ASCII text are a fault of the text.
        for text in [&b"a,b\n1,x\0y\n2,z\n"[..], b"x\0y\0 damaged line\n", b"\0name;amount\n1;2\n"] {
            assert_eq!(told(text), ("UTF-8", 0), "{text:?}");
        }
    }

    #[test]
    fn wide_texts_without_a_mark_are_told_apart() {
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
                assert_eq!(told(&bytes), (charset.name(), 0), "{text:?}");
            }
        }
    }

    #[test]
    fn a_cut_character_is_a_fault_only_at_the_end_of_the_file() {
        let bytes = "ein Käse".as_bytes();
        assert_eq!(detect(&bytes[..6], false).charset, Charset::UTF_8);
        assert_eq!(detect(&bytes[..6], false).confidence, 1.0);
        assert_ne!(detect(&bytes[..6], true).confidence, 1.0);
    }

    #[test]
    fn a_guess_is_as_sure_as_it_has_letters() {
        let sure = |text: &str| detect(&Charset::named("windows-1252").unwrap().encode(text).unwrap(), true).confidence;
        assert_eq!(sure("Käse"), 0.5);
        assert_eq!(sure("Käse für Jürgen, Straße, naïve façade, déjà vu"), 0.8);
    }
}
