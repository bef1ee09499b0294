//! Text strings outside of pages: titles, names, notes.

use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::object::{Object, String as PdfString};

/// The most characters that are given of one string.
const MOST: usize = 4_000;

/// A text string, whatever it is encoded in.
pub(super) fn decode(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xFF, 0xFE, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().filter_map(|byte| document_char(*byte)).collect(),
    };
    clean(&text)
}

/// Without control characters and language escapes, and not endless.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MOST));
    let mut escape = false;
    for (taken, char) in text.chars().enumerate() {
        if taken >= MOST {
            clean.push('…');
            break;
        }
        match char {
            '\u{1b}' => escape = !escape,
            _ if escape => {}
            '\r' => clean.push('\n'),
            '\n' | '\t' => clean.push(char),
            _ if char.is_control() => {}
            _ => clean.push(char),
        }
    }
    clean.trim().to_owned()
}

/// `PDFDocEncoding`: Latin-1 but for two ranges.
fn document_char(byte: u8) -> Option<char> {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    match byte {
        0x18..=0x1F => LOW.get(usize::from(byte - 0x18)).copied(),
        0x80..=0xA0 => HIGH.get(usize::from(byte - 0x80)).copied(),
        _ => Some(char::from(byte)),
    }
}

/// The text of an entry, when it is a string with something in it.
pub(super) fn entry(dict: &Dict<'_>, key: &[u8]) -> Option<String> {
    let text = decode(dict.get::<PdfString<'_>>(key)?.as_bytes());
    (!text.is_empty()).then_some(text)
}

/// The text of a value that may be a string, a name, a number or a list of them.
pub(super) fn value(object: &Object<'_>) -> Option<serde_json::Value> {
    value_within(object, 0)
}

fn value_within(object: &Object<'_>, depth: usize) -> Option<serde_json::Value> {
    Some(match object {
        // A list can hold itself.
        Object::Array(_) if depth > 2 => return None,
        Object::String(text) => decode(text.as_bytes()).into(),
        Object::Name(name) => decode(name.as_ref()).into(),
        Object::Boolean(truth) => (*truth).into(),
        Object::Number(number) => number.as_f64().into(),
        Object::Stream(stream) => decode(&stream.decoded_data().ok()?).into(),
        Object::Array(list) => {
            let values = list.iter::<Object<'_>>().take(1_000);
            values.filter_map(|one| value_within(&one, depth + 1)).collect()
        }
        Object::Null(_) | Object::Dict(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn every_encoding_of_text_strings_is_read() {
        assert_eq!(decode(b"Plain \x92 and \x80 dot"), "Plain ™ and • dot");
        assert_eq!(decode(b"\xFE\xFF\x00G\x00r\x00\xFC\x00n"), "Grün");
        assert_eq!(decode(b"\xFF\xFEG\x00r\x00\xFC\x00n\x00"), "Grün");
        assert_eq!(decode("\u{FEFF}Grün".as_bytes()), "Grün");
    }

    #[test]
    fn escapes_and_controls_are_left_out() {
        assert_eq!(decode(b"\xFE\xFF\x00\x1b\x00e\x00n\x00\x1b\x00A\x00\x07\x00\x0D\x00B"), "A\nB");
        assert_eq!(decode("x".repeat(5_000).as_bytes()).chars().count(), 4_001);
    }
}
