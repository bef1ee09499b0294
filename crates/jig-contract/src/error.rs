//! Errors as every interface shows them: a stable code, a message, and hints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::id::WorkbenchId;

/// An error for the caller, a person or a model. It never contains secrets or file contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// The stable code.
    pub error_code: Code,
    /// What happened.
    pub message: String,
    /// The operation, or its phase, that failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// The step within the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subphase: Option<String>,
    /// Whether the same call may succeed later without any change.
    pub retryable: bool,
    /// What the caller can do now, as keywords: `review`, `discard`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// What the caller can do now, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The closest valid values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The model provider involved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The model involved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The workbench involved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// The job involved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Machine-readable details, such as the list of conflicting files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Value>,
    /// A link to documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_ref: Option<String>,
}

/// An operation's failure: what the caller sees, and a cause that only the log records.
#[derive(Debug, thiserror::Error)]
#[error("{}", .info.message)]
pub struct OpError {
    /// What the caller sees.
    pub info: Box<ErrorInfo>,
    /// The cause, for the log only.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl OpError {
    /// Creates a failure with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let info = ErrorInfo {
            error_code: code,
            message: message.into(),
            phase: String::new(),
            subphase: None,
            retryable: code.retryable(),
            actions: Vec::new(),
            hints: Vec::new(),
            suggestions: Vec::new(),
            provider_id: None,
            model_id: None,
            workbench_id: None,
            job_id: None,
            detail: None,
            detail_ref: None,
        };
        Self { info: Box::new(info), source: None }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.info.error_code
    }

    /// Adds a sentence that says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.info.hints.push(hint.into());
        self
    }

    /// Adds a keyword for what can be done.
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.info.actions.push(action.into());
        self
    }

    /// Adds the closest valid values.
    #[must_use]
    pub fn suggest<T: Into<String>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        self.info.suggestions.extend(values.into_iter().map(Into::into));
        self
    }

    /// Sets the workbench.
    #[must_use]
    pub fn workbench(mut self, id: &WorkbenchId) -> Self {
        self.info.workbench_id = Some(id.clone());
        self
    }

    /// Sets the phase, unless one is set.
    #[must_use]
    pub fn phase(mut self, phase: &str) -> Self {
        if self.info.phase.is_empty() {
            phase.clone_into(&mut self.info.phase);
        }
        self
    }

    /// Sets the step within the phase.
    #[must_use]
    pub fn subphase(mut self, subphase: impl Into<String>) -> Self {
        self.info.subphase = Some(subphase.into());
        self
    }

    /// Adds machine-readable details.
    #[must_use]
    pub fn detail(mut self, detail: serde_json::Value) -> Self {
        self.info.detail = Some(detail);
        self
    }

    /// Attaches the cause for the log.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
