//! `/mcp`: the MCP server over streamable HTTP, for admitted callers.
//!
//! The gate has checked host, origin, token and rate, as for every call. Here the body is limited as elsewhere, each
//! message carries its caller, and a session of the older protocol belongs to the token that started it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt, Full};
use jig_contract::{Actor, Code, OpError};
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::{Instant, MissedTickBehavior};

use super::app::App;
use super::body::{self, Bounds};
use super::gate::{Admitted, Told};
use super::problem::Problem;
use super::query;
use crate::LazyWorkbench;
use crate::mcp::{HttpCaller, JigServer, McpOptions, Turns};

/// The path.
pub(super) const PATH: &str = "/mcp";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The maximum number of open sessions of the older protocol.
const SESSIONS_MAX: usize = 1_024;
/// The maximum number of sessions per caller. Another one closes the caller's least recently used session.
const SESSIONS_PER_CALLER: usize = 64;

/// The MCP endpoint, shared by all requests.
#[derive(Clone)]
pub(super) struct Mcp {
    app: App,
    service: StreamableHttpService<JigServer, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// Who started each session, and when it was last used.
    owners: Arc<Mutex<HashMap<String, Owner>>>,
}

/// The owner of a session.
struct Owner {
    /// The token's id; empty for the person who started the server.
    token: String,
    used: Instant,
}

impl Mcp {
    pub(super) fn new(app: &App) -> Self {
        let options = McpOptions {
            ask_publish: app.options.mcp.ask_publish,
            conformance_fixtures: app.options.mcp.conformance_fixtures,
            max_resource_bytes: app.options.max_body_bytes as u64,
            over_http: true,
            turns: Turns { slots: Some(app.slots.clone()), tasks: app.tasks.clone() },
            ..McpOptions::new(app.options.env.clone())
        };
        let server = JigServer::new(LazyWorkbench::from(app.workbench.clone()), options);
        let sessions = Arc::new(LocalSessionManager::default());
        // The gate already checks host and origin, because it knows the names of this server.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_sse_keep_alive(Some(app.options.heartbeat))
            .with_max_request_body_bytes(app.options.max_body_bytes)
            .with_cancellation_token(app.ending.child_token());
        let service = StreamableHttpService::new(move || Ok(server.for_connection()), Arc::clone(&sessions), config);
        Self { app: app.clone(), service, sessions, owners: Arc::default() }
    }

    /// Handles one request.
    pub(super) async fn answer(self, request: Request<Body>) -> Response<Body> {
        let mut response = self.carry(request).await.unwrap_or_else(IntoResponse::into_response);
        response.extensions_mut().insert(Told { route: PATH, operation: "-" });
        response
    }

    async fn carry(self, request: Request<Body>) -> Result<Response<Body>, Problem> {
        let (mut parts, body) = request.into_parts();
        let admitted = parts.extensions.get::<Admitted>().cloned();
        let admitted = admitted.ok_or_else(|| OpError::new(Code::Internal, "a request came past the gate"))?;
        let token = admitted.caller.as_ref().map(|caller| caller.token_id.clone()).unwrap_or_default();
        let session = session_of(&parts.headers);
        if let Some(session) = &session {
            self.check_owner(session, &token)?;
        }
        // Held until the service has read the message.
        let (bytes, _permit) = match parts.method {
            Method::POST => {
                let (bytes, time) = (self.app.options.max_body_bytes, self.app.options.body_time);
                let bounds = Bounds { bytes, time, setting: "serve.max_body_bytes" };
                body::read(&self.app.memory, &parts.headers, body, bounds).await?
            }
            _ => (Bytes::new(), self.app.memory.permit()),
        };
        // Only `initialize` starts a session; the newer protocol has none.
        let begins = parts.method == Method::POST && session.is_none() && is_initialize(&bytes);
        if begins {
            self.make_room(&token).await?;
        }
        parts.extensions.insert(caller(&admitted, parts.uri.query())?);
        let response = self.service.handle(Request::from_parts(parts, Full::new(bytes))).await;
        if let Some(session) = session_of(response.headers()).filter(|_| begins) {
            self.keep_owner(session, token).await;
        }
        Ok(self.while_welcome(response.map(Body::new), admitted))
    }

    /// A session is only visible to the token that started it.
    fn check_owner(&self, session: &str, token: &str) -> Result<(), Problem> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.get_mut(session) {
            Some(owner) if owner.token != token => {
                let problem = Problem::request(StatusCode::NOT_FOUND, "unknown MCP session");
                Err(problem.hint("start one with `initialize`"))
            }
            Some(owner) => {
                owner.used = Instant::now();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Closes sessions to make space for one more. A caller's own sessions are closed first, so that one caller with
    /// many cannot lock others out; if many callers have many, the least recently used session of all is closed.
    async fn make_room(&self, token: &str) -> Result<(), Problem> {
        let open: Vec<String> = self.sessions.sessions.read().await.keys().map(ToString::to_string).collect();
        let close = {
            let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
            owners.retain(|session, _| open.contains(session));
            let own = owners.values().filter(|owner| owner.token == token).count();
            let candidates = owners.iter().filter(|(_, owner)| own < SESSIONS_PER_CALLER || owner.token == token);
            let oldest = candidates.min_by_key(|(_, owner)| owner.used).map(|(session, _)| session.clone());
            let full = own >= SESSIONS_PER_CALLER || open.len() >= SESSIONS_MAX;
            oldest.filter(|_| full)
        };
        if let Some(session) = close {
            let closed = self.sessions.close_session(&session.as_str().into()).await;
            closed.map_err(|e| OpError::new(Code::Internal, "an idle MCP session could not be closed").because(e))?;
            self.owners.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        }
        Ok(())
    }

    async fn keep_owner(&self, session: String, token: String) {
        let open: Vec<String> = self.sessions.sessions.read().await.keys().map(ToString::to_string).collect();
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() > open.len() {
            owners.retain(|session, _| open.contains(session));
        }
        owners.insert(session, Owner { token, used: Instant::now() });
    }

    /// Ends a stream when its token is revoked or the server stops.
    fn while_welcome(&self, response: Response<Body>, admitted: Admitted) -> Response<Body> {
        let Some(shown) = admitted.shown else { return response };
        let (parts, body) = response.into_parts();
        let mut beat = tokio::time::interval(self.app.options.heartbeat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat.reset();
        let state = (body, beat, self.app.clone(), shown);
        let pieces = stream::unfold(state, async |(mut body, mut beat, app, shown)| {
            loop {
                tokio::select! {
                    frame = body.frame() => {
                        let frame = frame?;
                        let Ok(Ok(data)) = frame.map(|frame| frame.into_data()) else { continue };
                        return Some((Ok::<_, std::convert::Infallible>(data), (body, beat, app, shown)));
                    }
                    _ = beat.tick() => {
                        if matches!(app.workbench.caller(&shown).await, Ok(None)) {
                            return None;
                        }
                    }
                }
            }
        });
        Response::from_parts(parts, Body::from_stream(pieces))
    }
}

/// Whether a message starts a session.
fn is_initialize(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Message {
        method: Option<String>,
    }
    serde_json::from_slice::<Message>(body).is_ok_and(|message| message.method.as_deref() == Some("initialize"))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// The caller as the MCP server sees it. `/mcp?workbench=ID` sets the default workbench.
fn caller(admitted: &Admitted, asked: Option<&str>) -> Result<HttpCaller, Problem> {
    let mut workbench = None;
    for (name, value) in query::parse(asked)? {
        match name.as_str() {
            "workbench" => workbench = Some(value),
            _ => return Err(Problem::request(StatusCode::BAD_REQUEST, "`/mcp` takes `workbench` and nothing else")),
        }
    }
    let name = admitted.caller.as_ref().map(|caller| {
        let actor = serde_json::to_value(&caller.actor).unwrap_or_default();
        actor["name"].as_str().map_or_else(|| caller.token_id.clone(), str::to_owned)
    });
    let context = admitted.context();
    let is_agent = matches!(context.actor, Actor::Agent { .. });
    Ok(HttpCaller { access: context.access, name, is_agent, workbench })
}
