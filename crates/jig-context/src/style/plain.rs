//! Plain text as Markdown: bullets of word processors, captions without marks, numbered headings, and keys above lists.
//!
//! People write style guides in whatever their editor gives them. What matters is that a line which announces a list
//! stays above that list: Markdown reads an unmarked line directly below a list as the end of its last item, and the list
//! that follows would stand under the caption before it, which may say the opposite.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::html;
use super::rule::{CROSSES, TICKS, is_label};

/// The longest line that can be a heading in plain text, in characters.
const HEADING_CHARS: usize = 80;
/// An item that is longer may continue on the next line, in characters: people wrap lines at 60 and more.
const WRAPPED_CHARS: usize = 48;
/// The longest caption, in words: one that begins with a capital, and one that does not.
const CAPTION_WORDS: [usize; 2] = [12, 5];

/// Reads plain text, lists under keys and HTML as Markdown.
pub(super) fn as_markdown(text: &str) -> String {
    let text = html::as_markdown(text);
    if let Some(list) = outline(&text) {
        return list;
    }
    let text = with_headings_for_underlines(&text);
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len() + 64);
    let mut fence: Option<&str> = None;
    let mut boxed = false;
    for (at, line) in lines.iter().enumerate() {
        if fence.is_none()
            && let Some(title) = box_title(line)
        {
            boxed = true;
            push(&mut out, &format!("\n> **{title}**\n>"));
            continue;
        }
        // As a quote, so that the title ends with the indented content.
        if boxed && let Some(content) = line.strip_prefix("    ") {
            push(&mut out, &format!("> {content}"));
            continue;
        }
        if boxed && line.trim().is_empty() && lines.get(at + 1).is_some_and(|next| next.starts_with("    ")) {
            push(&mut out, ">");
            continue;
        }
        if boxed {
            boxed = false;
            push(&mut out, "");
        }
        let trimmed = line.trim();
        let opens = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, opens) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || opens.is_some() {
            push(&mut out, line);
            continue;
        }
        let indent = line.get(..indent_of(line)).unwrap_or_default();
        let next = lines.get(at + 1).map_or("", |next| next.trim());
        let place = Place { lines: &lines, at };
        if let Some(rest) = bullet(trimmed) {
            push(&mut out, &format!("{indent}- {rest}"));
        } else if trimmed.starts_with(CROSSES) && says_something(trimmed) && !trimmed.ends_with(':')
            || trimmed.starts_with(TICKS) && says_something(trimmed) && !trimmed.ends_with(':')
        {
            push(&mut out, &format!("{indent}- {trimmed}"));
        } else if let Some(heading) = place.numbered_heading() {
            push(&mut out, &format!("\n{heading}\n"));
        } else if let Some(heading) = place.outline_heading() {
            push(&mut out, &format!("\n{heading}\n"));
        } else if let Some(item) = place.nested_item() {
            push(&mut out, &item);
        } else if place.is_caption() {
            push(&mut out, &format!("\n{trimmed}\n"));
        } else if indent.is_empty() && is_lead(trimmed) && !is_underline(next) {
            let heading =
                if is_shouted(trimmed) { format!("**{}**", trimmed.trim_end_matches(':')) } else { trimmed.to_owned() };
            push(&mut out, &format!("\n{heading}\n"));
        } else {
            push(&mut out, line);
        }
    }
    out
}

/// A line among its neighbours.
struct Place<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl Place<'_> {
    fn line(&self) -> &str {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    /// The place of the next line that is not blank.
    fn below(&self) -> Option<Place<'_>> {
        let skipped = self.lines.get(self.at + 1..)?.iter().position(|line| !line.trim().is_empty())?;
        Some(Place { lines: self.lines, at: self.at + 1 + skipped })
    }

    /// The next line that is not blank.
    fn next(&self) -> Option<&str> {
        self.lines.get(self.below()?.at).copied()
    }

    /// The line before that is not blank.
    fn before(&self) -> Option<&str> {
        self.lines.get(..self.at)?.iter().rev().find(|line| !line.trim().is_empty()).copied()
    }

    /// Whether this line, directly below a list, announces the list that follows it.
    fn is_caption(&self) -> bool {
        let line = self.line();
        let above = self.at.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or_default();
        let (Some(item), Some(next)) = (marker(above), self.next()) else { return false };
        let ended = item.text.chars().count() <= WRAPPED_CHARS || item.text.ends_with(['.', '!', '?', ';', ':', '。']);
        let below = marker(next).is_some_and(|_| indent_of(next) <= indent_of(above));
        let [capital, small] = CAPTION_WORDS;
        let words = if line.starts_with(char::is_lowercase) { small } else { capital };
        let short = line.chars().count() <= HEADING_CHARS && line.split_whitespace().count() <= words;
        ended && below && short && is_unmarked(line) && !line.trim_end().ends_with(['.', '!', '?', ',', ';'])
    }

    /// The heading that a line with stars is above a list with other bullets, or above such headings with more stars, as
    /// Org mode writes them: `** Never`.
    fn outline_heading(&self) -> Option<String> {
        let (level, text) = stars(self.line())?;
        let below = self.below()?;
        let announces = match stars(below.line()) {
            None => marker(below.line()).is_some() && indent_of(below.line()) == 0,
            Some((deeper, _)) => deeper > level && below.outline_heading().is_some(),
        };
        let short = text.split_whitespace().count() <= CAPTION_WORDS[0] && !text.ends_with(['.', '!', '?', ',', ';']);
        let label = level > 1 || text.split_whitespace().count() <= 3 || is_label(text);
        (announces && short && label)
            .then(|| format!("{} {}", "#".repeat((level + 1).min(6)), text.trim_end_matches(':')))
    }

    /// The item of a list within a list that a line with several stars is, as wikis write them: `** red totals`.
    fn nested_item(&self) -> Option<String> {
        let (level, text) = stars(self.line()).filter(|(level, _)| *level > 1)?;
        self.before().filter(|before| stars(before).is_some())?;
        Some(format!("{}- {text}", "  ".repeat(level - 1)))
    }

    /// The heading that a numbered line is: `3.2 Words to avoid`, or `1. Never` above a list with other bullets.
    fn numbered_heading(&self) -> Option<String> {
        let line = self.line();
        let (parts, text) = number(line)?;
        let short = text.chars().count() <= HEADING_CHARS && !text.ends_with(['.', '!', '?', ',', ';', '|']);
        let next = self.next().filter(|next| number(next).is_none_or(|(other, _)| other != parts))?;
        if !short || text.contains(['*', '`']) {
            return None;
        }
        if parts > 1 {
            let title = !text.starts_with(char::is_lowercase) && text.split_whitespace().count() <= CAPTION_WORDS[0];
            return title.then(|| format!("{} {text}", "#".repeat((parts + 1).min(6))));
        }
        let label = text.split_whitespace().count() <= 3 || is_label(text);
        let shown = || if label { format!("**{}**", text.trim_end_matches(':')) } else { text.to_owned() };
        if marker(next).is_some() {
            return (indent_of(next) == 0).then(shown);
        }
        let alone = self.before().is_none_or(|before| number(before).is_none());
        let blank = self.lines.get(self.at + 1).is_some_and(|next| next.trim().is_empty());
        (label && alone && blank && indent_of(next) == 0 && is_unmarked(next)).then(shown)
    }
}

/// An item of a list.
struct Marker<'a> {
    text: &'a str,
}

fn marker(line: &str) -> Option<Marker<'_>> {
    let trimmed = line.trim();
    let text = ["- ", "* ", "+ "].into_iter().find_map(|mark| trimmed.strip_prefix(mark)).or_else(|| bullet(trimmed));
    let text = text.or_else(|| number(trimmed).filter(|(parts, _)| *parts == 1).map(|(_, text)| text));
    let marked = || (trimmed.starts_with(CROSSES) || trimmed.starts_with(TICKS)).then_some(trimmed);
    text.or_else(marked).filter(|text| says_something(text)).map(|text| Marker { text: text.trim() })
}

/// The number of parts of a number at the start of a line, and the text behind it: `2.` and `2)` have one part, `2.1` two.
fn number(line: &str) -> Option<(usize, &str)> {
    let (number, text) = line.split_once(char::is_whitespace)?;
    let bare = number.trim_end_matches(['.', ')']);
    let parts = bare.split('.').count();
    let fits = bare.split('.').all(|part| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    (fits && (parts > 1 || bare.len() < number.len())).then(|| (parts, text.trim()))
}

/// The title of a box, as documentation generators write them: `!!! danger "Never"`.
fn box_title(line: &str) -> Option<&str> {
    let rest = ["!!! ", "??? ", "???+ "].into_iter().find_map(|mark| line.strip_prefix(mark))?.trim();
    let title = match rest.split_once('"') {
        Some((_, title)) => title.trim_end().trim_end_matches('"'),
        None => rest,
    };
    let short = title.split_whitespace().count() <= CAPTION_WORDS[0];
    (short && says_something(title) && !title.contains(['*', '"'])).then_some(title)
}

/// The number of stars at the start of a line, and the text behind them.
fn stars(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('*');
    let level = line.len() - text.len();
    let text = text.strip_prefix(' ')?.trim();
    (level > 0 && says_something(text) && !text.ends_with('*')).then_some((level, text))
}

/// Whether a line stands at the margin and has no mark of Markdown.
fn is_unmarked(line: &str) -> bool {
    let begins =
        |c: char| !c.is_whitespace() && !matches!(c, '#' | '|' | '>' | '-' | '+' | '`' | '~' | '=' | '*' | '<');
    line.starts_with(begins) && marker(line).is_none()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Lists under keys, as YAML has them, as a nested list; none if the text is anything else. Only texts with a key that
/// Markdown would not keep apart from the list before it: one that is indented or begins with a small letter.
fn outline(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 64);
    let mut open: Vec<Level> = Vec::new();
    let mut needed = false;
    for line in text.lines().filter(|line| !line.trim().is_empty() && line.trim() != "---") {
        let (indent, trimmed) = (indent_of(line), line.trim());
        if line.contains('\t') {
            return None;
        }
        let item = trimmed.strip_prefix("- ");
        let key = is_key(item.unwrap_or(trimmed));
        if item.is_none() && key.is_none() && !trimmed.starts_with("# ") {
            // The rest of a text that continues on further lines.
            let goes_on = open.last().is_some_and(|level| indent > level.indent);
            if !goes_on || out.pop() != Some('\n') {
                return None;
            }
            out.push_str(&format!(" / {trimmed}\n"));
            continue;
        }
        // The items of a key may stand right below it, without further indentation.
        let is_above =
            |level: &Level| level.indent < indent || level.indent == indent && level.is_bare_key && item.is_some();
        while open.last().is_some_and(|level| !is_above(level)) {
            open.pop();
        }
        let depth = "  ".repeat(open.len());
        out.push_str(&format!("{depth}- {}\n", item.unwrap_or(trimmed).trim_start_matches("# ")));
        let is_bare_key = key == Some(true) && item.is_none();
        needed |= is_bare_key && (indent > 0 || trimmed.starts_with(char::is_lowercase));
        open.push(Level { indent, is_bare_key });
    }
    needed.then_some(out)
}

/// An open line of an outline.
struct Level {
    indent: usize,
    is_bare_key: bool,
}

/// Whether a line begins with a key, and if so whether nothing follows it.
fn is_key(line: &str) -> Option<bool> {
    let (key, value) = line.split_once(':')?;
    let short = (1..=HEADING_CHARS).contains(&key.chars().count()) && key.split_whitespace().count() <= 5;
    let plain = !key.starts_with(['#', '|', '>', '`', '*']) && (value.is_empty() || value.starts_with(' '));
    (short && plain).then(|| matches!(value.trim(), "" | "|" | ">" | "|-" | ">-"))
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// The text behind a bullet that is none in Markdown.
fn bullet(line: &str) -> Option<&str> {
    const BULLETS: [char; 16] = ['•', '‣', '▪', '◦', '●', '○', '■', '□', '▸', '►', '–', '—', '·', '⁃', '∙', '➢'];
    let rest = line.strip_prefix(BULLETS)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// Whether a line of its own announces what follows. A line that continues the one before it does not: it would begin
/// with a small letter.
fn is_lead(line: &str) -> bool {
    let short = line.chars().count() <= HEADING_CHARS;
    let begins = line.chars().next().is_some_and(|c| {
        !c.is_lowercase() && !matches!(c, '#' | '|' | '>' | '-' | '+' | '`' | '~' | '=') && !c.is_ascii_digit()
    });
    let item = line.starts_with("* ");
    short && begins && !item && (line.ends_with([':', '：']) || is_shouted(line))
}

fn is_shouted(line: &str) -> bool {
    let capitals = line.chars().filter(|c| c.is_uppercase()).count();
    capitals >= 4
        && !line.chars().any(char::is_lowercase)
        && !line.ends_with(['.', '!', '?', ',', ';', '|'])
        && !line.contains(['*', '`'])
}

/// The signs that underline a title in reStructuredText and in plain text, besides those of Markdown.
const UNDERLINES: [char; 8] = ['~', '^', '"', '*', '+', '#', '.', ':'];

/// Titles over a line of other signs than `=` and `-`, as headings of Markdown. It would read `~~~~` as the beginning of
/// code, and the title would apply to everything after the code.
fn with_headings_for_underlines(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_title = |at: usize| {
        let title = lines.get(at).map_or("", |line| line.trim_end());
        let below = lines.get(at + 1).map_or("", |line| line.trim_end());
        let sign = below.chars().next().filter(|sign| UNDERLINES.contains(sign));
        let free = at == 0 || lines.get(at - 1).is_none_or(|above| above.trim().is_empty() || is_line_of_signs(above));
        let fits = below.len() >= title.chars().count().max(4) && title.chars().count() <= HEADING_CHARS;
        free && fits
            && says_something(title)
            && is_unmarked(title)
            && sign.is_some_and(|sign| below.chars().all(|c| c == sign))
    };
    let titles: BTreeSet<usize> = (0..lines.len()).filter(|at| is_title(*at)).collect();
    if titles.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for (at, line) in lines.iter().enumerate() {
        let is_underline = at > 0 && titles.contains(&(at - 1));
        let is_overline = titles.contains(&(at + 1)) && is_line_of_signs(line);
        if titles.contains(&at) {
            push(&mut out, &format!("\n### {}\n", line.trim_end_matches(':')));
        } else if !is_underline && !is_overline {
            push(&mut out, line);
        }
    }
    Cow::Owned(out)
}

/// Whether it is a line above or below a title.
fn is_line_of_signs(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 4
        && line.chars().next().is_some_and(|sign| UNDERLINES.contains(&sign) && line.chars().all(|c| c == sign))
}

fn is_underline(line: &str) -> bool {
    line.len() >= 2 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}
