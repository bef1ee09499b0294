//! The table of settings.

/// The expected form of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// Any text.
    Text,
    /// A model.
    Model,
    /// An executable, or a keyword instead.
    Program,
    /// A URL that may contain a password.
    Address,
    /// An address of this machine with a port.
    Place,
    /// IP addresses and ranges.
    Networks,
    /// `on` or `off`.
    Switch,
    /// A byte size, with or without a unit.
    Bytes,
    /// An integer.
    Count,
    /// One of these keywords.
    Choice(&'static [&'static str]),
}

impl Form {
    /// The description of the form in the reference page.
    pub(crate) fn description(self) -> String {
        match self {
            Self::Folder => "a folder".to_owned(),
            Self::File => "a file".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Model => "a model, as `provider:model`".to_owned(),
            Self::Program => "a program, `auto` or `off`".to_owned(),
            Self::Address => "an address".to_owned(),
            Self::Place => "an address and a port, such as `127.0.0.1:7357`".to_owned(),
            Self::Networks => {
                "IP addresses or CIDR ranges, separated by commas, such as `10.0.0.2, 10.1.0.0/16, 2001:db8::/32`"
                    .to_owned()
            }
            Self::Switch => "`on` or `off`".to_owned(),
            Self::Bytes => "a size in bytes, such as `25MiB`".to_owned(),
            Self::Count => "a whole number".to_owned(),
            Self::Choice(words) => words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "),
        }
    }
}

/// A setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// Its name in `jig.toml`, with dots between tables.
    pub(crate) name: &'static str,
    /// Its environment variable.
    pub(crate) variable: &'static str,
    /// Its command line flag, if it has one.
    pub(crate) flag: Option<&'static str>,
    /// The form of its value.
    pub(crate) form: Form,
    /// Its default, if that is a fixed text.
    pub(crate) default: Option<&'static str>,
    /// A description of the default, if it is not a fixed text.
    pub(crate) otherwise: &'static str,
    /// Whether the `jig.toml` of the current folder may set it. Someone else may have written that file, so this
    /// excludes settings that can send content anywhere, start a program, move data or weaken a protection.
    pub(crate) in_project: bool,
    /// Its description.
    pub(crate) doc: &'static str,
}

impl Key {
    /// Allows this setting in the `jig.toml` of the current folder.
    const fn in_project(self) -> Self {
        Self { in_project: true, ..self }
    }
}

const fn key(name: &'static str, variable: &'static str, form: Form, default: &'static str, doc: &'static str) -> Key {
    Key { name, variable, flag: None, form, default: Some(default), otherwise: "", in_project: false, doc }
}

const fn unset(
    name: &'static str,
    variable: &'static str,
    form: Form,
    otherwise: &'static str,
    doc: &'static str,
) -> Key {
    Key { name, variable, flag: None, form, default: None, otherwise, in_project: false, doc }
}

/// The environment variable for blob store options: `name=value,name=value`.
pub(crate) const BLOBS_OPTIONS_VARIABLE: &str = "JIG_BLOBS_OPTIONS";

/// The environment variable for provider URLs: `id=address,id=address`.
pub(crate) const PROVIDERS_VARIABLE: &str = "JIG_PROVIDERS";

/// All settings, in the order of the reference page.
pub(crate) static KEYS: &[Key] = &[
    Key {
        flag: Some("--home"),
        ..unset(
            "home",
            "JIG_HOME",
            Form::Folder,
            "`$XDG_DATA_HOME/jig`, or `~/.local/share/jig`",
            "The folder for the database, the blobs and the workbenches' folders",
        )
    },
    Key {
        flag: Some("--workbench"),
        ..unset(
            "workbench",
            "JIG_WORKBENCH",
            Form::Text,
            "the one chosen by `jig new` or `jig use`",
            "The workbench for commands that name none",
        )
        .in_project()
    },
    Key {
        flag: Some("--database"),
        ..unset(
            "database",
            "JIG_DATABASE",
            Form::Address,
            "SQLite in the home folder",
            "A PostgreSQL database, such as `postgres://user:password@host/name`; the flag belongs to `jig serve`",
        )
    },
    Key {
        flag: Some("--blobs"),
        ..unset(
            "blobs",
            "JIG_BLOBS",
            Form::Address,
            "a folder in the home folder",
            "A bucket for the blobs, such as `s3://bucket/prefix`; the flag belongs to `jig serve`",
        )
    },
    key(
        "view",
        "JIG_VIEW",
        Form::Switch,
        "on",
        "Whether each workbench has a folder of plain files; off by default if `database` is set",
    ),
    key(
        "workbench_wait_seconds",
        "JIG_WORKBENCH_WAIT_SECONDS",
        Form::Count,
        "60",
        "How long a change waits while another operation uses the same workbench",
    ),
    key("limits.file_bytes", "JIG_LIMITS_FILE_BYTES", Form::Bytes, "25MiB", "The maximum size of a file").in_project(),
    key("limits.table_bytes", "JIG_LIMITS_TABLE_BYTES", Form::Bytes, "2GiB", "The maximum size of a csv or tsv file")
        .in_project(),
    key("limits.files", "JIG_LIMITS_FILES", Form::Count, "1000", "The maximum number of files in a workbench")
        .in_project(),
    key("limits.asset_bytes", "JIG_LIMITS_ASSET_BYTES", Form::Bytes, "25MiB", "The maximum size of an asset")
        .in_project(),
    key(
        "assets.expire_hours",
        "JIG_ASSETS_EXPIRE_HOURS",
        Form::Count,
        "168",
        "How long an asset is stored that no field refers to, in hours",
    ),
    key(
        "agent.legacy_tools",
        "JIG_AGENT_LEGACY_TOOLS",
        Form::Switch,
        "on",
        "Whether to search an agent workspace without agent.workspace.json for tools/*.json",
    ),
    key("jobs.at_once", "JIG_JOBS_AT_ONCE", Form::Count, "4", "How many jobs `jig serve` runs at the same time"),
    key(
        "jobs.lease_seconds",
        "JIG_JOBS_LEASE_SECONDS",
        Form::Count,
        "60",
        "How long a server that runs a job may be silent before another server takes the job over",
    ),
    key(
        "gc.grace_minutes",
        "JIG_GC_GRACE_MINUTES",
        Form::Count,
        "60",
        "The minimum age of an unused blob that `jig gc` removes; at least 15, so that running changes lose no blob",
    ),
    key(
        "gc.recipe_session_days",
        "JIG_GC_RECIPE_SESSION_DAYS",
        Form::Count,
        "30",
        "After how many days `jig gc` removes the session of a recipe run that no output refers to; 0 keeps it",
    ),
    key(
        "isolation",
        "JIG_ISOLATION",
        Form::Choice(&["worker", "unconfined", "in-process"]),
        "worker",
        "Where files are read and edited: in confined processes (`worker`), in processes that may be unconfined, or in the main process",
    ),
    key("worker.count", "JIG_WORKER_COUNT", Form::Count, "2", "The number of workers that run at the same time"),
    key("worker.memory", "JIG_WORKER_MEMORY", Form::Bytes, "1GiB", "The memory limit of a worker"),
    key(
        "worker.cpu_seconds",
        "JIG_WORKER_CPU_SECONDS",
        Form::Count,
        "30",
        "The processor time limit of one call in a worker, in seconds",
    ),
    key(
        "worker.seconds",
        "JIG_WORKER_SECONDS",
        Form::Count,
        "60",
        "The time limit of one call in a worker, in seconds",
    ),
    key(
        "preview.renderer",
        "JIG_PREVIEW_RENDERER",
        Form::Program,
        "auto",
        "The LibreOffice executable for previews of Office files; `auto` searches for it, `off` disables it",
    ),
    key(
        "preview.seconds",
        "JIG_PREVIEW_SECONDS",
        Form::Count,
        "60",
        "The time limit of one conversion for a preview, in seconds",
    ),
    key(
        "preview.memory",
        "JIG_PREVIEW_MEMORY",
        Form::Bytes,
        "8GiB",
        "The address space limit of one conversion; most of it is never used",
    ),
    unset(
        "tables.engine",
        "JIG_TABLES_ENGINE",
        Form::File,
        "`jig-sql` next to `jig`",
        "The executable of the SQL engine",
    ),
    key(
        "tables.timeout_ms",
        "JIG_TABLES_TIMEOUT_MS",
        Form::Count,
        "5000",
        "The time limit of a query on tables, in milliseconds (100 to 600000)",
    ),
    key(
        "tables.memory_mb",
        "JIG_TABLES_MEMORY_MB",
        Form::Count,
        "512",
        "The memory limit of a query on tables, in megabytes (64 to 65536)",
    ),
    key("tables.threads", "JIG_TABLES_THREADS", Form::Count, "2", "The threads of a query on tables (1 to 64)"),
    key(
        "formulas.allow_outside",
        "JIG_FORMULAS_ALLOW_OUTSIDE",
        Form::Switch,
        "off",
        "Whether new formulas may access data outside their workbook (WEBSERVICE, links to other files and so on)",
    ),
    unset(
        "model",
        "JIG_MODEL",
        Form::Model,
        "none",
        "The default model, if neither the call nor the workbench specifies one",
    ),
    unset(
        "models_file",
        "JIG_MODELS_FILE",
        Form::File,
        "`models.toml` in the home folder, if it exists",
        "Your own providers and models, in addition to the built-in ones",
    ),
    unset(
        "secrets_file",
        "JIG_SECRETS_FILE",
        Form::File,
        "`secrets.toml` in the home folder, if it exists",
        "API keys, as `provider = \"key\"`; readable only by you (`chmod 600`)",
    ),
    unset(
        "scripts",
        "JIG_SCRIPTS",
        Form::Folder,
        "none",
        "A folder with scripted models for tests: `name.json` is the model `scripted:name`",
    ),
    key(
        "rpc.max_message_bytes",
        "JIG_RPC_MAX_MESSAGE_BYTES",
        Form::Bytes,
        "10MiB",
        "The maximum size of a message that `jig rpc` reads",
    ),
    key(
        "mcp.publish",
        "JIG_MCP_PUBLISH",
        Form::Choice(&["off", "ask"]),
        "off",
        "Whether agents may ask you to publish through their client; otherwise you publish elsewhere",
    ),
    key(
        "mcp.allow_publish",
        "JIG_MCP_ALLOW_PUBLISH",
        Form::Switch,
        "off",
        "The previous name of `mcp.publish`: `true` means `ask`",
    ),
    Key {
        flag: Some("--bind"),
        ..key(
            "serve.bind",
            "JIG_SERVE_BIND",
            Form::Place,
            "127.0.0.1:7357",
            "Where `jig serve` listens; port 0 picks a free port. An address other than loopback requires a token",
        )
    },
    unset(
        "serve.hosts",
        "JIG_SERVE_HOSTS",
        Form::Text,
        "none",
        "Additional host names of the server, separated by commas, besides `localhost` and its address",
    ),
    unset(
        "serve.trusted_proxies",
        "JIG_SERVE_TRUSTED_PROXIES",
        Form::Networks,
        "none",
        "Proxies whose `X-Forwarded-For` header is trusted. If set, every request needs a token",
    ),
    key(
        "serve.open_loopback",
        "JIG_SERVE_OPEN_LOOPBACK",
        Form::Switch,
        "off",
        "Whether everyone on this machine has owner access without the start token, until a token is created",
    ),
    key(
        "serve.max_body_bytes",
        "JIG_SERVE_MAX_BODY_BYTES",
        Form::Bytes,
        "10MiB",
        "The maximum size of an HTTP request body",
    ),
    key(
        "serve.max_upload_bytes",
        "JIG_SERVE_MAX_UPLOAD_BYTES",
        Form::Bytes,
        "25MiB",
        "The maximum size of an uploaded asset or file",
    ),
    key(
        "serve.header_seconds",
        "JIG_SERVE_HEADER_SECONDS",
        Form::Count,
        "10",
        "The time limit for a client to send the headers of a request",
    ),
    key(
        "serve.body_seconds",
        "JIG_SERVE_BODY_SECONDS",
        Form::Count,
        "30",
        "The time limit for a client to send a body, and the longest pause while it reads the response; uploads get ten times as long",
    ),
    key(
        "serve.max_connections",
        "JIG_SERVE_MAX_CONNECTIONS",
        Form::Count,
        "1024",
        "The maximum number of open connections",
    ),
    key(
        "serve.at_once",
        "JIG_SERVE_AT_ONCE",
        Form::Count,
        "64",
        "The maximum number of concurrent operations over HTTP",
    ),
    key(
        "serve.calls_per_second",
        "JIG_SERVE_CALLS_PER_SECOND",
        Form::Count,
        "1000",
        "The rate limit per token, in calls per second, with bursts of twice as many; 0 for no limit",
    ),
    key(
        "serve.end_seconds",
        "JIG_SERVE_END_SECONDS",
        Form::Count,
        "30",
        "How long running operations may continue after the server is asked to stop",
    ),
    key(
        "serve.log",
        "JIG_SERVE_LOG",
        Form::Choice(&["json", "off"]),
        "json",
        "Whether to log each request as a line of JSON on standard error",
    ),
    Key {
        flag: Some("--color"),
        ..key("color", "JIG_COLOR", Form::Choice(&["auto", "always", "never"]), "auto", "When the output uses colours")
            .in_project()
    },
];
