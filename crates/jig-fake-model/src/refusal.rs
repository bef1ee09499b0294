//! Refusals in each provider's own format.

use serde_json::{Value, json};

use crate::format::Format;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The key is invalid: 401, for Google 400.
    Key,
    /// The key has no permission: 403.
    Forbidden,
    /// The model does not exist: 404.
    Unknown,
    /// Too many requests: 429. The pause is set with `Reply::header`; for Google it is in the body.
    Limited,
    /// The account's credit is used up: 429.
    Spent,
    /// The prompt exceeds the context window: 400.
    Window,
    /// The request is malformed: 400.
    Malformed,
    /// An internal server error: 500.
    Server,
    /// The server is overloaded: 529, elsewhere 503.
    Overloaded,
}

impl Refusal {
    pub(crate) fn status(self, format: Format) -> u16 {
        match (self, format) {
            (Self::Key, Format::Gemini) | (Self::Window | Self::Malformed, _) => 400,
            (Self::Key, _) => 401,
            (Self::Forbidden, _) => 403,
            (Self::Unknown, _) => 404,
            (Self::Limited | Self::Spent, _) => 429,
            (Self::Server, _) => 500,
            (Self::Overloaded, Format::Messages) => 529,
            (Self::Overloaded, _) => 503,
        }
    }

    pub(crate) fn body(self, format: Format) -> Value {
        match format {
            Format::Chat | Format::Responses => self.openai(),
            Format::Messages => self.anthropic(),
            Format::Gemini => self.google(),
        }
    }

    fn openai(self) -> Value {
        let (kind, code, message) = match self {
            Self::Key => ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-wrong****rong."),
            Self::Forbidden => ("invalid_request_error", "unsupported_country_region_territory", "Not supported."),
            Self::Unknown => ("invalid_request_error", "model_not_found", "The model does not exist."),
            Self::Limited => ("requests", "rate_limit_exceeded", "Rate limit reached for requests per min."),
            Self::Spent => ("insufficient_quota", "insufficient_quota", "You exceeded your current quota."),
            Self::Window => {
                ("invalid_request_error", "context_length_exceeded", "Your input exceeds the context window.")
            }
            Self::Malformed => ("invalid_request_error", "unsupported_parameter", "Unsupported parameter."),
            Self::Server => ("server_error", "server_error", "The server had an error."),
            Self::Overloaded => ("server_error", "overloaded", "The engine is currently overloaded."),
        };
        json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
    }

    fn anthropic(self) -> Value {
        let (kind, message) = match self {
            Self::Key => ("authentication_error", "invalid x-api-key"),
            Self::Forbidden => ("permission_error", "Your API key does not have permission."),
            Self::Unknown => ("not_found_error", "model: claude-none"),
            Self::Limited => ("rate_limit_error", "This request would exceed your rate limit."),
            Self::Spent => ("billing_error", "Your credit balance is too low."),
            Self::Window => ("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
            Self::Malformed => ("invalid_request_error", "messages.0: all messages must have non-empty content"),
            Self::Server => ("api_error", "Internal server error"),
            Self::Overloaded => ("overloaded_error", "Overloaded"),
        };
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
    }

    fn google(self) -> Value {
        let (status, message, details) = match self {
            Self::Key => ("INVALID_ARGUMENT", "API key not valid.", json!([{ "reason": "API_KEY_INVALID" }])),
            Self::Forbidden => ("PERMISSION_DENIED", "Permission denied.", json!([])),
            Self::Unknown => ("NOT_FOUND", "models/none is not found for API version v1beta.", json!([])),
            Self::Limited => ("RESOURCE_EXHAUSTED", "Quota exceeded.", json!([{ "retryDelay": "0.02s" }])),
            Self::Spent => {
                let violation = json!({ "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier" });
                ("RESOURCE_EXHAUSTED", "Quota exceeded.", json!([{ "violations": [violation] }]))
            }
            Self::Window => {
                let message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
                ("INVALID_ARGUMENT", message, json!([]))
            }
            Self::Malformed => ("INVALID_ARGUMENT", "Invalid JSON payload received.", json!([])),
            Self::Server => ("INTERNAL", "An internal error has occurred.", json!([])),
            Self::Overloaded => ("UNAVAILABLE", "The model is overloaded.", json!([])),
        };
        let code = self.status(Format::Gemini);
        json!({ "error": { "code": code, "message": message, "status": status, "details": details } })
    }
}
