//! Who calls: a program beside its user, or somebody over HTTP with what their token allows.

use axum::http::request::Parts;
use jig_contract::{Actor, Code, OpError};
use jig_workbench::{Access, CallContext};
use rmcp::RoleServer;
use rmcp::model::Extensions;
use rmcp::service::RequestContext;

use super::McpOptions;

/// Who calls over HTTP. The HTTP door puts it into every request that it lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpCaller {
    /// What they may do, and where.
    pub(crate) access: Access,
    /// The token's name, as the journal knows it; none where no token is needed.
    pub(crate) name: Option<String>,
    /// Whether the token is an agent's, which never confirms: whoever answers for it need not be a person.
    pub(crate) is_agent: bool,
    /// The workbench that the address names, for calls that name none.
    pub(crate) workbench: Option<String>,
}

/// What is known of a caller.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) context: CallContext,
    /// Whether the person at the client may be asked to confirm.
    pub(super) may_ask: bool,
    /// The workbench that is meant when a call names none.
    pub(super) bound: Option<String>,
}

/// The caller of a request.
pub(super) fn of_request(options: &McpOptions, request: &RequestContext<RoleServer>) -> Result<Caller, OpError> {
    let client = request.client_info().map(|client| client.name);
    let mut caller = of(options, &request.extensions, client.as_deref())?;
    caller.context.cancel = request.ct.clone();
    Ok(caller)
}

/// The caller by what came along with a message. Over HTTP nobody is let in whom the door does not know.
pub(super) fn of(options: &McpOptions, came: &Extensions, client: Option<&str>) -> Result<Caller, OpError> {
    let client = name(client);
    if !options.over_http {
        let mut context = CallContext::new(Actor::agent(client));
        // A server for one workbench reaches no other, whatever a tool, an address or a parameter names.
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

/// An agent is known by what its client calls itself.
fn name(client: Option<&str>) -> String {
    const LONGEST: usize = 100;
    client.unwrap_or("unknown client").chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}
