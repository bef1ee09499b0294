//! Settings of the HTTP server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use jig_contract::{Env, OpError};
use jig_surfaces::http::{HttpOptions, Log, ProxyRange};

use super::resolve::{Sources, count, switch};
use super::size;

/// Validated settings of the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Serve {
    pub(crate) bind: SocketAddr,
    hosts: Vec<String>,
    trusted_proxies: Vec<ProxyRange>,
    open_loopback: bool,
    max_body_bytes: u64,
    max_upload_bytes: u64,
    header_seconds: u64,
    body_seconds: u64,
    max_connections: u64,
    at_once: u64,
    calls_per_second: u64,
    end_seconds: u64,
    pub(crate) logs: bool,
}

impl Sources<'_> {
    pub(super) fn serve(&self) -> Result<Serve, OpError> {
        let hosts = self.text("serve.hosts").unwrap_or_default();
        let seconds = 1..=86_400;
        Ok(Serve {
            bind: self.read("serve.bind", place)?,
            hosts: hosts.split(',').map(|host| host.trim().to_owned()).filter(|host| !host.is_empty()).collect(),
            trusted_proxies: self.read("serve.trusted_proxies", proxies)?,
            open_loopback: self.read("serve.open_loopback", switch)?,
            max_body_bytes: self.read("serve.max_body_bytes", size::parse)?,
            max_upload_bytes: self.read("serve.max_upload_bytes", size::parse)?,
            header_seconds: self.read_within("serve.header_seconds", seconds.clone())?,
            body_seconds: self.read_within("serve.body_seconds", seconds)?,
            max_connections: self.read_within("serve.max_connections", 1..=1_000_000)?,
            at_once: self.read_within("serve.at_once", 1..=100_000)?,
            calls_per_second: self.read("serve.calls_per_second", count)?,
            end_seconds: self.read_within("serve.end_seconds", 0..=86_400)?,
            logs: self.read("serve.log", logs)?,
        })
    }
}

impl Serve {
    /// The settings in the form that the server expects.
    pub(crate) fn options(&self, env: Env, log: Log) -> HttpOptions {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        HttpOptions {
            hosts: self.hosts.clone(),
            trusted_proxies: self.trusted_proxies.clone(),
            open_loopback: self.open_loopback,
            max_body_bytes: size(self.max_body_bytes),
            max_upload_bytes: size(self.max_upload_bytes),
            header_time: Duration::from_secs(self.header_seconds),
            body_time: Duration::from_secs(self.body_seconds),
            max_connections: size(self.max_connections),
            at_once: size(self.at_once),
            calls_per_second: u32::try_from(self.calls_per_second).ok().filter(|calls| *calls > 0),
            end_time: Duration::from_secs(self.end_seconds),
            log,
            ..HttpOptions::new(self.bind, env)
        }
    }
}

/// Parses a comma-separated list of addresses and ranges.
fn proxies(text: &str) -> Option<Vec<ProxyRange>> {
    text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(|text| text.parse().ok()).collect()
}

/// Parses an address with a port. `localhost` resolves to the loopback address.
fn place(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port.parse().ok()?)),
        None => text.parse().ok(),
    }
}

fn logs(text: &str) -> Option<bool> {
    match text {
        "json" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_an_address_and_a_port() {
        for (text, read) in [
            ("127.0.0.1:7357", Some("127.0.0.1:7357")),
            ("localhost:0", Some("127.0.0.1:0")),
            ("[::1]:80", Some("[::1]:80")),
            ("0.0.0.0:7357", Some("0.0.0.0:7357")),
            ("127.0.0.1", None),
            ("example.com:80", None),
            ("", None),
        ] {
            assert_eq!(place(text).map(|place| place.to_string()).as_deref(), read, "{text}");
        }
    }
}
