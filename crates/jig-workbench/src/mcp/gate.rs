//! Tool calls to external servers pass the consent gate and the egress log like model calls.

use jig_contract::ops::EgressScope;
use jig_contract::{Code, OpError, WorkbenchId};
use jig_files::count_tokens;
use jig_store::{EgressEnd, Head, NewEgress, Store};
use serde_json::{Value, json};

use super::TARGET;
use crate::Workbench;
use crate::config::{McpServer, McpWay};
use crate::egress::{MCP_RECEIVER, Sending, sealed};

/// The number of hash digits that distinguish different settings of the same program.
const SETTINGS_DIGITS: usize = 16;

impl Workbench {
    /// The destination of a server's calls for consent: a URL, or a program with its arguments.
    pub(crate) fn mcp_address(&self, server: &str) -> Result<String, OpError> {
        let servers = self.mcp_servers();
        let settings = servers.get(server).ok_or_else(|| {
            OpError::new(Code::ValidationFailed, format!("no MCP server `{server}` in the settings"))
                .suggest(crate::state::nearest(server, servers.keys().cloned()))
        })?;
        Ok(address(settings))
    }

    /// The gate for one call: requires consent for this server in this workbench. A one-time consent covers exactly
    /// this tool with exactly these arguments.
    pub(super) async fn permit_mcp(
        &self,
        head: &Head,
        server: &str,
        settings: &McpServer,
        tool: &str,
        input: &Value,
    ) -> Result<EgressScope, OpError> {
        let sending = sending(head, server, settings, tool, input);
        let Sending { scope, .. } = &sending;
        // Wrapped like data in a request, where field names help to recognise keys.
        let body = json!([input.to_string()]).to_string();
        self.check_secrets(&head.id, (&scope.model_id, &scope.host), body.as_bytes(), scope).await?;
        self.use_consent(&sending).await?;
        Ok(sending.scope)
    }

    /// Whether consent covers a call to a binding target. Does not consume it.
    pub(crate) async fn check_mcp(&self, head: &Head, target: &str, input: &Value) -> Result<(), OpError> {
        let (server, tool) = target.strip_prefix(TARGET).and_then(|rest| rest.split_once('/')).unwrap_or_default();
        // A server missing from the settings is reported by the call itself.
        let Some(settings) = self.mcp_servers().get(server) else { return Ok(()) };
        self.covered(&sending(head, server, settings, tool, input)).await.map(drop)
    }
}

/// What one call sends. A stored consent covers the server, a one-time consent exactly this call.
fn sending<'a>(head: &'a Head, server: &str, settings: &McpServer, tool: &str, input: &Value) -> Sending<'a> {
    let scope = EgressScope {
        model_id: format!("{MCP_RECEIVER}{server}"),
        host: address(settings),
        input: Some(format!("the arguments of the tool {tool}")),
        ..EgressScope::default()
    };
    let content = jig_store::hash_of(json!([tool, input]).to_string().as_bytes());
    Sending { head, began: head.state, scope: sealed(scope, &content) }
}

/// A URL without possible secrets, or a program with a digest of its other settings.
fn address(settings: &McpServer) -> String {
    match &settings.way {
        McpWay::Address { url, .. } => {
            let bare = url.split(['?', '#']).next().unwrap_or(url);
            match bare.split_once("://") {
                Some((scheme, rest)) => {
                    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                    let host = authority.rsplit('@').next().unwrap_or(authority);
                    format!("{scheme}://{host}/{path}").trim_end_matches('/').to_owned()
                }
                None => bare.to_owned(),
            }
        }
        McpWay::Program { program, arguments, folder, .. } => {
            let told = json!([arguments, folder.display().to_string()]).to_string();
            let mark = jig_store::hash_of(told.as_bytes()).to_string();
            format!("{} [{}]", program.display(), mark.get(..SETTINGS_DIGITS).unwrap_or_default())
        }
    }
}

/// A call in the egress log. If it is dropped before it ends, it is recorded as interrupted.
pub(super) struct LoggedCall {
    store: Store,
    workbench: WorkbenchId,
    row: Option<String>,
    input_tokens: u64,
}

impl LoggedCall {
    /// Adds the call to the log before anything is sent.
    pub(super) async fn begin(
        store: &Store,
        workbench: &WorkbenchId,
        scope: &EgressScope,
        tool: &str,
        input: &Value,
    ) -> Result<Self, OpError> {
        let purpose = format!("mcp.call {tool}");
        let new = NewEgress { purpose: &purpose, model_id: &scope.model_id, scope_hash: &scope.hash };
        let row = store.begin_egress(workbench, &new).await?;
        let input_tokens = count_tokens(&input.to_string()) as u64;
        Ok(Self { store: store.clone(), workbench: workbench.clone(), row: Some(row), input_tokens })
    }

    /// Records the end of the call.
    pub(super) async fn end(mut self, result: &Result<Value, OpError>) {
        let Some(row) = self.row.take() else { return };
        let (outcome, output_tokens) = match result {
            Ok(value) => ("sent", Some(count_tokens(&value.to_string()) as u64)),
            Err(error) => (error.code().as_str(), None),
        };
        let end = EgressEnd { outcome, input_tokens: Some(self.input_tokens), output_tokens };
        if let Err(error) = self.store.end_egress(&self.workbench, &row, end).await {
            tracing::warn!(workbench = %self.workbench, "the end of a tool call could not be logged: {error}");
        }
    }
}

impl Drop for LoggedCall {
    fn drop(&mut self) {
        let Some(row) = self.row.take() else { return };
        // Without a runtime the program is exiting: the next start settles the entry.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (store, workbench, input_tokens) = (self.store.clone(), self.workbench.clone(), self.input_tokens);
        runtime.spawn(async move {
            let end = EgressEnd {
                outcome: jig_store::EGRESS_INTERRUPTED,
                input_tokens: Some(input_tokens),
                output_tokens: None,
            };
            let _ = store.end_egress(&workbench, &row, end).await;
        });
    }
}
