//! Parses `jig.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};
use jig_surfaces::nearest;

use super::mcp::SERVERS;
use super::table::KEYS;

/// The table of blob store options. Its keys are defined by the object store.
const BLOBS_OPTIONS: &str = "blobs_options";

/// The table of providers and their base URLs.
pub(super) const PROVIDERS: &str = "providers";

/// The settings of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) values: BTreeMap<String, String>,
    pub(super) blobs_options: Vec<(String, String)>,
    /// Base URLs by provider.
    pub(super) providers: BTreeMap<String, String>,
    /// External MCP servers, not parsed yet.
    pub(super) mcp_servers: BTreeMap<String, toml::Table>,
}

/// The maximum size of a file.
const BYTES_MAX: u64 = 1 << 20;

/// Reads a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<File>, OpError> {
    let unreadable = |error: io::Error| wrong(path, &format!("cannot be read: {error}"));
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(wrong(path, "is larger than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong(path, "is not UTF-8"))?;
    parse(path, &text).map(Some)
}

/// Reads the file of a folder that someone else may have made. Opening a named pipe would wait for ever.
pub(super) fn read_in_project(path: &Path) -> Result<Option<File>, OpError> {
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => Err(wrong(path, "is not a file")),
        _ => read(path),
    }
}

fn parse(path: &Path, text: &str) -> Result<File, OpError> {
    let table: toml::Table =
        text.parse().map_err(|e: toml::de::Error| wrong(path, &format!("is not TOML: {}", e.message())))?;
    let mut file = File { path: path.to_owned(), ..File::default() };
    take(&mut file, "", &table)?;
    Ok(file)
}

impl File {
    /// Rejects settings that a `jig.toml` of the working directory must not set, because someone else may have written
    /// it. `home` is where they belong.
    pub(super) fn check_in_project(&self, home: &Path) -> Result<(), OpError> {
        let tables = [
            (BLOBS_OPTIONS, !self.blobs_options.is_empty()),
            (PROVIDERS, !self.providers.is_empty()),
            (SERVERS, !self.mcp_servers.is_empty()),
        ];
        let in_tables = tables.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name);
        let of_owner = |name: &str| KEYS.iter().any(|key| key.name == name && !key.in_project);
        let plain = self.values.keys().map(String::as_str).filter(|name| of_owner(name));
        let Some(name) = in_tables.chain(plain).next() else { return Ok(()) };
        let message = format!(
            "{} sets `{name}`, which is not allowed in the `jig.toml` of a working folder",
            self.path.display()
        );
        let mut own = vec![format!("in {}", home.join("jig.toml").display())];
        if let Some(key) = KEYS.iter().find(|key| key.name == name) {
            own.extend(key.flag.map(|flag| format!("with `{flag}`")));
            own.push(format!("with the variable {}", key.variable));
        }
        if name == "home" {
            // A home cannot be configured inside itself.
            own.remove(0);
        }
        Err(OpError::new(Code::SettingsInvalid, message)
            .hint(format!("set it {}", own.join(" or ")))
            .hint(format!("if you trust this file, pass it: `--config {}`", self.path.display())))
    }
}

fn take(file: &mut File, prefix: &str, table: &toml::Table) -> Result<(), OpError> {
    for (name, value) in table {
        let full = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            toml::Value::Table(options) if full == BLOBS_OPTIONS => {
                for (name, value) in options {
                    let text =
                        plain(value).ok_or_else(|| wrong(&file.path, &format!("`{full}.{name}` must be a text")))?;
                    file.blobs_options.push((name.clone(), text));
                }
            }
            toml::Value::Table(providers) if full == PROVIDERS => {
                for (id, provider) in providers {
                    take_provider(file, id, provider)?;
                }
            }
            toml::Value::Table(servers) if full == SERVERS => {
                for (name, server) in servers {
                    let server = server
                        .as_table()
                        .ok_or_else(|| wrong(&file.path, &format!("`{full}.{name}` must be a table")))?;
                    file.mcp_servers.insert(name.clone(), server.clone());
                }
            }
            toml::Value::Table(inner) if is_table(&full) => take(file, &full, inner)?,
            _ if !KEYS.iter().any(|key| key.name == full) => return Err(unknown(&file.path, &full)),
            _ => {
                let text = plain(value).ok_or_else(|| wrong(&file.path, &format!("`{full}` must be one value")))?;
                file.values.insert(full, text);
            }
        }
    }
    Ok(())
}

fn take_provider(file: &mut File, id: &str, provider: &toml::Value) -> Result<(), OpError> {
    let members = provider.as_table();
    let known = members.is_some_and(|members| members.keys().all(|name| name == "base_url"));
    let address = members.and_then(|members| members.get("base_url")).and_then(toml::Value::as_str);
    let Some(address) = address.filter(|_| known) else {
        let what = format!("has a `{PROVIDERS}.{id}` that is not `base_url = \"https://…\"`");
        return Err(wrong(&file.path, &what)
            .hint("put other provider settings into `models_file`, and keys into `secrets_file`"));
    };
    file.providers.insert(id.to_owned(), address.to_owned());
    Ok(())
}

fn is_table(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.split_once('.').is_some_and(|(table, _)| table == name))
}

fn plain(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(on) => Some(on.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => None,
    }
}

fn wrong(path: &Path, what: &str) -> OpError {
    OpError::new(Code::SettingsInvalid, format!("{} {what}", path.display()))
        .hint("docs/reference/settings.md describes all settings; `jig settings` shows them")
}

fn unknown(path: &Path, name: &str) -> OpError {
    let names = KEYS.iter().map(|key| key.name).chain([BLOBS_OPTIONS, PROVIDERS, SERVERS]);
    wrong(path, &format!("has an unknown setting `{name}`")).suggest(nearest(name, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: [&str; 3] = [
        "home = \"h\"\nview = false\n[limits]\nfiles = 5\n[serve]\nbind = \"127.0.0.1:0\"\n",
        "[providers.own]\nbase_url = \"https://own.example/v1\"\n[mcp_servers.x]\ncommand = \"sh\"\ntools = [\"a\"]\n",
        "[blobs_options]\nregion = \"x\"\nallow_http = true\n[tables]\nmemory_mb = 512\n# é\n",
    ];

    /// A deterministic pseudorandom number.
    fn next(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap_or_default()
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_reason() {
        let path = Path::new("jig.toml");
        let pieces =
            ["[", "]", "=", "\"", "\n", ".", "{", "}", "'", "0x", "-1", "1e999", "[[a]]", "é", "\u{0}", "home"];
        let mut state = 7;
        for round in 0..3_000 {
            let mut text: Vec<char> = SEEDS[round % SEEDS.len()].chars().collect();
            for _ in 0..=next(&mut state) % 4 {
                let at = next(&mut state) % (text.len() + 1);
                let piece: Vec<char> = pieces[next(&mut state) % pieces.len()].chars().collect();
                let end = (at + next(&mut state) % 4).min(text.len());
                text.splice(at..end, piece);
            }
            let text: String = text.into_iter().collect();
            match parse(path, &text) {
                Ok(file) => drop(file.check_in_project(Path::new("/home"))),
                Err(error) => assert!(error.info.message.contains("jig.toml"), "{text}: {error}"),
            }
        }
    }
}
