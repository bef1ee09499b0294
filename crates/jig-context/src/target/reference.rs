//! Parses `@artifact#section`, `#section` and `/artifact section`. Names in references are taken literally: for one
//! that does not exist, similar names are suggested but never assumed.

use std::ops::Range;

use super::catalog::{Catalog, Owner};
use super::outcome::{Match, Resolution};
use super::say;
use super::spans::chunks;
use super::words::name_words;
use crate::document::nearest;

/// The meaning of a reference.
pub(super) enum Meaning {
    /// The targets; several if the name is ambiguous.
    Owners(Vec<Owner>),
    /// Nothing exists under this name.
    Missing(Resolution),
}

/// The meaning of the reference or command at the start of a message, if it starts with one.
pub(super) fn leading(text: &str, catalog: &Catalog, current: Option<usize>) -> Option<Resolution> {
    let trimmed = text.trim_start();
    match trimmed.chars().next()? {
        '/' => command(trimmed, catalog),
        '@' | '#' => at_start(trimmed, catalog, current),
        _ => None,
    }
}

fn at_start(text: &str, catalog: &Catalog, current: Option<usize>) -> Option<Resolution> {
    let mut parts = chunks(text);
    let first = parts.next()?;
    // `# Heading` is Markdown and `#1` is a ticket.
    let name = reference_in(text, &first);
    if text.starts_with('#') && !name[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let owners = match read(name, catalog, current)? {
        Meaning::Missing(resolution) => return Some(resolution),
        Meaning::Owners(owners) => owners,
    };
    let mut all = vec![owners];
    let mut rest = first.end;
    // `@a @b` and `#a and #b`: further references at the start are equal to the first.
    for chunk in parts {
        let word = reference_in(text, &chunk);
        if word.starts_with(['@', '#'])
            && let Some(Meaning::Owners(owners)) = read(word, catalog, current)
        {
            all.push(owners);
        } else if !matches!(word, "and" | "," | "&" | "+") {
            break;
        }
        rest = chunk.end;
    }
    if all.len() == 1 {
        rest = first.end;
    }
    Some(say::all(catalog, current, &all, Match::Reference, text.get(rest..).unwrap_or_default().trim()))
}

/// The reference in a span, without trailing punctuation.
pub(super) fn reference_in<'a>(text: &'a str, chunk: &Range<usize>) -> &'a str {
    let word = text.get(chunk.clone()).unwrap_or_default();
    word.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"', '\'', '、', '。', '，'])
}

/// The meaning of a reference; `None` if the text is not one.
pub(super) fn read(reference: &str, catalog: &Catalog, current: Option<usize>) -> Option<Meaning> {
    let (documents, part) = if let Some(part) = reference.strip_prefix('#') {
        let Some(current) = current else { return Some(Meaning::Missing(say::no_current(part))) };
        (vec![current], Some(part))
    } else {
        let (document, part) = match reference.strip_prefix('@')?.split_once('#') {
            Some((document, part)) => (document, Some(part)),
            None => (reference.strip_prefix('@')?, None),
        };
        let found = catalog.by_name(document);
        if found.is_empty() {
            return Some(Meaning::Missing(say::no_document(catalog, document)));
        }
        (found, part)
    };
    Some(of_documents(catalog, &documents, part))
}

fn of_documents(catalog: &Catalog, documents: &[usize], part: Option<&str>) -> Meaning {
    let Some(part) = part else {
        return Meaning::Owners(documents.iter().map(|number| Owner { document: *number, part: None }).collect());
    };
    let owners: Vec<Owner> = documents.iter().flat_map(|number| catalog.parts_by_name(*number, part)).collect();
    match (owners.is_empty(), documents) {
        (false, _) => Meaning::Owners(owners),
        (true, [first, ..]) => Meaning::Missing(say::no_part(catalog, *first, part)),
        (true, []) => Meaning::Missing(say::nothing()),
    }
}

/// The slash command at the start of a message, if the client has it. It takes precedence over an artifact with the
/// same name.
pub(super) fn slash_command(text: &str, commands: &[String]) -> Option<Resolution> {
    let text = text.trim_start();
    let first = chunks(text).next()?;
    let name = reference_in(text, &first).strip_prefix('/')?;
    let plain = |command: &String| jig_contract::fold_case(command.trim_start_matches('/'));
    let known = commands.iter().any(|command| plain(command) == jig_contract::fold_case(name));
    let rest = text.get(first.end..).unwrap_or_default().trim().to_owned();
    known.then(|| Resolution::Command { name: name.to_owned(), rest })
}

/// Parses `/artifact section rest`.
fn command(text: &str, catalog: &Catalog) -> Option<Resolution> {
    let first = chunks(text).next()?;
    let name = reference_in(text, &first).strip_prefix('/')?;
    let rest = text.get(first.end..).unwrap_or_default().trim_start();
    if name.contains('/') {
        return None;
    }
    let documents = catalog.by_name(name);
    if documents.is_empty() {
        return Some(say::no_document(catalog, name));
    }
    if rest.is_empty() {
        let owners = documents.iter().map(|number| Owner { document: *number, part: None }).collect();
        return Some(say::all(catalog, None, &[owners], Match::Reference, ""));
    }
    let (owners, rest) = section_of(catalog, &documents, rest);
    if owners.is_empty() {
        let word = chunks(rest).next().map(|chunk| reference_in(rest, &chunk)).unwrap_or_default();
        return documents.first().map(|document| say::no_part(catalog, *document, word));
    }
    Some(say::all(catalog, None, &[owners], Match::Reference, rest.trim()))
}

/// The section at the start of a text, by slug or title, and the text after it.
fn section_of<'a>(catalog: &Catalog, documents: &[usize], text: &'a str) -> (Vec<Owner>, &'a str) {
    let all: Vec<Range<usize>> = chunks(text).take(super::catalog::WORDS_MAX).collect();
    let first = all.first().map(|chunk| reference_in(text, chunk)).unwrap_or_default();
    let slug: Vec<Owner> = documents.iter().flat_map(|number| catalog.parts_by_name(*number, first)).collect();
    if !slug.is_empty() {
        return (slug, all.first().and_then(|chunk| text.get(chunk.end..)).unwrap_or_default());
    }
    for end in all.iter().rev().map(|chunk| chunk.end) {
        let typed: Vec<String> = spelled(text.get(..end).unwrap_or_default());
        let mut owners = Vec::new();
        for number in documents {
            let parts = catalog.document(*number).map_or(&[][..], |document| &document.parts);
            let fitting = parts.iter().enumerate().filter(|(_, part)| spelled(&part.title) == typed);
            owners.extend(fitting.map(|(place, _)| Owner { document: *number, part: Some(place) }));
        }
        if !owners.is_empty() && !typed.is_empty() {
            return (owners, text.get(end..).unwrap_or_default());
        }
    }
    (Vec::new(), text)
}

fn spelled(name: &str) -> Vec<String> {
    name_words(name).into_iter().map(|word| word.exact).collect()
}

/// The parts of a document with names similar to an unknown one.
pub(super) fn nearest_parts(catalog: &Catalog, document: usize, wanted: &str) -> Vec<Owner> {
    let parts = catalog.document(document).map_or(&[][..], |document| &document.parts);
    let near = nearest(wanted, parts.iter().map(|part| part.slug.as_str()));
    let place = |slug: &String| parts.iter().position(|part| part.slug == *slug);
    near.iter().filter_map(place).map(|place| Owner { document, part: Some(place) }).collect()
}
