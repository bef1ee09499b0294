//! Signing in: a token is stored in a cookie that scripts cannot read and other sites cannot send.

use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode, header};
use jig_contract::{Code, OpError};
use maud::html;

use super::super::problem::Problem;
use super::form::Form;
use super::layout::{self, Shell};
use super::visit::{Visit, cookie};
use super::{Answer, answer};

/// The cookie with the token.
const TOKEN: &str = "jig_token";

/// The token in a browser's cookie.
pub(in super::super) fn secret(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, TOKEN).filter(|secret| !secret.is_empty())
}

/// Redirects to the sign-in form.
pub(super) fn ask(address: &str) -> Response<Body> {
    answer::go(&format!("/sign-in?next={}", super::super::query::encode(address)))
}

/// `GET /sign-in`.
pub(super) async fn show(visit: Visit) -> Answer {
    let next = answer::own(visit.query("next").unwrap_or("/"));
    // The URL that the server printed: the start token is moved from the URL to a cookie.
    if let Some(secret) = visit.query("start") {
        if !visit.is_start_token(secret) {
            return Err(unknown("the start token is wrong, or the server was started again since"));
        }
        let mut response = answer::go(next);
        keep(&visit, &mut response, secret);
        return Ok(response);
    }
    let body = html! {
        div class="narrow" {
            h1 { "Sign in to Jig" }
            p class="lead" { "Enter your access token" }
            form class="card form" method="post" action="/sign-in" {
                div data-failures {}
                input type="hidden" name="next" value=(next);
                div class="field" {
                    label for="token" { "Token" }
                    input id="token" name="token" type="password" autocomplete="current-password" required
                        placeholder="jig_…" spellcheck="false" aria-describedby="token-help";
                    p class="help" id="token-help" {
                        "An owner creates tokens under Settings. If you started this server, open the address that it printed."
                    }
                }
                div class="actions" { button class="button primary" { "Sign in" } }
            }
        }
    };
    Ok(layout::page(&visit, Shell::plain("Sign in"), body))
}

/// `POST /sign-in`.
pub(super) async fn enter(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let secret = form.text("token").trim();
    // Only text that could be a token is stored in a cookie.
    let plain = !secret.is_empty() && secret.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let known = plain && (visit.is_start_token(secret) || visit.app.workbench.caller(secret).await?.is_some());
    if !known {
        return Err(unknown("the token is unknown or was revoked"));
    }
    let mut response = answer::go(answer::own(form.text("next")));
    keep(&visit, &mut response, secret);
    Ok(response)
}

fn unknown(message: &str) -> Problem {
    let error = OpError::new(Code::Unauthenticated, message)
        .hint("copy the complete token, as it was shown when it was created; it starts with jig_");
    Problem::new(error).status(StatusCode::UNAUTHORIZED)
}

/// Stores the token in a session cookie.
pub(super) fn keep(visit: &Visit, response: &mut Response<Body>, secret: &str) {
    let origin = visit.headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let secure = if origin.starts_with("https://") { "; Secure" } else { "" };
    let cookie = format!("{TOKEN}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}");
    answer::add_cookie(response.headers_mut(), &cookie);
}

/// `POST /sign-out`.
pub(super) async fn leave(_: Visit, _: Body) -> Answer {
    let mut response = answer::done("/sign-in", "You are signed out.");
    answer::add_cookie(response.headers_mut(), &format!("{TOKEN}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"));
    Ok(response)
}
