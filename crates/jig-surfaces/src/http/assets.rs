//! Bringing an asset: as bytes, as a form's file, or as JSON.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::answer;
use super::app::App;
use super::body::{self, Bounds};
use super::call::Asked;
use super::params;
use super::problem::Problem;
use super::query;
use super::routes::Ready;

/// Room for a form's other fields and its marks.
const FORM_BYTES: usize = 64 << 10;

/// `POST …/assets`. Parameters beside the bytes come by the query, or as the form's other fields.
pub(super) async fn upload(
    app: &App,
    asked: &Asked,
    ready: &'static Ready,
    mut params: Map<String, Value>,
    body: Body,
) -> Result<Response<Body>, Problem> {
    let headers = &asked.parts.headers;
    let media_type = body::media_type(headers);
    let is_json = media_type.as_deref() == Some("application/json");
    let room = app.options.max_upload_bytes;
    // In base64 the same bytes take a third more.
    let bytes = if is_json { room / 3 * 4 + FORM_BYTES } else { room + FORM_BYTES };
    let bounds = Bounds { bytes, time: app.options.upload_time(), setting: "serve.max_upload_bytes" };
    if is_json {
        params::add_body(&mut params, body::json(headers, body, bounds).await?)?;
    } else if media_type.as_deref() == Some("multipart/form-data") {
        let bytes = body::read(headers, body, bounds).await?;
        form(&mut params, headers, bytes).await?;
    } else {
        let bytes = body::read(headers, body, Bounds { bytes: room, ..bounds }).await?;
        params.insert("content_base64".to_owned(), json!(STANDARD.encode(&bytes)));
    }
    params::add_query(&mut params, &ready.members, &asked.pairs)?;
    let workbench = params.get("workbench_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let output = app.call(ready.op, asked.admitted.context(), Value::Object(params)).await?;
    let mut response = answer::json(StatusCode::CREATED, &output)?;
    let id = output.pointer("/asset/asset_id").and_then(Value::as_str).unwrap_or_default();
    let place = format!("/api/workbenches/{}/assets/{}", query::encode(&workbench), query::encode(id));
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// A form with one file; its other fields are parameters.
async fn form(params: &mut Map<String, Value>, headers: &header::HeaderMap, bytes: Bytes) -> Result<(), Problem> {
    let wrong =
        |e: &dyn std::fmt::Display| Problem::request(StatusCode::BAD_REQUEST, format!("the form cannot be read: {e}"));
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(said).map_err(|e| wrong(&e))?;
    let pieces = futures::stream::iter([Ok::<_, std::convert::Infallible>(bytes)]);
    let mut form = multer::Multipart::new(pieces, boundary);
    let mut given = Map::new();
    while let Some(field) = form.next_field().await.map_err(|e| wrong(&e))? {
        let (name, file) = (field.name().unwrap_or_default().to_owned(), field.file_name().map(str::to_owned));
        let content = field.bytes().await.map_err(|e| wrong(&e))?;
        if let Some(file) = file {
            if given.insert("content_base64".to_owned(), json!(STANDARD.encode(&content))).is_some() {
                return Err(params::invalid("a form brings one file"));
            }
            given.entry("name").or_insert_with(|| json!(file));
        } else {
            let text =
                std::str::from_utf8(&content).map_err(|_| params::invalid("a field of the form is not UTF-8"))?;
            given.insert(name, json!(text));
        }
    }
    params::add_body(params, given)
}
