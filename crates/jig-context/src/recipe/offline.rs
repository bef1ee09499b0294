//! Recipe runs without a model: fields are filled from the context by rules.
//!
//! It quotes without interpreting, and reports that. Deterministic.

use jig_contract::ops::{FieldDefinition, FieldType, ProposalState, ProposedField, RecipeDefinition};
use serde_json::Value;

use super::row::Row;
use super::xml::text_of;
use crate::document::is_filled;
use crate::entry::{TEXT_CHARS_MAX, check_value};
use crate::extract::Extracted;

const LIST_MAX: usize = 12;
const LINES_MAX: usize = 40;
const WARNING: &str = "made without a model: the values are quotes from the context, sorted by rules";

/// Values for fields, taken from the rows that a recipe requests.
pub fn by_rules(recipe: &RecipeDefinition, fields: &[FieldDefinition], rows: &[Row]) -> Extracted {
    let said = said(recipe, rows);
    let listed: Vec<&str> = said.iter().filter(|said| said.in_list).map(|said| said.text.as_str()).collect();
    let lines: Vec<String> = said.iter().map(|said| format!("{}: {}", said.label, said.text)).take(LINES_MAX).collect();
    let fits =
        |field: &FieldDefinition| value(field, &listed, &lines).filter(|value| check_value(field, value).is_ok());
    let proposed = |field: &FieldDefinition| {
        Some(ProposedField {
            field: field.key.clone(),
            value: fits(field)?,
            quote: None,
            quote_found: None,
            confidence: Some(0.2),
            current: None,
            conflict: false,
            state: ProposalState::Pending,
        })
    };
    Extracted {
        fields: fields.iter().filter_map(proposed).collect(),
        warnings: vec![WARNING.to_owned()],
        repaired: false,
    }
}

struct Said {
    label: String,
    text: String,
    in_list: bool,
}

/// All labelled values of the context, piece by piece.
fn said(recipe: &RecipeDefinition, rows: &[Row]) -> Vec<Said> {
    let mut found = Vec::new();
    for requirement in &recipe.context_requirements.entries {
        for row in rows.iter().filter(|row| row.role == requirement.role) {
            let asked = |name: &String| requirement.fields.is_empty() || requirement.fields.contains(name);
            for (name, value) in row.data.iter().filter(|(name, value)| asked(name) && is_filled(value)) {
                let label = match row.entry_key.as_str() {
                    "" => format!("{} {name}", row.role),
                    key => format!("{} {key} {name}", row.role),
                };
                let piece = |value, in_list| Said { label: label.clone(), text: text_of(value), in_list };
                match value {
                    Value::Array(list) => {
                        let said = list.iter().filter(|one| is_filled(one));
                        found.extend(said.map(|one| piece(one, true)));
                    }
                    value => found.push(piece(value, false)),
                }
            }
        }
    }
    found
}

fn value(field: &FieldDefinition, listed: &[&str], lines: &[String]) -> Option<Value> {
    let text = |text: &str| Value::String(text.chars().take(TEXT_CHARS_MAX).collect());
    let first_line = |line: &String| line.lines().next().unwrap_or_default().to_owned();
    match (field.field_type, field.item_type) {
        (FieldType::Longtext, _) => (!lines.is_empty()).then(|| Value::String(lines.join("\n"))),
        (FieldType::Text, _) => lines.first().map(|line| text(&first_line(line))),
        (FieldType::Array, Some(FieldType::Text | FieldType::Longtext)) => {
            let values: Vec<Value> = if listed.is_empty() {
                lines.iter().take(LIST_MAX).map(|line| text(&first_line(line))).collect()
            } else {
                listed.iter().take(LIST_MAX).map(|line| text(line)).collect()
            };
            (!values.is_empty()).then_some(Value::Array(values))
        }
        _ => None,
    }
}
