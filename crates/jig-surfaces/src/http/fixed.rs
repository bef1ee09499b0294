//! The few answers that are no operation: health, counts, the schema and the pages.

use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri, header};
use axum::response::IntoResponse;
use jig_contract::ops::TokenRole;
use jig_contract::{Code, OpError};

use super::answer::{JSON, with_type};
use super::app::App;
use super::gate::{Admitted, Told};
use super::problem::Problem;
use super::{conditional, openapi, page, query};

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const CSS: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// The format of Prometheus.
const COUNTS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// A page of ours: its own style sheet and forms, and nothing else.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// How long the answer of all of them may take.
const READY_TIME: Duration = Duration::from_secs(2);

static OPENAPI: LazyLock<(String, String)> = LazyLock::new(|| {
    let text = openapi::document().to_string();
    let tag = conditional::tag(text.as_bytes());
    (text, tag)
});

/// Alive: this process answers.
pub(super) async fn alive() -> Response<Body> {
    told("/healthz", with_type(StatusCode::OK, TEXT, "alive\n"))
}

/// Ready: a request would be served now. There is a free slot and a free thread, and the database and the blob store
/// answer. Whoever calls the server by another name is told whether, and not why not.
pub(super) async fn ready(app: App, request: Request) -> Response<Body> {
    let is_ours = app.hosts.check(request.uri(), request.headers()).is_ok();
    let ended = app.ending.is_cancelled();
    let checked = async {
        app.slots.free().await;
        app.workbench.ready().await
    };
    let found = tokio::time::timeout(READY_TIME, checked).await;
    let answer = match found {
        Ok(Ok(())) if !ended => with_type(StatusCode::OK, TEXT, "ready\n"),
        _ if !is_ours => with_type(StatusCode::SERVICE_UNAVAILABLE, TEXT, "not ready\n"),
        Ok(Ok(())) => not_ready(OpError::new(Code::StoreUnavailable, "the server is about to end")),
        Ok(Err(error)) => not_ready(error),
        Err(_) => not_ready(OpError::new(Code::Busy, "no request slot, thread or store answered in time")),
    };
    told("/readyz", answer)
}

fn not_ready(error: OpError) -> Response<Body> {
    Problem::new(error).status(StatusCode::SERVICE_UNAVAILABLE).into_response()
}

/// Counts for Prometheus. They name operations of all workbenches, so they are the owner's.
pub(super) async fn metrics(app: App, request: Request) -> Response<Body> {
    let admitted = request.extensions().get::<Admitted>();
    let caller = admitted.and_then(|admitted| admitted.caller.as_ref());
    let may = caller.is_none_or(|caller| caller.access.role == TokenRole::Owner && caller.access.workbench.is_none());
    let answer = if may {
        let jobs = app.workbench.job_counts().await.unwrap_or_default();
        with_type(StatusCode::OK, COUNTS, app.metrics.text(&jobs))
    } else {
        let error = OpError::new(Code::NotPermitted, "the counts are for owners of the whole server");
        Problem::new(error).into_response()
    };
    told("/metrics", answer)
}

/// The OpenAPI document.
pub(super) async fn openapi(headers: HeaderMap) -> Response<Body> {
    let (text, tag) = &*OPENAPI;
    let mut response = if conditional::is_known(&headers, tag) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        with_type(StatusCode::OK, JSON, text.as_str())
    };
    kept(&mut response, header::ETAG, tag);
    kept(&mut response, header::CACHE_CONTROL, "no-cache");
    told("/api/openapi.json", response)
}

/// The page about it; with `?q=` only what has that text.
pub(super) async fn docs(uri: Uri) -> Response<Body> {
    let pairs = query::parse(uri.query()).unwrap_or_default();
    let wanted = pairs.into_iter().find(|(name, _)| name == "q").map(|(_, text)| text).unwrap_or_default();
    told("/api/docs", html(page::docs(&wanted)))
}

/// The page's style.
pub(super) async fn style() -> Response<Body> {
    let mut response = with_type(StatusCode::OK, CSS, page::STYLE);
    kept(&mut response, header::CACHE_CONTROL, "max-age=3600");
    told("/api/docs.css", response)
}

fn html(text: String) -> Response<Body> {
    let mut response = with_type(StatusCode::OK, HTML, text);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    response
}

fn kept(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn told(route: &'static str, mut response: Response<Body>) -> Response<Body> {
    response.extensions_mut().insert(Told { route, operation: "-" });
    response
}
