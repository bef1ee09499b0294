//! The ops of a format, read from the schema that agents get.
//!
//! Those schemas say what each op takes in a short notation:
//! `set_range sheet start values style?; …. style {font_name, …}`.

use serde_json::Value;

use super::Format;

/// What an op or a value takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) optional: bool,
    /// The only values it may have, if the schema lists them.
    pub(super) values: Vec<String>,
    /// Its own fields, if it has some.
    pub(super) inner: Vec<Field>,
}

/// A name with fields: an op, or a kind of value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
}

/// What a format's tool takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schema {
    /// The tool's name for agents.
    pub(super) tool: &'static str,
    pub(super) ops: Vec<Shape>,
    pub(super) values: Vec<Shape>,
}

impl Schema {
    /// The schema of a format's operation.
    pub(super) fn of(format: Format) -> Self {
        let spec = format.operation();
        let schema = (spec.params_schema)().to_value();
        let item = &schema["properties"]["ops"]["items"];
        let words = item["description"].as_str().unwrap_or_default();
        let names = item["properties"]["op"]["enum"].as_array().cloned().unwrap_or_default();
        let (calls, words) = words.split_once(". ").unwrap_or((words, ""));
        let mut values = shapes(words);
        if words.contains("runs as in Word") {
            values.extend(Self::of(Format::Docx).values.into_iter().filter(|shape| shape.name == "run"));
        }
        let ops = names.iter().filter_map(Value::as_str).map(|name| op(name, calls)).collect();
        Self { tool: spec.surfaces.tool.unwrap_or(spec.name), ops, values }
    }
}

fn op(name: &str, calls: &str) -> Shape {
    let call = calls.split("; ").find(|call| call.split(' ').next() == Some(name)).unwrap_or(name);
    Shape { name: name.to_owned(), fields: call.split(' ').skip(1).flat_map(field).collect() }
}

/// Every `name {…}` and `name [{…}]` of the words.
fn shapes(words: &str) -> Vec<Shape> {
    split(words, ';').into_iter().filter_map(shape).collect()
}

fn shape(clause: &str) -> Option<Shape> {
    let (before, rest) = clause.split_once('{')?;
    let inside = rest.rsplit_once('}')?.0;
    let before = before.trim_end_matches(['[', ' ']).trim_end_matches("text or").trim_end_matches([':', ' ']);
    let name = before.rsplit([' ', ':']).next()?.to_owned();
    Some(Shape { name, fields: split(inside, ',').into_iter().flat_map(field).collect() })
}

/// `name`, `name?`, `name? one|two`, `one|two`, `edge_top|bottom {style, color}`.
fn field(text: &str) -> Vec<Field> {
    let (head, inner) = match text.split_once('{') {
        Some((head, inner)) => (head.trim(), inner.trim_end_matches('}')),
        None => (text.trim(), ""),
    };
    let inner: Vec<Field> =
        if inner.is_empty() { Vec::new() } else { split(inner, ',').into_iter().flat_map(field).collect() };
    let (names, values) = head.split_once(' ').unwrap_or((head, ""));
    let values: Vec<String> = values.split('|').filter(|value| !value.is_empty()).map(str::to_owned).collect();
    let (optional, names) = (names.ends_with('?'), names.trim_end_matches('?'));
    let prefix = names.split('|').next().and_then(|first| first.rfind('_')).map_or("", |end| &names[..=end]);
    let names = names.split('|').enumerate();
    let names = names.map(|(i, name)| if i == 0 { name.to_owned() } else { format!("{prefix}{name}") });
    names.map(|name| Field { name, optional, values: values.clone(), inner: inner.clone() }).collect()
}

/// Splits where no bracket is open.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        c == at && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Format, Schema, field, shapes};

    fn names(fields: &[super::Field]) -> Vec<&str> {
        fields.iter().map(|field| field.name.as_str()).collect()
    }

    #[test]
    fn the_notation_is_understood() {
        let edges = field("edge_top|bottom {style, color}");
        assert_eq!(names(&edges), ["edge_top", "edge_bottom"]);
        assert_eq!(names(&edges[1].inner), ["style", "color"]);
        let kind = &field("type? text|number")[0];
        assert_eq!(
            (kind.name.as_str(), kind.optional, kind.values.join(",")),
            ("type", true, "text,number".to_owned())
        );
        let shapes = shapes("paragraph: text or {text|runs, style}; heights: rows [{row, height}]; numbers from 0");
        assert_eq!(shapes.iter().map(|shape| shape.name.as_str()).collect::<Vec<_>>(), ["paragraph", "rows"]);
        assert_eq!(names(&shapes[0].fields), ["text", "runs", "style"]);
    }

    #[test]
    fn every_format_has_ops_with_fields() {
        for format in Format::ALL {
            let schema = Schema::of(format);
            assert_eq!(schema.tool, format!("{}_operations", format.as_str()));
            assert!(schema.ops.len() >= 10, "{format:?}");
            assert!(schema.ops.iter().filter(|op| !op.fields.is_empty()).count() >= 10, "{format:?}");
            assert!(schema.values.iter().any(|shape| matches!(shape.name.as_str(), "style" | "run")), "{format:?}");
        }
    }
}
