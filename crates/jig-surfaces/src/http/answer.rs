//! Converts the output of an operation into an HTTP response.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use jig_contract::{Code, OpError};
use serde_json::Value;

use super::conditional;
use super::problem::Problem;
use super::query;
use super::routes::{Form, Ready, Verb, fill};

/// The media type of responses.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON response.
pub(super) fn json(status: StatusCode, output: &Value) -> Result<Response<Body>, Problem> {
    Ok(with_type(status, JSON, written(output)?))
}

/// A response with these bytes.
pub(super) fn with_type(status: StatusCode, media_type: HeaderValue, bytes: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

fn written(output: &Value) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(output)
        .map_err(|e| OpError::new(Code::Internal, "the answer cannot be written").because(e).into())
}

/// The response of a resource route, with `ETag`, `Location` and the link to the next page.
pub(super) fn resource(
    ready: &Ready,
    uri: &Uri,
    pairs: &[(String, String)],
    headers: &HeaderMap,
    output: &Value,
) -> Result<Response<Body>, Problem> {
    let bytes = written(output)?;
    let own = match ready.route.form {
        Form::Kept(place) | Form::Revised(place) => output.pointer(place).and_then(Value::as_str),
        _ => None,
    };
    let reads = ready.route.verb == Verb::Get;
    let tag = match own {
        Some(own) => Some(format!("\"{own}\"")),
        None => reads.then(|| conditional::tag(&bytes)),
    };
    let known = |tag: &&str| reads && conditional::is_known(headers, tag) && (own.is_none() || is_settled(output));
    if let Some(tag) = tag.as_deref().filter(known) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        tagged(&mut response, tag);
        return Ok(response);
    }
    let mut response = with_type(status(ready, output), JSON, bytes);
    if let Some(tag) = tag {
        tagged(&mut response, &tag);
    }
    if let Some(place) = location(ready, uri, output, response.status()) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    if let Some(next) = next(ready, uri, pairs, output) {
        response.headers_mut().insert(header::LINK, next);
    }
    Ok(response)
}

/// Whether a response depends only on its revision. Derived data (staleness, files, pending suggestions) can change
/// under the same tag, so a response with such data is always sent again.
fn is_settled(output: &Value) -> bool {
    let resource = ["entry", "artifact", "item"].iter().find_map(|name| output.get(*name));
    // Definitions include counts, schedules and problems that change independently.
    let Some(resource) = resource else { return false };
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members
            .values()
            .all(|member| member.is_null() || member == false || member.as_array().is_some_and(Vec::is_empty)),
        other => *other == 0,
    };
    ["staleness", "assets", "suggestions", "newest_revision"].iter().all(|name| resource.get(*name).is_none_or(empty))
}

fn tagged(response: &mut Response<Body>, tag: &str) {
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    // The client may cache it but must revalidate each time.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

/// The status: created, accepted for a person's decision, or OK.
fn status(ready: &Ready, output: &Value) -> StatusCode {
    match ready.route.form {
        Form::Made(_) => StatusCode::CREATED,
        Form::Kept(_) if output["outcome"] == "proposed" => StatusCode::ACCEPTED,
        Form::Kept(_) if output["created"] == true => StatusCode::CREATED,
        _ => StatusCode::OK,
    }
}

fn location(ready: &Ready, uri: &Uri, output: &Value, status: StatusCode) -> Option<HeaderValue> {
    let place = match ready.route.form {
        Form::Made(place) if place.starts_with('/') => fill(place, output)?,
        Form::Made(place) => format!("{}/{}", uri.path().trim_end_matches('/'), fill(place, output)?),
        Form::Kept(_) if status == StatusCode::CREATED => uri.path().to_owned(),
        _ => return None,
    };
    HeaderValue::from_str(&place).ok()
}

/// The link to the next page of a list.
fn next(ready: &Ready, uri: &Uri, pairs: &[(String, String)], output: &Value) -> Option<HeaderValue> {
    let (name, value) = match ready.route.form {
        Form::Page(name, member) => (name, output.get(member)?.as_str()?.to_owned()),
        Form::Backwards => {
            let last = output["entries"].as_array()?.last()?["seq"].as_u64()?;
            (output["has_more"] == true).then(|| ("before", last.to_string()))?
        }
        _ => return None,
    };
    let query = query::with(pairs, name, &value);
    HeaderValue::from_str(&format!("<{}?{query}>; rel=\"next\"", uri.path())).ok()
}
