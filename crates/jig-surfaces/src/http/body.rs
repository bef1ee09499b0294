//! Reads request bodies, with limits on size and time.
//!
//! Bodies that are not stored on disk share a limited memory budget until their operation completes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming, SizeHint};
use jig_contract::{Code, OpError};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;

/// The limits for draining the rest of a refused request ([`drain`]).
const DRAIN_BYTES: usize = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// The limits of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) time: Duration,
    /// The setting that raises the limit.
    pub(super) setting: &'static str,
}

/// How many bodies of maximum size fit into memory at the same time.
const LARGEST_AT_ONCE: usize = 16;
/// Bodies up to this size are not counted, because the number of connections is limited.
const SMALL_BYTES: usize = 64 << 10;
/// The unit of the memory budget.
const PIECE_BYTES: usize = 4 << 10;

/// A memory budget shared by all requests. A request never waits for memory, because it would hold what it already has
/// while others wait for it, which is a deadlock.
#[derive(Debug)]
pub(super) struct BodyMemory(Arc<Semaphore>);

impl BodyMemory {
    /// A budget for bodies up to `largest` bytes.
    pub(super) fn new(largest: usize) -> Self {
        let pieces = largest.saturating_mul(LARGEST_AT_ONCE) / PIECE_BYTES;
        Self(Arc::new(Semaphore::new(pieces.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// An empty permit for one request.
    pub(super) fn permit(&self) -> MemoryPermit {
        MemoryPermit { all: Arc::clone(&self.0), held: None }
    }
}

/// The memory of one request, released on drop.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl MemoryPermit {
    /// Extends the permit to `bytes`.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = bytes.saturating_sub(SMALL_BYTES).div_ceil(PIECE_BYTES).saturating_sub(held);
        if missing == 0 {
            return Ok(());
        }
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let more = Arc::clone(&self.all).try_acquire_many_owned(missing).map_err(|_| busy())?;
        match &mut self.held {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
}

fn busy() -> Problem {
    let error = OpError::new(Code::Busy, "the server is busy with other large requests; retry in a few seconds");
    Problem::new(error.action("retry")).header(header::CONNECTION, close())
}

/// The complete body, with its memory permit.
pub(super) async fn read(
    memory: &BodyMemory,
    headers: &HeaderMap,
    body: Body,
    bounds: Bounds,
) -> Result<(Bytes, MemoryPermit), Problem> {
    if said_length(headers).is_some_and(|length| length > bounds.bytes as u64) {
        return Err(too_large(bounds));
    }
    match tokio::time::timeout(bounds.time, collect(memory.permit(), body, bounds)).await {
        Ok(read) => read,
        Err(_) => Err(too_slow(bounds.time)),
    }
}

async fn collect(mut permit: MemoryPermit, mut body: Body, bounds: Bounds) -> Result<(Bytes, MemoryPermit), Problem> {
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Problem::request(StatusCode::BAD_REQUEST, "the body broke off"));
        };
        let Ok(data) = frame.into_data() else { continue };
        let size = all.len() + first.as_ref().map_or(0, Bytes::len) + data.len();
        if size > bounds.bytes {
            return Err(too_large(bounds));
        }
        permit.grow(size)?;
        // Most bodies arrive in one piece, which is passed on without a copy.
        match first.take() {
            None if all.is_empty() => first = Some(data),
            before => {
                all.extend_from_slice(before.as_deref().unwrap_or_default());
                all.extend_from_slice(&data);
            }
        }
    }
    Ok((first.unwrap_or_else(|| all.freeze()), permit))
}

/// A request body that the connection continues to read if the handler drops it early.
///
/// Many clients read the response only after sending the request. If the server stopped reading as soon as it has
/// responded, they would report a broken pipe instead of the response. The rest of a refused request is therefore read
/// and discarded while the response is sent, in one place for all handlers.
pub(super) fn drained_if_unread(request: hyper::Request<Incoming>) -> hyper::Request<Body> {
    // A client that waits for `100 Continue` has sent nothing yet, and reading would ask it to send.
    let drain = !request.headers().contains_key(header::EXPECT);
    request.map(|body| if drain { Body::new(DrainedBody { body: Some(body) }) } else { Body::new(body) })
}

/// Reads and discards the rest of a body, up to a limit. A client that sends more is disconnected.
async fn drain(mut body: Incoming) {
    let draining = async {
        let mut bytes = 0;
        while let Some(Ok(frame)) = body.frame().await {
            bytes += frame.data_ref().map_or(0, Bytes::len);
            if bytes > DRAIN_BYTES {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, draining).await;
}

struct DrainedBody {
    /// `None` only during drop.
    body: Option<Incoming>,
}

impl HttpBody for DrainedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for DrainedBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(drain(body));
        }
    }
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

pub(super) fn close() -> HeaderValue {
    HeaderValue::from_static("close")
}

/// A JSON object; an empty body counts as an empty object.
pub(super) async fn json(
    memory: &BodyMemory,
    headers: &HeaderMap,
    body: Body,
    bounds: Bounds,
) -> Result<(Map<String, Value>, MemoryPermit), Problem> {
    let typed = is_json(headers);
    let (bytes, permit) = read(memory, headers, body, bounds).await?;
    if bytes.is_empty() && !headers.contains_key(header::CONTENT_TYPE) {
        return Ok((Map::new(), permit));
    }
    if !typed {
        return Err(wrong_type("application/json"));
    }
    let value = serde_json::from_slice(&bytes).map_err(|error| {
        // The parser's message contains the position but never the content.
        Problem::request(StatusCode::BAD_REQUEST, format!("the body is not JSON: {error}"))
    })?;
    match value {
        Value::Object(members) => Ok((members, permit)),
        _ => Err(Problem::request(StatusCode::BAD_REQUEST, "the body must be a JSON object")),
    }
}

/// The size of a body according to its headers.
pub(super) fn said_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// The media type of a request, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers)
        .is_some_and(|kind| kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json")))
}

/// The error for an unsupported media type.
pub(super) fn wrong_type(wanted: &'static str) -> Problem {
    let problem = Problem::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the body must be {wanted}"));
    problem.hint(format!("send the header `Content-Type: {wanted}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_for_bodies_is_limited_and_released() {
        let memory = BodyMemory::new(1 << 20);
        let mut permits: Vec<MemoryPermit> = Vec::new();
        for _ in 0..LARGEST_AT_ONCE {
            let mut permit = memory.permit();
            // As a body arrives: memory that the permit already has is not counted again.
            for size in [1, SMALL_BYTES, SMALL_BYTES + 1, 1 << 19, 1 << 20] {
                permit.grow(size).unwrap();
            }
            permits.push(permit);
        }
        // The first SMALL_BYTES of each are not counted, so there is space for one more.
        let mut last = memory.permit();
        last.grow(1 << 20).unwrap();
        let mut none = memory.permit();
        none.grow(SMALL_BYTES).unwrap();
        assert_eq!(none.grow(1 << 20).unwrap_err().error.code(), Code::Busy);
        permits.pop();
        none.grow(1 << 20).unwrap();
        drop((permits, last, none));
        assert_eq!(memory.0.available_permits(), LARGEST_AT_ONCE * (1 << 20) / PIECE_BYTES);
    }
}
