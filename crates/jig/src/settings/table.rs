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
    pub(crate) fn words(self) -> String {
        match self {
            Self::Folder => "a folder".to_owned(),
            Self::File => "a file".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Model => "a model, as `provider:model`".to_owned(),
            Self::Program => "a program, `auto` or `off`".to_owned(),
            Self::Address => "an address".to_owned(),
            Self::Place => "an address and a port, as `127.0.0.1:7357`".to_owned(),
            Self::Networks => {
                "IP addresses or CIDR ranges with commas between, as `10.0.0.2, 10.1.0.0/16, 2001:db8::/32`".to_owned()
            }
            Self::Switch => "`on` or `off`".to_owned(),
            Self::Bytes => "bytes, as `25MiB`".to_owned(),
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
            "the one that `jig new` or `jig use` chose",
            "The workbench that is meant when a command names none",
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
            "A PostgreSQL database, as `postgres://user:password@host/name`; the flag is one of `jig serve`",
        )
    },
    Key {
        flag: Some("--blobs"),
        ..unset(
            "blobs",
            "JIG_BLOBS",
            Form::Address,
            "a folder in the home folder",
            "A bucket for the blobs, as `s3://bucket/prefix`; the flag is one of `jig serve`",
        )
    },
    key(
        "view",
        "JIG_VIEW",
        Form::Switch,
        "on",
        "Whether each workbench has a folder of plain files; off unless set where `database` is",
    ),
    key(
        "workbench_wait_seconds",
        "JIG_WORKBENCH_WAIT_SECONDS",
        Form::Count,
        "60",
        "How long a change waits while another operation works in the same workbench",
    ),
    key("limits.file_bytes", "JIG_LIMITS_FILE_BYTES", Form::Bytes, "25MiB", "The largest file").in_project(),
    key("limits.table_bytes", "JIG_LIMITS_TABLE_BYTES", Form::Bytes, "2GiB", "The largest csv or tsv file")
        .in_project(),
    key("limits.files", "JIG_LIMITS_FILES", Form::Count, "1000", "The most files in a workbench").in_project(),
    key("limits.asset_bytes", "JIG_LIMITS_ASSET_BYTES", Form::Bytes, "25MiB", "The largest asset").in_project(),
    key(
        "assets.expire_hours",
        "JIG_ASSETS_EXPIRE_HOURS",
        Form::Count,
        "168",
        "How long an asset is kept that no field names, in hours",
    ),
    key(
        "agent.legacy_tools",
        "JIG_AGENT_LEGACY_TOOLS",
        Form::Switch,
        "on",
        "Whether an agent workspace without agent.workspace.json is looked through for tools/*.json",
    ),
    key("jobs.at_once", "JIG_JOBS_AT_ONCE", Form::Count, "4", "How many jobs `jig serve` does at the same time"),
    key(
        "jobs.lease_seconds",
        "JIG_JOBS_LEASE_SECONDS",
        Form::Count,
        "60",
        "How long a server that does a job may be silent before another one takes the job over",
    ),
    key(
        "gc.grace_minutes",
        "JIG_GC_GRACE_MINUTES",
        Form::Count,
        "60",
        "How old an unneeded blob must be before `jig gc` removes it; at least 15, so that no running change loses one",
    ),
    key(
        "gc.recipe_session_days",
        "JIG_GC_RECIPE_SESSION_DAYS",
        Form::Count,
        "30",
        "After how many days `jig gc` removes the session of a recipe's run that no output names; 0 keeps it",
    ),
    key(
        "isolation",
        "JIG_ISOLATION",
        Form::Choice(&["worker", "unconfined", "in-process"]),
        "worker",
        "Where files are read and edited: in confined processes, in processes that the system need not confine, or in this one",
    ),
    key("worker.count", "JIG_WORKER_COUNT", Form::Count, "2", "How many workers run at the same time"),
    key("worker.memory", "JIG_WORKER_MEMORY", Form::Bytes, "1GiB", "The memory of a worker"),
    key(
        "worker.cpu_seconds",
        "JIG_WORKER_CPU_SECONDS",
        Form::Count,
        "30",
        "The processor time of one call in a worker",
    ),
    key("worker.seconds", "JIG_WORKER_SECONDS", Form::Count, "60", "How long one call in a worker may take"),
    key(
        "preview.renderer",
        "JIG_PREVIEW_RENDERER",
        Form::Program,
        "auto",
        "LibreOffice, for previews of Office files: its program, `auto` to look for it, `off` to do without",
    ),
    key("preview.seconds", "JIG_PREVIEW_SECONDS", Form::Count, "60", "How long one conversion for a preview may take"),
    key(
        "preview.memory",
        "JIG_PREVIEW_MEMORY",
        Form::Bytes,
        "8GiB",
        "The address space of one conversion, most of which is never used",
    ),
    unset(
        "tables.engine",
        "JIG_TABLES_ENGINE",
        Form::File,
        "`jig-sql` beside `jig`",
        "The executable of the SQL engine",
    ),
    key(
        "tables.timeout_ms",
        "JIG_TABLES_TIMEOUT_MS",
        Form::Count,
        "5000",
        "How long a query over tables may take, in milliseconds (100 to 600000)",
    ),
    key(
        "tables.memory_mb",
        "JIG_TABLES_MEMORY_MB",
        Form::Count,
        "512",
        "The memory of a query over tables, in megabytes (64 to 65536)",
    ),
    key("tables.threads", "JIG_TABLES_THREADS", Form::Count, "2", "The threads of a query over tables (1 to 64)"),
    key(
        "formulas.allow_outside",
        "JIG_FORMULAS_ALLOW_OUTSIDE",
        Form::Switch,
        "off",
        "Whether new formulas may reach outside their workbook (WEBSERVICE, links to other files and the like)",
    ),
    unset(
        "model",
        "JIG_MODEL",
        Form::Model,
        "none",
        "The model that is used when neither a call nor the workbench names one",
    ),
    unset(
        "models_file",
        "JIG_MODELS_FILE",
        Form::File,
        "`models.toml` in the home folder, where there is one",
        "Your own providers and models, on top of those that Jig knows",
    ),
    unset(
        "secrets_file",
        "JIG_SECRETS_FILE",
        Form::File,
        "`secrets.toml` in the home folder, where there is one",
        "Keys of providers, as `provider = \"key\"`; only you may read it (`chmod 600`)",
    ),
    unset(
        "scripts",
        "JIG_SCRIPTS",
        Form::Folder,
        "none",
        "A folder of scripts for tests: `name.json` in it is the model `scripted:name`",
    ),
    key(
        "rpc.max_message_bytes",
        "JIG_RPC_MAX_MESSAGE_BYTES",
        Form::Bytes,
        "10MiB",
        "The largest message that `jig rpc` reads",
    ),
    key(
        "mcp.publish",
        "JIG_MCP_PUBLISH",
        Form::Choice(&["off", "ask"]),
        "off",
        "Whether agents may ask the person at their client to publish; otherwise a person publishes elsewhere",
    ),
    key(
        "mcp.allow_publish",
        "JIG_MCP_ALLOW_PUBLISH",
        Form::Switch,
        "off",
        "The earlier name of `mcp.publish`: `true` means `ask`",
    ),
    Key {
        flag: Some("--bind"),
        ..key(
            "serve.bind",
            "JIG_SERVE_BIND",
            Form::Place,
            "127.0.0.1:7357",
            "Where `jig serve` listens; port 0 takes a free one. Another address than this machine's own needs a token",
        )
    },
    unset(
        "serve.hosts",
        "JIG_SERVE_HOSTS",
        Form::Text,
        "none",
        "Names under which the server is called, with commas between, beside `localhost` and its address",
    ),
    unset(
        "serve.trusted_proxies",
        "JIG_SERVE_TRUSTED_PROXIES",
        Form::Networks,
        "none",
        "Proxies whose `X-Forwarded-For` is believed. With any set, every request needs a token",
    ),
    key(
        "serve.open_loopback",
        "JIG_SERVE_OPEN_LOOPBACK",
        Form::Switch,
        "off",
        "Whether everybody on this machine is the owner without the start token, until there is a token",
    ),
    key(
        "serve.max_body_bytes",
        "JIG_SERVE_MAX_BODY_BYTES",
        Form::Bytes,
        "10MiB",
        "The largest body of a call over HTTP",
    ),
    key(
        "serve.max_upload_bytes",
        "JIG_SERVE_MAX_UPLOAD_BYTES",
        Form::Bytes,
        "25MiB",
        "The largest asset or file over HTTP",
    ),
    key(
        "serve.header_seconds",
        "JIG_SERVE_HEADER_SECONDS",
        Form::Count,
        "10",
        "How long a client may take to send the head of a request",
    ),
    key(
        "serve.body_seconds",
        "JIG_SERVE_BODY_SECONDS",
        Form::Count,
        "30",
        "How long a client may take to send a body, and how long it may read nothing of the answer; an upload has ten times as long",
    ),
    key(
        "serve.max_connections",
        "JIG_SERVE_MAX_CONNECTIONS",
        Form::Count,
        "1024",
        "How many connections are open at once",
    ),
    key("serve.at_once", "JIG_SERVE_AT_ONCE", Form::Count, "64", "How many operations run at once over HTTP"),
    key(
        "serve.calls_per_second",
        "JIG_SERVE_CALLS_PER_SECOND",
        Form::Count,
        "1000",
        "How many calls a token has a second, with twice as many in a burst; 0 for no limit",
    ),
    key(
        "serve.end_seconds",
        "JIG_SERVE_END_SECONDS",
        Form::Count,
        "30",
        "How long running operations may go on once the server is asked to end",
    ),
    key(
        "serve.log",
        "JIG_SERVE_LOG",
        Form::Choice(&["json", "off"]),
        "json",
        "One line of JSON for each request on standard error, or none",
    ),
    Key {
        flag: Some("--color"),
        ..key(
            "color",
            "JIG_COLOR",
            Form::Choice(&["auto", "always", "never"]),
            "auto",
            "Whether the output has colours",
        )
        .in_project()
    },
];
