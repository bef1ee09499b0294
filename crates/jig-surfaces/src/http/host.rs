//! Checks the host names and origins of requests.
//!
//! A page of another site can make a browser send requests to this machine, but it cannot choose the `Host` and
//! `Origin` headers that the browser sends, so these identify such requests.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use jig_contract::{Code, OpError};

use super::problem::Problem;

/// The valid host names of this server.
#[derive(Debug)]
pub(super) struct Hosts {
    bound: IpAddr,
    named: Vec<String>,
}

impl Hosts {
    pub(super) fn new(bound: SocketAddr, named: &[String]) -> Self {
        let named = named.iter().map(|name| host_of(name).to_ascii_lowercase()).collect();
        Self { bound: bound.ip(), named }
    }

    /// Refuses requests for another host name, which is the sign of DNS rebinding.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut given = headers.get_all(header::HOST).iter();
        let (first, second) = (given.next(), given.next());
        let named = uri.host().or_else(|| first.and_then(|value| value.to_str().ok()).map(host_of));
        let Some(name) = named.filter(|name| !name.is_empty() && second.is_none()) else {
            return Err(Problem::request(StatusCode::BAD_REQUEST, "the request names no host, or more than one"));
        };
        if self.is_ours(name) {
            return Ok(());
        }
        let error = OpError::new(Code::NotPermitted, "this server is not called by that name")
            .hint("call it by its address or as `localhost`; other names are listed in the setting `serve.hosts`");
        Err(Problem::new(error).status(StatusCode::MISDIRECTED_REQUEST))
    }

    fn is_ours(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        if name == "localhost" || self.named.contains(&name) {
            return true;
        }
        // A browser affected by DNS rebinding sends a name. A literal address is always intended.
        let address: Option<IpAddr> = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
        address.is_some_and(|address| address.is_loopback() || address == self.bound || self.bound.is_unspecified())
    }
}

/// Refuses requests from pages of other sites: changes always, and reads too if the browser identifies them.
pub(super) fn check_origin(method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let reads = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let site = text("sec-fetch-site");
    let foreign_site = match site {
        None | Some("same-origin" | "none") => false,
        // A user followed a link to a page of Jig.
        Some(_) => !(reads && text("sec-fetch-mode") == Some("navigate")),
    };
    let foreign_origin = !reads
        && headers.get(header::ORIGIN).is_some_and(|origin| {
            let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
            let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            origin.is_none_or(|(_, place)| host.is_none_or(|host| !place.eq_ignore_ascii_case(host)))
        });
    if foreign_site || foreign_origin {
        let error = OpError::new(Code::NotPermitted, "requests from pages of other sites are not taken");
        return Err(Problem::new(error.hint("call from a program, or from a page of this server")));
    }
    Ok(())
}

/// The host of `host:port`; an IPv6 address keeps its brackets.
fn host_of(authority: &str) -> &str {
    let authority = authority.trim();
    match authority.rfind(']') {
        Some(end) => &authority[..=end],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(bound: &str) -> Hosts {
        Hosts::new(bound.parse().unwrap(), &["jig.example:443".to_owned()])
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_known_names_are_ours() {
        let table = [
            ("127.0.0.1:7357", "localhost:7357", 200),
            ("127.0.0.1:7357", "LOCALHOST", 200),
            ("127.0.0.1:7357", "localhost.", 200),
            ("127.0.0.1:7357", "127.0.0.1:7357", 200),
            ("127.0.0.1:7357", "[::1]:7357", 200),
            ("127.0.0.1:7357", "jig.example", 200),
            ("127.0.0.1:7357", "evil.example:7357", 421),
            ("127.0.0.1:7357", "localhost.evil.example", 421),
            ("127.0.0.1:7357", "127.0.0.1.evil.example", 421),
            ("127.0.0.1:7357", "10.0.0.1", 421),
            ("127.0.0.1:7357", "[::1", 421),
            ("127.0.0.1:7357", "", 400),
            ("10.0.0.1:7357", "10.0.0.1:7357", 200),
            ("10.0.0.1:7357", "10.0.0.2:7357", 421),
            ("0.0.0.0:7357", "10.0.0.2:7357", 200),
            ("0.0.0.0:7357", "evil.example", 421),
        ];
        for (bound, host, status) in table {
            let checked = hosts(bound).check(&Uri::from_static("/"), &headers(&[("host", host)]));
            assert_eq!(checked.map_or_else(|problem| problem.status.as_u16(), |()| 200), status, "{bound} {host}");
        }
        let two = headers(&[("host", "localhost"), ("host", "evil.example")]);
        assert!(hosts("127.0.0.1:1").check(&Uri::from_static("/"), &two).is_err());
        let absolute = Uri::from_static("http://evil.example/api");
        assert!(hosts("127.0.0.1:1").check(&absolute, &headers(&[("host", "localhost")])).is_err());
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let host = ("host", "localhost:7357");
        type Sent<'a> = &'a [(&'static str, &'a str)];
        let table: &[(Method, Sent<'_>, bool)] = &[
            (Method::POST, &[host], true),
            (Method::POST, &[host, ("origin", "http://localhost:7357")], true),
            (Method::POST, &[host, ("origin", "https://localhost:7357")], true),
            (Method::POST, &[host, ("origin", "http://localhost:8080")], false),
            (Method::POST, &[host, ("origin", "http://evil.example")], false),
            (Method::POST, &[host, ("origin", "null")], false),
            (Method::DELETE, &[host, ("sec-fetch-site", "cross-site")], false),
            (Method::POST, &[host, ("sec-fetch-site", "same-site")], false),
            (Method::POST, &[host, ("sec-fetch-site", "same-origin")], true),
            (Method::GET, &[host, ("sec-fetch-site", "cross-site")], false),
            (Method::GET, &[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], true),
            (Method::POST, &[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], false),
            (Method::GET, &[host, ("origin", "http://evil.example")], true),
        ];
        for (method, pairs, fine) in table {
            assert_eq!(check_origin(method, &headers(pairs)).is_ok(), *fine, "{method} {pairs:?}");
        }
    }
}
