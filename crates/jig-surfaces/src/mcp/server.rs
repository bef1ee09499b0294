//! The server as the SDK wants it: each method carries a request to its module.

use std::sync::{Arc, Mutex};

use jig_contract::{Code, Kind, OpError, find};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::notify::{self, Sink, Subscribed, Wanted, Watch};
use super::publish::{self, Consent, Waiting};
use super::tools::{Naming, operation, tools};
use super::uri::Address;
use super::{McpOptions, call, complete, read, resources};
use crate::{LazyWorkbench, nearest};

const INSTRUCTIONS: &str = "Jig holds a person's files. You read them and write to a Draft; the originals are never \
touched. Look first (list_files, get_file_map, read_file), write with base_hash from the last read; ops are carried out \
in order, all or none. A person reviews and publishes.";

/// The MCP server. One for each connection.
#[derive(Clone)]
pub struct JigServer(Arc<Inner>);

struct Inner {
    workbench: LazyWorkbench,
    options: McpOptions,
    tools: Vec<Tool>,
    waiting: Waiting,
    subscribed: Subscribed,
}

impl JigServer {
    /// A server for one connection.
    pub fn new(workbench: LazyWorkbench, options: McpOptions) -> Self {
        let naming = if options.workbench.is_some() { Naming::Optional } else { Naming::Required };
        Self(Arc::new(Inner {
            workbench,
            tools: tools(naming),
            options,
            waiting: Waiting::default(),
            subscribed: Subscribed::default(),
        }))
    }

    fn bound(&self) -> Option<&str> {
        self.0.options.workbench.as_deref()
    }

    async fn open(&self) -> Result<&Workbench, OpError> {
        self.0.workbench.get().await
    }

    fn context(&self, request: &RequestContext<RoleServer>) -> CallContext {
        let client = request.client_info().map(|client| client.name);
        CallContext {
            cancel: request.ct.clone(),
            may_publish: self.0.options.allow_publish,
            ..CallContext::new(call::actor(client.as_deref()))
        }
    }

    async fn run(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        mut arguments: Map<String, Value>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(op) = operation(&request.name) else { return Err(unknown_tool(&request.name, &self.0.tools)) };
        call::fill_in(op, &mut arguments, self.bound());
        let mut call = self.context(context);
        let outcome = async {
            let workbench = self.open().await?;
            if op.name == "DraftPublish" && !call.may_publish {
                let fresh = || self.0.options.env.fresh_id().to_string();
                match publish::ask(workbench, &self.0.waiting, request, arguments.clone(), context, &call, fresh)
                    .await?
                {
                    Consent::Ask(question) => return Ok(Err(*question)),
                    Consent::Given(agreed) => {
                        arguments = agreed;
                        call.may_publish = true;
                    }
                    Consent::CannotAsk => {}
                }
            }
            call::operation(workbench, op, call, arguments).await.map(Ok)
        };
        Ok(match outcome.await {
            Ok(Ok(value)) => call::result(op, Ok(value)).into(),
            Ok(Err(question)) => question.into(),
            Err(error) => call::result(op, Err(error.phase(op.name))).into(),
        })
    }
}

impl ServerHandler for JigServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let mut server = Implementation::new("jig", env!("CARGO_PKG_VERSION"));
        server.title = Some("Jig".to_owned());
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.take().unwrap_or_default();
        self.run(&request, &context, arguments).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = async {
            resources::page(self.open().await?, &self.context(&context), self.bound(), cursor.as_deref()).await
        };
        page.await.map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let max = self.0.options.max_resource_bytes;
        let contents = async { read::contents(self.open().await?, &self.context(&context), &request.uri, max).await };
        let contents = contents.await.map_err(|error| protocol_error(&error))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values =
            async { complete::values(self.open().await?, &self.context(&context), &request, self.bound()).await };
        values.await.map(CompleteResult::new).map_err(|error| protocol_error(&error))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted().clone();
        let mut wanted = notify::by_workbench(&accepted.resource_subscriptions.unwrap_or_default());
        if accepted.resources_list_changed == Some(true)
            && let Some(bound) = self.bound()
        {
            wanted.entry(bound.to_owned()).or_default().list = true;
        }
        let call = self.context(context.request_context());
        let mut watchers = JoinSet::new();
        for (id, wanted) in wanted {
            let (server, call, sink) = (self.clone(), call.clone(), Sink::Listen(context.sink().clone()));
            watchers.spawn(async move { server.watch_one(call, &id, wanted, sink).await });
        }
        context.cancelled().await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some(address) = Address::parse(&request.uri) else {
            return Err(ErrorData::resource_not_found("there is no such resource", None));
        };
        let workbench = self.open().await.map_err(|error| protocol_error(&error))?.clone();
        // The request's own token ends with the request; the subscription lives on.
        let call = CallContext::new(self.context(&context).actor);
        let sink = Sink::Peer(context.peer);
        let added = self.0.subscribed.add(workbench, call, &address.workbench, &request.uri, sink).await;
        added.map_err(|error| protocol_error(&error))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(address) = Address::parse(&request.uri) {
            self.0.subscribed.remove(&address.workbench, &request.uri);
        }
        Ok(())
    }
}

impl JigServer {
    async fn watch_one(&self, call: CallContext, id: &str, wanted: Wanted, sink: Sink) {
        let ends = call.cancel.clone();
        let watched = async {
            let workbench = self.open().await?.clone();
            let watch = Watch::start(workbench, call, id, Arc::new(Mutex::new(wanted)), sink).await?;
            watch.tell_all().await;
            watch.run(ends).await
        };
        if let Err(error) = watched.await {
            tracing::warn!(workbench = id, "notifications ended: {error}");
        }
    }
}

fn unknown_tool(name: &str, tools: &[Tool]) -> ErrorData {
    let shown: String = name.chars().take(80).collect();
    let mut message = format!("there is no tool `{shown}`");
    let suggestions = nearest(name, tools.iter().map(|tool| tool.name.as_ref()));
    // An operation's own name is an easy mistake for a model that has read the manual.
    let own = find(name).and_then(|op| op.surfaces.tool).map(str::to_owned);
    let suggestions: Vec<String> = own.into_iter().chain(suggestions).collect();
    if !suggestions.is_empty() {
        message.push_str(&format!("; did you mean {}?", suggestions.join(", ")));
    }
    let error = OpError::new(Code::UnknownOperation, message.clone()).suggest(suggestions);
    ErrorData::invalid_params(message, serde_json::to_value(&error.info).ok())
}

/// Resources have no `isError`; the whole error goes along as data.
fn protocol_error(error: &OpError) -> ErrorData {
    let message = call::error_text(error);
    let data = serde_json::to_value(&error.info).ok();
    match error.code().kind() {
        Kind::NotFound => ErrorData::resource_not_found(message, data),
        Kind::Invalid | Kind::Denied | Kind::Conflict => ErrorData::invalid_params(message, data),
        Kind::Upstream | Kind::Internal => ErrorData::internal_error(message, data),
    }
}
