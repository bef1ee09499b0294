//! Ops that are right but for their structure: fields one level too deep, one item in the place of a list, a row and a
//! column in the place of an address. They are understood where only one reading is possible.

use serde_json::{Map, Value};

use super::Strictness;
use super::issue::OpIssue;
use super::normalize::{Normalizer, Path, Subject, as_count, takes};
use super::shape::{Field, Shape};
use super::value_type::ValueType;
use crate::address::{CellRange, split_sheet};
use crate::nearest::squashed;

/// A required field of this name can be read from the addresses of an op.
pub(super) const SHEET: &str = "sheet";
/// The last row of a worksheet.
const MOST_ROW: u64 = 1_048_576;

/// Nothing but blanks, or a list of nothing.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A text of blanks, or pieces of text of which none has any.
pub(super) fn lacks_text(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(pieces) => pieces.iter().all(lacks_text),
        Value::Object(piece) => piece.get("text").is_none_or(lacks_text),
        Value::Null => true,
        _ => false,
    }
}

/// The items of an object from keys to values, such as `{"A1": 5, "B2": 6}`, unless its keys are fields of one item.
pub(super) fn entry_items(item: &Shape, map: &Map<String, Value>) -> Option<Vec<Value>> {
    let entry = item.entry.as_ref().filter(|_| !map.is_empty() && !map.keys().any(|key| takes(item, key)))?;
    let key_type = item.fields.iter().flatten().find(|field| field.name == entry[0])?.shape.value_type;
    let is_key = |key: &String| match key_type {
        Some(ValueType::Address) => {
            split_sheet(key).map_or(key.as_str(), |(_, cells)| cells).parse::<CellRange>().is_ok()
        }
        Some(kind) => kind.read(&Value::String(key.clone())).is_ok(),
        None => true,
    };
    let items = map.iter().map(|(key, value)| entry_item(item, entry, Value::String(key.clone()), value));
    map.keys().all(is_key).then(|| items.collect())
}

/// An item from its key and its value, which may hold further fields of the item.
pub(super) fn entry_item(item: &Shape, [key_field, value_field]: &[String; 2], key: Value, value: &Value) -> Value {
    let mut fields = Map::from_iter([(key_field.clone(), key)]);
    match value.as_object().filter(|inner| !inner.is_empty() && inner.keys().all(|name| takes(item, name))) {
        Some(inner) => fields.extend(inner.clone()),
        None => {
            fields.insert(value_field.clone(), value.clone());
        }
    }
    Value::Object(fields)
}

/// Whether a field of an item is made up of parts of this name.
fn item_part(item: &Shape, key: &str) -> bool {
    let plain = squashed(key);
    let parts = item.fields.iter().flatten().filter_map(|field| field.parts.as_ref());
    parts.flatten().flatten().any(|name| squashed(name) == plain)
}

/// The letters of a column, from 1.
fn column_letters(column: u64) -> String {
    let (mut rest, mut letters) = (column, Vec::new());
    while rest > 0 {
        letters.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or(0)));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

impl Normalizer {
    /// The sheet of an op must be the one in front of its addresses.
    pub(super) fn check_sheet(&self, given: &Value, path: &mut Path) -> Result<(), OpIssue> {
        let (Some(found), Some(given)) = (&self.sheet, given.as_str()) else { return Ok(()) };
        if found.to_lowercase() == given.trim().to_lowercase() {
            return Ok(());
        }
        Err(OpIssue::Invalid {
            at: path.field(SHEET),
            why: format!("`{given}`, but an address names the sheet `{found}`; give one of them"),
            near: Vec::new(),
        })
    }

    /// Fields that were given one level too deep: `{"op": …, "params": {"sheet": …}}`.
    pub(super) fn hoisted(
        &mut self,
        fields: &[Field],
        given: Map<String, Value>,
        path: &mut Path,
    ) -> Map<String, Value> {
        if self.strictness == Strictness::Keep {
            return given;
        }
        let field_of = |key: &str| {
            let plain = squashed(key);
            fields.iter().find(|field| field.answers_to(&plain))
        };
        let holds_fields = |key: &str, value: &Value| {
            let inner = value.as_object().filter(|inner| !inner.is_empty())?;
            // A field of the object itself keeps its value, unless it never takes an object.
            let may_hold = field_of(key).is_none_or(|field| field.hoists);
            let inside = |field: &Field| field.inline && takes(&field.shape, key);
            (may_hold && !fields.iter().any(inside) && inner.keys().all(|name| field_of(name).is_some())).then_some(())
        };
        if !given.iter().any(|(key, value)| holds_fields(key, value).is_some()) {
            return given;
        }
        let mut flat = Map::new();
        let mut inner_fields = Vec::new();
        for (key, value) in given {
            match (holds_fields(&key, &value), value) {
                (Some(()), Value::Object(inner)) => {
                    self.warn(path.field(&key), "its fields are read as fields of the object around it".to_owned());
                    inner_fields.extend(inner);
                }
                (_, value) => {
                    flat.insert(key, value);
                }
            }
        }
        for (key, value) in inner_fields {
            // A second value under the same name is kept apart, so that the two are compared.
            let key = if flat.contains_key(&key) { format!(" {key}") } else { key };
            flat.insert(key, value);
        }
        flat
    }

    /// Finds the place of fields that no field has the name of, where there is only one: parts of an address, the
    /// fields of a single item, a list under another name.
    pub(super) fn place_strays(
        &mut self,
        fields: &[Field],
        found: &mut [Option<(String, Value)>],
        strays: &mut Vec<(String, Value)>,
        beside: &mut Vec<(usize, String, Value)>,
        path: &mut Path,
    ) -> Result<(), OpIssue> {
        strays.retain(|(_, value)| !value.is_null());
        if strays.is_empty() || self.strictness == Strictness::Keep || self.subject == Subject::Replacement {
            return Ok(());
        }
        self.compose(fields, found, strays, path)?;
        let missing = |found: &[Option<(String, Value)>]| {
            let mut lists = fields.iter().zip(found).enumerate().filter_map(|(position, (field, slot))| {
                (field.required && slot.is_none() && field.shape.list.is_some()).then_some((position, field))
            });
            lists.next().filter(|_| lists.next().is_none())
        };
        let Some((position, field)) = missing(found).filter(|_| !strays.is_empty()) else { return Ok(()) };
        let Some(item) = field.shape.list.as_deref() else { return Ok(()) };
        if strays.iter().all(|(key, _)| takes(item, key) || item_part(item, key)) {
            let mut single: Map<String, Value> = strays.drain(..).collect();
            // Formats next to the item's fields belong to the item too.
            beside.retain(|(_, key, value)| {
                let own = takes(item, key);
                if own {
                    single.insert(key.clone(), value.clone());
                }
                !own
            });
            self.warn(path.field(&field.name), "one item, read as a list of one".to_owned());
            let value = Value::Array(vec![Value::Object(single)]);
            return self.put(field, found.get_mut(position), (field.name.clone(), value), path);
        }
        if let [(key, value)] = strays.as_slice()
            && (value.is_array() || value.is_object())
        {
            let mut trial = Self::new(self.strictness, self.subject);
            if path.key(&field.name, |path| trial.value(&field.shape, value.clone(), path)).is_ok() {
                self.warn(path.field(key), format!("read as `{}`", field.name));
                let stray = strays.pop().map(|(_, value)| value).unwrap_or_default();
                return self.put(field, found.get_mut(position), (field.name.clone(), stray), path);
            }
        }
        Ok(())
    }

    /// An address from its column and row, both counted from 1.
    fn compose(
        &mut self,
        fields: &[Field],
        found: &mut [Option<(String, Value)>],
        strays: &mut Vec<(String, Value)>,
        path: &mut Path,
    ) -> Result<(), OpIssue> {
        for (position, field) in fields.iter().enumerate() {
            let Some([columns, rows]) = &field.parts else { continue };
            if found.get(position).is_none_or(Option::is_some) {
                continue;
            }
            let part = |names: &[String]| {
                strays.iter().position(|(key, _)| names.iter().any(|name| squashed(name) == squashed(key)))
            };
            let (Some(column), Some(row)) = (part(columns), part(rows)) else { continue };
            let value = |at: usize| strays.get(at).map(|(_, value)| value.clone()).unwrap_or_default();
            let column_value = ValueType::Column.read(&value(column)).map(|read| read.value.as_u64().unwrap_or(0));
            let row_value = as_count(&value(row)).filter(|row| (1..=MOST_ROW).contains(row));
            let (Ok(column_value), Some(row_value)) = (column_value, row_value) else {
                return Err(OpIssue::Invalid {
                    at: path.field(&field.name),
                    why: "a row and a column are counted from 1; write the cell as an address such as `B2`".to_owned(),
                    near: Vec::new(),
                });
            };
            let address = format!("{}{row_value}", column_letters(column_value));
            self.warn(path.field(&field.name), format!("row {row_value}, column {column_value} read as `{address}`"));
            let (first, second) = (column.max(row), column.min(row));
            strays.remove(first);
            strays.remove(second);
            self.put(field, found.get_mut(position), (field.name.clone(), address.into()), path)?;
        }
        Ok(())
    }
}
