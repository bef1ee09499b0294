//! Reading the body of a request: only so much of it, and only for so long.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use jig_contract::{Code, OpError};
use serde_json::{Map, Value};

use super::problem::Problem;

/// How much of a body that is too large is read past, so that the client gets to read the answer.
const READ_PAST: usize = 64 << 20;
const READ_PAST_TIME: Duration = Duration::from_secs(5);

/// Bounds of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) time: Duration,
    /// The setting that raises the bound.
    pub(super) setting: &'static str,
}

/// The whole body.
pub(super) async fn read(headers: &HeaderMap, body: Body, bounds: Bounds) -> Result<Bytes, Problem> {
    let said = said_length(headers);
    let waits = headers.contains_key(header::EXPECT);
    if said.is_some_and(|said| said > bounds.bytes as u64) {
        // One that waits for leave to send has sent nothing yet.
        if !waits {
            read_past(body).await;
        }
        return Err(too_large(bounds));
    }
    match tokio::time::timeout(bounds.time, collect(body, bounds)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err((problem, rest))) => {
            if let Some(rest) = rest {
                read_past(rest).await;
            }
            Err(problem)
        }
        Err(_) => Err(too_slow(bounds.time)),
    }
}

async fn collect(mut body: Body, bounds: Bounds) -> Result<Bytes, (Problem, Option<Body>)> {
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err((Problem::request(StatusCode::BAD_REQUEST, "the body broke off"), None));
        };
        let Ok(data) = frame.into_data() else { continue };
        let so_far = all.len() + first.as_ref().map_or(0, Bytes::len);
        if so_far + data.len() > bounds.bytes {
            return Err((too_large(bounds), Some(body)));
        }
        // Most bodies come in one piece, which is then passed on as it is.
        match first.take() {
            None if all.is_empty() => first = Some(data),
            before => {
                all.extend_from_slice(before.as_deref().unwrap_or_default());
                all.extend_from_slice(&data);
            }
        }
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

/// Takes what is still sent and drops it, within reason: a client that is not done sending does not read an answer.
pub(super) async fn read_past(mut body: Body) {
    let reading = async {
        let mut past = 0;
        while let Some(Ok(frame)) = body.frame().await {
            past += frame.data_ref().map_or(0, Bytes::len);
            if past > READ_PAST {
                break;
            }
        }
    };
    // A client that still sends after this is cut off.
    let _ = tokio::time::timeout(READ_PAST_TIME, reading).await;
}

pub(super) fn too_large(bounds: Bounds) -> Problem {
    let message = format!("the body is larger than {} bytes", bounds.bytes);
    let error = OpError::new(Code::MessageTooLarge, message).hint(format!("the setting {} raises it", bounds.setting));
    Problem::new(error).status(StatusCode::PAYLOAD_TOO_LARGE).header(header::CONNECTION, close())
}

pub(super) fn too_slow(time: Duration) -> Problem {
    let message = format!("the body did not come within {} seconds", time.as_secs());
    Problem::request(StatusCode::REQUEST_TIMEOUT, message).header(header::CONNECTION, close())
}

fn close() -> HeaderValue {
    HeaderValue::from_static("close")
}

/// A body of JSON that is an object; none counts as an empty one.
pub(super) async fn json(headers: &HeaderMap, body: Body, bounds: Bounds) -> Result<Map<String, Value>, Problem> {
    let typed = is_json(headers);
    let bytes = read(headers, body, bounds).await?;
    if bytes.is_empty() && !headers.contains_key(header::CONTENT_TYPE) {
        return Ok(Map::new());
    }
    if !typed {
        return Err(wrong_type("application/json"));
    }
    let value = serde_json::from_slice(&bytes).map_err(|error| {
        // The parser's words carry the place, and never the content.
        Problem::request(StatusCode::BAD_REQUEST, format!("the body is not JSON: {error}"))
    })?;
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(Problem::request(StatusCode::BAD_REQUEST, "the body must be a JSON object")),
    }
}

/// How many bytes a body has, where its head says so.
pub(super) fn said_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// The media type of a request, without its parameters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers)
        .is_some_and(|kind| kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json")))
}

/// The answer to a body of another type than the one that is taken here.
pub(super) fn wrong_type(wanted: &'static str) -> Problem {
    let problem = Problem::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the body must be {wanted}"));
    problem.hint(format!("send the header `Content-Type: {wanted}`"))
}
