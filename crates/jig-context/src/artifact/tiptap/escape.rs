//! Escapes text so that Markdown renders it literally.

/// The position of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In a paragraph.
    Paragraph,
    /// In a heading, which is a single line.
    Heading,
    /// In a table cell: a single line without unescaped bars.
    Cell,
}

/// Escapes Markdown syntax in a text. `before` is the preceding character.
pub(super) fn text(words: &str, before: Option<char>, place: Where) -> String {
    let mut out = String::with_capacity(words.len() + 8);
    let chars: Vec<char> = words.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect();
    for (n, c) in chars.iter().enumerate() {
        let before = if n == 0 { before } else { Some(chars[n - 1]) };
        let after = chars.get(n + 1).copied();
        match c {
            '\0' => out.push('\u{fffd}'),
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' => out.extend(['\\', *c]),
            '_' if !(is_word(before) && is_word(after)) => out.extend(['\\', '_']),
            '&' if is_entity(&chars[n + 1..]) => out.extend(['\\', '&']),
            '|' if place == Where::Cell => out.extend(['\\', '|']),
            // In a paragraph, a line of bars and hyphens could turn the previous line into a table header.
            '|' if place == Where::Paragraph => out.extend(['\\', '|']),
            other => out.push(*other),
        }
    }
    out
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

fn is_entity(after: &[char]) -> bool {
    let name = after.iter().take(40).take_while(|c| c.is_ascii_alphanumeric() || **c == '#').count();
    name > 0 && after.get(name) == Some(&';')
}

/// Escapes the start of a line that would otherwise open a list, heading, quote or rule.
pub(super) fn line_start(line: &str) -> String {
    let line = line.trim_start_matches([' ', '\t']);
    let after = |count: usize| line[count..].chars().next();
    let ends_word = |count: usize| matches!(after(count), None | Some(' ' | '\t'));
    let first = line.chars().next();
    let hashes = line.len() - line.trim_start_matches('#').len();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let only = |allowed: &[char]| !line.trim_end().is_empty() && line.trim_end().chars().all(|c| allowed.contains(&c));
    match first {
        Some('#') if hashes <= 6 && ends_word(hashes) => format!("\\{line}"),
        Some('>' | '=') => format!("\\{line}"),
        Some('-' | '+') if ends_word(1) || only(&['-', ' ', '\t', ':', '|', '\\']) => format!("\\{line}"),
        Some(':') if only(&['-', ' ', '\t', ':', '|', '\\']) => format!("\\{line}"),
        Some('0'..='9') if digits <= 9 && matches!(after(digits), Some('.' | ')')) && ends_word(digits + 1) => {
            format!("{}\\{}", &line[..digits], &line[digits..])
        }
        _ => line.to_owned(),
    }
}

/// A code span with as many backticks as it needs.
pub(super) fn code(words: &str, place: Where) -> String {
    let mut words = words.replace(['\n', '\r'], " ").replace('\0', "\u{fffd}");
    if place == Where::Cell {
        words = words.replace('|', "\\|");
    }
    let fence = "`".repeat(longest_run(&words, '`') + 1);
    let spaced = words.starts_with(' ') && words.ends_with(' ') && !words.trim().is_empty();
    let room = if spaced || words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{room}{words}{room}{fence}")
}

/// The length of the longest run of one character.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A link destination and title.
pub(super) fn address(address: &str, title: Option<&str>, place: Where) -> String {
    let strange =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | '<' | '>' | '\\' | '&' | '|');
    let mut shown = if address.is_empty() || address.chars().any(strange) {
        let mut inner = String::new();
        let chars: Vec<char> = address.chars().collect();
        for (n, c) in chars.iter().enumerate() {
            match c {
                '\n' => inner.push_str("%0A"),
                '\r' => inner.push_str("%0D"),
                '\0' => inner.push_str("%00"),
                '<' | '>' | '\\' => inner.extend(['\\', *c]),
                '&' if is_entity(&chars[n + 1..]) => inner.push_str("\\&"),
                other => inner.push(*other),
            }
        }
        format!("<{inner}>")
    } else {
        address.to_owned()
    };
    if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = title.replace('\0', "\u{fffd}").replace('\\', "\\\\").replace('"', "\\\"").replace('&', "\\&");
        shown.push_str(&format!(" \"{title}\""));
    }
    if place == Where::Cell { shown.replace('|', "\\|") } else { shown }
}
