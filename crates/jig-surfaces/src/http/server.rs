//! Listening, and ending well.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{any, get, on, post};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use jig_contract::{Code, OpError, find};
use jig_workbench::Workbench;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::app::App;
use super::body::drained_if_unread;
use super::connections::{ConnectionSlot, ConnectionSlots, RequestTracker, guarded_body};
use super::problem::Problem;
use super::routes::ROUTES;
use super::timed::Timed;
use super::{HttpOptions, call, fixed, gate, mcp, web};

/// The most bytes in the head of a request.
const HEAD_BYTES: usize = 64 << 10;

/// How long a connection whose slot is needed may take to close.
const CLOSE_TIME: Duration = Duration::from_millis(200);

/// How long to wait when the machine has no room for one more connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// A server that listens and has not begun to answer.
pub struct HttpServer {
    listener: TcpListener,
    app: App,
}

impl HttpServer {
    /// Begins to listen. A server that others are meant to reach is refused while nobody has a token.
    pub async fn bind(workbench: Workbench, mut options: HttpOptions) -> Result<Self, OpError> {
        if options.is_local() {
            if options.start_token.is_none() && !options.open_loopback {
                options.start_token = Some(workbench.fresh_start_token()?.into());
            }
        } else {
            // Their secret would let somebody in through the proxy.
            options.start_token = None;
            if !workbench.has_active_tokens().await? {
                return Err(needs_token(&options));
            }
        }
        let failed = |e: io::Error| {
            OpError::new(Code::SettingsInvalid, format!("the server cannot listen on {}: {e}", options.bind))
                .hint("`--bind 127.0.0.1:0` takes a free port")
        };
        let listener = TcpListener::bind(options.bind).await.map_err(failed)?;
        options.bind = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, app: App::new(workbench, options) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.app.options.bind
    }

    /// What the person who started the server shows to be let in; none where tokens are needed, or nothing.
    pub fn start_token(&self) -> Option<&str> {
        self.app.options.start_token.as_deref()
    }

    /// Answers until told to stop; then lets what runs come to its end, for a bounded time.
    pub async fn serve(self, stop: CancellationToken) -> io::Result<()> {
        let Self { listener, app } = self;
        app.staging.sweep();
        let router = router(&app);
        let connections = TaskTracker::new();
        let slots = ConnectionSlots::new(app.options.max_connections);
        loop {
            let accepted = tokio::select! {
                accepted = accept(&listener, &slots) => accepted,
                () = stop.cancelled() => break,
            };
            let Some((stream, peer, slot)) = accepted else { continue };
            let connection = connection(&app, &router, stream, peer, slot.tracker());
            connections.spawn(serve_connection(connection, slot, app.ending.clone()));
        }
        drop(listener);
        app.ending.cancel();
        let end_time = app.options.end_time;
        let ended = async {
            connections.close();
            connections.wait().await;
            app.tasks.close();
            app.tasks.wait().await;
        };
        let _ = tokio::time::timeout(end_time, ended).await;
        Ok(())
    }
}

fn needs_token(options: &HttpOptions) -> OpError {
    let why = match (options.bind.ip().is_loopback(), options.hosts.is_empty()) {
        (false, _) => format!("{} can be reached from other machines", options.bind),
        (true, false) => "`serve.hosts` is set, so others are meant to reach the server".to_owned(),
        (true, true) => "`serve.trusted_proxies` is set, so others are meant to reach the server".to_owned(),
    };
    OpError::new(Code::NotPermitted, format!("{why}, and there is no token yet"))
        .hint("create your own first: `jig token create NAME --role owner`")
        .hint("or serve this machine only: `--bind 127.0.0.1:7357`, without `serve.hosts` and `serve.trusted_proxies`")
}

/// Serves a connection until it ends, until its slot is needed, or until the server stops.
async fn serve_connection(
    connection: impl GracefulConnection<Error: Send> + Send,
    slot: ConnectionSlot,
    ending: CancellationToken,
) {
    tokio::pin!(connection);
    // Errors concern only the client, which has gone.
    let limit = tokio::select! {
        _ = &mut connection => return,
        () = slot.closed() => Some(CLOSE_TIME),
        () = ending.cancelled() => None,
    };
    connection.as_mut().graceful_shutdown();
    match limit {
        Some(limit) => drop(tokio::time::timeout(limit, connection).await),
        None => drop(connection.await),
    }
}

type Accepted = Option<(TcpStream, SocketAddr, ConnectionSlot)>;

async fn accept(listener: &TcpListener, slots: &ConnectionSlots) -> Accepted {
    match listener.accept().await {
        Ok((stream, peer)) => {
            let _ = stream.set_nodelay(true);
            Some((stream, peer, slots.acquire().await?))
        }
        Err(_) => {
            // A client that is gone already, or no file handle left: the next one may do better.
            tokio::time::sleep(NO_ROOM).await;
            None
        }
    }
}

fn connection(
    app: &App,
    router: &Router,
    stream: TcpStream,
    peer: SocketAddr,
    tracker: RequestTracker,
) -> impl GracefulConnection<Error: Send> + Send + use<> {
    let (app_here, router) = (app.clone(), router.clone());
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (app, router, active) = (app_here.clone(), router.clone(), tracker.start());
        async move {
            // Not executed, so the client can safely retry on a new connection.
            let Some(active) = active else { return Err(io::Error::from(io::ErrorKind::ConnectionAborted)) };
            let response = gate::answer(app, router, peer, drained_if_unread(request)).await;
            Ok(response.map(|body| guarded_body(body, active)))
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(app.options.header_time).max_buf_size(HEAD_BYTES);
    let stream = Timed::new(stream, app.options.body_time);
    builder.serve_connection(TokioIo::new(stream), service)
}

/// All routes: those of the table, the operations by name, and the few that are neither.
fn router(app: &App) -> Router {
    let mut router = Router::new();
    for ready in ROUTES.iter() {
        let app = app.clone();
        let handler = move |request: Request| call::resource(app.clone(), ready, request);
        router = router.route(ready.route.path, on(ready.route.verb.filter(), handler));
    }
    let (by_name, ready, metrics) = (app.clone(), app.clone(), app.clone());
    let agents = mcp::Mcp::new(app);
    web::add_routes(router, app)
        .route(mcp::PATH, any(move |request: Request| agents.clone().answer(request)))
        .route(
            "/api/op/{name}",
            post(move |path: RawPathParams, request: Request| operation(by_name.clone(), path, request)),
        )
        .route("/api/openapi.json", get(fixed::openapi))
        .route("/api/docs", get(fixed::docs))
        .route("/api/docs.css", get(fixed::style))
        .route("/healthz", get(fixed::alive))
        .route("/readyz", get(move |request: Request| fixed::ready(ready.clone(), request)))
        .route("/metrics", get(move |request: Request| fixed::metrics(metrics.clone(), request)))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_this_way)
}

async fn operation(app: App, path: RawPathParams, request: Request) -> axum::response::Response {
    let name = path.iter().next().map(|(_, name)| name).unwrap_or_default();
    match find(name).filter(|op| op.surfaces.http) {
        Some(op) => call::operation(app, op, request).await,
        None => call::no_operation(name).into_response(),
    }
}

async fn nothing_here(request: Request) -> axum::response::Response {
    let error = OpError::new(Code::UnknownOperation, "there is nothing at this address");
    let (parts, _) = request.into_parts();
    if web::is_page(parts.uri.path()) && web::wants_page(&parts.headers) {
        return web::refused(&parts, Problem::new(error));
    }
    Problem::new(error.hint("/api/docs shows what there is")).into_response()
}

async fn not_this_way() -> Problem {
    Problem::request(StatusCode::METHOD_NOT_ALLOWED, "this address does not take that method")
        .hint("the header `Allow` lists those it takes")
}
