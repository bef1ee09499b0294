//! Finding a shape of a slide as ops name it: by name, id, address or kind of placeholder.

use serde_json::Value;

use crate::edit::{EditError, MOST_LISTED, OpInput, nearest};
use crate::error::DeckIssue;
use crate::pptx::shape::{Shape, flat};

/// The shape that an op names: by id, or by name, then by address (`3.1`), by id as text, and by the kind of its
/// placeholder.
pub(super) fn find_shape<'s, 't>(
    input: &OpInput,
    field: &str,
    index: usize,
    wanted: &Value,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let all = flat(shapes);
    let by_id = |id: u64| all.iter().find(|shape| shape.id().is_some_and(|found| u64::from(found) == id)).copied();
    let text = match wanted {
        Value::Number(number) => {
            let found = number.as_u64().and_then(by_id);
            return found.ok_or_else(|| missing(input, field, index, &number.to_string(), &all));
        }
        Value::String(text) => text.trim(),
        other => return Err(missing(input, field, index, &other.to_string(), &all)),
    };
    let exact: Vec<_> = all.iter().filter(|shape| shape.name().trim() == text).collect();
    let plain = text.to_lowercase();
    let named = if exact.is_empty() {
        all.iter().filter(|shape| shape.name().trim().to_lowercase() == plain).collect()
    } else {
        exact
    };
    match named.as_slice() {
        [shape] => return Ok(shape),
        [] => {}
        several if !text.is_empty() => {
            let ids: Vec<String> = several.iter().filter_map(|shape| shape.id()).map(|id| id.to_string()).collect();
            let issue = DeckIssue::SameName { index, name: text.to_owned(), ids: ids.clone() };
            return Err(input.error(field, issue).suggest(ids));
        }
        _ => {}
    }
    if text.contains('.')
        && let Some(shape) = all.iter().find(|shape| shape.address() == text)
    {
        return Ok(shape);
    }
    if let Some(shape) = text.parse().ok().and_then(by_id) {
        return Ok(shape);
    }
    by_kind(&plain, &all).ok_or_else(|| missing(input, field, index, text, &all))
}

/// The only placeholder of a kind.
fn by_kind<'s, 't>(kind: &str, all: &[&'s Shape<'t>]) -> Option<&'s Shape<'t>> {
    let is_it = |shape: &&&Shape<'t>| {
        shape.placeholder().is_some_and(|found| match kind {
            "title" => found.is_title(),
            "body" | "content" => found.is_body(),
            "picture" | "image" => found.kind == "pic",
            "subtitle" => found.kind == "subTitle",
            kind => found.kind.to_lowercase() == kind,
        })
    };
    let found: Vec<_> = all.iter().filter(is_it).collect();
    match found.as_slice() {
        [shape] => Some(shape),
        _ => None,
    }
}

fn missing(input: &OpInput, field: &str, index: usize, wanted: &str, all: &[&Shape<'_>]) -> EditError {
    let names: Vec<String> = all.iter().map(|shape| shape.name()).collect();
    let listed = all.iter().zip(&names).take(MOST_LISTED).map(|(shape, name)| match shape.id() {
        Some(id) => format!("{name} (id {id})"),
        None => name.clone(),
    });
    let near = nearest(wanted, names.iter().map(String::as_str));
    let near = if near.is_empty() { names.iter().take(3).cloned().collect() } else { near };
    let issue = DeckIssue::NoShape { index, wanted: wanted.to_owned(), known: listed.collect() };
    input.error(field, issue).suggest(near)
}
