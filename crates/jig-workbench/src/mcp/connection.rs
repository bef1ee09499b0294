//! A connection to one MCP server: handshake, tool list and calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jig_contract::{Code, OpError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    PaginatedRequestParams,
};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::{ClientHandler, Peer, RoleClient, ServiceError, ServiceExt as _};
use serde_json::Value;
use tokio::sync::Mutex;

use super::program::{Program, Words};
use super::reading::TooMuch;
use super::{greeting, http, unavailable};
use crate::config::{McpServer, McpWay};

/// The maximum number of tools per server; further pages are not requested.
const TOOLS_MAX: usize = 1_000;
const PAGES_MAX: usize = 50;

/// Jig as an MCP client without capabilities, so that servers cannot request anything from it.
struct Client {
    changed: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let about = Implementation::new("jig", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), about)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }
}

/// An open connection. A local program exits when it is dropped.
pub(super) struct Connection {
    service: RunningService<RoleClient, Client>,
    /// The input schemas of the tools, by name.
    tools: Mutex<BTreeMap<String, Value>>,
    changed: Arc<AtomicBool>,
    too_much: TooMuch,
    program: Option<Program>,
}

impl Connection {
    pub(super) async fn open(server: &str, settings: &McpServer) -> Result<Self, OpError> {
        if let Some(why) = &settings.why_not {
            return Err(no_greeting(server, why, Words::default()));
        }
        let changed = Arc::new(AtomicBool::new(false));
        let client = Client { changed: Arc::clone(&changed) };
        let too_much = TooMuch::new(settings.wire_bytes());
        let (service, program) = match &settings.way {
            McpWay::Program { program, arguments, environment, folder } => {
                let (started, transport) = Program::start(server, program, arguments, environment, folder, &too_much)?;
                let greeted = tokio::time::timeout(greeting(settings), client.serve(transport)).await;
                match greeted {
                    Ok(Ok(service)) => (service, Some(started)),
                    Ok(Err(error)) => {
                        let said = started.last_words().await;
                        return Err(no_greeting(server, &error.to_string(), said));
                    }
                    Err(_) => return Err(no_greeting(server, "it is silent", started.last_words().await)),
                }
            }
            McpWay::Address { url, bearer } => {
                let transport = http::transport(server, url, bearer.as_ref(), too_much.clone())?;
                let greeted = tokio::time::timeout(greeting(settings), client.serve(transport)).await;
                match greeted {
                    Ok(Ok(service)) => (service, None),
                    Ok(Err(error)) => return Err(no_greeting(server, &error.to_string(), Words::default())),
                    Err(_) => return Err(no_greeting(server, "it is silent", Words::default())),
                }
            }
        };
        let tools = listed(service.peer()).await.map_err(|error| {
            unavailable(server, &format!("does not say which tools it has: {}", short(&error.to_string())))
        })?;
        Ok(Self { service, tools: Mutex::new(tools), changed, too_much, program })
    }

    /// The current input schema of a tool.
    pub(super) async fn schema(&self, server: &str, tool: &str) -> Result<Value, OpError> {
        let mut tools = self.tools.lock().await;
        if self.changed.swap(false, Ordering::AcqRel) || !tools.contains_key(tool) {
            *tools = listed(self.service.peer()).await.map_err(|error| {
                unavailable(server, &format!("does not say which tools it has: {}", short(&error.to_string())))
            })?;
        }
        tools.get(tool).cloned().ok_or_else(|| {
            let names: Vec<&str> = tools.keys().map(String::as_str).take(20).collect();
            let words = format!("the MCP server `{server}` has no tool `{tool}` now");
            OpError::new(Code::ToolNotBound, words).hint(format!("it has {}", short(&names.join(", "))))
        })
    }

    pub(super) async fn call(&self, params: CallToolRequestParams) -> Result<CallToolResult, ServiceError> {
        match self.service.call_tool_once(params).await? {
            CallToolResponse::Complete(result) => Ok(result),
            // The server requests input from its client or continues asynchronously; neither was offered.
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    pub(super) fn is_too_much(&self) -> bool {
        self.too_much.happened()
    }

    /// The error of a failed call, with the next action.
    pub(super) async fn failed(&self, server: &str, settings: &McpServer, error: ServiceError) -> OpError {
        if self.too_much.happened() {
            let words = format!("the MCP server `{server}` sends more than {} bytes", settings.result_bytes);
            return OpError::new(Code::LimitExceeded, words)
                .hint("ask for less")
                .hint(format!("`mcp_servers.{server}.result_bytes` is the setting"));
        }
        match error {
            ServiceError::McpError(error) => {
                let words = format!("the MCP server `{server}` refuses the call: {}", short(&error.message));
                OpError::new(Code::McpToolFailed, words)
            }
            ServiceError::UnexpectedResponse => {
                unavailable(server, "answers with something else than a result, which Jig cannot use")
            }
            other => {
                let said = match &self.program {
                    Some(program) => program.last_words().await,
                    None => Words::default(),
                };
                said.tell(unavailable(server, &format!("is gone: {}", short(&other.to_string()))))
                    .hint("it may have done what was asked all the same; look before you ask again")
            }
        }
    }
}

fn no_greeting(server: &str, why: &str, said: Words) -> OpError {
    said.tell(unavailable(server, &format!("cannot be used: {}", short(why))))
        .hint(format!("look at `mcp_servers.{server}` in the settings, and whether it runs by itself"))
}

/// All tools of a server, page by page.
async fn listed(peer: &Peer<RoleClient>) -> Result<BTreeMap<String, Value>, ServiceError> {
    let mut tools = BTreeMap::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let mut params = PaginatedRequestParams::default();
        params.cursor = cursor;
        let page = peer.list_tools(Some(params)).await?;
        for tool in page.tools.into_iter().take(TOOLS_MAX.saturating_sub(tools.len())) {
            tools.insert(tool.name.into_owned(), Value::Object(tool.input_schema.as_ref().clone()));
        }
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= TOOLS_MAX {
            break;
        }
    }
    Ok(tools)
}

/// A server's text, shortened for a message.
pub(super) fn short(text: &str) -> String {
    const SHOWN: usize = 500;
    let mut out: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
