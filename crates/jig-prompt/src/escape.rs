//! The rule that keeps data inside its section, and its way back.
//!
//! A prompt is made of tags and data. Tags are ours: their names begin with `workbench`, but for `<context>` and what
//! stands in it, where kinds and fields give the names. All else (files, items, entries, messages, answers of tools) is
//! data and passes through one rule before it is written:
//!
//! > **A sign that opens a tag, or hides, is written as its code.**
//!
//! 1. A less-than sign, or a character that looks like one, is written as a code when what follows could be read as the
//!    name of one of our tags: letters are compared after passing over blanks, slashes, dashes, invisible characters and
//!    accents, in any case and any alphabet that looks like ours. Inside `<context>`, where names are free
//!    ([`Names::Any`]), every sign that could begin a tag of any name is.
//! 2. A character that cannot be seen or turns its surroundings around (controls, a carriage return that no line feed
//!    follows, bidi controls, characters without width, tag characters) is written as a code.
//! 3. An ampersand is written as `&amp;` where it would otherwise begin one of these codes.
//!
//! The codes are `&lt;` for `<`, `&amp;` for `&`, `&quot;` for `"` (in attributes only) and `&#xH;` with the hexadecimal
//! number of any other character. Nothing else is touched, so ordinary text, code and markup stay as they are.
//! [`unescape`] turns exactly these four forms back, so the original can always be read: `unescape(escape(t)) == t`.
//!
//! Why nothing can break out: a tag needs an opening sign followed by its name. Data that has one is written with the
//! code in place of the sign, data is always followed by a `<` of ours (which ends any search for a name), and every tag
//! of ours is written in one module (`write`), with names that were checked.

use std::borrow::Cow;
use std::fmt::Write;

use crate::lookalike::{is_hidden, is_opener, is_passed_over, letters};

/// Which names are tags where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Those of sections: what begins with `workbench`, and `context`.
    Sections,
    /// Any: inside `<context>`.
    Any,
}

/// The beginning of the names of our tags.
pub(crate) const PREFIX: &str = "workbench";

/// The one section whose name does not begin so.
pub(crate) const CONTEXT: &str = "context";

/// Writes data so that it cannot be taken for a tag.
pub fn escape(text: &str, names: Names) -> Cow<'_, str> {
    rewrite(text, |c, rest| match c {
        '&' => begins_code(rest),
        '\r' => !rest.starts_with('\n'),
        c if is_opener(c) => opens(rest, names),
        c => is_hidden(c),
    })
}

/// Writes the value of an attribute: also without quotes, angles or line breaks.
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    rewrite(text, |c, rest| match c {
        '&' => begins_code(rest),
        '"' | '>' | '\n' | '\t' => true,
        c => is_opener(c) || is_hidden(c),
    })
}

/// The text as it was before [`escape`] or [`escape_attribute`].
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        match code(after) {
            Some((c, length)) => {
                out.push(c);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Replaces each character for which `coded` holds by its code. Most text has none and is not copied.
fn rewrite(text: &str, coded: impl Fn(char, &str) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(skipped) = text.as_bytes().get(at..).and_then(|rest| rest.iter().position(|byte| is_notable(*byte)))
    {
        at += skipped;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        let next = at + c.len_utf8();
        if coded(c, text.get(next..).unwrap_or_default()) {
            out.push_str(text.get(kept..at).unwrap_or_default());
            push_code(&mut out, c);
            kept = next;
        }
        at = next;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a character that begins with this byte needs a look: the rest is passed over at the speed of a scan.
fn is_notable(byte: u8) -> bool {
    !(b' '..0x7F).contains(&byte) || matches!(byte, b'<' | b'&' | b'"' | b'>')
}

fn push_code(out: &mut String, c: char) {
    match c {
        '<' => out.push_str("&lt;"),
        '&' => out.push_str("&amp;"),
        '"' => out.push_str("&quot;"),
        // Writing to a text cannot fail.
        c => write!(out, "&#x{:X};", u32::from(c)).unwrap_or_default(),
    }
}

fn begins_code(after: &str) -> bool {
    code(after).is_some()
}

/// The character of the code that follows an ampersand, and how long it is without that.
fn code(after: &str) -> Option<(char, usize)> {
    for (name, c) in [("lt;", '<'), ("amp;", '&'), ("quot;", '"')] {
        if after.starts_with(name) {
            return Some((c, name.len()));
        }
    }
    let digits = after.strip_prefix("#x")?;
    let length = digits.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
    if !(1..=6).contains(&length) || digits.as_bytes().get(length) != Some(&b';') {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits.get(..length)?, 16).ok()?)?;
    Some((c, "#x;".len() + length))
}

fn opens(rest: &str, names: Names) -> bool {
    names_section(rest) || (names == Names::Any && begins_name(rest))
}

/// Whether what follows an opening sign could be read as the name of a section, closing or not.
fn names_section(rest: &str) -> bool {
    let mut read = String::new();
    for (at, c) in rest.char_indices() {
        if c == '>' || is_opener(c) {
            break;
        }
        for letter in letters(c).filter(|letter| letter.is_alphanumeric()) {
            read.push(letter);
            if !PREFIX.starts_with(&read) && !CONTEXT.starts_with(&read) {
                return false;
            }
        }
        match read.as_str() {
            PREFIX => return true,
            CONTEXT => return name_ends(rest.get(at + c.len_utf8()..).unwrap_or_default()),
            _ => {}
        }
    }
    false
}

/// Whether a name is over here, rather than going on as another name: `<context-menu>` is not ours.
fn name_ends(rest: &str) -> bool {
    let unseen = |c: &char| is_passed_over(*c) && !c.is_whitespace();
    rest.chars().find(|c| !unseen(c)).is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | ':'))
}

/// Whether what follows an opening sign could begin a tag of any name.
fn begins_name(rest: &str) -> bool {
    let slash = |c: &char| {
        matches!(c, '/' | '\\' | '\u{2044}' | '\u{2215}' | '\u{2571}' | '\u{29F8}' | '\u{FF0F}' | '\u{FF3C}')
    };
    let first = rest.chars().find(|c| !is_passed_over(*c));
    first.is_some_and(|c| {
        c.is_alphabetic()
            || slash(&c)
            || matches!(c, '!' | '?' | '_' | ':')
            || (!c.is_ascii() && letters(c).any(char::is_alphabetic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(text: &str) -> String {
        escape(text, Names::Sections).into_owned()
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "a < b && c > d",
            "<div class=\"x\">AT&T &nbsp; &copy;</div>\r\n",
            "Vec<T> <context-menu> <Context.Provider> <contextual>",
            "日本語 «zitat» é 👍🏽 a\u{200d}b\ttab",
            "the workbench > <b>workbench</b>",
        ] {
            assert!(matches!(escape(text, Names::Sections), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn names_of_sections_are_coded_however_they_are_written() {
        for (text, expected) in [
            ("</workbench-situation>", "&lt;/workbench-situation>"),
            ("< / WorkBench - Skill >", "&lt; / WorkBench - Skill >"),
            ("<\n/work\u{200d}bench-files", "&lt;\n/work\u{200d}bench-files"),
            ("＜/wоrkbеnсh-situation＞", "&#xFF1C;/wоrkbеnсh-situation＞"),
            ("‹/workbench", "&#x2039;/workbench"),
            ("<<workbench", "<&lt;workbench"),
            ("<!-- workbench", "&lt;!-- workbench"),
            ("<context>", "&lt;context>"),
            ("</ CONTEXT\t>", "&lt;/ CONTEXT\t>"),
            ("<context", "&lt;context"),
        ] {
            assert_eq!(sections(text), expected);
        }
    }

    #[test]
    fn inside_context_every_tag_is_coded() {
        let any = |text| escape(text, Names::Any).into_owned();
        assert_eq!(any("</voice><x> a<b"), "&lt;/voice>&lt;x> a&lt;b");
        assert_eq!(any("1 < 2 <= 3 <- <3"), "1 < 2 <= 3 <- <3");
        assert_eq!(any("＜／name>"), "&#xFF1C;／name>");
    }

    #[test]
    fn the_hidden_is_shown() {
        assert_eq!(sections("a\0b\rc\r\nd\u{202e}e\u{85}"), "a&#x0;b&#xD;c\r\nd&#x202E;e&#x85;");
        assert_eq!(sections("end\r"), "end&#xD;");
    }

    #[test]
    fn codes_in_the_original_stay_what_they_were() {
        assert_eq!(
            sections("&lt; &amp; &#x41; &quot; &LT; &#65; &#xZ; &"),
            "&amp;lt; &amp;amp; &amp;#x41; &amp;quot; &LT; &#65; &#xZ; &"
        );
        for text in ["&lt;", "&amp;lt;", "&&#xD;", "&#x110000;", "&#x1F600;", "&#x0000041;"] {
            assert_eq!(unescape(&sections(text)), text);
        }
    }

    #[test]
    fn attributes_have_no_quotes_angles_or_lines() {
        let coded = escape_attribute("a\"b<c>d\ne\tf&amp;");
        assert_eq!(coded, "a&quot;b&lt;c&#x3E;d&#xA;e&#x9;f&amp;amp;");
        assert_eq!(unescape(&coded), "a\"b<c>d\ne\tf&amp;");
    }
}
