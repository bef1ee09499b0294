//! Merging a bundled style skill with the user's `document-style` item.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::guide::{Guide, Principle, files as files_of, frontmatter, skill as style_skill};
use super::user::{self, Rule, UserStyle};
use super::words::keywords;
use super::{Format, StyleSkill};
use crate::skill::{self, Frontmatter};

/// How much a rule and a principle must have in common to be on the same subject.
const OVERLAP: usize = 2;
/// A rule with more references than this is taken as plain text.
const REFERENCES_MAX: usize = 50;
/// Words that do not say what a rule is about, although principles have them too.
const GENERAL: &[&str] = &[
    "document",
    "format",
    "formatted",
    "formatting",
    "general",
    "guideline",
    "house",
    "requirement",
    "rule",
    "style",
    "workbook",
];

/// Why the user's item could not be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MergeFailed {
    /// Why.
    pub message: String,
}

impl MergeFailed {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The style skill of a format with the rules of the user's `document-style` item (its files by path): a rule takes the
/// place of the principle it shares most words with, else it is added; the user's examples come first; the parameters
/// stay as they are.
pub fn merge(format: Format, document_style: &BTreeMap<String, String>) -> Result<StyleSkill, MergeFailed> {
    let style = user::read(format, document_style)?;
    let merged = build(format, &style, unlink);
    if is_sound(&merged) {
        return Ok(merged);
    }
    // Markup that reaches beyond its rule: taken as plain text it cannot.
    let merged = build(format, &style, plain_text);
    if is_sound(&merged) { Ok(merged) } else { Err(MergeFailed::new("the result would not be a valid skill")) }
}

fn is_sound(skill: &StyleSkill) -> bool {
    let problems = skill::validate(&skill.name, &skill.files);
    let refers = skill::references(&skill.files).iter().any(|reference| reference.path == super::PARAMETERS_FILE);
    refers && problems.iter().all(|problem| !problem.hard)
}

fn build(format: Format, style: &UserStyle, clean: impl Fn(&str) -> String) -> StyleSkill {
    let guide = Guide::of(format);
    let mut overriding: Vec<Vec<String>> = guide.principles.iter().map(|_| Vec::new()).collect();
    let mut added = Vec::new();
    for rule in &style.rules {
        let line = house_rule(&clean(&rule.text));
        match subject_of(rule, &guide.principles) {
            Some(at) => overriding[at].push(line),
            None => added.push(line),
        }
    }
    let lines = guide.principles.iter().zip(&overriding);
    let lines: Vec<String> = lines
        .flat_map(|(principle, rules)| if rules.is_empty() { vec![principle.line()] } else { rules.clone() })
        .collect();
    let mut middle = format!(
        "## Principles\n\nHouse rules are the user's own. They are binding and go before everything else here.\n\n{}",
        lines.join("\n")
    );
    if !added.is_empty() {
        middle += &format!("\n\n## Further house rules\n\n{}", added.join("\n"));
    }
    let examples: Vec<String> = style
        .examples
        .iter()
        .map(|example| clean_example(example, &clean))
        .chain(guide.examples.iter().cloned())
        .collect();
    let what = files_of(format);
    let description = format!(
        "How to style {what} in this workbench: the user's own rules merged with principles, examples and every \
         parameter. Use when creating or changing {what}."
    );
    let frontmatter =
        Frontmatter { description, ..frontmatter(format.custom_name(), "bundled, merged with document-style") };
    style_skill(format, &frontmatter, &guide.body(&middle, &examples))
}

/// A rule as an item of a list, with its further lines inside of the item.
fn house_rule(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    // A table, a quote or a block of code begins on a line of its own.
    let inline = lines.first().is_some_and(|line| !line.starts_with(['|', '>', '`', '~', '#', ' ', '\t']));
    let text = lines.join("\n  ");
    if inline { format!("- **House rule.** {text}") } else { format!("- **House rule.**\n\n  {text}") }
}

/// Which principle a rule is on the same subject as: the one with the most in common, where words of the subject count
/// double. None if too little.
fn subject_of(rule: &Rule, principles: &[Principle]) -> Option<usize> {
    let mut words = keywords(&rule.text);
    words.extend(keywords(&rule.heading));
    words.retain(|word| !GENERAL.contains(&word.as_str()));
    let score = |principle: &Principle| {
        let (subject, text) = (keywords(&principle.subject), keywords(&principle.text));
        words
            .iter()
            .map(|word| if subject.contains(word) { 2 } else { usize::from(text.contains(word)) })
            .sum::<usize>()
    };
    let scores = principles.iter().map(score).enumerate();
    let best = scores.max_by_key(|(at, score)| (*score, std::cmp::Reverse(*at)))?;
    (best.1 >= OVERLAP).then_some(best.0)
}

/// Examples are mostly code, which is left as it is.
fn clean_example(example: &str, clean: impl Fn(&str) -> String) -> String {
    match example.split_once("\n\n") {
        Some((title, body)) if body.starts_with("```") => {
            format!("### {}\n\n{body}", clean(title.trim_start_matches("### ")))
        }
        Some((title, body)) => format!("### {}\n\n{}", clean(title.trim_start_matches("### ")), clean(body)),
        None => clean(example),
    }
}

/// Links to files of the item are only text in the merged skill, which does not have those files.
fn unlink(text: &str) -> String {
    let mut clean = text.to_owned();
    for _ in 0..=REFERENCES_MAX {
        let Some((range, label)) = first_reference(&clean) else { return clean };
        clean.replace_range(range, &label);
    }
    plain_text(text)
}

/// The place of the first reference to a file, and the words to put there.
fn first_reference(text: &str) -> Option<(std::ops::Range<usize>, String)> {
    let mut open: Option<(std::ops::Range<usize>, String)> = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type: LinkType::Email, .. }) => {}
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })
                if open.is_none() && skill::is_file_reference(&dest_url) =>
            {
                open = Some((range, String::new()));
            }
            Event::Text(part) | Event::Code(part) if open.is_some() => {
                if let Some((_, label)) = &mut open {
                    label.push_str(&part);
                }
            }
            Event::Code(code) if skill::references_from(&format!("`{code}`")).contains(&code.to_string()) => {
                return Some((range, code.into_string()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) if open.is_some() => {
                return open.map(|(range, label)| (range, plain_text(&label)));
            }
            _ => {}
        }
    }
    None
}

/// A text in which nothing is markup.
fn plain_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
