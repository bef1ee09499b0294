//! What a workbench needs to know to start. The binary makes it from settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jig_providers::Secret;

use crate::models::ModelConfig;
pub use jig_worker::{Isolation, QueryLimits};

/// Where things are kept, and how much of them.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder for the database, the blobs and the views, unless set otherwise below.
    pub home: PathBuf,
    /// A database URL (`postgres://…`); none for SQLite in the home folder.
    pub database: Option<String>,
    /// A blob store URL (`s3://bucket/prefix`); none for a folder in the home folder.
    pub blobs: Option<String>,
    /// Options of the blob store: endpoint, region, keys.
    pub blob_options: Vec<(String, String)>,
    /// Whether each workbench has a folder of plain files.
    pub view: bool,
    /// Whether this process stays for more than one call. It then watches those folders, so that a call costs
    /// the same however many files there are; a process that ends at once looks at each file instead.
    pub watch: bool,
    /// How long an operation waits for the folder of plain files while others work in it.
    pub lock_wait: Duration,
    /// How much is taken in.
    pub limits: Limits,
    /// Where work on files is done; none for this process itself.
    pub isolation: Option<Isolation>,
    /// What turns Office files into pages.
    pub renderer: Renderer,
    /// Whether new formulas may reach outside their workbook.
    pub allow_outside_formulas: bool,
    /// The largest file that is read as a text, whole and in memory. Larger csv and tsv files are read by rows.
    pub text_bytes: u64,
    /// The executable of the SQL engine. It need not exist: then everything but SQL works.
    pub sql_engine: PathBuf,
    /// Limits of queries over tables.
    pub tables: QueryLimits,
    /// Which models can be called.
    pub models: ModelConfig,
    /// How old an unneeded blob must be before it is removed, in milliseconds.
    pub gc_grace_ms: i64,
    /// How long the session of a recipe's run is kept that no output names, in milliseconds; none for ever.
    pub recipe_session_ms: Option<i64>,
    /// How long an asset is kept that no field names, in milliseconds.
    pub asset_ttl_ms: i64,
    /// Whether an agent workspace without an index is looked through for `tools/*.json`.
    pub legacy_tools: bool,
    /// How many jobs are at work at the same time.
    pub jobs_at_once: usize,
    /// For how long a job is its worker's without a sign of life, in milliseconds. Then another takes it.
    pub job_lease_ms: u32,
    /// Outside MCP servers whose tools agents may be shown, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
}

impl Config {
    /// The defaults, in this home folder.
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

/// The office program that previews of Office files are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renderer {
    /// LibreOffice, where there is one.
    pub program: Option<PathBuf>,
    /// Why there is none, in words for a person.
    pub why_not: String,
    /// How long one conversion may take.
    pub seconds: u64,
    /// The memory of one conversion, in bytes of address space.
    pub memory_bytes: u64,
}

impl Default for Renderer {
    fn default() -> Self {
        let why_not = "no office program is set".to_owned();
        Self { program: None, why_not, seconds: 60, memory_bytes: 8 << 30 }
    }
}

/// How much a workbench takes in. Every refusal names the limit and its setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest file, in bytes (`limits.file_bytes`).
    pub file_bytes: u64,
    /// The largest csv or tsv file, in bytes (`limits.table_bytes`).
    pub table_bytes: u64,
    /// The most files in a workbench (`limits.files`).
    pub files: u64,
    /// The largest asset, in bytes (`limits.asset_bytes`).
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

/// An outside MCP server, and which of its tools stand behind names that agents see.
#[derive(Debug, Clone)]
pub struct McpServer {
    /// How it is spoken to.
    pub way: McpWay,
    /// Its tools, by what they are called behind the server's name.
    pub tools: BTreeMap<String, McpTool>,
    /// How long one call may take.
    pub timeout: Duration,
    /// The largest result, in bytes.
    pub result_bytes: u64,
    /// Why it cannot be used: something that the settings name is not there. Nothing else fails because of it.
    pub why_not: Option<String>,
}

/// A tool of an outside server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpTool {
    /// Its name there.
    pub name: String,
    /// Whether somebody says that it changes nothing: then it may be called in phases that only read, and again after a
    /// crash. What the server itself says of that does not count.
    pub reads_only: bool,
}

/// How an outside server is spoken to.
#[derive(Debug, Clone)]
pub enum McpWay {
    /// A program on this machine, over its standard input and output.
    Program {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
        /// Its whole environment.
        environment: Vec<(String, Secret)>,
        /// The folder it runs in; made where it is missing.
        folder: PathBuf,
    },
    /// An address, over streamable HTTP.
    Address {
        /// The address.
        url: String,
        /// What it is shown to be let in.
        bearer: Option<Secret>,
    },
}

impl McpServer {
    /// The name under which agents see a tool of a server.
    pub fn tool_name(server: &str, tool: &str) -> String {
        format!("{server}__{tool}")
    }

    /// The largest message that is read: a result may be in it twice, and written with escapes.
    pub(crate) fn wire_bytes(&self) -> usize {
        usize::try_from(self.result_bytes).unwrap_or(usize::MAX).saturating_mul(4).max(1 << 20)
    }
}
