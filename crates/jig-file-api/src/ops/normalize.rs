//! The first pass over an op: every value in the form that its field takes, or an issue that says where it is not.

use std::fmt;

use serde_json::{Map, Number, Value};

use super::Strictness;
use super::issue::{OpIssue, Warning, display_value};
use super::shape::{Field, Refused, Shape};
use super::structure::{SHEET, entry_item, entry_items, is_blank, lacks_text};
use super::value_type::ValueType;
use crate::address::split_sheet;
use crate::nearest::squashed;

/// The most warnings of one op; the rest is counted.
const MOST_WARNINGS: usize = 30;

/// Where a value is: `ops[0].cells[3].style`.
#[derive(Debug)]
pub(super) struct Path {
    start: String,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Path {
    pub(super) fn new(start: String) -> Self {
        Self { start, steps: Vec::new() }
    }

    fn with<T>(&mut self, step: Step, work: impl FnOnce(&mut Self) -> T) -> T {
        self.steps.push(step);
        let outcome = work(self);
        self.steps.pop();
        outcome
    }

    pub(super) fn key<T>(&mut self, key: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(Step::Key(key.to_owned()), work)
    }

    /// Whether it is the call itself, and no op in it.
    fn is_call(&self) -> bool {
        self.start.is_empty() && self.steps.is_empty()
    }

    pub(super) fn field(&mut self, key: &str) -> String {
        self.key(key, |path| path.to_string())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.start)?;
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Key(key) if number == 0 && self.start.is_empty() => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Normalizes one op.
pub(super) struct Normalizer {
    pub(super) strictness: Strictness,
    /// What is normalized.
    pub(super) subject: Subject,
    /// The sheet in front of addresses such as `Budget!B2`.
    pub(super) sheet: Option<String>,
    warnings: Vec<Warning>,
    left_out: usize,
}

/// What is normalized, which decides how much may be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// An op, or parameters of a call that writes.
    Edit,
    /// An op that replaces all content: what is lost by a wrong guess would be all there was.
    Replacement,
    /// An op that deletes or replaces a part, and that the original client does not have.
    Removal,
    /// The parameters of a call that reads tables and writes a file: read like those of a read.
    Export,
    /// The parameters of a read. Nothing can be lost, so counts are clamped and empty values were not given.
    Read,
}

impl Normalizer {
    /// A normalizer. Ops that remove content are strict in every profile.
    pub(super) fn new(strictness: Strictness, subject: Subject) -> Self {
        let strictness = match strictness {
            Strictness::Warn if subject == Subject::Removal => Strictness::Refuse,
            other => other,
        };
        Self { strictness, subject, sheet: None, warnings: Vec::new(), left_out: 0 }
    }

    /// The warnings, with a count of those that are too many.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        if self.left_out > 0 {
            self.warnings.push(Warning::new("", format!("{} more warnings of this kind", self.left_out)));
        }
        self.warnings
    }

    pub(super) fn warn(&mut self, at: String, message: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(Warning { at, message });
        } else {
            self.left_out += 1;
        }
    }

    /// A value in the form that the shape takes.
    pub(super) fn value(&mut self, shape: &Shape, value: Value, path: &mut Path) -> Result<Value, OpIssue> {
        if let Some(value_type) = shape.value_type.filter(|_| !value.is_array() && !value.is_object()) {
            if value_type == ValueType::Address
                && let Some(text) = value.as_str()
            {
                return self.address(text, path).map(Value::String);
            }
            return match value_type.read(&value) {
                Ok(read) => {
                    if let Some(note) = read.note {
                        self.warn(path.to_string(), note);
                    }
                    Ok(read.value)
                }
                Err(near) => Err(OpIssue::Invalid {
                    at: path.to_string(),
                    why: format!("expected {}, got {}", value_type.expected(), display_value(&value)),
                    near,
                }),
            };
        }
        match value {
            Value::Array(items) if shape.list.is_some() => self.list(shape, items, path),
            Value::String(text) if !shape.words.is_empty() => self.word(shape, text, path),
            Value::Object(fields) if shape.fields.is_some() => self.object(shape, fields, path),
            value if shape.any => Ok(value),
            Value::Null if shape.null => Ok(Value::Null),
            Value::Bool(flag) if shape.boolean => Ok(Value::Bool(flag)),
            Value::Number(number) if shape.number || shape.integer => self.number(shape, &Value::Number(number), path),
            Value::String(text) if shape.text => text_within(shape, text, path),
            other => self.coerced(shape, other, path),
        }
    }

    /// One of the words that the shape lists, in any case and with any separators.
    fn word(&mut self, shape: &Shape, text: String, path: &Path) -> Result<Value, OpIssue> {
        if shape.words.contains(&text) {
            return Ok(Value::String(text));
        }
        let plain = squashed(&text);
        if let Some(word) = shape.words.iter().find(|word| squashed(word) == plain) {
            return Ok(Value::String(word.clone()));
        }
        Err(OpIssue::Invalid {
            at: path.to_string(),
            why: format!("expected {}, got {}", shape.expected(), display_value(&Value::String(text.clone()))),
            near: crate::nearest(&text, shape.words.iter().map(String::as_str)),
        })
    }

    /// An address without the sheet in front of it, which is kept for the op.
    fn address(&mut self, text: &str, path: &Path) -> Result<String, OpIssue> {
        let Some((sheet, cell)) = split_sheet(text) else { return Ok(text.trim().to_owned()) };
        let sheet = sheet.into_owned();
        match &self.sheet {
            Some(first) if first.to_lowercase() != sheet.to_lowercase() => Err(OpIssue::Invalid {
                at: path.to_string(),
                why: format!("`{text}` names another sheet than `{first}`; use one op for each sheet"),
                near: Vec::new(),
            }),
            _ => {
                self.sheet = Some(sheet);
                Ok(cell.trim().to_owned())
            }
        }
    }

    /// A value of another type than the shape's, where nothing is lost by taking it as that.
    fn coerced(&mut self, shape: &Shape, value: Value, path: &mut Path) -> Result<Value, OpIssue> {
        if shape.boolean
            && let Some(flag) = as_bool(&value)
        {
            self.warn(path.to_string(), format!("{} read as {flag}", display_value(&value)));
            return Ok(Value::Bool(flag));
        }
        if shape.number || shape.integer {
            let points =
                |text: &str| text.strip_suffix("pt").filter(|_| shape.cosmetic).map_or(text.to_owned(), str::to_owned);
            let number = value.as_str().map(|text| points(text.trim())).and_then(|text| as_number(text.trim()));
            if let Some(number) = number {
                let read = self.number(shape, &number, path)?;
                self.warn(path.to_string(), format!("{} read as the number {read}", display_value(&value)));
                return Ok(read);
            }
        }
        if shape.text {
            let text = match &value {
                Value::Number(number) => Some(number.to_string()),
                Value::Bool(flag) => Some(flag.to_string()),
                Value::Array(lines) if shape.joins => joined(lines),
                _ => None,
            };
            if let Some(text) = text {
                self.warn(path.to_string(), format!("{} read as a text", display_value(&value)));
                return text_within(shape, text, path);
            }
        }
        self.restructured(shape, value, path)
    }

    /// A list or object that is written in another way.
    fn restructured(&mut self, shape: &Shape, value: Value, path: &mut Path) -> Result<Value, OpIssue> {
        let wrong = |value: &Value, path: &Path| OpIssue::WrongType {
            at: path.to_string(),
            expected: shape.expected(),
            found: display_value(value),
        };
        if let (Value::String(text), Some(field)) = (&value, &shape.text_field) {
            let fields = Map::from_iter([(field.clone(), Value::String(text.clone()))]);
            return self.object(shape, fields, path);
        }
        if let Value::String(text) = &value
            && let Ok(inner) = serde_json::from_str::<Value>(text)
            && ((inner.is_array() && shape.list.is_some()) || (inner.is_object() && shape.fields.is_some()))
        {
            self.warn(path.to_string(), "read as JSON from a text".to_owned());
            return self.value(shape, inner, path);
        }
        if let (Value::Object(map), Some(item)) = (&value, &shape.list)
            && entry_items(item, map).is_some()
        {
            return self.list(shape, vec![value], path);
        }
        match &shape.list {
            // A text in the place of all paragraphs is more likely intended for one of them.
            Some(_) if self.subject == Subject::Replacement => Err(wrong(&value, path)),
            // One row of values could be a row or a column, so a list of lists is not guessed.
            Some(item) if !value.is_array() && !value.is_null() && item.list.is_none() && !item.any => {
                if value.is_object() && item.fields.is_none() {
                    return Err(wrong(&value, path));
                }
                self.warn(path.to_string(), "read as a list of one".to_owned());
                self.list(shape, vec![value], path)
            }
            _ => Err(wrong(&value, path)),
        }
    }

    fn number(&mut self, shape: &Shape, value: &Value, path: &mut Path) -> Result<Value, OpIssue> {
        let expected =
            || OpIssue::WrongType { at: path.to_string(), expected: shape.expected(), found: display_value(value) };
        let number = value.as_f64().ok_or_else(expected)?;
        let nearest = number.max(shape.minimum.unwrap_or(number)).min(shape.maximum.unwrap_or(f64::MAX));
        if nearest != number {
            if !shape.clamps {
                return Err(expected());
            }
            self.warn(path.to_string(), format!("{number} is out of range; read as {nearest}"));
            return Ok(if shape.number { Value::from(nearest) } else { Value::from(nearest as i64) });
        }
        if shape.number || value.is_u64() || value.is_i64() {
            return Ok(value.clone());
        }
        // 12.0 is the whole number 12; larger ones are not exact.
        let exact = number.abs() < 9_007_199_254_740_992.0;
        if exact && number.fract() != 0.0 && shape.clamps {
            self.warn(path.to_string(), format!("{number} is not a whole number; read as {}", number.trunc()));
        } else if !exact || number.fract() != 0.0 {
            return Err(expected());
        }
        Ok(Value::Number(Number::from(number as i64)))
    }

    fn list(&mut self, shape: &Shape, items: Vec<Value>, path: &mut Path) -> Result<Value, OpIssue> {
        let Some(item_shape) = &shape.list else { return Ok(Value::Array(items)) };
        let is_scalar = |item: &Value| !item.is_array() && !item.is_object();
        let items = if item_shape.list.is_some() && !items.is_empty() && items.iter().all(is_scalar) {
            if !shape.one_row {
                let why = "expected rows, each a list: `[[1, 2]]` is one row, `[[1], [2]]` is one column";
                return Err(OpIssue::Invalid { at: path.to_string(), why: why.to_owned(), near: Vec::new() });
            }
            self.warn(path.to_string(), "read as one row".to_owned());
            vec![Value::Array(items)]
        } else {
            self.entries_expanded(item_shape, items, path)
        };
        // Values of cells: nothing to look into, and there may be a million of them.
        if item_shape.any
            || item_shape.list.as_ref().is_some_and(|inner| inner.any && items.iter().all(Value::is_array))
        {
            return Ok(Value::Array(items));
        }
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let read = path.with(Step::Index(index), |path| {
                if let Some(refused) = &shape.refused {
                    check_refused(refused, &item, path)?;
                }
                let at = path.to_string();
                let item = match (&item_shape.entry, item) {
                    (Some(entry), Value::Array(pair)) if pair.len() == 2 && item_shape.list.is_none() => {
                        let mut pair = pair.into_iter();
                        let (key, value) = (pair.next().unwrap_or_default(), pair.next().unwrap_or_default());
                        self.warn(at.clone(), format!("read as `{}` and `{}`", entry[0], entry[1]));
                        entry_item(item_shape, entry, key, &value)
                    }
                    (_, item) => item,
                };
                match self.value(item_shape, item, path) {
                    Err(issue) if item_shape.cosmetic && issue.is_about_value() => {
                        self.warn(at, format!("skipped: {issue}"));
                        Ok(None)
                    }
                    other => other.map(Some),
                }
            })?;
            list.extend(read);
        }
        Ok(Value::Array(list))
    }

    /// Items that are written as objects from keys to values: `[{"A1": 5, "B2": 6}]`.
    fn entries_expanded(&mut self, item: &Shape, items: Vec<Value>, path: &Path) -> Vec<Value> {
        let Some([key, value]) = &item.entry else { return items };
        let mut expanded = Vec::with_capacity(items.len());
        let mut is_expanded = false;
        for given in items {
            match given.as_object().and_then(|map| entry_items(item, map)) {
                Some(entries) => {
                    is_expanded = true;
                    expanded.extend(entries);
                }
                None => expanded.push(given),
            }
        }
        if is_expanded {
            self.warn(path.to_string(), format!("read as a list of `{key}` and `{value}`"));
        }
        expanded
    }

    fn object(&mut self, shape: &Shape, given: Map<String, Value>, path: &mut Path) -> Result<Value, OpIssue> {
        let Some(fields) = &shape.fields else { return Ok(Value::Object(given)) };
        // By field: the name it was given under, and its value.
        let mut found: Vec<Option<(String, Value)>> = vec![None; fields.len()];
        let mut kept = Map::new();
        let mut beside: Vec<(usize, String, Value)> = Vec::new();
        let mut strays: Vec<(String, Value)> = Vec::new();
        let given = self.hoisted(fields, given, path);
        for (key, value) in given {
            let Some((position, one_based)) = self.resolve(fields, &key, path) else {
                let inline = fields.iter().position(|field| field.inline && takes(&field.shape, &key));
                match inline {
                    _ if self.strictness == Strictness::Keep => {
                        kept.insert(key, value);
                    }
                    Some(position) => beside.push((position, key, value)),
                    None => strays.push((key, value)),
                }
                continue;
            };
            let Some(field) = fields.get(position) else { continue };
            let value = if one_based { from_one(&value, &mut *path, &key)? } else { value };
            self.put(field, found.get_mut(position), (key, value), path)?;
        }
        self.place_strays(fields, &mut found, &mut strays, &mut beside, path)?;
        for (key, value) in &strays {
            self.unknown(fields, key, value, path)?;
        }
        for (position, key, value) in beside {
            let Some(field) = fields.get(position) else { continue };
            let inner = Value::Object(Map::from_iter([(key.clone(), value)]));
            let inner = path.key(&field.name, |path| self.value(&field.shape, inner, path))?;
            let target =
                found.get_mut(position).map(|slot| slot.get_or_insert_with(|| (field.name.clone(), Map::new().into())));
            if let (Some((_, Value::Object(target))), Value::Object(inner)) = (target, inner) {
                for (name, value) in inner {
                    if target.get(&name).is_some_and(|other| *other != value) {
                        let fields = [key, format!("{}.{name}", field.name)];
                        return Err(OpIssue::Conflict { at: path.to_string(), fields });
                    }
                    target.insert(name, value);
                }
            }
        }
        for (field, slot) in fields.iter().zip(found) {
            match slot {
                Some((_, value)) => {
                    if field.name == SHEET {
                        self.check_sheet(&value, path)?;
                    }
                    kept.insert(field.name.clone(), value);
                }
                None if field.name == SHEET && field.required && self.sheet.is_some() => {
                    let sheet = self.sheet.clone().unwrap_or_default();
                    self.warn(path.field(SHEET), format!("`{sheet}` taken from the addresses"));
                    kept.insert(field.name.clone(), sheet.into());
                }
                None if field.required && self.strictness != Strictness::Keep => {
                    let at = path.field(&field.name);
                    let expected = match field.about.as_str() {
                        "" => field.shape.expected(),
                        about => format!("{about} ({})", field.shape.expected()),
                    };
                    return Err(OpIssue::Missing { at, expected });
                }
                None => {}
            }
        }
        Ok(Value::Object(kept))
    }

    /// Normalizes a field's value and puts it in its slot; a second value must be the same.
    pub(super) fn put(
        &mut self,
        field: &Field,
        slot: Option<&mut Option<(String, Value)>>,
        (key, value): (String, Value),
        path: &mut Path,
    ) -> Result<(), OpIssue> {
        let Some(slot) = slot else { return Ok(()) };
        // A null means that the field was not given: clients with strict schemas send every field.
        if value.is_null() && !field.keeps_null {
            return Ok(());
        }
        // So does an empty text where a name is needed, and any empty value in a read.
        let names = field.shape.value_type.is_some()
            || (matches!(self.subject, Subject::Read | Subject::Export) && !field.keeps_empty);
        if !field.required && names && is_blank(&value) {
            return Ok(());
        }
        if field.keeps_on_empty && is_blank(&value) {
            let why = "is empty, so what is there stays; to remove it, say `clear`";
            self.warn(path.field(&field.name), why.to_owned());
            return Ok(());
        }
        let outcome = if value.is_null() {
            Ok(value)
        } else {
            path.key(&field.name, |path| self.value(&field.shape, value, path))
        };
        let value = match outcome {
            Err(issue) if field.shape.cosmetic && issue.is_about_value() => {
                self.warn(issue.at().to_owned(), format!("skipped: {}", issue.why()));
                return Ok(());
            }
            other => other?,
        };
        if field.keeps_on_empty && lacks_text(&value) {
            let why = "has no text, so it is left out; to remove text that is there, say `clear`";
            self.warn(path.field(&field.name), why.to_owned());
            return Ok(());
        }
        match slot {
            Some((_, first)) if *first == value || value.is_null() => Ok(()),
            Some((_, first)) if first.is_null() => {
                *first = value;
                Ok(())
            }
            Some((first, _)) => Err(OpIssue::Conflict { at: path.to_string(), fields: [first.clone(), key] }),
            None => {
                *slot = Some((key, value));
                Ok(())
            }
        }
    }

    /// The field that a name refers to, and whether its value counts from 1.
    fn resolve(&mut self, fields: &[Field], key: &str, path: &mut Path) -> Option<(usize, bool)> {
        let exact = |matches: &dyn Fn(&str) -> bool| {
            fields.iter().enumerate().find_map(|(position, field)| {
                if matches(&field.name) || field.aliases.iter().any(|alias| matches(alias)) {
                    return Some((position, false));
                }
                field.one_based.iter().any(|name| matches(name)).then_some((position, true))
            })
        };
        let by_name = fields.iter().position(|field| field.name == key).map(|position| (position, false));
        if let Some(found) = by_name.or_else(|| exact(&|name| name == key)) {
            return Some(found);
        }
        if self.strictness == Strictness::Keep {
            return None;
        }
        let plain = squashed(key);
        let found = exact(&|name| !plain.is_empty() && squashed(name) == plain)?;
        let name = fields.get(found.0).map(|field| field.name.clone()).unwrap_or_default();
        self.warn(path.field(key), format!("read as `{name}`"));
        Some(found)
    }

    fn unknown(&mut self, fields: &[Field], key: &str, value: &Value, path: &mut Path) -> Result<(), OpIssue> {
        // Clients with one schema for all ops send the fields of the others too, as null or empty.
        if value.is_null() {
            return Ok(());
        }
        let at = path.field(key);
        let is_empty = match value {
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        if is_empty {
            self.warn(at, "unknown field, skipped; it is empty".to_owned());
            return Ok(());
        }
        let known: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        let names = fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.one_based));
        let mut near = crate::nearest(key, names.map(String::as_str));
        if near.is_empty() {
            let aliases = fields.iter().flat_map(|field| field.aliases.iter().map(move |alias| (alias, &field.name)));
            let aliases: Vec<(&String, &String)> = aliases.collect();
            let nearest = crate::nearest(key, aliases.iter().map(|(alias, _)| alias.as_str()));
            let names = nearest.iter().filter_map(|found| aliases.iter().find(|(alias, _)| *alias == found));
            near = names.map(|(_, name)| (*name).clone()).collect();
            near.dedup();
        }
        if self.strictness == Strictness::Warn
            && !self.could_be_position(fields, key, value)
            && !self.could_be_dry_run(value, path)
        {
            let hint = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.warn(at, format!("unknown field, skipped{hint}"));
            return Ok(());
        }
        let belongs = fields.iter().find_map(|field| home(field, key));
        Err(OpIssue::UnknownField { at, field: key.to_owned(), near, known, belongs })
    }
}

impl Normalizer {
    /// Whether a field that an op does not have says where it applies. An op that replaces everything has to know.
    fn could_be_position(&self, fields: &[Field], key: &str, value: &Value) -> bool {
        let is_named = |refused: &Refused| refused.fields.iter().any(|field| squashed(field) == squashed(key));
        self.subject == Subject::Replacement
            && (as_count(value).is_some()
                || fields.iter().filter_map(|field| field.shape.refused.as_ref()).any(is_named))
    }

    /// Whether a parameter that a call does not have is a flag that is set: it may ask for nothing to be written.
    fn could_be_dry_run(&self, value: &Value, path: &Path) -> bool {
        let writes = matches!(self.subject, Subject::Edit | Subject::Export);
        writes && path.is_call() && as_bool(value) == Some(true)
    }
}

/// Refuses items that carry a position: they belong to an op that changes single items.
fn check_refused(refused: &Refused, item: &Value, path: &mut Path) -> Result<(), OpIssue> {
    let Some(fields) = item.as_object() else { return Ok(()) };
    let given = fields.iter().filter(|(_, value)| !value.is_null());
    let mut hits = given.filter(|(key, _)| refused.fields.iter().any(|field| squashed(field) == squashed(key)));
    match hits.next() {
        Some((key, _)) => {
            Err(OpIssue::WrongOp { at: path.field(key), why: refused.why.clone(), right: refused.op.clone() })
        }
        None => Ok(()),
    }
}

/// Whether an object shape has a field of this name.
pub(super) fn takes(shape: &Shape, key: &str) -> bool {
    let plain = squashed(key);
    shape.fields.as_ref().is_some_and(|fields| fields.iter().any(|field| field.answers_to(&plain)))
}

/// The field below another one that has this name, such as `runs[]`.
fn home(field: &Field, key: &str) -> Option<String> {
    if takes(&field.shape, key) {
        return Some(field.name.clone());
    }
    let item = field.shape.list.as_ref()?;
    takes(item, key).then(|| format!("{}[]", field.name))
}

/// An index that counts from 1, as one that counts from 0.
fn from_one(value: &Value, path: &mut Path, key: &str) -> Result<Value, OpIssue> {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let number =
        number.or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && (1.0..1e9).contains(n)).map(|n| n as u64));
    match number.and_then(|number| number.checked_sub(1)) {
        Some(index) => Ok(index.into()),
        None if value.is_null() => Ok(Value::Null),
        None => Err(OpIssue::WrongType {
            at: path.field(key),
            expected: "a whole number of at least 1".to_owned(),
            found: display_value(value),
        }),
    }
}

fn text_within(shape: &Shape, text: String, path: &Path) -> Result<Value, OpIssue> {
    match shape.max_chars {
        Some(most) if text.chars().count() > most => Err(OpIssue::Invalid {
            at: path.to_string(),
            why: format!("the text has {} characters; the limit is {most}", text.chars().count()),
            near: Vec::new(),
        }),
        _ => Ok(Value::String(text)),
    }
}

/// True or false, in the ways that people and programs write it.
pub fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64() {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A whole number from 0, in the ways that people and programs write it.
pub fn as_count(value: &Value) -> Option<u64> {
    let whole = |number: f64| (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64);
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
        _ => None,
    }
}

fn as_number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

/// Lines of text as one text.
fn joined(lines: &[Value]) -> Option<String> {
    let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
    lines.map(|lines| lines.join("\n"))
}
