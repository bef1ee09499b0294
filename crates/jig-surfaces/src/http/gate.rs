//! Checks that every request passes.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use jig_contract::{Actor, Code, Kind, OpError};
use jig_workbench::{Access, CallContext, Caller};
use tokio::time::Instant;
use tower::ServiceExt;

use super::app::App;
use super::connections::{CallerPermit, guarded_body};
use super::host::check_origin;
use super::log::Entry;
use super::problem::{Problem, Refused};
use super::proxies::{client_address, network_of};
use super::rate::Rates;
use super::{mcp, web};

/// The header with the request id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers that proxies, tunnels and load balancers add to forwarded requests, besides those that start with
/// `x-forwarded`.
const FORWARDED: [&str; 13] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-forwarded-for",
    "x-envoy-external-address",
    "cf-connecting-ip",
    "cf-ray",
    "true-client-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "tailscale-user-login",
];

/// The caller after passing the gate.
#[derive(Debug, Clone)]
pub(super) struct Admitted {
    pub(super) caller: Option<Arc<Caller>>,
    /// The token as sent, for streams that check it again later.
    pub(super) shown: Option<Arc<str>>,
    /// Whether this is the person who started the server, identified by the start token.
    pub(super) is_local_owner: bool,
    /// Whether the request comes from this machine and not through a proxy.
    pub(super) is_here: bool,
}

impl Admitted {
    /// The context of calls: the token's bearer, or the local person. Access to open pages grants no permissions.
    pub(super) fn context(&self) -> CallContext {
        match &self.caller {
            Some(caller) => CallContext { access: caller.access.clone(), ..CallContext::new(caller.actor.clone()) },
            None if self.is_local_owner => CallContext { access: Access::owner(), ..CallContext::new(Actor::person()) },
            None => CallContext { access: Access::nobody(), ..CallContext::new(Actor::agent("anonymous")) },
        }
    }
}

/// What a response reports to the log: the route and the operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) route: &'static str,
    pub(super) operation: &'static str,
}

/// Handles one request.
pub(super) async fn answer(app: App, router: Router, peer: SocketAddr, request: Request<Body>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let mut seen = Seen::begin(&app, &parts);
    let asks_options = parts.method == Method::OPTIONS;
    let response = match admit(&app, peer, &parts).await {
        Ok((admitted, permit)) => {
            seen.token = admitted.caller.as_ref().map(|caller| caller.token_id.clone());
            parts.extensions.insert(admitted);
            seen.permit = permit;
            match router.oneshot(Request::from_parts(parts, body)).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        }
        Err(problem) if web::is_page(parts.uri.path()) && web::wants_page(&parts.headers) => {
            web::refused(&parts, problem)
        }
        Err(problem) => problem.into_response(),
    };
    seen.finish(if asks_options { options(response) } else { response })
}

/// Admits a request and counts it for its caller, or returns an error.
async fn admit(app: &App, peer: SocketAddr, request: &Parts) -> Result<(Admitted, Option<CallerPermit>), Problem> {
    let admitted = identify(app, peer, request).await?;
    // Health checks are not limited.
    if matches!(request.uri.path(), "/healthz" | "/readyz") {
        return Ok((admitted, None));
    }
    let caller = match &admitted.caller {
        Some(caller) => caller.token_id.clone(),
        None if admitted.is_local_owner => String::new(),
        None => network_of(client_address(&app.options.trusted_proxies, peer.ip(), &request.headers)),
    };
    match app.caller_limits.acquire(&caller) {
        Some(permit) => Ok((admitted, Some(permit))),
        None => {
            let error = OpError::new(Code::RateLimited, "too many concurrent requests; wait for some to finish")
                .hint("the limit is a quarter of the setting `serve.max_connections`");
            Err(Problem::new(error).header(header::RETRY_AFTER, HeaderValue::from(1)))
        }
    }
}

/// Identifies the caller and checks host, origin and rate.
async fn identify(app: &App, peer: SocketAddr, request: &Parts) -> Result<Admitted, Problem> {
    let (path, headers) = (request.uri.path(), &request.headers);
    let is_here = is_here(peer, headers);
    let nobody = || Admitted { caller: None, shown: None, is_local_owner: false, is_here };
    let from = network_of(client_address(&app.options.trusted_proxies, peer.ip(), headers));
    // Monitoring systems may use any address of the server.
    if matches!(path, "/healthz" | "/readyz") {
        limit(&app.rates, &from)?;
        return Ok(nobody());
    }
    app.hosts.check(&request.uri, headers)?;
    check_origin(&request.method, headers)?;
    if web::signs_in(request) {
        limit(&app.sign_ins, &from)?;
    }
    if is_open(path) || request.method == Method::OPTIONS {
        limit(&app.rates, &from)?;
        return Ok(nobody());
    }
    let admitted = authenticate(app, peer, request).await;
    match &admitted {
        Ok(Admitted { caller: Some(caller), .. }) => limit(&app.rates, &caller.token_id)?,
        // Slows down guessing, per origin.
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => limit(&app.rates, &from)?,
        _ => {}
    }
    admitted
}

/// Whether a request comes from this machine, without any sign of a proxy.
fn is_here(peer: SocketAddr, headers: &HeaderMap) -> bool {
    let forwards = |name: &HeaderName| name.as_str().starts_with("x-forwarded") || FORWARDED.contains(&name.as_str());
    peer.ip().to_canonical().is_loopback() && !headers.keys().any(forwards)
}

/// Whether a path is the same for everyone and reveals no user data.
fn is_open(path: &str) -> bool {
    matches!(path, "/api/openapi.json" | "/api/docs" | "/api/docs.css") || web::is_open(path)
}

/// Whether a secret is the start token, sent from this machine and not through a proxy.
pub(super) fn is_start_token(app: &App, is_here: bool, secret: &str) -> bool {
    // Compares hashes, so that the timing reveals nothing about the secret.
    let hash = |text: &str| blake3::hash(text.as_bytes());
    is_here && app.options.start_token.as_deref().is_some_and(|start| hash(start) == hash(secret))
}

/// The person who started the server.
const fn local_owner() -> Admitted {
    Admitted { caller: None, shown: None, is_local_owner: true, is_here: true }
}

/// Authenticates the caller: by token, by start token, or by being on this machine if the owner opened it.
pub(super) async fn authenticate(app: &App, peer: SocketAddr, request: &Parts) -> Result<Admitted, Problem> {
    let headers = &request.headers;
    let is_here = is_here(peer, headers);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (first, second) = (given.next(), given.next());
    if second.is_some() {
        return Err(Problem::request(StatusCode::BAD_REQUEST, "`Authorization` is given more than once"));
    }
    let Some(first) = first else {
        if let Some(admitted) = by_cookie(app, request, is_here).await? {
            return Ok(admitted);
        }
        let open = app.options.open_loopback && app.options.is_local() && is_here;
        if open && !app.workbench.has_active_tokens().await? {
            return Ok(local_owner());
        }
        return Err(unknown("this request needs a token", "Bearer realm=\"jig\""));
    };
    let secret = first.to_str().ok().and_then(bearer);
    if secret.is_some_and(|secret| is_start_token(app, is_here, secret)) {
        return Ok(local_owner());
    }
    let caller = match secret {
        Some(secret) => app.workbench.caller(secret).await?,
        None => None,
    };
    let Some(caller) = caller else {
        let challenge = "Bearer realm=\"jig\", error=\"invalid_token\"";
        return Err(unknown("the token is unknown or was revoked", challenge));
    };
    Ok(Admitted { caller: Some(caller), shown: secret.map(Arc::from), is_local_owner: false, is_here })
}

/// A signed-in browser. Its cookie permits reading, and forms of the web app, whose origin is checked.
async fn by_cookie(app: &App, request: &Parts, is_here: bool) -> Result<Option<Admitted>, Problem> {
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    let Some(secret) = web::cookie_secret(&request.headers) else { return Ok(None) };
    let path = request.uri.path();
    // Programs must send a token; cookies, which browsers send automatically, are not accepted for MCP.
    if path == mcp::PATH || (!reads && !web::is_page(path)) {
        return Ok(None);
    }
    if is_start_token(app, is_here, secret) {
        return Ok(Some(local_owner()));
    }
    let caller = app.workbench.caller(secret).await?;
    let shown = Some(Arc::from(secret));
    Ok(caller.map(|caller| Admitted { caller: Some(caller), shown, is_local_owner: false, is_here }))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

fn unknown(message: &str, challenge: &'static str) -> Problem {
    let error = OpError::new(Code::Unauthenticated, message)
        .hint("send the header `Authorization: Bearer TOKEN`, with a token that an owner created")
        .hint("on this machine, the server's start token: in the address it printed, and below its home in `serve/`");
    Problem::new(error).header(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

fn limit(rates: &Rates, caller: &str) -> Result<(), Problem> {
    rates.take(caller).map_err(|wait| {
        let seconds = wait.as_secs() + 1;
        let error = OpError::new(Code::RateLimited, format!("too many requests; retry in {seconds} s"))
            .hint("the setting `serve.calls_per_second` says how many a token has");
        Problem::new(error).header(header::RETRY_AFTER, HeaderValue::from(seconds))
    })
}

/// Answers `OPTIONS` with the methods of a route, without the rest of the response.
fn options(response: Response<Body>) -> Response<Body> {
    let Some(allow) = response.headers().get(header::ALLOW).cloned() else { return response };
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer.headers_mut().insert(header::ALLOW, allow);
    if let Some(told) = response.extensions().get::<Told>() {
        answer.extensions_mut().insert(*told);
    }
    answer
}

/// A request from start to end: counted and logged even if the client disconnects.
struct Seen {
    app: App,
    id: String,
    method: Method,
    started: Instant,
    token: Option<String>,
    permit: Option<CallerPermit>,
    finished: bool,
}

impl Seen {
    fn begin(app: &App, request: &Parts) -> Self {
        app.metrics.begin();
        let given = request.headers.get(&REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| is_sane(id));
        let id = given.map_or_else(|| app.options.env.fresh_id().to_string(), str::to_owned);
        let (method, started) = (request.method.clone(), Instant::now());
        Self { app: app.clone(), id, method, started, token: None, permit: None, finished: false }
    }

    fn finish(mut self, mut response: Response<Body>) -> Response<Body> {
        self.finished = true;
        let told = response.extensions().get::<Told>().copied();
        let refused = response.extensions_mut().remove::<Refused>();
        if let Some(Refused(problem)) = &refused {
            // The content length of the empty placeholder body.
            response.headers_mut().remove(header::CONTENT_LENGTH);
            *response.body_mut() = Body::from(problem.body(&self.id).to_string());
        }
        secure(response.headers_mut());
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        self.end(told, response.status(), refused.as_ref().map(|refused| &refused.0.error));
        match self.permit.take() {
            Some(permit) => response.map(|body| guarded_body(body, permit)),
            None => response,
        }
    }

    fn end(&self, told: Option<Told>, status: StatusCode, error: Option<&OpError>) {
        let took = self.started.elapsed();
        let told = told.unwrap_or(Told { route: "-", operation: "-" });
        self.app.metrics.end(told.operation, status.as_u16(), took);
        let cause = error.filter(|error| matches!(error.code().kind(), Kind::Internal | Kind::Upstream));
        let cause = cause.and_then(|error| error.source.as_ref()).map(|cause| shortened(&cause.to_string()));
        self.app.options.log.write(&Entry {
            at: self.app.options.env.now(),
            id: &self.id,
            method: self.method.as_str(),
            route: told.route,
            operation: told.operation,
            status: status.as_u16(),
            took,
            token: self.token.as_deref(),
            error_code: error.map(|error| error.code().as_str()),
            cause,
        });
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        if !self.finished {
            // The client disconnected: 499 is the conventional status for this.
            let status = StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST);
            self.end(None, status, None);
        }
    }
}

fn is_sane(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn shortened(text: &str) -> String {
    text.chars().take(300).collect()
}

/// Security headers of every response; headers of the response itself take precedence.
fn secure(headers: &mut HeaderMap) {
    const ALL: [(HeaderName, &str); 7] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in ALL {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_requests_are_short_and_plain() {
        for good in ["a", "0190b6c2-7d3e-7000-8000-000000000001", "x_1.2"] {
            assert!(is_sane(good), "{good}");
        }
        for bad in ["", "a b", "a\"b", "ä", &"a".repeat(65)] {
            assert!(!is_sane(bad), "{bad}");
        }
    }

    #[test]
    fn a_request_that_any_proxy_forwarded_is_not_from_here() {
        let here = |names: &[&str], peer: &str| {
            let pairs = names.iter().map(|name| (name.parse().unwrap(), HeaderValue::from_static("x")));
            is_here(peer.parse().unwrap(), &pairs.collect::<HeaderMap>())
        };
        for name in
            ["X-Forwarded-For", "X-Forwarded", "x-forwarded-server", "Forwarded", "Via", "CF-Ray", "X-Client-IP"]
        {
            assert!(!here(&["accept", name], "127.0.0.1:9"), "{name}");
        }
        assert!(
            here(&["accept", "x-request-id"], "127.0.0.1:9")
                && here(&[], "[::1]:9")
                && here(&[], "[::ffff:127.0.0.1]:9")
        );
        assert!(!here(&[], "10.0.0.1:9") && !here(&[], "[fe80::1]:9"));
    }

    #[test]
    fn only_a_bearer_is_read() {
        let table =
            [("Bearer jig_x", Some("jig_x")), ("bearer  jig_x ", Some("jig_x")), ("Basic x", None), ("jig_x", None)];
        for (value, secret) in table {
            assert_eq!(bearer(value), secret, "{value}");
        }
    }
}
