//! Validates values against fields, and files against file fields.

use jig_contract::AssetId;
use jig_contract::ops::{FieldDefinition, FieldType};
use serde_json::Value;

/// The maximum length of a text, in characters.
pub const TEXT_CHARS_MAX: usize = 500;
/// The maximum length of a long text, in characters.
pub const LONGTEXT_CHARS_MAX: usize = 100_000;
/// The maximum number of items of a list.
pub const ARRAY_ITEMS_MAX: usize = 200;
/// The maximum length of a URL, in characters.
pub const URL_CHARS_MAX: usize = 2_048;

const ASSET: &str = "asset://";

/// Checks a value against its field. Values are stored as given, without trimming or conversion.
pub fn check_value(field: &FieldDefinition, value: &Value) -> Result<(), String> {
    match field.field_type {
        FieldType::Array => check_list(field, value),
        one => check_one(one, field, value),
    }
}

fn check_list(field: &FieldDefinition, value: &Value) -> Result<(), String> {
    let Value::Array(values) = value else { return Err(format!("it must be a list, and is {}", what_is(value))) };
    if values.len() > ARRAY_ITEMS_MAX {
        return Err(format!("it has {} values; at most {ARRAY_ITEMS_MAX} are allowed", values.len()));
    }
    let one = field.item_type.unwrap_or(FieldType::Text);
    for (number, value) in values.iter().enumerate() {
        check_one(one, field, value).map_err(|message| format!("value {}: {message}", number + 1))?;
    }
    Ok(())
}

fn check_one(one: FieldType, field: &FieldDefinition, value: &Value) -> Result<(), String> {
    match (one, value) {
        (FieldType::Number, Value::Number(number)) => {
            let finite = number.as_f64().is_some_and(f64::is_finite);
            if finite { Ok(()) } else { Err("it must be a number that can be counted with".to_owned()) }
        }
        (FieldType::Boolean, Value::Bool(_)) => Ok(()),
        (FieldType::Number, _) => Err(format!("it must be a number, and is {}", what_is(value))),
        (FieldType::Boolean, _) => Err(format!("it must be true or false, and is {}", what_is(value))),
        (_, Value::String(text)) => check_text(one, field, text),
        (_, _) => Err(format!("it must be a text, and is {}", what_is(value))),
    }
}

fn check_text(one: FieldType, field: &FieldDefinition, text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err("it holds a NUL character, which no store keeps".to_owned());
    }
    match one {
        FieldType::Longtext => at_most(text, LONGTEXT_CHARS_MAX),
        FieldType::Date if !is_date(text) => Err("it must be a day, as 2026-11-17".to_owned()),
        FieldType::Url => check_url(text),
        FieldType::Select if !field.options.iter().any(|option| option == text) => {
            Err(format!("it must be one of {}", field.options.join(", ")))
        }
        FieldType::Asset if asset_of(text).is_none() => {
            Err("it must name a file as `asset://` and its id, all in lower case".to_owned())
        }
        FieldType::Date | FieldType::Select | FieldType::Asset => Ok(()),
        _ => at_most(text, TEXT_CHARS_MAX),
    }
}

fn at_most(text: &str, most: usize) -> Result<(), String> {
    // The byte length bounds the number of characters, and counting the characters of a very long text is slow.
    let chars = if text.len() <= most { 0 } else { text.chars().count() };
    if chars > most {
        return Err(format!("it has {chars} characters; at most {most} are allowed"));
    }
    Ok(())
}

fn check_url(text: &str) -> Result<(), String> {
    at_most(text, URL_CHARS_MAX)?;
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let start = text.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
    });
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`');
    if host.trim_matches([':', '@', '.']).is_empty() || text.chars().any(odd) {
        return Err("it must be a web address that starts with http:// or https://".to_owned());
    }
    Ok(())
}

/// Whether a text is a valid date in the form `2026-11-17`.
pub fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == text)
}

/// The asset that a text refers to.
pub(super) fn asset_of(text: &str) -> Option<AssetId> {
    AssetId::new(text.strip_prefix(ASSET)?).ok()
}

/// Whether a field accepts a file with this media type and name. The type is detected from the content; the extension
/// counts only if the field lists extensions.
pub fn accepts(field: &FieldDefinition, mime_type: &str, name: &str) -> bool {
    let Some(accept) = &field.accept else { return true };
    let (mime_type, name) = (mime_type.to_ascii_lowercase(), name.to_lowercase());
    accept.split(',').map(|piece| piece.trim().to_lowercase()).any(|piece| {
        if piece.starts_with('.') {
            return name.ends_with(&piece);
        }
        match piece.strip_suffix("/*") {
            Some("*") => true,
            Some(family) => mime_type.split('/').next() == Some(family),
            None => mime_type == piece,
        }
    })
}

const fn what_is(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
