//! Scans a text by its form: headings, lists, `key: value` lines, tables, sentences.

use super::plain::line;
use super::terms::terms;

const LINES_MAX: usize = 20_000;
const LINE_BYTES_MAX: usize = 20_000;
const GROUPS_MAX: usize = 24;
const POINTS_MAX: usize = 30;
const FACTS_MAX: usize = 60;
const FIGURES_MAX: usize = 30;

/// The collected material.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Material {
    /// `key: value` lines.
    pub(super) facts: Vec<Fact>,
    /// The content under each heading, in order; the first group may have no heading.
    pub(super) groups: Vec<Group>,
    /// Sentences with numbers.
    pub(super) figures: Vec<String>,
    /// Frequent terms.
    pub(super) terms: Vec<String>,
    /// A description of what was not read, if the text is too long.
    pub(super) cut: Option<String>,
}

/// A `key: value` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    /// The key.
    pub(super) label: String,
    /// The value.
    pub(super) value: String,
}

/// The content under a heading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// The heading; empty for content before the first one.
    pub(super) heading: String,
    /// List items, and sentences without numbers.
    pub(super) points: Vec<String>,
}

impl Material {
    /// Moves groups to the front whose headings share a word with the note.
    pub(super) fn prefer(&mut self, note: &str) {
        let words: Vec<String> = long_words(note).collect();
        self.groups.sort_by_key(|group| !long_words(&group.heading).any(|word| words.contains(&word)));
    }

    /// The name of the subject: its first fact with one of these labels, or its first heading.
    pub(super) fn subject(&self, labels: &[&str]) -> Option<&str> {
        let named = self.facts.iter().find(|fact| labels.contains(&fact.label.to_lowercase().as_str()));
        let heading = self.groups.iter().map(|group| group.heading.as_str()).find(|heading| !heading.is_empty());
        named.map(|fact| fact.value.as_str()).or(heading)
    }

    fn add_fact(&mut self, label: &str, value: &str) {
        let fact = Fact { label: line(label), value: line(value) };
        if self.facts.len() < FACTS_MAX && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    fn add_point(&mut self, text: &str) {
        let point = line(text);
        if self.groups.is_empty() {
            self.groups.push(Group::default());
        }
        let group = self.groups.last_mut().filter(|group| group.points.len() < POINTS_MAX);
        if let Some(group) = group.filter(|group| says_something(&point) && !group.points.contains(&point)) {
            group.points.push(point);
        }
    }

    fn add_sentence(&mut self, text: &str) {
        let sentence = line(text);
        if !sentence.chars().any(char::is_numeric) {
            self.add_point(text);
        } else if self.figures.len() < FIGURES_MAX && !self.figures.contains(&sentence) && says_something(&sentence) {
            self.figures.push(sentence);
        }
    }

    fn add_heading(&mut self, text: &str) {
        let heading = line(text.trim_matches(['#', '*', '_', ' ', ':', '：']));
        if says_something(&heading) && self.groups.len() < GROUPS_MAX {
            self.groups.push(Group { heading, points: Vec::new() });
        }
    }
}

/// Scans a text in linear time. The result is bounded.
pub(super) fn scan(text: &str) -> Material {
    let mut material = Material::default();
    let mut paragraph = String::new();
    let lines: Vec<&str> = text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{c}']).take(LINES_MAX + 1).collect();
    if lines.len() > LINES_MAX {
        material.cut = Some(format!("only the first {LINES_MAX} lines of the text were read"));
    }
    for (number, raw) in lines.iter().take(LINES_MAX).enumerate() {
        let trimmed = shortened(raw).trim();
        let under = lines.get(number + 1).map_or("", |next| next.trim());
        if is_rule(trimmed) || trimmed.starts_with("```") {
            end_paragraph(&mut material, &mut paragraph);
        } else if is_heading(trimmed, under) {
            end_paragraph(&mut material, &mut paragraph);
            material.add_heading(trimmed);
        } else if let Some(entry) = list_entry(trimmed) {
            end_paragraph(&mut material, &mut paragraph);
            match key_value(entry) {
                Some((label, value)) => material.add_fact(label, value),
                None => material.add_point(entry),
            }
        } else if let Some((label, value)) = key_value(trimmed) {
            end_paragraph(&mut material, &mut paragraph);
            material.add_fact(label, value);
        } else if let Some(cells) = table_row(trimmed) {
            end_paragraph(&mut material, &mut paragraph);
            add_row(&mut material, &cells);
        } else if trimmed.is_empty() {
            end_paragraph(&mut material, &mut paragraph);
        } else {
            paragraph.push_str(trimmed);
            paragraph.push(' ');
        }
    }
    end_paragraph(&mut material, &mut paragraph);
    material.groups.retain(|group| !group.points.is_empty() || !group.heading.is_empty());
    material.terms = terms(&lines);
    material
}

/// The part of a text that is read.
pub(super) fn shortened_text(text: &str) -> String {
    // A CRLF is one line ending; counting it as two would end a paragraph.
    let text = text.replace("\r\n", "\n");
    let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{c}']).take(LINES_MAX);
    lines.map(shortened).collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> &str {
    let mut end = text.len().min(LINE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn end_paragraph(material: &mut Material, paragraph: &mut String) {
    for sentence in sentences(paragraph) {
        material.add_sentence(sentence);
    }
    paragraph.clear();
}

/// The sentences of a paragraph. A period ends a sentence only before a space, so that `3.5` and `a.b` stay intact; the
/// full stops of scripts without spaces always do.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let before_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends =
            matches!(c, '。' | '！' | '？' | '।' | '؟' | '۔') || (matches!(c, '.' | '!' | '?' | '…') && before_space);
        if ends {
            let end = at + c.len_utf8();
            found.push(paragraph[start..end].trim());
            start = end;
        }
    }
    found.push(paragraph[start..].trim());
    found.retain(|sentence| says_something(sentence));
    found
}

fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_rule(text: &str) -> bool {
    text.chars().count() >= 3 && text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ' | '~' | '|' | ':' | '+'))
}

fn is_heading(text: &str, under: &str) -> bool {
    const CHARS: usize = 80;
    let short = text.len() <= 4 * CHARS && text.chars().count() <= CHARS && says_something(text);
    let marked = text.starts_with('#') && text.trim_start_matches('#').starts_with(' ');
    let underlined = under.len() >= 3 && (under.bytes().all(|b| b == b'=') || under.bytes().all(|b| b == b'-'));
    let announced = text.ends_with([':', '：']) && list_entry(text).is_none();
    let shouted = text.chars().filter(|c| c.is_uppercase()).count() >= 4 && !text.chars().any(char::is_lowercase);
    short && (marked || underlined || announced || (shouted && key_value(text).is_none() && list_entry(text).is_none()))
}

/// The text of a list item, without its bullet, number or checkbox.
fn list_entry(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = || text[digits..].strip_prefix(['.', ')']).filter(|_| (1..=3).contains(&digits));
    let rest = text.strip_prefix(['-', '*', '+', '•', '‣', '–', '▪', '◦']).or_else(numbered)?;
    let entry = rest.strip_prefix([' ', '\t'])?.trim_start();
    let boxes = ["[ ] ", "[x] ", "[X] "];
    Some(boxes.iter().find_map(|mark| entry.strip_prefix(mark)).unwrap_or(entry))
}

/// A short label and the text after its colon.
fn key_value(text: &str) -> Option<(&str, &str)> {
    let (label, value) = text.split_once(": ").or_else(|| text.split_once('：')).or_else(|| text.split_once(":\t"))?;
    let bare = |piece: &'_ str| -> usize { piece.split_whitespace().count() };
    let label = label.trim_matches(['*', '_', '`', '"', ' ']);
    let value = value.trim().trim_start_matches("**").trim_start();
    let fits = label.chars().count() <= 40 && bare(label) <= 5 && !label.contains(['.', '?', '!', '|', ';', ',']);
    (fits && says_something(label) && says_something(value)).then_some((label, value))
}

fn table_row(text: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = text.strip_prefix('|')?.trim_end_matches('|').split('|').map(str::trim).collect();
    Some(cells.into_iter().filter(|cell| says_something(cell)).collect())
}

fn add_row(material: &mut Material, cells: &[&str]) {
    match cells {
        [] => {}
        [label, value] if label.chars().count() <= 40 => material.add_fact(label, value),
        cells => material.add_point(&cells.join(", ")),
    }
}

pub(super) fn long_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4);
    words.map(str::to_lowercase)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
