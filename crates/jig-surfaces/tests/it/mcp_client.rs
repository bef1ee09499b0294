//! An in-memory MCP client for tests, using the official SDK.

use jig_contract::Env;
use jig_surfaces::LazyWorkbench;
use jig_surfaces::mcp::{JigServer, McpOptions};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The person's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    Yes,
    No,
    Declines,
    CannotBeAsked,
}

/// A client with a person. Questions and notifications are recorded.
#[derive(Clone)]
pub(crate) struct Handler {
    person: Person,
    heard: mpsc::UnboundedSender<String>,
    progress: mpsc::UnboundedSender<ProgressNotificationParam>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.person {
            Person::CannotBeAsked => ClientCapabilities::default(),
            _ => ClientCapabilities::builder().enable_elicitation().build(),
        };
        ClientConfig::new(capabilities, Implementation::new("test-client", "1.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Err(ErrorData::invalid_params("a form was expected", None));
        };
        let _ = self.heard.send(message);
        let accept =
            |publish: bool| ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "publish": publish }));
        Ok(match self.person {
            Person::Yes => accept(true),
            Person::No => accept(false),
            Person::Declines | Person::CannotBeAsked => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(params);
    }

    async fn on_resource_updated(
        &self,
        params: rmcp::model::ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.heard.send(params.uri);
    }
}

/// The two supported protocol versions.
pub(crate) const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// A connected client.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) heard: mpsc::UnboundedReceiver<String>,
    pub(crate) progress: mpsc::UnboundedReceiver<ProgressNotificationParam>,
}

/// The default test configuration, with `deck` as default workbench.
pub(crate) fn bound() -> McpOptions {
    McpOptions { workbench: Some("deck".to_owned()), ..McpOptions::new(Env::system()) }
}

impl Client {
    pub(crate) async fn new(
        workbench: impl Into<LazyWorkbench>,
        options: McpOptions,
        version: ProtocolVersion,
        person: Person,
    ) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let server = JigServer::new(workbench.into(), options);
        tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
        let (sender, heard) = mpsc::unbounded_channel();
        let (tells, progress) = mpsc::unbounded_channel();
        let handler = Handler { person, heard: sender, progress: tells };
        let mode = if version == ProtocolVersion::V_2026_07_28 {
            ClientLifecycleMode::Discover { preferred_versions: vec![version] }
        } else {
            ClientLifecycleMode::Initialize
        };
        Self { service: handler.serve_with_lifecycle(ours, mode).await.unwrap(), heard, progress }
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.service.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
    }

    /// Calls a tool that must succeed and returns its structured content.
    pub(crate) async fn value(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{result:?}");
        assert!(result.content[0].as_text().is_some_and(|text| !text.text.is_empty()), "{result:?}");
        result.structured_content.unwrap()
    }

    /// Calls a tool that must fail and returns its code and text.
    pub(crate) async fn failure(&self, tool: &'static str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let info = result.structured_content.unwrap();
        (info["error_code"].as_str().unwrap().to_owned(), result.content[0].as_text().unwrap().text.clone())
    }
}
