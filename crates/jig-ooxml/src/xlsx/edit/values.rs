//! Values of cells as ops give them, checked and converted.

use std::sync::Arc;

use serde_json::Value;

use crate::edit::EditError;
use crate::xlsx::formula::{FormulaText, Outside, ParsedFormula, prefixes, validate};
use crate::xlsx::serial_date::{DateSystem, serial_of_input};
use crate::xml::strip_illegal;

/// The new content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NewValue {
    /// Nothing; the format stays.
    Blank,
    /// A number.
    Number(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(String),
    /// A date as its number.
    Date {
        /// Days, with the time as a fraction.
        serial: f64,
        /// Whether a time was given.
        time: bool,
    },
    /// A formula without `=`, as files store it, with its tokens.
    Formula(Arc<ParsedFormula>),
}

/// Settings for reading values of ops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// From when dates count.
    pub(super) dates: DateSystem,
    /// Whether formulas may have external access.
    pub(super) allow_outside: bool,
}

/// The most characters of a text, and of a formula.
const MOST_TEXT: usize = 32_767;
const MOST_FORMULA: usize = 8_192;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Bool,
    Date,
    Formula,
    Blank,
}

/// Reads a value with the type that was given for it, if any.
pub(super) fn read(
    value: Option<&Value>,
    kind: Option<&str>,
    at: &str,
    rules: Rules,
    warnings: &mut Vec<String>,
) -> Result<NewValue, EditError> {
    let kind = kind.map(|kind| kind_of(kind, &format!("{at}.type"))).transpose()?;
    let value = match value {
        None | Some(Value::Null) => return Ok(NewValue::Blank),
        // An empty text means a blank cell: a stored empty text would count as a value in formulas.
        Some(Value::String(text)) if text.is_empty() => return Ok(NewValue::Blank),
        Some(value) => value,
    };
    match kind {
        None => untyped(value, at, rules, warnings),
        // `type` and `value` contradict each other; the value is more likely to be intended.
        Some(Kind::Blank) => {
            warnings.push(format!("{at}.type: `blank` is skipped, since a value is given"));
            untyped(value, &format!("{at}.value"), rules, warnings)
        }
        Some(Kind::Text) => text(&plain(value, at)?, at, warnings),
        Some(Kind::Number) => number(value, at),
        Some(Kind::Bool) => boolean(value, at),
        Some(Kind::Date) => date(value, at, rules),
        Some(Kind::Formula) => match value {
            Value::String(given) => formula(given, at, rules, warnings),
            _ => Err(EditError::new(at, "a formula is a text such as `=SUM(A1:A3)`")),
        },
    }
}

/// The type that an op names.
fn kind_of(kind: &str, at: &str) -> Result<Kind, EditError> {
    Ok(match kind {
        "string" => Kind::Text,
        "number" => Kind::Number,
        "boolean" => Kind::Bool,
        "date" => Kind::Date,
        "formula" => Kind::Formula,
        "blank" => Kind::Blank,
        _ => return Err(EditError::new(at, format!("unknown type `{kind}`"))),
    })
}

fn untyped(value: &Value, at: &str, rules: Rules, warnings: &mut Vec<String>) -> Result<NewValue, EditError> {
    match value {
        Value::Null => Ok(NewValue::Blank),
        Value::Bool(flag) => Ok(NewValue::Bool(*flag)),
        Value::Number(_) => number(value, at),
        Value::String(given) if given.len() > 1 && given.starts_with('=') => formula(given, at, rules, warnings),
        Value::String(given) => text(given, at, warnings),
        Value::Array(_) | Value::Object(_) => {
            Err(EditError::new(at, "a cell holds a text, a number, true or false, or null"))
        }
    }
}

/// A value as text.
fn plain(value: &Value, at: &str) -> Result<String, EditError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(if *flag { "TRUE" } else { "FALSE" }.to_owned()),
        _ => Err(EditError::new(at, "a text is needed")),
    }
}

fn text(given: &str, at: &str, warnings: &mut Vec<String>) -> Result<NewValue, EditError> {
    let (clean, stripped) = strip_illegal(given);
    if stripped > 0 {
        warnings.push(format!("{at}: {stripped} control character(s) that a file cannot hold were left out"));
    }
    let length = clean.encode_utf16().count();
    if length > MOST_TEXT {
        return Err(EditError::new(at, format!("the text has {length} characters; a cell holds {MOST_TEXT}")));
    }
    Ok(NewValue::Text(clean.into_owned()))
}

fn number(value: &Value, at: &str) -> Result<NewValue, EditError> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(NewValue::Number(number)),
        None => Err(EditError::new(at, "a number is needed, such as 12.5")),
    }
}

fn boolean(value: &Value, at: &str) -> Result<NewValue, EditError> {
    let flag = match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64() {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        },
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    };
    flag.map(NewValue::Bool).ok_or_else(|| EditError::new(at, "true or false is needed"))
}

fn date(value: &Value, at: &str, rules: Rules) -> Result<NewValue, EditError> {
    let first = if rules.dates == DateSystem::From1904 { 1904 } else { 1900 };
    let wrong = || EditError::new(at, format!("a date is written 2024-01-05 or 2024-01-05T10:30:00, from {first} on"));
    match value {
        Value::Number(number) => {
            let serial = number.as_f64().filter(|serial| (0.0..2_958_466.0).contains(serial)).ok_or_else(wrong)?;
            Ok(NewValue::Date { serial, time: serial.fract() != 0.0 })
        }
        Value::String(text) => {
            let (serial, time) = serial_of_input(text.trim(), rules.dates).ok_or_else(wrong)?;
            Ok(NewValue::Date { serial, time })
        }
        _ => Err(wrong()),
    }
}

fn formula(given: &str, at: &str, rules: Rules, warnings: &mut Vec<String>) -> Result<NewValue, EditError> {
    let (clean, stripped) = strip_illegal(given);
    if stripped > 0 {
        warnings.push(format!("{at}: {stripped} control character(s) that a file cannot hold were left out"));
    }
    let body = clean.trim();
    let body = body.strip_prefix('=').unwrap_or(body).trim();
    if body.is_empty() {
        return Err(EditError::new(at, "the formula is empty"));
    }
    let parsed = ParsedFormula::parse(body);
    if !rules.allow_outside
        && let Some(outside) = parsed.dependencies().outside.first()
    {
        let what = match outside {
            Outside::Function(name) => format!("calls {name}"),
            Outside::Workbook(book) => format!("reads another workbook ({book})"),
            Outside::Dde => "talks to another program".to_owned(),
        };
        let why = format!("the formula {what}; formulas that reach outside the workbook are not allowed");
        return Err(EditError::new(at, why));
    }
    validate(&parsed).map_err(|error| EditError::new(at, error.to_string()))?;
    let stored = prefixes::add(&parsed);
    if stored.encode_utf16().count() > MOST_FORMULA {
        return Err(EditError::new(at, format!("the formula is longer than {MOST_FORMULA} characters")));
    }
    let formula = if stored == parsed.text() { parsed } else { ParsedFormula::parse(stored) };
    Ok(NewValue::Formula(Arc::new(formula)))
}

/// A number as files hold it.
pub(super) fn number_text(number: f64) -> String {
    let plain = number.to_string();
    // Rust writes 1e300 with all its zeros.
    if plain.len() > 24 { format!("{number:E}") } else { plain }
}
