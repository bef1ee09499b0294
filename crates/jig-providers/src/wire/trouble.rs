//! Problems of an answer, before they become errors for the caller.

use std::time::Duration;

use serde_json::Value;

/// Why an answer is not a message.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The server reported an error.
    Server(ServerError),
    /// It cannot be parsed.
    Unreadable(&'static str),
    /// It ended too early.
    BrokenOff,
}

/// An error as reported by a server. Must be cleaned before it is shown.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ServerError {
    /// Its kind: the values of `type`, `code` and `status`, joined.
    pub(crate) kind: String,
    /// Its message.
    pub(crate) message: String,
    /// The requested pause, if the body contains one.
    pub(crate) retry_after: Option<Duration>,
}

impl ServerError {
    /// The error in a body that reports one; `None` for any other body.
    pub(crate) fn in_body(body: &Value) -> Option<Self> {
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Some(Self::read(error));
        }
        let named = body["object"] == "error" || body["type"] == "error";
        named.then(|| Self::read(body))
    }

    /// Extracts the error from the body of a failed request.
    pub(crate) fn of_failure(body: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            return Self { message: String::from_utf8_lossy(body).into_owned(), ..Self::default() };
        };
        Self::in_body(&value).unwrap_or_else(|| Self::read(&value))
    }

    fn read(error: &Value) -> Self {
        let word = |key: &str| match &error[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let words = [word("type"), word("code"), word("status")];
        let kind = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let message = match (error, &error["message"], &error["detail"]) {
            (Value::String(text), _, _) | (_, Value::String(text), _) => text.clone(),
            (_, Value::Null, Value::Null) => String::new(),
            (_, Value::Null, other) | (_, other, _) => other.to_string(),
        };
        let details = error["details"].as_array();
        let reasons = details.into_iter().flatten().filter_map(|detail| detail["reason"].as_str());
        let kind = reasons.fold(kind, |kind, reason| format!("{kind} {reason}"));
        let wait = details.into_iter().flatten().find_map(|detail| detail["retryDelay"].as_str());
        let kind = if per_day(details) { format!("{kind} per_day_quota") } else { kind };
        Self { kind, message, retry_after: wait.and_then(seconds) }
    }
}

/// Google's marker for a daily quota.
fn per_day(details: Option<&Vec<Value>>) -> bool {
    let violations = details.into_iter().flatten().filter_map(|detail| detail["violations"].as_array()).flatten();
    violations.filter_map(|violation| violation["quotaId"].as_str()).any(|quota| quota.contains("PerDay"))
}

/// A duration such as `1.5s`, in Google's format.
fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_providers_form_is_read() {
        let read = |value: Value| {
            let error = ServerError::in_body(&value).unwrap();
            (error.kind, error.message)
        };
        let both = |kind: &str, message: &str| (kind.to_owned(), message.to_owned());
        let openai = json!({"error": {"message": "m", "type": "invalid_request_error", "param": null, "code": "c"}});
        assert_eq!(read(openai), both("invalid_request_error c", "m"));
        let anthropic = json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}});
        assert_eq!(read(anthropic), both("overloaded_error", "m"));
        let gemini = json!([{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}]);
        assert_eq!(read(gemini), both("400 INVALID_ARGUMENT", "m"));
        let mistral = json!({"object": "error", "message": {"detail": [1]}, "type": "t", "code": "1800"});
        assert_eq!(read(mistral), both("t 1800", "{\"detail\":[1]}"));
        assert_eq!(read(json!({"error": "model not found"})), both("", "model not found"));
        assert_eq!(ServerError::in_body(&json!({"id": 1, "error": null})), None);
    }

    #[test]
    fn googles_wait_and_daily_quota_are_found() {
        let body = json!({"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [
            {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
            {"retryDelay": "45.5s"},
        ]}});
        let error = ServerError::in_body(&body).unwrap();
        assert_eq!(error.retry_after, Some(Duration::from_millis(45_500)));
        assert!(error.kind.ends_with("per_day_quota"));
    }

    #[test]
    fn a_body_that_is_no_json_is_its_own_message() {
        assert_eq!(ServerError::of_failure(b"<h1>Bad gateway</h1>").message, "<h1>Bad gateway</h1>");
        assert_eq!(ServerError::of_failure(br#"{"message":"Unauthorized"}"#).message, "Unauthorized");
        assert_eq!(ServerError::of_failure(br#"{"detail":"no"}"#).message, "\"no\"");
    }
}
