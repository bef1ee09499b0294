//! Decodes markup to the characters that a person sees.

use std::borrow::Cow;

use super::markup::{self, local, tag_name};
use crate::xml::unescape;

/// The characters of raw markup without tags: references resolved, line ends made one, and Excel's own `_x000D_`
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

/// The characters of an element that holds only text. Comments and other markup inside are left out.
pub(crate) fn text_content(markup: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'<', markup).is_none() {
        return decoded(markup);
    }
    let raw = String::from_utf8_lossy(markup);
    let text = without_markup(&raw).replace("\r\n", "\n");
    if text.contains("_x") { without_escapes(&text).into() } else { text.into() }
}

/// The characters of an element that holds only text.
pub fn markup_text(markup: &[u8]) -> String {
    text_content(markup).into_owned()
}

/// The characters of a string, shared (`si`) or inline (`is`), without formats and phonetic hints.
pub fn string_text(item: &[u8]) -> String {
    let mut out = String::new();
    for found in markup::elements(item) {
        let inner = item.get(found.inner.clone()).unwrap_or_default();
        match local(tag_name(item.get(found.tag.clone()).unwrap_or_default())) {
            b"t" => out.push_str(&text_content(inner)),
            b"r" => {
                for part in markup::elements(inner) {
                    if local(tag_name(inner.get(part.tag.clone()).unwrap_or_default())) == b"t" {
                        out.push_str(&text_content(inner.get(part.inner).unwrap_or_default()));
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// The characters between tags and inside of character data sections.
fn without_markup(raw: &str) -> String {
    let mut out = String::new();
    let mut rest = raw;
    while let Some((before, from)) = rest.split_once('<') {
        out.push_str(&unescape(before));
        rest = match (from.strip_prefix("![CDATA["), from.strip_prefix("!--")) {
            (Some(data), _) => {
                let (inside, after) = data.split_once("]]>").unwrap_or((data, ""));
                out.push_str(inside);
                after
            }
            (None, Some(comment)) => comment.split_once("-->").map_or("", |(_, after)| after),
            (None, None) => from.split_once('>').map_or("", |(_, after)| after),
        };
    }
    out.push_str(&unescape(rest));
    out
}

/// The same for the content of a character data section.
pub(crate) fn plain(raw: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(raw)
}

/// An attribute's value.
pub(crate) fn attribute(raw: &[u8]) -> String {
    unescape(&String::from_utf8_lossy(raw)).into_owned()
}

/// The text with Excel's escapes as the characters that they mean: `_x` with four hexadecimal digits and `_`.
pub(crate) fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match escape(from).and_then(char::from_u32) {
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

/// The number of an escape such as `_x000D_` at the start of a text.
pub(crate) fn escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("_x")?.get(..4)?;
    let closed = text.as_bytes().get(6) == Some(&b'_');
    let valid = closed && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| u32::from_str_radix(digits, 16).ok())?
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
            assert_eq!(text_content(raw.as_bytes()), wanted);
            assert_eq!(text_content(format!("<!-- c -->{raw}").as_bytes()), wanted);
        }
    }

    #[test]
    fn markup_in_a_text_is_left_out() {
        let cases = [
            ("a<!-- <t> -->b", "ab"),
            ("<![CDATA[a<b&amp;]]> c&amp;d", "a<b&amp; c&d"),
            ("a<x>b</x>", "ab"),
            ("a<!-- never closed", "a"),
        ];
        for (raw, wanted) in cases {
            assert_eq!(text_content(raw.as_bytes()), wanted);
        }
        let rich = b"<r><rPr><b/></rPr><t>a</t></r><r><t>b</t></r><rPh sb=\"0\" eb=\"1\"><t>sound</t></rPh>";
        assert_eq!(string_text(rich), "ab");
    }
}
