//! Descriptions and schemas of ops for agents, in tool definitions and in errors.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::OpSet;
use super::shape::{Field, Shape};
use super::value_type::ValueType;

/// Which ops of a format a tool's schema types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedOps {
    /// The usual ones ([`OpSet::USUAL`]). The others are in the list of names, and `edit_help` shows their fields.
    Usual,
    /// All.
    All,
}

/// The schema of a list of ops for tools: one object with the fields of all typed ops. An agent pays for it in every
/// conversation, and a constrained decoder can only write what it declares, so the fields are typed once for all ops
/// and described by the signatures of the ops. Objects that several fields hold become definitions of `generator`,
/// named after the format.
///
/// Not one schema for each op (`oneOf`): that costs four times the tokens, and grammars of local models grow with it.
pub fn list_schema<T: OpSet>(generator: &mut SchemaGenerator, typed: TypedOps, notes: &str) -> Schema {
    let is_typed = |name: &str| typed == TypedOps::All || T::USUAL.contains(&name);
    let ops: Vec<(&str, &Shape)> = T::SPECS
        .iter()
        .zip(&T::shapes().0)
        .filter_map(|(spec, shape)| is_typed(spec.name).then_some((spec.name, shape)))
        .collect();
    let mut union = FieldUnion { prefix: T::FORMAT, objects: Vec::new() };
    for (_, shape) in &ops {
        union.count(shape);
    }
    let mut fields: Vec<(String, Vec<Value>)> = Vec::new();
    for (_, shape) in &ops {
        for field in shown_fields(shape) {
            // A format that typed objects have too, such as the alignment of a paragraph, needs no second mention.
            if is_format(field) && union.has_field(&field.name) {
                continue;
            }
            let schema = union.schema(&field.shape);
            let name = shown_name(field);
            match fields.iter_mut().find(|(known, _)| known == name) {
                Some((_, schemas)) if schemas.contains(&schema) => {}
                Some((_, schemas)) => schemas.push(schema),
                None => fields.push((name.to_owned(), vec![schema])),
            }
        }
    }
    let mut properties = Map::from_iter([("op".to_owned(), json!({ "enum": T::names() }))]);
    properties.extend(fields.into_iter().map(|(name, schemas)| (name, any_of(schemas))));
    for (name, schema) in union.definitions() {
        generator.definitions_mut().insert(name, schema);
    }
    let calls: Vec<String> = ops.iter().map(|(name, shape)| call(name, shape)).collect();
    let mut description = calls.join("; ");
    if ops.len() < T::SPECS.len() {
        description.push_str(". Others: see edit_help");
    }
    if !notes.is_empty() {
        description.push_str(". ");
        description.push_str(notes);
    }
    let item = json!({
        "type": "object",
        "description": description,
        "properties": properties,
        "required": ["op"],
        "additionalProperties": true,
    });
    // `x-opaque`: the parameters of a call are not normalized inside the ops, which `parse_ops` does with better errors.
    let list = [("type", json!("array")), ("items", item), ("x-opaque", json!(true))];
    Schema::from(Map::from_iter(list.map(|(key, value)| (key.to_owned(), value))))
}

/// One schema that accepts what any of these accepts.
fn any_of(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    }
}

/// The name under which documentation shows a field: the one that counts from 1 if there are two.
fn shown_name(field: &Field) -> &str {
    field.one_based.first().unwrap_or(&field.name)
}

/// A scalar that only concerns the look.
fn is_format(field: &Field) -> bool {
    field.shape.cosmetic && field.shape.fields.is_none() && field.shape.list.is_none()
}

/// The fields that schemas list: no hidden ones, and not `border_top` beside `border`.
fn shown_fields(shape: &Shape) -> impl Iterator<Item = &Field> {
    let all = shape.fields.as_deref().unwrap_or_default();
    let is_variant = |field: &Field| {
        let base = |other: &&Field| field.name.strip_prefix(&other.name).is_some_and(|rest| rest.starts_with('_'));
        field.shape.fields.is_some()
            && field.shape.cosmetic
            && all.iter().any(|other| base(&other) && other.shape == field.shape)
    };
    all.iter().filter(move |field| !field.hidden && !is_variant(field))
}

/// The objects inside ops, each typed once.
struct FieldUnion {
    /// What names of definitions begin with: those of all operations share one document in OpenAPI.
    prefix: &'static str,
    objects: Vec<SharedObject>,
}

/// An object that fields of ops hold.
struct SharedObject {
    /// The name of its definition.
    name: String,
    schema: Value,
    uses: usize,
}

impl FieldUnion {
    /// Counts the uses of the objects below a shape, so that those used twice become definitions.
    fn count(&mut self, shape: &Shape) {
        for field in shown_fields(shape) {
            let mut item = &field.shape;
            while let Some(inner) = item.list.as_deref() {
                item = inner;
            }
            if item.fields.is_none() {
                continue;
            }
            let schema = self.object(item);
            if let Some(known) = self.objects.iter_mut().find(|known| known.schema == schema) {
                known.uses += 1;
                continue;
            }
            let label = field.name.split('_').next_back().unwrap_or_default().trim_end_matches('s');
            let name = format!("{}_{label}", self.prefix);
            let taken = self.objects.iter().filter(|known| known.name.starts_with(&name)).count();
            let name = if taken == 0 { name } else { format!("{name}{}", taken + 1) };
            // Inner objects first, so that the outer schema can name them.
            self.count(item);
            self.objects.push(SharedObject { name, schema, uses: 1 });
        }
    }

    /// Whether a typed object has this field.
    fn has_field(&self, name: &str) -> bool {
        self.objects.iter().any(|object| object.schema["properties"].get(name).is_some())
    }

    /// The schema of an object, without references.
    fn object(&self, shape: &Shape) -> Value {
        let properties: Map<String, Value> =
            shown_fields(shape).map(|field| (shown_name(field).to_owned(), self.plain(&nullable(field)))).collect();
        json!({ "type": "object", "properties": properties })
    }

    /// The schema of a value; objects are written out.
    fn plain(&self, shape: &Shape) -> Value {
        value_schema(shape, &|object| self.object(object))
    }

    /// The schema of a value; objects that are used several times are references.
    fn schema(&self, shape: &Shape) -> Value {
        self.with_references(&self.plain(shape), false)
    }

    /// The definitions, with references among themselves.
    fn definitions(&self) -> Vec<(String, Value)> {
        let shared = self.objects.iter().filter(|object| object.uses > 1);
        shared.map(|object| (object.name.clone(), self.with_references(&object.schema, true))).collect()
    }

    /// Replaces the shared objects inside a schema by references.
    fn with_references(&self, schema: &Value, outermost: bool) -> Value {
        let shared = self.objects.iter().find(|known| !outermost && known.uses > 1 && known.schema == *schema);
        match (shared, schema) {
            (Some(known), _) => json!({ "$ref": format!("#/$defs/{}", known.name) }),
            (None, Value::Object(members)) => {
                let inner = |(key, value): (&String, &Value)| (key.clone(), self.with_references(value, false));
                Value::Object(members.iter().map(inner).collect())
            }
            (None, Value::Array(items)) => items.iter().map(|item| self.with_references(item, false)).collect(),
            (None, other) => other.clone(),
        }
    }
}

/// The shape of a field, with null if that is a value of it.
fn nullable(field: &Field) -> Shape {
    Shape { null: field.keeps_null, ..field.shape.clone() }
}

/// The schema of a value. Of several kinds that a field takes for convenience (a number as a text), one is declared.
fn value_schema(shape: &Shape, object: &dyn Fn(&Shape) -> Value) -> Value {
    if shape.value_type == Some(ValueType::Column) {
        return json!({ "type": "string" });
    }
    if shape.any {
        return any_value(shape);
    }
    // A list of texts or objects with a `text`: objects say all that texts do. In rows of a table it is the other way
    // round, because most cells are plain.
    // Cells of a block.
    if let Some(item) = shape.list.as_deref().filter(|item| item.any) {
        return json!({ "type": "array", "items": any_value(&Shape { null: true, ..item.clone() }) });
    }
    if let Some(item) = shape.list.as_deref().filter(|item| item.text && item.fields.is_some()) {
        return json!({ "type": "array", "items": object(item) });
    }
    if shape.list.as_deref().and_then(|row| row.list.as_deref()).is_some_and(|item| item.text) {
        return json!({ "type": "array", "items": { "type": "array", "items": { "type": "string" } } });
    }
    let mut kinds: Vec<Value> = Vec::new();
    kinds.extend(shape.text.then(|| json!({ "type": "string" })));
    kinds.extend(shape.fields.is_some().then(|| object(shape)));
    kinds.extend(shape.list.as_deref().map(|item| json!({ "type": "array", "items": value_schema(item, object) })));
    if kinds.is_empty() {
        kinds.extend(shape.number.then(|| json!({ "type": "number" })));
        kinds.extend((shape.integer && !shape.number).then(|| json!({ "type": "integer" })));
        kinds.extend(shape.boolean.then(|| json!({ "type": "boolean" })));
    }
    if kinds.is_empty() { any_value(shape) } else { any_of(kinds) }
}

/// A value of any kind that a person would write: not the empty schema, which llama.cpp takes for an object.
fn any_value(shape: &Shape) -> Value {
    if shape.null {
        json!({ "type": ["string", "number", "boolean", "null"] })
    } else {
        json!({ "type": ["string", "integer"] })
    }
}

/// `set_range {sheet, start, values, style?}` with the fields of nested objects.
pub(super) fn signature(name: &str, shape: &Shape) -> String {
    format!("{name} {}", braced(shape, 1, true))
}

/// `set_range sheet start values style?`, without formats, whose names explain themselves.
fn call(name: &str, shape: &Shape) -> String {
    let shown = shape.fields.iter().flatten().filter(|field| !field.hidden && !is_format(field));
    let fields = shown.map(|field| {
        let name = shown_name(field);
        if field.required { name.to_owned() } else { format!("{name}?") }
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
    /// What it is, from its documentation.
    pub about: String,
    /// What it takes, in words.
    pub takes: String,
    /// Whether it only concerns the look.
    pub is_format: bool,
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
            name: shown_name(field).to_owned(),
            required: field.required,
            values: field.shape.value_type.map(ValueType::values).unwrap_or_default(),
            range: field.shape.minimum.zip(field.shape.maximum),
            fields: field_infos(item),
            about: field.about.clone(),
            takes: field.shape.expected(),
            is_format: is_format(field),
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

/// An op as help for agents shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpHelp {
    /// The value of `op`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: String,
    /// Its fields and those of the objects inside, `?` for those that can be left out.
    pub signature: String,
    /// One line for each field.
    pub fields: Vec<String>,
}

/// All ops of a format, or one, for agents.
pub fn op_help<T: OpSet>() -> Vec<OpHelp> {
    let ops = T::SPECS.iter().zip(&T::shapes().0);
    let help = ops.map(|(spec, shape)| {
        let schema = (spec.schema)(&mut SchemaGenerator::default());
        let summary = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut fields = Vec::new();
        field_lines("", &field_infos(shape), &mut fields);
        OpHelp { name: spec.name, summary: summary.to_owned(), signature: signature(spec.name, shape), fields }
    });
    help.collect()
}

/// `cells[].value: a text …; new value`, with the fields of inner objects below.
fn field_lines(prefix: &str, fields: &[FieldInfo], lines: &mut Vec<String>) {
    // The signature names formats inside objects. Only those that take certain words need more.
    let explained = fields.iter().filter(|field| prefix.is_empty() || !field.is_format || !field.values.is_empty());
    for field in explained {
        let needed = if field.required { ", required" } else { "" };
        let about = if field.about.is_empty() { String::new() } else { format!(": {}", field.about) };
        lines.push(format!("{prefix}{} ({}{needed}){about}", field.name, field.takes));
        field_lines(&format!("{prefix}{}.", field.name), &field.fields, lines);
    }
}
