//! What people, models and disks say about context: definitions of kinds and recipes, files of entries, answers.

use jig_context::definition::{read, to_yaml};
use jig_context::entry::{Entry, check_data, check_value, field, read_kind, shipped_kind, shipped_kinds};
use jig_context::extract::{Extraction, Material};
use jig_context::item::process::{Processing, Request};
use jig_context::item::{Category, Input, validate};
use jig_context::recipe::{check_recipe, read_recipe};
use serde_json::Value;

/// A definition of a kind, as a person writes it.
pub(super) fn kind(bytes: &[u8]) {
    let Some(given) = definition(bytes) else { return };
    match read_kind(&given) {
        Err(problems) => assert!(!problems.is_empty() && problems.iter().all(|problem| !problem.message.is_empty())),
        Ok(kind) => {
            let again = read(&Value::String(to_yaml(&kind))).map(|value| read_kind(&value));
            assert_eq!(again, Ok(Ok(kind)), "not the same when written and read again");
        }
    }
}

/// A definition of a recipe.
pub(super) fn recipe(bytes: &[u8]) {
    let Some(given) = definition(bytes) else { return };
    match read_recipe(&given) {
        Err(problems) => assert!(!problems.is_empty() && problems.iter().all(|problem| !problem.message.is_empty())),
        Ok(recipe) => {
            let _ = check_recipe(&recipe, shipped_kinds());
            let again = read(&Value::String(to_yaml(&recipe))).map(|value| read_recipe(&value));
            assert_eq!(again, Ok(Ok(recipe)), "not the same when written and read again");
        }
    }
}

fn definition(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    match read(&Value::String(text.to_owned())) {
        Ok(value) => Some(value),
        Err(problem) => {
            assert!(!problem.message.is_empty());
            None
        }
    }
}

/// A file of an entry: what can be read is the same when it is written again.
pub(super) fn entry(bytes: &[u8]) {
    let Ok(entry) = Entry::from_json(bytes) else { return };
    let Some(kind) = shipped_kind(entry.document.kind.as_str()) else { return };
    let _ = check_data(kind, &entry.data());
    let written = entry.to_json(kind);
    let again = Entry::from_json(&written).unwrap_or_else(|error| panic!("written and not readable: {error}"));
    assert_eq!(again.to_json(kind), written, "another file the second time");
    assert_eq!(again.data(), entry.data(), "values got lost");
}

/// A model's answer to the question for values: twice the same, as a model that does not learn gives it.
pub(super) fn extracted(bytes: &[u8]) {
    let answer = String::from_utf8_lossy(bytes);
    let Some(brand) = shipped_kind("brand") else { return };
    let material = Material { text: "Acme. Ropes that hold. Plain and warm.".to_owned(), name: None };
    let first = Extraction::start(brand, &material).answered(&answer);
    let Extraction::Done(values) = first.answered(&answer) else { return };
    for value in &values.fields {
        let known = field(brand, &value.field).unwrap_or_else(|| panic!("{} is no field", value.field));
        assert_eq!(check_value(&known, &value.value), Ok(()), "{}", value.field);
        assert!(value.confidence.is_none_or(|sure| (0.0..=1.0).contains(&sure)), "{:?}", value.confidence);
    }
}

/// A model's answer to the question for a context item. What is saved is what the rules allow.
pub(super) fn processed(bytes: &[u8]) {
    let answer = String::from_utf8_lossy(bytes);
    let Ok(input) = Input::text("Acme sells ropes to climbers.") else { return };
    for category in Category::ALL {
        let first = Processing::start(category, &input).answered(&answer);
        let once_more = |request: &Request| matches!(request.messages.len(), 1 | 3);
        assert!(first.request().is_none_or(once_more), "not one repair");
        match first.answered(&answer) {
            Processing::Ask(_) => panic!("asked a third time"),
            Processing::Failed(failure) => assert!(!failure.to_string().is_empty()),
            Processing::Done(made) => {
                let hard = validate(category, &made.files).into_iter().filter(|problem| problem.hard);
                assert_eq!(hard.map(|problem| problem.message).collect::<Vec<_>>(), Vec::<String>::new(), "{category}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{find, kept};

    /// Mutation only reaches what lies behind the first check when the seeds pass it.
    #[test]
    fn the_seeds_are_good() {
        let seeds = |name: &str| kept(find(name).unwrap()).into_iter().map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(seeds("kind").all(|text| read_kind(&definition(text.as_bytes()).unwrap()).is_ok()));
        assert!(seeds("recipe").all(|text| read_recipe(&definition(text.as_bytes()).unwrap()).is_ok()));
        assert!(seeds("entry").all(|text| Entry::from_json(text.as_bytes()).is_ok()));
        let material = Material { text: "Acme.".to_owned(), name: None };
        let found = |text: String| Extraction::start(shipped_kind("brand").unwrap(), &material).answered(&text);
        assert!(seeds("extracted").all(|text| matches!(found(text), Extraction::Done(_))));
        let input = Input::text("Acme sells ropes.").unwrap();
        let made = |text: &str, category| Processing::start(category, &input).answered(text);
        let good = |text: String| Category::ALL.iter().any(|one| matches!(made(&text, *one), Processing::Done(_)));
        assert!(seeds("processed").all(good));
    }
}
