//! Errors as every interface shows them: a stable code, a message, and hints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::id::WorkbenchId;

/// What went wrong, for the caller: a person or a model. Never holds secrets or file contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// The stable code.
    pub error_code: Code,
    /// What happened, in words.
    pub message: String,
    /// The operation, or the part of it, in which it happened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// The step inside the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subphase: Option<String>,
    /// Whether the same call may succeed later without any change.
    pub retryable: bool,
    /// What the caller can do now, as short words: `review`, `discard`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// The same in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The nearest valid values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The model provider concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The model concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The workbench concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// The job concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// More, for programs: for example the list of files in conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Value>,
    /// Where more can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_ref: Option<String>,
}

/// An operation's failure: what the caller is told, and a cause that only the log sees.
#[derive(Debug, thiserror::Error)]
#[error("{}", .info.message)]
pub struct OpError {
    /// What the caller is told.
    pub info: Box<ErrorInfo>,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl OpError {
    /// A failure with this code and these words.
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

    /// Adds a sentence on what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.info.hints.push(hint.into());
        self
    }

    /// Adds a word for what can be done.
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.info.actions.push(action.into());
        self
    }

    /// Adds the nearest valid values.
    #[must_use]
    pub fn suggest<T: Into<String>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        self.info.suggestions.extend(values.into_iter().map(Into::into));
        self
    }

    /// Names the workbench.
    #[must_use]
    pub fn workbench(mut self, id: &WorkbenchId) -> Self {
        self.info.workbench_id = Some(id.clone());
        self
    }

    /// Names the phase, unless one is named already.
    #[must_use]
    pub fn phase(mut self, phase: &str) -> Self {
        if self.info.phase.is_empty() {
            phase.clone_into(&mut self.info.phase);
        }
        self
    }

    /// Names the step inside the phase.
    #[must_use]
    pub fn subphase(mut self, subphase: impl Into<String>) -> Self {
        self.info.subphase = Some(subphase.into());
        self
    }

    /// Adds data for programs.
    #[must_use]
    pub fn detail(mut self, detail: serde_json::Value) -> Self {
        self.info.detail = Some(detail);
        self
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
