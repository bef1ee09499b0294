//! Harmless slips in arguments, corrected before an operation reads them: every refused call costs a model a turn.

use jig_contract::{OPERATIONS, OpSpec};
use serde_json::{Map, Value};

/// Parameters that name a file of the workbench.
const PATHS: [&str; 6] = ["path", "to", "copy_from", "source_path", "target_path", "folder"];

/// Corrects `./path`, and drops empty values of parameters that need not be given: clients send them for fields of a form
/// that were left empty.
pub(super) fn correct(op: &OpSpec, arguments: &mut Map<String, Value>) {
    let schema = (op.params_schema)().to_value();
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    arguments.retain(|name, value| {
        let is_empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        // A parameter of another action of the tool may be empty too. An unknown one stays, so that it is reported.
        let is_known = schema["properties"][name.as_str()].is_object() || of_tool(op, name);
        !is_empty || is_required(name) || !is_known
    });
    for name in PATHS {
        if let Some(Value::String(path)) = arguments.get_mut(name) {
            *path = without_dot(path).to_owned();
        }
    }
    if let Some(Value::Object(tables)) = arguments.get_mut("tables") {
        for table in tables.values_mut() {
            if let Value::String(path) = table {
                *path = without_dot(path).to_owned();
            }
        }
    }
}

/// Whether another operation of the same tool has a parameter.
fn of_tool(op: &OpSpec, name: &str) -> bool {
    let others =
        OPERATIONS.iter().filter(|other| op.surfaces.action.is_some() && other.surfaces.tool == op.surfaces.tool);
    others.into_iter().any(|other| (other.params_schema)().to_value()["properties"][name].is_object())
}

/// `./reports/q3.docx` → `reports/q3.docx`. A path that leaves the workbench stays, and is refused.
fn without_dot(path: &str) -> &str {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./").filter(|rest| !rest.is_empty()) {
        path = rest.trim_start_matches('/');
    }
    path
}

#[cfg(test)]
mod tests {
    use jig_contract::find;
    use serde_json::json;

    use super::*;

    fn corrected(op: &str, arguments: Value) -> Value {
        let Value::Object(mut arguments) = arguments else { panic!("an object") };
        correct(find(op).unwrap(), &mut arguments);
        Value::Object(arguments)
    }

    #[test]
    fn empty_optional_values_and_leading_dots_are_dropped() {
        let given = json!({ "path": "./a/b.xlsx", "sheet": "", "range": null, "max_tokens": 5, "nonsense": "" });
        assert_eq!(corrected("FileRead", given), json!({ "path": "a/b.xlsx", "max_tokens": 5, "nonsense": "" }));
        let text = json!({ "path": "../a", "text": "" });
        assert_eq!(
            corrected("DraftWriteText", text.clone()),
            text,
            "the file becomes empty, and `..` is refused later"
        );
    }
}
