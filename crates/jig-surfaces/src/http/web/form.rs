//! Form data: fields and files.

use axum::body::Body;
use jig_contract::Code;
use jig_contract::OpError;

use super::super::body::{self, Bounds, MemoryPermit};
use super::super::problem::Problem;
use super::super::query;
use super::upload::{self, Staged};
use super::visit::Visit;

/// The size limit before sign-in.
const SIGN_IN_BYTES: usize = 16 << 10;

/// A submitted form.
#[derive(Default)]
pub(super) struct Form {
    pub(super) fields: Vec<(String, String)>,
    pub(super) files: Staged,
    /// The memory permit of the fields.
    pub(super) memory: Option<MemoryPermit>,
}

impl Form {
    /// Reads a form in either encoding.
    pub(super) async fn read(visit: &Visit, content: Body) -> Result<Self, Problem> {
        let options = &visit.app.options;
        match body::media_type(&visit.headers).as_deref() {
            Some("multipart/form-data") if visit.is_known() => upload::read(visit, content).await,
            Some("application/x-www-form-urlencoded") => {
                // URL encoding can triple the size of a text.
                let bytes = if visit.is_known() { options.max_body_bytes.saturating_mul(3) } else { SIGN_IN_BYTES };
                let bounds = Bounds { bytes, time: options.body_time, setting: "serve.max_body_bytes" };
                let (bytes, memory) = body::read(&visit.app.memory, &visit.headers, content, bounds).await?;
                let text = std::str::from_utf8(&bytes)
                    .map_err(|_| OpError::new(Code::InvalidRequest, "the form is not UTF-8"))?;
                Ok(Self { fields: query::parse(Some(text))?, files: Staged::default(), memory: Some(memory) })
            }
            _ => Err(body::wrong_type("application/x-www-form-urlencoded")),
        }
    }

    /// The text of a field; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.fields.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The text of a field, unless it is empty.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name).trim()).filter(|text| !text.is_empty())
    }

    /// All texts of a repeated field.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A field's value as a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.given(name).and_then(|text| text.parse().ok())
    }
}

/// The base revision in a form: the tag of what it shows; 0 for something new.
pub(super) fn base(tag: Option<&jig_contract::RevisionTag>) -> String {
    tag.map_or_else(|| "0".to_owned(), ToString::to_string)
}

/// Browsers send line endings as `\r\n`; this restores `\n`.
pub(super) fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}
