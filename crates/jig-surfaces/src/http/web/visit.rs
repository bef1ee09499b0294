//! A request to the web app: the visitor, the address, and calling operations for it.

use std::path::Path;

use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Response, StatusCode};
use jig_contract::ops::{DraftGetState, DraftGetStateOutput, WorkbenchGet, WorkbenchInfo};
use jig_contract::{Code, OpError, OpSpec, Operation, Timestamp, find};
use jig_workbench::{Access, needed_role};
use serde_json::{Value, json};

use super::super::app::App;
use super::super::gate::{Admitted, Told, is_start_token};
use super::super::problem::Problem;
use super::super::query;
use super::{Answer, answer, failure};

/// A request to the web app.
pub(super) struct Visit {
    pub(super) app: App,
    pub(super) headers: HeaderMap,
    admitted: Admitted,
    path: Vec<(String, String)>,
    pairs: Vec<(String, String)>,
    /// The path with its query, for redirects back.
    pub(super) address: String,
}

/// A workbench, and its Draft if there is one.
pub(super) struct Bench {
    pub(super) info: WorkbenchInfo,
    pub(super) draft: Option<DraftGetStateOutput>,
}

impl Bench {
    pub(super) fn id(&self) -> &str {
        self.info.id.as_str()
    }
}

/// Handles a read-only request.
pub(super) async fn read<F, Fut>(app: App, route: &'static str, request: Request, screen: F) -> Response<Body>
where
    F: Fn(Visit) -> Fut,
    Fut: Future<Output = Answer>,
{
    let (parts, _) = request.into_parts();
    let answered = match Visit::new(app.clone(), parts.clone()).await {
        Ok(visit) => screen(visit).await,
        Err(problem) => Err(problem),
    };
    let mut response = answered.unwrap_or_else(|problem| failure::page(&parts, problem));
    answer::of_its_form(&parts.headers, &mut response);
    told(route, response)
}

/// Handles a form.
pub(super) async fn act<F, Fut>(app: App, route: &'static str, request: Request, action: F) -> Response<Body>
where
    F: Fn(Visit, Body) -> Fut,
    Fut: Future<Output = Answer>,
{
    let (parts, body) = request.into_parts();
    let answered = match same_site(&parts.headers) {
        Ok(()) => match Visit::new(app.clone(), parts.clone()).await {
            Ok(visit) => action(visit, body).await,
            Err(problem) => Err(problem),
        },
        Err(problem) => Err(problem),
    };
    let mut response = answered.unwrap_or_else(|problem| failure::page(&parts, problem));
    answer::of_its_form(&parts.headers, &mut response);
    told(route, response)
}

/// The gate refuses requests that claim another origin. A form must also prove its own origin: every browser does, and
/// only browsers fill in forms.
fn same_site(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.contains_key("origin") || headers.contains_key("sec-fetch-site") {
        return Ok(());
    }
    let error = OpError::new(Code::NotPermitted, "the request does not say which page it comes from");
    Err(Problem::new(error.hint("programs call POST /api/op/NAME instead; /api/docs lists them")))
}

fn told(route: &'static str, mut response: Response<Body>) -> Response<Body> {
    response.extensions_mut().insert(Told { route, operation: "-" });
    response
}

impl Visit {
    async fn new(app: App, mut parts: Parts) -> Result<Self, Problem> {
        let admitted = parts.extensions.get::<Admitted>().cloned();
        let none = || Problem::new(OpError::new(Code::Internal, "a request came past the gate"));
        let pairs = query::parse(parts.uri.query())?;
        let address = parts.uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
        let path = RawPathParams::from_request_parts(&mut parts, &()).await;
        let not_text = |_| Problem::request(StatusCode::BAD_REQUEST, "the address is not UTF-8");
        let path = path.map_err(not_text)?;
        let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(Self { app, headers: parts.headers, admitted: admitted.ok_or_else(none)?, path, pairs, address })
    }

    /// A parameter of the path.
    pub(super) fn part(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The workbench id in the path.
    pub(super) fn id(&self) -> &str {
        self.part("id")
    }

    /// A query parameter; an empty one counts as missing.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Whether this is the start token, sent from this machine.
    pub(super) fn is_start_token(&self, secret: &str) -> bool {
        is_start_token(&self.app, self.admitted.is_here, secret)
    }

    /// Whether the visitor is authenticated.
    pub(super) fn is_known(&self) -> bool {
        self.admitted.caller.is_some() || self.admitted.is_local_owner
    }

    pub(super) fn now(&self) -> Timestamp {
        self.app.options.env.now()
    }

    /// Calls an operation.
    pub(super) async fn call<O: Operation>(&self, params: Value) -> Result<O::Output, Problem> {
        let output = self.app.call(spec::<O>()?, self.admitted.context(), params).await?;
        shaped::<O>(output)
    }

    /// Calls an operation on the workbench of the path, with an uploaded file.
    pub(super) async fn on_staged<O: Operation>(&self, mut params: Value, place: &Path) -> Result<O::Output, Problem> {
        params["workbench_id"] = json!(self.id());
        params["source_path"] = json!(place);
        let output = self.app.call_keeping(spec::<O>()?, self.admitted.context(), params, ()).await?;
        shaped::<O>(output)
    }

    /// Calls an operation on the workbench of the path.
    pub(super) async fn on<O: Operation>(&self, mut params: Value) -> Result<O::Output, Problem> {
        params["workbench_id"] = json!(self.id());
        self.call::<O>(params).await
    }

    /// The workbench of the path, with its Draft.
    pub(super) async fn bench(&self) -> Result<Bench, Problem> {
        let info = self.on::<WorkbenchGet>(json!({})).await?;
        let draft = if info.draft.is_some() { Some(self.on::<DraftGetState>(json!({})).await?) } else { None };
        Ok(Bench { info, draft: draft.filter(|draft| draft.exists) })
    }

    /// Why this visitor may not call an operation, if so.
    pub(super) fn refusal<O: Operation>(&self) -> Option<String> {
        let Access { role, workbench } = self.access();
        let op = find(O::NAME)?;
        let needed = needed_role(op);
        if role < needed {
            return Some(format!("Your token's role is {}; this needs {}.", word(role), word(needed)));
        }
        if matches!(self.admitted.context().actor, jig_contract::Actor::Agent { .. }) && O::NAME == "DraftPublish" {
            return Some("Your token is an agent's; a person publishes.".to_owned());
        }
        let everywhere = matches!(O::NAME, "WorkbenchCreate" | "WorkbenchClone" | "TokenCreate" | "TokenRevoke");
        (workbench.is_some() && everywhere).then(|| "Your token is for one workbench only.".to_owned())
    }

    fn access(&self) -> Access {
        self.admitted.context().access
    }

    /// The name of the signed-in user; `None` for the local user.
    pub(super) fn name(&self) -> Option<String> {
        let caller = self.admitted.caller.as_ref()?;
        match &caller.actor {
            jig_contract::Actor::Person { name: Some(name) } => Some(name.clone()),
            _ => Some("a token".to_owned()),
        }
    }

    /// The value of a cookie.
    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        cookie(&self.headers, name)
    }
}

fn spec<O: Operation>() -> Result<&'static OpSpec, Problem> {
    find(O::NAME).ok_or_else(|| OpError::new(Code::Internal, "an operation is not in the list").into())
}

fn shaped<O: Operation>(output: Value) -> Result<O::Output, Problem> {
    serde_json::from_value(output).map_err(|e| {
        OpError::new(Code::Internal, format!("the answer of {} does not have its own shape", O::NAME)).because(e).into()
    })
}

/// The value of a cookie.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all("cookie").iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

const fn word(role: jig_contract::ops::TokenRole) -> &'static str {
    use jig_contract::ops::TokenRole;
    match role {
        TokenRole::Reader => "reader",
        TokenRole::Writer => "writer",
        TokenRole::Owner => "owner",
    }
}
