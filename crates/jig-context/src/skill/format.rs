//! The rules of the Agent Skills format, as the reference validator implements them.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::read::{parse, trim};
use super::yaml::Value;
use super::{Problem, SKILL_FILE};

const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;
const COMPATIBILITY_MAX: usize = 500;

/// The errors that the reference validator would report; empty exactly if it accepts the skill. Like it, this only
/// looks at `SKILL.md` (or `skill.md`) and the folder name.
pub fn validate_format(folder: &str, files: &BTreeMap<String, String>) -> Vec<Problem> {
    let text = match skill_text(files) {
        Ok(text) => text,
        Err(problem) => return vec![problem],
    };
    let entries = match parse(text) {
        Ok((entries, _)) => entries,
        Err(unreadable) => return vec![Problem::hard(unreadable.message)],
    };
    let find = |key: &str| entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let mut problems: Vec<String> = unknown_fields(&entries);
    match find("name") {
        Some(value) => problems.extend(name(value, folder)),
        None => problems.push("`name` is missing in the frontmatter".to_owned()),
    }
    match find("description") {
        Some(value) => problems.extend(description(value)),
        None => problems.push("`description` is missing in the frontmatter".to_owned()),
    }
    problems.extend(find("compatibility").and_then(compatibility));
    problems.into_iter().map(Problem::hard).collect()
}

fn skill_text(files: &BTreeMap<String, String>) -> Result<&str, Problem> {
    for name in [SKILL_FILE, "skill.md"] {
        if let Some(text) = files.get(name) {
            return Ok(text);
        }
        if files.keys().any(|path| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))) {
            return Err(Problem::hard(format!("{name} is a folder; it must be a file")));
        }
    }
    Err(Problem::hard("SKILL.md is missing"))
}

fn unknown_fields(entries: &[(String, Value)]) -> Vec<String> {
    let unknown = entries.iter().map(|(key, _)| key).filter(|key| !FIELDS.contains(&key.as_str()));
    unknown.map(|key| format!("`{key}` is not a field of the frontmatter; there are {}", FIELDS.join(", "))).collect()
}

fn name(value: &Value, folder: &str) -> Vec<String> {
    let name = match value.as_text().map(trim) {
        Some(name) if !name.is_empty() => name.nfkc().collect::<String>(),
        _ => return vec!["`name` must be a text and not empty".to_owned()],
    };
    let length = name.chars().count();
    let rules = [
        (length > NAME_MAX, format!("the name has {length} characters; at most {NAME_MAX} are allowed")),
        (name != name.to_lowercase(), format!("the name `{name}` must be in lower case")),
        (name.starts_with('-') || name.ends_with('-'), "the name must not begin or end with a hyphen".to_owned()),
        (name.contains("--"), "the name must not have two hyphens in a row".to_owned()),
        (
            !name.chars().all(|c| c == '-' || is_letter_or_digit(c)),
            format!("the name `{name}` may hold letters, digits and hyphens only"),
        ),
        (
            folder.nfkc().ne(name.chars()),
            format!("the name `{name}` must be the same as the folder's name, which is `{folder}`"),
        ),
    ];
    rules.into_iter().filter(|(broken, _)| *broken).map(|(_, message)| message).collect()
}

/// Letters and digits of any script, without combining marks.
fn is_letter_or_digit(c: char) -> bool {
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

fn description(value: &Value) -> Option<String> {
    let Some(text) = value.as_text().filter(|text| !trim(text).is_empty()) else {
        return Some("`description` must be a text and not empty".to_owned());
    };
    too_long("description", text, DESCRIPTION_MAX)
}

fn compatibility(value: &Value) -> Option<String> {
    let Some(text) = value.as_text() else { return Some("`compatibility` must be a text".to_owned()) };
    too_long("compatibility", text, COMPATIBILITY_MAX)
}

fn too_long(field: &str, text: &str, most: usize) -> Option<String> {
    let length = text.chars().count();
    (length > most).then(|| format!("`{field}` has {length} characters; at most {most} are allowed"))
}
