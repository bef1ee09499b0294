//! What Jig and `jig-sql` must understand alike about a call on tables: its sources, which `jig-file-api` parses, and the
//! limits of its query.

use jig_files::engine::FileError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use jig_file_api::table::{ReadOptions, TableSource, is_table_method};

/// The tables that a call reads.
pub fn parts(params: &Value) -> Result<Vec<TableSource>, FileError> {
    Ok(TableSource::list(params)?)
}

/// Limits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryLimits {
    /// Milliseconds.
    pub timeout_ms: u64,
    /// Megabytes of memory.
    pub memory_mb: u64,
    /// Threads.
    pub threads: u64,
}

impl QueryLimits {
    /// Which values `timeout_ms` may have.
    pub const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=600_000;
    /// Which values `memory_mb` may have.
    pub const MEMORY_MB: std::ops::RangeInclusive<u64> = 64..=65_536;
    /// Which values `threads` may have.
    pub const THREADS: std::ops::RangeInclusive<u64> = 1..=64;

    /// The same with every value inside its range.
    pub fn clamped(self) -> Self {
        let within = |value: u64, range: std::ops::RangeInclusive<u64>| value.clamp(*range.start(), *range.end());
        Self {
            timeout_ms: within(self.timeout_ms, Self::TIMEOUT_MS),
            memory_mb: within(self.memory_mb, Self::MEMORY_MB),
            threads: within(self.threads, Self::THREADS),
        }
    }
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self { timeout_ms: 5_000, memory_mb: 512, threads: 2 }
    }
}
