//! Maps refusals of servers to error codes of the contract.

use std::time::Duration;

use jig_contract::{Code, Timestamp};

use crate::endpoint::Endpoint;
use crate::error::{Again, ProviderError};
use crate::redact::excerpt;
use crate::registry::Model;
use crate::wire::{ServerError, Trouble};

/// The context of an error.
pub(crate) struct Place<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) model: &'a Model,
    /// The request, so that no part of it is repeated.
    pub(crate) body: &'a [u8],
}

impl Place<'_> {
    /// The error for an answer that is not a message.
    pub(crate) fn trouble(&self, trouble: Trouble) -> ProviderError {
        let error = match trouble {
            Trouble::Server(error) => return self.error_for(None, &error, None),
            Trouble::Unreadable(why) => ProviderError::unreadable(why),
            Trouble::BrokenOff => ProviderError::broken_off(),
        };
        error.model(&self.model.id)
    }

    /// The error for a response with an error status.
    pub(crate) fn refused(&self, status: u16, body: &[u8], header_wait: Option<Duration>) -> ProviderError {
        self.error_for(Some(status), &ServerError::of_failure(body), header_wait).with_status(status)
    }

    fn error_for(&self, status: Option<u16>, error: &ServerError, header_wait: Option<Duration>) -> ProviderError {
        let cause = cause(status, error);
        let name = &self.endpoint.name;
        let words = excerpt(&error.message, self.endpoint.key.as_ref(), self.body);
        let says = if words.is_empty() { String::new() } else { format!("; it says: {words}") };
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let wait = header_wait.or(error.retry_after);
        let make =
            |code, what: &str| ProviderError::new(code, format!("{name} {what}{status}{says}")).model(&self.model.id);
        match cause {
            Cause::Key => make(Code::ProviderAuthFailed, "rejected the key").hint(self.key_hint()),
            Cause::Forbidden => make(Code::ProviderAuthFailed, "does not permit this with the given key")
                .hint("check the permissions of the key and its account"),
            Cause::Unknown => make(Code::ProviderNotConfigured, &format!("has no model `{}`", self.model.id.model()))
                .hint(format!("check the model's name and the address {}", self.endpoint.display_url())),
            Cause::Window => {
                make(Code::ContextExhausted, "reports that the request exceeds the model's context window")
                    .hint("send less, or choose a model with a larger window")
            }
            Cause::Limited => make(Code::ProviderRateLimited, "limits the rate of requests")
                .with_again(Again::Here)
                .with_retry_after(wait)
                .hint("wait, or send smaller requests"),
            Cause::Spent => make(Code::ProviderRateLimited, "reports that the account's quota is used up")
                .with_again(Again::Never)
                .hint("check the account's plan and billing at the provider"),
            Cause::Busy => make(Code::ProviderUnavailable, "is temporarily unavailable")
                .with_again(Again::Here)
                .with_retry_after(wait),
            Cause::Down => make(Code::ProviderUnavailable, "returned an error"),
            Cause::Request => make(Code::ProviderUnavailable, "rejected the request")
                .with_again(Again::Never)
                .hint("try another model; if none accepts it, this is a bug in Jig"),
        }
    }

    fn key_hint(&self) -> String {
        match &self.endpoint.key_env {
            Some(variable) => format!("set a valid key in the variable {variable} or in the secrets file"),
            None => format!("add a key for {} to the secrets file", self.endpoint.id),
        }
    }
}

/// The cause of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Key,
    Forbidden,
    Unknown,
    Window,
    Limited,
    Spent,
    Busy,
    Down,
    Request,
}

fn cause(status: Option<u16>, error: &ServerError) -> Cause {
    let kind = error.kind.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    let refusal = matches!(status, None | Some(400 | 413 | 422 | 500));
    if status == Some(413) || (refusal && is_window(&kind, &error.message)) {
        return Cause::Window;
    }
    if has(&["insufficient_quota", "billing", "per_day_quota"]) || status == Some(402) {
        return Cause::Spent;
    }
    if has(&["api_key_invalid", "authentication_error", "invalid_api_key"]) {
        return Cause::Key;
    }
    match status {
        Some(401) => Cause::Key,
        Some(403) => Cause::Forbidden,
        Some(404) => Cause::Unknown,
        Some(429) => Cause::Limited,
        Some(500 | 502 | 503 | 529) => Cause::Busy,
        Some(408 | 425 | 501 | 504..=599) => Cause::Down,
        // Within an answer there is no status, so the text decides.
        None if has(&["rate_limit", "429", "resource_exhausted"]) => Cause::Limited,
        None if has(&["overloaded", "api_error", "server_error", "unavailable", "internal", "500", "503", "529"]) => {
            Cause::Busy
        }
        None if has(&["invalid", "400"]) => Cause::Request,
        None => Cause::Down,
        Some(_) => Cause::Request,
    }
}

/// Each provider words an exceeded context window differently.
fn is_window(kind: &str, message: &str) -> bool {
    const KINDS: [&str; 3] = ["context_length_exceeded", "exceed_context_size", "request_too_large"];
    const WORDS: [&[&str]; 9] = [
        &["prompt is too long"],
        &["exceed context limit"],
        &["input token count", "exceeds the maximum"],
        &["maximum context length"],
        &["too large for model"],
        &["exceeds the available context size"],
        &["exceeds the context"],
        &["context window", "exceed"],
        &["context the overflows"],
    ];
    let message = message.to_ascii_lowercase();
    KINDS.iter().any(|word| kind.contains(word))
        || WORDS.iter().any(|words| words.iter().all(|word| message.contains(word)))
}

/// Parses `Retry-After`: seconds or a date.
pub(crate) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(value.trim()).ok()?;
    let wait = date.timestamp().as_millisecond().saturating_sub(now.as_millis());
    Some(Duration::from_millis(u64::try_from(wait).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server_error(kind: &str, message: &str) -> ServerError {
        ServerError { kind: kind.to_owned(), message: message.to_owned(), retry_after: None }
    }

    #[test]
    fn a_full_window_is_recognised_in_every_providers_words() {
        for (kind, message) in [
            ("invalid_request_error context_length_exceeded", "Your input exceeds the context window of this model."),
            ("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
            ("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3"),
            (
                "400 INVALID_ARGUMENT",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            ),
            (
                "invalid_request_error",
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            ),
            ("exceed_context_size_error 400", "the request exceeds the available context size, try increasing it"),
            ("BadRequestError 400", "This model's maximum context length is 4096 tokens. However, you requested 5000."),
        ] {
            assert_eq!(cause(Some(400), &server_error(kind, message)), Cause::Window, "{message}");
        }
        assert_eq!(cause(Some(413), &server_error("", "")), Cause::Window);
        assert_eq!(cause(Some(400), &server_error("invalid_request_error", "temperature: too large")), Cause::Request);
    }

    #[test]
    fn the_status_and_the_kind_decide_together() {
        for (status, kind, expected) in [
            (Some(401), "", Cause::Key),
            (Some(400), "400 INVALID_ARGUMENT API_KEY_INVALID", Cause::Key),
            (Some(403), "", Cause::Forbidden),
            (Some(404), "", Cause::Unknown),
            (Some(429), "rate_limit_error", Cause::Limited),
            (Some(429), "insufficient_quota insufficient_quota", Cause::Spent),
            (Some(429), "429 RESOURCE_EXHAUSTED per_day_quota", Cause::Spent),
            (Some(503), "", Cause::Busy),
            (Some(529), "overloaded_error", Cause::Busy),
            (Some(504), "", Cause::Down),
            (None, "overloaded_error", Cause::Busy),
            (None, "rate_limit_error", Cause::Limited),
            (None, "", Cause::Down),
        ] {
            assert_eq!(cause(status, &server_error(kind, "")), expected, "{status:?} {kind}");
        }
    }

    #[test]
    fn waits_are_seconds_or_dates() {
        let now = Timestamp::from_millis(1_763_199_000_000);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(" 0.5 ", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sat, 15 Nov 2025 09:30:20 GMT", now), Some(Duration::from_secs(20)));
        assert_eq!(retry_after("Sat, 15 Nov 2025 09:00:00 GMT", now), Some(Duration::ZERO));
        for bad in ["soon", "-1", "NaN", ""] {
            assert_eq!(retry_after(bad, now), None, "{bad}");
        }
    }
}
