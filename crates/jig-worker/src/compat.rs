//! How strictly calls are read: for Jig itself and its users, or for the client whose worker `jig worker` replaces.

use jig_file_api::Strictness;
use serde_json::Value;

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

    /// The parameters of a read with the defaults that the caller expects.
    pub(crate) fn read_params(self, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        let is_absent = |value: Option<&Value>| value.is_none_or(|value| value.is_null() || value == "");
        if self == Self::Compat && method == "PptxGetSlideContent" && is_absent(params.get("detail")) {
            params["detail"] = "positioned".into();
        }
        params
    }

    /// The reply to a read in the form that the caller expects.
    pub(crate) fn read_reply(self, method: &str, mut reply: Value) -> Value {
        if self == Self::Compat && method == "XlsxRenderGrid" {
            let rows = reply.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten();
            for cell in rows.filter_map(Value::as_array_mut).flatten() {
                // Its own worker gives dates as ISO text, and this client shows `value` as it is.
                if let Some(date) = cell.get("date").filter(|date| date.is_string()).cloned() {
                    cell["value"] = date;
                    cell["type"] = "string".into();
                }
            }
        }
        reply
    }

    /// What happens to fields that an op does not have.
    pub fn strictness(self) -> Strictness {
        match self {
            Self::Jig => Strictness::Refuse,
            Self::Compat => Strictness::Warn,
        }
    }
}
