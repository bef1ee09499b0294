//! Values shared by operations on Office files.

use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The engine's response, unchanged. docs/guide/files.md describes its fields method by method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OfficeAnswer(pub Map<String, Value>);

/// A list of JSON objects, checked by the engine that receives them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct JsonList(pub Vec<Value>);

impl<'de> Deserialize<'de> for JsonList {
    /// A list, the JSON text of a list, or a single object, because models send all of these.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || <D::Error as serde::de::Error>::custom("expected a list of objects");
        match Value::deserialize(deserializer)? {
            Value::Array(list) => Ok(Self(list)),
            Value::Object(one) => Ok(Self(vec![Value::Object(one)])),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Array(list)) => Ok(Self(list)),
                Ok(Value::Object(one)) => Ok(Self(vec![Value::Object(one)])),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl FromStr for JsonList {
    type Err = serde_json::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text)
    }
}

impl JsonSchema for JsonList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonList".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array" })
    }
}

/// A name or a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NameOrNumber(pub String);

impl FromStr for NameOrNumber {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for NameOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) if number.is_u64() => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("expected a name or a whole number")),
        }
    }
}

impl JsonSchema for NameOrNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NameOrNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"] })
    }
}
