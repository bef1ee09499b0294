//! What an error lists besides its message: the reasons, or what a refused call would have sent.

use jig_contract::{Code, ErrorInfo};
use serde_json::Value;

use super::models::scope;
use crate::terminal::plain;

/// The maximum number of listed reasons.
const REASONS_MAX: usize = 20;

/// The lines between the message and the hints.
pub(crate) fn details(error: &ErrorInfo) -> Vec<String> {
    let Some(detail) = &error.detail else { return Vec::new() };
    if error.error_code == Code::EgressConsentRequired {
        let named = detail.get("scope").and_then(|named| serde_json::from_value(named.clone()).ok());
        return named.map(|named| scope(&named).lines().map(str::to_owned).collect()).unwrap_or_default();
    }
    let mut reasons = match detail.get("fields").or_else(|| detail.get("errors")) {
        Some(Value::Object(fields)) => fields.iter().map(|(field, reason)| about(field, reason)).collect(),
        Some(Value::Array(all)) => all.iter().map(reason).collect(),
        _ => Vec::new(),
    };
    let more = reasons.len().saturating_sub(REASONS_MAX);
    reasons.truncate(REASONS_MAX);
    if more > 0 {
        reasons.push(format!("  and {more} more"));
    }
    reasons
}

fn reason(one: &Value) -> String {
    match (one.get("field"), one.get("message")) {
        (Some(field), Some(message)) => about(&text(field), message),
        _ => format!("  {}", plain(&text(one))),
    }
}

fn about(field: &str, reason: &Value) -> String {
    format!("  {}: {}", plain(field), plain(&text(reason)))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use jig_contract::OpError;
    use serde_json::json;

    use super::*;

    fn lines(code: Code, detail: Value) -> Vec<String> {
        details(&OpError::new(code, "no").detail(detail).info)
    }

    #[test]
    fn reasons_are_listed_in_every_shape() {
        let bad = Code::ValidationFailed;
        assert_eq!(lines(bad, json!({ "errors": ["no JSON", { "a": 1 }] })), ["  no JSON", "  {\"a\":1}"]);
        let fields = json!({ "fields": { "name": "is required" } });
        assert_eq!(lines(bad, fields), ["  name: is required"]);
        let entries = json!({ "errors": [{ "field": "color", "message": "is none\u{1b}[31m" }] });
        assert_eq!(lines(bad, entries).len(), 1);
        assert!(!lines(bad, json!({ "errors": ["a\u{1b}[31m"] }))[0].contains('\u{1b}'));
        assert_eq!(lines(bad, json!({ "path": "x" })), Vec::<String>::new());
        let many: Vec<String> = (0..25).map(|n| n.to_string()).collect();
        let lines = lines(bad, json!({ "errors": many }));
        assert_eq!((lines.len(), lines.last().map(String::as_str)), (21, Some("  and 5 more")));
    }

    #[test]
    fn a_refusal_to_send_lists_what_it_is_about() {
        let scope =
            json!({ "scope": { "model_id": "a:b", "host": "h", "files": ["x.txt"], "items": [], "hash": "0" } });
        let lines = lines(Code::EgressConsentRequired, scope).join("\n");
        assert!(lines.contains("a:b") && lines.contains("x.txt"), "{lines}");
        assert_eq!(super::details(&OpError::new(Code::EgressConsentRequired, "no").info), Vec::<String>::new());
    }
}
