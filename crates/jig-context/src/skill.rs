//! Agent Skills: reading, writing and validating `SKILL.md` and skill folders.
//!
//! [`validate_format`] agrees rule for rule with the reference validator of the Agent Skills project
//! (`agentskills validate` of the package `skills-ref`), whose results are recorded in `tests/skills/`. [`validate`]
//! adds the rules of this project: referenced files exist, the skill has content, and it is not too long.

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

/// A problem of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The message, for people and models.
    pub message: String,
    /// Whether the skill is unusable; otherwise the problem is advice.
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

/// All problems of a skill: format rules, project rules, and advice on size based on [`estimate_tokens`]. `folder` is
/// the folder name, `files` are its texts by path.
pub fn validate(folder: &str, files: &BTreeMap<String, String>) -> Vec<Problem> {
    validate_with(folder, files, estimate_tokens)
}

/// Like [`validate`], with tokens counted by `count`.
pub fn validate_with(folder: &str, files: &BTreeMap<String, String>, count: impl Fn(&str) -> usize) -> Vec<Problem> {
    let mut problems = validate_format(folder, files);
    problems.extend(house::validate(files, count));
    problems
}

/// The text of `SKILL.md`, or of `skill.md` if the former is missing.
pub fn skill_file(files: &BTreeMap<String, String>) -> Option<&str> {
    files.get(SKILL_FILE).or_else(|| files.get("skill.md")).map(String::as_str)
}
