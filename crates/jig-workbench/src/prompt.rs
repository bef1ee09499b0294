//! Caches between prompts, so that the cost of a prompt depends on what has changed since the last one.

mod entries;
mod items;
mod maps;
mod plans;
mod shelf;

use std::collections::BTreeMap;

use jig_context::item::Category;
use jig_prompt::{Counter as _, Input, Model, SectionKind, Skill, SkillFile, Tokenizer, assemble};

pub(crate) use items::LoadedItem;
pub(crate) use maps::KeptMaps;
pub(crate) use shelf::PromptShelf;

use crate::Workbench;

impl Workbench {
    /// The token count of an item as it appears in a prompt, by OpenAI's tokenizer.
    pub(crate) fn item_tokens(&self, category: Category, texts: &BTreeMap<String, String>) -> u64 {
        // A window that is never full, because only the count matters here.
        let model = Model { id: String::new(), window: 1 << 40, tokenizer: Tokenizer::o200k() };
        let mut input = Input::new(model);
        if category.is_skill() {
            input.skills.push(skill(category.as_str(), texts));
        } else {
            input.situation = texts.get(category.main_file()).cloned();
        }
        let counter = self.prompts().counter();
        match assemble(&input, counter) {
            Ok(prompt) => {
                let of_items = |section| matches!(section, SectionKind::Situation | SectionKind::Skills);
                let sections = prompt.bill.by_section().into_iter();
                sections.filter(|(section, _)| of_items(*section)).map(|(_, tokens)| tokens).sum()
            }
            Err(_) => texts.values().map(|text| counter.count(text)).sum(),
        }
    }
}

/// A skill as prompts include it: its instructions and the files they refer to.
pub(crate) fn skill(name: &str, texts: &BTreeMap<String, String>) -> Skill {
    let body = jig_context::skill::skill_file(texts).unwrap_or_default().to_owned();
    let references = jig_context::skill::references(texts).into_iter();
    let references = references.map(|file| SkillFile { path: file.path, text: file.text }).collect();
    Skill { name: name.to_owned(), body, references }
}
