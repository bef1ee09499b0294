//! The process environment, read once at the start.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Environment variables and the working directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) folder: PathBuf,
}

impl Environment {
    /// Reads the environment. Variables that are not Unicode are skipped: none of Jig's are.
    pub(crate) fn read() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { variables, folder: std::env::current_dir().unwrap_or_default() }
    }

    /// The value of a variable. An empty value counts as unset.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The user's home directory.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.get("HOME").or_else(|| self.get("USERPROFILE")).map(PathBuf::from)
    }
}
