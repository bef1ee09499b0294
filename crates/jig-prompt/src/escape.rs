//! The rule that keeps data inside its section and makes it harmless to a model's template, and its way back.
//!
//! A prompt is made of tags and data. Tags are ours: their names begin with `workbench`, but for `<context>` and what
//! stands in it, where kinds and fields give the names. Everything else (files, items, entries, messages, results of
//! tools) is data and passes through one rule before it is written:
//!
//! > **A character that opens a tag or a control token, or that hides, is written as a code.**
//!
//! 1. A less-than sign, or a character that looks like one, is written as a code when what follows could be read as the
//!    name of one of our tags: letters are compared after passing over blanks, slashes, dashes, invisible characters and
//!    accents, in any case and any alphabet that looks like ours. Inside `<context>` and agent parts, where names are free
//!    ([`Names::Any`]), every sign that could begin a tag of any name is.
//! 2. So is the first character of a control token of a chat template, such as `<|im_start|>` or `[INST]` (module
//!    `tokens`): local servers would read it as the token itself.
//! 3. A character that cannot be seen or turns its surroundings around (controls, a carriage return that no line feed
//!    follows, bidi controls, characters without width, tag characters) is written as a code, unless a writing system
//!    needs it where it stands (`lookalike::is_needed`).
//! 4. An opening `⟦` is written as a code where it would otherwise begin one of these codes.
//!
//! A code is the character between `⟦` and `⟧` for `<`, `[`, `]` and `⟦` itself (`⟦<⟧`), else its hexadecimal number
//! (`⟦U+202E⟧`). Nothing else is touched: ordinary text, code, HTML entities and markup stay as they are.
//!
//! **The way back.** [`unescape`] turns exactly these codes into their characters, so `unescape(escape(t)) == t` for every
//! text, and `unescape(t) == t` for every text without a code. What a model writes passes through [`unescape`] when it
//! comes in: it may write the character or copy the code, and both give the original text. That is why the codes are not
//! XML entities: a model that writes HTML means `&lt;`, and nothing may change that.
//!
//! Why nothing can break out: a tag needs an opening sign followed by its name. Data that has one is written with the
//! code in place of the sign, data is always followed by a `<` of ours (which ends any search for a name), and every tag
//! of ours is written in one module (`write`), with names that were checked.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;

use crate::lookalike::{is_hidden, is_needed, is_opener, is_passed_over, letters};
use crate::tokens::opens_token;

/// Which names are tags where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Those of sections: what begins with `workbench`, and `context`.
    Sections,
    /// Any: inside `<context>`.
    Any,
    /// None: the text keeps its parts apart in another way, such as boundary lines or XML of its own.
    None,
}

/// The beginning of the names of our tags.
pub(crate) const PREFIX: &str = "workbench";

/// The one section whose name does not begin so.
pub(crate) const CONTEXT: &str = "context";

/// Where codes begin and end.
const OPEN: char = '⟦';
const CLOSE: char = '⟧';

/// Writes data so that it can be taken neither for a tag nor for a control token.
pub fn escape(text: &str, names: Names) -> Cow<'_, str> {
    rewrite(text, |before, c, rest| match c {
        OPEN => begins_code(rest),
        '\r' => !rest.starts_with('\n'),
        c if is_opener(c) => opens(rest, names) || opens_token(c, rest),
        c => hides(before, c, rest) || opens_token(c, rest),
    })
}

/// Writes the value of an attribute: also without quotes, angles or line breaks.
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    rewrite(text, |before, c, rest| match c {
        OPEN => begins_code(rest),
        '"' | '>' | '\n' | '\t' => true,
        c => is_opener(c) || hides(before, c, rest) || opens_token(c, rest),
    })
}

/// A JSON value with every text and every name in it written by [`escape`].
pub fn escape_value(value: &Value) -> Value {
    map_texts(value, &|text| escape(text, Names::Sections).into_owned())
}

/// The value as it was before [`escape_value`].
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

/// The text as it was before [`escape`] or [`escape_attribute`].
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

/// The words of a model's answer with the codes in them turned back. In JSON, a character that must not stand in a JSON
/// text as it is becomes a JSON escape, so that the answer can still be read.
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

/// What was made harmless in an escaped text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Neutralized {
    /// Control tokens of chat templates.
    pub tokens: u64,
    /// Tags that look like ours.
    pub tags: u64,
    /// Characters that cannot be seen or turn their surroundings around.
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

    /// Whether there is nothing.
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

/// What data may hold only where a writing system needs it.
fn is_passed_over_in_data(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// Replaces each character for which `coded` holds by its code. Most text has none and is not copied.
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

/// Whether a character that begins with this byte needs a look: the rest is passed over at the speed of a scan.
fn is_notable(byte: u8) -> bool {
    !(b' '..0x7F).contains(&byte) || matches!(byte, b'<' | b'"' | b'>' | b'[' | b']')
}

fn push_code(out: &mut String, c: char) {
    if is_shown(c) {
        out.extend([OPEN, c, CLOSE]);
    } else {
        // Writing to a text cannot fail.
        write!(out, "{OPEN}U+{:X}{CLOSE}", u32::from(c)).unwrap_or_default();
    }
}

/// Whether a character stands for itself in its code.
fn is_shown(c: char) -> bool {
    matches!(c, '<' | '[' | ']' | OPEN)
}

fn begins_code(after: &str) -> bool {
    code(after).is_some()
}

/// The character of the code that follows an opening `⟦`, and how long it is without that.
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
