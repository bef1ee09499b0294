//! Parses a model's answer: tolerant about its wrapping, strict about the values.

use jig_contract::ops::FieldDefinition;
use jig_contract::{fold_case, ops::FieldType};
use serde_json::{Map, Value};

use crate::document::{is_filled, nearest, shown};
use crate::entry::check_value;
use crate::item::process::json;

/// The maximum size of an answer, in bytes.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The structure of an answer's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The value, a supporting quote, and the confidence.
    Quoted,
    /// Only the value.
    Plain,
}

/// A value from an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) field: String,
    pub(super) value: Value,
    pub(super) quote: Option<String>,
    pub(super) confidence: Option<f64>,
}

/// The content of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Valid values.
    pub(super) found: Vec<Found>,
    /// Errors of invalid values.
    pub(super) misfits: Vec<String>,
    /// Names that are not fields of the kind.
    pub(super) unknown: Vec<String>,
}

/// Parses an answer, or reports why it cannot be parsed.
pub(super) fn read_answer(fields: &[FieldDefinition], text: &str) -> Result<Answer, String> {
    if text.len() > ANSWER_BYTES_MAX {
        return Err(format!("the answer has {} bytes; at most {ANSWER_BYTES_MAX} are read", text.len()));
    }
    let found = json::find(text);
    let objects: Vec<Map<String, Value>> = found.values.iter().filter_map(|value| members(fields, value)).collect();
    let knows = |object: &&Map<String, Value>| object.keys().any(|name| field_of(fields, name).is_some());
    let Some(object) = objects.iter().rfind(knows).or_else(|| objects.iter().rfind(|object| object.is_empty())) else {
        return Err(match (found.cut_off, objects.is_empty(), found.fault) {
            (Some(_), _, _) => "the answer breaks off in the middle of its JSON; write less".to_owned(),
            (None, false, _) => "the JSON object has none of the fields".to_owned(),
            (None, true, fault) => {
                format!("the answer holds no JSON object{}", fault.map(|why| format!(": {why}")).unwrap_or_default())
            }
        });
    };
    Ok(read_members(fields, object))
}

/// The fields of a value that may be an answer: an object by field, such an object nested in another, or a list of
/// `{"field": …, "value": …}`.
fn members(fields: &[FieldDefinition], value: &Value) -> Option<Map<String, Value>> {
    let from_list = |list: &Vec<Value>| {
        let pair = |entry: &Value| Some((entry.get("field")?.as_str()?.to_owned(), entry.clone()));
        list.iter().map(pair).collect::<Option<Map<String, Value>>>().filter(|map| !map.is_empty())
    };
    match value {
        Value::Array(list) => from_list(list),
        Value::Object(object) => {
            let wrapped = ["fields", "values", "data", "entry"].iter().find_map(|name| {
                if field_of(fields, name).is_some() {
                    return None;
                }
                match object.get(*name)? {
                    Value::Object(inner) => Some(inner.clone()),
                    Value::Array(list) => from_list(list),
                    _ => None,
                }
            });
            Some(wrapped.unwrap_or_else(|| object.clone()))
        }
        _ => None,
    }
}

fn field_of<'a>(fields: &'a [FieldDefinition], name: &str) -> Option<&'a FieldDefinition> {
    let exact = fields.iter().find(|field| field.key == name);
    exact.or_else(|| fields.iter().find(|field| fold_case(&field.key) == fold_case(name)))
}

fn read_members(fields: &[FieldDefinition], object: &Map<String, Value>) -> Answer {
    let mut answer = Answer::default();
    for (name, member) in object {
        let Some(field) = field_of(fields, name) else {
            let meant = nearest(name, fields.iter().map(|field| field.key.as_str()));
            let meant = meant.first().map(|name| format!("; did it mean `{name}`?")).unwrap_or_default();
            answer.unknown.push(format!("`{}` is not a known field{meant}", shown(name)));
            continue;
        };
        let Some(found) = found(field, member) else { continue };
        match check_value(field, &found.value) {
            Ok(()) if answer.found.iter().all(|other| other.field != found.field) => answer.found.push(found),
            Ok(()) => {}
            Err(message) => answer.misfits.push(format!("`{}`: {message}", field.key)),
        }
    }
    let place = |found: &Found| fields.iter().position(|field| field.key == found.field);
    answer.found.sort_by_key(place);
    answer
}

/// The value of a field with its quote; `None` if it is empty.
fn found(field: &FieldDefinition, member: &Value) -> Option<Found> {
    let quoted = member.as_object().filter(|object| object.contains_key("value"));
    let value = quoted.map_or(member, |object| &object["value"]);
    if !is_filled(value) {
        return None;
    }
    // A single value is accepted as a list with one item.
    let lone = field.field_type == FieldType::Array && !value.is_array() && !value.is_object();
    let text = |name: &str| quoted.and_then(|object| object.get(name)?.as_str()).map(str::to_owned);
    Some(Found {
        field: field.key.clone(),
        value: if lone { Value::Array(vec![value.clone()]) } else { value.clone() },
        quote: text("quote").filter(|quote| !quote.trim().is_empty()),
        confidence: quoted.and_then(|object| object.get("confidence")?.as_f64()),
    })
}
