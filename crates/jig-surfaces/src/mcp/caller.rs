//! The caller: a local program, or an HTTP client with the permissions of its token.

use axum::http::request::Parts;
use jig_contract::{Actor, Code, OpError};
use jig_workbench::{Access, CallContext};
use rmcp::RoleServer;
use rmcp::model::Extensions;
use rmcp::service::RequestContext;

use super::McpOptions;

/// An HTTP caller, attached to every admitted request by the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpCaller {
    /// The permissions.
    pub(crate) access: Access,
    /// The name of the token, as recorded in the journal; `None` without a token.
    pub(crate) name: Option<String>,
    /// Whether it is an agent token, which can never confirm: whoever answers for it may not be a person.
    pub(crate) is_agent: bool,
    /// The default workbench in the URL.
    pub(crate) workbench: Option<String>,
}

/// The caller of a request.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) context: CallContext,
    /// Whether the person at the client may be asked for confirmation.
    pub(super) may_ask: bool,
    /// The default workbench.
    pub(super) bound: Option<String>,
}

/// The caller of a request.
pub(super) fn of_request(options: &McpOptions, request: &RequestContext<RoleServer>) -> Result<Caller, OpError> {
    let client = request.client_info().map(|client| client.name);
    let mut caller = of(options, &request.extensions, client.as_deref())?;
    caller.context.cancel = request.ct.clone();
    Ok(caller)
}

/// The caller attached to a message. Over HTTP, a message without one is refused.
pub(super) fn of(options: &McpOptions, came: &Extensions, client: Option<&str>) -> Result<Caller, OpError> {
    let client = name(client);
    if !options.over_http {
        let mut context = CallContext::new(Actor::agent(client));
        // A confined server can access no other workbench, whatever a tool, URL or parameter names.
        context.access.workbench = options.confined()?;
        return Ok(Caller { context, may_ask: options.ask_publish, bound: options.workbench.clone() });
    }
    let known = came.get::<Parts>().and_then(|parts| parts.extensions.get::<HttpCaller>());
    let Some(known) = known else {
        return Err(OpError::new(Code::Internal, "a message came past the door"));
    };
    let actor = match &known.name {
        Some(token) => Actor::agent(format!("{client} ({token})")),
        None => Actor::agent(client),
    };
    let context = CallContext { access: known.access.clone(), ..CallContext::new(actor) };
    let own = known.access.workbench.as_ref().map(ToString::to_string);
    let may_ask = options.ask_publish && !known.is_agent;
    Ok(Caller { context, may_ask, bound: known.workbench.clone().or(own) })
}

/// An agent is named after its client.
fn name(client: Option<&str>) -> String {
    const LONGEST: usize = 100;
    client.unwrap_or("unknown client").chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}
