//! Merges a built-in style skill with the rules of the user's `document-style` item.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::guide::{Guide, Principle, files as files_of, frontmatter, skill as style_skill};
use super::read::{Example, HouseStyle};
use super::rule::{StyleRule, label_markdown};
use super::{Format, Scope, StyleSkill};
use crate::skill::{self, Frontmatter};

/// The name of the skill with the user's rules for every format.
const SHARED_NAME: &str = "all-formats-style-custom";
/// A rule with more references than this is treated as plain text.
const REFERENCES_MAX: usize = 50;
/// The introduction of the user's rules.
const WINS: &str = "These rules are the user's own and come first. Where a house rule and a principle disagree, follow the \
                    house rule. Bold words before a rule, or the words in “listed under”, are the heading that the user \
                    wrote it under: what stands under a heading such as Don'ts or Avoid is not wanted.";
/// A pointer from the rules of a format to those of all formats.
const SHARED_WINS: &str = "The user's rules for files of every format, where there are any, are given separately and win \
                           over the principles below as well.";

/// Why the user's item could not be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MergeFailed {
    /// The reason.
    pub message: String,
}

impl MergeFailed {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The skill with the user's rules for every format, if there are any.
pub(super) fn shared(style: &HouseStyle) -> Option<StyleSkill> {
    let name = SHARED_NAME.to_owned();
    let rules = |rule: &&StyleRule| rule.scope == Scope::AllFormats;
    let examples = |example: &&Example| example.scope == Scope::AllFormats;
    if !style.rules.iter().any(|rule| rules(&rule)) && !style.examples.iter().any(|example| examples(&example)) {
        return None;
    }
    let frontmatter = Frontmatter {
        description: "The user's own style rules for files of every format. Use when creating or changing any file."
            .to_owned(),
        ..frontmatter(name.clone(), "document-style")
    };
    let build = |clean: &dyn Fn(&str) -> String| {
        let mut body = format!("# House rules for every format\n\n{WINS}\n\n");
        body += &lines(style.rules.iter().filter(rules), clean);
        let examples: Vec<String> = style.examples.iter().filter(examples).map(example_markdown).collect();
        if !examples.is_empty() {
            body += &format!("\n\n## Examples\n\n{}\n", examples.join("\n\n"));
        }
        let files = BTreeMap::from([(skill::SKILL_FILE.to_owned(), skill::write(&frontmatter, &body))]);
        StyleSkill { format: None, name: name.clone(), files }
    };
    let merged = build(&unlink);
    let sound = skill::validate(&merged.name, &merged.files).iter().all(|problem| !problem.hard);
    Some(if sound { merged } else { build(&plain_text) })
}

/// The built-in style skill of a format, with the user's rules before the principles. Principles and parameters stay
/// unchanged whatever the rules say: the skill states which takes precedence.
pub(super) fn merge(format: Format, style: &HouseStyle) -> Result<StyleSkill, MergeFailed> {
    let merged = build(format, style, unlink);
    if is_sound(&merged) {
        return Ok(merged);
    }
    // Some markup affects text outside its rule. As plain text it cannot.
    let merged = build(format, style, plain_text);
    if is_sound(&merged) { Ok(merged) } else { Err(MergeFailed::new("the result would not be a valid skill")) }
}

fn is_sound(skill: &StyleSkill) -> bool {
    let problems = skill::validate(&skill.name, &skill.files);
    let refers = skill::references(&skill.files).iter().any(|reference| reference.path == super::PARAMETERS_FILE);
    refers && problems.iter().all(|problem| !problem.hard)
}

fn build(format: Format, style: &HouseStyle, clean: impl Fn(&str) -> String) -> StyleSkill {
    let guide = Guide::of(format);
    let what = files_of(format);
    let rules: Vec<&StyleRule> = style.rules.iter().filter(|rule| rule.scope.names(format)).collect();
    let house = if rules.is_empty() {
        format!("## House rules\n\n{SHARED_WINS}")
    } else {
        format!("## House rules for {what}\n\n{WINS}\n\n{}\n\n{SHARED_WINS}", lines(rules.into_iter(), &clean))
    };
    let principles: Vec<String> = guide.principles.iter().map(Principle::line).collect();
    let middle = format!("{house}\n\n## Principles\n\n{}", principles.join("\n"));
    let own = style.examples.iter().filter(|example| example.scope.names(format)).map(example_markdown);
    let examples: Vec<String> = own.chain(guide.examples.iter().cloned()).collect();
    let description = format!(
        "How to style {what} in this workbench: the user's own rules, then principles, examples and every parameter. \
         Use when creating or changing {what}."
    );
    let frontmatter =
        Frontmatter { description, ..frontmatter(format.custom_name(), "bundled, merged with document-style") };
    style_skill(format, &frontmatter, &guide.body(&middle, &examples))
}

fn lines<'a>(rules: impl Iterator<Item = &'a StyleRule>, clean: &dyn Fn(&str) -> String) -> String {
    rules.map(|rule| rule.line(clean)).collect::<Vec<_>>().join("\n")
}

/// The code of an example is not changed.
fn example_markdown(example: &Example) -> String {
    format!("### {}\n\n{}", label_markdown(&example.label), example.text)
}

/// Links to files of the item become plain text, because the merged skill does not contain those files.
fn unlink(text: &str) -> String {
    let mut clean = text.to_owned();
    for _ in 0..=REFERENCES_MAX {
        let Some((range, label)) = first_reference(&clean) else { return clean };
        clean.replace_range(range, &label);
    }
    plain_text(text)
}

/// The range of the first reference to a file, and its replacement.
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

/// A text with all markup escaped.
fn plain_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '[' | ']' | '<' | '>' | '*' | '_' | '~' | '|' | '#' | '!') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
