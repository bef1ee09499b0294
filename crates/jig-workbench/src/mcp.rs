//! Tools of external MCP servers, with the official SDK as the client.
//!
//! Servers and the tools that agents may use are configured in the settings by a person, never by content. Servers are
//! not trusted: calls have a time limit, results a size limit, and requests from a server to its client are declined.

mod answer;
mod connection;
mod gate;
mod http;
mod program;
mod reading;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jig_context::agent::check_input;
use jig_contract::{Code, OpError};
use jig_session::{Binding, Touch};
use jig_store::Head;
use rmcp::model::CallToolRequestParams;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::Workbench;
use crate::config::McpServer;
use answer::answer;
use connection::Connection;
use gate::LoggedCall;

/// The prefix of binding targets that are tools of an external server.
pub(crate) const TARGET: &str = "mcp:";

/// The connections of this process, opened on first use.
#[derive(Default)]
pub(crate) struct McpDesk {
    places: std::sync::Mutex<BTreeMap<String, Place>>,
}

/// The slot of a server's connection. A slow server only blocks its own callers.
type Place = Arc<Mutex<Option<Arc<Connection>>>>;

impl McpDesk {
    fn place(&self, server: &str) -> Place {
        let mut places = self.places.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(places.entry(server.to_owned()).or_default())
    }

    /// Drops the connection, so that the next call opens a new one.
    async fn forget(&self, server: &str) {
        *self.place(server).lock().await = None;
    }
}

/// The bindings of the tools in the settings.
pub(crate) fn bindings(servers: &BTreeMap<String, McpServer>) -> impl Iterator<Item = (String, Binding)> {
    servers.iter().flat_map(|(server, settings)| {
        settings.tools.iter().map(move |(tool, behind)| {
            let touch = if behind.reads_only { Touch::Reads } else { Touch::Writes };
            let target = format!("{TARGET}{server}/{}", behind.name);
            // Capabilities are per tool and access: permission for a read tool says nothing about a write tool.
            let access = if behind.reads_only { "read" } else { "write" };
            let capability = format!("mcp.{server}.{access}.{tool}");
            (McpServer::tool_name(server, tool), Binding { target, capability, touch })
        })
    })
}

impl Workbench {
    /// Calls a tool of an external server by its binding target. Requires consent and is recorded in the egress log
    /// even if the server is a local program, because it is unknown what it does with the arguments.
    pub(crate) async fn call_mcp(
        &self,
        head: &Head,
        target: &str,
        input: &Value,
        cancel: &CancellationToken,
    ) -> Result<Value, OpError> {
        let (server, tool) = target.strip_prefix(TARGET).and_then(|rest| rest.split_once('/')).unwrap_or_default();
        // A run keeps its bindings, but the settings may have changed since it started.
        let Some(settings) = self.mcp_servers().get(server) else {
            let words = format!("the MCP server `{server}` is no longer in the settings");
            return Err(OpError::new(Code::ToolNotBound, words).hint("use another tool"));
        };
        if !settings.tools.values().any(|behind| behind.name == tool) {
            let words = format!("`{tool}` of the MCP server `{server}` is no longer in the settings");
            return Err(OpError::new(Code::ToolNotBound, words).hint("use another tool"));
        }
        let scope = self.permit_mcp(head, server, settings, tool, input).await?;
        let logged = LoggedCall::begin(self.store(), &head.id, &scope, tool, input).await?;
        let result = self.call_bounded(server, settings, tool, input, cancel).await;
        logged.end(&result).await;
        result
    }

    async fn call_bounded(
        &self,
        server: &str,
        settings: &McpServer,
        tool: &str,
        input: &Value,
        cancel: &CancellationToken,
    ) -> Result<Value, OpError> {
        let work = self.called(server, settings, tool, input);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(OpError::new(Code::UserCanceled, "the call was stopped before it ended")),
            done = tokio::time::timeout(settings.timeout, work) => match done {
                Ok(result) => result,
                Err(_) => {
                    // The server may stay unresponsive, so the next call opens a new connection.
                    self.mcp_desk().forget(server).await;
                    Err(unavailable(server, &format!("does not answer within {} seconds", settings.timeout.as_secs()))
                        .hint("it may have done what was asked all the same; look before you ask again")
                        .hint(format!("`mcp_servers.{server}.timeout_seconds` is the setting")))
                }
            },
        }
    }

    async fn called(&self, server: &str, settings: &McpServer, tool: &str, input: &Value) -> Result<Value, OpError> {
        let connection = self.connection(server, settings).await?;
        let schema = connection.schema(server, tool).await?;
        check_input(&schema, input).map_err(|problems| {
            let told: Vec<String> = problems.into_iter().map(|(place, what)| format!("{place} {what}")).collect();
            let words = format!("the input does not fit what the MCP server `{server}` wants: {}", told.join("; "));
            OpError::new(Code::InvalidParams, words)
        })?;
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = input.as_object().cloned();
        match connection.call(params).await {
            Ok(result) => answer(server, tool, settings.result_bytes, result),
            Err(error) => {
                let gone = connection.is_closed() || connection.is_too_much();
                if gone {
                    self.mcp_desk().forget(server).await;
                }
                Err(connection.failed(server, settings, error).await)
            }
        }
    }

    /// The open connection to a server, or a new one if it has closed.
    async fn connection(&self, server: &str, settings: &McpServer) -> Result<Arc<Connection>, OpError> {
        let place = self.mcp_desk().place(server);
        let mut open = place.lock().await;
        if let Some(connection) = open.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        let made = Arc::new(Connection::open(server, settings).await?);
        *open = Some(Arc::clone(&made));
        Ok(made)
    }
}

/// The error for an unavailable server.
fn unavailable(server: &str, why: &str) -> OpError {
    OpError::new(Code::McpServerUnavailable, format!("the MCP server `{server}` {why}"))
}

/// The timeout of the handshake, slightly less than that of the call, so that the server's error output can still be
/// reported.
fn greeting(settings: &McpServer) -> Duration {
    settings.timeout / 10 * 9
}
