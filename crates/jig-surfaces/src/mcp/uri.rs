//! Resource addresses: `jig://{workbench}/published/{path}`, `…/draft/{path}`, `…/draft/diff`, `…/journal`,
//! `…/context/{item}/{path}`, `…/artifact/{slug}`, `…/artifact/{slug}#{section}`.
//!
//! A file in the Draft that is itself called `diff` has the address `…/draft/%64iff`; both it and the
//! list of resources write it so.

use jig_contract::ops::Root;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands in a segment as it is (RFC 3986, unreserved). All else is encoded.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What an address names. The texts are checked where they are used.
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
    /// A text of a context item: which item, and its path inside.
    Item(String, String),
    /// An artifact, or one section of it.
    Artifact(String, Option<String>),
}

impl Address {
    /// Reads an address; none when it is not one of ours.
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

fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(root: Root, path: &str) -> Address {
        Address { workbench: "board-deck".to_owned(), what: What::File(root, path.to_owned()) }
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
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
