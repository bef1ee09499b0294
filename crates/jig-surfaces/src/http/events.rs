//! Events of a workbench as server-sent events.
//!
//! `id` is the journal number. A client that reconnects sends the last one it has seen (`Last-Event-ID`) and continues
//! there.

use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use futures::stream;
use jig_contract::EventRecord;
use jig_contract::{Code, OpError};
use serde_json::{Map, Value};
use tokio::time::{Interval, MissedTickBehavior};

use super::app::App;
use super::call::Asked;
use super::gate::Admitted;
use super::params;
use super::problem::Problem;
use super::routes::Ready;
use crate::follow::{self, Follow};

/// Tells clients to reconnect after two seconds.
const OPENING: &str = "retry: 2000\n: events follow\n\n";

/// `GET /api/workbenches/{workbench_id}/events`.
pub(super) async fn stream(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
) -> Result<Response<Body>, Problem> {
    params::add_query(&mut params, &ready.members, &asked.pairs)?;
    let after = after(asked, &params)?;
    if let Some(name) = params.keys().find(|name| !matches!(name.as_str(), "workbench_id" | "after")) {
        return Err(params::invalid(&format!("a stream of events takes `after` and not `{name}`")));
    }
    let id = params.get("workbench_id").and_then(Value::as_str).unwrap_or_default();
    let open = Open::new(app)?;
    let follow = follow::start(&app.workbench, asked.admitted.context(), id, after).await?;
    let mut beat = tokio::time::interval(app.options.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.reset();
    let going = Going { open, follow, beat, admitted: asked.admitted.clone(), state: State::Opening };
    let pieces = stream::unfold(going, async |mut going: Going| {
        let piece = going.next().await?;
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(piece)), going))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Asks intermediate proxies not to buffer.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

/// The start of the stream. `Last-Event-ID` takes precedence over the URL, which stays the same on every reconnect.
fn after(asked: &Asked, params: &Map<String, Value>) -> Result<Option<u64>, Problem> {
    let wrong = || params::invalid("`after` and `Last-Event-ID` are numbers of events");
    if let Some(seen) = asked.parts.headers.get("last-event-id") {
        return seen.to_str().ok().and_then(|seen| seen.trim().parse().ok()).map(Some).ok_or_else(wrong);
    }
    params.get("after").map(|after| after.as_u64().ok_or_else(wrong)).transpose()
}

/// A stream, counted while it is open.
struct Open(App);

impl Open {
    /// At most half of the connections may be streams.
    fn new(app: &App) -> Result<Self, Problem> {
        let most = i64::try_from(app.options.max_connections / 2).unwrap_or(i64::MAX).max(1);
        let open = Self(app.clone());
        if app.metrics.streams.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(OpError::new(Code::RateLimited, "too many streams of events are open").into());
        }
        Ok(open)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.metrics.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

enum State {
    Opening,
    Following,
    Ended,
}

struct Going {
    open: Open,
    follow: Follow,
    beat: Interval,
    admitted: Admitted,
    state: State,
}

impl Going {
    /// The next chunk of the stream; `None` at its end.
    async fn next(&mut self) -> Option<String> {
        match self.state {
            State::Opening => {
                self.state = State::Following;
                return Some(OPENING.to_owned());
            }
            State::Following => {}
            State::Ended => return None,
        }
        tokio::select! {
            next = self.follow.next() => match next {
                Ok(record) => record.map(|record| piece(&record)),
                Err(error) => {
                    self.state = State::Ended;
                    Some(failure(&error))
                }
            },
            _ = self.beat.tick() => self.still_welcome().await.then(|| ": alive\n\n".to_owned()),
            () = self.open.0.ending.cancelled() => None,
        }
    }

    /// Whether the token is still valid. A store that does not respond now does not end the stream.
    async fn still_welcome(&self) -> bool {
        let Some(shown) = &self.admitted.shown else { return true };
        !matches!(self.open.0.workbench.caller(shown).await, Ok(None))
    }
}

fn piece(record: &EventRecord) -> String {
    let event = serde_json::to_value(&record.event).unwrap_or_default();
    let kind = event["type"].as_str().unwrap_or("event");
    let data = serde_json::to_string(record).unwrap_or_default();
    format!("id: {}\nevent: {kind}\ndata: {data}\n\n", record.seq)
}

fn failure(error: &OpError) -> String {
    let data = serde_json::to_string(&error.info).unwrap_or_default();
    format!("event: error\ndata: {data}\n\n")
}
