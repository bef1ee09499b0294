//! `PUT …/files/{path}`: a published file by its bytes, kept on disk as they come and then added as `FileAdd` adds a file.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use jig_contract::ops::{FileAddOutput, FileGetInfo};
use jig_contract::{BlobHash, Code, Given, OpError, Operation, WorkbenchId, WorkbenchPath, find};
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;

use super::app::App;
use super::body::{self, Bounds};
use super::call::{Asked, unmet};
use super::conditional::{self, Condition};
use super::problem::Problem;
use super::routes::Ready;
use super::staging::{StagingFolder, unwritable};
use super::{answer, params};

/// Where a file is to go, and over what.
struct Target {
    id: WorkbenchId,
    path: WorkbenchPath,
    over: Over,
}

/// What may be there already.
enum Over {
    Anything,
    Nothing,
    /// A file with this hash.
    File(BlobHash),
}

/// Adds a file, or puts it in the place of one.
pub(super) async fn put(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    in_path: &Map<String, Value>,
    body: Body,
) -> Result<Response<Body>, Problem> {
    let headers = &asked.parts.headers;
    let target = match target(app, asked, in_path).await {
        Ok(target) => target,
        Err(problem) => {
            // One that waits for leave to send has sent nothing yet.
            if !headers.contains_key(header::EXPECT) {
                body::read_past(body).await;
            }
            return Err(problem);
        }
    };
    let keeping = keep(app, &target.path, body);
    let time = app.options.upload_time();
    let (folder, place, bytes) = tokio::time::timeout(time, keeping).await.map_err(|_| body::too_slow(time))??;
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

/// What can be refused before a byte is taken.
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
            return Err(body::too_large(bounds(app)));
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

/// The bytes of a body are the file: what means something else by them is refused, and not kept as it is.
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

/// The tag of a file is its hash between quotes.
fn hash(tag: &str) -> Option<BlobHash> {
    tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

/// The hash of the file that must be there.
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

fn bounds(app: &App) -> Bounds {
    let (bytes, time) = (app.options.max_upload_bytes, app.options.upload_time());
    Bounds { bytes, time, setting: "serve.max_upload_bytes" }
}

/// Writes the body to disk. What does not come whole is gone with its folder.
async fn keep(
    app: &App,
    path: &WorkbenchPath,
    mut body: Body,
) -> Result<(StagingFolder, std::path::PathBuf, u64), Problem> {
    let folder = StagingFolder::make(app).await?;
    let name = Given::<WorkbenchPath>::from(path.file_name()).check()?;
    let (place, mut to) = folder.file(&name).await?;
    let mut bytes: u64 = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::request(StatusCode::BAD_REQUEST, "the body broke off"))?;
        let data = frame.into_data().unwrap_or_else(|_| Bytes::new());
        bytes += data.len() as u64;
        if bytes > app.options.max_upload_bytes as u64 {
            drop(folder);
            body::read_past(body).await;
            return Err(body::too_large(bounds(app)));
        }
        to.write_all(&data).await.map_err(|e| unwritable(&e))?;
    }
    to.flush().await.map_err(|e| unwritable(&e))?;
    Ok((folder, place, bytes))
}

/// 201 for a file that is new, with where it is; its tag in any case.
fn told(asked: &Asked, over: &Over, output: &Value) -> Result<Response<Body>, Problem> {
    let strange = |e| OpError::new(Code::Internal, "the answer of FileAdd does not have its own shape").because(e);
    let added: FileAddOutput = serde_json::from_value(output.clone()).map_err(strange)?;
    // The same bytes were there already, where nothing was to be.
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
