//! The parameters of a read and the warnings of its reply, for the readers that still take and give JSON.

use jig_file_api::parse_query;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::engine::FileError;

/// Reads parameters. `null` is the same as not given; unknown fields become warnings.
pub(crate) fn parse<T: DeserializeOwned>(params: &Value, warnings: &mut Vec<String>) -> Result<T, FileError> {
    Ok(parse_query(params, warnings)?)
}

/// Puts warnings into a reply, if there are any.
pub(crate) fn with_warnings(mut reply: Value, warnings: Vec<String>) -> Value {
    if let (Some(reply), false) = (reply.as_object_mut(), warnings.is_empty()) {
        reply.insert("warnings".to_owned(), warnings.into());
    }
    reply
}
