//! Makes arbitrary text safe inside a Markdown line.

/// The maximum length of a quoted passage, in characters.
pub(super) const QUOTE_CHARS: usize = 300;

/// A single line without invisible characters.
pub(super) fn full_line(text: &str) -> String {
    let seen: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| is_seen(*c)).collect();
    seen.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A single line without invisible characters, truncated.
pub(super) fn line(text: &str) -> String {
    let words = full_line(text);
    match words.char_indices().nth(QUOTE_CHARS) {
        None => words,
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
    }
}

/// Several lines without invisible characters; indentation stays.
pub(super) fn block(text: &str) -> String {
    text.replace('\t', "    ").chars().filter(|c| *c == '\n' || is_seen(*c)).collect()
}

fn is_seen(c: char) -> bool {
    let unseen = matches!(c,
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
    !(unseen || c.is_control())
}

/// A line escaped for Markdown, so that it cannot create links, code, tags or emphasis.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let mark = matches!(c, '\\' | '`' | '[' | ']' | '<' | '*');
        let opens = at == 0 && matches!(c, '#' | '>' | '+' | '-' | '=' | '~' | '|');
        if mark || opens {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_of_what_can_be_seen() {
        assert_eq!(line("  a\t\u{0}b \u{202e}c\u{feff}\r\n d  "), "a b c d");
        assert_eq!(line("a\u{0}b"), "ab");
        assert_eq!(line(&"é".repeat(400)).chars().count(), QUOTE_CHARS + 1);
        assert_eq!(line("می‌خواهم"), "می‌خواهم", "joiners belong to the word");
    }

    #[test]
    fn marks_are_shown_and_do_nothing() {
        assert_eq!(markdown("[x](../y) `z` <a> **b** \\"), "\\[x\\](../y) \\`z\\` \\<a> \\*\\*b\\*\\* \\\\");
        assert_eq!(markdown("# a - b"), "\\# a - b");
        assert_eq!(markdown("snake_case, 3 > 2"), "snake_case, 3 > 2");
    }
}
