//! The rules of a style document, under their original headings.

use std::collections::HashSet;

use super::plain::{block, full_line, markdown};
use super::scan::{long_words, shortened_text};
use crate::style::{Example, Format, HouseStyle, Scope, StyleRule, read_document};

const RULES_MAX: usize = 400;

/// The rules of a document as Markdown, by format and heading, and a description of what was left out. The wording is
/// kept: a list below `Never` stays below `Never`. Rules whose headings share a word with the note come first.
pub(super) fn rules(text: &str, note: &str) -> (String, Option<String>) {
    let HouseStyle { mut rules, examples } = read_document(&shortened_text(text));
    let wanted: Vec<String> = long_words(note).collect();
    rules.sort_by_key(|rule| !long_words(&rule.label()).any(|word| wanted.contains(&word)));
    let mut seen = HashSet::new();
    rules.retain(|rule| seen.insert((rule.label(), format!("{:?}", rule.scope), rule.text.clone())));
    let total = rules.len();
    rules.truncate(RULES_MAX);
    let left_out = (total > RULES_MAX).then(|| {
        format!(
            "{} of {total} rules are left out: a style has at most {RULES_MAX}. Give a shorter text",
            total - RULES_MAX
        )
    });
    (style_markdown(&rules, &examples), left_out)
}

/// Rules and examples as Markdown, by format and heading, each in its own words.
pub(in crate::item) fn style_markdown(rules: &[StyleRule], examples: &[Example]) -> String {
    let mut out = String::from("# Style rules\n");
    let mut add = |title: &str, holds: &dyn Fn(&Scope) -> bool| {
        let rules = rules.iter().filter(|rule| holds(&rule.scope));
        push(&mut out, title, rules, examples.iter().filter(|example| holds(&example.scope)));
    };
    add("Every format", &|scope| *scope == Scope::AllFormats);
    for format in Format::ALL {
        add(format.as_str(), &|scope| scope.names(format));
    }
    if rules.is_empty() && examples.is_empty() {
        out.push_str("\nThe source names no rules.\n");
    }
    out
}

fn push<'a>(
    out: &mut String,
    title: &str,
    rules: impl Iterator<Item = &'a StyleRule>,
    examples: impl Iterator<Item = &'a Example>,
) {
    let mut rules: Vec<(String, String)> =
        rules.map(|rule| (markdown(&full_line(&rule.label())), markdown(&full_line(&rule.text)))).collect();
    rules.retain(|(_, text)| text.contains(char::is_alphanumeric));
    let mut examples = examples.peekable();
    if rules.is_empty() && examples.peek().is_none() {
        return;
    }
    // Rules without a heading come first; otherwise they would belong to the heading above them.
    rules.sort_by_key(|(label, _)| !label.is_empty());
    *out += &format!("\n## {title}\n");
    let mut open: Option<&str> = None;
    for (label, text) in &rules {
        if open != Some(label) {
            *out += &if label.is_empty() { "\n".to_owned() } else { format!("\n### {label}\n\n") };
            open = Some(label);
        }
        *out += &format!("- {text}\n");
    }
    for example in examples {
        *out += &format!("\n### {}\n\n{}\n", markdown(&full_line(&example.label)), block(&example.text));
    }
}
