//! Mutates JSON while keeping it valid: values, fields and lists.

use serde_json::{Map, Value, json};

use super::rng::Rng;

/// Field names of operations.
const FIELDS: &[&str] = &[
    "sheet",
    "cells",
    "cell",
    "value",
    "type",
    "style",
    "start",
    "values",
    "columns",
    "column",
    "width",
    "rows",
    "row",
    "height",
    "count",
    "range",
    "format",
    "name",
    "source_sheets",
    "category_col",
    "amount_col",
    "unmerge",
    "text",
    "runs",
    "paragraphs",
    "search",
    "replace",
    "match_case",
    "track_changes",
    "section",
    "heading",
    "after_index",
    "before_index",
    "after_heading",
    "table",
    "col",
    "data_base64",
    "path",
    "index",
    "layout",
    "title",
    "body",
    "title_runs",
    "body_runs",
    "bullets",
    "to",
    "from",
    "placeholder",
    "alignment",
    "line_spacing",
    "space_before",
    "indent_left",
    "font_size",
    "font_color",
    "fill_color",
    "number_format",
    "border_top",
    "level",
    "left",
    "top",
    "header",
    "max_tokens",
    "cursor",
    "view",
];

const TEXTS: &[&str] = &[
    "",
    "A1",
    "XFD1048576",
    "A1:C3",
    "A1:XFD1048576",
    "B:B",
    "2:2",
    "$A$1",
    "=SUM(A1:B2)",
    "=A1",
    "={1,2}",
    "=Sheet1!A1+1",
    "=[1]S!A1",
    "=WEBSERVICE(\"x\")",
    "Data",
    "Sheet1",
    "It's",
    "\u{1}<&>\"'",
    "a\nb\tc",
    "]]>",
    "é\u{301}😀",
    "\u{202e}",
    "#12345678",
    "#abc",
    "red",
    "yyyy-mm-dd",
    "0.00%",
    "2024-02-29",
    "true",
    "rId1",
    "image:0:0->0",
    "cell_style:A!A1->A!B2",
    "one",
    "the",
    " ",
    "string",
    "number",
    "boolean",
    "date",
    "formula",
    "blank",
    "center",
    "Heading 1",
    "title_and_content",
    "1e999",
    "-0",
    "NaN",
    "0x10",
];

/// A mutation of the input, sometimes with parts of a donor. Invalid JSON is replaced.
pub(super) fn mutate(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(input).unwrap_or_else(|_| json!([]));
    let donor: Value = serde_json::from_slice(donor).unwrap_or(Value::Null);
    for _ in 0..1 + rng.below(3) {
        let steps = rng.below(6);
        change(walk(&mut value, steps, rng), &donor, rng);
    }
    serde_json::to_vec(&value).unwrap_or_default()
}

/// A nested value, at most this many levels down.
fn walk<'a>(value: &'a mut Value, steps: usize, rng: &mut Rng) -> &'a mut Value {
    let inside = match &*value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    if steps == 0 || inside == 0 {
        return value;
    }
    let at = rng.below(inside);
    let next = match value {
        Value::Array(items) => items.get_mut(at),
        Value::Object(fields) => fields.values_mut().nth(at),
        _ => None,
    };
    // `inside` is not 0, so one exists.
    walk(next.expect("a value inside"), steps - 1, rng)
}

fn change(value: &mut Value, donor: &Value, rng: &mut Rng) {
    match value {
        Value::Array(items) if !rng.one_in(6) => list(items, donor, rng),
        Value::Object(fields) if !rng.one_in(6) => object(fields, donor, rng),
        _ => *value = leaf(donor, rng),
    }
}

fn list(items: &mut Vec<Value>, donor: &Value, rng: &mut Rng) {
    let at = rng.below(items.len() + 1);
    match rng.below(4) {
        0 if at < items.len() => drop(items.remove(at)),
        1 if at < items.len() => items.insert(at, items[at].clone()),
        2 => {
            let with = rng.below(items.len());
            if at < items.len() {
                items.swap(at, with);
            }
        }
        _ => items.insert(at, leaf(donor, rng)),
    }
}

fn object(fields: &mut Map<String, Value>, donor: &Value, rng: &mut Rng) {
    let known: Vec<String> = fields.keys().cloned().collect();
    let some = rng.pick(&known).cloned().unwrap_or_default();
    let field = rng.pick(FIELDS).copied().unwrap_or_default();
    match rng.below(4) {
        0 => drop(fields.remove(&some)),
        1 => drop(fields.insert(some, leaf(donor, rng))),
        2 => {
            if let Some(value) = fields.remove(&some) {
                fields.insert(field.to_owned(), value);
            }
        }
        _ => drop(fields.insert(field.to_owned(), leaf(donor, rng))),
    }
}

fn leaf(donor: &Value, rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => Value::Null,
        1 => json!(rng.one_in(2)),
        2..=4 => number(rng),
        5 => {
            let (steps, mut copy) = (rng.below(5), donor.clone());
            walk(&mut copy, steps, rng).clone()
        }
        6 => json!([rng.pick(TEXTS), number(rng)]),
        7 => json!("x".repeat(rng.below(40_000))),
        _ => json!(rng.pick(TEXTS)),
    }
}

fn number(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => json!(-1),
        1 => json!(1_048_576),
        2 => json!(u64::MAX),
        3 => json!(f64::MAX),
        4 => json!(-1.5),
        5 => json!(4_294_967_296_i64),
        _ => json!(rng.below(12)),
    }
}
