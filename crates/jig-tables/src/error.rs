//! Why a call on a table failed.

use jig_file_api::table::TableFormat;
use jig_files::engine::{FileError, Reason};
use jig_text::csv::CsvError;

use crate::guard::Refusal;

/// Why a call on a table failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A parameter has a value that is not allowed.
    #[error("{name}: {why}")]
    InvalidParameter {
        /// The parameter.
        name: &'static str,
        /// What is wrong with its value.
        why: String,
    },
    /// The query does more than read its own tables.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The query is not valid SQL.
    #[error("invalid SQL: {message}")]
    Syntax {
        /// DuckDB's message.
        message: String,
    },
    /// The query failed while it was bound or executed.
    #[error("the query failed: {message}")]
    Query {
        /// DuckDB's message.
        message: String,
    },
    /// The query exceeded its time limit.
    #[error("the query timed out after {millis} ms and was stopped; `tables.timeout_ms` is the limit")]
    TimedOut {
        /// The limit.
        millis: u64,
    },
    /// The query exceeded its memory limit.
    #[error(
        "the query needs more than {megabytes} MB of memory and was stopped; `tables.memory_mb` is the limit; fewer columns, a \
         filter or LIMIT may help"
    )]
    OutOfMemory {
        /// The limit.
        megabytes: u64,
    },
    /// The process reached its memory limit before the query reached its own.
    #[error(
        "the query needs more memory than its process may use and was stopped; `worker.memory` is the limit; fewer columns, a \
         filter or LIMIT may help"
    )]
    OutOfProcessMemory,
    /// The conversion of a file exceeded its time limit.
    #[error("the file was not converted to a table within {} seconds; a part of it may be quicker", .limit.as_secs_f64())]
    ConversionTimedOut {
        /// The limit.
        limit: std::time::Duration,
    },
    /// A converted table is damaged or has another version. It is converted again.
    #[error("a converted table cannot be read: {reason}")]
    DamagedTable {
        /// What was found.
        reason: String,
    },
    /// The caller cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// A sheet of a workbook cannot be read.
    #[error(transparent)]
    Workbook(#[from] FileError),
    /// A record of a delimited file is too long.
    #[error("{source}")]
    Delimited {
        /// What the reader found.
        source: CsvError,
    },
    /// A line of a JSON Lines file is not a row.
    #[error("invalid JSON Lines file: line {line} {why}")]
    JsonLine {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A file is not Parquet, or damaged.
    #[error("invalid Parquet file: {why}")]
    Parquet {
        /// What is wrong with it.
        why: String,
    },
    /// A limit of this program or of a file format is exceeded.
    #[error("{what} has more than {limit}; {hint}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The limit with its unit.
        limit: String,
        /// What the caller can do.
        hint: &'static str,
    },
    /// The files of this format are not read on this platform.
    #[error("{format} files are not supported on this platform")]
    Unsupported {
        /// The format.
        format: TableFormat,
    },
    /// The file system failed.
    #[error("{action}: {}", io_reason(.source))]
    Io {
        /// What could not be done.
        action: &'static str,
        /// What the system reported.
        source: std::io::Error,
    },
    /// DuckDB failed on a statement of Jig itself.
    #[error("the SQL engine failed: {}", without_paths(&.source.to_string()))]
    Engine {
        /// DuckDB's error.
        #[from]
        source: duckdb::Error,
    },
    /// A fault of this program.
    #[error("internal error: {reason}")]
    Internal {
        /// What should not have happened.
        reason: String,
    },
}

impl TableError {
    /// Whether the call itself is wrong or was cancelled, so that reading its file in another way cannot help.
    pub fn is_callers_fault(&self) -> bool {
        matches!(
            self,
            Self::InvalidParameter { .. }
                | Self::Refused(_)
                | Self::Syntax { .. }
                | Self::Query { .. }
                | Self::Cancelled
        )
    }

    pub(crate) fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, source }
    }

    pub(crate) fn internal(reason: impl Into<String>) -> Self {
        Self::Internal { reason: reason.into() }
    }
}

impl From<CsvError> for TableError {
    fn from(source: CsvError) -> Self {
        match source {
            CsvError::Read { source } => Self::Io { action: "the file could not be read", source },
            source => Self::Delimited { source },
        }
    }
}

/// The protocol's reasons. A fault of the engine or of this program never counts as damage of the file.
impl From<TableError> for FileError {
    fn from(error: TableError) -> Self {
        let reason = match error {
            TableError::Workbook(error) => return error,
            TableError::InvalidParameter { .. }
            | TableError::Refused(_)
            | TableError::Syntax { .. }
            | TableError::Query { .. }
            | TableError::Cancelled => Reason::Invalid,
            TableError::TimedOut { .. }
            | TableError::ConversionTimedOut { .. }
            | TableError::OutOfMemory { .. }
            | TableError::OutOfProcessMemory
            | TableError::Delimited { .. }
            | TableError::TooLarge { .. } => Reason::TooLarge,
            TableError::JsonLine { .. } | TableError::Parquet { .. } => Reason::Damaged,
            TableError::Unsupported { .. } => Reason::WrongKind,
            TableError::Io { ref source, .. } if source.kind() == std::io::ErrorKind::StorageFull => Reason::DiskFull,
            TableError::Io { .. } => Reason::Unreadable,
            // DuckDB reports a full disk in the text of its error only.
            TableError::Engine { ref source } if without_paths(&source.to_string()) == NO_SPACE => Reason::DiskFull,
            TableError::DamagedTable { .. } | TableError::Engine { .. } | TableError::Internal { .. } => {
                Reason::Unavailable
            }
        };
        Self::new(reason, error.to_string())
    }
}

/// The system's reason, for a full disk with the same text on all systems.
fn io_reason(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return NO_SPACE.to_owned();
    }
    error.to_string()
}

/// What is left of DuckDB's message about a full disk.
pub(crate) const NO_SPACE: &str = "no space left on device";

/// DuckDB's message without paths of the host, which it quotes. For a full disk only the reason is left.
pub(crate) fn without_paths(message: &str) -> String {
    if message.to_ascii_lowercase().contains(NO_SPACE) {
        return NO_SPACE.to_owned();
    }
    let is_path = |piece: &str| piece.starts_with('/') || piece.get(1..3) == Some(":\\");
    let pieces = message.split('"').map(|piece| if is_path(piece) { "…" } else { piece });
    pieces.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_no_paths_of_the_host_and_name_a_full_disk() {
        let full = "IO Error: Could not write file \"/srv/a/x.part\": No space left on device";
        assert_eq!(without_paths(full), "no space left on device");
        let other = "IO Error: Cannot open file \"/srv/a/x\": Permission denied";
        assert_eq!(without_paths(other), "IO Error: Cannot open file \"…\": Permission denied");
        assert_eq!(without_paths("C \"a\" \"C:\\x\""), "C \"a\" \"…\"");
        let io = TableError::io("x cannot be written")(std::io::ErrorKind::StorageFull.into());
        assert_eq!(io.to_string(), "x cannot be written: no space left on device");
    }

    #[test]
    fn a_fault_of_the_engine_does_not_blame_the_file() {
        let internal = [
            TableError::internal("a writer failed"),
            TableError::from(duckdb::Error::InvalidQuery),
            TableError::DamagedTable { reason: "version 1".to_owned() },
        ];
        for error in internal {
            assert_eq!(FileError::from(error).reason, Reason::Unavailable);
        }
        let why = "is not an object".to_owned();
        assert_eq!(FileError::from(TableError::JsonLine { line: 2, why }).reason, Reason::Damaged);
    }
}
