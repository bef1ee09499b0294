//! Parses kind definitions and reports every violated rule with its location.

use jig_contract::ops::{FieldDefinition, FieldSchema, FieldType, KindCategory, KindDefinition};
use serde_json::Value;

use super::tier::TIERS;
use crate::definition::{Members, Problem, read};

/// The maximum number of fields of a kind.
pub const FIELDS_MAX: usize = 100;

const OPTIONS_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 64;
const LABEL_CHARS_MAX: usize = 200;
const WORDS_CHARS_MAX: usize = 2_000;
const TTL_HOURS_MAX: u32 = 24 * 366 * 10;

const CATEGORIES: [&str; 3] = ["foundation", "market", "insight"];
const TYPES: [&str; 9] = ["text", "longtext", "number", "boolean", "date", "url", "select", "array", "asset"];

/// Names with a special meaning in addresses or prompts.
const RESERVED: [&str; 9] = [
    "context",
    "artifact",
    "artifacts",
    "company-context",
    "department-context",
    "situation",
    "document-style",
    "item",
    "items",
];

/// Parses a definition given as text or as a value.
pub fn read_kind(given: &Value) -> Result<KindDefinition, Vec<Problem>> {
    let value = read(given).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let kind = kind(&value, &mut problems);
    match kind {
        Some(kind) if problems.is_empty() => Ok(kind),
        _ => Err(problems),
    }
}

fn kind(value: &Value, problems: &mut Vec<Problem>) -> Option<KindDefinition> {
    let mut members = Members::of(value, "", problems)?;
    let anchor_role = members.needed_text("anchor_role", NAME_CHARS_MAX);
    if let Some(rule) = anchor_role.as_deref().and_then(bad_role) {
        members.complain("anchor_role", rule);
    }
    let display_name = members.needed_text("display_name", LABEL_CHARS_MAX);
    let description = members.text("description", WORDS_CHARS_MAX);
    let icon = members.text("icon", NAME_CHARS_MAX);
    let category = category(&mut members);
    let is_singleton = members.flag("is_singleton", true);
    let notes = members.flag("notes", false);
    let schema = members.take("field_schema");
    let version = members.number("version", 1, u32::MAX);
    let ttl_hours = members.number("ttl_hours", 1, TTL_HOURS_MAX);
    let produced_by = members.text("produced_by", NAME_CHARS_MAX);
    let tier = members.word("tier", &TIERS).map(str::to_owned);
    let order = members.number("order", 0, 10_000);
    let place = members.at("field_schema");
    let field_schema = match schema {
        Some(schema) => field_schema(&schema, &place, notes, members.problems()),
        None => {
            members.complain("field_schema", "it is missing: a kind has fields");
            None
        }
    };
    members.end();
    Some(KindDefinition {
        anchor_role: anchor_role?,
        display_name: display_name?,
        description,
        icon,
        category: category?,
        is_singleton,
        field_schema: field_schema?,
        version: version.unwrap_or(1),
        ttl_hours,
        produced_by,
        tier,
        notes,
        order,
    })
}

fn category(members: &mut Members<'_>) -> Option<KindCategory> {
    let there = members.has("category");
    match members.word("category", &CATEGORIES) {
        Some("foundation") => Some(KindCategory::Foundation),
        Some("market") => Some(KindCategory::Market),
        Some(_) => Some(KindCategory::Insight),
        None if there => None,
        None => {
            members.complain("category", format!("it must be one of {}", CATEGORIES.join(", ")));
            None
        }
    }
}

fn field_schema(value: &Value, place: &str, notes: bool, problems: &mut Vec<Problem>) -> Option<FieldSchema> {
    let mut members = Members::of(value, place, problems)?;
    let list = members.list("fields", FIELDS_MAX);
    if list.is_empty() {
        members.complain("fields", "a kind has at least one field");
    }
    let mut fields: Vec<FieldDefinition> = Vec::new();
    for (number, value) in list.iter().enumerate() {
        let place = members.at(&format!("fields[{number}]"));
        let Some(field) = field(value, &place, members.problems()) else { continue };
        let taken = fields.iter().any(|other| other.key == field.key);
        if taken || (notes && field.key == "notes") {
            let why = if taken { "another field has this key" } else { "`notes: true` makes a field of this key" };
            members.problems().push(Problem::new(format!("{place}.key"), why));
        }
        fields.push(field);
    }
    members.end();
    Some(FieldSchema { fields })
}

fn field(value: &Value, place: &str, problems: &mut Vec<Problem>) -> Option<FieldDefinition> {
    let mut members = Members::of(value, place, problems)?;
    let key = members.needed_text("key", NAME_CHARS_MAX);
    if let Some(rule) = key.as_deref().and_then(|key| bad_word(key, is_key_char)) {
        members.complain("key", rule);
    }
    let untyped = !members.has("type");
    let field_type = field_type(&mut members, "type");
    if untyped {
        members.complain("type", format!("it must be one of {}", TYPES.join(", ")));
    }
    let label = members.needed_text("label", LABEL_CHARS_MAX);
    let required = members.flag("required", false);
    let placeholder = members.text("placeholder", WORDS_CHARS_MAX);
    let help = members.text("help", WORDS_CHARS_MAX);
    let accept = members.text("accept", WORDS_CHARS_MAX);
    let item_type = field_type_of_items(&mut members);
    let options = members.texts("options", OPTIONS_MAX);
    let field = field_type.zip(key).zip(label).map(|((field_type, key), label)| FieldDefinition {
        key,
        field_type,
        label,
        required,
        placeholder,
        help,
        accept,
        item_type,
        options,
    });
    if let Some(field) = &field {
        check_together(field, &mut members);
    }
    members.end();
    field
}

fn field_type(members: &mut Members<'_>, name: &'static str) -> Option<FieldType> {
    let word = members.word(name, &TYPES)?;
    serde_json::from_value(Value::String(word.to_owned())).ok()
}

fn field_type_of_items(members: &mut Members<'_>) -> Option<FieldType> {
    let found = field_type(members, "item_type")?;
    if found == FieldType::Array {
        members.complain("item_type", "a list of lists is not possible");
        return None;
    }
    Some(found)
}

/// Checks the combination of a field's properties.
fn check_together(field: &FieldDefinition, members: &mut Members<'_>) {
    let is_list = field.field_type == FieldType::Array;
    let one = if is_list { field.item_type } else { Some(field.field_type) };
    match (is_list, field.item_type) {
        (true, None) => members.complain("item_type", "a list says what its values are, for example `item_type: text`"),
        (false, Some(_)) => members.complain("item_type", "only a list has values: `type: array`"),
        _ => {}
    }
    match (one == Some(FieldType::Select), field.options.is_empty()) {
        (true, true) => members.complain("options", "a choice needs something to choose from"),
        (false, false) => members.complain("options", "only a choice has options: `type: select`"),
        _ => {}
    }
    match &field.accept {
        Some(_) if one != Some(FieldType::Asset) => {
            members.complain("accept", "only a file has it: `type: asset`");
        }
        Some(accept) => {
            for piece in accept.split(',').map(str::trim).filter(|piece| !is_accept(piece)) {
                let message = format!("`{piece}` is neither a media type, as `image/*`, nor an ending, as `.docx`");
                members.complain("accept", message);
            }
        }
        None => {}
    }
}

fn is_accept(piece: &str) -> bool {
    let word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+' | '_'))
    };
    match (piece.strip_prefix('.'), piece.split_once('/')) {
        (Some(ending), None) => word(ending),
        (_, Some((kind, "*"))) => word(kind),
        (_, Some((kind, sort))) => word(kind) && word(sort),
        _ => false,
    }
}

const fn is_key_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

fn bad_role(role: &str) -> Option<String> {
    if RESERVED.contains(&role) {
        return Some(format!("`{role}` means something else already; choose another name"));
    }
    bad_word(role, |c| is_key_char(c) || c == '-')
}

/// Kind and field names are also used as XML element names, file names and JSON keys.
fn bad_word(word: &str, fits: impl Fn(char) -> bool) -> Option<String> {
    let shown = crate::document::shown(word);
    if !word.starts_with(|c: char| c.is_ascii_lowercase()) || !word.chars().all(fits) {
        let rule = "it starts with a lower-case letter and has only those, digits and underscores";
        return Some(format!("`{shown}` is not a valid name: {rule}"));
    }
    word.starts_with("xml").then(|| format!("`{shown}` is not a valid name: XML keeps those that start with `xml`"))
}
