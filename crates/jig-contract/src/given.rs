//! Parameter values exactly as the caller passed them, validated by the operation instead of the interface.
//!
//! If an interface parsed ids and paths itself, each would report errors differently. Parameters therefore contain the
//! text, every interface passes it on unchecked, and a single place converts it to a value or an error.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::error::OpError;
use crate::hash::{BadHash, BadHashPrefix, BlobHash, HashPrefix};
use crate::id::{
    AssetId, BadId, CheckpointId, JobId, ProposalId, SessionId, SuggestionId, TokenId, WorkbenchId, shown,
};
use crate::path::{BadPath, WorkbenchPath};

/// A text that has not been converted to a `T` yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Given<T> {
    text: String,
    #[serde(skip)]
    kind: PhantomData<fn() -> T>,
}

impl<T: Checked> Given<T> {
    /// The value, or the error that names the rule that the text breaks.
    pub fn check(&self) -> Result<T, OpError> {
        self.text.parse().map_err(T::refuse)
    }

    /// The text as the caller passed it.
    pub fn as_text(&self) -> &str {
        &self.text
    }
}

impl<T> From<&str> for Given<T> {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), kind: PhantomData }
    }
}

impl<T: std::fmt::Display> From<&T> for Given<T> {
    fn from(value: &T) -> Self {
        Self { text: value.to_string(), kind: PhantomData }
    }
}

impl<T> FromStr for Given<T> {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

impl<T: JsonSchema> JsonSchema for Given<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A value that can be passed as text, with the error for invalid texts.
pub trait Checked: FromStr {
    /// The error for an invalid text.
    fn refuse(error: Self::Err) -> OpError;
}

impl Checked for WorkbenchId {
    fn refuse(error: BadId) -> OpError {
        OpError::new(Code::ValidationFailed, format!("invalid workbench id {error}"))
            .hint("`jig workbench list` shows the workbenches and their ids")
    }
}

impl Checked for CheckpointId {
    fn refuse(error: BadId) -> OpError {
        OpError::new(Code::ValidationFailed, error.to_string()).hint("`jig checkpoint list` shows the checkpoints")
    }
}

macro_rules! checked_uuid {
    ($($id:ident, $hint:literal;)*) => {
        $(impl Checked for $id {
            fn refuse(error: BadId) -> OpError {
                OpError::new(Code::ValidationFailed, error.to_string()).hint($hint)
            }
        })*
    };
}
checked_uuid! {
    AssetId, "`jig asset list` shows the assets and their ids";
    ProposalId, "`jig entry list-proposals` and `jig output list` show the ids";
    SuggestionId, "`jig suggestion list` shows the suggestions and their ids";
    JobId, "`jig job list` shows the jobs and their ids";
    SessionId, "`jig session list` shows the sessions and their ids";
    TokenId, "`jig token list` shows the tokens and their ids";
}

impl Checked for WorkbenchPath {
    fn refuse(error: BadPath) -> OpError {
        OpError::new(Code::SandboxViolation, error.to_string())
            .hint("name a file inside the workbench, for example `reports/q3.docx`; `jig files` lists them")
    }
}

impl Checked for BlobHash {
    fn refuse(error: BadHash) -> OpError {
        OpError::new(Code::ValidationFailed, error.to_string()).hint("`jig file get-info PATH` shows a file's hash")
    }
}

impl Checked for HashPrefix {
    fn refuse(error: BadHashPrefix) -> OpError {
        OpError::new(Code::ValidationFailed, error.to_string()).hint("`jig file get-info PATH` shows a file's hash")
    }
}

/// Checks a name that a person gives to something: visible text, not too long.
pub fn check_name(what: &str, text: &str) -> Result<String, OpError> {
    const NAME_MAX: usize = 200;
    let name = text.trim();
    let rule = if name.is_empty() {
        "it is empty"
    } else if name.chars().count() > NAME_MAX {
        "it has more than 200 characters"
    } else if name.chars().any(char::is_control) {
        "it has a control character"
    } else {
        return Ok(name.to_owned());
    };
    Err(OpError::new(Code::ValidationFailed, format!("invalid name for a {what} {}: {rule}", shown(text)))
        .hint("a name is one line of 1 to 200 characters"))
}
