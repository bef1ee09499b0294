//! Items as standard skill folders, out and in, so that any client of Agent Skills can use them and theirs can be used.

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

/// What `source.json` names as the model of an item that was taken from a skill folder.
pub const IMPORT_MODEL_ID: &str = "import:skill-folder";

/// A skill folder: its name, which is the skill's, and the texts in it. What an item was made from is not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder's name.
    pub name: String,
    /// The texts by their paths inside.
    pub files: BTreeMap<String, String>,
}

/// Why there is no skill, or no item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillFolderError {
    /// The item was edited into something that is no skill.
    #[error("the {} context is no valid skill: {}", category.label(), errors.join("; "))]
    NotExportable {
        /// Which item.
        category: Category,
        /// Everything that is wrong with it.
        errors: Vec<String>,
    },
    /// The folder is no skill.
    #[error("`{folder}` is no valid skill: {}", errors.join("; "))]
    NotASkill {
        /// Its name.
        folder: String,
        /// Everything that is wrong with it.
        errors: Vec<String>,
    },
    /// The skill cannot be an item.
    #[error(transparent)]
    Files(#[from] EditError),
    /// The skill is too large to be an item.
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

/// An item as a skill folder. A situation gets frontmatter and becomes a skill too.
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
    // A situation may point at files of the workbench, which a skill does not have: then they are only named.
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

/// An item taken from a skill folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The item.
    pub item: Item,
    /// What was left out, and what the validator advises.
    pub warnings: Vec<String>,
}

/// Takes a skill folder in as the item of a category. It must be a valid skill under its own name; inside the item it
/// has the category's. `previous` is the source of the item it takes the place of.
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

/// The texts of a folder. An item holds nothing else, so other files stay behind, and it is told which.
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

/// All texts in one, so that the item can be made again from them.
fn source_text(texts: &BTreeMap<String, String>) -> String {
    let files: Vec<String> = texts.iter().map(|(path, text)| format!("{path}\n\n{}", text.trim())).collect();
    files.join("\n\n")
}

/// The skill under the category's name. Where it comes from is kept in its metadata.
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

/// The instructions with what they refer to below them: a situation is one text.
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
