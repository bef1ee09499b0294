//! Extraction without a model: values are found by their labels only.
//!
//! Deterministic. Each value comes with the passage it was taken from.

use jig_contract::ops::{FieldDefinition, FieldType, KindDefinition, ProposalState, ProposedField};
use serde_json::{Number, Value};

use super::extractable;
use super::label::{Fit, field_of};
use super::machine::Extracted;
use super::quote::shortened;
use super::rules::{How, Said, Takes, said};
use crate::entry::check_value;

/// The warning about such values.
pub const OFFLINE_WARNING: &str = "found by labels, without a model: what stands under no label was not looked at";

/// Extracts values of a kind's fields from a text by their labels.
pub fn by_rules(kind: &KindDefinition, text: &str) -> Extracted {
    let fields = extractable(kind);
    let known = |label: &str| {
        let (field, _) = field_of(kind, &fields, label)?;
        Some(if field.field_type == FieldType::Longtext { Takes::Paragraph } else { Takes::Line })
    };
    let mut found: Vec<(Fit, ProposedField)> = Vec::new();
    let mut warnings = vec![OFFLINE_WARNING.to_owned()];
    for said in said(text, &known) {
        let Some((field, fit)) = field_of(kind, &fields, said.label) else { continue };
        match value(field, &said) {
            Ok(value) => take(&mut found, &mut warnings, fit, proposed(field, fit, &said, value)),
            Err(message) => warnings.push(format!("left out: `{}`: {message}", field.key)),
        }
    }
    if found.is_empty() {
        warnings.push("nothing was found for any field".to_owned());
    }
    let place = |field: &ProposedField| fields.iter().position(|other| other.key == field.field);
    let mut fields: Vec<ProposedField> = found.into_iter().map(|(_, field)| field).collect();
    fields.sort_by_key(place);
    Extracted { fields, warnings, repaired: false }
}

/// Keeps the better match, or the first of two equal ones. A discarded value is reported.
fn take(found: &mut Vec<(Fit, ProposedField)>, warnings: &mut Vec<String>, fit: Fit, new: ProposedField) {
    let Some(at) = found.iter().position(|(_, old)| old.field == new.field) else {
        found.push((fit, new));
        return;
    };
    if found[at].1.value != new.value {
        warnings.push(format!("`{}` is said more than once; look at the quote", new.field));
    }
    if fit < found[at].0 {
        found[at] = (fit, new);
    }
}

fn proposed(field: &FieldDefinition, fit: Fit, said: &Said<'_>, value: Value) -> ProposedField {
    let by_label = match fit {
        Fit::Exact => 0.9,
        Fit::Near => 0.8,
        Fit::Synonym => 0.6,
    };
    // Splitting a line into a list, and taking text below a label, are guesses with lower confidence.
    let cut = field.field_type == FieldType::Array && !said.is_list;
    let below = said.how == How::Below && !said.is_list;
    let less = if cut || below { 0.1 } else { 0.0 };
    ProposedField {
        field: field.key.clone(),
        value,
        quote: Some(shortened(said.quote)),
        quote_found: Some(true),
        confidence: Some(by_label - less),
        current: None,
        conflict: false,
        state: ProposalState::Pending,
    }
}

fn value(field: &FieldDefinition, said: &Said<'_>) -> Result<Value, String> {
    let value = match field.field_type {
        FieldType::Array => {
            let item = field.item_type.unwrap_or(FieldType::Text);
            let values = pieces(said).into_iter().map(|piece| one(item, field, piece));
            Value::Array(values.collect::<Result<_, String>>()?)
        }
        FieldType::Longtext => Value::String(longtext(said)),
        other => one(other, field, &said.lines.join(" "))?,
    };
    check_value(field, &value)?;
    Ok(value)
}

fn longtext(said: &Said<'_>) -> String {
    if said.is_list {
        return said.lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n");
    }
    said.lines.join(if said.how == How::Beside { " " } else { "\n" })
}

/// The items of a list, or the parts of a line between semicolons, else commas.
fn pieces<'a>(said: &Said<'a>) -> Vec<&'a str> {
    if said.is_list {
        return said.lines.clone();
    }
    let mark = if said.lines.iter().any(|line| line.contains(';')) { ';' } else { ',' };
    let split = said.lines.iter().flat_map(|line| line.split(mark)).map(str::trim);
    split.filter(|piece| !piece.is_empty()).collect()
}

fn one(one: FieldType, field: &FieldDefinition, text: &str) -> Result<Value, String> {
    let text = text.trim();
    match one {
        FieldType::Number => {
            let digits: String = text.chars().filter(|c| !matches!(c, ' ' | ',' | '_' | '\u{a0}')).collect();
            let number = digits.parse::<i64>().ok().map(Number::from);
            let number = number.or_else(|| digits.parse::<f64>().ok().and_then(Number::from_f64));
            number.map(Value::Number).ok_or_else(|| "not a number".to_owned())
        }
        FieldType::Boolean => match text.to_lowercase().as_str() {
            "yes" | "true" | "y" => Ok(Value::Bool(true)),
            "no" | "false" | "n" => Ok(Value::Bool(false)),
            _ => Err("this is neither yes nor no".to_owned()),
        },
        FieldType::Url => Ok(Value::String(web_address(text))),
        FieldType::Select => {
            let option = field.options.iter().find(|option| option.to_lowercase() == text.to_lowercase());
            Ok(Value::String(option.map_or(text, String::as_str).to_owned()))
        }
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// The first URL in a line, without surrounding `<…>` or `[…](…)`.
fn web_address(text: &str) -> String {
    let start = text.find("https://").or_else(|| text.find("http://")).unwrap_or(0);
    let rest = &text[start..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | ')' | ']' | '"')).unwrap_or(rest.len());
    rest[..end].trim_end_matches([',', ';', '.']).to_owned()
}
