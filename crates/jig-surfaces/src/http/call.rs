//! The handlers: of operations by name, and of resources.

use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse;
use jig_contract::{Code, Effect, OPERATIONS, OpError, OpSpec, find};
use serde_json::{Map, Value, json};

use super::app::{App, check_host_files};
use super::body::{self, Bounds};
use super::conditional::{self, Condition, Wanted};
use super::gate::{Admitted, Told};
use super::problem::Problem;
use super::routes::{Form, Ready, Verb};
use super::{answer, assets, bytes, events, files, params, query};
use crate::nearest;

/// What one request says beside its body.
pub(super) struct Asked {
    pub(super) parts: Parts,
    pub(super) admitted: Admitted,
    pub(super) pairs: Vec<(String, String)>,
}

impl Asked {
    fn new(parts: Parts) -> Result<Self, Problem> {
        let admitted = parts
            .extensions
            .get::<Admitted>()
            .cloned()
            .ok_or_else(|| Problem::new(OpError::new(Code::Internal, "a request came past the gate")))?;
        let pairs = query::parse(parts.uri.query())?;
        Ok(Self { parts, admitted, pairs })
    }
}

impl App {
    /// The bounds of the body of a call.
    fn bounds(&self) -> Bounds {
        let (bytes, time) = (self.options.max_body_bytes, self.options.body_time);
        Bounds { bytes, time, setting: "serve.max_body_bytes" }
    }
}

/// `POST /api/op/{Name}`.
pub(super) async fn operation(app: App, op: &'static OpSpec, request: Request<Body>) -> Response<Body> {
    let told = Told { route: "/api/op/{name}", operation: op.name };
    said(told, by_name(app, op, request).await)
}

async fn by_name(app: App, op: &'static OpSpec, request: Request<Body>) -> Result<Response<Body>, Problem> {
    let (parts, body) = request.into_parts();
    let asked = Asked::new(parts)?;
    if let Some((name, _)) = asked.pairs.first() {
        let shown: String = name.chars().take(80).collect();
        return Err(params::invalid(&format!("`{shown}` is in the query; parameters belong into the body")));
    }
    // The answer has no tag, so a condition would have nothing to name; ignoring it would overwrite a newer version.
    if op.effect != Effect::Read && conditional::condition(&asked.parts.headers)? != Condition::Anything {
        let problem = Problem::request(StatusCode::BAD_REQUEST, "an operation takes no `If-Match` or `If-None-Match`");
        return Err(problem.hint("give `base_revision` in the body, or use the route of the resource"));
    }
    let (params, permit) = body::json(&app.memory, &asked.parts.headers, body, app.bounds()).await?;
    let params = Value::Object(params);
    check_host_files(op, &params)?;
    let output = app.call_keeping(op, asked.admitted.context(), params, permit).await?;
    answer::json(StatusCode::OK, &output)
}

/// A resource route.
pub(super) async fn resource(app: App, ready: &'static Ready, request: Request<Body>) -> Response<Body> {
    let told = Told { route: ready.route.path, operation: ready.op.name };
    said(told, by_route(app, ready, request).await)
}

async fn by_route(app: App, ready: &'static Ready, request: Request<Body>) -> Result<Response<Body>, Problem> {
    let (mut parts, body) = request.into_parts();
    let path = RawPathParams::from_request_parts(&mut parts, &()).await;
    let in_path = match &path {
        Ok(path) => params::from_path(ready, path.iter()),
        Err(_) if !ready.route.path.contains('{') => Map::new(),
        Err(_) => return Err(Problem::request(StatusCode::BAD_REQUEST, "the address is not UTF-8")),
    };
    let asked = Asked::new(parts)?;
    match ready.route.form {
        Form::FileBytes => bytes::file(&app, &asked, ready, in_path).await,
        Form::AssetBytes => bytes::asset(&app, &asked, in_path).await,
        Form::Events => events::stream(&app, &asked, ready, in_path).await,
        Form::Upload => assets::upload(&app, &asked, ready, in_path, body).await,
        Form::FileUpload => files::put(&app, &asked, ready, &in_path, body).await,
        Form::FileRemoval => files::remove(&app, &asked, ready, in_path).await,
        _ => plain(&app, &asked, ready, in_path, body).await,
    }
}

/// Parameters in, output out.
async fn plain(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
    body: Body,
) -> Result<Response<Body>, Problem> {
    let mut memory = None;
    if ready.route.verb.has_body() {
        let (members, permit) = body::json(&app.memory, &asked.parts.headers, body, app.bounds()).await?;
        params::add_body(&mut params, members)?;
        memory = Some(permit);
    }
    // A query beside a body is refused by the operation, unless it is one of its parameters.
    params::add_query(&mut params, &ready.members, &asked.pairs)?;
    let wanted =
        if ready.route.verb == Verb::Get { Wanted::Anything } else { wanted(app, asked, ready, &params).await? };
    let conditional = wanted != Wanted::Anything;
    add_base(&mut params, &wanted)?;
    let params = Value::Object(params);
    check_host_files(ready.op, &params)?;
    match app.call_keeping(ready.op, asked.admitted.context(), params, memory).await {
        Ok(output) => answer::resource(ready, &asked.parts.uri, &asked.pairs, &asked.parts.headers, &output),
        Err(problem) if conditional && is_unmet(&problem) => Err(problem.status(StatusCode::PRECONDITION_FAILED)),
        Err(problem) => Err(problem),
    }
}

/// What a write asks for. A tag with `*` becomes the revision that there is now.
async fn wanted(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    params: &Map<String, Value>,
) -> Result<Wanted, Problem> {
    let wanted = conditional::wanted(&asked.parts.headers)?;
    match wanted {
        Wanted::Anything => Ok(wanted),
        _ if !ready.takes_base => {
            Err(Problem::request(StatusCode::BAD_REQUEST, "`If-Match` and `If-None-Match` mean nothing to this route"))
        }
        Wanted::Never => Err(unmet()),
        Wanted::Something => {
            let Some((get, mut named, place)) = current(ready, params) else {
                return Err(Problem::request(StatusCode::BAD_REQUEST, "this route does not accept `If-Match: *`"));
            };
            let op = find(get).ok_or_else(unmet)?;
            named["workbench_id"] = params.get("workbench_id").cloned().unwrap_or_default();
            let found = app.call(op, asked.admitted.context(), named).await;
            let found = found.map_err(|problem| if is_unmet(&problem) { unmet() } else { problem })?;
            let tag = found.pointer(place).and_then(Value::as_str).and_then(|tag| tag.parse().ok());
            tag.map(Wanted::Revision).ok_or_else(unmet)
        }
        Wanted::Nothing | Wanted::Revision(_) => Ok(wanted),
    }
}

/// How the resource that a write names is read: the operation, its parameters, and where its answer has the tag.
fn current(ready: &Ready, params: &Map<String, Value>) -> Option<(&'static str, Value, &'static str)> {
    let given = |name: &str| params.get(name).cloned();
    if let Some(slug) = given("slug") {
        return Some(("ArtifactGet", json!({ "slug": slug, "outline": true }), "/artifact/etag"));
    }
    if let Some(category) = given("category") {
        return Some(("ContextGet", json!({ "category": category }), "/item/etag"));
    }
    if let Some(recipe) = given("recipe") {
        return Some(("RecipeGet", json!({ "recipe": recipe }), "/recipe/etag"));
    }
    match (ready.op.name, given("role")) {
        ("KindDelete", Some(role)) => Some(("KindGet", json!({ "role": role }), "/kind/etag")),
        (_, Some(role)) => Some(("EntryGet", json!({ "role": role, "entry_key": given("entry_key") }), "/entry/etag")),
        ("ProjectDescribe", None) => Some(("ProjectGet", json!({}), "/project/etag")),
        _ => None,
    }
}

fn add_base(params: &mut Map<String, Value>, wanted: &Wanted) -> Result<(), Problem> {
    let base = match wanted {
        Wanted::Revision(revision) => json!(revision),
        Wanted::Nothing => json!(0),
        Wanted::Anything | Wanted::Something | Wanted::Never => return Ok(()),
    };
    match params.insert("base_revision".to_owned(), base.clone()) {
        Some(other) if other != base => Err(params::invalid("`base_revision` and the header name two revisions")),
        _ => Ok(()),
    }
}

fn is_unmet(problem: &Problem) -> bool {
    matches!(
        problem.error.code(),
        Code::Conflict
            | Code::EntryNotFound
            | Code::ArtifactNotFound
            | Code::RevisionNotFound
            | Code::KindNotFound
            | Code::RecipeNotFound
            | Code::StageNotFound
    )
}

/// The answer to a condition that does not hold.
pub(super) fn unmet() -> Problem {
    let error = OpError::new(Code::Conflict, "precondition failed: the resource has changed since you read it");
    Problem::new(error.hint("read it again, and write with its new tag")).status(StatusCode::PRECONDITION_FAILED)
}

/// The answer, with what the log is to know of it.
fn said(told: Told, answer: Result<Response<Body>, Problem>) -> Response<Body> {
    let mut response = answer.into_response();
    response.extensions_mut().insert(told);
    response
}

/// An operation that there is not, or not at this door.
pub(super) fn no_operation(name: &str) -> Problem {
    let shown: String = name.chars().take(80).collect();
    let names = OPERATIONS.iter().filter(|op| op.surfaces.http).map(|op| op.name);
    let error = match find(name) {
        Some(_) => OpError::new(
            Code::UnknownOperation,
            format!("{shown} works on files of its machine, and is not offered over HTTP"),
        )
        .hint("use the command line, or JSON-RPC, on the machine itself"),
        None => OpError::new(Code::UnknownOperation, format!("there is no operation `{shown}`"))
            .hint("/api/docs lists all of them")
            .suggest(nearest(name, names)),
    };
    Problem::new(error)
}
