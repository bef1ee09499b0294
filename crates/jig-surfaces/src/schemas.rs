//! Combines schemas of many operations in one document, with shared definitions.

use serde_json::{Map, Value};

/// The location of shared definitions.
const SHARED: &str = "#/components/schemas/";

/// The shared definitions of a document.
#[derive(Debug, Default)]
pub(crate) struct Shared(pub(crate) Map<String, Value>);

impl Shared {
    /// Moves a schema's definitions to the shared ones, and returns the rest.
    pub(crate) fn take(&mut self, mut schema: Value) -> Value {
        if let Some(own) = schema.as_object_mut() {
            own.remove("$schema");
            if let Some(Value::Object(definitions)) = own.remove("$defs") {
                for (name, mut definition) in definitions {
                    point_to_shared(&mut definition);
                    self.0.insert(name, definition);
                }
            }
        }
        point_to_shared(&mut schema);
        schema
    }

    /// Adds the schema itself under a name. Returns a reference to it.
    pub(crate) fn keep(&mut self, name: &str, schema: Value) -> Value {
        let schema = self.take(schema);
        self.0.insert(name.to_owned(), schema);
        Value::Object(Map::from_iter([("$ref".to_owned(), Value::from(format!("{SHARED}{name}")))]))
    }
}

fn point_to_shared(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref") {
                *target = target.replace("#/$defs/", SHARED);
            }
            members.values_mut().for_each(point_to_shared);
        }
        Value::Array(items) => items.iter_mut().for_each(point_to_shared),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jig_contract::OPERATIONS;

    use super::*;

    #[test]
    fn one_name_means_one_thing_in_all_operations() {
        let mut known: BTreeMap<String, (Value, &str)> = BTreeMap::new();
        for op in OPERATIONS {
            for schema in [(op.params_schema)(), (op.output_schema)()] {
                let mut shared = Shared::default();
                let schema = schema.to_value();
                let title = schema["title"].as_str().expect("a title").to_owned();
                shared.keep(&title, schema);
                for (name, mut definition) in shared.0 {
                    // A definition is named by its key; as a separate schema, by its title.
                    definition.as_object_mut().unwrap().remove("title");
                    let (before, first) = known.entry(name.clone()).or_insert((definition.clone(), op.name));
                    assert_eq!(*before, definition, "{name} in {first} and in {}", op.name);
                }
            }
        }
        assert!(known.len() > 100);
    }
}
