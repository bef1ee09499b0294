//! How strictly calls are read: for Jig itself and its users, or for the client whose worker `jig worker` replaces.

use jig_file_api::Strictness;

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Jig, or a program written for it: a field that is not known is an error.
    #[default]
    Jig,
    /// The original client: a call that its own worker accepts is accepted, and fields that are not known are reported
    /// as warnings.
    Compat,
}

/// The variable with which the original client starts its worker.
const CLIENT_VARIABLE: &str = "KEENBENCH_WORKBENCHES_DIR";

impl Profile {
    /// The profile for the variables that a worker was started with.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        if variable(CLIENT_VARIABLE).is_some_and(|value| !value.is_empty()) { Self::Compat } else { Self::Jig }
    }

    /// What happens to fields that an op does not have.
    pub fn strictness(self) -> Strictness {
        match self {
            Self::Jig => Strictness::Refuse,
            Self::Compat => Strictness::Warn,
        }
    }
}
