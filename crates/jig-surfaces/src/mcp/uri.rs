//! Resource URIs: `jig://{workbench}/published/{path}`, `…/draft/{path}`, `…/draft/diff`, `…/journal`, `…/map/{path}`,
//! `…/text/{path}{?sheet,range,…}`, `…/context/{item}/{path}`, `…/entry/{role}`, `…/entry/{role}/{entry_key}`,
//! `…/artifact/{slug}`, `…/artifact/{slug}#{section}`.
//!
//! A file in the Draft that is itself named `diff` has the URI `…/draft/%64iff`, which the list of resources uses as
//! well.

use jig_contract::ops::Root;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The unreserved characters of a segment (RFC 3986); all others are percent-encoded.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A parsed URI. Its texts are validated where they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) workbench: String,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    File(Root, String),
    Diff,
    Journal,
    /// A text of a context item: the item, and the path inside it.
    Item(String, String),
    /// An artifact or one of its sections.
    Artifact(String, Option<String>),
    /// The map of a file as an agent would see it: of the Draft if there is one.
    Map(String),
    /// A file or a region of it as text, with the parameters of the read operation.
    Text(String, Vec<(String, String)>),
    /// An entry by its kind, and its key unless the kind is a singleton.
    Entry(String, Option<String>),
}

impl Address {
    /// Parses a URI; `None` if it is not one of Jig's.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let (workbench, rest) = uri.strip_prefix("jig://")?.split_once('/')?;
        let workbench = decode(workbench)?;
        let what = match rest.split_once('/') {
            None if rest == "journal" => What::Journal,
            Some(("draft", "diff")) => What::Diff,
            Some(("draft", path)) => What::File(Root::Draft, decode(path)?),
            Some(("context", rest)) => {
                let (item, path) = rest.split_once('/')?;
                What::Item(decode(item)?, decode(path)?)
            }
            Some(("artifact", rest)) => match rest.split_once('#') {
                Some((_, "")) => return None,
                Some((slug, section)) => What::Artifact(decode(slug)?, Some(decode(section)?)),
                None if rest.is_empty() => return None,
                None => What::Artifact(decode(rest)?, None),
            },
            Some(("published", path)) => What::File(Root::Published, decode(path)?),
            Some(("map", path)) => What::Map(decode(path)?),
            Some(("text", rest)) => match rest.split_once('?') {
                Some((path, query)) => What::Text(decode(path)?, pairs(query)?),
                None => What::Text(decode(rest)?, Vec::new()),
            },
            Some(("entry", rest)) => match rest.split_once('/') {
                Some((role, key)) if !role.is_empty() => What::Entry(decode(role)?, Some(decode(key)?)),
                None if !rest.is_empty() => What::Entry(decode(rest)?, None),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self { workbench, what })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "jig://{}/", utf8_percent_encode(&self.workbench, SEGMENT))?;
        match &self.what {
            What::Journal => f.write_str("journal"),
            What::Diff => f.write_str("draft/diff"),
            What::File(Root::Draft, path) if path == "diff" => f.write_str("draft/%64iff"),
            What::File(root, path) => write_path(f, root.folder(), path),
            What::Artifact(slug, section) => {
                write!(f, "artifact/{}", utf8_percent_encode(slug, SEGMENT))?;
                match section {
                    Some(section) => write!(f, "#{}", utf8_percent_encode(section, SEGMENT)),
                    None => Ok(()),
                }
            }
            What::Map(path) => write_path(f, "map", path),
            What::Text(path, region) => {
                write_path(f, "text", path)?;
                region.iter().enumerate().try_for_each(|(at, (name, value))| {
                    let (mark, value) = (if at == 0 { '?' } else { '&' }, utf8_percent_encode(value, SEGMENT));
                    write!(f, "{mark}{}={value}", utf8_percent_encode(name, SEGMENT))
                })
            }
            What::Entry(role, key) => {
                write!(f, "entry/{}", utf8_percent_encode(role, SEGMENT))?;
                key.iter().try_for_each(|key| write!(f, "/{}", utf8_percent_encode(key, SEGMENT)))
            }
            What::Item(item, path) => {
                f.write_str("context/")?;
                write_path(f, &utf8_percent_encode(item, SEGMENT).to_string(), path)
            }
        }
    }
}

fn write_path(f: &mut std::fmt::Formatter<'_>, folder: &str, path: &str) -> std::fmt::Result {
    f.write_str(folder)?;
    path.split('/').try_for_each(|segment| write!(f, "/{}", utf8_percent_encode(segment, SEGMENT)))
}

/// The query parameters.
fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((decode(name)?, decode(value)?))
    };
    query.split('&').filter(|text| !text.is_empty()).map(pair).collect()
}

fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(root: Root, path: &str) -> Address {
        Address { workbench: "board-deck".to_owned(), what: What::File(root, path.to_owned()) }
    }

    fn of(what: What) -> Address {
        Address { workbench: "w".to_owned(), what }
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn addresses_come_back_as_they_were() {
        let table = [
            (file(Root::Published, "a/b.txt"), "jig://board-deck/published/a/b.txt"),
            (file(Root::Published, "100 % #1?.txt"), "jig://board-deck/published/100%20%25%20%231%3F.txt"),
            (file(Root::Draft, "Zürich/é%41.md"), "jig://board-deck/draft/Z%C3%BCrich/%C3%A9%2541.md"),
            (file(Root::Draft, "diff"), "jig://board-deck/draft/%64iff"),
            (file(Root::Draft, "diff/x"), "jig://board-deck/draft/diff/x"),
            (Address { workbench: "w".to_owned(), what: What::Diff }, "jig://w/draft/diff"),
            (Address { workbench: "w".to_owned(), what: What::Journal }, "jig://w/journal"),
            (
                Address {
                    workbench: "w".to_owned(),
                    what: What::Item("company-context".to_owned(), "references/a b.md".to_owned()),
                },
                "jig://w/context/company-context/references/a%20b.md",
            ),
            (
                Address { workbench: "w".to_owned(), what: What::Artifact("concept".to_owned(), None) },
                "jig://w/artifact/concept",
            ),
            (
                Address {
                    workbench: "w".to_owned(),
                    what: What::Artifact("concept".to_owned(), Some("日本".to_owned())),
                },
                "jig://w/artifact/concept#%E6%97%A5%E6%9C%AC",
            ),
            (of(What::Map("a b.xlsx".to_owned())), "jig://w/map/a%20b.xlsx"),
            (of(What::Text("a/b.xlsx".to_owned(), Vec::new())), "jig://w/text/a/b.xlsx"),
            (
                of(What::Text("b.xlsx".to_owned(), vec![pair("sheet", "Q1 & Q2"), pair("range", "A1:B2")])),
                "jig://w/text/b.xlsx?sheet=Q1%20%26%20Q2&range=A1%3AB2",
            ),
            (of(What::Entry("brand".to_owned(), None)), "jig://w/entry/brand"),
            (
                of(What::Entry("competitor".to_owned(), Some("acme/eu".to_owned()))),
                "jig://w/entry/competitor/acme%2Feu",
            ),
        ];
        for (address, uri) in table {
            assert_eq!(address.to_string(), uri);
            assert_eq!(Address::parse(uri), Some(address));
        }
    }

    #[test]
    fn a_template_filled_in_with_encoded_slashes_is_understood() {
        assert_eq!(Address::parse("jig://board-deck/published/a%2Fb.txt"), Some(file(Root::Published, "a/b.txt")));
    }

    #[test]
    fn what_is_no_address_is_none() {
        for uri in [
            "",
            "jig://",
            "jig://w",
            "jig://w/",
            "jig://w/meta/x",
            "jig://w/context/situation",
            "file:///etc/passwd",
            "jig://w/draft/%ff",
            "jig://w/artifact/",
            "jig://w/artifact/concept#",
            "jig://w/entry/",
            "jig://w/entry//a",
            "jig://w/text/a.xlsx?sheet",
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
