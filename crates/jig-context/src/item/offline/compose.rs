//! Composes the texts of an item from the collected material.

use std::collections::BTreeMap;

use super::plain::markdown;
use super::scan::{Fact, Material};
use crate::item::category::Category;
use crate::skill::{self, Frontmatter};

const SUBJECT_CHARS: usize = 80;
/// The maximum number of points of a situation, which must be readable at a glance.
const SITUATION_POINTS: usize = 24;

const BY_RULES: &str = "These are quotes, picked out by rules and without a model.";

/// The texts of an item.
pub(super) fn compose(category: Category, material: &Material, rules: &str) -> BTreeMap<String, String> {
    let main = match category {
        Category::CompanyContext => company(material),
        Category::DepartmentContext => department(material),
        Category::Situation => situation(material),
        Category::DocumentStyle => style_skill(BY_RULES),
    };
    let mut files = BTreeMap::from([(category.main_file().to_owned(), main)]);
    if let Some(detail) = category.detail_file() {
        let text = if category == Category::DocumentStyle { rules.to_owned() } else { facts_and_groups(material) };
        files.insert(detail.to_owned(), text);
    }
    files
}

fn company(material: &Material) -> String {
    let subject = subject(material, &["company", "company name", "name", "organisation", "organization"]);
    let description = format!(
        "Background on {}. Consider it when analysing content, writing documents, or recommending something.",
        subject.as_deref().unwrap_or("the company")
    );
    let body = format!(
        "# Company context\n\n\
         It may help to keep this background in mind. {BY_RULES}\n\n\
         - When analysing content, consider how it fits what the company sells, to whom and against whom.\n\
         - When writing or editing, consider whether tone and wording suit the company and its readers.\n\
         - When recommending something, keep the company's facts and figures in mind.\n\n\
         {}The facts are in the [company summary](references/summary.md).",
        terms_line(material)
    );
    skill_text(Category::CompanyContext, description, &body)
}

fn department(material: &Material) -> String {
    let subject = subject(material, &["department", "department name", "team", "name"]);
    let description = format!(
        "Facts about {}. Always account for its goals, figures and ways of working in analysis, writing and advice.",
        subject.as_deref().unwrap_or("the department")
    );
    let body = format!(
        "# Department context\n\n\
         You must consider these facts in all work here. {BY_RULES}\n\n\
         - Always account for the department's goals and figures; check every number you write against them.\n\
         - Always follow its ways of working and name its tools as it does.\n\
         - You must use its terms in its sense.\n\n\
         {}Read the [department summary](references/summary.md) before you begin.",
        terms_line(material)
    );
    skill_text(Category::DepartmentContext, description, &body)
}

/// The `SKILL.md` of a style; `note` describes how its rules were found. The rules themselves are only in the details
/// file: prompts include both files and need each rule once.
pub(in crate::item) fn style_skill(note: &str) -> String {
    let description = "Apply these formatting and style rules whenever a document, spreadsheet or presentation is \
                       created or modified here.";
    let body = format!(
        "# Document style\n\n\
         Apply the [style rules](references/style-rules.md) whenever you create or modify a file. They are requirements, \
         not suggestions. {note}\n\n\
         - Always apply the rules for every format, and those under the name of the file's own format.\n\
         - Read each rule together with its heading. Never do what stands under a heading that forbids it.\n\
         - Always check the finished file against each rule."
    );
    skill_text(Category::DocumentStyle, description.to_owned(), &body)
}

/// The labels of a situation that come first: task, deadline, readers, tone, limits, phase, priorities.
const SITUATION_LABELS: [&[&str]; 7] = [
    &["project", "task", "assignment"],
    &["deadline", "due", "date", "when"],
    &["audience", "reader", "readers", "board", "for"],
    &["tone", "voice"],
    &["constraint", "constraints", "key constraint", "limit", "limits", "must"],
    &["phase", "stage", "status"],
    &["priority", "priorities", "key priorities", "goal", "goals"],
];

fn situation(material: &Material) -> String {
    let mut text = format!(
        "## Current situation\n\nKeep this situation in mind in all analysis, advice and writing here. {BY_RULES}\n\n"
    );
    let entries: Vec<String> = situation_points(material).into_iter().take(SITUATION_POINTS).collect();
    text += &if entries.is_empty() { "- The source says nothing in words.".to_owned() } else { entries.join("\n") };
    text.push('\n');
    text
}

/// A warning if a situation has more points than fit.
pub(super) fn left_out(category: Category, material: &Material) -> Option<String> {
    let points = if category == Category::Situation { situation_points(material).len() } else { 0 };
    let more = points.checked_sub(SITUATION_POINTS).filter(|more| *more > 0)?;
    Some(format!(
        "{more} of {points} points are left out: a situation must be taken in at a glance. Give a shorter text"
    ))
}

fn situation_points(material: &Material) -> Vec<String> {
    let place = |fact: &&Fact| {
        let label = fact.label.to_lowercase();
        SITUATION_LABELS.iter().position(|words| words.contains(&label.as_str())).unwrap_or(usize::MAX)
    };
    let mut facts: Vec<&Fact> = material.facts.iter().collect();
    facts.sort_by_key(place);
    let facts = facts.iter().map(|fact| bold(fact));
    let points = material.groups.iter().flat_map(|group| {
        let heading = (!group.heading.is_empty()).then(|| format!("- **{}**", markdown(&group.heading)));
        let nested = heading.is_some();
        let entry = move |point: &String| format!("{}- {}", if nested { "  " } else { "" }, markdown(point));
        heading.into_iter().chain(group.points.iter().map(entry))
    });
    let figures = material.figures.iter().map(|sentence| format!("- {}", markdown(sentence)));
    facts.chain(figures).chain(points).collect()
}

fn facts_and_groups(material: &Material) -> String {
    let mut text = String::from("# Summary\n");
    if !material.facts.is_empty() {
        text += "\n## Facts\n\n";
        material.facts.iter().for_each(|fact| text += &format!("{}\n", bold(fact)));
    }
    for group in material.groups.iter().filter(|group| !group.points.is_empty()) {
        let heading = if group.heading.is_empty() { "Overview" } else { &group.heading };
        text += &format!("\n## {}\n\n", markdown(heading));
        group.points.iter().for_each(|point| text += &format!("- {}\n", markdown(point)));
    }
    if !material.figures.is_empty() {
        text += "\n## Figures\n\n";
        material.figures.iter().for_each(|sentence| text += &format!("- {}\n", markdown(sentence)));
    }
    push_terms(&mut text, material);
    if text == "# Summary\n" {
        text += "\nThe source says nothing in words.\n";
    }
    text
}

fn push_terms(text: &mut String, material: &Material) {
    if material.terms.is_empty() {
        return;
    }
    *text += "\n## Terms\n\n";
    material.terms.iter().for_each(|term| *text += &format!("- {}\n", markdown(term)));
}

fn terms_line(material: &Material) -> String {
    if material.terms.is_empty() {
        return String::new();
    }
    let terms: Vec<String> = material.terms.iter().map(|term| markdown(term)).collect();
    format!("Terms that come up often: {}.\n\n", terms.join(", "))
}

fn bold(fact: &Fact) -> String {
    format!("- **{}**: {}", markdown(&fact.label), markdown(&fact.value))
}

/// The name of the subject, for a description: words and simple punctuation only.
fn subject(material: &Material, labels: &[&str]) -> Option<String> {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '&' | ',' | '.' | '\'' | '’' | '(' | ')' | '/' | '-');
    let name: String = material.subject(labels)?.chars().filter(|c| plain(*c)).take(SUBJECT_CHARS).collect();
    let name = name.trim_matches([' ', '.', ',', '-', '/']).to_owned();
    name.chars().any(char::is_alphanumeric).then_some(name)
}

pub(in crate::item) fn skill_text(category: Category, description: String, body: &str) -> String {
    let metadata = [("category", category.as_str()), ("generated_by", "jig"), ("version", "1")];
    let frontmatter = Frontmatter {
        name: category.as_str().to_owned(),
        description,
        metadata: metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..Frontmatter::default()
    };
    skill::write(&frontmatter, body)
}
