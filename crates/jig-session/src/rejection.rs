//! Rejected commands. A rejected command leaves no trace in the log.

use jig_contract::{Code, OpError};

/// Why a command was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The stable code.
    pub code: Code,
    /// What failed, for people.
    pub message: String,
    /// The next action, if there is one.
    pub hint: Option<String>,
}

impl Rejection {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Rejection> for OpError {
    fn from(rejection: Rejection) -> Self {
        let error = Self::new(rejection.code, rejection.message);
        match rejection.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
