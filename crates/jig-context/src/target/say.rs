//! Builds answers and questions.

use super::catalog::{Catalog, Class, Owner};
use super::outcome::{DocumentHow, How, Match, Missing, Resolution, Target};
use super::reference::nearest_parts;
use crate::document::{nearest, shown};

/// How many choices a question lists.
const CHOICES: usize = 5;
/// How many suggestions a question makes.
const SUGGESTIONS: usize = 3;

/// Combines the meanings of several references: one answer, several, or a question.
pub(super) fn all(
    catalog: &Catalog,
    current: Option<usize>,
    meanings: &[Vec<Owner>],
    by: Match,
    rest: &str,
) -> Resolution {
    if let Some(unclear) = meanings.iter().find(|owners| owners.len() > 1) {
        return ambiguous(catalog, unclear);
    }
    let mut owners: Vec<Owner> = Vec::new();
    for owner in meanings.iter().flatten() {
        if !owners.contains(owner) {
            owners.push(*owner);
        }
    }
    match owners.as_slice() {
        [] => nothing(),
        [owner] => {
            let document = match current {
                Some(current) if rest.is_empty() && current == owner.document && by != Match::Reference => {
                    DocumentHow::Current
                }
                _ => DocumentHow::Explicit,
            };
            found(catalog, *owner, How { document, matched: by, score: by.score() }, rest, &[])
        }
        several => many(catalog, several),
    }
}

pub(super) fn found(catalog: &Catalog, owner: Owner, how: How, rest: &str, others: &[Owner]) -> Resolution {
    let Some(target) = Target::of(catalog, owner) else { return nothing() };
    Resolution::Found { target, rest: rest.to_owned(), how, alternatives: targets(catalog, others, CHOICES) }
}

pub(super) fn many(catalog: &Catalog, owners: &[Owner]) -> Resolution {
    let targets = targets(catalog, owners, usize::MAX);
    let listed: Vec<String> = targets.iter().take(CHOICES).map(place).collect();
    let question = format!("You name {}. Which would you like to update first?", list(&listed, targets.len(), "and"));
    Resolution::Several { targets, question }
}

/// "I found 'Overview' in concept.md and research.md. Which would you like to update?"
pub(super) fn ambiguous(catalog: &Catalog, owners: &[Owner]) -> Resolution {
    let choices = targets(catalog, owners, CHOICES);
    let titles: Vec<&str> =
        choices.iter().filter_map(|one| one.part.as_ref()).map(|part| part.title.as_str()).collect();
    let same = titles.len() == choices.len() && titles.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
    let mut names: Vec<&str> = choices.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let listed = match titles.first() {
        Some(title) if same && names.len() == choices.len() => {
            let places: Vec<String> = choices.iter().map(|one| one.name.clone()).collect();
            format!("'{}' in {}", shown(title), list(&places, owners.len(), "and"))
        }
        // The same title occurs twice in one document, so the slugs are needed to distinguish them.
        Some(title) if same => {
            let places: Vec<String> = choices.iter().map(|one| format!("{} ({})", one.name, one.address())).collect();
            format!("'{}' in {}", shown(title), list(&places, owners.len(), "and"))
        }
        _ => list(&choices.iter().map(place).collect::<Vec<_>>(), owners.len(), "and"),
    };
    let question = format!("I found {listed}. Which would you like to update?");
    Resolution::Ambiguous { question, choices, total: owners.len() }
}

/// "Did you mean 'Problem Being Solved' in concept.md?"
pub(super) fn did_you_mean(catalog: &Catalog, owners: &[Owner]) -> Resolution {
    let suggestions = targets(catalog, owners, SUGGESTIONS);
    if suggestions.is_empty() {
        return nothing();
    }
    let listed: Vec<String> = suggestions.iter().map(place).collect();
    let question = format!("Did you mean {}?", list(&listed, listed.len(), "or"));
    Resolution::DidYouMean { question, suggestions }
}

pub(super) fn nothing() -> Resolution {
    let message = "The message names no artifact, entry or context item, and no part of one".to_owned();
    Resolution::NotFound { missing: Missing::Nothing, message, suggestions: Vec::new() }
}

pub(super) fn no_current(part: &str) -> Resolution {
    let message =
        format!("'#{0}' is a section of the artifact at hand, and none is: write '@artifact#{0}'", shown(part));
    Resolution::NotFound { missing: Missing::Current { part: part.to_owned() }, message, suggestions: Vec::new() }
}

pub(super) fn no_document(catalog: &Catalog, name: &str) -> Resolution {
    let near = nearest(name, catalog.addresses());
    let owners: Vec<Owner> = near
        .iter()
        .filter_map(|address| catalog.at_address(address))
        .map(|document| Owner { document, part: None })
        .collect();
    Resolution::NotFound {
        missing: Missing::Document { name: name.to_owned() },
        message: format!("Artifact '{}' not found", shown(name)),
        suggestions: targets(catalog, &owners, SUGGESTIONS),
    }
}

pub(super) fn no_part(catalog: &Catalog, document: usize, name: &str) -> Resolution {
    let (address, class) =
        catalog.document(document).map_or(("", Class::Artifact), |one| (one.address.as_str(), one.class));
    let (part, whole) = match class {
        Class::Artifact => ("Section", "artifact"),
        Class::Entry => ("Field", "entry"),
        Class::Item => ("File", "context item"),
    };
    Resolution::NotFound {
        missing: Missing::Part { document: address.to_owned(), name: name.to_owned() },
        message: format!("{part} '{}' not found in {whole} '{}'", shown(name), shown(address)),
        suggestions: targets(catalog, &nearest_parts(catalog, document, name), SUGGESTIONS),
    }
}

fn targets(catalog: &Catalog, owners: &[Owner], most: usize) -> Vec<Target> {
    owners.iter().filter_map(|owner| Target::of(catalog, *owner)).take(most).collect()
}

/// A target as part of a sentence.
fn place(target: &Target) -> String {
    match &target.part {
        Some(part) => format!("'{}' in {}", shown(&part.title), shown(&target.name)),
        None => shown(&target.name),
    }
}

/// `a, b and c`, or `a, b and 7 more` if the list is longer than what is shown.
fn list(names: &[String], total: usize, word: &str) -> String {
    let more = total.saturating_sub(names.len());
    match names {
        [] => String::new(),
        all if more > 0 => format!("{} {word} {more} more", all.join(", ")),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
