//! Finds labelled values in a text: `Label: value` lines, headings with text below, two-column tables.

const LINES_MAX: usize = 50_000;

/// A labelled value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said<'a> {
    /// The label.
    pub(super) label: &'a str,
    /// The lines, without bullets and emphasis.
    pub(super) lines: Vec<&'a str>,
    /// Whether the lines are items of a list.
    pub(super) is_list: bool,
    /// The position of the value.
    pub(super) how: How,
    /// The passage it was taken from.
    pub(super) quote: &'a str,
}

/// How much of the text next to a label belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// The rest of the line.
    Line,
    /// The rest of the line and its continuation lines.
    Paragraph,
}

/// Returns how much a label takes, if the label is known.
type Known<'k> = &'k dyn Fn(&str) -> Option<Takes>;

/// The position of a value relative to its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// On the same line, or in a table.
    Beside,
    /// Below the label or heading.
    Below,
}

#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// All values with a known label.
pub(super) fn said<'a>(text: &'a str, known: Known<'_>) -> Vec<Said<'a>> {
    let lines = lines(text);
    let mut found = Vec::new();
    for at in 0..lines.len() {
        let under = lines.get(at + 1).map_or("", |line| line.text);
        let Some((label, inline, sort)) = opener(lines[at].text, under) else { continue };
        let Some(takes) = known(label) else { continue };
        let first = at + if sort == Sort::Underlined { 2 } else { 1 };
        let (block, end) = if inline.is_empty() { below(&lines, first, sort, known) } else { (Vec::new(), at) };
        let goes_on = !inline.is_empty() && sort == Sort::Label && takes == Takes::Paragraph;
        let more = if goes_on { wrapped(&lines, at + 1, known) } else { Vec::new() };
        let end = if more.is_empty() { end } else { at + more.len() };
        let is_list = block.iter().any(|line| list_entry(line).is_some());
        let body: Vec<&str> = if inline.is_empty() {
            block.iter().filter(|line| !is_list || list_entry(line).is_some()).map(|line| bare(line)).collect()
        } else {
            std::iter::once(inline).chain(more).collect()
        };
        if body.iter().any(|line| line.chars().any(char::is_alphanumeric)) {
            let how = if inline.is_empty() { How::Below } else { How::Beside };
            let quote = text[lines[at].start..lines[end.max(at)].end].trim();
            found.push(Said { label, lines: body, is_list, how, quote });
        }
    }
    found
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let split = text.split_inclusive('\n').take(LINES_MAX);
    split
        .map(|raw| {
            let start = at;
            at += raw.len();
            Line { text: raw.trim(), start, end: start + raw.trim_end().len() }
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Label,
    Heading,
    Underlined,
    Row,
}

/// The label at the start of a line, the text next to it, and the type of the line.
fn opener<'a>(line: &'a str, under: &str) -> Option<(&'a str, &'a str, Sort)> {
    if let Some(row) = line.strip_prefix('|') {
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').map(str::trim).collect();
        return match cells.as_slice() {
            [label, value] if !value.is_empty() && !is_rule(value) => {
                Some((unmarked(label), unmarked(value), Sort::Row))
            }
            _ => None,
        };
    }
    let hashes = line.len() - line.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        let label = unmarked(line[hashes..].trim().trim_end_matches('#').trim_end());
        return Some((label.trim_end_matches([':', '：']).trim_end(), "", Sort::Heading));
    }
    if is_rule(under) && !under.contains('|') && !line.is_empty() && list_entry(line).is_none() {
        return Some((unmarked(line), "", Sort::Underlined));
    }
    let entry = list_entry(line).unwrap_or(line);
    if let Some(label) = entry.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"))
        && !label.contains("**")
    {
        return Some((label.trim_end_matches([':', '：']).trim(), "", Sort::Label));
    }
    let (label, value) = entry.split_once([':', '：'])?;
    // Excludes URLs such as `https://…`.
    if value.starts_with("//") || label.chars().count() > 60 {
        return None;
    }
    let value = value.trim_start_matches('*').trim();
    Some((unmarked(label), unmarked(value), Sort::Label))
}

/// The lines below a label, up to the next label or heading, or also up to an empty line if the label is not a heading.
fn below<'a>(lines: &[Line<'a>], first: usize, sort: Sort, known: Known<'_>) -> (Vec<&'a str>, usize) {
    let mut block = Vec::new();
    let mut end = first.saturating_sub(1);
    for (at, line) in lines.iter().enumerate().skip(first) {
        let under = lines.get(at + 1).map_or("", |line| line.text);
        if stops(line.text, under, known) || (line.text.is_empty() && sort == Sort::Label && !block.is_empty()) {
            break;
        }
        if !line.text.is_empty() && !is_rule(line.text) {
            block.push(line.text);
            end = at;
        }
    }
    (block, end)
}

/// The continuation lines of a label's line.
fn wrapped<'a>(lines: &[Line<'a>], first: usize, known: Known<'_>) -> Vec<&'a str> {
    let mut more = Vec::new();
    for at in first..lines.len() {
        let (line, under) = (lines[at].text, lines.get(at + 1).map_or("", |line| line.text));
        let other = opener(line, under).is_some() || list_entry(line).is_some() || line.starts_with('|');
        if line.is_empty() || other || stops(line, under, known) {
            break;
        }
        more.push(line);
    }
    more
}

fn stops(line: &str, under: &str, known: Known<'_>) -> bool {
    opener(line, under)
        .is_some_and(|(label, _, sort)| matches!(sort, Sort::Heading | Sort::Underlined) || known(label).is_some())
}

/// A text without surrounding emphasis.
fn unmarked(text: &str) -> &str {
    text.trim().trim_matches(['*', '_', '`']).trim()
}

fn bare(line: &str) -> &str {
    unmarked(list_entry(line).unwrap_or(line))
}

fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ' | '|' | ':'))
}

/// The text of a list item, without its bullet or number.
pub(super) fn list_entry(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = || text[digits..].strip_prefix(['.', ')']).filter(|_| (1..=3).contains(&digits));
    let rest = text.strip_prefix(['-', '*', '+', '•', '‣', '–', '▪', '◦']).or_else(numbered)?;
    Some(rest.strip_prefix([' ', '\t'])?.trim_start())
}
