//! Asset uploads: raw bytes or a form with one file, streamed to disk, or JSON with base64.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use jig_contract::{Code, Given, OpError, WorkbenchId};
use multer::{Constraints, Multipart, SizeLimit};
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;

use super::answer;
use super::app::{App, check_host_files};
use super::body::{self, Bounds, MemoryPermit};
use super::call::Asked;
use super::conditional::{self, Condition};
use super::params;
use super::problem::Problem;
use super::query;
use super::routes::Ready;
use super::staging::{self, StagingFolder, unwritable};

/// Space for a form's other fields and boundaries.
const FORM_BYTES: usize = 64 << 10;
/// JSON is held in memory. Its limit is that of other calls, multiplied by this.
const JSON_TIMES: usize = 4;
/// The name of the temporary file.
const STAGED: &str = "asset";

/// An upload on disk or in memory, kept until the operation completes.
type Upload = (Option<StagingFolder>, Option<MemoryPermit>);

/// `POST …/assets`. Other parameters come from the query, or from the form's other fields.
pub(super) async fn upload(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    params: Map<String, Value>,
    body: Body,
) -> Result<Response<Body>, Problem> {
    check(app, asked, ready, &params).await?;
    let workbench = params.get("workbench_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (params, kept) = read(app, asked, ready, params, body).await?;
    let output = app.call_keeping(ready.op, asked.admitted.context(), Value::Object(params), kept).await?;
    let mut response = answer::json(StatusCode::CREATED, &output)?;
    let id = output.pointer("/asset/asset_id").and_then(Value::as_str).unwrap_or_default();
    let place = format!("/api/workbenches/{}/assets/{}", query::encode(&workbench), query::encode(id));
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Refuses what can be refused before the body is read.
async fn check(app: &App, asked: &Asked, ready: &'static Ready, params: &Map<String, Value>) -> Result<(), Problem> {
    // Each upload makes a new asset, so there is nothing that a condition could be about.
    if conditional::condition(&asked.parts.headers)? != Condition::Anything {
        let message = "`If-Match` and `If-None-Match` mean nothing to this route";
        return Err(Problem::request(StatusCode::BAD_REQUEST, message));
    }
    let id = params.get("workbench_id").and_then(Value::as_str).unwrap_or_default();
    let id = Given::<WorkbenchId>::from(id).check()?;
    app.workbench.check_permitted(&asked.admitted.context(), ready.op, &id).await?;
    let is_bytes = body::said_length(&asked.parts.headers).filter(|_| !has_fields(&asked.parts.headers));
    match is_bytes {
        Some(said) if said > app.options.max_upload_bytes as u64 => Err(body::too_large(staging::bounds(app))),
        _ => Ok(()),
    }
}

/// Whether the body has other fields besides the file.
fn has_fields(headers: &HeaderMap) -> bool {
    matches!(body::media_type(headers).as_deref(), Some("application/json" | "multipart/form-data"))
}

/// Reads the body into parameters and, if it is a file, to disk.
async fn read(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
    body: Body,
) -> Result<(Map<String, Value>, Upload), Problem> {
    let headers = &asked.parts.headers;
    let place;
    let mut kept: Upload = (None, None);
    match body::media_type(headers).as_deref() {
        Some("application/json") => {
            // Base64 needs a third more space.
            let bytes = (app.options.max_upload_bytes / 3).saturating_mul(4).saturating_add(FORM_BYTES);
            let bytes = bytes.min(app.options.max_body_bytes.saturating_mul(JSON_TIMES));
            let bounds = Bounds { bytes, ..staging::bounds(app) };
            let (members, permit) = body::json(&app.memory, headers, body, bounds).await?;
            params::add_body(&mut params, members)?;
            (place, kept.1) = (None, Some(permit));
        }
        Some("multipart/form-data") => {
            let time = app.options.upload_time();
            let reading = tokio::time::timeout(time, form(app, headers, body)).await;
            let (given, file) = reading.map_err(|_| body::too_slow(time))??;
            params::add_body(&mut params, given)?;
            (kept.0, place) = file.map_or((None, None), |(folder, place)| (Some(folder), Some(place)));
        }
        _ => {
            let (folder, at, _) = staging::keep(app, STAGED, body).await?;
            (kept.0, place) = (Some(folder), Some(at));
        }
    }
    params::add_query(&mut params, &ready.members, &asked.pairs)?;
    let mut params = Value::Object(params);
    check_host_files(ready.op, &params)?;
    if let Some(place) = place {
        if params.get("content_base64").is_some_and(|content| !content.is_null()) {
            return Err(params::invalid("`content_base64` and a file are both given"));
        }
        if params.get("name").is_none_or(Value::is_null) {
            let error = OpError::new(Code::ValidationFailed, "the file has no name").phase(ready.op.name);
            return Err(error.hint("give its name in the address: `?name=photo.png`").into());
        }
        params["source_path"] = json!(place);
    }
    match params {
        Value::Object(params) => Ok((params, kept)),
        _ => Err(params::invalid("the parameters are not an object")),
    }
}

type FormFile = (StagingFolder, std::path::PathBuf);

/// Reads a form with one file; its other fields are parameters.
async fn form(app: &App, headers: &HeaderMap, body: Body) -> Result<(Map<String, Value>, Option<FormFile>), Problem> {
    let bounds = staging::bounds(app);
    let wrong = |e: multer::Error| match e {
        multer::Error::FieldSizeExceeded { .. } | multer::Error::StreamSizeExceeded { .. } => body::too_large(bounds),
        e => Problem::request(StatusCode::BAD_REQUEST, format!("the form cannot be read: {e}")),
    };
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(said).map_err(wrong)?;
    let most = (bounds.bytes as u64).saturating_add(FORM_BYTES as u64);
    let limit = SizeLimit::new().whole_stream(most).per_field(bounds.bytes as u64);
    let constraints = Constraints::new().size_limit(limit);
    let mut form = Multipart::with_constraints(body.into_data_stream(), boundary, constraints);
    let (mut given, mut kept, mut in_memory) = (Map::new(), None, 0);
    while let Some(mut field) = form.next_field().await.map_err(wrong)? {
        let name = field.name().unwrap_or_default().to_owned();
        if let Some(file) = field.file_name().map(str::to_owned) {
            if kept.is_some() {
                return Err(params::invalid("a form brings one file"));
            }
            let folder = StagingFolder::make(app).await?;
            let (place, mut to) = folder.file(&Given::from(STAGED).check()?).await?;
            while let Some(piece) = field.chunk().await.map_err(wrong)? {
                to.write_all(&piece).await.map_err(|e| unwritable(&e))?;
            }
            to.flush().await.map_err(|e| unwritable(&e))?;
            kept = Some((folder, place));
            given.entry("name").or_insert_with(|| json!(file));
            continue;
        }
        let mut content = Vec::new();
        while let Some(piece) = field.chunk().await.map_err(wrong)? {
            content.extend_from_slice(&piece);
            if in_memory + name.len() + content.len() > FORM_BYTES {
                let message = format!("the fields beside the file have more than {FORM_BYTES} bytes");
                return Err(Problem::new(OpError::new(Code::MessageTooLarge, message)));
            }
        }
        in_memory += name.len() + content.len();
        let text = String::from_utf8(content).map_err(|_| params::invalid("a field of the form is not UTF-8"))?;
        given.insert(name, json!(text));
    }
    Ok((given, kept))
}
