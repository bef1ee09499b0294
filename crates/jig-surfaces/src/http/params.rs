//! Builds the parameters of an operation from path, query and body.

use axum::http::StatusCode;
use jig_contract::{Code, OpError};
use serde_json::{Map, Value};

use super::problem::Problem;
use super::routes::Ready;

/// A parameter of an operation.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) shape: Shape,
}

/// How a query value is parsed. A value that does not fit stays a string, and the operation reports the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Whole,
    Number,
    Truth,
    /// Comma-separated values, or a repeated name.
    List(Box<Shape>),
    Json,
}

/// The properties of a parameter schema, except for those known from elsewhere.
pub(super) fn members(schema: &Value, known: impl Fn(&str) -> bool) -> Vec<Member> {
    let all = schema["properties"].as_object().into_iter().flatten();
    all.filter(|(name, _)| !known(name))
        .map(|(name, member)| Member { name: name.clone(), shape: shape(member, &schema["$defs"]) })
        .collect()
}

/// The shape of values with this schema.
pub(super) fn shape(schema: &Value, definitions: &Value) -> Shape {
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.rsplit('/').next().unwrap_or_default();
        return definitions.get(name).map_or(Shape::Json, |schema| shape(schema, definitions));
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(options) = schema[several].as_array() {
            let mut shapes = options.iter().filter(|o| o["type"] != "null").map(|o| shape(o, definitions));
            let first = shapes.next().unwrap_or(Shape::Json);
            return if shapes.all(|other| other == first) { first } else { Shape::Text };
        }
    }
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return Shape::Text;
    }
    let words: Vec<&str> = match &schema["type"] {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).filter(|word| *word != "null").collect(),
        _ => Vec::new(),
    };
    match words[..] {
        ["integer"] => Shape::Whole,
        ["number"] => Shape::Number,
        ["boolean"] => Shape::Truth,
        ["array"] => Shape::List(Box::new(shape(&schema["items"], definitions))),
        [] | ["object"] => Shape::Json,
        _ => Shape::Text,
    }
}

impl Shape {
    /// Parses a value.
    fn read(&self, text: &str) -> Value {
        let as_text = || Value::from(text);
        match self {
            Self::Text => as_text(),
            Self::Whole => {
                let whole = text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<i64>().map(Value::from));
                whole.unwrap_or_else(|_| as_text())
            }
            Self::Number => text.parse::<f64>().map_or_else(|_| as_text(), Value::from),
            Self::Truth => text.parse::<bool>().map_or_else(|_| as_text(), Value::from),
            Self::List(of) if text.is_empty() => {
                let _ = of;
                Value::Array(Vec::new())
            }
            Self::List(of) => text.split(',').map(|piece| of.read(piece)).collect(),
            Self::Json => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
        }
    }
}

/// Adds query parameters.
pub(super) fn add_query(
    params: &mut Map<String, Value>,
    members: &[Member],
    pairs: &[(String, String)],
) -> Result<(), Problem> {
    for (name, text) in pairs {
        let shape = members.iter().find(|member| member.name == *name).map_or(&Shape::Text, |member| &member.shape);
        let value = shape.read(text);
        match (params.get_mut(name), value) {
            (None, value) => drop(params.insert(name.clone(), value)),
            (Some(Value::Array(before)), Value::Array(more)) if matches!(shape, Shape::List(_)) => before.extend(more),
            (Some(_), _) => return Err(invalid(&format!("`{}` is given more than once", short(name)))),
        }
    }
    Ok(())
}

/// Adds the properties of a body to the path parameters.
pub(super) fn add_body(params: &mut Map<String, Value>, body: Map<String, Value>) -> Result<(), Problem> {
    for (name, value) in body {
        if params.contains_key(&name) {
            return Err(invalid(&format!(
                "`{}` is said by the address and does not belong into the body",
                short(&name)
            )));
        }
        params.insert(name, value);
    }
    Ok(())
}

/// The path parameters. `_` as an entry key means no key: a singleton kind.
pub(super) fn from_path<'p>(ready: &Ready, path: impl Iterator<Item = (&'p str, &'p str)>) -> Map<String, Value> {
    let fixed = ready.route.fixed.iter().copied();
    let said = fixed.chain(path).filter(|pair| *pair != ("entry_key", "_"));
    let shape = |name: &str| ready.in_path.iter().find(|member| member.name == name).map(|member| &member.shape);
    said.map(|(name, value)| (name.to_owned(), shape(name).unwrap_or(&Shape::Text).read(value))).collect()
}

/// Refuses a query where none is supported.
pub(super) fn no_query(pairs: &[(String, String)], takes: &str) -> Result<(), Problem> {
    match pairs.first() {
        Some((name, _)) => Err(invalid(&format!("{takes} no parameter, and so not `{}`", short(name)))),
        None => Ok(()),
    }
}

/// Converts the single file of a URL for an operation that takes several.
pub(super) fn one_of_several(mut params: Map<String, Value>) -> Map<String, Value> {
    if let Some(path) = params.remove("path") {
        params.insert("paths".to_owned(), Value::Array(vec![path]));
    }
    params
}

/// The error for invalid parameters, whatever the operation.
pub(super) fn invalid(message: &str) -> Problem {
    Problem::new(OpError::new(Code::InvalidParams, message)).status(StatusCode::BAD_REQUEST)
}

fn short(name: &str) -> String {
    name.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_become_what_the_schema_says() {
        let schema = json!({
            "properties": {
                "path": { "type": "string" }, "limit": { "type": ["integer", "null"] }, "all": { "type": "boolean" },
                "fields": { "type": ["array", "null"], "items": { "type": "string" } },
                "kind": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "type": "null" }] },
                "section": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            },
            "$defs": { "Kind": { "oneOf": [{ "const": "a", "type": "string" }] } },
        });
        let members = members(&schema, |name| name == "path");
        let mut params = Map::new();
        let pairs = [("limit", "3"), ("all", "true"), ("fields", "a,b"), ("fields", "c"), ("kind", "7"), ("x", "1")];
        let pairs = pairs.map(|(n, v)| (n.to_owned(), v.to_owned()));
        add_query(&mut params, &members, &pairs).unwrap();
        let expected = json!({ "limit": 3, "all": true, "fields": ["a", "b", "c"], "kind": "7", "x": "1" });
        assert_eq!(Value::Object(params.clone()), expected);
        let again = [("limit".to_owned(), "4".to_owned())];
        assert!(add_query(&mut params, &members, &again).is_err());
        let mut wrong = Map::new();
        add_query(&mut wrong, &members, &[("limit".to_owned(), "many".to_owned())]).unwrap();
        assert_eq!(wrong["limit"], "many", "the operation refuses it");
        assert_eq!(members.iter().find(|m| m.name == "section").unwrap().shape, Shape::Text);
    }

    #[test]
    fn what_the_address_says_is_not_said_again() {
        let mut params = Map::from_iter([("workbench_id".to_owned(), json!("a"))]);
        let body = |value: Value| value.as_object().cloned().unwrap();
        assert!(add_body(&mut params, body(json!({ "workbench_id": "b" }))).is_err());
        add_body(&mut params, body(json!({ "name": "B" }))).unwrap();
        assert_eq!(Value::Object(params), json!({ "workbench_id": "a", "name": "B" }));
    }
}
