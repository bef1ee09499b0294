//! Finds the sections of a Markdown text, which are its level-2 headings according to CommonMark.
//!
//! Headings inside code, comments, block quotes and lists do not count. Front matter and a metadata block after the
//! title belong to the lead, although CommonMark parses the latter as a heading.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The pieces of a text. Concatenated they are the text, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The text before the first section.
    pub lead: Range<usize>,
    /// The sections, in order.
    pub sections: Vec<SectionSpan>,
    /// The first level-1 heading of the lead, with its text.
    pub title: Option<(Range<usize>, String)>,
}

/// The location of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionSpan {
    /// The source lines of the heading.
    pub heading: Range<usize>,
    /// The heading as plain text.
    pub title: String,
    /// The text between the heading and the next section.
    pub body: Range<usize>,
}

/// The Markdown extensions in use, the same for all parsing.
pub(super) const fn options() -> Options {
    Options::ENABLE_TABLES.union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_STRIKETHROUGH)
}

/// Parses the outline of a text.
pub fn outline(text: &str) -> Outline {
    let start = preamble(text);
    let found = headings(&text[start.content..]);
    let shifted = |range: &Range<usize>| range.start + start.content..range.end + start.content;
    let second: Vec<&Heading> = found.iter().filter(|heading| heading.level == HeadingLevel::H2).collect();
    let mut sections = Vec::with_capacity(second.len());
    for (n, heading) in second.iter().enumerate() {
        let end = second.get(n + 1).map_or(text.len(), |next| next.lines.start + start.content);
        let lines = shifted(&heading.lines);
        sections.push(SectionSpan { body: lines.end..end, heading: lines, title: heading.title.clone() });
    }
    let lead_end = sections.first().map_or(text.len(), |first| first.heading.start);
    let first = found.iter().find(|heading| heading.level == HeadingLevel::H1);
    let first = first.map(|heading| (shifted(&heading.lines), heading.title.clone()));
    let title = start.title.map(|range| (range.clone(), title_of(&text[range]))).or(first);
    Outline { lead: 0..lead_end, sections, title: title.filter(|(range, _)| range.end <= lead_end) }
}

struct Heading {
    level: HeadingLevel,
    lines: Range<usize>,
    title: String,
}

/// The top-level headings of a text.
fn headings(text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let (mut depth, mut inside) = (0_usize, false);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                inside = true;
                found.push(Heading { level, lines: whole_lines(text, &range), title: String::new() });
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                inside &= !(depth == 0 && matches!(end, TagEnd::Heading(_)));
            }
            Event::Text(words) | Event::Code(words) if inside => push(&mut found, &words),
            Event::SoftBreak | Event::HardBreak if inside => push(&mut found, " "),
            _ => {}
        }
    }
    for heading in &mut found {
        heading.title = heading.title.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    found
}

fn push(found: &mut [Heading], words: &str) {
    if let Some(heading) = found.last_mut() {
        heading.title.push_str(words);
    }
}

/// Extends a range to complete lines, including the line ending.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let last = text[..range.end].trim_end_matches(['\n', '\r']).len().max(start);
    start..last + line_length(&text[last..])
}

/// The length of the first line including its line ending, which may be a lone carriage return.
fn line_length(text: &str) -> usize {
    match text.find(['\n', '\r']) {
        None => text.len(),
        Some(at) => at + if text[at..].starts_with("\r\n") { 2 } else { 1 },
    }
}

fn title_of(lines: &str) -> String {
    headings(lines).first().map(|heading| heading.title.clone()).unwrap_or_default()
}

/// Front matter, and a title followed by metadata, with the position where the rest starts.
pub(super) struct Preamble {
    pub(super) front: Option<Range<usize>>,
    /// Set only if metadata follows it.
    pub(super) title: Option<Range<usize>>,
    pub(super) metadata: Option<Range<usize>>,
    pub(super) content: usize,
}

pub(super) fn preamble(text: &str) -> Preamble {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let front = metadata_block(text, mark).map(|end| mark..end);
    let content = front.as_ref().map_or(mark, |front| front.end);
    let title_at = skip_blank(text, content);
    let plain = Preamble { front: front.clone(), title: None, metadata: None, content };
    let Some(title_end) = title_lines(text, title_at) else { return plain };
    let metadata_at = skip_blank(text, title_end);
    match metadata_block(text, metadata_at) {
        Some(end) => {
            Preamble { front, title: Some(title_at..title_end), metadata: Some(metadata_at..end), content: end }
        }
        None => plain,
    }
}

/// The end of a level-1 heading at `at`, in ATX (`# title`) or setext (`===`) form.
fn title_lines(text: &str, at: usize) -> Option<usize> {
    let (line, end) = line_at(text, at)?;
    let rest = line.strip_prefix('#').filter(|_| !line.starts_with("##"));
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Some(end);
    }
    let (under, under_end) = line_at(text, end)?;
    let underlined = !under.is_empty() && under.bytes().all(|b| b == b'=') && !line.trim().is_empty();
    underlined.then_some(under_end)
}

/// The end of a metadata block at `at`: names and values between two rules.
fn metadata_block(text: &str, at: usize) -> Option<usize> {
    let (first, mut next) = line_at(text, at)?;
    if first != "---" {
        return None;
    }
    let mut named = false;
    while let Some((line, end)) = line_at(text, next) {
        match line {
            "---" | "..." => return named.then_some(end),
            line if is_named(line) => named = true,
            line if line.trim().is_empty() => {}
            // A continuation of a value, a list item or a comment.
            line if named && (line.starts_with([' ', '\t']) || line.starts_with("- ") || line.starts_with("# ")) => {}
            _ => return None,
        }
        next = end;
    }
    None
}

/// Matches lines such as `status: "Draft"`.
fn is_named(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let first = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && name.len() <= 60 && name.chars().all(word) && (value.is_empty() || value.starts_with([' ', '\t']))
}

fn skip_blank(text: &str, mut at: usize) -> usize {
    while let Some((line, end)) = line_at(text, at) {
        if !line.trim().is_empty() {
            break;
        }
        at = end;
    }
    at
}

/// The line at `at` without its ending and trailing spaces, and the start of the next line.
fn line_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let length = line_length(rest);
    Some((rest[..length].trim_end(), at + length))
}

/// The line ending that a text uses.
pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A text without leading and trailing blank lines.
pub fn trimmed(body: &str) -> &str {
    let body = body.trim_end();
    let mut start = 0;
    while let Some((line, end)) = line_at(body, start) {
        if !line.is_empty() {
            break;
        }
        start = end;
    }
    &body[start..]
}

/// The first 200 characters of a text without comments, cut at a grapheme boundary. `None` if the text is empty.
pub fn preview(body: &str) -> Option<String> {
    use unicode_segmentation::UnicodeSegmentation as _;
    const PREVIEW_CHARS: usize = 200;
    let shown = without_comments(body);
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut cut, mut chars) = (0, 0);
    for (at, grapheme) in line.grapheme_indices(true) {
        chars += grapheme.chars().count();
        if chars > PREVIEW_CHARS {
            break;
        }
        cut = at + grapheme.len();
    }
    let cut = line[..cut].trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// A text without HTML comments, which are guidance for writers rather than content.
pub fn without_comments(text: &str) -> String {
    if !text.contains("<!--") {
        return text.to_owned();
    }
    let mut comments: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if let Event::Html(html) | Event::InlineHtml(html) = event {
            let mut at = 0;
            // The parser may return one comment in several events, line by line.
            let open = comments.last().is_some_and(|last| last.end == usize::MAX);
            if open {
                match html.find("-->") {
                    Some(end) => {
                        at = end + 3;
                        close(&mut comments, range.start + at);
                    }
                    None => continue,
                }
            }
            while let Some(start) = html[at..].find("<!--").map(|start| at + start) {
                match html[start..].find("-->").map(|end| start + end + 3) {
                    Some(end) => {
                        comments.push(range.start + start..range.start + end);
                        at = end;
                    }
                    None => {
                        comments.push(range.start + start..usize::MAX);
                        break;
                    }
                }
            }
        }
    }
    close(&mut comments, text.len());
    let (mut kept, mut at) = (String::new(), 0);
    for comment in comments {
        kept.push_str(text.get(at..comment.start).unwrap_or_default());
        at = comment.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}

fn close(comments: &mut [Range<usize>], end: usize) {
    if let Some(last) = comments.last_mut().filter(|last| last.end == usize::MAX) {
        last.end = end;
    }
}
