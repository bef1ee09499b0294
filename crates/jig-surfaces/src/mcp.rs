//! `jig mcp`, and `/mcp` of `jig serve`: operations for agents as MCP tools; files, context and history as resources
//! and skills; recipes and prompt packs as prompts.
//!
//! Built on the official SDK, which supports the protocol versions 2026-07-28 and 2025-11-25 on one connection. An
//! agent only writes to the Draft; publishing requires a person.

mod arguments;
mod budget;
mod call;
mod caller;
mod complete;
mod cursor;
mod fixtures;
mod hints;
mod lean;
mod notify;
mod progress;
mod prompts;
mod publish;
mod read;
mod resources;
mod schema;
mod server;
mod skills;
mod tasks;
mod tools;
mod uri;

use std::io;
use std::time::Duration;

use jig_contract::{Env, Given, OpError, WorkbenchId};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use call::Turns;
pub(crate) use caller::HttpCaller;
pub use hints::lean_error;
pub use lean::lean;
pub use server::JigServer;
pub use tools::{Naming, ToolScope, ToolSet, tools};

use crate::LazyWorkbench;

/// The configuration of the MCP server.
#[derive(Debug, Clone)]
pub struct McpOptions {
    /// The default workbench for calls that name none.
    pub workbench: Option<String>,
    /// Whether that is the only accessible workbench.
    pub confine: bool,
    /// The sets of tools that are served.
    pub tools: Vec<ToolSet>,
    /// Whether agents may ask the person at the client for permission to publish. Otherwise a person publishes
    /// elsewhere.
    pub ask_publish: bool,
    /// The maximum size of a resource that is returned entirely, in bytes.
    pub max_resource_bytes: u64,
    /// Whether the names that the MCP conformance tests call are served too.
    pub conformance_fixtures: bool,
    /// The clock and id generator.
    pub env: Env,
    /// Whether callers use HTTP, where each request carries its caller.
    pub over_http: bool,
    /// How long a call may take before it becomes a task, for clients that support tasks.
    pub task_after: Duration,
    /// State shared by the calls of this server.
    pub turns: Turns,
}

impl McpOptions {
    /// The default configuration: no default workbench, publishing not permitted.
    pub fn new(env: Env) -> Self {
        Self {
            workbench: None,
            confine: false,
            tools: ToolSet::USUAL.to_vec(),
            ask_publish: false,
            max_resource_bytes: 10 << 20,
            conformance_fixtures: false,
            env,
            over_http: false,
            task_after: Duration::from_secs(10),
            turns: Turns::default(),
        }
    }
}

impl McpOptions {
    /// The only accessible workbench; `None` for all.
    fn confined(&self) -> Result<Option<WorkbenchId>, OpError> {
        self.confine.then_some(self.workbench.as_deref()).flatten().map(|id| Given::from(id).check()).transpose()
    }
}

/// Serves MCP over a pair of streams until the client disconnects.
pub async fn serve<R, W>(workbench: LazyWorkbench, input: R, output: W, options: McpOptions) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = JigServer::new(workbench, options);
    match server.serve((input, output)).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that disconnects before the first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Standard input and output, with non-blocking I/O if they are pipes.
pub fn stdio() -> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    rmcp::transport::io::stdio_pipes()
}
