//! Static files of the web app, embedded in the program: style, script and icon.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::RawPathParams;
use axum::http::{HeaderValue, Response, StatusCode, header};

use super::super::answer::with_type;
use super::super::gate::Told;
use super::form::Form;
use super::visit::Visit;
use super::{Answer, answer};

const STYLE: &str = include_str!("static/page.css");
const SCRIPT: &str = include_str!("static/page.js");
const ICON: &str = include_str!("static/icon.svg");
const LICENCE: &str = include_str!("static/LICENSE-lucide");

/// Changes with the files, so that browsers may cache them indefinitely.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let hash = blake3::hash(format!("{STYLE}{SCRIPT}{ICON}").as_bytes());
    hash.to_hex().chars().take(12).collect()
});

/// The URL of a static file.
pub(super) fn address(name: &str) -> String {
    format!("/static/{name}?v={}", &*VERSION)
}

/// `GET /static/{name}`.
pub(super) async fn file(path: RawPathParams) -> Response<Body> {
    let name = path.iter().next().map(|(_, name)| name).unwrap_or_default();
    let found = match name {
        "page.css" => Some(("text/css; charset=utf-8", STYLE)),
        "page.js" => Some(("text/javascript; charset=utf-8", SCRIPT)),
        "icon.svg" => Some(("image/svg+xml", ICON)),
        "LICENSE-lucide" => Some(("text/plain; charset=utf-8", LICENCE)),
        _ => None,
    };
    let mut response = match found {
        Some((media_type, text)) => with_type(StatusCode::OK, HeaderValue::from_static(media_type), text),
        None => with_type(StatusCode::NOT_FOUND, HeaderValue::from_static("text/plain"), "there is no such file\n"),
    };
    if found.is_some() {
        let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, kept);
    }
    response.extensions_mut().insert(Told { route: "/static/{name}", operation: "-" });
    response
}

/// `GET /favicon.ico`, which browsers request by themselves.
pub(super) async fn icon() -> Response<Body> {
    let mut response = with_type(StatusCode::OK, HeaderValue::from_static("image/svg+xml"), ICON);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    response.extensions_mut().insert(Told { route: "/favicon.ico", operation: "-" });
    response
}

/// The cookie with the chosen theme.
const THEME: &str = "jig_theme";

/// Light, dark, or the system's theme.
pub(super) fn chosen_theme(visit: &Visit) -> Option<&'static str> {
    match visit.cookie(THEME) {
        Some("light") => Some("light"),
        Some("dark") => Some("dark"),
        _ => None,
    }
}

/// `POST /theme`.
pub(super) async fn theme(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let mut response = answer::go(answer::own(form.text("back")));
    let cookie = match form.text("theme") {
        chosen @ ("light" | "dark") => format!("{THEME}={chosen}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"),
        _ => format!("{THEME}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"),
    };
    answer::add_cookie(response.headers_mut(), &cookie);
    Ok(response)
}
