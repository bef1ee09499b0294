//! Agent Skills: reading and writing `SKILL.md`, and saying what is wrong with a skill folder.
//!
//! [`validate_format`] judges as the reference validator of the Agent Skills project does (`agentskills validate` of
//! the package `skills-ref`), rule for rule; `tests/skills/` keeps what it said. [`validate`] adds the rules of this
//! project: what a skill refers to is there, it says something, and it is not too long.

mod format;
mod house;
mod read;
mod references;
mod size;
mod verbatim;
mod write;
mod yaml;

use std::collections::BTreeMap;

pub use format::validate_format;
pub use read::{Frontmatter, Skill, Unreadable, read};
pub use references::{Reference, references};
pub(crate) use references::{is_file_reference, references_from};
pub use size::{LINES_MAX, TOKENS_MAX, estimate_tokens};
pub use verbatim::frontmatter;
pub use write::write;

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Something wrong with a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, for people and models.
    pub message: String,
    /// Whether the skill cannot be used; if not it is advice.
    pub hard: bool,
}

impl Problem {
    fn hard(message: impl Into<String>) -> Self {
        Self { message: message.into(), hard: true }
    }

    fn advice(message: impl Into<String>) -> Self {
        Self { message: message.into(), hard: false }
    }
}

/// Everything that is wrong with a skill: the format's rules, this project's rules, and advice on size by
/// [`estimate_tokens`]. `folder` is the folder's name, `files` are the texts in it by their paths inside.
pub fn validate(folder: &str, files: &BTreeMap<String, String>) -> Vec<Problem> {
    validate_with(folder, files, estimate_tokens)
}

/// As [`validate`], with the tokens counted by `count`.
pub fn validate_with(folder: &str, files: &BTreeMap<String, String>, count: impl Fn(&str) -> usize) -> Vec<Problem> {
    let mut problems = validate_format(folder, files);
    problems.extend(house::validate(files, count));
    problems
}

/// The text of the file that makes the folder a skill: `SKILL.md`, else `skill.md`.
pub fn skill_file(files: &BTreeMap<String, String>) -> Option<&str> {
    files.get(SKILL_FILE).or_else(|| files.get("skill.md")).map(String::as_str)
}
