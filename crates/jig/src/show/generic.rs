//! Text output of any result, field by field.

use serde_json::Value;

use crate::terminal::{STRONG, plain};

/// A value as indented lines.
pub(super) fn members(value: &Value) -> String {
    let mut text = String::new();
    add(&mut text, value, 0);
    text
}

fn add(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('_', " ");
                match one_line(member) {
                    Some(word) => text.push_str(&format!("{indent}{STRONG}{name}{STRONG:#}: {word}\n")),
                    None => {
                        text.push_str(&format!("{indent}{STRONG}{name}{STRONG:#}:\n"));
                        add(text, member, depth + 1);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match one_line(item) {
                    Some(word) => text.push_str(&format!("{indent}- {word}\n")),
                    None => {
                        text.push_str(&format!("{indent}-\n"));
                        add(text, item, depth + 1);
                    }
                }
            }
        }
        other => text.push_str(&format!("{indent}{}\n", one_line(other).unwrap_or_default())),
    }
}

fn one_line(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("none".to_owned()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(plain(text)),
        Value::Array(items) if items.is_empty() => Some("none".to_owned()),
        Value::Object(members) if members.is_empty() => Some("none".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_left_out() {
        let value = json!({ "a_b": [1, { "c": null }], "d": {}, "e": true });
        let plain = anstream::adapter::strip_str(&members(&value)).to_string();
        assert_eq!(plain, "a b:\n  - 1\n  -\n    c: none\nd: none\ne: yes\n");
    }
}
