//! What can go wrong with a table.

use jig_text::csv::CsvError;

/// Why a call on a table gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The call is wrong; the words say how.
    #[error("{0}")]
    Invalid(String),
    /// The query asks for more than one read of its own tables.
    #[error("{0}")]
    Refused(String),
    /// The query is not SQL that can be carried out.
    #[error("{0}")]
    Query(String),
    /// The query took longer than it may.
    #[error("the query timed out after {millis} ms and was stopped; `tables.timeout_ms` is the limit")]
    TimedOut {
        /// The limit.
        millis: u64,
    },
    /// The query needed more memory than it may use.
    #[error(
        "the query needs more than {megabytes} MB of memory and was stopped; `tables.memory_mb` is the limit; fewer columns, a \
         filter or LIMIT may help"
    )]
    OutOfMemory {
        /// The limit.
        megabytes: u64,
    },
    /// The system gave the process no more memory, before the query came to its own limit.
    #[error(
        "the query needs more memory than its process may use and was stopped; `worker.memory` is the limit; fewer columns, a \
         filter or LIMIT may help"
    )]
    OutOfProcessMemory,
    /// The file took longer to convert than it may.
    #[error("the file could not be made a table within {} seconds and was given up; a part of it may be quicker", .within.as_secs_f64())]
    SlowConversion {
        /// The limit.
        within: std::time::Duration,
    },
    /// A converted table is damaged; its file is to be converted anew.
    #[error("a converted table cannot be read: {0}")]
    Damaged(String),
    /// The caller gave up.
    #[error("the call was cancelled")]
    Cancelled,
    /// The file cannot be read as a table.
    #[error("{0}")]
    Unreadable(String),
    /// More than a bound allows.
    #[error("{0}")]
    TooLarge(String),
    /// The file system refused.
    #[error("{what}: {}", reason(.source))]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine failed on something that is not the caller's fault.
    #[error("the table engine failed: {0}")]
    Engine(String),
}

impl TableError {
    /// Whether the call itself is at fault, or was given up: no other way to the same rows changes that.
    pub fn is_of_the_call(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::Refused(_) | Self::Query(_) | Self::Cancelled)
    }

    pub(crate) fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { what, source }
    }

    pub(crate) fn engine(error: impl std::fmt::Display) -> Self {
        Self::Engine(without_paths(&error.to_string()))
    }
}

impl From<CsvError> for TableError {
    fn from(error: CsvError) -> Self {
        match error {
            CsvError::Read { source } => Self::Io { what: "the file could not be read", source },
            error @ CsvError::RecordTooLong { .. } => Self::TooLarge(error.to_string()),
            error => Self::Engine(error.to_string()),
        }
    }
}

/// The system's reason in words that are the same on all systems.
fn reason(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return NO_SPACE.to_owned();
    }
    error.to_string()
}

/// What is left of DuckDB's message about a full disk.
pub(crate) const NO_SPACE: &str = "no space left on device";

/// The engine's words without paths of the host, which it quotes. A full disk is all that matters when it is one.
pub(crate) fn without_paths(words: &str) -> String {
    if words.to_ascii_lowercase().contains(NO_SPACE) {
        return NO_SPACE.to_owned();
    }
    let is_path = |piece: &str| piece.starts_with('/') || piece.get(1..3) == Some(":\\");
    let pieces = words.split('"').map(|piece| if is_path(piece) { "…" } else { piece });
    pieces.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_no_paths_of_the_host_and_name_a_full_disk() {
        let full = "IO Error: Could not write file \"/srv/a/x.part\": No space left on device";
        assert_eq!(TableError::engine(full).to_string(), "the table engine failed: no space left on device");
        let other = "IO Error: Cannot open file \"/srv/a/x\": Permission denied";
        assert_eq!(without_paths(other), "IO Error: Cannot open file \"…\": Permission denied");
        assert_eq!(without_paths("C \"a\" \"C:\\x\""), "C \"a\" \"…\"");
        let io = TableError::io("x cannot be written")(std::io::ErrorKind::StorageFull.into());
        assert_eq!(io.to_string(), "x cannot be written: no space left on device");
    }
}
