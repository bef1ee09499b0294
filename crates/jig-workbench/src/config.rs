//! The configuration of a workbench. The binary builds it from the settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jig_providers::Secret;

use crate::models::ModelConfig;
pub use jig_worker::{Isolation, QueryLimits};

/// Storage locations, limits and features.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder for the database, blobs and views, unless configured otherwise below.
    pub home: PathBuf,
    /// A database URL (`postgres://…`); `None` for SQLite in the home folder.
    pub database: Option<String>,
    /// A blob store URL (`s3://bucket/prefix`); `None` for a folder in the home folder.
    pub blobs: Option<String>,
    /// Blob store options: endpoint, region, keys.
    pub blob_options: Vec<(String, String)>,
    /// Whether each workbench has a folder of plain files.
    pub view: bool,
    /// Whether this process serves more than one call. It then watches the folders, so that the cost of a call does not
    /// depend on the number of files; a short-lived process scans all files instead.
    pub watch: bool,
    /// How long an operation waits for the folder of plain files while another one uses it.
    pub lock_wait: Duration,
    /// Size limits.
    pub limits: Limits,
    /// Where files are processed; `None` for this process.
    pub isolation: Option<Isolation>,
    /// The renderer for pages of Office files.
    pub renderer: Renderer,
    /// Whether new formulas may refer outside their workbook.
    pub allow_outside_formulas: bool,
    /// The maximum size of a file that is read into memory as text. Larger CSV and TSV files are read by row.
    pub text_bytes: u64,
    /// The executable of the SQL engine. It may be missing; then everything except SQL works.
    pub sql_engine: PathBuf,
    /// Limits of SQL queries.
    pub tables: QueryLimits,
    /// The available models.
    pub models: ModelConfig,
    /// The minimum age of an unreferenced blob before it is removed, in milliseconds.
    pub gc_grace_ms: i64,
    /// How long the session of a recipe run is retained if no output refers to it, in milliseconds; `None` for ever.
    pub recipe_session_ms: Option<i64>,
    /// How long an asset is retained if no field refers to it, in milliseconds.
    pub asset_ttl_ms: i64,
    /// Whether an agent workspace without an index is scanned for `tools/*.json`.
    pub legacy_tools: bool,
    /// The number of jobs that run concurrently.
    pub jobs_at_once: usize,
    /// The lease of a job, in milliseconds. A worker that does not renew it loses the job to another.
    pub job_lease_ms: u32,
    /// External MCP servers whose tools agents may use, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
}

impl Config {
    /// The default configuration for a home folder.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self {
            home: home.into(),
            database: None,
            blobs: None,
            blob_options: Vec::new(),
            view: true,
            watch: true,
            lock_wait: Duration::from_secs(60),
            limits: Limits::default(),
            isolation: None,
            renderer: Renderer::default(),
            allow_outside_formulas: false,
            text_bytes: 256 << 20,
            sql_engine: jig_worker::sql_program_beside(&std::env::current_exe().unwrap_or_default()),
            tables: QueryLimits::default(),
            models: ModelConfig::default(),
            gc_grace_ms: 60 * 60 * 1_000,
            recipe_session_ms: Some(30 * 24 * 60 * 60 * 1_000),
            asset_ttl_ms: jig_store::ASSET_TTL_MS,
            legacy_tools: true,
            jobs_at_once: 4,
            job_lease_ms: 60_000,
            mcp_servers: BTreeMap::new(),
        }
    }
}

/// The office program that renders previews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renderer {
    /// The path of LibreOffice, if it is installed.
    pub program: Option<PathBuf>,
    /// Why no office program is available, for people.
    pub why_not: String,
    /// The time limit of a conversion.
    pub seconds: u64,
    /// The memory limit of a conversion, in bytes of address space.
    pub memory_bytes: u64,
}

impl Default for Renderer {
    fn default() -> Self {
        let why_not = "no office program is set".to_owned();
        Self { program: None, why_not, seconds: 60, memory_bytes: 8 << 30 }
    }
}

/// Size limits. Each error names the limit and its setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a file, in bytes (`limits.file_bytes`).
    pub file_bytes: u64,
    /// The maximum size of a CSV or TSV file, in bytes (`limits.table_bytes`).
    pub table_bytes: u64,
    /// The maximum number of files in a workbench (`limits.files`).
    pub files: u64,
    /// The maximum size of an asset, in bytes (`limits.asset_bytes`).
    pub asset_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 25 << 20, table_bytes: 2 << 30, files: 1_000, asset_bytes: 25 << 20 }
    }
}

impl Limits {
    /// The limit for a file with this extension, and the name of its setting.
    pub(crate) fn for_extension(&self, extension: &str) -> (u64, &'static str) {
        match extension {
            "csv" | "tsv" => (self.table_bytes, "limits.table_bytes"),
            _ => (self.file_bytes, "limits.file_bytes"),
        }
    }
}

/// An external MCP server and the tools that agents may use.
#[derive(Debug, Clone)]
pub struct McpServer {
    /// Its transport.
    pub way: McpWay,
    /// Its tools, by their name after the server prefix.
    pub tools: BTreeMap<String, McpTool>,
    /// The time limit of a call.
    pub timeout: Duration,
    /// The maximum size of a result, in bytes.
    pub result_bytes: u64,
    /// Why it is unavailable, such as a missing variable. Only its own tools are affected.
    pub why_not: Option<String>,
}

/// A tool of an external MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpTool {
    /// The tool's name on the server.
    pub name: String,
    /// Whether the settings declare it read-only: it may then be called in read-only phases, and again after a crash.
    /// Annotations of the server itself are ignored.
    pub reads_only: bool,
}

/// The transport of an external MCP server.
#[derive(Debug, Clone)]
pub enum McpWay {
    /// A local program, over standard input and output.
    Program {
        /// The executable.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
        /// Its complete environment.
        environment: Vec<(String, Secret)>,
        /// Its working directory, created if missing.
        folder: PathBuf,
    },
    /// A remote server, over streamable HTTP.
    Address {
        /// The URL.
        url: String,
        /// The bearer token.
        bearer: Option<Secret>,
    },
}

impl McpServer {
    /// The name of a server's tool for agents.
    pub fn tool_name(server: &str, tool: &str) -> String {
        format!("{server}__{tool}")
    }

    /// The maximum size of a message: it may contain the result twice, and escaped.
    pub(crate) fn wire_bytes(&self) -> usize {
        usize::try_from(self.result_bytes).unwrap_or(usize::MAX).saturating_mul(4).max(1 << 20)
    }
}
