//! Edit operations: the definition of each, and reading a list of them.
//!
//! A list is read in two passes. `normalize` walks each op against its schema: aliases move to their field, harmless
//! differences are coerced, everything else is an [`OpIssue`] with its place. Then serde builds the concrete struct.
//! A derived `Deserialize` of a tagged enum cannot do this: it loses the path of errors, and its aliases refuse two
//! equal values.

pub mod docx;
pub mod docx_blocks;
pub mod docx_content;
pub mod docx_structure;
mod issue;
mod normalize;
mod object_words;
pub mod pdf;
pub mod pptx;
mod repair;
pub mod schema;
mod shape;
mod structure;
pub mod style;
mod synonyms;
pub mod text;
mod value_type;
pub mod xlsx;
mod xlsx_objects;
mod xlsx_ranges;

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use issue::{OpIssue, OpsError, Warning};
use normalize::{Normalizer, Path, Subject};
pub use normalize::{as_bool, as_count};
use shape::Shape;

/// What happens to a field that an op does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is an error, and nothing is changed.
    #[default]
    Refuse,
    /// It is skipped with a warning: only in the compatibility profile of `jig worker`. Ops that replace all content
    /// refuse it all the same.
    Warn,
    /// It is left for serde, which has its own rule.
    Keep,
}

/// One op of a format: its name, its schema and how its struct is read.
pub struct OpSpec<T> {
    /// The value of `op`.
    pub name: &'static str,
    /// The schema of its fields, with the `x-` keys that `normalize` reads.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Builds the op from normalized fields.
    pub parse: fn(Value) -> Result<T, serde_path_to_error::Error<serde_json::Error>>,
}

/// The ops of a format. Made by [`ops!`](crate::ops!).
pub trait OpSet: Sized + 'static {
    /// All ops, in the order of the documentation.
    const SPECS: &'static [OpSpec<Self>];
    /// The format, as tools and definitions of schemas name it.
    const FORMAT: &'static str;
    /// The ops that tool definitions describe with all their fields. Agents see the names of the others, and ask for
    /// their fields when they need them: a tool definition is paid for in every conversation.
    const USUAL: &'static [&'static str];
    /// What the schemas say, read once.
    fn shapes() -> &'static OpShapes;
    /// The name of this op.
    fn name(&self) -> &'static str;

    /// The names of all ops.
    fn names() -> Vec<&'static str> {
        Self::SPECS.iter().map(|spec| spec.name).collect()
    }
}

/// The shapes of a format's ops, in the order of [`OpSet::SPECS`].
#[derive(Debug)]
pub struct OpShapes(Vec<Shape>);

impl OpShapes {
    /// Reads the schemas of all ops.
    pub fn of<T: OpSet>() -> Self {
        Self(T::SPECS.iter().map(|spec| shape_of(spec.schema)).collect())
    }
}

/// Defines the ops of a format from its structs: the enum, [`OpSet::SPECS`] and with them parsing and schemas.
/// `format "xlsx", usual ["set_cells", …];` in front of the enum names the format and its [usual ops](OpSet::USUAL).
#[macro_export]
macro_rules! ops {
    (format $format:literal, usual [$($usual:literal),+ $(,)?]; $(#[$meta:meta])* pub enum $set:ident { $($(#[$doc:meta])* $variant:ident($fields:ty) = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub enum $set {
            $($(#[$doc])* $variant($fields),)+
        }

        impl $crate::ops::OpSet for $set {
            const SPECS: &'static [$crate::ops::OpSpec<Self>] = &[$($crate::ops::OpSpec {
                name: $name,
                schema: <$fields as schemars::JsonSchema>::json_schema,
                parse: |value| serde_path_to_error::deserialize(value).map($set::$variant),
            },)+];
            const FORMAT: &'static str = $format;
            const USUAL: &'static [&'static str] = &[$($usual),+];

            fn shapes() -> &'static $crate::ops::OpShapes {
                static SHAPES: std::sync::OnceLock<$crate::ops::OpShapes> = std::sync::OnceLock::new();
                SHAPES.get_or_init($crate::ops::OpShapes::of::<Self>)
            }

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }
        }
    };
}

/// One op of a list.
#[derive(Debug, Clone)]
pub struct ParsedOp<T> {
    /// Its position in the list.
    pub index: usize,
    /// Its name.
    pub name: &'static str,
    /// The op.
    pub op: T,
}

/// A list of ops that can be applied.
#[derive(Debug, Clone)]
pub struct ParsedOps<T> {
    /// The ops, in order.
    pub list: Vec<ParsedOp<T>>,
    /// What was coerced or skipped.
    pub warnings: Vec<Warning>,
}

/// The names that the field with an op's name may have.
const NAME_FIELDS: [&str; 4] = ["op", "operation", "op_name", "action"];
/// The names under which a list of ops may be wrapped once more.
const LIST_FIELDS: [&str; 4] = ["ops", "operations", "edits", "actions"];
/// How many layers around a list are taken off.
const LAYERS: usize = 4;

/// Reads a list of ops. A list without ops is an error: it is what a misspelt parameter looks like.
pub fn parse_ops<T: OpSet>(ops: &Value, strictness: Strictness) -> Result<ParsedOps<T>, Box<OpsError>> {
    let mut warnings = Vec::new();
    let parsed = list_of::<T>(ops, &mut warnings)
        .map_err(|issue| (Box::new(issue), None))
        .and_then(|list| parse_list::<T>(&list, strictness, &mut warnings));
    match parsed {
        Ok(list) => Ok(ParsedOps { list, warnings }),
        Err((issue, index)) => {
            let signature =
                index.and_then(|index| Some(schema::signature(T::SPECS.get(index)?.name, T::shapes().0.get(index)?)));
            let corrected = repair::corrected::<T>(ops, strictness);
            Err(Box::new(OpsError { issue: *issue, signature, corrected }))
        }
    }
}

/// An issue, and the position among the specs of the op that has it.
type FailedOp = (Box<OpIssue>, Option<usize>);

fn parse_list<T: OpSet>(
    list: &[Value],
    strictness: Strictness,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<ParsedOp<T>>, FailedOp> {
    list.iter().enumerate().map(|(index, op)| parse_one::<T>(index, op, strictness, warnings)).collect()
}

/// The ops of a list, which may come as its JSON text, in a further list or object, or as one op without brackets.
fn list_of<T: OpSet>(ops: &Value, warnings: &mut Vec<Warning>) -> Result<Vec<Value>, OpIssue> {
    let not_a_list = || OpIssue::NotAList { at: "ops".to_owned() };
    let mut value = ops.clone();
    for _ in 0..LAYERS {
        value = match value {
            Value::Null => return Err(OpIssue::NoOps { known: T::names() }),
            Value::Array(list) if list.is_empty() => return Err(OpIssue::NoOps { known: T::names() }),
            Value::Array(mut list) if list.len() == 1 && list.iter().all(Value::is_array) => {
                warnings.push(Warning::new("ops", "a list inside a list, read as one list"));
                list.pop().unwrap_or_default()
            }
            Value::Array(list) => return Ok(list),
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(inner) if inner.is_array() || inner.is_object() => {
                    warnings.push(Warning::new("ops", "read as JSON from a text"));
                    inner
                }
                _ => return Err(not_a_list()),
            },
            Value::Object(op) if NAME_FIELDS.iter().any(|name| op.contains_key(*name)) || keyed::<T>(&op).is_some() => {
                warnings.push(Warning::new("ops", "read as a list of one op"));
                return Ok(vec![Value::Object(op)]);
            }
            Value::Object(mut wrapper) if wrapper.len() == 1 => {
                let Some(inner) = LIST_FIELDS.iter().find_map(|name| wrapper.shift_remove(*name)) else {
                    return Err(not_a_list());
                };
                warnings.push(Warning::new("ops", "the list inside the object is read as the ops"));
                inner
            }
            _ => return Err(not_a_list()),
        };
    }
    Err(not_a_list())
}

/// The op of an object whose only key is the op's name: `{"set_cells": {…}}`.
fn keyed<T: OpSet>(op: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    let mut fields = op.iter();
    let (Some((name, Value::Object(inner))), None) = (fields.next(), fields.next()) else { return None };
    let plain = crate::nearest::squashed(name);
    T::names().iter().any(|known| crate::nearest::squashed(known) == plain).then_some((name.as_str(), inner))
}

fn parse_one<T: OpSet>(
    index: usize,
    op: &Value,
    strictness: Strictness,
    warnings: &mut Vec<Warning>,
) -> Result<ParsedOp<T>, FailedOp> {
    let mut path = Path::new(format!("ops[{index}]"));
    let not_an_op = |path: &Path| (Box::new(OpIssue::NotAnOp { at: path.to_string() }), None);
    let from_text = op.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if from_text.is_some() {
        warnings.push(Warning::new(path.to_string(), "read as JSON from a text"));
    }
    let fields = from_text.as_ref().unwrap_or(op).as_object().ok_or_else(|| not_an_op(&path))?;
    let mut fields = unwrapped::<T>(fields, &path, warnings);
    let position = op_position::<T>(&mut fields, &path, warnings).map_err(|issue| (Box::new(issue), None))?;
    let (Some(spec), Some(shape)) = (T::SPECS.get(position), T::shapes().0.get(position)) else {
        return Err(not_an_op(&path));
    };
    let mut normalizer = Normalizer::new(strictness, subject_of(shape));
    let normalized =
        normalizer.value(shape, Value::Object(fields), &mut path).map_err(|issue| (Box::new(issue), Some(position)))?;
    warnings.append(&mut normalizer.finish());
    match (spec.parse)(normalized) {
        Ok(op) => Ok(ParsedOp { index, name: spec.name, op }),
        Err(error) => {
            let issue = OpIssue::Invalid { at: place(&path, &error), why: error.inner().to_string(), near: Vec::new() };
            Err((Box::new(issue), Some(position)))
        }
    }
}

fn subject_of(shape: &Shape) -> Subject {
    match shape {
        Shape { replaces_all: true, .. } => Subject::Replacement,
        Shape { removes: true, .. } => Subject::Removal,
        _ => Subject::Edit,
    }
}

/// The fields of an op, with its name in `op`: it may also be the key of an object that holds them, or have another key.
fn unwrapped<T: OpSet>(given: &Map<String, Value>, path: &Path, warnings: &mut Vec<Warning>) -> Map<String, Value> {
    let named = |name: &str, inner: &Map<String, Value>| {
        let mut fields = inner.clone();
        fields.insert("op".to_owned(), name.into());
        fields
    };
    let inside = given.get("op").and_then(Value::as_object).filter(|_| given.len() == 1);
    if let Some((name, inner)) = keyed::<T>(inside.unwrap_or(given)) {
        warnings.push(Warning::new(path.to_string(), format!("`{name}` read as the name of the op")));
        return named(name, inner);
    }
    if NAME_FIELDS.iter().any(|name| given.get(*name).is_some_and(|name| !name.is_null())) {
        return given.clone();
    }
    let known = T::names();
    let is_op = |value: &Value| value.as_str().is_some_and(|text| known.contains(&text.trim()));
    match given.iter().find(|(_, value)| is_op(value)) {
        Some((key, Value::String(name))) => {
            warnings.push(Warning::new(format!("{path}.{key}"), "read as the name of the op".to_owned()));
            let mut fields = given.clone();
            fields.shift_remove(key);
            named(name, &fields)
        }
        _ => given.clone(),
    }
}

fn place(path: &Path, error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    match error.path().to_string() {
        inner if inner == "." => path.to_string(),
        inner => format!("{path}.{inner}"),
    }
}

/// Takes the op's name out of its fields and finds it.
fn op_position<T: OpSet>(
    fields: &mut Map<String, Value>,
    path: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<usize, OpIssue> {
    let known = T::names();
    let mut name: Option<String> = None;
    for key in NAME_FIELDS {
        // `action` and the like may be a field of an op some day; `op` always wins.
        match fields.shift_remove(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(given)) => match &name {
                Some(first) if *first != given => {
                    return Err(OpIssue::Conflict { at: path.to_string(), fields: ["op".to_owned(), key.to_owned()] });
                }
                _ => name = Some(given),
            },
            Some(other) => {
                let at = format!("{path}.{key}");
                return Err(OpIssue::WrongType {
                    at,
                    expected: "the name of an op".to_owned(),
                    found: issue::display_value(&other),
                });
            }
        }
    }
    let at = format!("{path}.op");
    let Some(name) = name else { return Err(OpIssue::NoName { at, known }) };
    if let Some(found) = known.iter().position(|known| *known == name.trim()) {
        return Ok(found);
    }
    let plain = crate::nearest::squashed(&name);
    if let Some((position, found)) =
        known.iter().enumerate().find(|(_, known)| crate::nearest::squashed(known) == plain)
    {
        warnings.push(Warning::new(at, format!("`{name}` read as `{found}`")));
        return Ok(position);
    }
    if let Some(position) = synonyms::find::<T>(&name, fields) {
        let found = known.get(position).copied().unwrap_or_default();
        warnings.push(Warning::new(at, format!("unknown op `{name}`, read as `{found}`")));
        return Ok(position);
    }
    let near = synonyms::nearest_ops::<T>(&name);
    Err(OpIssue::UnknownOp { at, name, near, known })
}

/// Parameters of a call, normalized against their own schema. `shapes` keeps what was read of it.
pub fn parse_params<P: JsonSchema + DeserializeOwned>(
    shapes: &OnceLock<ParamShape>,
    params: Value,
    strictness: Strictness,
) -> Result<(P, Vec<Warning>), OpIssue> {
    let shape = shapes.get_or_init(ParamShape::of::<P>);
    let (value, warnings) = shape.normalize(params, strictness)?;
    let parsed = serde_path_to_error::deserialize(value).map_err(|error| OpIssue::Invalid {
        at: error.path().to_string(),
        why: error.inner().to_string(),
        near: Vec::new(),
    })?;
    Ok((parsed, warnings))
}

/// What the schema of a call's parameters says.
#[derive(Debug)]
pub struct ParamShape(Shape);

impl ParamShape {
    /// Reads the schema of a type.
    pub fn of<P: JsonSchema>() -> Self {
        Self(shape_of(P::json_schema))
    }

    /// Normalizes parameters. With [`Strictness::Keep`], unknown ones stay for serde to report.
    pub fn normalize(&self, params: Value, strictness: Strictness) -> Result<(Value, Vec<Warning>), OpIssue> {
        self.normalize_as(Subject::Edit, params, strictness)
    }

    /// Normalizes the parameters of a read: empty ones were not given, and counts out of range are clamped.
    pub(crate) fn normalize_read(
        &self,
        params: Value,
        strictness: Strictness,
    ) -> Result<(Value, Vec<Warning>), OpIssue> {
        self.normalize_as(Subject::Read, params, strictness)
    }

    /// Normalizes the parameters of a call that reads tables and writes a file.
    pub(crate) fn normalize_export(
        &self,
        params: Value,
        strictness: Strictness,
    ) -> Result<(Value, Vec<Warning>), OpIssue> {
        self.normalize_as(Subject::Export, params, strictness)
    }

    fn normalize_as(
        &self,
        subject: Subject,
        params: Value,
        strictness: Strictness,
    ) -> Result<(Value, Vec<Warning>), OpIssue> {
        let mut normalizer = Normalizer::new(strictness, subject);
        let value = normalizer.value(&self.0, params, &mut Path::new(String::new()))?;
        Ok((value, normalizer.finish()))
    }
}

fn shape_of(schema: fn(&mut SchemaGenerator) -> Schema) -> Shape {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut generator = settings.into_generator();
    let schema = schema(&mut generator);
    let definitions = generator.take_definitions(false);
    Shape::read(schema.as_value(), &definitions)
}
