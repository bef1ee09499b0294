//! Text into XML and back.

use std::borrow::Cow;

/// Whether XML 1.0 can hold this character at all.
pub fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}')
}

/// The text without characters that XML cannot hold, and how many those were.
pub fn strip_illegal(text: &str) -> (Cow<'_, str>, usize) {
    let illegal = text.chars().filter(|c| !is_xml_char(*c)).count();
    if illegal == 0 {
        return (text.into(), 0);
    }
    (text.chars().filter(|c| is_xml_char(*c)).collect(), illegal)
}

/// Text as element content. Characters that XML cannot hold are left out: strip them first to report it.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '<' | '>' | '&' | '\r') || !is_xml_char(c))
}

/// Text as an attribute value in either kind of quotes.
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '<' | '>' | '&' | '"' | '\'' | '\r' | '\n' | '\t') || !is_xml_char(c))
}

fn escape(text: &str, special: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&special) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            _ if !special(c) => out.push(c),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            _ => {}
        }
    }
    out.into()
}

/// Markup with its references resolved. Unknown references stay as they are written: there are no entities, since a document
/// type declaration is refused.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match reference(from) {
            Some((c, len)) => {
                out.push(c);
                rest = from.get(len..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out.into()
}

/// The character of a reference at the start of a text, and the reference's length.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}
