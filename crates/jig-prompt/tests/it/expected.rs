//! The expected result of parsing a prompt, built from the input independently of the code under test.

use jig_prompt::read::Element;
use jig_prompt::{Input, Need, Skill};

/// A tag with data.
fn tag(name: &str, attributes: &[(&str, &str)], data: Option<&str>, children: Vec<Element>) -> Element {
    let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Element { name: name.to_owned(), attributes, data: data.map(str::to_owned), children }
}

/// Tools, by name.
pub(crate) fn tools(input: &Input) -> Vec<Element> {
    let mut tools: Vec<_> = input.tools.iter().collect();
    tools.sort_by_key(|tool| tool.name.clone());
    let element = |tool: &&jig_prompt::Tool| {
        let data = format!("{{\"description\":{},\"input_schema\":{}}}", json(&tool.description), tool.input_schema);
        tag("workbench-tool", &[("name", &tool.name)], Some(&data), vec![])
    };
    tools.iter().map(element).collect()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Instructions, with the explanation of the notation.
pub(crate) fn instructions(input: &Input) -> Vec<Element> {
    let part = |name: &str, text: &str| tag("workbench-instructions", &[("name", name)], Some(text), vec![]);
    let mut all: Vec<Element> = input.instructions.iter().map(|one| part(&one.name, &one.text)).collect();
    if all.is_empty() {
        all.push(part("default", jig_prompt::INSTRUCTIONS));
    }
    let notation = jig_prompt::escape::unescape(jig_prompt::NOTATION);
    all.push(tag("workbench-notation", &[], Some(&notation), vec![]));
    all
}

/// The situation.
pub(crate) fn situation(input: &Input) -> Vec<Element> {
    input.situation.iter().map(|text| tag("workbench-situation", &[], Some(text), vec![])).collect()
}

/// Skills in order, without the document style if format styles replace it.
pub(crate) fn skills(input: &Input) -> Vec<Element> {
    let order = |skill: &Skill| match skill.name.as_str() {
        "company-context" => (0, String::new()),
        "department-context" => (1, String::new()),
        "document-style" => (2, String::new()),
        other => (3, other.to_owned()),
    };
    let mut skills = input.skills.clone();
    skills.retain(|skill| input.format_styles.is_empty() || skill.name != "document-style");
    skills.sort_by_key(order);
    skills.iter().map(skill).collect()
}

/// Format styles, by name.
pub(crate) fn format_styles(input: &Input) -> Vec<Element> {
    let mut styles = input.format_styles.clone();
    styles.sort_by_key(|style| style.name.clone());
    styles.iter().map(skill).collect()
}

fn skill(skill: &Skill) -> Element {
    let mut files = skill.references.clone();
    files.sort_by_key(|file| file.path.clone());
    let children =
        files.iter().map(|file| tag("workbench-reference", &[("path", &file.path)], Some(&file.text), vec![]));
    tag("workbench-skill", &[("name", &skill.name)], Some(&skill.body), children.collect())
}

/// The documents with those parts for which `is_in` holds, by address; `None` without any.
pub(crate) fn context(input: &Input, is_in: impl Fn(&str) -> bool) -> Option<Element> {
    let mut documents: Vec<_> = input.documents.iter().collect();
    documents.sort_by_key(|document| (document.class, document.kind.clone(), document.key.clone()));
    let children: Vec<Element> =
        documents.into_iter().filter_map(|document| self::document(document, &is_in)).collect();
    (!children.is_empty()).then(|| tag("context", &[], None, children))
}

fn document(document: &jig_prompt::Document, is_in: &impl Fn(&str) -> bool) -> Option<Element> {
    let address = format!("@{}:{}", document.kind, document.key);
    let wanted = |part: &&jig_prompt::Part| part.need != Need::Unneeded && is_in(&format!("{address}#{}", part.name));
    let part = |part: &jig_prompt::Part| match plain(&part.name) {
        true => tag(&part.name, &[], Some(&part.text), vec![]),
        false => tag("part", &[("name", &part.name)], Some(&part.text), vec![]),
    };
    let parts: Vec<Element> = document.parts.iter().filter(wanted).map(part).collect();
    let mut attributes = Vec::new();
    if !plain(&document.kind) {
        attributes.push(("kind", document.kind.as_str()));
    }
    attributes.push(("key", document.key.as_str()));
    attributes.extend(document.title.iter().map(|title| ("title", title.as_str())));
    let name = if plain(&document.kind) { document.kind.as_str() } else { "document" };
    (!parts.is_empty()).then(|| tag(name, &attributes, None, parts))
}

/// Names in random texts that are valid tag names.
fn plain(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let ours = name.to_lowercase();
    first && rest && name.len() <= 64 && !ours.starts_with("workbench") && ours != "context"
}
