//! References to a workspace, a version or a file: `name[@version][/path]`.

use std::fmt;

use jig_contract::{WorkbenchId, WorkbenchPath};

/// The workbench's own workspace, stored in its state under `agent/`. Its versions are journal numbers.
pub const OWN_NAME: &str = "own";
/// The built-in workspace.
pub const SHIPPED_NAME: &str = "jig";

/// The name of a workspace, with the syntax of a workbench id. `own` and `jig` are reserved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkspaceName {
    /// The workbench's own.
    Own,
    /// The built-in one.
    Shipped,
    /// One that is shared by all workbenches.
    Shared(String),
}

impl fmt::Display for WorkspaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => OWN_NAME,
            Self::Shipped => SHIPPED_NAME,
            Self::Shared(name) => name,
        })
    }
}

/// A reference to a workspace, with an optional version and file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The workspace.
    pub name: WorkspaceName,
    /// The version; the newest if `None`.
    pub version: Option<u64>,
    /// The file; the entire workspace if `None`.
    pub path: Option<WorkbenchPath>,
}

/// An invalid reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no agent workspace: {rule}")]
pub struct BadReference {
    /// The text, truncated.
    pub text: String,
    /// The rule that it violates.
    pub rule: String,
}

impl std::str::FromStr for Reference {
    type Err = BadReference;
    fn from_str(text: &str) -> Result<Self, BadReference> {
        let bad = |rule: &str| BadReference { text: crate::document::shown(text), rule: rule.to_owned() };
        let (head, path) = match text.split_once('/') {
            Some((head, path)) => (head, Some(path)),
            None => (text, None),
        };
        let (name, version) = match head.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (head, None),
        };
        let name = match name {
            OWN_NAME => WorkspaceName::Own,
            SHIPPED_NAME => WorkspaceName::Shipped,
            other => {
                let id = WorkbenchId::new(other).map_err(|error| bad(error.rule))?;
                WorkspaceName::Shared(id.to_string())
            }
        };
        let digits = |version: &str| version.bytes().all(|b| b.is_ascii_digit()) && !version.starts_with('0');
        let version = match version {
            None => None,
            Some(version) if digits(version) => {
                Some(version.parse().map_err(|_| bad("a version is a number, for example `house@4`"))?)
            }
            Some(_) => return Err(bad("a version is a number, for example `house@4`")),
        };
        let path = path.map(|path| WorkbenchPath::new(path).map_err(|error| bad(error.rule))).transpose()?;
        Ok(Self { name, version, path })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(version) = self.version {
            write!(f, "@{version}")?;
        }
        self.path.as_ref().map_or(Ok(()), |path| write!(f, "/{path}"))
    }
}
