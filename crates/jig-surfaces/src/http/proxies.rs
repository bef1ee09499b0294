//! Trusted proxies, and client addresses behind them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::http::HeaderMap;
use ipnet::IpNet;

/// A proxy or a range of proxies whose `X-Forwarded-For` is trusted: `10.0.0.2`, `10.0.0.0/24`, `2001:db8::/32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyRange(IpNet);

impl ProxyRange {
    fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

/// The error for an invalid address or range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidProxyRange;

impl fmt::Display for InvalidProxyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an IP address or a CIDR range")
    }
}

impl std::error::Error for InvalidProxyRange {}

impl FromStr for ProxyRange {
    type Err = InvalidProxyRange;

    fn from_str(text: &str) -> Result<Self, InvalidProxyRange> {
        let range = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_) => unmapped(text.parse::<IpNet>().map_err(|_| InvalidProxyRange)?),
        };
        // `10.0.0.5/8` could mean one proxy or sixteen million, so it is refused.
        if range.addr() == range.network() { Ok(Self(range)) } else { Err(InvalidProxyRange) }
    }
}

/// Clients are compared by canonical address, so an IPv4 range written as IPv6 is converted.
fn unmapped(range: IpNet) -> IpNet {
    match (range.addr().to_canonical(), range.prefix_len().checked_sub(96)) {
        (IpAddr::V4(address), Some(bits)) if range.addr().is_ipv6() => {
            IpNet::new(IpAddr::V4(address), bits).unwrap_or(range)
        }
        _ => range,
    }
}

/// The client address of a request. Each proxy appends its caller, so the header is read from the end: the first
/// address that is not a trusted proxy is the client. Anything before it was sent by the client and is not trusted.
pub(super) fn client_address(trusted: &[ProxyRange], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    let values = headers.get_all("x-forwarded-for").iter().map(|value| value.to_str().unwrap_or_default());
    let hops: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    for hop in hops.iter().rev() {
        match hop_address(hop) {
            Some(hop) if trusted.iter().any(|range| range.contains(client)) => client = hop,
            _ => break,
        }
    }
    client
}

/// The network that rate limits count: an IPv6 host has a /64 of addresses to choose from.
pub(super) fn network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            IpNet::new(IpAddr::V6(address), 64).map_or_else(|_| address.to_string(), |net| net.trunc().to_string())
        }
        address => address.to_string(),
    }
}

/// The address of a hop. Some proxies add the port.
fn hop_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    bare.parse::<IpAddr>().ok().or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn addresses_and_ranges_are_read_and_others_refused() {
        for (text, inside, outside) in [
            ("10.0.0.2", "10.0.0.2", "10.0.0.3"),
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.1"),
            ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"),
            ("203.0.113.7/32", "203.0.113.7", "203.0.113.6"),
            ("0.0.0.0/0", "198.51.100.1", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("::1", "::1", "::2"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("::ffff:10.0.0.2", "10.0.0.2", "10.0.0.1"),
            ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.1"),
        ] {
            let range: ProxyRange = text.parse().unwrap();
            assert!(range.contains(inside.parse().unwrap()), "{text} has {inside}");
            assert!(!range.contains(outside.parse().unwrap()), "{text} has not {outside}");
        }
        for text in [
            "",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/",
            "/8",
            "10.0.0/8",
            "10.0.0.5/8",
            "2001:db8::1/32",
            "2001:db8::/129",
            "proxy.example",
            "10.0.0.1-10.0.0.9",
            "10.0.0.0/8/8",
            "10.0.0.1:80",
            "*",
        ] {
            assert_eq!(text.parse::<ProxyRange>(), Err(InvalidProxyRange), "{text}");
        }
    }

    #[test]
    fn a_host_is_one_caller_whichever_of_its_addresses_it_uses() {
        let network = |text: &str| network_of(text.parse().unwrap());
        for (one, other, same) in [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("203.0.113.1", "::ffff:203.0.113.1", true),
            ("203.0.113.1", "203.0.113.2", false),
            ("::1", "::2", true),
        ] {
            assert_eq!(network(one) == network(other), same, "{one} {other}");
        }
    }

    #[test]
    fn the_client_is_the_last_hop_that_is_no_trusted_proxy() {
        let trusted: Vec<ProxyRange> =
            ["10.0.0.0/8", "2001:db8:aaaa::/48", "192.0.2.10"].map(|text| text.parse().unwrap()).into();
        for (peer, said, client) in [
            ("198.51.100.9", &["203.0.113.1"][..], "198.51.100.9"),
            ("10.0.0.2", &[], "10.0.0.2"),
            ("10.0.0.2", &["203.0.113.1"], "203.0.113.1"),
            ("::ffff:10.0.0.2", &["203.0.113.1"], "203.0.113.1"),
            // Several proxies, in one header and in several.
            ("10.0.0.2", &["203.0.113.1, 192.0.2.10, 10.1.1.1"], "203.0.113.1"),
            ("10.0.0.2", &["203.0.113.1", "192.0.2.10,10.1.1.1"], "203.0.113.1"),
            ("2001:db8:aaaa::1", &["2001:db8:bbbb::7, 10.9.9.9"], "2001:db8:bbbb::7"),
            // What a client sends itself comes before what the proxies saw.
            ("10.0.0.2", &["127.0.0.1, 203.0.113.1"], "203.0.113.1"),
            ("10.0.0.2", &["10.0.0.7, 203.0.113.1, 10.3.3.3"], "203.0.113.1"),
            ("10.0.0.2", &["198.51.100.1, 10.0.0.9, 203.0.113.5"], "203.0.113.5"),
            // With ports, and unparsable ones.
            ("10.0.0.2", &["203.0.113.1:4711"], "203.0.113.1"),
            ("10.0.0.2", &["[2001:db8::9]:443"], "2001:db8::9"),
            ("10.0.0.2", &["[2001:db8::9]"], "2001:db8::9"),
            ("10.0.0.2", &["203.0.113.1, unknown"], "10.0.0.2"),
            ("10.0.0.2", &["203.0.113.1,"], "10.0.0.2"),
            ("10.0.0.2", &["10.0.0.3"], "10.0.0.3"),
        ] {
            let header = HeaderName::from_static("x-forwarded-for");
            let mut headers = HeaderMap::new();
            for text in said {
                headers.append(&header, HeaderValue::from_static(text));
            }
            let found = client_address(&trusted, peer.parse().unwrap(), &headers);
            assert_eq!(found, client.parse::<IpAddr>().unwrap(), "{peer} {said:?}");
        }
    }
}
