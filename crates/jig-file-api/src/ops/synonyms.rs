//! Ops under names that other tools have for them: `write_cell`, `update_paragraph`, `find_replace`.
//!
//! A name is read as an op when its verb means the same, its nouns are the op's, and the fields that are given are the
//! op's too. Where two ops fit, or none, the name is unknown: nothing is guessed. Ops that replace all content need
//! their own name.

use serde_json::{Map, Value};

use super::normalize::{Normalizer, Path};
use super::shape::Shape;
use super::{OpSet, Strictness, subject_of};

/// Verbs that mean the same. A verb in two lines may mean either.
const VERBS: &[&[&str]] = &[
    &["set", "write", "update", "modify", "edit", "change", "put", "assign", "fill"],
    &["add", "append", "insert", "create", "ensure", "new", "push"],
    &["delete", "remove", "drop"],
    &["replace", "substitute", "update", "modify", "edit", "change"],
    &["duplicate", "copy", "clone"],
    &["move", "reorder"],
];

/// Words that say nothing about what is changed.
const FILLERS: &[&str] = &[
    "text", "string", "str", "find", "and", "search", "all", "in", "value", "formula", "data", "content", "the", "a",
    "by",
];

/// The words of a name, in small letters and without the ending of plurals.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        let starts_word = !c.is_alphanumeric() || (c.is_uppercase() && after_small);
        if starts_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') {
            word.pop();
        }
    }
    words
}

fn is_verb(word: &str) -> bool {
    VERBS.iter().any(|verbs| verbs.contains(&word))
}

fn same_verb(one: &str, other: &str) -> bool {
    one == other || VERBS.iter().any(|verbs| verbs.contains(&one) && verbs.contains(&other))
}

/// How well a name fits an op; none when it does not.
fn fit(name: &[String], op: &[String]) -> Option<usize> {
    let (op_verb, op_nouns) = op.split_first()?;
    let verb = name.iter().find(|word| same_verb(word, op_verb))?;
    let nouns: Vec<&String> = name.iter().filter(|word| !is_verb(word) && !FILLERS.contains(&word.as_str())).collect();
    let shared = nouns.iter().filter(|noun| op_nouns.contains(noun)).count();
    let deletes = same_verb(op_verb, "delete");
    if shared == 0 && (deletes || !nouns.is_empty()) {
        return None;
    }
    // More of the op's own words is a better fit, and so is its own verb.
    let own_verb = usize::from(verb == op_verb) * 5;
    let missing = op_nouns.len().saturating_sub(shared);
    Some(if shared == 0 { own_verb } else { shared * 10 + own_verb + 4_usize.saturating_sub(missing) })
}

/// The op that a name and its fields describe, by position.
pub(super) fn find<T: OpSet>(name: &str, fields: &Map<String, Value>) -> Option<usize> {
    let given = words(name);
    let mut fits: Vec<(usize, usize)> = Vec::new();
    for (position, (spec, shape)) in T::SPECS.iter().zip(&T::shapes().0).enumerate() {
        if shape.replaces_all {
            continue;
        }
        if let Some(score) = fit(&given, &words(spec.name))
            && reads::<T>(position, shape, fields)
        {
            fits.push((score, position));
        }
    }
    fits.sort_unstable_by(|a, b| b.cmp(a));
    match fits.as_slice() {
        [(_, position)] => Some(*position),
        [(best, position), (next, _), ..] if best > next => Some(*position),
        _ => None,
    }
}

/// Whether these are the fields of an op.
fn reads<T: OpSet>(position: usize, shape: &Shape, fields: &Map<String, Value>) -> bool {
    let mut normalizer = Normalizer::new(Strictness::Refuse, subject_of(shape));
    let fields = Value::Object(fields.clone());
    let Ok(normalized) = normalizer.value(shape, fields, &mut Path::new(String::new())) else { return false };
    T::SPECS.get(position).is_some_and(|spec| (spec.parse)(normalized).is_ok())
}

/// Up to three ops that a name may refer to: those with its words, then those that are spelled like it.
pub(super) fn nearest_ops<T: OpSet>(name: &str) -> Vec<String> {
    let given = words(name);
    let mut fits: Vec<(usize, &str)> = T::SPECS
        .iter()
        .zip(&T::shapes().0)
        .filter(|(_, shape)| !shape.replaces_all)
        .filter_map(|(spec, _)| fit(&given, &words(spec.name)).map(|score| (score, spec.name)))
        .collect();
    fits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let mut near: Vec<String> = crate::nearest(name, T::SPECS.iter().map(|spec| spec.name));
    for (_, op) in fits {
        if !near.iter().any(|known| known == op) {
            near.push(op.to_owned());
        }
    }
    near.truncate(3);
    near
}
