//! Descriptions and schemas of ops for agents, in tool definitions and in errors.

use schemars::Schema;
use serde_json::{Map, json};

use super::OpSet;
use super::shape::{Field, Shape};
use super::value_type::ValueType;

/// The schema of a list of ops for tools. An agent pays for it in every conversation, so the fields are described in prose,
/// and nested objects once for all ops.
pub fn list_schema<T: OpSet>(notes: &str) -> Schema {
    let names: Vec<&str> = T::names();
    let ops = T::SPECS.iter().zip(&T::shapes().0);
    let mut nested: Vec<(String, String)> = Vec::new();
    for (spec, shape) in ops.clone() {
        for field in shape.fields.iter().flatten() {
            collect(spec.name, field, &mut nested);
        }
    }
    let calls: Vec<String> = ops.map(|(spec, shape)| call(spec.name, shape, &nested)).collect();
    let nested: Vec<String> = nested.into_iter().map(|(name, fields)| format!("{name} {fields}")).collect();
    let item = json!({
        "type": "object",
        "description": format!("{}. {}. {notes}", calls.join("; "), nested.join("; ")),
        "properties": { "op": { "enum": names } },
        "required": ["op"],
        "additionalProperties": true,
    });
    Schema::from(Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), item)]))
}

/// `set_range {sheet, start, values, style?}` with the fields of nested objects.
pub(super) fn signature(name: &str, shape: &Shape) -> String {
    format!("{name} {}", braced(shape, 1, true))
}

/// `set_range sheet start values style?`, without formats that nested objects list too.
fn call(name: &str, shape: &Shape, nested: &[(String, String)]) -> String {
    let listed = |field: &Field| {
        let words = nested.iter().flat_map(|(_, fields)| fields.split(['{', ' ', '}']));
        field.shape.cosmetic && field.shape.fields.is_none() && words.into_iter().any(|word| word == field.name)
    };
    let told = shape.fields.iter().flatten().filter(|field| !field.hidden && !listed(field));
    let fields = told.map(|field| {
        let name = field.one_based.first().unwrap_or(&field.name);
        if field.required { name.clone() } else { format!("{name}?") }
    });
    std::iter::once(name.to_owned()).chain(fields).collect::<Vec<_>>().join(" ")
}

fn named(field: &Field) -> String {
    let name = match field.one_based.first() {
        Some(one_based) => format!("{one_based}|{}", field.name),
        None => field.name.clone(),
    };
    if field.required { name } else { format!("{name}?") }
}

/// The fields of an object; those of objects inside it up to a depth.
fn braced(shape: &Shape, depth: usize, outer: bool) -> String {
    let fields = shape.fields.iter().flatten().filter(|field| outer || !field.hidden).map(|field| {
        let inner = field.shape.list.as_deref().unwrap_or(&field.shape);
        if inner.fields.is_none() || depth == 0 {
            return named(field);
        }
        let inner = braced(inner, depth - 1, false);
        if field.shape.list.is_some() {
            format!("{}: [{inner}]", named(field))
        } else {
            format!("{}: {inner}", named(field))
        }
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// Adds the objects below a field, each once.
fn collect(op: &str, field: &Field, nested: &mut Vec<(String, String)>) {
    let inner = field.shape.list.as_deref().unwrap_or(&field.shape);
    let Some(fields) = &inner.fields else { return };
    let label = if field.shape.list.is_some() { format!("{}[]", field.name) } else { field.name.clone() };
    // Borders of four sides are one kind of object, and so are runs under several names.
    let label = match label {
        label if label.starts_with("border_") => "border".to_owned(),
        label if label.ends_with("_runs[]") => "runs[]".to_owned(),
        label => label,
    };
    let shown = fields.iter().filter(|field| !field.hidden);
    let words: Vec<String> = shown.map(|field| named(field).trim_end_matches('?').to_owned()).collect();
    let entry = (label, format!("{{{}}}", words.join(" ")));
    if !nested.contains(&entry) {
        let taken = nested.iter().any(|(label, _)| *label == entry.0);
        nested.push(if taken { (format!("{op} {}", entry.0), entry.1) } else { entry });
        for field in fields {
            collect(op, field, nested);
        }
    }
}

/// An op or an object inside one, with the fields that documentation lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectInfo {
    /// The op, or the field that holds the object.
    pub name: String,
    /// In the order of the definition, without hidden fields and aliases.
    pub fields: Vec<FieldInfo>,
}

/// A field as documentation lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldInfo {
    /// Its name; the one that counts from 1 if there are two.
    pub name: String,
    /// Whether it must be given.
    pub required: bool,
    /// The words that it takes, if its type lists them. Some colours may also be given as digits.
    pub values: Vec<&'static str>,
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
    /// The fields of the object that it holds, alone or in lists; empty for other values.
    pub fields: Vec<FieldInfo>,
}

/// All ops of a format with their fields and those of nested objects, for documentation.
pub fn op_infos<T: OpSet>() -> Vec<ObjectInfo> {
    let ops = T::SPECS.iter().zip(&T::shapes().0);
    ops.map(|(spec, shape)| ObjectInfo { name: spec.name.to_owned(), fields: field_infos(shape) }).collect()
}

fn field_infos(shape: &Shape) -> Vec<FieldInfo> {
    let shown = shape.fields.iter().flatten().filter(|field| !field.hidden);
    let info = |field: &Field| {
        // Tables hold their cells in lists of lists.
        let mut item = &field.shape;
        while let Some(inner) = item.list.as_deref() {
            item = inner;
        }
        FieldInfo {
            name: field.one_based.first().unwrap_or(&field.name).clone(),
            required: field.required,
            values: field.shape.value_type.map(ValueType::values).unwrap_or_default(),
            range: field.shape.minimum.zip(field.shape.maximum),
            fields: field_infos(item),
        }
    };
    shown.map(info).collect()
}

/// The fields of one op, for errors.
pub fn op_signature<T: OpSet>(name: &str) -> Option<String> {
    let position = T::SPECS.iter().position(|spec| spec.name == name)?;
    Some(signature(name, T::shapes().0.get(position)?))
}

/// All ops of a format with their fields, for documentation.
pub fn signatures<T: OpSet>() -> Vec<String> {
    T::SPECS.iter().zip(&T::shapes().0).map(|(spec, shape)| signature(spec.name, shape)).collect()
}
