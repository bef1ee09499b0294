//! Completes what a model may leave out without a retry: frontmatter, and links to the details.

use std::collections::BTreeMap;

use super::super::offline::skill_text;
use crate::item::category::Category;
use crate::skill;

/// The maximum length of a skill description, in characters.
const DESCRIPTION_MAX: usize = 1_024;

/// A skill with valid frontmatter and a link to each reference file, so that prompts include them. Valid content stays
/// as the model wrote it; additions are reported.
pub(super) fn complete(
    category: Category,
    mut files: BTreeMap<String, String>,
) -> (BTreeMap<String, String>, Vec<String>) {
    let mut told = Vec::new();
    let main = category.main_file();
    let Some(text) = files.get(main).filter(|_| category.is_skill()).cloned() else { return (files, told) };
    let sound = |text: &str| {
        let alone = BTreeMap::from([(main.to_owned(), text.to_owned())]);
        let is_frontmatter = |problem: &skill::Problem| problem.hard && !problem.message.contains("references/");
        !skill::validate_format(category.as_str(), &alone).iter().any(is_frontmatter)
    };
    let mut text = text;
    if !sound(&text) {
        let (description, body) = parts(&text);
        if !body.contains(char::is_alphanumeric) {
            return (files, told);
        }
        let description = description.unwrap_or_else(|| default_description(category).to_owned());
        text = skill_text(category, description, &body);
        told.push(format!("the frontmatter of {main} was written by Jig: the model's was missing or invalid"));
    }
    files.insert(main.to_owned(), text.clone());
    let linked = skill::references(&files);
    let left: Vec<String> = files
        .keys()
        .filter(|path| path.starts_with("references/") && linked.iter().all(|reference| reference.path != **path))
        .cloned()
        .collect();
    for path in left {
        let name = path.trim_start_matches("references/").trim_end_matches(".md").replace(['-', '_'], " ");
        text = format!("{}\n\nRead the [{name}]({path}).\n", text.trim_end());
        told.push(format!("a link to {path} was added to {main}: without one, prompts go without it"));
    }
    files.insert(main.to_owned(), text);
    (files, told)
}

/// The description and the body of a text, even if its frontmatter is invalid.
fn parts(text: &str) -> (Option<String>, String) {
    let fits = |description: &String| description.chars().count() <= DESCRIPTION_MAX;
    if let Ok(read) = skill::read(text) {
        return (Some(read.frontmatter.description).filter(fits), read.body);
    }
    // Invalid frontmatter ends at the second line of hyphens.
    let Some(rest) = text.trim_start().strip_prefix("---\n") else { return (None, text.to_owned()) };
    let Some((head, body)) = rest.split_once("\n---") else { return (None, text.to_owned()) };
    let body = body.trim_start_matches('-').to_owned();
    let description = head.lines().find_map(|line| line.strip_prefix("description:"));
    let description = description.map(|value| value.trim().trim_matches(['"', '\'']).to_owned());
    (description.filter(|value| !value.is_empty()).filter(fits), body)
}

const fn default_description(category: Category) -> &'static str {
    match category {
        Category::CompanyContext => {
            "Background on the company. Consider it when analysing content, writing documents, or recommending something."
        }
        Category::DepartmentContext => {
            "Facts about the department. Always account for its goals, figures and ways of working in all work here."
        }
        Category::Situation | Category::DocumentStyle => "Apply this whenever a file is created or modified here.",
    }
}
