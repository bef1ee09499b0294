//! The names that the MCP conformance tests call: `jig mcp --conformance-fixtures`.
//!
//! They are served by the same server as Jig's own, so that the tests exercise the real code. They never access a
//! workbench, and do not exist without the flag.

#![expect(deprecated, reason = "the older protocol is served too")]

mod ask;
mod content;
mod input;
mod names;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, Prompt, Resource,
    ResourceContents, ResourceTemplate, ServerCapabilities, Tool,
};
use rmcp::model::{GetPromptRequestParams, GetPromptResponse};
use rmcp::service::{RequestContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer};

/// State that the tests expect between calls.
#[derive(Default)]
pub(super) struct Fixtures {
    sinks: Arc<Mutex<Sinks>>,
}

#[derive(Default)]
struct Sinks {
    next: u64,
    open: BTreeMap<u64, SubscriptionSink>,
}

/// A subscription that receives changes until it is dropped.
pub(super) struct Kept {
    sinks: Arc<Mutex<Sinks>>,
    number: u64,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&self.number);
    }
}

impl Fixtures {
    /// Adds the capabilities that only the tests require.
    pub(super) fn claim(capabilities: &mut ServerCapabilities) {
        let more = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_logging().build();
        capabilities.tools = more.tools;
        capabilities.logging = more.logging;
    }

    pub(super) fn tools() -> Vec<Tool> {
        names::tools()
    }

    pub(super) fn has_tool(name: &str) -> bool {
        names::has_tool(name)
    }

    pub(super) fn resources() -> Vec<Resource> {
        content::resources()
    }

    pub(super) fn templates() -> Vec<ResourceTemplate> {
        content::templates()
    }

    pub(super) fn contents(uri: &str) -> Option<ResourceContents> {
        content::contents(uri)
    }

    pub(super) fn watches(uri: &str) -> bool {
        uri == "test://watched-resource"
    }

    pub(super) fn prompts() -> Vec<Prompt> {
        content::prompts()
    }

    pub(super) fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResponse> {
        content::prompt(request)
    }

    /// Registers a subscription for changes that tests cause.
    pub(super) fn keep(&self, sink: SubscriptionSink) -> Kept {
        let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
        sinks.next += 1;
        let number = sinks.next;
        sinks.open.insert(number, sink);
        Kept { sinks: Arc::clone(&self.sinks), number }
    }

    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if name.starts_with("test_input_required_result_") {
            return input::call(&request, &context);
        }
        let said = |text: &str| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        match name.as_str() {
            "test_trigger_tool_change" | "test_trigger_prompt_change" => {
                let open = self.sinks.lock().unwrap_or_else(PoisonError::into_inner).open.clone();
                for sink in open.into_values() {
                    let _ = match name.as_str() {
                        "test_trigger_tool_change" => sink.notify_tool_list_changed().await,
                        _ => sink.notify_prompt_list_changed().await,
                    };
                }
                said("told")
            }
            "test_missing_capability" => {
                let has = context.client_capabilities().is_some_and(|client| client.sampling.is_some());
                if has {
                    return said("the client can sample");
                }
                let needed = ClientCapabilities::builder().enable_sampling().build();
                Err(ErrorData::missing_required_client_capability(needed))
            }
            "test_streaming_elicitation" => Ok(input::ask_for("streaming_elicitation", "value").into()),
            "test_sampling"
            | "test_elicitation"
            | "test_elicitation_sep1034_defaults"
            | "test_elicitation_sep1330_enums" => ask::call(&name, &request, &context).await,
            _ => content::call(&name, &request, &context).await,
        }
    }
}
