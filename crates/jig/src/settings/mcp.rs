//! Settings of external MCP servers: `[mcp_servers.NAME]` in `jig.toml`, and nowhere else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jig_contract::{Code, OpError};
use jig_workbench::{McpServer, McpTool, McpWay, Secret};

use super::resolve::Sources;
use super::{SettingRow, size};
use crate::environment::Environment;

/// The table of servers.
pub(super) const SERVERS: &str = "mcp_servers";

/// The keys of a server.
const MEMBERS: [&str; 10] = [
    "args",
    "bearer_env",
    "command",
    "env",
    "pass_env",
    "read_only",
    "result_bytes",
    "timeout_seconds",
    "tools",
    "url",
];

/// Variables that every program needs. They never contain keys.
const PLAIN: [&str; 7] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "TZ"];

const SECONDS: std::ops::RangeInclusive<i64> = 1..=3_600;
const SECONDS_DEFAULT: i64 = 60;
const RESULT_DEFAULT: &str = "4MiB";
const RESULT_MAX: u64 = 64 << 20;
/// The maximum length of a tool name that agents see.
const NAME_MAX: usize = 64;

impl Sources<'_> {
    /// The servers of the nearest file that defines any, with their display form.
    pub(super) fn mcp_servers(&self, home: &Path) -> Result<(BTreeMap<String, McpServer>, Vec<SettingRow>), OpError> {
        let Some(file) = self.files.iter().find(|file| !file.mcp_servers.is_empty()) else {
            return Ok(Default::default());
        };
        let (mut servers, mut shown) = (BTreeMap::new(), Vec::new());
        for (name, table) in &file.mcp_servers {
            let reading = Reading { file: &file.path, name, table, environment: self.environment };
            let server = reading.server(home)?;
            shown.push(SettingRow {
                key: format!("{SERVERS}.{name}"),
                value: Some(summary(&server)),
                source: file.path.display().to_string(),
            });
            servers.insert(name.clone(), server);
        }
        Ok((servers, shown))
    }
}

fn summary(server: &McpServer) -> String {
    let tools: Vec<&str> = server.tools.keys().map(String::as_str).collect();
    let way = match &server.way {
        McpWay::Program { program, arguments, .. } => {
            let words: Vec<String> =
                [program.display().to_string()].into_iter().chain(arguments.iter().cloned()).collect();
            words.join(" ")
        }
        McpWay::Address { url, .. } => url.clone(),
    };
    format!("{way} ({})", tools.join(", "))
}

/// A server while it is being parsed.
struct Reading<'a> {
    file: &'a Path,
    name: &'a str,
    table: &'a toml::Table,
    environment: &'a Environment,
}

impl Reading<'_> {
    fn server(&self, home: &Path) -> Result<McpServer, OpError> {
        if !is_server_name(self.name) {
            return Err(self.wrong("", "has an invalid name: use 1 to 32 of a-z, 0-9 and -"));
        }
        if let Some(strange) = self.table.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
            let near = jig_surfaces::nearest(strange, MEMBERS);
            return Err(self.wrong(strange, "is not known").suggest(near));
        }
        let mut missing = Vec::new();
        let way = match (self.text("command")?, self.text("url")?) {
            (Some(command), None) => self.program(&command, home, &mut missing)?,
            (None, Some(url)) => self.address(url, &mut missing)?,
            _ => return Err(self.wrong("", "must have either `command` or `url`")),
        };
        let seconds = self.table.get("timeout_seconds").map_or(Some(SECONDS_DEFAULT), toml::Value::as_integer);
        let seconds = seconds.filter(|seconds| SECONDS.contains(seconds));
        let seconds = seconds.ok_or_else(|| self.wrong("timeout_seconds", "must be a number from 1 to 3600"))?;
        let bytes = match self.table.get("result_bytes") {
            None => size::parse(RESULT_DEFAULT),
            Some(value) => value.as_str().map_or_else(|| value.as_integer()?.try_into().ok(), size::parse),
        };
        let bytes = bytes.filter(|bytes| (1..=RESULT_MAX).contains(bytes));
        Ok(McpServer {
            way,
            tools: self.tools()?,
            timeout: Duration::from_secs(seconds.unsigned_abs()),
            result_bytes: bytes.ok_or_else(|| self.wrong("result_bytes", "must be a size up to 64MiB"))?,
            why_not: (!missing.is_empty()).then(|| format!("the variable {} is not set", missing.join(", "))),
        })
    }

    fn program(&self, command: &str, home: &Path, missing: &mut Vec<String>) -> Result<McpWay, OpError> {
        if self.table.contains_key("bearer_env") {
            return Err(self.wrong("bearer_env", "is for servers with a `url`"));
        }
        // A bare name is searched in `PATH`; a path is relative to the file's folder.
        let program = if command.contains(std::path::MAIN_SEPARATOR) {
            self.file.parent().unwrap_or(Path::new("")).join(command)
        } else {
            PathBuf::from(command)
        };
        let mut environment: BTreeMap<String, Secret> = BTreeMap::new();
        for name in PLAIN {
            if let Some(value) = self.environment.get(name) {
                environment.insert(name.to_owned(), Secret::new(value));
            }
        }
        for name in self.list("pass_env")? {
            match self.environment.get(&name) {
                Some(value) => drop(environment.insert(name, Secret::new(value))),
                None => missing.push(name),
            }
        }
        if let Some(own) = self.table.get("env") {
            let own = own.as_table().ok_or_else(|| self.wrong("env", "must be a table of texts"))?;
            for (name, value) in own {
                let text =
                    value.as_str().ok_or_else(|| self.wrong("env", &format!("has `{name}`, which is not a text")))?;
                environment.insert(name.clone(), Secret::new(text));
            }
        }
        Ok(McpWay::Program {
            program,
            arguments: self.list("args")?,
            environment: environment.into_iter().collect(),
            folder: home.join("mcp").join(self.name),
        })
    }

    fn address(&self, url: String, missing: &mut Vec<String>) -> Result<McpWay, OpError> {
        if let Some(other) = ["args", "env", "pass_env"].into_iter().find(|key| self.table.contains_key(*key)) {
            return Err(self.wrong(other, "is for servers with a `command`"));
        }
        let named = self.text("bearer_env")?;
        let bearer = named.as_ref().and_then(|name| self.environment.get(name)).map(Secret::new);
        if bearer.is_none() {
            missing.extend(named);
        }
        let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .into_iter()
            .any(|start| url.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])));
        if !url.starts_with("https://") && !local {
            return Err(self.wrong("url", "must start with https://, or http:// for a server on this machine"));
        }
        if url.contains('@') || url.contains('#') || url.chars().any(|c| c.is_control() || c == ' ') {
            return Err(self.wrong("url", "must be a plain URL; put credentials into `bearer_env`"));
        }
        Ok(McpWay::Address { url, bearer })
    }

    /// Parses `"tool"`, or `"name=tool"` if agents see another name.
    fn tools(&self) -> Result<BTreeMap<String, McpTool>, OpError> {
        let reads = self.list("read_only")?;
        let mut tools = BTreeMap::new();
        for text in self.list("tools")? {
            let (name, tool) = text.split_once('=').map_or((text.as_str(), text.as_str()), |pair| pair);
            let whole = McpServer::tool_name(self.name, name);
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || tool.is_empty() || whole.len() > NAME_MAX || !whole.chars().all(fits) {
                let words = format!("has `{text}`, but `{whole}` is not a valid tool name for models");
                return Err(self
                    .wrong("tools", &words)
                    .hint("write `\"name=tool\"`, with a name of letters, digits, _ and -"));
            }
            let reads_only = reads.iter().any(|read| read == tool || read == name);
            let known = tools.insert(name.to_owned(), McpTool { name: tool.to_owned(), reads_only });
            if known.is_some() {
                return Err(self.wrong("tools", &format!("has `{name}` twice")));
            }
        }
        if tools.is_empty() {
            return Err(self.wrong("tools", "must list the tools that agents may use"));
        }
        if let Some(strange) =
            reads.iter().find(|read| !tools.iter().any(|(name, tool)| name == *read || tool.name == **read))
        {
            return Err(self.wrong("read_only", &format!("has `{strange}`, which is not in `tools`")));
        }
        Ok(tools)
    }

    fn text(&self, key: &str) -> Result<Option<String>, OpError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(|text| Some(text.to_owned())).ok_or_else(|| self.wrong(key, "must be a text"))
    }

    fn list(&self, key: &str) -> Result<Vec<String>, OpError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let texts = value.as_array().and_then(|list| list.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.wrong(key, "must be a list of texts"))
    }

    fn wrong(&self, key: &str, what: &str) -> OpError {
        let place = if key.is_empty() {
            format!("`{SERVERS}.{}`", self.name)
        } else {
            format!("`{SERVERS}.{}.{key}`", self.name)
        };
        OpError::new(Code::SettingsInvalid, format!("{}: {place} {what}", self.file.display()))
            .hint("docs/guide/agent.md describes MCP servers")
    }
}

fn is_server_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=32).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('-')
}
