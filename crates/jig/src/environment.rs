//! What the program reads from its surroundings, read once at the start.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment's variables and the folder the program was started in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) folder: PathBuf,
}

impl Environment {
    /// Reads them. Variables that are not Unicode are none of ours.
    pub(crate) fn read() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { variables, folder: std::env::current_dir().unwrap_or_default() }
    }

    /// A variable's value; an empty one counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The person's own folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.get("HOME").or_else(|| self.get("USERPROFILE")).map(PathBuf::from)
    }
}
