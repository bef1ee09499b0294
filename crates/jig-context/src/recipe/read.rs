//! Parses recipe definitions and reports every violated rule with its location.

use jig_contract::ops::{
    ArtifactRequirement, ContextOutputs, ContextRequirements, EntryRequirement, ItemsChoice, RecipeDefinition,
    RefreshPolicy,
};
use serde_json::Value;

use super::cron::Cron;
use super::template;
use crate::definition::{Members, Problem, read};

const NAME_CHARS_MAX: usize = 64;
const LABEL_CHARS_MAX: usize = 200;
const WORDS_CHARS_MAX: usize = 2_000;
const PROMPT_CHARS_MAX: usize = 50_000;
const REQUIREMENTS_MAX: usize = 50;
const FIELDS_MAX: usize = 100;
const TTL_HOURS_MAX: u32 = 24 * 366 * 10;

/// Parses a definition given as text or as a value. [`super::check_recipe`] checks that its kinds and fields exist.
pub fn read_recipe(given: &Value) -> Result<RecipeDefinition, Vec<Problem>> {
    let value = read(given).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    match recipe(&value, &mut problems) {
        Some(recipe) if problems.is_empty() => Ok(recipe),
        _ => Err(problems),
    }
}

fn recipe(value: &Value, problems: &mut Vec<Problem>) -> Option<RecipeDefinition> {
    let mut members = Members::of(value, "", problems)?;
    let name = members.needed_text("recipe", NAME_CHARS_MAX);
    if name.as_deref().is_some_and(|name| !is_name(name)) {
        members.complain(
            "recipe",
            "a name starts with a lower-case letter and has only those, digits, hyphens and underscores",
        );
    }
    let display_name = members.text("display_name", LABEL_CHARS_MAX);
    let description = members.text("description", WORDS_CHARS_MAX);
    let needs = members.take("context_requirements");
    let prompt = members.text("prompt", PROMPT_CHARS_MAX);
    let makes = members.take("context_outputs");
    let schedule = members.text("schedule", LABEL_CHARS_MAX);
    let version = members.number("version", 1, u32::MAX);
    if let Some(prompt) = &prompt {
        let unknown = template::unknown(prompt, &members.at("prompt"));
        members.problems().extend(unknown);
    }
    if let Some(error) = schedule.as_deref().and_then(|schedule| Cron::parse(schedule).err()) {
        members.complain("schedule", error.to_string());
    }
    if needs.is_none() && prompt.is_none() {
        members.complain("", "a recipe needs some context or asks something: give `context_requirements` or `prompt`");
    }
    let context_requirements = needs.map(|needs| requirements(&needs, members.problems()));
    let context_outputs = makes.map(|makes| outputs(&makes, members.problems()));
    members.end();
    Some(RecipeDefinition {
        recipe: name?,
        display_name,
        description,
        context_requirements: match context_requirements {
            None => ContextRequirements::default(),
            Some(requirements) => requirements?,
        },
        prompt,
        context_outputs: match context_outputs {
            None => None,
            Some(outputs) => Some(outputs?),
        },
        schedule,
        version: version.unwrap_or(1),
    })
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)
}

fn requirements(value: &Value, problems: &mut Vec<Problem>) -> Option<ContextRequirements> {
    let mut members = Members::of(value, "context_requirements", problems)?;
    let entries = members.list("entries", REQUIREMENTS_MAX);
    let artifacts = members.list("artifacts", REQUIREMENTS_MAX);
    let items = match members.word("items", &["all", "none"]) {
        Some("all") => ItemsChoice::All,
        _ => ItemsChoice::None,
    };
    let place = |list: &str, number: usize| format!("context_requirements.{list}[{number}]");
    let mut found = ContextRequirements { entries: Vec::new(), artifacts: Vec::new(), items };
    for (number, value) in entries.iter().enumerate() {
        found.entries.extend(entry(value, &place("entries", number), members.problems()));
    }
    for (number, value) in artifacts.iter().enumerate() {
        found.artifacts.extend(artifact(value, &place("artifacts", number), members.problems()));
    }
    members.end();
    Some(found)
}

fn entry(value: &Value, place: &str, problems: &mut Vec<Problem>) -> Option<EntryRequirement> {
    let mut members = Members::of(value, place, problems)?;
    let role = members.needed_text("role", NAME_CHARS_MAX);
    let fields = members.texts("fields", FIELDS_MAX);
    let required = members.flag("required", false);
    members.end();
    Some(EntryRequirement { role: role?, fields, required })
}

fn artifact(value: &Value, place: &str, problems: &mut Vec<Problem>) -> Option<ArtifactRequirement> {
    let mut members = Members::of(value, place, problems)?;
    let artifact = members.needed_text("artifact", LABEL_CHARS_MAX);
    let sections = members.texts("sections", FIELDS_MAX);
    let required = members.flag("required", false);
    members.end();
    Some(ArtifactRequirement { artifact: artifact?, sections, required })
}

fn outputs(value: &Value, problems: &mut Vec<Problem>) -> Option<ContextOutputs> {
    let mut members = Members::of(value, "context_outputs", problems)?;
    let role = members.needed_text("role", NAME_CHARS_MAX);
    let entry_key = members.text("entry_key", LABEL_CHARS_MAX);
    let fields_produced = members.texts("fields_produced", FIELDS_MAX);
    if fields_produced.is_empty() {
        members.complain("fields_produced", "say which fields it fills");
    }
    let policy = members.take("refresh_policy");
    let refresh_policy = match policy {
        None => RefreshPolicy::default(),
        Some(policy) => {
            let mut members = Members::of(&policy, "context_outputs.refresh_policy", members.problems())?;
            let ttl_hours = members.number("ttl_hours", 1, TTL_HOURS_MAX);
            let auto_promote = members.flag("auto_promote", false);
            members.end();
            RefreshPolicy { ttl_hours, auto_promote }
        }
    };
    members.end();
    Some(ContextOutputs { role: role?, entry_key, fields_produced, refresh_policy })
}
