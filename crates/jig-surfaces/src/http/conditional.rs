//! `ETag`, `If-Match` and `If-None-Match`.
//!
//! The tag of a resource with revisions is the `etag` of its body, which identifies one content revision; `If-Match`
//! compares it exactly. Any other response is tagged with a hash of its bytes, which only shows whether it has changed.

use axum::http::{HeaderMap, HeaderValue, header};
use jig_contract::RevisionTag;

use super::params::invalid;
use super::problem::Problem;

/// The tag of a response without revisions.
pub(super) fn tag(body: &[u8]) -> String {
    tag_of(&blake3::hash(body).to_hex())
}

/// The tag of content with a known hash.
pub(super) fn tag_of(hash: &str) -> String {
    format!("\"{}\"", hash.get(..16).unwrap_or(hash))
}

/// Whether the client already has this response.
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// The precondition of a write.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// None.
    Anything,
    /// The resource exists, at any revision.
    Something,
    /// The resource does not exist.
    Nothing,
    /// The resource is at this revision.
    Revision(RevisionTag),
    /// Never satisfied: the tag does not have Jig's format.
    Never,
}

/// The precondition of a write, with its tag unparsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Condition<'h> {
    Anything,
    Something,
    Nothing,
    Tag(&'h str),
}

/// Parses the precondition of a write.
pub(super) fn condition(headers: &HeaderMap) -> Result<Condition<'_>, Problem> {
    let only = |name: header::HeaderName| -> Result<Option<&str>, Problem> {
        let mut values = headers.get_all(&name).iter().map(HeaderValue::to_str);
        let first = values.next().transpose().map_err(|_| invalid(&format!("`{name}` cannot be read")))?;
        let alone = values.next().is_none() && !first.is_some_and(|value| value.contains(','));
        alone.then_some(first.map(str::trim)).ok_or_else(|| invalid(&format!("`{name}` may hold one tag")))
    };
    match (only(header::IF_MATCH)?, only(header::IF_NONE_MATCH)?) {
        (None, None) => Ok(Condition::Anything),
        (Some("*"), None) => Ok(Condition::Something),
        (None, Some("*")) => Ok(Condition::Nothing),
        (Some(tag), None) => Ok(Condition::Tag(tag)),
        (_, Some(_)) => Err(invalid("a write takes `If-Match` with a tag or `*`, or `If-None-Match: *`")),
    }
}

/// Parses the precondition of a write to a resource with revisions.
pub(super) fn wanted(headers: &HeaderMap) -> Result<Wanted, Problem> {
    Ok(match condition(headers)? {
        Condition::Anything => Wanted::Anything,
        Condition::Something => Wanted::Something,
        Condition::Nothing => Wanted::Nothing,
        Condition::Tag(tag) => revision(tag).map_or(Wanted::Never, Wanted::Revision),
    })
}

/// The revision of a strong tag. A number in quotes is not valid, because no response ever had one as its tag.
fn revision(tag: &str) -> Option<RevisionTag> {
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    inner.parse().ok().filter(|tag| matches!(tag, RevisionTag::Content(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn tags_tell_answers_apart() {
        let one = tag(b"one");
        assert!(one.len() == 18 && one != tag(b"two"), "{one}");
        assert!(is_known(&headers("if-none-match", &format!("\"x\", W/{one}")), &one));
        assert!(is_known(&headers("if-none-match", "*"), &one));
        assert!(!is_known(&headers("if-none-match", "\"7\""), &one));
    }

    #[test]
    fn writes_ask_for_a_revision_by_its_complete_tag() {
        let table = [
            ("if-match", "\"7-3f9a\"", Wanted::Revision(RevisionTag::Content("7-3f9a".to_owned()))),
            ("if-match", "\"7\"", Wanted::Never),
            ("if-match", "*", Wanted::Something),
            ("if-none-match", "*", Wanted::Nothing),
            ("if-match", "W/\"7-3f9a\"", Wanted::Never),
            ("if-match", "7-3f9a", Wanted::Never),
            ("if-match", "7", Wanted::Never),
        ];
        for (name, value, expected) in table {
            assert_eq!(wanted(&headers(name, value)).unwrap(), expected, "{name}: {value}");
        }
        assert!(wanted(&headers("if-match", "\"1\", \"2\"")).is_err());
        assert!(wanted(&headers("if-none-match", "\"1\"")).is_err());
        assert_eq!(wanted(&HeaderMap::new()).unwrap(), Wanted::Anything);
    }
}
