//! The headings of a Markdown text.

use super::Text;

/// A heading with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: String,
    /// The line, from 1.
    pub(super) line: usize,
}

/// Headings written with `#` or underlined, outside fenced code and the block of settings at the start.
pub(super) fn headings(text: &Text) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    // The line before, when it can become a heading by being underlined.
    let mut above: Option<&str> = None;
    let mut settings = false;
    for (at, line) in text.iter_lines().enumerate() {
        let line = line.text;
        if at == 0 && line.trim_end() == "---" {
            settings = true;
            continue;
        }
        if settings {
            settings = !matches!(line.trim_end(), "---" | "...");
            continue;
        }
        let mark = fence_mark(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some((c, length)), Some((d, other))) if c == d && other >= length && only_marks(line) => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            above = None;
            continue;
        }
        if let Some((level, text)) = marked(line) {
            found.push(Heading { level, text: text.to_owned(), line: at + 1 });
            above = None;
        } else if let (Some(text), Some(level)) = (above, underline(line)) {
            found.push(Heading { level, text: text.to_owned(), line: at });
            above = None;
        } else {
            above = plain(line);
        }
    }
    found
}

/// `## Costs ##` is a heading of level 2; four blanks before make it code.
fn marked(line: &str) -> Option<(usize, &str)> {
    let line = unindented(line)?;
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
    if !(1..=6).contains(&level) || !ends {
        return None;
    }
    let text = rest.trim();
    let closed = text.trim_end_matches('#');
    let text = if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { text };
    Some((level, text))
}

fn underline(line: &str) -> Option<usize> {
    let line = unindented(line)?.trim_end();
    let of = |c: char| !line.is_empty() && line.chars().all(|one| one == c);
    if of('=') { Some(1) } else { of('-').then_some(2) }
}

/// A line that is a paragraph by its looks.
fn plain(line: &str) -> Option<&str> {
    let text = unindented(line)?.trim_end();
    let other = text.starts_with(['>', '|', '-', '*', '+', '<']) || text.starts_with(|c: char| c.is_ascii_digit());
    (!text.is_empty() && !other).then_some(text)
}

fn unindented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3 && !text.starts_with('\t')).then_some(text)
}

fn fence_mark(line: &str) -> Option<(char, usize)> {
    let line = unindented(line)?;
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|one| *one == c).count();
    let rest = line.get(length..).unwrap_or_default();
    // A fence of backticks has none behind it: that would be code inside a line.
    (length >= 3 && !(c == '`' && rest.contains('`'))).then_some((c, length))
}

fn only_marks(line: &str) -> bool {
    line.trim().chars().all(|c| matches!(c, '`' | '~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_and_code_is_not_taken_for_one() {
        let text = "---\n# not this: 1\n---\n# One #\ntext\n```sh\n# comment\n```\nTwo\n---\n\n    # code\n### Three#\n#no\n~~~\n# in\n```\n~~~\nEnd\n===\n- list\n---\n";
        let found: Vec<_> =
            headings(&Text::decode(text.as_bytes())).into_iter().map(|one| (one.level, one.text, one.line)).collect();
        let expected = [(1, "One", 4), (2, "Two", 9), (3, "Three#", 13), (1, "End", 19)];
        assert_eq!(found, expected.map(|(level, text, line)| (level, text.to_owned(), line)));
    }
}
