//! Untrusted context input: definitions of kinds and recipes, entry files, model answers.

use std::collections::BTreeMap;

use jig_context::agent::{self, Compiled, FileRef, Files, Options, Standing};
use jig_context::artifact::read_stage;
use jig_context::definition::{read, to_yaml};
use jig_context::entry::{Entry, check_data, check_value, field, read_kind, shipped_kind, shipped_kinds};
use jig_context::extract::{Extraction, Material};
use jig_context::item::process::{Processing, Request};
use jig_context::item::{Category, Input, offline, validate};
use jig_context::recipe::{check_recipe, read_recipe};
use jig_context::skill::{self, SKILL_FILE};
use jig_context::style::{Format, for_call};
use jig_contract::BlobHash;
use serde_json::Value;

/// A kind definition, as a person writes it.
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

/// A recipe definition.
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

/// A stage definition.
pub(super) fn stage(bytes: &[u8]) {
    let Some(given) = definition(bytes) else { return };
    match read_stage(&given) {
        Err(problems) => assert!(!problems.is_empty() && problems.iter().all(|problem| !problem.message.is_empty())),
        Ok(stage) => {
            let again = read(&Value::String(to_yaml(&stage))).map(|value| read_stage(&value));
            assert_eq!(again, Ok(Ok(stage)), "not the same when written and read again");
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

/// An entry file: what can be read is the same after writing it again.
pub(super) fn entry(bytes: &[u8]) {
    let Ok(entry) = Entry::from_json(bytes) else { return };
    let Some(kind) = shipped_kind(entry.document.kind.as_str()) else { return };
    let _ = check_data(kind, &entry.data());
    let written = entry.to_json(kind);
    let again = Entry::from_json(&written).unwrap_or_else(|error| panic!("written and not readable: {error}"));
    assert_eq!(again.to_json(kind), written, "another file the second time");
    assert_eq!(again.data(), entry.data(), "values got lost");
}

/// Any `SKILL.md`.
pub(super) fn skill(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let files = BTreeMap::from([(SKILL_FILE.to_owned(), text.clone())]);
    let problems = skill::validate("skill", &files);
    assert!(problems.iter().all(|problem| !problem.message.is_empty()));
    let _ = skill::references(&files);
    let Ok(skill) = skill::read(&text) else { return };
    let written = skill::write(&skill.frontmatter, &skill.body);
    let again = skill::read(&written).unwrap_or_else(|error| panic!("written and not readable: {error}"));
    assert_eq!(again.frontmatter, skill.frontmatter, "not the same when written and read again");
}

/// The files of an agent workspace, as a JSON object by path; anything else is used as its index.
pub(super) fn workspace(bytes: &[u8]) {
    let given: Value = serde_json::from_slice(bytes).unwrap_or(Value::Null);
    let mut texts: Vec<(String, Vec<u8>)> = vec![(agent::INDEX.to_owned(), bytes.to_vec())];
    if let Some(object) = given.as_object().filter(|object| object.contains_key(agent::INDEX)) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
        texts = object.iter().take(100).map(|(path, value)| (path.clone(), text(value))).collect();
    }
    let hash = |number: usize| BlobHash::from_bytes([u8::try_from(number).unwrap_or(u8::MAX); 32]);
    let file = |(number, (path, text)): (usize, &(String, Vec<u8>))| {
        (path.clone(), FileRef { hash: hash(number), bytes: text.len() as u64 })
    };
    let files: Files = texts.iter().enumerate().map(file).collect();
    let contents = texts.iter().enumerate().map(|(number, (_, text))| (hash(number), text.clone())).collect();
    let options = Options { legacy: true, standing: &|_| Standing::Bound };
    let compiled = agent::compile(hash(200), &files, &contents, &options);
    match &compiled {
        Compiled::Wrong(problems) => assert!(!problems.is_empty(), "wrong without a reason"),
        Compiled::Needs(needed) => panic!("asks for what was given: {needed:?}"),
        Compiled::Ready(_) => {}
    }
    assert_eq!(agent::compile(hash(200), &files, &contents, &options), compiled, "another result the second time");
}

/// A model's extraction answer, given twice, as by a model that ignores the retry.
pub(super) fn extracted(bytes: &[u8]) {
    let answer = String::from_utf8_lossy(bytes);
    let Some(brand) = shipped_kind("brand") else { return };
    let material = Material { text: "Acme. Ropes that hold. Plain and warm.".to_owned(), name: None };
    let first = Extraction::start(brand, &material).answered(&answer);
    let Extraction::Done(values) = first.answered(&answer) else { return };
    for value in &values.fields {
        let known = field(brand, &value.field).unwrap_or_else(|| panic!("{} is not a field", value.field));
        assert_eq!(check_value(&known, &value.value), Ok(()), "{}", value.field);
        assert!(value.confidence.is_none_or(|sure| (0.0..=1.0).contains(&sure)), "{:?}", value.confidence);
    }
}

/// A model's answer for a context item. Only what the rules permit may be saved.
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

/// A style document: the item that is built from it by rules is valid, and merging it gives the same result twice.
pub(super) fn style(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(input) = Input::text(&text) else { return };
    let made = offline::build(Category::DocumentStyle, &input);
    let hard = validate(Category::DocumentStyle, &made.files).into_iter().filter(|problem| problem.hard);
    assert_eq!(hard.map(|problem| problem.message).collect::<Vec<_>>(), Vec::<String>::new());
    let merged = for_call(&Format::ALL, Some(&made.files));
    assert_eq!(merged, for_call(&Format::ALL, Some(&made.files)), "another result the second time");
    let direct = BTreeMap::from([(
        SKILL_FILE.to_owned(),
        format!("---\nname: document-style\ndescription: x\n---\n\n{text}\n"),
    )]);
    assert_eq!(for_call(&Format::ALL, Some(&direct)), for_call(&Format::ALL, Some(&direct)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{find, kept};

    /// Mutations only get past the first check if the seeds pass it.
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
