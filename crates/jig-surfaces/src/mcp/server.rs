//! The server trait of the SDK: each method passes a request to its module.

#![expect(deprecated, reason = "the older protocol is served too")]

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jig_contract::ops::WorkbenchListOutput;
use jig_contract::{Code, Kind, OpError, OpSpec, find};
use jig_workbench::{Workbench, publish_needs_person};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::caller::{self, Caller};
use super::fixtures::Fixtures;
use super::lean::{self, FULL_RECEIPT, lean};
use super::notify::{self, Sink, Subscribed, Wanted, Watch};
use super::progress::Progress;
use super::publish::{self, Consent, Waiting};
use super::tasks::{Running, Tasks};
use super::tools::{Naming, ToolScope, has_tool, needs_workbench, operation, takes_workbench, tools};
use super::{McpOptions, arguments, call, complete, hints, prompts, read, resources, skills};
use crate::{LazyWorkbench, nearest};

const INSTRUCTIONS: &str = "\
Jig holds a person's files (Excel, Word, PowerPoint, PDF, CSV, text). You read them and change a Draft; the originals stay.
1. Look: list_files, then get_file_map (sheets, sections, slides with their addresses), then read_file for that region.
2. Edit with the tool of the format (xlsx_, docx_, pptx_, text_operations): all ops of a call are applied, or none.
3. The result says what changed (old \u{2192} new, recalculated cells) and the new hash; do not read again to check.
4. Pass base_hash from your last read or edit: if the file has changed since, you get CONFLICT and nothing is lost.
5. A missing file is created; copy_from starts from another file and keeps its look.
6. Unsure about an op? edit_help shows its fields; with style_guide it shows how good files look.
7. Numbers from tables: table_query (SQL). Find words in any file: search_files. See a page: preview.
8. A mistake? undo reverts your newest change. diff shows everything that the Draft changes.
9. Long results end with a cursor: call the same tool with it. max_tokens limits any result (default 4,000).
10. You cannot publish: the person reviews the Draft and publishes it.";

/// How long a client may cache lists of a workbench, in milliseconds. Subscribers are notified of changes earlier.
const LISTS_TTL_MS: u64 = 5_000;
/// How long a client may cache what only changes with the program.
const FIXED_TTL_MS: u64 = 3_600_000;

/// The MCP server of one connection.
#[derive(Clone)]
pub struct JigServer {
    inner: Arc<Inner>,
    subscribed: Arc<Subscribed>,
    /// The workbench that this connection uses: one it created or chose.
    used: Arc<Mutex<Option<String>>>,
}

struct Inner {
    workbench: LazyWorkbench,
    options: McpOptions,
    waiting: Waiting,
    fixtures: Option<Fixtures>,
    tasks: Arc<Tasks>,
    /// The tools by how callers choose their workbench. Every call looks up its tool.
    tools: [OnceLock<Vec<Tool>>; 3],
}

impl JigServer {
    /// A server for one connection.
    pub fn new(workbench: LazyWorkbench, options: McpOptions) -> Self {
        let fixtures = options.conformance_fixtures.then(Fixtures::default);
        let inner = Inner {
            workbench,
            options,
            waiting: Waiting::default(),
            fixtures,
            tasks: Arc::default(),
            tools: Default::default(),
        };
        Self { inner: Arc::new(inner), subscribed: Arc::default(), used: Arc::default() }
    }

    /// The same server for another connection, with its own subscriptions.
    pub(crate) fn for_connection(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), subscribed: Arc::default(), used: Arc::default() }
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

    /// How a caller chooses the workbench of its calls.
    fn naming(&self, caller: &Caller) -> Naming {
        if caller.context.access.workbench.is_some() {
            Naming::Confined
        } else if caller.bound.is_some() || !self.inner.options.over_http {
            Naming::Remembered
        } else {
            Naming::PerCall
        }
    }

    /// What a caller is offered.
    fn scope(&self, naming: Naming) -> ToolScope {
        ToolScope { sets: self.inner.options.tools.clone(), naming }
    }

    fn tools(&self, naming: Naming) -> Vec<Tool> {
        let [confined, remembered, per_call] = &self.inner.tools;
        let known = match naming {
            Naming::Confined => confined,
            Naming::Remembered => remembered,
            Naming::PerCall => per_call,
        };
        let mut tools = known.get_or_init(|| tools(&self.scope(naming))).clone();
        tools.extend(self.fixtures().into_iter().flat_map(|_| Fixtures::tools()));
        tools
    }

    fn used(&self) -> Option<String> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the workbench to a call that names none: the one that the connection uses, else the only one.
    async fn choose_workbench(
        &self,
        caller: &Caller,
        op: &OpSpec,
        arguments: &mut Map<String, Value>,
    ) -> Result<(), OpError> {
        if !takes_workbench(op) || arguments.get("workbench_id").is_some_and(|id| !id.is_null()) {
            return Ok(());
        }
        arguments.shift_remove("workbench_id");
        let mut chosen = caller.bound.clone().or_else(|| self.used());
        if chosen.is_none() && needs_workbench(op) {
            let params = Value::Object(Map::new());
            let list: WorkbenchListOutput =
                resources::get(self.open().await?, "WorkbenchList", &caller.context, params).await?;
            chosen = match list.workbenches.as_slice() {
                [only] => Some(only.id.to_string()),
                [] => {
                    return Err(OpError::new(Code::WorkbenchNotFound, "no workbench exists yet").hint(
                        "call the tool workbench with action create and a name; later calls use that workbench",
                    ));
                }
                several => {
                    let ids = several.iter().map(|info| info.id.to_string());
                    return Err(OpError::new(Code::InvalidParams, "no workbench was chosen: several exist")
                        .suggest(ids)
                        .hint("pass workbench_id, or call the tool workbench with action use once"));
                }
            };
        }
        if let Some(id) = chosen {
            arguments.insert("workbench_id".to_owned(), id.into());
        }
        Ok(())
    }

    async fn run(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        mut arguments: Map<String, Value>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(context).map_err(|error| protocol_error(&error))?;
        let naming = self.naming(&caller);
        if !has_tool(&self.scope(naming), &request.name) {
            return Err(unknown_tool(&request.name, &self.tools(naming)));
        }
        let op = match operation(&request.name, &mut arguments) {
            Ok(op) => op,
            Err(error) => return Ok(call::failure(&error).into()),
        };
        arguments::correct(op, &mut arguments);
        let full_receipt = arguments.shift_remove(FULL_RECEIPT).is_some_and(|wanted| wanted == true);
        let outcome = async {
            self.choose_workbench(&caller, op, &mut arguments).await?;
            let named = arguments.get("workbench_id").and_then(Value::as_str).map(str::to_owned);
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
            if let (true, Some(id)) = (matches!(op.name, "WorkbenchCreate" | "WorkbenchGet"), value["id"].as_str()) {
                *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
            }
            let links = call::links(op, named.as_deref(), &value);
            let image = lean::image(op.name, &value);
            let mut answer = lean(op.name, &value, full_receipt);
            if let Some(budget) = budget {
                answer = budget.fit(op, answer);
            }
            Ok(Ok(call::success(op, answer, image, links)))
        };
        Ok(match outcome.await {
            Ok(Ok(result)) => result.into(),
            Ok(Err(question)) => question.into(),
            Err(error) => call::failure(&error.phase(op.name)).into(),
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
            .enable_tasks()
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
        let list = ListToolsResult::with_all_items(self.tools(self.naming(&caller)));
        Ok(list.with_ttl_ms(FIXED_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools(Naming::Remembered).into_iter().find(|tool| tool.name == name)
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
        if !context.client_capabilities().is_some_and(|client| client.supports_tasks()) {
            return self.run(&request, &context, arguments).await;
        }
        let caller = self.caller(&context).map_err(|error| protocol_error(&error))?;
        let (request_cancelled, cancel) = (context.ct.clone(), CancellationToken::new());
        // The work belongs to the task, which may outlive the request.
        let (server, mut detached) = (self.clone(), context);
        detached.ct = cancel.clone();
        let work = tokio::spawn(async move { server.run(&request, &detached, arguments).await });
        let patience = self.inner.options.task_after;
        self.inner.tasks.result(caller, Running { work, cancel }, patience, request_cancelled).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let caller = self.caller(&context).map_err(|error| protocol_error(&error))?;
        self.inner.tasks.get(&caller, &request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // No task asks for input; unknown answers are ignored.
        let caller = self.caller(&context).map_err(|error| protocol_error(&error))?;
        self.inner.tasks.check_owner(&caller, &request.task_id)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = self.caller(&context).map_err(|error| protocol_error(&error))?;
        self.inner.tasks.cancel(&caller, &request.task_id)
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
    let own = find(name).and_then(|op| op.surfaces.tool);
    let own = own.filter(|own| tools.iter().any(|tool| tool.name == *own)).map(str::to_owned);
    let suggestions: Vec<String> = own.into_iter().chain(suggestions).collect();
    if !suggestions.is_empty() {
        message.push_str(&format!("; did you mean {}?", suggestions.join(", ")));
    }
    let error = OpError::new(Code::UnknownOperation, message.clone()).suggest(suggestions);
    ErrorData::invalid_params(message, Some(hints::lean_error(&error.info)))
}

/// Resources have no `isError`; the complete error is attached as data.
fn protocol_error(error: &OpError) -> ErrorData {
    let (message, data) = (call::error_text(error), Some(hints::lean_error(&error.info)));
    match error.code().kind() {
        Kind::NotFound => ErrorData::resource_not_found(message, data),
        Kind::Invalid | Kind::Denied | Kind::Conflict => ErrorData::invalid_params(message, data),
        Kind::Upstream | Kind::Internal => ErrorData::internal_error(message, data),
    }
}

/// Like `protocol_error`, where something missing is not a resource but an invalid parameter.
fn prompt_error(error: &OpError) -> ErrorData {
    let (message, data) = (call::error_text(error), Some(hints::lean_error(&error.info)));
    match error.code().kind() {
        Kind::Upstream | Kind::Internal => ErrorData::internal_error(message, data),
        _ => ErrorData::invalid_params(message, data),
    }
}
