//! Errors as RFC 9457 problems, with all information of a Jig error.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use jig_contract::{Code, OpError};
use serde_json::{Map, Value, json};

/// The media type of problems.
pub(super) const MEDIA_TYPE: &str = "application/problem+json";

/// An error on its way to the client.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) error: OpError,
    pub(super) status: StatusCode,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

/// An error attached to a response: the gate writes the body, because it knows the request id.
#[derive(Debug, Clone)]
pub(super) struct Refused(pub(super) Arc<Problem>);

impl Problem {
    /// An error with the status for its code.
    pub(super) fn new(error: OpError) -> Self {
        let status = StatusCode::from_u16(error.code().http()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = Vec::new();
        if error.code() == Code::Busy {
            headers.push((header::RETRY_AFTER, HeaderValue::from_static("5")));
        }
        Self { error, status, headers }
    }

    /// An invalid request, with a specific HTTP status.
    pub(super) fn request(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(OpError::new(Code::InvalidRequest, message)).status(status)
    }

    /// Overrides the status.
    pub(super) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Adds a hint.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error = self.error.hint(hint);
        self
    }

    /// Adds a header.
    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The body. `detail` is defined by the RFC, so an error's details for programs are in `details`.
    pub(super) fn body(&self, request_id: &str) -> Value {
        let code = self.error.code();
        let mut problem = Map::new();
        problem.insert("type".to_owned(), json!(format!("/api/docs#{code}")));
        problem.insert("title".to_owned(), json!(code.doc()));
        problem.insert("status".to_owned(), json!(self.status.as_u16()));
        problem.insert("detail".to_owned(), json!(self.error.info.message));
        problem.insert("instance".to_owned(), json!(format!("urn:jig:request:{request_id}")));
        let info = serde_json::to_value(&self.error.info).unwrap_or_default();
        if let Value::Object(info) = info {
            for (name, value) in info {
                let name = if name == "detail" { "details".to_owned() } else { name };
                problem.insert(name, value);
            }
        }
        Value::Object(problem)
    }
}

impl From<OpError> for Problem {
    fn from(error: OpError) -> Self {
        Self::new(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        for (name, value) in &self.headers {
            response.headers_mut().append(name.clone(), value.clone());
        }
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response.extensions_mut().insert(Refused(Arc::new(self)));
        response
    }
}

/// The schema of problems for the OpenAPI document: that of an error plus the RFC's fields.
pub(super) fn schema(error_info: &Value) -> Value {
    let mut schema = error_info.clone();
    let own = json!({
        "type": { "type": "string", "format": "uri-reference", "description": "Where the code is explained" },
        "title": { "type": "string", "description": "What the code means" },
        "status": { "type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status once more" },
        "instance": { "type": "string", "format": "uri-reference", "description": "The request, by its id" },
    });
    schema["title"] = json!("ProblemDetails");
    schema["description"] = json!("What went wrong (RFC 9457): a stable code, words, and what to do next");
    if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        if let Some(detail) = members.remove("detail") {
            members.insert("details".to_owned(), detail);
        }
        members.insert("detail".to_owned(), json!({ "type": "string", "description": "The same as `message`" }));
        members.extend(own.as_object().cloned().unwrap_or_default());
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.extend(["type", "title", "status", "detail", "instance"].map(Value::from));
    }
    schema
}
