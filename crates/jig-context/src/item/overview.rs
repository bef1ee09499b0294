//! Summaries of items, for lists and cards.

use std::collections::BTreeMap;

use jig_contract::{Timestamp, WorkbenchPath};

use super::Item;
use super::category::Category;
use super::layout::{SOURCE_JSON, artifact};
use super::source::Source;
use super::validate::validate;
use crate::skill;

const SUMMARY_CHARS: usize = 200;

/// The status of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The item is in every prompt.
    Active,
    /// The category has no item.
    Empty,
    /// The item cannot be read, and prompts leave it out.
    Damaged,
}

/// The summary of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Its category.
    pub category: Category,
    /// Its status.
    pub status: Status,
    /// A one-line summary.
    pub summary: String,
    /// Whether it was edited manually since it was processed.
    pub has_direct_edits: bool,
    /// When it was first processed.
    pub created_at: Option<Timestamp>,
    /// When it was last processed.
    pub last_processed_at: Option<Timestamp>,
    /// When it was last edited manually.
    pub last_direct_edit_at: Option<Timestamp>,
    /// The model that processed it.
    pub model_id: Option<String>,
    /// Warnings: damage, or findings of the validator.
    pub warnings: Vec<String>,
}

/// Summarises the item of a category, from the files of a workbench's state.
pub fn overview(category: Category, state: &BTreeMap<WorkbenchPath, Vec<u8>>) -> Overview {
    let none = Overview {
        category,
        status: Status::Empty,
        summary: String::new(),
        has_direct_edits: false,
        created_at: None,
        last_processed_at: None,
        last_direct_edit_at: None,
        model_id: None,
        warnings: Vec::new(),
    };
    match Item::read(category, state) {
        Ok(None) => none,
        Ok(Some(item)) => of_item(&item, none),
        Err(damaged) => {
            // Prompts include an item without its `source.json`, so it counts as damaged only if its texts are.
            let texts = artifact(category, state).ok().flatten();
            let status = if texts.is_some() { Status::Active } else { Status::Damaged };
            let warning = if texts.is_some() { damaged.why } else { damaged.to_string() };
            let summary = texts.map(|files| summary(category, &files)).unwrap_or_default();
            let told = Overview { status, summary, warnings: vec![warning], ..none };
            match source_of(category, state) {
                Some(source) => with_source(told, source),
                None => told,
            }
        }
    }
}

fn of_item(item: &Item, none: Overview) -> Overview {
    let told = Overview {
        status: Status::Active,
        summary: summary(item.category, &item.files),
        warnings: validate(item.category, &item.files).into_iter().map(|problem| problem.message).collect(),
        ..none
    };
    with_source(told, item.source.clone())
}

fn with_source(told: Overview, source: Source) -> Overview {
    let Source { created_at, last_processed_at, last_direct_edit_at, model_id, has_direct_edits, .. } = source;
    Overview {
        has_direct_edits,
        created_at: Some(created_at),
        last_processed_at: Some(last_processed_at),
        last_direct_edit_at,
        model_id: Some(model_id),
        ..told
    }
}

/// The source of an item, if it can be read.
pub fn source_of(category: Category, state: &BTreeMap<WorkbenchPath, Vec<u8>>) -> Option<Source> {
    let place = category.path_of(SOURCE_JSON).ok()?;
    Source::from_json(state.get(&place)?).ok()
}

/// A one-line summary: the description of a skill, or the first points of a situation.
pub fn summary(category: Category, files: &BTreeMap<String, String>) -> String {
    let text = files.get(category.main_file()).map_or("", String::as_str);
    if category.is_skill() {
        if let Ok(skill) = skill::read(text) {
            return one_line(&skill.frontmatter.description);
        }
        return cut(&statements(text.trim_start_matches("---")).next().unwrap_or_default());
    }
    let mut line = String::new();
    for statement in statements(text) {
        if !line.is_empty() && line.chars().count() + statement.chars().count() > SUMMARY_CHARS {
            break;
        }
        line = if line.is_empty() { statement } else { format!("{line}; {statement}") };
    }
    cut(&line)
}

/// The list items of a Markdown text, or its lines if it has none, without formatting.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let entries: Vec<&str> = lines().filter(|line| line.starts_with(['-', '*', '•'])).collect();
    let chosen: Vec<&str> =
        if entries.is_empty() { lines().filter(|line| !line.starts_with('#')).collect() } else { entries };
    let plain =
        |line: &str| one_line(&line.trim_start_matches(['-', '*', '•', ' ']).replace("**", "").replace('`', ""));
    chosen.into_iter().map(plain).collect::<Vec<_>>().into_iter()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SUMMARY_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::Input;
    use super::*;

    fn said(category: Category, text: &str) -> String {
        summary(category, &BTreeMap::from([(category.main_file().to_owned(), text.to_owned())]))
    }

    #[test]
    fn a_skill_says_its_description_on_one_line() {
        let text = "---\nname: company-context\ndescription: >\n  Consider this\n  background.\n---\n# Body\n";
        assert_eq!(said(Category::CompanyContext, text), "Consider this background.");
        assert_eq!(said(Category::CompanyContext, "# Title\n\nEdited by hand.\n"), "Edited by hand.");
        assert_eq!(said(Category::CompanyContext, ""), "");
    }

    #[test]
    fn a_situation_says_its_first_statements() {
        let text = "## Current Situation\n\nKeep this in mind.\n\n- **Project**: Board deck\n- **Deadline**: Friday\n";
        assert_eq!(said(Category::Situation, text), "Project: Board deck; Deadline: Friday");
        assert_eq!(said(Category::Situation, "# Now\n\nWe move office.\n"), "We move office.");
        assert_eq!(said(Category::Situation, &"wörd ".repeat(100)).chars().count(), SUMMARY_CHARS);
    }

    fn situation() -> BTreeMap<WorkbenchPath, Vec<u8>> {
        let source = Source::processed(&Input::text("raw").unwrap(), None, "m", Timestamp::from_millis(1));
        let files = BTreeMap::from([("context.md".to_owned(), "- Board on Friday\n".to_owned())]);
        Item { category: Category::Situation, files, source, source_file: None }.into_files().unwrap()
    }

    #[test]
    fn a_list_shows_active_empty_and_damaged_items() {
        let mut state = situation();
        let active = overview(Category::Situation, &state);
        assert_eq!(
            (active.status, active.summary.as_str(), active.has_direct_edits),
            (Status::Active, "Board on Friday", false)
        );
        let moment = Some(Timestamp::from_millis(1));
        assert_eq!((active.created_at, active.last_processed_at, active.last_direct_edit_at), (moment, moment, None));
        assert_eq!((active.model_id.as_deref(), active.warnings.len()), (Some("m"), 0));
        let empty = overview(Category::DocumentStyle, &state);
        assert_eq!((empty.status, empty.created_at, empty.summary.as_str()), (Status::Empty, None, ""));
        state.insert(Category::Situation.path_of("context.md").unwrap(), Vec::new());
        let damaged = overview(Category::Situation, &state);
        assert_eq!(damaged.status, Status::Damaged);
        assert_eq!(damaged.warnings, ["Situation context could not be loaded. You may need to re-add it."]);
    }

    #[test]
    fn an_item_without_its_source_stays_active_and_says_so() {
        let mut state = situation();
        state.remove(&Category::Situation.path_of("source.json").unwrap());
        let found = overview(Category::Situation, &state);
        assert_eq!((found.status, found.summary.as_str()), (Status::Active, "Board on Friday"));
        assert_eq!(found.warnings, ["source.json is missing"]);
    }
}
