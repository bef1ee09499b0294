//! The shape of a JSON text: its first two levels. Deeper levels are skipped without being stored, so neither depth nor
//! size costs memory.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

/// Keys that are listed at most.
const KEYS: usize = 200;
/// Keys of an inner object that are named at most.
const INNER: usize = 30;

pub(super) fn shape(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = Look { levels: 2 }.deserialize(&mut deserializer).and_then(|shape| deserializer.end().map(|()| shape));
    match found {
        Ok(shape) => shape.to_json(),
        Err(error) => json!({ "valid": false, "error": error.to_string() }),
    }
}

/// What a value is.
enum Shape {
    Plain(&'static str),
    Object { keys: Vec<(String, Shape)>, count: usize },
    Array { length: usize, types: BTreeMap<&'static str, usize>, keys: Vec<(String, Key)>, more: usize },
}

/// A key that elements of an array have.
#[derive(Default)]
struct Key {
    count: usize,
    types: Vec<&'static str>,
}

impl Shape {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Plain(word) => word,
            Self::Object { .. } => "object",
            Self::Array { .. } => "array",
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Plain(word) => json!({ "type": word }),
            Self::Object { keys, count } => {
                let list = keys.iter().map(|(name, value)| value.entry(name));
                let mut answer = json!({ "type": "object", "key_count": count, "keys": list.collect::<Vec<_>>() });
                if keys.len() < *count {
                    answer["keys_listed"] = keys.len().into();
                }
                answer
            }
            Self::Array { length, types, keys, more } => {
                let mut answer = json!({ "type": "array", "length": length, "element_types": types });
                if !keys.is_empty() {
                    let list =
                        keys.iter().map(|(name, key)| json!({ "name": name, "types": key.types, "count": key.count }));
                    answer["element_keys"] = list.collect();
                }
                if *more > 0 {
                    answer["element_keys_left_out"] = (*more).into();
                }
                answer
            }
        }
    }

    /// A value under its name: an object with its keys, an array with its length.
    fn entry(&self, name: &str) -> Value {
        let mut entry =
            Map::from_iter([("name".to_owned(), json!(name)), ("type".to_owned(), json!(self.type_name()))]);
        match self {
            Self::Plain(_) => {}
            Self::Object { keys, count } => {
                entry.insert("key_count".to_owned(), json!(count));
                entry.insert("keys".to_owned(), keys.iter().take(INNER).map(|(name, _)| json!(name)).collect());
            }
            Self::Array { length, types, .. } => {
                entry.insert("length".to_owned(), json!(length));
                entry.insert("element_types".to_owned(), json!(types));
            }
        }
        Value::Object(entry)
    }
}

/// Looks so many levels deep.
#[derive(Clone, Copy)]
struct Look {
    levels: usize,
}

impl<'de> DeserializeSeed<'de> for Look {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Plain("null"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Plain("boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Plain("number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Plain("number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Plain("number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Plain("string"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let (mut keys, mut count) = (Vec::new(), 0);
        while let Some(Name(name)) = map.next_key()? {
            count += 1;
            let wanted = keys.len() < KEYS;
            if self.levels == 0 || !wanted {
                map.next_value::<IgnoredAny>()?;
            } else {
                let value = map.next_value_seed(Look { levels: self.levels - 1 })?;
                keys.push((name, value));
            }
        }
        Ok(Shape::Object { keys, count })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let (mut length, mut types, mut keys, mut more) = (0, BTreeMap::new(), Vec::<(String, Key)>::new(), 0);
        if self.levels == 0 {
            while list.next_element::<IgnoredAny>()?.is_some() {
                length += 1;
            }
            return Ok(Shape::Array { length, types, keys, more });
        }
        while let Some(element) = list.next_element_seed(Look { levels: self.levels - 1 })? {
            length += 1;
            *types.entry(element.type_name()).or_insert(0) += 1;
            if let Shape::Object { keys: own, count } = element {
                more = more.max(count.saturating_sub(own.len()));
                for (name, value) in own {
                    note(&mut keys, name, value.type_name(), &mut more);
                }
            }
        }
        Ok(Shape::Array { length, types, keys, more })
    }
}

fn note(keys: &mut Vec<(String, Key)>, name: String, word: &'static str, more: &mut usize) {
    let at = keys.iter().position(|(known, _)| *known == name);
    let at = match at {
        Some(at) => at,
        None if keys.len() < KEYS => {
            keys.push((name, Key::default()));
            keys.len() - 1
        }
        None => {
            *more += 1;
            return;
        }
    };
    if let Some((_, key)) = keys.get_mut(at) {
        key.count += 1;
        if !key.types.contains(&word) {
            key.types.push(word);
        }
    }
}

/// A key, of which a long one is cut.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self(name.chars().take(200).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_and_one_level_below_are_told() {
        let text = r#"{"name":"x","rows":[{"a":1},{"a":"s","b":null},3],"meta":{"v":1.5,"deep":{"e":[]}},"ok":true,"none":null}"#;
        let expected = json!({
            "type": "object", "key_count": 5, "keys": [
                { "name": "name", "type": "string" },
                { "name": "rows", "type": "array", "length": 3, "element_types": { "number": 1, "object": 2 } },
                { "name": "meta", "type": "object", "key_count": 2, "keys": ["v", "deep"] },
                { "name": "ok", "type": "boolean" },
                { "name": "none", "type": "null" },
            ],
        });
        assert_eq!(shape(text), expected);
    }

    #[test]
    fn elements_of_a_list_are_told_together() {
        let expected = json!({
            "type": "array", "length": 3, "element_types": { "object": 2, "string": 1 },
            "element_keys": [
                { "name": "id", "types": ["number"], "count": 2 },
                { "name": "tag", "types": ["string", "null"], "count": 2 },
            ],
        });
        assert_eq!(shape(r#"[{"id":1,"tag":"a"},"x",{"id":2,"tag":null}]"#), expected);
        assert_eq!(shape("7"), json!({ "type": "number" }));
    }

    #[test]
    fn what_is_no_json_is_said_with_its_place() {
        let told = shape("{\n  \"a\": 1,\n}");
        assert_eq!(told, json!({ "valid": false, "error": "trailing comma at line 3 column 1" }));
        assert_eq!(shape("{} {}")["error"], "trailing characters at line 1 column 4");
    }

    #[test]
    fn depth_and_width_cost_no_stack_and_little_memory() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(shape(&deep), json!({ "type": "array", "length": 1, "element_types": { "array": 1 } }));
        let open = "{\"a\":".repeat(100_000);
        assert_eq!(shape(&open)["valid"], false);
        let wide: Vec<String> = (0..1_000).map(|at| format!("\"k{at}\":0")).collect();
        let told = shape(&format!("{{{}}}", wide.join(",")));
        assert_eq!((&told["key_count"], &told["keys_listed"]), (&json!(1_000), &json!(200)));
    }
}
