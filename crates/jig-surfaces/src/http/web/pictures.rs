//! Rendered pages of files as images.

use axum::body::Body;
use axum::http::{HeaderValue, Response, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jig_contract::ops::{FileGetPreview, Picture, ReviewGetPreview};
use jig_contract::{Code, OpError};
use serde_json::json;

use super::Answer;
use super::files::asked_root;
use super::visit::Visit;

/// An image must not run scripts or load resources, whatever it contains.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

/// `GET /w/{id}/picture/{*path}`: with `side`, a version of a changed file; otherwise the current file.
pub(super) async fn show(visit: Visit) -> Answer {
    let path = visit.part("path");
    let page = visit.query("page").and_then(|page| page.parse::<u64>().ok());
    let scale = visit.query("scale").and_then(|scale| scale.parse::<f64>().ok());
    let picture = match visit.query("side") {
        Some(side) => {
            let params = json!({ "path": path, "side": side, "page": page, "scale": scale });
            visit.on::<ReviewGetPreview>(params).await?.picture
        }
        None => {
            let params = json!({ "path": path, "root": asked_root(&visit), "page": page, "scale": scale });
            visit.on::<FileGetPreview>(params).await?
        }
    };
    bytes(&picture, visit.query("v").is_some())
}

fn bytes(picture: &Picture, marked: bool) -> Answer {
    let strange = || OpError::new(Code::Internal, "a picture did not come as it should");
    let bytes = STANDARD.decode(&picture.bytes_base64).map_err(|e| strange().because(e))?;
    let media_type = HeaderValue::from_str(&picture.mime_type).map_err(|e| strange().because(e))?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    // A URL with the content hash never refers to other content, so it may be cached.
    let kept = if marked { "private, max-age=3600" } else { "private, no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    Ok(response)
}
