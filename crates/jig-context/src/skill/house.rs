//! The project's own rules for skills: they have content, referenced files exist, and they are not too long.

use std::collections::BTreeMap;

use super::read::{parse, trim};
use super::references::{Target, references_from, resolve};
use super::size::{LINES_MAX, TOKENS_MAX};
use super::{Problem, skill_file};

/// Problems and advice beyond the format rules. Empty if the format rules already reject the skill.
pub(super) fn validate(files: &BTreeMap<String, String>, count: impl Fn(&str) -> usize) -> Vec<Problem> {
    let Some(text) = skill_file(files) else { return Vec::new() };
    let mut problems = Vec::new();
    if let Ok((_, body)) = parse(text) {
        if !says_something(&body) {
            problems.push(Problem::hard("the body of SKILL.md is empty; write the instructions below the frontmatter"));
        }
        problems.extend(broken_references(super::SKILL_FILE, &body, files));
    }
    for (path, text) in files.iter().filter(|(path, _)| path.contains('/') && is_markdown(path)) {
        problems.extend(broken_references(path, text, files));
    }
    problems.extend(size(text, count));
    problems
}

fn says_something(body: &str) -> bool {
    body.chars().any(char::is_alphanumeric)
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"))
}

fn broken_references(from: &str, text: &str, files: &BTreeMap<String, String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for target in references_from(text) {
        let message = match resolve(from, &target, files) {
            Target::Elsewhere | Target::File(_) => continue,
            Target::Absolute => {
                format!("{from} refers to `{target}`; references must be relative to the skill's folder")
            }
            Target::Outside => format!("{from} refers to `{target}`, which is outside of the skill's folder"),
            Target::Missing => format!("{from} refers to `{target}`, which is not there"),
        };
        if problems.iter().all(|problem: &Problem| problem.message != message) {
            problems.push(Problem::hard(message));
        }
    }
    problems
}

fn size(text: &str, count: impl Fn(&str) -> usize) -> Vec<Problem> {
    let (lines, tokens) = (trim(text).lines().count(), count(text));
    let advice = [
        (lines > LINES_MAX, format!("SKILL.md has {lines} lines; {LINES_MAX} are enough for most")),
        (tokens > TOKENS_MAX, format!("SKILL.md has about {tokens} tokens; {TOKENS_MAX} are enough for most")),
    ];
    let advice = advice.into_iter().filter(|(over, _)| *over);
    advice.map(|(_, what)| Problem::advice(format!("{what}. Move details into files under references/"))).collect()
}
