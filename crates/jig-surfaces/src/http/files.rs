//! `PUT …/files/{path}`: a published file from its raw bytes, streamed to disk and then added like `FileAdd` does.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use jig_contract::ops::{FileAddOutput, FileGetInfo};
use jig_contract::{BlobHash, Code, Given, OpError, Operation, WorkbenchId, WorkbenchPath, find};
use serde_json::{Map, Value, json};

use super::app::App;
use super::body;
use super::call::{Asked, unmet};
use super::conditional::{self, Condition};
use super::problem::Problem;
use super::routes::Ready;
use super::{answer, params, staging};

/// The destination of a file, and its precondition.
struct Target {
    id: WorkbenchId,
    path: WorkbenchPath,
    over: Over,
}

/// The expected existing file.
enum Over {
    Anything,
    Nothing,
    /// A file with this hash.
    File(BlobHash),
}

/// Adds or replaces a file.
pub(super) async fn put(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    in_path: &Map<String, Value>,
    body: Body,
) -> Result<Response<Body>, Problem> {
    let target = target(app, asked, in_path).await?;
    let (folder, place, bytes) = staging::keep(app, target.path.file_name(), body).await?;
    check_size(app, &target.path, bytes)?;
    let params = json!({
        "workbench_id": target.id, "paths": [place], "folder": target.path.parent(),
        "replace": !matches!(target.over, Over::Nothing),
        "base_hash": match target.over { Over::File(hash) => Some(hash), _ => None },
    });
    let output = app.call_keeping(ready.op, asked.admitted.context(), params, folder).await;
    let output = output.map_err(|problem| match (problem.error.code(), &target.over) {
        (Code::FileExists, Over::Nothing) => unmet(),
        (Code::Conflict, Over::File(_)) => problem.status(StatusCode::PRECONDITION_FAILED),
        _ => problem,
    })?;
    told(asked, &target.over, &output)
}

/// `DELETE …/files/PATH`. With `If-Match`, the file is only removed if the caller has read this version.
pub(super) async fn remove(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    in_path: Map<String, Value>,
) -> Result<Response<Body>, Problem> {
    params::no_query(&asked.pairs, "removing a file takes")?;
    let mut params = params::one_of_several(in_path);
    let condition = conditional::condition(&asked.parts.headers)?;
    match condition {
        Condition::Anything | Condition::Something => {}
        Condition::Tag(tag) => drop(params.insert("base_hash".to_owned(), json!(hash(tag).ok_or_else(unmet)?))),
        Condition::Nothing => return Err(params::invalid("removing a file takes `If-Match`, not `If-None-Match`")),
    }
    match app.call(ready.op, asked.admitted.context(), Value::Object(params)).await {
        Ok(output) => answer::json(StatusCode::OK, &output),
        Err(problem) if condition != Condition::Anything && is_gone(&problem) => {
            Err(problem.status(StatusCode::PRECONDITION_FAILED))
        }
        Err(problem) => Err(problem),
    }
}

fn is_gone(problem: &Problem) -> bool {
    matches!(problem.error.code(), Code::Conflict | Code::FileNotFound)
}

/// Validates what can be validated before the body is read.
async fn target(app: &App, asked: &Asked, in_path: &Map<String, Value>) -> Result<Target, Problem> {
    params::no_query(&asked.pairs, "a file's bytes take")?;
    let text = |name: &str| in_path.get(name).and_then(Value::as_str).unwrap_or_default();
    let id = Given::<WorkbenchId>::from(text("workbench_id")).check()?;
    let path = Given::<WorkbenchPath>::from(text("path")).check()?;
    let headers = &asked.parts.headers;
    check_form(headers)?;
    let condition = conditional::condition(headers)?;
    app.workbench.check_file_add(&asked.admitted.context(), &id).await?;
    if let Some(said) = body::said_length(headers) {
        check_size(app, &path, said)?;
        if said > app.options.max_upload_bytes as u64 {
            return Err(body::too_large(staging::bounds(app)));
        }
    }
    let over = match condition {
        Condition::Anything => Over::Anything,
        Condition::Nothing => Over::Nothing,
        Condition::Tag(tag) => Over::File(hash(tag).ok_or_else(unmet)?),
        Condition::Something => Over::File(there(app, asked, &id, &path).await?),
    };
    Ok(Target { id, path, over })
}

/// The body is the file itself, so media types that wrap it, such as forms, are refused.
fn check_form(headers: &HeaderMap) -> Result<(), Problem> {
    if body::media_type(headers).as_deref() == Some("multipart/form-data") {
        let message = "the body is the file itself, and no form";
        let problem = Problem::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        return Err(problem.hint("send the bytes as they are: `curl -T FILE ADDRESS`"));
    }
    let coding = headers.get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?").trim());
    if coding.is_some_and(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")) {
        let message = "a packed body is not unpacked here";
        return Err(Problem::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, message).hint("leave `Content-Encoding` out"));
    }
    if headers.contains_key(header::CONTENT_RANGE) {
        return Err(Problem::request(StatusCode::BAD_REQUEST, "a file is sent whole, and not in part"));
    }
    Ok(())
}

/// The tag of a file is its quoted hash.
fn hash(tag: &str) -> Option<BlobHash> {
    tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

/// The hash of the file that must exist.
async fn there(app: &App, asked: &Asked, id: &WorkbenchId, path: &WorkbenchPath) -> Result<BlobHash, Problem> {
    let op = find(FileGetInfo::NAME).ok_or_else(unmet)?;
    let params = json!({ "workbench_id": id, "path": path, "root": "published" });
    let found = app.call(op, asked.admitted.context(), params).await;
    let found = found.map_err(|problem| if problem.error.code() == Code::FileNotFound { unmet() } else { problem })?;
    found["hash"].as_str().and_then(|hash| hash.parse().ok()).ok_or_else(unmet)
}

fn check_size(app: &App, path: &WorkbenchPath, bytes: u64) -> Result<(), Problem> {
    let checked = app.workbench.check_file_size(path, bytes);
    checked.map_err(|error| Problem::new(error).status(StatusCode::PAYLOAD_TOO_LARGE))
}

/// 201 with the location for a new file, and its tag in any case.
fn told(asked: &Asked, over: &Over, output: &Value) -> Result<Response<Body>, Problem> {
    let strange = |e| OpError::new(Code::Internal, "the answer of FileAdd does not have its own shape").because(e);
    let added: FileAddOutput = serde_json::from_value(output.clone()).map_err(strange)?;
    // The same bytes already existed, although the precondition forbids an existing file.
    if matches!(over, Over::Nothing) && added.added.is_empty() {
        return Err(unmet());
    }
    let status = if added.added.is_empty() { StatusCode::OK } else { StatusCode::CREATED };
    let mut response = answer::json(status, output)?;
    let mut set = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    let file = added.added.iter().chain(&added.replaced).chain(&added.unchanged).next();
    if let Some(file) = file {
        set(header::ETAG, &format!("\"{}\"", file.hash));
    }
    if status == StatusCode::CREATED {
        set(header::LOCATION, asked.parts.uri.path());
    }
    Ok(response)
}
