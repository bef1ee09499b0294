//! Identifiers. Each is its own type, validated on construction, so that no other code has to.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::is_device_name;

/// The longest workbench id, in bytes. It is also a folder name.
pub const WORKBENCH_ID_MAX: usize = 64;

/// Why a text is not a valid identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {rule}", shown(.text))]
pub struct BadId {
    /// The rejected text.
    pub text: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

/// Formats a text for a message: quoted, control characters escaped, truncated with its length.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut out = String::from("`");
    for (n, c) in text.chars().enumerate() {
        if n == SHOWN {
            return format!("{out}…` ({} bytes)", text.len());
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}

macro_rules! id_type {
    ($(#[doc = $doc:literal])+ $name:ident, $check:path, $pattern:literal) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(inline)]
        pub struct $name(#[schemars(regex(pattern = $pattern))] String);

        impl $name {
            /// Validates a text as an id.
            pub fn new(text: impl Into<String>) -> Result<Self, BadId> {
                let text = text.into();
                match $check(&text) {
                    None => Ok(Self(text)),
                    Some(rule) => Err(BadId { text, rule }),
                }
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;
            fn try_from(text: String) -> Result<Self, BadId> {
                Self::new(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadId;
            fn from_str(text: &str) -> Result<Self, BadId> {
                Self::new(text)
            }
        }
    };
}

id_type! {
    /// Identifies a workbench: lower-case letters, digits and hyphens. It is also the name of the workbench's folder.
    WorkbenchId, check_workbench_id, r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"
}
id_type! {
    /// Identifies a checkpoint.
    CheckpointId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies a Draft.
    DraftId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies an asset.
    AssetId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies a proposal or the output of a recipe run.
    ProposalId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies a suggestion for a section.
    SuggestionId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies a job.
    JobId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies an agent's session.
    SessionId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}
id_type! {
    /// Identifies an access token.
    TokenId, check_uuid, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
}

fn check_workbench_id(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("an id must not be empty");
    }
    if text.len() > WORKBENCH_ID_MAX {
        return Some("an id has at most 64 characters");
    }
    if !text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        return Some("an id consists of lower-case letters a–z, digits and hyphens");
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Some("an id must not start or end with a hyphen");
    }
    is_device_name(text).then_some("Windows reserves this name for a device")
}

fn check_uuid(text: &str) -> Option<&'static str> {
    let canonical =
        text.len() == 36 && uuid::Uuid::try_parse(text).is_ok() && !text.bytes().any(|b| b.is_ascii_uppercase());
    (!canonical).then_some("this id must be a lower-case UUID")
}

impl WorkbenchId {
    /// The id suggested for a name: `Board deck 2026` → `board-deck-2026`; `workbench` if no valid character remains.
    pub fn suggest(name: &str) -> Self {
        let mut slug = String::new();
        for c in name.chars().flat_map(char::to_lowercase) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() >= 48 {
                break;
            }
        }
        let slug = slug.trim_matches('-').to_owned();
        Self::new(slug).unwrap_or_else(|_| Self("workbench".to_owned()))
    }

    /// This id with a number appended, for when it is already in use.
    pub fn numbered(&self, number: u32) -> Self {
        let tail = format!("-{number}");
        let keep = self.0.len().min(WORKBENCH_ID_MAX - tail.len());
        Self(format!("{}{tail}", self.0[..keep].trim_end_matches('-')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workbench_ids_are_safe_folder_names() {
        for good in ["a", "board-deck", "q3", "0", &"a".repeat(64)] {
            assert_eq!(WorkbenchId::new(good).map(String::from), Ok(good.to_owned()));
        }
        let long = "a".repeat(10 * 1024 * 1024);
        for bad in ["", ".", "..", "a/b", "A", "a b", "-a", "a-", "con", "lpt1", "é", "a\0", &"a".repeat(65), &long] {
            assert!(WorkbenchId::new(bad).is_err(), "{}", &bad[..bad.len().min(20)]);
        }
    }

    #[test]
    fn a_refusal_shows_a_bounded_piece_of_the_text() {
        let error = WorkbenchId::new("x\n".repeat(1_000_000)).unwrap_err().to_string();
        assert!(error.len() < 400, "{error}");
        assert!(error.contains("2000000 bytes") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn ids_are_suggested_from_names() {
        let suggested = |name: &str| WorkbenchId::suggest(name).to_string();
        assert_eq!(suggested("Board deck 2026"), "board-deck-2026");
        assert_eq!(suggested("  --Ünï  code--"), "n-code");
        assert_eq!(suggested("日本"), "workbench");
        assert_eq!(suggested("NUL"), "workbench");
        assert_eq!(WorkbenchId::suggest(&"x".repeat(500)).numbered(12).as_str().len(), 51);
    }

    #[test]
    fn uuid_ids_are_canonical() {
        assert!(CheckpointId::new("0190b6c2-7d3e-7000-8000-000000000001").is_ok());
        for bad in ["", "..", "0190B6C2-7D3E-7000-8000-000000000001", "{0190b6c2-7d3e-7000-8000-000000000001}"] {
            assert!(CheckpointId::new(bad).is_err(), "{bad}");
        }
    }
}
