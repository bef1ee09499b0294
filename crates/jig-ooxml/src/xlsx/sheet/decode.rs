//! From markup to the characters a person sees.

use std::borrow::Cow;

use crate::xml::unescape;

/// The characters of raw markup: references resolved, line ends made one, and Excel's own `_x000D_`
/// escapes undone.
pub(crate) fn decoded(raw: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(raw);
    if memchr::memchr3(b'&', b'\r', b'_', raw).is_none() {
        return text;
    }
    let text = match text {
        Cow::Borrowed(text) => unescape(text),
        Cow::Owned(text) => Cow::Owned(unescape(&text).into_owned()),
    };
    let text = if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text };
    if text.contains("_x") { without_escapes(&text).into() } else { text }
}

/// The same for what came out of a character data section.
pub(crate) fn plain(raw: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(raw)
}

/// An attribute's value.
pub(crate) fn attribute(raw: &[u8]) -> String {
    unescape(&String::from_utf8_lossy(raw)).into_owned()
}

/// `_x` with four hexadecimal digits and `_` is the character of that number.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match escape(from) {
            Some(c) => {
                out.push(c);
                rest = from.get(7..).unwrap_or_default();
            }
            None => {
                out.push_str("_x");
                rest = from.get(2..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

fn escape(from: &str) -> Option<char> {
    let digits = from.get(2..6)?;
    let closed = from.as_bytes().get(6) == Some(&b'_');
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if closed && hex { char::from_u32(u32::from_str_radix(digits, 16).ok()?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_line_ends_and_escapes_become_characters() {
        let cases = [
            ("plain", "plain"),
            ("a &lt; b &#65;", "a < b A"),
            ("one\r\ntwo", "one\ntwo"),
            ("a_x000D_b", "a\rb"),
            ("_x005F_x0041_", "_x0041_"),
            ("_x12_ _xyzzy_ _x004", "_x12_ _xyzzy_ _x004"),
        ];
        for (raw, wanted) in cases {
            assert_eq!(decoded(raw.as_bytes()), wanted);
        }
    }
}
