//! The escaping rule that keeps data inside its section and harmless for chat templates, and its inverse.
//!
//! A prompt consists of tags and data. Tags are Jig's: their names start with `workbench`, except for `<context>` and
//! the tags inside it, which are named after kinds and fields. Everything else (files, items, entries, messages, tool
//! results) is data and is escaped by one rule before it is written:
//!
//! > **A character that opens a tag or a control token, or that is invisible, is written as a code.**
//!
//! 1. A less-than sign, or a character that looks like one, is escaped if what follows could be read as the name of one
//!    of Jig's tags: letters are compared after skipping blanks, slashes, dashes, invisible characters and accents, in
//!    any case and any alphabet with similar letters. Inside `<context>` and agent parts, where names are arbitrary
//!    ([`Names::Any`]), every sign that could open a tag is escaped.
//! 2. So is the first character of a control token of a chat template, such as `<|im_start|>` or `[INST]` (module
//!    `tokens`), which local servers would interpret as the token itself.
//! 3. A character that is invisible or reorders its surroundings (controls, a carriage return without a line feed, bidi
//!    controls, zero-width characters, tag characters) is escaped, unless a writing system needs it at that position
//!    (`lookalike::is_needed`).
//! 4. An opening `⟦` is escaped where it would otherwise start one of these codes.
//!
//! A code is the character between `⟦` and `⟧` for `<`, `[`, `]` and `⟦` itself (`⟦<⟧`), otherwise its hexadecimal
//! number (`⟦U+202E⟧`). Nothing else is changed: ordinary text, code, HTML entities and markup stay as they are.
//!
//! **The inverse.** [`unescape`] converts exactly these codes to their characters, so `unescape(escape(t)) == t` for
//! every text, and `unescape(t) == t` for every text without a code. Model output passes through [`unescape`]: whether
//! the model writes the character or copies the code, the result is the original text. That is why the codes are not
//! XML entities: a model that writes HTML intends `&lt;`, which must not be changed.
//!
//! Why nothing can escape its section: a tag needs an opening sign followed by its name. In data, that sign is replaced
//! by its code, data is always followed by a `<` of Jig's (which ends any search for a name), and all of Jig's tags are
//! written in one module (`write`), with validated names.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;

use crate::lookalike::{is_hidden, is_needed, is_opener, is_passed_over, letters};
use crate::tokens::opens_token;

/// The names that count as tags at the position of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Names of sections: those that start with `workbench`, and `context`.
    Sections,
    /// Any name: inside `<context>`.
    Any,
    /// None: the text separates its parts in another way, such as boundary lines or XML of its own.
    None,
}

/// The prefix of Jig's tag names.
pub(crate) const PREFIX: &str = "workbench";

/// The only section without this prefix.
pub(crate) const CONTEXT: &str = "context";

/// The delimiters of codes.
const OPEN: char = '⟦';
const CLOSE: char = '⟧';

/// Escapes data so that it cannot be read as a tag or a control token.
pub fn escape(text: &str, names: Names) -> Cow<'_, str> {
    rewrite(text, |before, c, rest| match c {
        OPEN => begins_code(rest),
        '\r' => !rest.starts_with('\n'),
        c if is_opener(c) => opens(rest, names) || opens_token(c, rest),
        c => hides(before, c, rest) || opens_token(c, rest),
    })
}

/// Escapes the value of an attribute, including quotes, angle brackets and line breaks.
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    rewrite(text, |before, c, rest| match c {
        OPEN => begins_code(rest),
        '"' | '>' | '\n' | '\t' => true,
        c => is_opener(c) || hides(before, c, rest) || opens_token(c, rest),
    })
}

/// A JSON value with all strings and names escaped by [`escape`].
pub fn escape_value(value: &Value) -> Value {
    map_texts(value, &|text| escape(text, Names::Sections).into_owned())
}

/// The inverse of [`escape_value`].
pub fn unescape_value(value: &Value) -> Value {
    map_texts(value, &|text| unescape(text).into_owned())
}

fn map_texts(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (change(name), map_texts(value, change))).collect())
        }
        other => other.clone(),
    }
}

/// The inverse of [`escape`] and [`escape_attribute`].
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        match code(after) {
            Some((c, length)) => {
                out.push(c);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                out.push(OPEN);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Unescapes a model's answer. Inside JSON, a character that must not be literal in a JSON string becomes a JSON
/// escape, so that the answer can still be parsed.
pub fn unescape_answer(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text.trim()) {
        return Cow::Owned(unescape_value(&value).to_string());
    }
    if !text.contains('{') {
        return unescape(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        let (c, length) = code(after).unwrap_or((OPEN, 0));
        if c.is_ascii_control() || c == '"' {
            write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default();
        } else {
            out.push(c);
        }
        rest = after.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What was escaped in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Neutralized {
    /// Control tokens of chat templates.
    pub tokens: u64,
    /// Text that looks like Jig's tags.
    pub tags: u64,
    /// Characters that are invisible or reorder their surroundings.
    pub hidden: u64,
}

impl Neutralized {
    /// Counts the codes of an escaped text.
    pub fn of(escaped: &str) -> Self {
        let mut found = Self::default();
        let mut rest = escaped;
        while let Some((_, after)) = rest.split_once(OPEN) {
            let Some((c, length)) = code(after) else {
                rest = after;
                continue;
            };
            rest = after.get(length..).unwrap_or_default();
            if is_hidden(c) || is_passed_over(c) {
                found.hidden += 1;
            } else if is_opener(c) && names_section(rest) {
                found.tags += 1;
            } else if opens_token(c, rest) {
                found.tokens += 1;
            }
        }
        found
    }

    /// Whether nothing was escaped.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl std::ops::AddAssign for Neutralized {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.tags += other.tags;
        self.hidden += other.hidden;
    }
}

fn hides(before: &str, c: char, rest: &str) -> bool {
    if c.is_ascii() { is_hidden(c) } else { (is_hidden(c) || is_passed_over_in_data(c)) && !is_needed(before, c, rest) }
}

/// Characters that are only permitted in data where a writing system needs them.
fn is_passed_over_in_data(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// Replaces each character for which `coded` holds by its code. Most texts contain none and are not copied.
fn rewrite(text: &str, coded: impl Fn(&str, char, &str) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(skipped) = text.as_bytes().get(at..).and_then(|rest| rest.iter().position(|byte| is_notable(*byte)))
    {
        at += skipped;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        let next = at + c.len_utf8();
        if coded(text.get(..at).unwrap_or_default(), c, text.get(next..).unwrap_or_default()) {
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

/// Whether a character with this first byte needs a check; others are skipped at the speed of a scan.
fn is_notable(byte: u8) -> bool {
    !(b' '..0x7F).contains(&byte) || matches!(byte, b'<' | b'"' | b'>' | b'[' | b']')
}

fn push_code(out: &mut String, c: char) {
    if is_shown(c) {
        out.extend([OPEN, c, CLOSE]);
    } else {
        // Writing to a `String` cannot fail.
        write!(out, "{OPEN}U+{:X}{CLOSE}", u32::from(c)).unwrap_or_default();
    }
}

/// Whether a code contains the character itself.
fn is_shown(c: char) -> bool {
    matches!(c, '<' | '[' | ']' | OPEN)
}

fn begins_code(after: &str) -> bool {
    code(after).is_some()
}

/// The character of the code after an opening `⟦`, and the length of the code without it.
fn code(after: &str) -> Option<(char, usize)> {
    let mut chars = after.chars();
    let first = chars.next()?;
    if is_shown(first) {
        return (chars.next()? == CLOSE).then_some((first, first.len_utf8() + CLOSE.len_utf8()));
    }
    let digits = after.strip_prefix("U+")?;
    let length = digits.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
    if !(1..=6).contains(&length) || !digits.get(length..)?.starts_with(CLOSE) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits.get(..length)?, 16).ok()?)?;
    Some((c, "U+".len() + length + CLOSE.len_utf8()))
}

fn opens(rest: &str, names: Names) -> bool {
    match names {
        Names::Sections => names_section(rest),
        Names::Any => names_section(rest) || begins_name(rest),
        Names::None => false,
    }
}

/// Whether what follows an opening sign could be read as the name of a section, opening or closing.
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

/// Whether a name ends here instead of continuing as another name: `<context-menu>` is not Jig's.
fn name_ends(rest: &str) -> bool {
    let unseen = |c: &char| is_passed_over(*c) && !c.is_whitespace();
    rest.chars().find(|c| !unseen(c)).is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | ':'))
}

/// Whether what follows an opening sign could open a tag of any name.
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
            "a < b && c > d, x <= y, a[0], [TODO], [x](y)",
            "<div class=\"x\">AT&T &nbsp; &copy; &lt; &amp;lt;</div>\r\n",
            "Vec<T> <context-menu> <Context.Provider> <contextual>",
            "a <|> b, f <| g |> h, x |> y, <- |",
            "日本語 «zitat» é 👍🏽 👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}\ttab",
            "می\u{200c}خواهم क्\u{200d}ष 葛\u{e0100}城 שָׁלוֹם\u{200f}! العربية\u{200f} (ABC)\u{200e}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "the workbench > <b>workbench</b> ⟦e⟧ ⟦U+⟧ ⟦⟧",
        ] {
            assert!(matches!(escape(text, Names::Sections), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn names_of_sections_are_coded_however_they_are_written() {
        for (text, expected) in [
            ("</workbench-situation>", "⟦<⟧/workbench-situation>"),
            ("< / WorkBench - Skill >", "⟦<⟧ / WorkBench - Skill >"),
            ("＜/wоrkbеnсh-situation＞", "⟦U+FF1C⟧/wоrkbеnсh-situation＞"),
            ("‹/workbench", "⟦U+2039⟧/workbench"),
            ("<<workbench", "<⟦<⟧workbench"),
            ("<!-- workbench", "⟦<⟧!-- workbench"),
            ("<context>", "⟦<⟧context>"),
            ("</ CONTEXT\t>", "⟦<⟧/ CONTEXT\t>"),
            ("<context", "⟦<⟧context"),
        ] {
            assert_eq!(sections(text), expected);
        }
    }

    #[test]
    fn inside_context_every_tag_is_coded() {
        let any = |text| escape(text, Names::Any).into_owned();
        assert_eq!(any("</voice><x> a<b"), "⟦<⟧/voice>⟦<⟧x> a⟦<⟧b");
        assert_eq!(any("1 < 2 <= 3 <- <3"), "1 < 2 <= 3 <- <3");
        assert_eq!(any("＜／name>"), "⟦U+FF1C⟧／name>");
    }

    #[test]
    fn the_hidden_is_shown() {
        assert_eq!(sections("a\0b\rc\r\nd\u{202e}e\u{85}"), "a⟦U+0⟧b⟦U+D⟧c\r\nd⟦U+202E⟧e⟦U+85⟧");
        assert_eq!(sections("end\r"), "end⟦U+D⟧");
        assert_eq!(sections("pay\u{200d}load\u{200c}"), "pay⟦U+200D⟧load⟦U+200C⟧", "no writing system needs these");
        assert_eq!(sections("a\u{200f}b"), "a⟦U+200F⟧b");
        assert_eq!(sections("😀\u{e0041}\u{e0042}"), "😀⟦U+E0041⟧⟦U+E0042⟧");
        assert_eq!(sections("😀\u{fe0f}\u{fe01}\u{e0100}"), "😀\u{fe0f}⟦U+FE01⟧⟦U+E0100⟧", "one selector is enough");
    }

    #[test]
    fn codes_in_the_original_stay_what_they_were() {
        assert_eq!(sections("⟦<⟧ ⟦U+41⟧ ⟦⟦⟧ ⟦"), "⟦⟦⟧<⟧ ⟦⟦⟧U+41⟧ ⟦⟦⟧⟦⟧ ⟦");
        for text in [
            "⟦<⟧",
            "⟦⟦⟧<⟧",
            "⟦⟦U+D⟧",
            "⟦U+110000⟧",
            "⟦U+1F600⟧",
            "⟦U+0000041⟧",
            "⟦⟦⟧",
            "⟦</workbench⟧",
            "⟦U+4\u{200b}⟧",
        ] {
            assert_eq!(unescape(&sections(text)), text);
        }
    }

    #[test]
    fn attributes_have_no_quotes_angles_or_lines() {
        let coded = escape_attribute("a\"b<c>d\ne\tf&amp;");
        assert_eq!(coded, "a⟦U+22⟧b⟦<⟧c⟦U+3E⟧d⟦U+A⟧e⟦U+9⟧f&amp;");
        assert_eq!(unescape(&coded), "a\"b<c>d\ne\tf&amp;");
    }

    #[test]
    fn an_answer_in_json_stays_json() {
        let value = serde_json::json!({ "a": "x\0y\u{202e}<|im_end|>\"", "<s>": ["[INST]"] });
        let copied = escape_value(&value).to_string();
        for text in [copied.clone(), format!("Here:\n```json\n{copied}\n```")] {
            let back = unescape_answer(&text).into_owned();
            let json = back.trim_start_matches("Here:\n```json\n").trim_end_matches("\n```");
            assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value, "{back}");
        }
        assert_eq!(unescape_answer("it says ⟦<⟧|im_end|> and ⟦U+0⟧"), "it says <|im_end|> and \0");
    }

    #[test]
    fn what_is_made_harmless_is_counted() {
        let text = sections("<|im_end|> [INST] </workbench-skill> \u{202e}x\u{0} <b> ⟦<⟧");
        assert_eq!(Neutralized::of(&text), Neutralized { tokens: 2, tags: 1, hidden: 2 });
        assert!(Neutralized::of("plain <b> ⟦e⟧").is_empty());
    }
}
