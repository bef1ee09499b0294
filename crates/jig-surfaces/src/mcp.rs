//! `jig mcp` and `/mcp` of `jig serve`: the operations that agents need as MCP tools; files, context and history as
//! resources and skills; recipes and prompt packs as prompts.
//!
//! Built on the official SDK, which speaks the protocol versions 2026-07-28 and 2025-11-25 on one
//! connection. An agent writes to the Draft only; publishing needs a person.

mod budget;
mod call;
mod caller;
mod complete;
mod cursor;
mod fixtures;
mod notify;
mod progress;
mod prompts;
mod publish;
mod read;
mod resources;
mod schema;
mod server;
mod skills;
mod text;
mod tools;
mod uri;

use std::io;

use jig_contract::{Env, Given, OpError, WorkbenchId};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use call::Turns;
pub(crate) use caller::HttpCaller;
pub use server::JigServer;
pub use tools::{Naming, tools};

use crate::LazyWorkbench;

/// How the door is set.
#[derive(Debug, Clone)]
pub struct McpOptions {
    /// The workbench that is meant when a call names none.
    pub workbench: Option<String>,
    /// Whether that is the only workbench that this server reaches.
    pub confine: bool,
    /// Whether the owner lets agents ask the person at the client to publish. Otherwise a person publishes elsewhere.
    pub ask_publish: bool,
    /// The largest resource that is handed out whole, in bytes.
    pub max_resource_bytes: u64,
    /// Whether the names that the protocol's conformance tests call are served beside Jig's own.
    pub conformance_fixtures: bool,
    /// Where fresh ids come from.
    pub env: Env,
    /// Whether callers come over HTTP, where the door says with each request who they are.
    pub over_http: bool,
    /// What the calls of this door share.
    pub turns: Turns,
}

impl McpOptions {
    /// The defaults: no workbench bound, publishing not allowed.
    pub fn new(env: Env) -> Self {
        Self {
            workbench: None,
            confine: false,
            ask_publish: false,
            max_resource_bytes: 10 << 20,
            conformance_fixtures: false,
            env,
            over_http: false,
            turns: Turns::default(),
        }
    }
}

impl McpOptions {
    /// The only workbench that this server reaches; none for all.
    fn confined(&self) -> Result<Option<WorkbenchId>, OpError> {
        self.confine.then_some(self.workbench.as_deref()).flatten().map(|id| Given::from(id).check()).transpose()
    }
}

/// Speaks MCP over a pair of streams until the client goes.
pub async fn serve<R, W>(workbench: LazyWorkbench, input: R, output: W, options: McpOptions) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = JigServer::new(workbench, options);
    match server.serve((input, output)).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that goes before the first word has nothing to be told.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The pair of standard streams, read and written without blocking where they are pipes.
pub fn stdio() -> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    rmcp::transport::io::stdio_pipes()
}
