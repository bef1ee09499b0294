//! Responses of the web app: HTML with a strict policy, and redirects after forms.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use maud::Markup;
use percent_encoding::percent_decode_str;

use super::super::answer::with_type;
use super::super::query;
use super::visit::cookie;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Permits only its own style, script, images, forms and streams, and nothing inline.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// The cookie that passes a message to the next page.
const SAID: &str = "jig_said";

/// The header with which the script numbers a form. The number is passed to the page that the form leads to, so that
/// two concurrent forms, or another window, do not take each other's message.
const FORM: &str = "jig-form";

/// The maximum size of such a message, in bytes as encoded in the cookie.
const LONGEST: usize = 1_500;

/// An HTML response.
pub(super) fn html(status: StatusCode, page: Markup) -> Response<Body> {
    let mut response = with_type(status, HTML, page.into_string());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // Otherwise browsers hide the origin of the app's own forms.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    // A message is shown once.
    add_cookie(headers, &format!("{SAID}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"));
    response
}

/// Redirects to an address after a form.
pub(super) fn go(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let place = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, place);
    response
}

/// Redirects with a message about what was done.
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

/// The name of the cookie for the form of a request; a common one without a script.
fn cookie_name(headers: &HeaderMap) -> String {
    let form = headers.get(FORM).and_then(|value| value.to_str().ok());
    let fine = |form: &&str| (1..=32).contains(&form.len()) && form.bytes().all(|b| b.is_ascii_alphanumeric());
    form.filter(fine).map_or_else(|| SAID.to_owned(), |form| format!("{SAID}_{form}"))
}

/// Renames the message cookie for the form that the request belongs to.
pub(super) fn of_its_form(request: &HeaderMap, response: &mut Response<Body>) {
    let name = cookie_name(request);
    if name == SAID {
        return;
    }
    let common = format!("{SAID}=");
    let headers = response.headers_mut();
    let cookies: Vec<HeaderValue> = headers.get_all(header::SET_COOKIE).iter().cloned().collect();
    headers.remove(header::SET_COOKIE);
    for cookie in cookies {
        let own = cookie.to_str().ok().and_then(|text| text.strip_prefix(&common));
        let own = own.and_then(|rest| HeaderValue::from_str(&format!("{name}={rest}")).ok());
        headers.append(header::SET_COOKIE, own.unwrap_or(cookie));
    }
}

/// The message left by the form that the request belongs to.
pub(super) fn said(headers: &HeaderMap) -> Option<String> {
    let text = cookie(headers, &cookie_name(headers))?;
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// Sets a cookie.
pub(super) fn add_cookie(headers: &mut HeaderMap, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        headers.append(header::SET_COOKIE, value);
    }
}

/// A redirect target from a form, if it is a path of the web app; otherwise the home page.
pub(super) fn own(address: &str) -> &str {
    // Browsers strip tabs and line endings, so that characters separated here could end up adjacent.
    let strange = |c: char| c == '\\' || c.is_control();
    let fine = address.starts_with('/') && !address.starts_with("//") && !address.contains(strange);
    if fine { address } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_page_itself_are_gone_to() {
        for fine in ["/", "/w/deck?x=1#y", "/w/d%C3%A9ck"] {
            assert_eq!(own(fine), fine);
        }
        for other in ["", "x", "//evil.example", "/\t/evil.example", "/\\evil.example", "/\n/x", "https://evil.example"]
        {
            assert_eq!(own(other), "/", "{other:?}");
        }
    }

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
    fn each_form_has_its_own_sentence() {
        let headers = |form: Option<&str>, cookies: &str| {
            let mut headers = HeaderMap::from_iter([(header::COOKIE, cookies.parse().unwrap())]);
            if let Some(form) = form {
                headers.insert(FORM, form.parse().unwrap());
            }
            headers
        };
        let mut kept = Vec::new();
        for (form, text) in [("1a", "one"), ("2b", "two")] {
            let mut response = done("/", text);
            of_its_form(&headers(Some(form), "x=y"), &mut response);
            let set = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
            kept.push(set.split(';').next().unwrap().to_owned());
        }
        let all = kept.join("; ");
        assert_eq!(said(&headers(Some("1a"), &all)).as_deref(), Some("one"));
        assert_eq!(said(&headers(Some("2b"), &all)).as_deref(), Some("two"));
        assert_eq!(said(&headers(None, &all)), None, "nor does a page that only follows");
        // Anything but a form number means the common cookie.
        for odd in ["", "a;b", "ü", &"a".repeat(33)] {
            let mut request = headers(None, "jig_said=here");
            request.insert(FORM, HeaderValue::from_bytes(odd.as_bytes()).unwrap());
            assert_eq!(said(&request).as_deref(), Some("here"), "{odd}");
        }
        let mut page = html(StatusCode::OK, maud::html! {});
        of_its_form(&headers(Some("1a"), &all), &mut page);
        assert!(page.headers()[header::SET_COOKIE].to_str().unwrap().starts_with("jig_said_1a=;"), "it is said once");
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
