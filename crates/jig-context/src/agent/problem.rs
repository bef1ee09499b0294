//! Errors in a workspace, with their location.

/// An error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, as the index names it.
    pub file: String,
    /// The location in the file: a JSON pointer (`/parts/2/path`), `line N` for a text, or empty for the entire file.
    pub pointer: String,
    /// The error, for people.
    pub message: String,
}

impl Problem {
    /// A problem in `file`, at the JSON pointer `pointer`.
    pub fn new(file: impl Into<String>, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), pointer: pointer.into(), message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.as_str(), self.pointer.as_str()) {
            ("", _) => f.write_str(&self.message),
            (file, "") => write!(f, "{file}: {}", self.message),
            (file, pointer) => write!(f, "{file} {pointer}: {}", self.message),
        }
    }
}
