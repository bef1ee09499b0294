//! Downloads of files and assets, entirely or in part.
//!
//! Only what is requested is read: a range is read from its offset, and 304 and HEAD responses are built from metadata.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use bytes::Bytes;
use futures::TryStreamExt as _;
use jig_contract::ops::{AssetGet, FileGetInfo};
use jig_contract::{OpError, params_from_json};
use jig_workbench::{Content, ContentStream};
use serde_json::{Map, Value};

use super::app::App;
use super::call::Asked;
use super::conditional;
use super::params;
use super::problem::Problem;
use super::query;
use super::routes::Ready;

const JSON: &str = "application/json";

/// A downloaded file must not run scripts or load resources, whatever it contains.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

/// A file up to this size is read into memory before it is sent, so that its hash is verified before the first byte.
/// Larger ones are verified while they are sent, and the transfer is aborted on a mismatch.
const SMALL: u64 = 1 << 20;

/// A file or asset to download.
struct Download {
    name: String,
    media_type: String,
    tag: String,
    content: Content,
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
    let slot = app.slots.acquire(Some(id.as_str())).await?;
    let _stop = context.cancel.clone().drop_guard();
    let (info, content) = app.workbench.open_file(&context, &id, &path, params.root).await?;
    // A slow client does not hold a slot while it reads.
    drop(slot);
    let name = path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    let tag = format!("\"{}\"", info.hash);
    respond(asked, Download { name, media_type: info.media_type, tag, content }).await
}

/// `GET /api/workbenches/{workbench_id}/assets/{asset_id}/content`.
pub(super) async fn asset(app: &App, asked: &Asked, params: Map<String, Value>) -> Result<Response<Body>, Problem> {
    params::no_query(&asked.pairs, "an asset's bytes take")?;
    let params = params_from_json::<AssetGet>(Value::Object(params))?;
    let (id, asset) = (params.workbench_id.check()?, params.asset_id.check()?);
    let slot = app.slots.acquire(Some(id.as_str())).await?;
    let (info, content) = app.workbench.open_asset(&asked.admitted.context(), &id, &asset).await?;
    drop(slot);
    // The tag is the hash of the bytes.
    let tag = conditional::tag_of(&content.hash.to_string());
    respond(asked, Download { name: info.name, media_type: info.mime_type, tag, content }).await
}

/// Responds according to the method and headers, reading only what is required.
async fn respond(asked: &Asked, download: Download) -> Result<Response<Body>, Problem> {
    let headers = &asked.parts.headers;
    let Download { name, mut media_type, tag, content } = download;
    let mut response = Response::new(Body::empty());
    if conditional::is_known(headers, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let total = content.bytes;
        let range = range(headers, &tag, total);
        let head_only = asked.parts.method == Method::HEAD;
        // A file that is JSON by name must be verified: clients expect to be able to parse it.
        let small = match total <= SMALL && (!head_only && range == Range::Whole || media_type == JSON) {
            true => Some(content.read().await?),
            false => None,
        };
        let is_json = |bytes: &Bytes| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
        if media_type == JSON && small.as_ref().is_some_and(|bytes| !is_json(bytes)) {
            "text/plain".clone_into(&mut media_type);
        }
        let (body, length) = match range {
            Range::Whole if head_only => (Body::empty(), total),
            Range::Whole => match small {
                Some(bytes) => (Body::from(bytes), total),
                None => (Body::from_stream(sent(content.stream().await?)), total),
            },
            Range::Part(from, to) => {
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                set(&mut response, header::CONTENT_RANGE, &format!("bytes {from}-{}/{total}", to - 1));
                let part = if head_only { Body::empty() } else { part(&content, from..to).await? };
                (part, to - from)
            }
            Range::Nowhere => {
                *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
                set(&mut response, header::CONTENT_RANGE, &format!("bytes */{total}"));
                (Body::empty(), 0)
            }
        };
        *response.body_mut() = body;
        set(&mut response, header::CONTENT_LENGTH, &length.to_string());
    }
    set(&mut response, header::ETAG, &tag);
    set(&mut response, header::CONTENT_TYPE, &media_type);
    set(&mut response, header::CONTENT_DISPOSITION, &disposition(&name, &media_type));
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::CACHE_CONTROL, "private, no-cache");
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    Ok(response)
}

/// A part of the content, read as a range.
async fn part(content: &Content, range: std::ops::Range<u64>) -> Result<Body, Problem> {
    Ok(Body::from_stream(sent(content.stream_range(range).await?)))
}

/// The chunks for the connection. After the first byte, an error can only abort the transfer; the log has the reason.
fn sent(pieces: ContentStream) -> impl futures::Stream<Item = Result<Bytes, OpError>> {
    pieces.inspect_err(|error| tracing::error!("a download was cut short: {error}"))
}

fn set(response: &mut Response<Body>, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Images and plain text are shown inline; everything else is an attachment.
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
    /// From the first byte to the second, exclusive.
    Part(u64, u64),
    Nowhere,
}

/// The requested range. Multiple ranges and unknown units mean the entire content, as HTTP permits.
fn range(headers: &HeaderMap, tag: &str, total: u64) -> Range {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(wanted) = text(header::RANGE).and_then(|wanted| wanted.strip_prefix("bytes=")) else {
        return Range::Whole;
    };
    if text(header::IF_RANGE).is_some_and(|known| known != tag) {
        return Range::Whole;
    }
    let Some((from, to)) = wanted.trim().split_once('-').filter(|_| !wanted.contains(',')) else { return Range::Whole };
    match (from.parse::<u64>(), to.parse::<u64>()) {
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

    proptest::proptest! {
        #[test]
        fn any_range_lies_within_the_file(text in "(bytes=)?[-0-9 ,a-z]{0,24}", total in proptest::prelude::any::<u64>()) {
            let headers = HeaderMap::from_iter([(header::RANGE, text.parse().unwrap())]);
            if let Range::Part(from, to) = range(&headers, "\"t\"", total) {
                proptest::prop_assert!(from < to && to <= total, "{text}: {from}..{to} of {total}");
            }
        }

        #[test]
        fn any_query_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = super::query::parse(Some(&text));
        }
    }
}
