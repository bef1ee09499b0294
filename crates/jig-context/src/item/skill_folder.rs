//! Export and import of items as standard skill folders, for exchange with other clients of Agent Skills.

use std::collections::BTreeMap;

use jig_contract::{Code, OpError, Timestamp};
use serde_json::json;

use super::Item;
use super::category::Category;
use super::edit::{self, EditError};
use super::input::{Input, InputError};
use super::layout::is_editable;
use super::overview::summary;
use super::source::Source;
use super::validate::validate;
use crate::skill::{self, Frontmatter, Problem, SKILL_FILE, Skill};

/// The model id in `source.json` for an imported item.
pub const IMPORT_MODEL_ID: &str = "import:skill-folder";

/// A skill folder: its name, which is also the skill's, and its texts. The original input is not included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder name.
    pub name: String,
    /// The texts, by path.
    pub files: BTreeMap<String, String>,
}

/// Why a skill folder could not be exported or imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillFolderError {
    /// The item was edited into an invalid skill.
    #[error("the {} context is not a valid skill: {}", category.label(), errors.join("; "))]
    NotExportable {
        /// Its category.
        category: Category,
        /// The errors.
        errors: Vec<String>,
    },
    /// The folder is not a valid skill.
    #[error("`{folder}` is not a valid skill: {}", errors.join("; "))]
    NotASkill {
        /// Its name.
        folder: String,
        /// The errors.
        errors: Vec<String>,
    },
    /// The skill does not fit an item.
    #[error(transparent)]
    Files(#[from] EditError),
    /// The skill is too large for an item.
    #[error(transparent)]
    Input(#[from] InputError),
}

impl From<SkillFolderError> for OpError {
    fn from(error: SkillFolderError) -> Self {
        let message = error.to_string();
        match error {
            SkillFolderError::NotExportable { errors, .. } => Self::new(Code::ValidationFailed, message)
                .hint("correct the texts, or make the item again from its source")
                .detail(json!({ "errors": errors })),
            SkillFolderError::NotASkill { errors, .. } => {
                Self::new(Code::ValidationFailed, message).detail(json!({ "errors": errors }))
            }
            SkillFolderError::Files(error) => error.into(),
            SkillFolderError::Input(error) => error.into(),
        }
    }
}

/// Exports an item as a skill folder. A situation becomes a skill too, with added frontmatter.
pub fn export(item: &Item) -> Result<SkillFolder, SkillFolderError> {
    let category = item.category;
    let files = if category.is_skill() { item.files.clone() } else { situation_as_skill(item) };
    let name = category.as_str().to_owned();
    let errors = hard(skill::validate(&name, &files));
    if errors.is_empty() {
        Ok(SkillFolder { name, files })
    } else {
        Err(SkillFolderError::NotExportable { category, errors })
    }
}

fn situation_as_skill(item: &Item) -> BTreeMap<String, String> {
    let text = item.files.get(item.category.main_file()).map_or("", String::as_str);
    let about: String = summary(item.category, &item.files).chars().take(600).collect();
    let description = format!("The current situation, to be kept in mind in all work: {about}");
    let metadata = [("category", item.category.as_str()), ("generated_by", "jig"), ("version", "1")];
    let frontmatter = Frontmatter {
        name: item.category.as_str().to_owned(),
        description,
        metadata: metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..Frontmatter::default()
    };
    let of = |body: &str| BTreeMap::from([(SKILL_FILE.to_owned(), skill::write(&frontmatter, body))]);
    let plain = of(text);
    // Links of a situation to workbench files do not exist in a skill folder, so they are reduced to their text.
    if hard(skill::validate(item.category.as_str(), &plain)).is_empty() { plain } else { of(&without_links(text)) }
}

fn without_links(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if matches!(c, '[' | ']' | '`' | '<' | '\\') {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

/// An imported item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The item.
    pub item: Item,
    /// What was left out, and warnings of the validator.
    pub warnings: Vec<String>,
}

/// Imports a skill folder as the item of a category. It must be valid under its own name; the item uses the category's
/// name. `previous` is the source of the item it replaces.
pub fn import(
    category: Category,
    folder: &str,
    files: &BTreeMap<String, Vec<u8>>,
    previous: Option<&Source>,
    at: Timestamp,
) -> Result<Imported, SkillFolderError> {
    let (texts, mut warnings) = texts(files);
    let not_a_skill = |errors| SkillFolderError::NotASkill { folder: folder.to_owned(), errors };
    let errors = hard(skill::validate(folder, &texts));
    if !errors.is_empty() {
        return Err(not_a_skill(errors));
    }
    let text = skill::skill_file(&texts).unwrap_or_default();
    let read = skill::read(text).map_err(|error| not_a_skill(vec![error.to_string()]))?;
    let input = Input::text(source_text(&texts))?;
    let files = if category.is_skill() { renamed(category, read, texts) } else { as_situation(read, &texts) };
    let files = edit::checked(category, &files)?;
    let (errors, advice): (Vec<Problem>, Vec<Problem>) = validate(category, &files).into_iter().partition(|p| p.hard);
    if !errors.is_empty() {
        return Err(not_a_skill(hard(errors)));
    }
    warnings.extend(advice.into_iter().map(|problem| problem.message));
    let source = Source::processed(&input, previous, IMPORT_MODEL_ID, at);
    Ok(Imported { item: Item { category, files, source, source_file: None }, warnings })
}

/// The texts of a folder. Other files cannot be part of an item and are reported.
fn texts(files: &BTreeMap<String, Vec<u8>>) -> (BTreeMap<String, String>, Vec<String>) {
    let mut texts = BTreeMap::new();
    let mut left = Vec::new();
    for (path, bytes) in files {
        let ours = jig_contract::WorkbenchPath::new(path).is_ok_and(|path| !is_editable(&path));
        match String::from_utf8(bytes.clone()) {
            Ok(_) if ours => left.push(format!("{path} was left out: an item keeps its own source under that name")),
            Ok(text) => drop(texts.insert(path.clone(), text)),
            Err(_) => left.push(format!("{path} was left out: an item holds texts only")),
        }
    }
    (texts, left)
}

/// All texts concatenated, so that the item can be processed again.
fn source_text(texts: &BTreeMap<String, String>) -> String {
    let files: Vec<String> = texts.iter().map(|(path, text)| format!("{path}\n\n{}", text.trim())).collect();
    files.join("\n\n")
}

/// The skill under the category's name. Its original name is recorded in the metadata.
fn renamed(category: Category, skill: Skill, texts: BTreeMap<String, String>) -> Vec<(String, String)> {
    let Skill { mut frontmatter, body } = skill;
    if frontmatter.name != category.as_str() {
        let name = std::mem::replace(&mut frontmatter.name, category.as_str().to_owned());
        frontmatter.metadata.insert("imported_from".to_owned(), name);
    }
    frontmatter.metadata.insert("category".to_owned(), category.as_str().to_owned());
    let main = (SKILL_FILE.to_owned(), skill::write(&frontmatter, &body));
    let others = texts.into_iter().filter(|(path, _)| !path.eq_ignore_ascii_case(SKILL_FILE));
    std::iter::once(main).chain(others).collect()
}

/// The instructions followed by the referenced texts, because a situation is a single text.
fn as_situation(skill: Skill, texts: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut text = skill.body;
    for reference in skill::references(texts) {
        text += &format!("\n\n## {}\n\n{}", reference.path, reference.text.trim());
    }
    text.push('\n');
    vec![(Category::Situation.main_file().to_owned(), text)]
}

fn hard(problems: Vec<Problem>) -> Vec<String> {
    problems.into_iter().filter(|problem| problem.hard).map(|problem| problem.message).collect()
}

#[cfg(test)]
#[path = "skill_folder_tests.rs"]
mod tests;
