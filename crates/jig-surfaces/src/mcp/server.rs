//! The server trait of the SDK: each method passes a request to its module.

#![expect(deprecated, reason = "the older protocol is served too")]

use std::sync::{Arc, Mutex};

use jig_contract::{Code, Kind, OpError, find};
use jig_workbench::{Workbench, publish_needs_person};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::budget::Budget;
use super::caller::{self, Caller};
use super::fixtures::Fixtures;
use super::notify::{self, Sink, Subscribed, Wanted, Watch};
use super::progress::Progress;
use super::publish::{self, Consent, Waiting};
use super::tools::{Naming, operation, tools};
use super::{McpOptions, call, complete, prompts, read, resources, skills};
use crate::{LazyWorkbench, nearest};

const INSTRUCTIONS: &str = "Jig holds a person's files. You read them and write to a Draft; the originals are never \
touched. Look first (list_files, get_file_map, read_file), write with base_hash from the last read; ops are carried out \
in order, all or none. Every tool keeps to max_tokens (4,000 unless said); pass an answer's cursor to get the rest. A person \
reviews and publishes.";

/// How long a client may cache lists of a workbench, in milliseconds. Subscribers are notified of changes earlier.
const LISTS_TTL_MS: u64 = 5_000;
/// How long a client may cache what only changes with the program.
const FIXED_TTL_MS: u64 = 3_600_000;

/// The MCP server of one connection.
#[derive(Clone)]
pub struct JigServer {
    inner: Arc<Inner>,
    subscribed: Arc<Subscribed>,
}

struct Inner {
    workbench: LazyWorkbench,
    options: McpOptions,
    waiting: Waiting,
    fixtures: Option<Fixtures>,
}

impl JigServer {
    /// A server for one connection.
    pub fn new(workbench: LazyWorkbench, options: McpOptions) -> Self {
        let fixtures = options.conformance_fixtures.then(Fixtures::default);
        let inner = Inner { workbench, options, waiting: Waiting::default(), fixtures };
        Self { inner: Arc::new(inner), subscribed: Arc::default() }
    }

    /// The same server for another connection, with its own subscriptions.
    pub(crate) fn for_connection(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), subscribed: Arc::default() }
    }

    fn caller(&self, request: &RequestContext<RoleServer>) -> Result<Caller, OpError> {
        caller::of_request(&self.inner.options, request)
    }

    async fn open(&self) -> Result<&Workbench, OpError> {
        self.inner.workbench.get().await
    }

    fn fixtures(&self) -> Option<&Fixtures> {
        self.inner.fixtures.as_ref()
    }

    fn tools(&self, bound: Option<&str>) -> Vec<Tool> {
        let mut all = tools(if bound.is_some() { Naming::Optional } else { Naming::Required });
        all.extend(self.fixtures().into_iter().flat_map(|_| Fixtures::tools()));
        all
    }

    async fn run(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        mut arguments: Map<String, Value>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(context).map_err(|error| protocol_error(&error))?;
        let bound = caller.bound.as_deref();
        let Some(op) = operation(&request.name) else { return Err(unknown_tool(&request.name, &self.tools(bound))) };
        call::fill_in(op, &mut arguments, bound);
        let named = arguments.get("workbench_id").and_then(Value::as_str).map(str::to_owned);
        let outcome = async {
            let budget = Budget::take(op, &mut arguments)?;
            let workbench = self.open().await?;
            let mut call = caller.context.clone();
            if op.name == "DraftPublish" {
                if !caller.may_ask {
                    return Err(publish_needs_person());
                }
                let fresh = || self.inner.options.env.fresh_id().to_string();
                let asked =
                    publish::ask(workbench, &self.inner.waiting, request, arguments.clone(), context, &call, fresh);
                match asked.await? {
                    Consent::Ask(question) => return Ok::<_, OpError>(Err(*question)),
                    Consent::Given(agreed) => {
                        arguments = agreed;
                        call.may_publish = true;
                    }
                    Consent::CannotAsk => return Err(publish_needs_person()),
                }
            }
            let turns = &self.inner.options.turns;
            let work = call::operation(workbench, op, call, arguments, turns);
            let value = match Progress::of(context, op.name, named.as_deref()) {
                Some(progress) => progress.along(workbench, work).await,
                None => work.await,
            }?;
            Ok(Ok(match budget {
                Some(budget) => budget.fit(op, value),
                None => value,
            }))
        };
        Ok(match outcome.await {
            Ok(Ok(value)) => call::result(op, named.as_deref(), Ok(value)).into(),
            Ok(Err(question)) => question.into(),
            Err(error) => call::result(op, None, Err(error.phase(op.name))).into(),
        })
    }
}

impl ServerHandler for JigServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_extensions_with([(skills::EXTENSION.to_owned(), skills::capability())].into())
            .build();
        if self.fixtures().is_some() {
            Fixtures::claim(&mut capabilities);
        }
        let mut server = Implementation::new("jig", env!("CARGO_PKG_VERSION"));
        server.title = Some("Jig".to_owned());
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let client = context.peer.peer_info().map(|info| info.client_info.name.clone());
        let caller = caller::of(&self.inner.options, &context.extensions, client.as_deref());
        let Ok(Caller { bound: Some(bound), context: call, may_ask }) = caller else { return };
        let server = self.clone();
        // Opening can be slow, and the client must not wait for it.
        tokio::spawn(async move {
            let Ok(workbench) = server.open().await else { return };
            let caller = Caller { bound: Some(bound.clone()), context: call, may_ask };
            let sink = Sink::Peer(context.peer);
            if let Err(error) = server.subscribed.add(workbench.clone(), caller, &bound, None, sink).await {
                tracing::warn!(workbench = %bound, "changes of the lists are not told: {error}");
            }
        });
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.caller(&context).map_err(|error| protocol_error(&error))?;
        let list = ListToolsResult::with_all_items(self.tools(caller.bound.as_deref()));
        Ok(list.with_ttl_ms(FIXED_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools(None).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(fixtures) = self.fixtures().filter(|_| Fixtures::has_tool(&request.name)) {
            return fixtures.call(request, context).await;
        }
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
            let caller = self.caller(&context)?;
            resources::page(self.open().await?, &caller.context, caller.bound.as_deref(), cursor.as_deref()).await
        };
        let mut page = page.await.map_err(|error| protocol_error(&error))?;
        if self.fixtures().is_some() && cursor.is_none() {
            page.resources.extend(Fixtures::resources());
        }
        Ok(page.with_ttl_ms(LISTS_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut templates = resources::templates();
        templates.extend(self.fixtures().into_iter().flat_map(|_| Fixtures::templates()));
        let list = ListResourceTemplatesResult::with_all_items(templates);
        Ok(list.with_ttl_ms(FIXED_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let max = self.inner.options.max_resource_bytes;
        let uri = request.uri.as_str();
        let contents = async {
            let caller = self.caller(&context)?;
            let workbench = self.open().await?;
            if skills::is_skill(uri) {
                return skills::contents(workbench, &caller, uri).await;
            }
            read::contents(workbench, &caller.context, uri, max).await
        };
        let contents = match self.fixtures().and_then(|_| Fixtures::contents(uri)) {
            Some(contents) => contents,
            None => contents.await.map_err(|error| protocol_error(&error))?,
        };
        let result = ReadResourceResult::new(vec![contents]);
        Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = async {
            let caller = self.caller(&context)?;
            prompts::page(self.open().await?, &caller, cursor.as_deref()).await
        };
        let mut page = page.await.map_err(|error| protocol_error(&error))?;
        if self.fixtures().is_some() && cursor.is_none() {
            page.prompts.extend(Fixtures::prompts());
        }
        Ok(page.with_ttl_ms(LISTS_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(filled) = self.fixtures().and_then(|_| Fixtures::prompt(&request)) {
            return Ok(filled);
        }
        let filled = async {
            let caller = self.caller(&context)?;
            prompts::filled(self.open().await?, &caller, request).await
        };
        filled.await.map(Into::into).map_err(|error| prompt_error(&error))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = async {
            let caller = self.caller(&context)?;
            complete::values(self.open().await?, &caller.context, &request, caller.bound.as_deref()).await
        };
        values.await.map(CompleteResult::new).map_err(|error| protocol_error(&error))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.clone().unwrap_or_default();
        let answered = async {
            let caller = self.caller(&context)?;
            match skills::answer(self.open().await?, &caller, &request.method, &params).await {
                Some(answer) => answer.map(Some),
                None => Ok(None),
            }
        };
        let unknown = || {
            let shown: String = request.method.chars().take(80).collect();
            ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, shown, None)
        };
        if !skills::has_method(&request.method) {
            return Err(misfit(&request.method, &params).unwrap_or_else(unknown));
        }
        // In this extension, anything missing is an invalid parameter.
        let answer = answered.await.map_err(|error| prompt_error(&error))?;
        let mut answer = answer.ok_or_else(unknown)?;
        if is_newer(&context)
            && let Some(members) = answer.as_object_mut()
        {
            members.insert("resultType".to_owned(), "complete".into());
        }
        Ok(CustomResult::new(answer))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let caller = self.caller(context.request_context()).map_err(|error| protocol_error(&error))?;
        let accepted = context.accepted().clone();
        let _kept = self.fixtures().map(|fixtures| fixtures.keep(context.sink().clone()));
        let mut wanted = notify::by_workbench(&accepted.resource_subscriptions.unwrap_or_default());
        if let Some(bound) = &caller.bound {
            let (list, prompts) =
                (accepted.resources_list_changed == Some(true), accepted.prompts_list_changed == Some(true));
            if list || prompts {
                let of_bound = wanted.entry(bound.clone()).or_default();
                (of_bound.list, of_bound.prompts) = (list, prompts);
            }
        }
        let mut watchers = JoinSet::new();
        for (id, wanted) in wanted {
            let (server, caller, sink) = (self.clone(), caller.clone(), Sink::Listen(context.sink().clone()));
            watchers.spawn(async move { server.watch_one(caller, &id, wanted, sink).await });
        }
        context.cancelled().await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.as_str();
        if self.fixtures().is_some() && Fixtures::watches(uri) {
            return Ok(());
        }
        let Some(id) = notify::workbench_of(uri) else {
            return Err(ErrorData::resource_not_found("there is no such resource", None));
        };
        let added = async {
            let mut caller = self.caller(&context)?;
            // The request's own token is cancelled with the request, but the subscription continues.
            caller.context.cancel = tokio_util::sync::CancellationToken::new();
            let workbench = self.open().await?.clone();
            self.subscribed.add(workbench, caller, &id, Some(uri), Sink::Peer(context.peer.clone())).await
        };
        added.await.map_err(|error| protocol_error(&error))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(id) = notify::workbench_of(&request.uri) {
            self.subscribed.remove(&id, &request.uri).await;
        }
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        match self.fixtures() {
            Some(_) => Ok(()),
            None => Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>()),
        }
    }
}

impl JigServer {
    async fn watch_one(&self, caller: Caller, id: &str, wanted: Wanted, sink: Sink) {
        let ends = caller.context.cancel.clone();
        let watched = async {
            let workbench = self.open().await?.clone();
            let watch = Watch::start(workbench, caller, id, Arc::new(Mutex::new(wanted)), sink).await?;
            watch.tell_all().await;
            watch.run(ends).await
        };
        if let Err(error) = watched.await {
            tracing::warn!(workbench = id, "notifications ended: {error}");
        }
    }
}

fn is_newer(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Protocol methods with parameters. With invalid parameters, the SDK reports them as unknown methods.
const WITH_PARAMETERS: [&str; 4] = ["tools/call", "resources/read", "prompts/get", "completion/complete"];

/// The error for invalid parameters of an existing method.
fn misfit(method: &str, params: &serde_json::Value) -> Option<ErrorData> {
    let method = WITH_PARAMETERS.into_iter().find(|known| *known == method)?;
    let needed = if method == "resources/read" { "uri" } else { "name" };
    let why = match method {
        "completion/complete" => "`ref` must name a prompt or a resource, and `argument` what is completed".to_owned(),
        _ if !params[needed].is_string() => format!("`{needed}` must be a text"),
        _ => "`arguments` must be an object".to_owned(),
    };
    Some(ErrorData::invalid_params(format!("the parameters of `{method}` are wrong: {why}"), None))
}

fn unknown_tool(name: &str, tools: &[Tool]) -> ErrorData {
    let shown: String = name.chars().take(80).collect();
    let mut message = format!("there is no tool `{shown}`");
    let suggestions = nearest(name, tools.iter().map(|tool| tool.name.as_ref()));
    // Using an operation's name is a common mistake of models that have read the documentation.
    let own = find(name).and_then(|op| op.surfaces.tool).map(str::to_owned);
    let suggestions: Vec<String> = own.into_iter().chain(suggestions).collect();
    if !suggestions.is_empty() {
        message.push_str(&format!("; did you mean {}?", suggestions.join(", ")));
    }
    let error = OpError::new(Code::UnknownOperation, message.clone()).suggest(suggestions);
    ErrorData::invalid_params(message, serde_json::to_value(&error.info).ok())
}

/// Resources have no `isError`; the complete error is attached as data.
fn protocol_error(error: &OpError) -> ErrorData {
    let (message, data) = (call::error_text(error), serde_json::to_value(&error.info).ok());
    match error.code().kind() {
        Kind::NotFound => ErrorData::resource_not_found(message, data),
        Kind::Invalid | Kind::Denied | Kind::Conflict => ErrorData::invalid_params(message, data),
        Kind::Upstream | Kind::Internal => ErrorData::internal_error(message, data),
    }
}

/// Like `protocol_error`, where something missing is not a resource but an invalid parameter.
fn prompt_error(error: &OpError) -> ErrorData {
    let (message, data) = (call::error_text(error), serde_json::to_value(&error.info).ok());
    match error.code().kind() {
        Kind::Upstream | Kind::Internal => ErrorData::internal_error(message, data),
        _ => ErrorData::invalid_params(message, data),
    }
}
