//! Resolves flags, environment, files and defaults to one set of values.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use jig_contract::{Code, OpError};
use jig_workbench::{Limits, QueryLimits, Renderer};

use super::file::{self, File};
use super::table::{BLOBS_OPTIONS_VARIABLE, Form, KEYS, Key};
use super::{FileWorkPlace, SettingRow, Settings, Worker, size};
use crate::current;
use crate::environment::Environment;

/// The global options of the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) home: Option<String>,
    pub(crate) workbench: Option<String>,
    pub(crate) color: Option<String>,
    pub(crate) bind: Option<String>,
    pub(crate) database: Option<String>,
    pub(crate) blobs: Option<String>,
    /// The only file to read, instead of those that would be found.
    pub(crate) config: Option<PathBuf>,
}

impl Flags {
    fn get(&self, key: &Key) -> Option<&str> {
        match key.name {
            "home" => self.home.as_deref(),
            "workbench" => self.workbench.as_deref(),
            "color" => self.color.as_deref(),
            "serve.bind" => self.bind.as_deref(),
            "database" => self.database.as_deref(),
            "blobs" => self.blobs.as_deref(),
            _ => None,
        }
    }
}

/// A value and its source.
#[derive(Debug, Clone)]
pub(super) struct SourcedValue {
    pub(super) value: String,
    pub(super) source: String,
    /// The folder that relative paths in the value start from.
    pub(super) folder: PathBuf,
}

pub(super) struct Sources<'a> {
    flags: &'a Flags,
    pub(super) environment: &'a Environment,
    pub(super) files: Vec<File>,
}

/// Resolves and validates all settings.
pub(crate) fn resolve(flags: &Flags, environment: &Environment) -> Result<Settings, OpError> {
    let mut sources = Sources { flags, environment, files: Vec::new() };
    if let Some(path) = &flags.config {
        let path = environment.folder.join(path);
        let missing = || OpError::new(Code::SettingsInvalid, format!("{} does not exist", path.display()));
        sources.files.push(file::read(&path)?.ok_or_else(missing)?);
        let home = home(&sources)?;
        return sources.build(home);
    }
    // Resolved before the file of the current folder is read, because that file must not move the home.
    let home = home(&sources)?;
    let near = environment.folder.join("jig.toml");
    if !is_same_place(&environment.folder, &home)
        && let Some(near) = file::read_in_project(&near)?
    {
        near.check_in_project(&home)?;
        sources.files.push(near);
    }
    sources.add_home_file(&home)?;
    sources.build(home)
}

/// Whether both paths refer to the same folder.
fn is_same_place(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn home(sources: &Sources<'_>) -> Result<PathBuf, OpError> {
    if let Some(found) = sources.find("home") {
        return Ok(found.folder.join(found.value));
    }
    let environment = sources.environment;
    let data = environment.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| environment.home().map(|home| home.join(".local/share")));
    data.map(|data| data.join("jig")).ok_or_else(|| {
        OpError::new(Code::SettingsInvalid, "the data folder is unknown: HOME is not set")
            .hint("specify a folder with `--home FOLDER` or the variable JIG_HOME")
    })
}

impl Sources<'_> {
    fn add_home_file(&mut self, home: &Path) -> Result<(), OpError> {
        let path = home.join("jig.toml");
        let Some(file) = file::read(&path)? else { return Ok(()) };
        if file.values.contains_key("home") {
            let message = format!("{} sets `home`, but it was found through the home folder", path.display());
            return Err(OpError::new(Code::SettingsInvalid, message).hint("set JIG_HOME or `--home` instead"));
        }
        self.files.push(file);
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<SourcedValue> {
        let key = KEYS.iter().find(|key| key.name == name)?;
        let folder = self.environment.folder.clone();
        if let Some(value) = self.flags.get(key) {
            let source = key.flag.unwrap_or_default().to_owned();
            return Some(SourcedValue { value: value.to_owned(), source, folder });
        }
        if let Some(value) = self.environment.get(key.variable) {
            return Some(SourcedValue { value: value.to_owned(), source: key.variable.to_owned(), folder });
        }
        let in_file = self.files.iter().find_map(|file| {
            let value = file.values.get(name)?.clone();
            let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
            Some(SourcedValue { value, source: file.path.display().to_string(), folder })
        });
        in_file.or_else(|| self.implied(name))
    }

    /// With a database, the default for the view is off: a team works from several machines, and a folder on one of
    /// them would mislead.
    fn implied(&self, name: &str) -> Option<SourcedValue> {
        let off = name == "view" && self.find("database").is_some();
        let source = "default with a database".to_owned();
        off.then(|| SourcedValue { value: "off".to_owned(), source, folder: self.environment.folder.clone() })
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let default = KEYS.iter().find(|key| key.name == name).and_then(|key| key.default);
        self.find(name).map(|found| found.value).or_else(|| default.map(str::to_owned))
    }

    /// Parses a value. An error names the source of the value.
    pub(super) fn read<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, OpError> {
        let text = self.text(name).unwrap_or_default();
        read(&text).ok_or_else(|| {
            let form = KEYS.iter().find(|key| key.name == name).map(|key| key.form.description()).unwrap_or_default();
            self.wrong(name, &form)
        })
    }

    /// Parses a number within a range.
    pub(super) fn read_within(&self, name: &str, range: RangeInclusive<u64>) -> Result<u64, OpError> {
        let text = self.text(name).unwrap_or_default();
        count(&text)
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.wrong(name, &format!("a whole number from {} to {}", range.start(), range.end())))
    }

    fn wrong(&self, name: &str, form: &str) -> OpError {
        let source = self.find(name).map(|found| found.source).unwrap_or_default();
        let words = format!("invalid setting `{name}` from {source}: it must be {form}");
        OpError::new(Code::SettingsInvalid, words)
    }

    fn build(&self, home: PathBuf) -> Result<Settings, OpError> {
        let (blobs_options, option_source) = self.blobs_options()?;
        let workbench = self.text("workbench").or_else(|| current::read(&home));
        let (models, provider_source) = self.models(&home)?;
        let (mcp_servers, shown_servers) = self.mcp_servers(&home)?;
        let mut settings = Settings {
            workbench,
            database: self.text("database"),
            blobs: self.text("blobs"),
            view: self.read("view", switch)?,
            limits: Limits {
                file_bytes: self.read("limits.file_bytes", size::parse)?,
                table_bytes: self.read("limits.table_bytes", size::parse)?,
                files: self.read("limits.files", count)?,
                asset_bytes: self.read("limits.asset_bytes", size::parse)?,
            },
            gc_grace_minutes: self.read("gc.grace_minutes", count)?,
            workbench_wait_seconds: self.read_within("workbench_wait_seconds", 1..=3_600)?,
            recipe_session_days: self.read("gc.recipe_session_days", count)?,
            asset_hours: self.read("assets.expire_hours", count)?,
            legacy_tools: self.read("agent.legacy_tools", switch)?,
            jobs_at_once: self.read_within("jobs.at_once", 1..=1_024)?,
            job_lease_seconds: self.read_within("jobs.lease_seconds", 1..=86_400)?,
            file_work: self.read("isolation", file_work)?,
            worker: Worker {
                count: self.read_within("worker.count", 1..=1_024)?,
                memory_bytes: self.read("worker.memory", size::parse)?,
                cpu_seconds: self.read("worker.cpu_seconds", count)?,
                seconds: self.read("worker.seconds", count)?,
            },
            renderer: self.renderer()?,
            tables_engine: self.find("tables.engine").map(|found| found.folder.join(found.value)),
            tables: QueryLimits {
                timeout_ms: self.read_within("tables.timeout_ms", QueryLimits::TIMEOUT_MS)?,
                memory_mb: self.read_within("tables.memory_mb", QueryLimits::MEMORY_MB)?,
                threads: self.read_within("tables.threads", QueryLimits::THREADS)?,
            },
            allow_outside_formulas: self.read("formulas.allow_outside", switch)?,
            rpc_max_message_bytes: self.read("rpc.max_message_bytes", size::parse)?,
            mcp_ask_publish: self.read("mcp.publish", ask)? || self.read("mcp.allow_publish", switch)?,
            serve: self.serve()?,
            color: self.read("color", color)?,
            models,
            mcp_servers,
            blobs_options,
            home,
            shown: Vec::new(),
        };
        // The convention of <https://no-color.org> applies unless Jig's own setting is present.
        if self.find("color").is_none() && self.environment.get("NO_COLOR").is_some() {
            settings.color = ColorChoice::Never;
        }
        settings.shown = KEYS.iter().map(|key| self.show(key, &settings)).collect();
        settings.shown.extend(settings.blobs_options.iter().map(|(name, value)| SettingRow {
            key: format!("blobs_options.{name}"),
            value: Some(if is_secret(name) { "***".to_owned() } else { value.clone() }),
            source: option_source.clone(),
        }));
        settings.shown.extend(settings.models.base_urls.iter().map(|(id, address)| SettingRow {
            key: format!("providers.{id}.base_url"),
            value: Some(hide_password(address)),
            source: provider_source.clone(),
        }));
        settings.shown.extend(shown_servers);
        Ok(settings)
    }

    /// The office program: the configured one, or the one found on this system.
    fn renderer(&self) -> Result<Renderer, OpError> {
        let found = |program: Option<PathBuf>, why_not: &str| -> Result<Renderer, OpError> {
            Ok(Renderer {
                program,
                why_not: why_not.to_owned(),
                seconds: self.read("preview.seconds", count)?,
                memory_bytes: self.read("preview.memory", size::parse)?,
            })
        };
        match self.text("preview.renderer").as_deref() {
            Some("off") => found(None, "`preview.renderer` is off, so LibreOffice is not used"),
            Some("auto") | None => {
                let folders = self.environment.get("PATH").map(std::env::split_paths);
                let places = folders.into_iter().flatten();
                let program = places
                    .flat_map(|folder| ["soffice", "libreoffice"].map(|name| folder.join(name)))
                    .find(|program| program.is_absolute() && program.is_file());
                found(
                    program,
                    "LibreOffice is not installed; install it, or set `preview.renderer`, to see pages as printed",
                )
            }
            Some(_) => {
                let named = self.find("preview.renderer").map(|found| found.folder.join(found.value));
                found(named, "")
            }
        }
    }

    fn blobs_options(&self) -> Result<(Vec<(String, String)>, String), OpError> {
        if let Some(text) = self.environment.get(BLOBS_OPTIONS_VARIABLE) {
            let pairs: Option<Vec<_>> = text
                .split(',')
                .map(|pair| pair.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
                .collect();
            let wrong = || {
                OpError::new(Code::SettingsInvalid, format!("{BLOBS_OPTIONS_VARIABLE} must be name=value,name=value"))
            };
            return Ok((pairs.ok_or_else(wrong)?, BLOBS_OPTIONS_VARIABLE.to_owned()));
        }
        let file = self.files.iter().find(|file| !file.blobs_options.is_empty());
        Ok(file.map(|file| (file.blobs_options.clone(), file.path.display().to_string())).unwrap_or_default())
    }

    fn show(&self, key: &Key, settings: &Settings) -> SettingRow {
        let found = self.find(key.name);
        let (value, source) = match (key.name, found) {
            ("home", found) => {
                let source = found.map_or_else(|| "default".to_owned(), |found| found.source);
                (Some(settings.home.display().to_string()), source)
            }
            ("workbench", None) if settings.workbench.is_some() => {
                (settings.workbench.clone(), settings.home.join("current").display().to_string())
            }
            (_, Some(found)) => (Some(found.value), found.source),
            (_, None) => (key.default.map(str::to_owned), "default".to_owned()),
        };
        let value = if key.form == Form::Address { value.map(|address| hide_password(&address)) } else { value };
        SettingRow { key: key.name.to_owned(), value, source }
    }
}

pub(super) fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

fn ask(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "ask" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn file_work(text: &str) -> Option<FileWorkPlace> {
    match text {
        "worker" => Some(FileWorkPlace::Worker),
        "unconfined" => Some(FileWorkPlace::Unconfined),
        "in-process" => Some(FileWorkPlace::InProcess),
        _ => None,
    }
}

pub(super) fn count(text: &str) -> Option<u64> {
    text.replace('_', "").parse().ok()
}

fn color(text: &str) -> Option<ColorChoice> {
    match text {
        "auto" => Some(ColorChoice::Auto),
        "always" => Some(ColorChoice::Always),
        "never" => Some(ColorChoice::Never),
        _ => None,
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "secret", "token", "password"].iter().any(|word| name.contains(word))
}

/// `postgres://user:word@host/db?password=word` → `postgres://user:***@host/db?password=***`.
fn hide_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    // The last `@` ends the login, even if the password contains one.
    let rest = match rest.rsplit_once('@') {
        Some((login, place)) => {
            let name = login.split_once(':').map_or(login, |(name, _)| name);
            let word = if login.contains(':') { ":***" } else { "" };
            format!("{name}{word}@{place}")
        }
        None => rest.to_owned(),
    };
    let query = query.map(|query| {
        let hide = |pair: &str| match pair.split_once('=') {
            Some((name, _)) if is_secret(name) => format!("{name}=***"),
            _ => pair.to_owned(),
        };
        format!("?{}", query.split('&').map(hide).collect::<Vec<_>>().join("&"))
    });
    format!("{scheme}://{rest}{}", query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_addresses_are_hidden() {
        let table = [
            ("postgres://u:secret@h:5432/d", "postgres://u:***@h:5432/d"),
            ("postgres://u:se@cr:et/@h/d", "postgres://u:***@h/d"),
            (
                "postgres://h/d?user=u&password=secret&sslmode=require",
                "postgres://h/d?user=u&password=***&sslmode=require",
            ),
            ("s3://bucket/prefix", "s3://bucket/prefix"),
            ("/plain/path", "/plain/path"),
        ];
        for (address, shown) in table {
            assert_eq!(hide_password(address), shown);
        }
    }

    #[test]
    fn days_of_recipes_sessions_reach_the_workbench() {
        for (days, expected) in [("1", Some(86_400_000)), ("0", None)] {
            let variables = [("HOME", "/h"), ("JIG_GC_RECIPE_SESSION_DAYS", days)];
            let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let settings = resolve(&Flags::default(), &Environment { variables, folder: "/none".into() }).unwrap();
            assert_eq!(settings.config(super::super::Stay::Short).recipe_session_ms, expected, "{days}");
        }
    }

    #[test]
    fn every_default_fits_its_own_form() {
        let environment =
            Environment { variables: [("HOME".to_owned(), "/h".to_owned())].into(), folder: "/none".into() };
        let settings = resolve(&Flags::default(), &environment).unwrap();
        assert_eq!(settings.home, PathBuf::from("/h/.local/share/jig"));
        assert_eq!(settings.limits, Limits::default());
        assert_eq!(settings.shown.len(), KEYS.len());
    }
}
