//! How the server is set.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jig_contract::{Env, OpError, WorkbenchId};
use jig_workbench::Workbench;

use super::log::Log;
use super::proxies::ProxyRange;

/// How much longer an upload may take than another body.
const LONGER: u32 = 10;

/// How the server is set. Every limit is a setting of `jig serve`.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where it listens.
    pub bind: SocketAddr,
    /// Names under which it is called, beside those of the machine itself and the address it listens on.
    pub hosts: Vec<String>,
    /// Proxies whose forwarding headers are believed. A request through any proxy needs a token.
    pub trusted_proxies: Vec<ProxyRange>,
    /// Whether everybody on this machine is the owner, without a start token, for as long as nobody has a token.
    pub open_loopback: bool,
    /// What the person who started the server shows; made by [`HttpServer::bind`](super::HttpServer::bind) where none is
    /// given and one is needed.
    pub start_token: Option<Arc<str>>,
    /// The largest body of a call, in bytes.
    pub max_body_bytes: usize,
    /// The largest asset or file, in bytes.
    pub max_upload_bytes: usize,
    /// How long a client may take to send the head of a request, also the first one.
    pub header_time: Duration,
    /// How long a client may take to send the body of a call; an upload may take ten times as long.
    pub body_time: Duration,
    /// How many connections are open at once.
    pub max_connections: usize,
    /// How many operations run at once.
    pub at_once: usize,
    /// How many calls a token has a second; none for no limit. Twice as many may come in a burst.
    pub calls_per_second: Option<u32>,
    /// How long running operations may go on once the server is asked to end.
    pub end_time: Duration,
    /// How often a stream of events says that it is alive.
    pub heartbeat: Duration,
    /// Where one line for each request goes.
    pub log: Log,
    /// Where time and ids come from.
    pub env: Env,
    /// What the page offers to somebody who has just started.
    pub demo: Option<Demo>,
    /// How `/mcp` is set.
    pub mcp: McpDoor,
}

/// How `/mcp` is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct McpDoor {
    /// Whether the owner lets agents ask the person at the client to publish.
    pub ask_publish: bool,
    /// Whether the names that the protocol's conformance tests call are served too.
    pub conformance_fixtures: bool,
}

/// A workbench to look around in, made when somebody asks for it.
#[derive(Clone)]
pub struct Demo(Arc<Make>);

type Make = dyn Fn(Workbench) -> Making + Send + Sync;
type Making = Pin<Box<dyn Future<Output = Result<WorkbenchId, OpError>> + Send>>;

impl Demo {
    /// One that is made by this function.
    pub fn new<F, Fut>(make: F) -> Self
    where
        F: Fn(Workbench) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<WorkbenchId, OpError>> + Send + 'static,
    {
        Self(Arc::new(move |workbench| Box::pin(make(workbench))))
    }

    /// Makes it.
    pub(super) async fn make(&self, workbench: Workbench) -> Result<WorkbenchId, OpError> {
        (self.0)(workbench).await
    }
}

impl std::fmt::Debug for Demo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Demo")
    }
}

impl HttpOptions {
    /// The defaults, at this address.
    pub fn new(bind: SocketAddr, env: Env) -> Self {
        Self {
            bind,
            hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            open_loopback: false,
            start_token: None,
            max_body_bytes: 10 << 20,
            max_upload_bytes: 25 << 20,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            max_connections: 1_024,
            at_once: 64,
            calls_per_second: Some(1_000),
            end_time: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            log: Log::none(),
            env,
            demo: None,
            mcp: McpDoor::default(),
        }
    }

    /// Whether only this machine is meant to reach the server. A server with further names or a proxy is for others too,
    /// wherever it listens: everybody needs a token there.
    pub fn is_local(&self) -> bool {
        self.bind.ip().is_loopback() && self.hosts.is_empty() && self.trusted_proxies.is_empty()
    }

    /// How long a client may take to send a file.
    pub(super) fn upload_time(&self) -> Duration {
        self.body_time * LONGER
    }
}
