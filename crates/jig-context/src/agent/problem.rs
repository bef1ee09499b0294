//! What is wrong with a workspace, and where.

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, as the index names it.
    pub file: String,
    /// Where in it, as a JSON pointer (`/parts/2/path`); `line N` for a text; empty for the whole file.
    pub pointer: String,
    /// What, in words.
    pub message: String,
}

impl Problem {
    /// A problem at a place of a file.
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
