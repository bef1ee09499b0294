//! Settings: flags override the environment, which overrides files, which override defaults. Each value remembers its
//! source.
//!
//! One table, [`KEYS`], drives parsing, validation, the reference page and `jig settings`.

mod file;
mod mcp;
mod models;
mod resolve;
mod serve;
mod size;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use jig_workbench::{Config, Isolation, Limits, McpServer, ModelConfig, QueryLimits, Renderer};
use serde_json::{Value, json};

pub(crate) use resolve::{Flags, resolve};
pub(crate) use serve::Serve;
pub(crate) use table::{KEYS, Key};

/// With a shorter grace period, `jig gc` could remove blobs of a change before its commit, which may take up to half of
/// this time.
const LEAST_GC_GRACE_MINUTES: u64 = 15;

/// All settings, validated.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) home: PathBuf,
    pub(crate) workbench: Option<String>,
    pub(crate) database: Option<String>,
    pub(crate) blobs: Option<String>,
    pub(crate) blobs_options: Vec<(String, String)>,
    pub(crate) view: bool,
    pub(crate) limits: Limits,
    pub(crate) gc_grace_minutes: u64,
    pub(crate) workbench_wait_seconds: u64,
    pub(crate) recipe_session_days: u64,
    pub(crate) asset_hours: u64,
    pub(crate) legacy_tools: bool,
    pub(crate) jobs_at_once: u64,
    pub(crate) job_lease_seconds: u64,
    pub(crate) file_work: FileWorkPlace,
    pub(crate) worker: Worker,
    pub(crate) renderer: Renderer,
    pub(crate) tables: QueryLimits,
    /// The SQL engine, if a setting names one.
    pub(crate) tables_engine: Option<PathBuf>,
    pub(crate) allow_outside_formulas: bool,
    pub(crate) models: ModelConfig,
    pub(crate) mcp_servers: BTreeMap<String, McpServer>,
    pub(crate) rpc_max_message_bytes: u64,
    pub(crate) mcp_ask_publish: bool,
    pub(crate) serve: Serve,
    pub(crate) color: ColorChoice,
    /// Each setting for display, with secrets hidden.
    pub(crate) shown: Vec<SettingRow>,
}

/// The default location of the SQL engine: next to this executable.
pub(crate) fn sql_engine_beside() -> PathBuf {
    jig_worker::sql_program_beside(&std::env::current_exe().unwrap_or_default())
}

/// Whether an executable is in a cargo build folder, recognised by the tag that cargo leaves for backup programs.
pub(crate) fn is_built_from_source(executable: &Path) -> bool {
    executable.ancestors().skip(1).any(|folder| folder.join("CACHEDIR.TAG").is_file())
}

/// Where files are read and edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileWorkPlace {
    /// In confined processes. A server that others can reach does not start if the system cannot confine them.
    Worker,
    /// In processes that are confined as far as the system can, which the owner has accepted may be not at all.
    Unconfined,
    /// In this process.
    InProcess,
}

/// Limits of worker processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Worker {
    pub(crate) count: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) seconds: u64,
}

/// A setting, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingRow {
    pub(crate) key: String,
    pub(crate) value: Option<String>,
    pub(crate) source: String,
}

/// How long the process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// For one command.
    Short,
    /// For any number of calls from a program or an agent.
    Long,
}

impl Settings {
    /// The configuration of the workbench.
    pub(crate) fn config(&self, stay: Stay) -> Config {
        let minutes = i64::try_from(self.gc_grace_minutes.max(LEAST_GC_GRACE_MINUTES)).unwrap_or(i64::MAX);
        let days = i64::try_from(self.recipe_session_days).unwrap_or(i64::MAX);
        Config {
            database: self.database.clone(),
            blobs: self.blobs.clone(),
            blob_options: self.blobs_options.clone(),
            view: self.view,
            watch: stay == Stay::Long,
            lock_wait: Duration::from_secs(self.workbench_wait_seconds),
            limits: self.limits,
            isolation: self.isolation(),
            renderer: self.renderer.clone(),
            allow_outside_formulas: self.allow_outside_formulas,
            sql_engine: self.sql_engine(),
            tables: self.tables,
            models: self.models.clone(),
            mcp_servers: self.mcp_servers.clone(),
            gc_grace_ms: minutes.saturating_mul(60_000),
            recipe_session_ms: (days > 0).then(|| days.saturating_mul(24 * 3_600_000)),
            asset_ttl_ms: i64::try_from(self.asset_hours).unwrap_or(i64::MAX).saturating_mul(3_600_000),
            legacy_tools: self.legacy_tools,
            jobs_at_once: usize::try_from(self.jobs_at_once).unwrap_or(usize::MAX),
            job_lease_ms: u32::try_from(self.job_lease_seconds.saturating_mul(1_000)).unwrap_or(u32::MAX),
            ..Config::new(&self.home)
        }
    }

    /// The executable of the SQL engine: the configured one, or the one next to this program.
    pub(crate) fn sql_engine(&self) -> PathBuf {
        self.tables_engine.clone().unwrap_or_else(sql_engine_beside)
    }

    /// Workers run this same executable. If its path is unknown, files are processed in this process.
    fn isolation(&self) -> Option<Isolation> {
        let program = std::env::current_exe().ok().filter(|_| self.file_work != FileWorkPlace::InProcess)?;
        Some(Isolation {
            program,
            workers: usize::try_from(self.worker.count).unwrap_or(usize::MAX),
            memory_bytes: self.worker.memory_bytes,
            cpu_seconds: self.worker.cpu_seconds,
            seconds: self.worker.seconds,
        })
    }

    /// The settings for `jig settings --json`.
    pub(crate) fn to_json(&self) -> Value {
        let one = |shown: &SettingRow| json!({ "key": shown.key, "value": shown.value, "source": shown.source });
        json!({ "settings": self.shown.iter().map(one).collect::<Vec<_>>() })
    }
}
