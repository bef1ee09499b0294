//! Errors of model calls, as error codes of the contract.

use std::time::Duration;

use jig_contract::{Code, OpError};

use crate::registry::ModelId;

/// Whether and by whom a call may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// Immediately, by the provider itself.
    Here,
    /// Later, by the caller.
    Later,
    /// Not without a change.
    Never,
}

/// A failed call. Contains no key and no prompt, and at most a short, cleaned excerpt of the server's message.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .inner.message)]
pub struct ProviderError {
    inner: Box<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    code: Code,
    message: String,
    hints: Vec<String>,
    model: Option<ModelId>,
    again: Again,
    retry_after: Option<Duration>,
    status: Option<u16>,
    cut: bool,
}

impl ProviderError {
    /// An error with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let again = if code.retryable() { Again::Later } else { Again::Never };
        let inner = Inner {
            code,
            message: message.into(),
            hints: Vec::new(),
            model: None,
            again,
            retry_after: None,
            status: None,
            cut: false,
        };
        Self { inner: Box::new(inner) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.inner.code
    }

    /// The next actions.
    pub fn hints(&self) -> &[String] {
        &self.inner.hints
    }

    /// Whether the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        self.inner.again != Again::Never
    }

    /// The pause that the provider asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// The HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        self.inner.status
    }

    /// Whether the connection ended in the middle of an answer.
    pub fn is_cut(&self) -> bool {
        self.inner.cut
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.inner.hints.push(hint.into());
        self
    }

    /// Names the model.
    #[must_use]
    pub fn model(mut self, model: &ModelId) -> Self {
        self.inner.model = Some(model.clone());
        self
    }

    pub(crate) fn again(&self) -> Again {
        self.inner.again
    }

    pub(crate) fn with_again(mut self, again: Again) -> Self {
        self.inner.again = again;
        self
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.inner.status = Some(status);
        self
    }

    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.inner.retry_after = wait;
        self
    }

    pub(crate) fn canceled() -> Self {
        Self::new(Code::UserCanceled, "the call was cancelled before the model answered")
    }

    /// The answer is unreadable or incomplete.
    pub(crate) fn unreadable(why: impl std::fmt::Display) -> Self {
        Self::new(Code::ProviderUnavailable, format!("the model's answer is invalid: {why}"))
    }

    /// The answer ended too early.
    pub(crate) fn broken_off() -> Self {
        let mut error = Self::unreadable("the connection ended before the answer was complete")
            .with_again(Again::Here)
            .hint("the partial answer was discarded; try again");
        error.inner.cut = true;
        error
    }
}

impl From<ProviderError> for OpError {
    fn from(error: ProviderError) -> Self {
        let inner = *error.inner;
        let mut op = Self::new(inner.code, inner.message);
        op.info.retryable = inner.again != Again::Never;
        op.info.hints = inner.hints;
        if let Some(model) = inner.model {
            op.info.provider_id = Some(model.provider().to_owned());
            op.info.model_id = Some(model.to_string());
        }
        if let Some(wait) = inner.retry_after {
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            op.info.detail = Some(serde_json::json!({ "retry_after_ms": millis }));
        } else if inner.cut {
            op.info.detail = Some(serde_json::json!({ "answer_cut": true }));
        }
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_the_operation_all_it_knows() {
        let model: ModelId = "openai:gpt-x".parse().unwrap();
        let error = ProviderError::new(Code::ProviderRateLimited, "slow down")
            .model(&model)
            .hint("wait")
            .with_retry_after(Some(Duration::from_millis(1500)));
        let op = OpError::from(error);
        assert_eq!(op.code(), Code::ProviderRateLimited);
        assert_eq!(op.info.provider_id.as_deref(), Some("openai"));
        assert_eq!(op.info.model_id.as_deref(), Some("openai:gpt-x"));
        assert_eq!(op.info.detail, Some(serde_json::json!({ "retry_after_ms": 1500 })));
        assert!(op.info.retryable && op.info.hints == ["wait"]);
    }

    #[test]
    fn who_may_try_again_follows_the_code_unless_said_otherwise() {
        assert!(ProviderError::new(Code::ProviderUnavailable, "").retryable());
        assert!(!ProviderError::new(Code::ProviderAuthFailed, "").retryable());
        assert!(!ProviderError::new(Code::ProviderUnavailable, "").with_again(Again::Never).retryable());
    }
}
