//! Answers of the page: HTML under a strict policy, and the way on after a form.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use maud::Markup;
use percent_encoding::percent_decode_str;

use super::super::answer::with_type;
use super::super::query;
use super::visit::cookie;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Its own style, script, pictures, forms and streams, and nothing else; nothing that stands in the page itself.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// The cookie that carries one sentence over to the next page.
const SAID: &str = "jig_said";

/// The longest such sentence, in bytes as the cookie has them.
const LONGEST: usize = 1_500;

/// A page.
pub(super) fn html(status: StatusCode, page: Markup) -> Response<Body> {
    let mut response = with_type(status, HTML, page.into_string());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // Without this, a browser hides the origin of the page's own forms.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    // What was said is said once.
    add_cookie(headers, &format!("{SAID}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"));
    response
}

/// After a form: on to an address.
pub(super) fn go(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let place = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, place);
    response
}

/// The same, with a sentence on what was done.
pub(super) fn done(to: &str, said: &str) -> Response<Body> {
    let mut response = go(to);
    let mut text = String::new();
    for c in said.chars() {
        let piece = query::encode(c.encode_utf8(&mut [0; 4]));
        if text.len() + piece.len() > LONGEST {
            break;
        }
        text.push_str(&piece);
    }
    let cookie = format!("{SAID}={text}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
    add_cookie(response.headers_mut(), &cookie);
    response
}

/// The sentence that the last form left.
pub(super) fn said(headers: &HeaderMap) -> Option<String> {
    let text = cookie(headers, SAID)?;
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// Sets a cookie.
pub(super) fn add_cookie(headers: &mut HeaderMap, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        headers.append(header::SET_COOKIE, value);
    }
}

/// An address of the page itself, from what a form says; anything else is the first page.
pub(super) fn own(address: &str) -> &str {
    let fine = address.starts_with('/') && !address.starts_with("//") && !address.contains(['\\', '\r', '\n']);
    if fine { address } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_come_over_whole_or_cut_at_a_character() {
        for text in ["Published “Ü; 1 file”.", &"ü".repeat(2_000)] {
            let response = done("/", text);
            let set = response.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
            let headers = HeaderMap::from_iter([(header::COOKIE, set.parse().unwrap())]);
            assert!(text.starts_with(&said(&headers).unwrap()), "{text}");
        }
    }

    #[test]
    fn nobody_is_led_elsewhere() {
        for (given, taken) in
            [("/w/a?b=c", "/w/a?b=c"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil", "/")]
        {
            assert_eq!(own(given), taken);
        }
    }
}
