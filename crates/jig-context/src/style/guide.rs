//! The principles and examples of a format, parsed from `guides/*.md`.

use std::collections::BTreeMap;

use super::{Format, PARAMETERS_FILE, StyleSkill, catalog};
use crate::skill::{self, Frontmatter, SKILL_FILE};

/// A parsed guide.
pub(super) struct Guide {
    /// The title and introduction.
    pub(super) head: String,
    /// The principles, one per subject.
    pub(super) principles: Vec<Principle>,
    /// The examples, each with its heading.
    pub(super) examples: Vec<String>,
}

/// A principle and its subject.
pub(super) struct Principle {
    pub(super) subject: String,
    pub(super) text: String,
}

impl Guide {
    /// The built-in guide.
    pub(super) fn of(format: Format) -> Self {
        let text = match format {
            Format::Xlsx => include_str!("guides/xlsx.md"),
            Format::Docx => include_str!("guides/docx.md"),
            Format::Pptx => include_str!("guides/pptx.md"),
        };
        let (head, rest) = text.split_once("\n## Principles\n").unwrap_or((text, ""));
        let (principles, examples) = rest.split_once("\n## Examples\n").unwrap_or((rest, ""));
        let examples = examples.split("\n### ").map(str::trim).filter(|example| !example.is_empty());
        Self {
            head: head.trim().to_owned(),
            principles: principles.lines().filter_map(principle).collect(),
            examples: examples.map(|example| format!("### {example}")).collect(),
        }
    }

    /// The guide as a skill.
    pub(super) fn skill(&self, name: String, format: Format) -> StyleSkill {
        let principles: Vec<String> = self.principles.iter().map(Principle::line).collect();
        let body = self.body(&format!("## Principles\n\n{}", principles.join("\n")), &self.examples);
        let frontmatter = Frontmatter { description: description(format), ..frontmatter(name, "bundled") };
        skill(format, &frontmatter, &body)
    }

    /// The body of a skill with this middle part and these examples.
    pub(super) fn body(&self, middle: &str, examples: &[String]) -> String {
        let head = &self.head;
        let pointer = format!("The ops and their fields are in [the parameters]({PARAMETERS_FILE}).");
        format!("{head}\n\n{pointer}\n\n{middle}\n\n## Examples\n\n{}\n", examples.join("\n\n"))
    }
}

impl Principle {
    /// The principle as a list item.
    pub(super) fn line(&self) -> String {
        format!("- **{}.** {}", self.subject, self.text)
    }
}

/// Parses `- **Subject.** Text`.
fn principle(line: &str) -> Option<Principle> {
    let (subject, text) = line.strip_prefix("- **")?.split_once(".** ")?;
    Some(Principle { subject: subject.to_owned(), text: text.to_owned() })
}

/// Frontmatter without a description.
pub(super) fn frontmatter(name: String, origin: &str) -> Frontmatter {
    let metadata = [("generated_by", "jig"), ("origin", origin), ("version", "1")];
    Frontmatter {
        name,
        metadata: metadata.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        ..Frontmatter::default()
    }
}

/// The description of the built-in skill.
pub(super) fn description(format: Format) -> String {
    let (what, tool) = (files(format), catalog_tool(format));
    format!(
        "How to style {what} with {tool}: principles, examples and every parameter. Use when creating or \
         changing {what}."
    )
}

/// The name of the format's files.
pub(super) fn files(format: Format) -> &'static str {
    match format {
        Format::Xlsx => "Excel workbooks",
        Format::Docx => "Word documents",
        Format::Pptx => "PowerPoint presentations",
    }
}

fn catalog_tool(format: Format) -> &'static str {
    let spec = format.operation();
    spec.surfaces.tool.unwrap_or(spec.name)
}

/// A style skill with this `SKILL.md`. All skills of a format share the same parameters.
pub(super) fn skill(format: Format, frontmatter: &Frontmatter, body: &str) -> StyleSkill {
    let files = [
        (SKILL_FILE.to_owned(), skill::write(frontmatter, body)),
        (PARAMETERS_FILE.to_owned(), catalog::render(format)),
    ];
    StyleSkill { format: Some(format), name: frontmatter.name.clone(), files: BTreeMap::from(files) }
}
