//! Reading an op's fields: wrong ones are errors with their place, unknown ones warnings.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{EditError, nearest};

/// One op as it was given.
#[derive(Debug, Clone)]
pub struct OpInput {
    /// Its position in the list.
    pub index: usize,
    /// Its name.
    pub name: String,
    fields: Value,
}

/// Checks a list of ops as far as that needs no file: each must be an object with a known `op`.
pub fn op_inputs(ops: &Value, known: &[&str]) -> Result<Vec<OpInput>, EditError> {
    let list = ops.as_array().ok_or_else(|| EditError::new("ops", "a list of ops is needed"))?;
    list.iter().enumerate().map(|(index, op)| OpInput::new(index, op, known)).collect()
}

impl OpInput {
    fn new(index: usize, op: &Value, known: &[&str]) -> Result<Self, EditError> {
        let at = format!("ops[{index}]");
        let object = op.as_object().ok_or_else(|| EditError::new(&at, "an op is an object with a field `op`"))?;
        let name = match object.get("op") {
            Some(Value::String(name)) => name.clone(),
            Some(_) => return Err(EditError::new(format!("{at}.op"), "the name of an op is a text")),
            None => {
                return Err(EditError::new(format!("{at}.op"), "missing: the name of the op").suggest(known.to_vec()));
            }
        };
        if !known.contains(&name.as_str()) {
            let why = format!("there is no op `{name}`; known are {}", known.join(", "));
            return Err(EditError::new(format!("{at}.op"), why).suggest(nearest(&name, known.iter().copied())));
        }
        let mut fields = object.clone();
        fields.remove("op");
        let mut fields = Value::Object(fields);
        drop_nulls(&mut fields);
        Ok(Self { index, name, fields })
    }

    /// The place of a field for messages.
    pub fn at(&self, field: &str) -> String {
        if field.is_empty() { format!("ops[{}]", self.index) } else { format!("ops[{}].{field}", self.index) }
    }

    /// An error at a field of this op.
    pub fn error(&self, field: &str, why: impl Into<String>) -> EditError {
        EditError::new(self.at(field), why)
    }

    /// The op's fields as a type. Unknown fields, also deep inside, become warnings.
    pub fn parse<T: DeserializeOwned>(&self, warnings: &mut Vec<String>) -> Result<T, EditError> {
        let mut track = serde_path_to_error::Track::new();
        let mut unknown = Vec::new();
        let mut note = |path: serde_ignored::Path<'_>| unknown.push(path.to_string());
        let deserializer = serde_path_to_error::Deserializer::new(&self.fields, &mut track);
        let parsed = serde_ignored::deserialize(deserializer, &mut note);
        let parsed = parsed.map_err(|error: serde_json::Error| {
            let path = track.path().to_string();
            let path = if path == "." { "" } else { &path };
            self.error(path, error.to_string())
        })?;
        for path in unknown {
            warnings.push(format!("{}: unknown field, skipped", self.at(&bracketed(&path))));
        }
        Ok(parsed)
    }
}

/// A path as errors write it: `cells[0].style` for `cells.0.?.style`.
fn bracketed(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for step in path.split('.').filter(|step| *step != "?") {
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(&format!("[{step}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(step);
        }
    }
    out
}

/// A field that is null was not given: clients with strict schemas send every field.
/// In lists a null is a value (a blank cell).
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
