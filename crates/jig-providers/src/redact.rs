//! Cleans text from servers before it is shown or stored.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::secret::Secret;

/// The maximum length of an excerpt, in characters.
const SHOWN: usize = 240;

/// The minimum length of a repeated part of the prompt that is removed, in bytes, and the step of the search.
const ECHO: usize = 20;
const STRIDE: usize = 5;

/// A short excerpt on one line, without the key, anything that looks like a key, or parts of the prompt.
pub(crate) fn excerpt(text: &str, key: Option<&Secret>, body: &[u8]) -> String {
    let mut text = text.chars().take(SHOWN * 8).map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    if let Some(key) = key.filter(|key| !key.is_empty()) {
        text = text.replace(key.reveal(), "***");
    }
    let text = without_echo(&text, body);
    let words: Vec<&str> =
        text.split_whitespace().map(|word| if looks_like_key(word) { "***" } else { word }).collect();
    cut(&words.join(" "))
}

/// A shorter key is not a secret but a placeholder that some servers require, and may occur in an answer.
const KEY_LEAST: usize = 16;

/// A part of an answer without the key, because what a server repeats of its headers must not be stored.
pub(crate) fn without_key<T: Serialize + DeserializeOwned>(piece: T, key: Option<&Secret>) -> T {
    let Some(key) = key.map(Secret::reveal).filter(|key| key.len() >= KEY_LEAST) else { return piece };
    let Ok(mut value) = serde_json::to_value(&piece) else { return piece };
    if replace(&mut value, key) { serde_json::from_value(value).unwrap_or(piece) } else { piece }
}

/// Replaces the key with asterisks everywhere. Returns whether it occurred.
fn replace(value: &mut Value, key: &str) -> bool {
    match value {
        Value::String(text) if text.contains(key) => {
            *text = text.replace(key, "***");
            true
        }
        Value::Array(values) => values.iter_mut().fold(false, |any, value| replace(value, key) | any),
        Value::Object(fields) => {
            let named = fields.keys().any(|name| name.contains(key));
            if named {
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed.map(|(name, value)| (name.replace(key, "***"), value)).collect();
            }
            fields.values_mut().fold(named, |any, value| replace(value, key) | any)
        }
        _ => false,
    }
}

/// Keys are long runs of letters and digits; servers repeat them entirely, or with the middle masked.
fn looks_like_key(word: &str) -> bool {
    let core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let marked = ["sk-", "sk_", "AIza", "key-", "Bearer"].iter().any(|mark| core.starts_with(mark));
    let run = core.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
    let mixed = core.bytes().any(|b| b.is_ascii_digit()) && core.bytes().any(|b| b.is_ascii_alphabetic());
    core.contains("key=") || (marked && core.len() > 6) || (run >= 24 && mixed)
}

/// Removes text that also occurs in the request, if it is long enough to be significant.
fn without_echo(text: &str, body: &[u8]) -> String {
    let Ok(body) = std::str::from_utf8(body) else { return text.to_owned() };
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut out = String::new();
    let mut kept = 0;
    let mut from = 0;
    while from < starts.len() {
        let length = starts[from..].iter().take_while(|at| **at < starts[from] + ECHO).count();
        let end = starts.get(from + length).copied().unwrap_or(text.len());
        if end - starts[from] < ECHO || !body.contains(&text[starts[from]..end]) {
            from += STRIDE.min(length.max(1));
            continue;
        }
        let (begin, end) = grow(text, starts[from].max(kept), end, kept, body);
        out.push_str(&text[kept..begin]);
        out.push('…');
        kept = end;
        from = starts.partition_point(|at| *at < end);
    }
    out.push_str(&text[kept..]);
    out
}

/// Extends a match to the entire repeated part.
fn grow(text: &str, mut begin: usize, mut end: usize, first: usize, body: &str) -> (usize, usize) {
    while let Some(before) = text[first..begin].chars().next_back().map(|c| begin - c.len_utf8()) {
        if !body.contains(&text[before..end]) {
            break;
        }
        begin = before;
    }
    while let Some(after) = text[end..].chars().next().map(|c| end + c.len_utf8()) {
        if !body.contains(&text[begin..after]) {
            break;
        }
        end = after;
    }
    (begin, end)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_get_through() {
        let key = Secret::new("planted-key-1234");
        let shown = |text: &str| excerpt(text, Some(&key), b"{}");
        assert_eq!(shown("bad key planted-key-1234."), "bad key ***.");
        assert_eq!(
            shown("Incorrect API key provided: sk-proj-****abcd. See docs"),
            "Incorrect API key provided: *** See docs"
        );
        assert_eq!(shown("url https://x/?key=abc failed"), "url *** failed");
        assert_eq!(shown("id a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4 x"), "id *** x");
        assert_eq!(shown("plain words, even some long_snake_case_ones"), "plain words, even some long_snake_case_ones");
    }

    #[test]
    fn an_answer_has_stars_in_the_place_of_the_key() {
        let key = Secret::new("planted-key-1234");
        let said = serde_json::json!({ "a": ["x planted-key-1234 y", 1], "planted-key-1234": { "b": "fine" } });
        let clean = serde_json::json!({ "a": ["x *** y", 1], "***": { "b": "fine" } });
        assert_eq!(without_key(said.clone(), Some(&key)), clean);
        assert_eq!(without_key(said.clone(), None), said);
        let word = serde_json::json!("the server is called ollama");
        assert_eq!(without_key(word.clone(), Some(&Secret::new("ollama"))), word);
    }

    #[test]
    fn the_prompt_does_not_get_through() {
        let body = br#"{"messages":[{"content":"The merger with Foo Ltd closes in May for 20 million"}]}"#;
        let shown = excerpt("Invalid value 'The merger with Foo Ltd closes in May for 20 million' at 0", None, body);
        assert_eq!(shown, "Invalid value '…' at 0");
        let shown = excerpt("xy The merger with Foo Ltd closes z", None, body);
        assert_eq!(shown, "xy …z");
        assert_eq!(excerpt("nothing of it", None, body), "nothing of it");
    }

    #[test]
    fn it_is_short_and_one_line() {
        let long = excerpt(&"wörd ".repeat(500), None, b"");
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert_eq!(excerpt("a\r\n\tb\u{7}c", None, b""), "a b c");
    }
}
