//! Query strings.

use axum::http::StatusCode;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::problem::Problem;

/// The unreserved characters of URLs.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Names and values in order.
pub(super) fn parse(query: Option<&str>) -> Result<Vec<(String, String)>, Problem> {
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

fn decode(text: &str) -> Result<String, Problem> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let wrong = |_| Problem::request(StatusCode::BAD_REQUEST, "the query is not UTF-8");
    decoded.map(std::borrow::Cow::into_owned).map_err(wrong)
}

/// Percent-encodes a text for a URL.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// The query with one parameter replaced.
pub(super) fn with(pairs: &[(String, String)], name: &str, value: &str) -> String {
    let others = pairs.iter().filter(|(known, _)| known != name).map(|(name, value)| (name.as_str(), value.as_str()));
    let all = others.chain([(name, value)]).map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    all.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded() {
        let pairs = parse(Some("a=1&b=x%20y+z&c&&%C3%A4=%26")).unwrap();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("b", "x y z"), ("c", ""), ("ä", "&")]);
        assert!(parse(Some("a=%FF")).is_err());
        assert_eq!(parse(None).unwrap(), []);
    }

    #[test]
    fn one_value_is_set() {
        let pairs = parse(Some("limit=2&cursor=a%2Fb")).unwrap();
        assert_eq!(with(&pairs, "cursor", "c d"), "limit=2&cursor=c%20d");
    }
}
