//! Files and assets as they are: whole, or a part of them.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jig_contract::ops::{AssetGetOutput, FileGetInfo};
use jig_contract::{Code, OpError, params_from_json};
use serde_json::{Map, Value, json};

use super::app::App;
use super::call::Asked;
use super::conditional;
use super::params;
use super::problem::Problem;
use super::query;
use super::routes::Ready;

/// Whatever a file holds, it runs nothing and reaches nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

/// A thing with bytes.
struct Thing {
    name: String,
    media_type: String,
    tag: String,
    bytes: Bytes,
}

/// `GET /api/workbenches/{workbench_id}/files/{*path}`.
pub(super) async fn file(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
) -> Result<Response<Body>, Problem> {
    params::add_query(&mut params, &ready.members, &asked.pairs)?;
    let params = params_from_json::<FileGetInfo>(Value::Object(params))?;
    let (id, path) = (params.workbench_id.check()?, params.path.check()?);
    let context = asked.admitted.context();
    let (info, bytes) = app.workbench.read_bytes(&context, &id, &path, params.root).await?;
    let name = path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    let thing = Thing { name, media_type: told(info.media_type, &bytes), tag: format!("\"{}\"", info.hash), bytes };
    Ok(whole_or_part(&asked.parts.headers, &thing))
}

/// A file is JSON by its name; who is told so takes it for granted that it can be read as such.
fn told(media_type: String, bytes: &[u8]) -> String {
    let is_json = || serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    if media_type == "application/json" && !is_json() { "text/plain".to_owned() } else { media_type }
}

/// `GET /api/workbenches/{workbench_id}/assets/{asset_id}/content`.
pub(super) async fn asset(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
) -> Result<Response<Body>, Problem> {
    params::no_query(&asked.pairs, "an asset's bytes take")?;
    params.insert("include_content".to_owned(), json!(true));
    let output = app.call(ready.op, asked.admitted.context(), Value::Object(params)).await?;
    let strange = || OpError::new(Code::Internal, "an asset's bytes did not come as they should");
    let output: AssetGetOutput = serde_json::from_value(output).map_err(|e| strange().because(e))?;
    let Some(content) = output.content_base64 else {
        let error = OpError::new(Code::AssetExpired, "the asset has expired and its bytes are gone");
        return Err(error.into());
    };
    let bytes = STANDARD.decode(content).map_err(|e| strange().because(e))?;
    let tag = conditional::tag(&bytes);
    let (name, media_type) = (output.asset.name, output.asset.mime_type);
    Ok(whole_or_part(&asked.parts.headers, &Thing { name, media_type, tag, bytes: bytes.into() }))
}

fn whole_or_part(headers: &HeaderMap, thing: &Thing) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    if conditional::is_known(headers, &thing.tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let total = thing.bytes.len();
        match range(headers, &thing.tag, total) {
            Range::Whole => *response.body_mut() = Body::from(thing.bytes.clone()),
            Range::Part(from, to) => {
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                set(&mut response, header::CONTENT_RANGE, &format!("bytes {from}-{}/{total}", to - 1));
                *response.body_mut() = Body::from(thing.bytes.slice(from..to));
            }
            Range::Nowhere => {
                *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
                set(&mut response, header::CONTENT_RANGE, &format!("bytes */{total}"));
            }
        }
    }
    set(&mut response, header::ETAG, &thing.tag);
    set(&mut response, header::CONTENT_TYPE, &thing.media_type);
    set(&mut response, header::CONTENT_DISPOSITION, &disposition(&thing.name, &thing.media_type));
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::CACHE_CONTROL, "private, no-cache");
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    response
}

fn set(response: &mut Response<Body>, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Pictures and plain texts may be shown; all else is for keeping.
fn disposition(name: &str, media_type: &str) -> String {
    let shown = matches!(media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "text/plain");
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') || c == ' ' { c } else { '_' })
        .collect();
    let how = if shown { "inline" } else { "attachment" };
    format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{}", query::encode(name))
}

#[derive(Debug, PartialEq, Eq)]
enum Range {
    Whole,
    /// From this byte to before that one.
    Part(usize, usize),
    Nowhere,
}

/// What part is asked for. Several parts at once, and words that are not understood, mean the whole.
fn range(headers: &HeaderMap, tag: &str, total: usize) -> Range {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(wanted) = text(header::RANGE).and_then(|wanted| wanted.strip_prefix("bytes=")) else {
        return Range::Whole;
    };
    if text(header::IF_RANGE).is_some_and(|known| known != tag) {
        return Range::Whole;
    }
    let Some((from, to)) = wanted.trim().split_once('-').filter(|_| !wanted.contains(',')) else { return Range::Whole };
    match (from.parse::<usize>(), to.parse::<usize>()) {
        (Ok(from), _) if from >= total => Range::Nowhere,
        (Ok(from), Ok(to)) if to >= from => Range::Part(from, to.saturating_add(1).min(total)),
        (Ok(from), Err(_)) if to.is_empty() => Range::Part(from, total),
        (Err(_), Ok(0)) if from.is_empty() => Range::Nowhere,
        (Err(_), Ok(last)) if from.is_empty() && total > 0 => Range::Part(total.saturating_sub(last), total),
        _ => Range::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_rfc_says() {
        let table = [
            ("bytes=0-3", Range::Part(0, 4)),
            ("bytes=2-", Range::Part(2, 10)),
            ("bytes=-3", Range::Part(7, 10)),
            ("bytes=-99", Range::Part(0, 10)),
            ("bytes=8-99", Range::Part(8, 10)),
            ("bytes=10-", Range::Nowhere),
            ("bytes=-0", Range::Nowhere),
            ("bytes=5-2", Range::Whole),
            ("bytes=0-1,3-4", Range::Whole),
            ("bytes=x-y", Range::Whole),
            ("lines=1-2", Range::Whole),
        ];
        for (wanted, expected) in table {
            let headers = HeaderMap::from_iter([(header::RANGE, wanted.parse().unwrap())]);
            assert_eq!(range(&headers, "\"t\"", 10), expected, "{wanted}");
        }
        let mut headers = HeaderMap::from_iter([(header::RANGE, "bytes=0-3".parse().unwrap())]);
        assert_eq!(range(&headers, "\"t\"", 0), Range::Nowhere, "nothing has no part");
        headers.insert(header::IF_RANGE, "\"old\"".parse().unwrap());
        assert_eq!(range(&headers, "\"t\"", 10), Range::Whole);
    }

    #[test]
    fn names_are_safe_in_a_header() {
        assert_eq!(
            disposition("a\"b ü\n.svg", "image/svg+xml"),
            "attachment; filename=\"a_b __.svg\"; filename*=UTF-8''a%22b%20%C3%BC%0A.svg"
        );
        assert!(disposition("x.png", "image/png").starts_with("inline; "));
    }
}
