//! Validates the texts of an item by the rules of its category.

use std::collections::BTreeMap;

use super::category::Category;
use super::input::is_blank;
use crate::skill::{self, Problem};

/// All problems with the texts of an item. Skills are validated as skills; a situation needs one nonblank text. Hard
/// problems prevent saving a processed item, and are warnings for an edited one.
pub fn validate(category: Category, files: &BTreeMap<String, String>) -> Vec<Problem> {
    let mut problems =
        if category.is_skill() { skill::validate(category.as_str(), files) } else { validate_situation(files) };
    let blank = files.iter().filter(|(path, text)| path.as_str() != category.main_file() && is_blank(text));
    problems.extend(blank.map(|(path, _)| Problem { message: format!("{path} is empty"), hard: true }));
    if let Some(detail) = category.detail_file().filter(|detail| !files.contains_key(*detail)) {
        let message = format!("{detail} is missing; details belong there");
        problems.push(Problem { message, hard: false });
    }
    problems.extend(not_in_prompts(files));
    problems
}

/// Prompts include `SKILL.md` and the files it refers to. Other files are stored, but no model sees them.
fn not_in_prompts(files: &BTreeMap<String, String>) -> Vec<Problem> {
    let referred = skill::references(files);
    let left = files.keys().filter(|path| path.starts_with("references/") && referred.iter().all(|r| r.path != **path));
    let words = |path: &String| format!("SKILL.md does not refer to {path}: prompts go without it");
    left.map(|path| Problem { message: words(path), hard: false }).collect()
}

fn validate_situation(files: &BTreeMap<String, String>) -> Vec<Problem> {
    let main = Category::Situation.main_file();
    let message = match files.get(main) {
        None => format!("{main} is missing"),
        Some(text) if !text.chars().any(char::is_alphanumeric) => format!("{main} is empty; write what is going on"),
        Some(_) => return Vec::new(),
    };
    vec![Problem { message, hard: true }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> BTreeMap<String, String> {
        of.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn hard(category: Category, of: &[(&str, &str)]) -> Vec<String> {
        let hard = validate(category, &files(of)).into_iter().filter(|problem| problem.hard);
        hard.map(|problem| problem.message).collect()
    }

    #[test]
    fn a_situation_needs_its_text() {
        assert_eq!(hard(Category::Situation, &[("context.md", "- Board on Friday")]), Vec::<String>::new());
        assert_eq!(hard(Category::Situation, &[]), ["context.md is missing"]);
        for empty in ["", "\n \n", "## \n---\n"] {
            let told = hard(Category::Situation, &[("context.md", empty)]);
            assert_eq!(told, ["context.md is empty; write what is going on"]);
        }
    }

    #[test]
    fn skills_are_judged_as_skills_named_like_their_folder() {
        let text = "---\nname: \"company-context\"\ndescription: \"Consider this.\"\n---\n\nSee [facts](references/summary.md).\n";
        let good = [("SKILL.md", text), ("references/summary.md", "- ropes")];
        assert_eq!(validate(Category::CompanyContext, &files(&good)), []);
        assert_eq!(hard(Category::DepartmentContext, &good).len(), 1, "the name is another folder's");
        assert_eq!(hard(Category::CompanyContext, &good[..1]).len(), 1, "the reference leads nowhere");
        assert_eq!(hard(Category::CompanyContext, &good[1..]).len(), 1, "no SKILL.md");
        assert_eq!(
            hard(Category::CompanyContext, &[good[0], ("references/summary.md", " ")]),
            ["references/summary.md is empty"]
        );
    }

    #[test]
    fn a_file_that_no_prompt_carries_is_told() {
        let advice = |body: &str| {
            let text = format!("---\nname: company-context\ndescription: Acme.\n---\n{body}\n");
            let all = [("SKILL.md", text.as_str()), ("references/summary.md", "- ropes")];
            validate(Category::CompanyContext, &files(&all)).into_iter().map(|found| found.message).collect::<Vec<_>>()
        };
        assert_eq!(advice("Acme."), ["SKILL.md does not refer to references/summary.md: prompts go without it"]);
        for body in ["See references/summary.md.", "See [all](references/).", "`references/summary.md`"] {
            assert_eq!(advice(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn a_skill_without_its_details_is_only_advised() {
        let text = "---\nname: document-style\ndescription: Apply.\n---\nAlways use Title Case.\n";
        let problems = validate(Category::DocumentStyle, &files(&[("SKILL.md", text)]));
        assert_eq!(problems.len(), 1);
        assert!(!problems[0].hard && problems[0].message.starts_with("references/style-rules.md is missing"));
    }
}
