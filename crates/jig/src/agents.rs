//! `jig agent push`, `pull`, `diff`, `log` and `list`: agent workspaces as folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use jig_contract::ops::{
    AgentWorkspaceCommit, AgentWorkspaceDiff, AgentWorkspaceHistory, AgentWorkspaceList, AgentWorkspaceRead,
    AgentWorkspaceReadOutput, AgentWorkspaceResolve, AgentWorkspaceResolveOutput,
};
use jig_contract::{BlobHash, Code, OpError, OpSpec, Operation};
use jig_workbench::{AgentLock, LOCK_FILE, Workbench, hash_of, paths_in_folder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::operation;
use crate::stop::Stop;

pub(crate) fn commands() -> Vec<Command> {
    let folder = || Arg::new("folder").value_name("DIR").value_hint(ValueHint::DirPath);
    let switch =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let here = || {
        Arg::new("workbench_id")
            .short('w')
            .long("workbench")
            .value_name("ID")
            .help("The workbench [default: the current one]")
    };
    let frozen = |help: &'static str| switch("frozen", help);
    vec![
        Command::new("push")
            .about("Create a new version of an agent workspace from a folder")
            .arg(folder().required(true).help("The folder with agent.workspace.json"))
            .arg(
                Arg::new("name")
                    .long("name")
                    .value_name("NAME")
                    .help("The workspace [default: that of agent.lock, else own]"),
            )
            .arg(Arg::new("message").long("message").short('m').value_name("WORDS").help("Why it was created"))
            .arg(switch("delete", "Remove files that are not in the folder"))
            .arg(switch("dry-run", "Show changes and problems without saving"))
            .arg(frozen("Save nothing; fail unless the folder, agent.lock and the newest version match"))
            .arg(here()),
        Command::new("pull")
            .about("Write an agent workspace into a folder, with agent.lock beside it")
            .arg(
                Arg::new("reference")
                    .value_name("NAME[@VERSION]")
                    .required(true)
                    .help("The workspace: own, jig, or a shared one"),
            )
            .arg(folder().required(true).help("The folder; created if missing"))
            .arg(switch("delete", "Remove files that are not in the workspace"))
            .arg(switch("force", "Overwrite files that were edited in the folder"))
            .arg(frozen("Write exactly the version in agent.lock, or fail"))
            .arg(here()),
        Command::new("diff")
            .about("Compare a folder or a version with another version")
            .arg(
                Arg::new("from")
                    .value_name("DIR|NAME[@VERSION]")
                    .required(true)
                    .help("A folder, or the earlier version"),
            )
            .arg(Arg::new("to").value_name("NAME[@VERSION]").help("The workspace to compare with [default: own]"))
            .arg(here()),
        Command::new("log")
            .about("List the versions of an agent workspace")
            .arg(Arg::new("name").value_name("NAME").help("The workspace [default: own]"))
            .arg(here()),
        Command::new("list").about("List the agent workspaces").arg(here()),
    ]
}

/// Whether `jig agent VERB` is one of these commands rather than an operation.
pub(crate) fn is_own(verb: &str) -> bool {
    matches!(verb, "push" | "pull" | "diff" | "log" | "list")
}

pub(crate) async fn run(app: &App, verb: &str, matches: &ArgMatches) -> Result<(), Stop> {
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let id = match text("workbench_id") {
        Some(id) => id,
        None => app.workbench()?.to_owned(),
    };
    let workbench = app.open().await?;
    let commands = AgentCommands { app, workbench, id };
    let flag = |name: &str| matches.get_flag(name);
    match verb {
        "push" => {
            let wish = Push {
                name: text("name"),
                message: text("message"),
                delete: flag("delete"),
                dry_run: flag("dry-run"),
                frozen: flag("frozen"),
            };
            commands.push(&commands.folder(text("folder")), wish).await
        }
        "pull" => {
            let reference = text("reference").unwrap_or_default();
            commands
                .pull(&reference, &commands.folder(text("folder")), flag("delete"), flag("force"), flag("frozen"))
                .await
        }
        "diff" => commands.diff(&text("from").unwrap_or_default(), text("to")).await,
        "log" => {
            let mut params = json!({ "workbench_id": commands.id });
            if let Some(name) = text("name") {
                params["name"] = name.into();
            }
            commands.run_and_print::<AgentWorkspaceHistory>(params).await
        }
        _ => commands.run_and_print::<AgentWorkspaceList>(json!({ "workbench_id": commands.id })).await,
    }
}

struct AgentCommands<'a> {
    app: &'a App,
    workbench: Workbench,
    id: String,
}

struct Push {
    name: Option<String>,
    message: Option<String>,
    delete: bool,
    dry_run: bool,
    frozen: bool,
}

impl AgentCommands<'_> {
    fn folder(&self, given: Option<String>) -> PathBuf {
        self.app.environment.folder.join(given.unwrap_or_default())
    }

    async fn call<T: DeserializeOwned>(&self, name: &str, params: Value) -> Result<T, OpError> {
        let output = operation::call(self.app, &self.workbench, name, params).await?;
        serde_json::from_value(output)
            .map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))
    }

    async fn run_and_print<O: Operation>(&self, params: Value) -> Result<(), Stop> {
        let output = operation::call(self.app, &self.workbench, O::NAME, params).await?;
        operation::print(self.app, &OpSpec::of::<O>(), &output)
    }

    async fn push(&self, folder: &Path, wish: Push) -> Result<(), Stop> {
        let lock = read_lock(folder)?;
        let name = wish
            .name
            .clone()
            .or_else(|| lock.as_ref().map(|lock| lock.name.clone()))
            .unwrap_or_else(|| "own".to_owned());
        let lock = lock.filter(|lock| lock.name == name);
        if wish.frozen {
            return self.check_frozen(folder, &name, lock.as_ref()).await;
        }
        let mut params = json!({
            "workbench_id": self.id, "name": name, "folder": folder.display().to_string(),
            "delete": wish.delete, "dry_run": wish.dry_run,
        });
        if let Some(lock) = &lock {
            params["expected_head"] = lock.root.to_string().into();
        }
        if let Some(message) = wish.message {
            params["message"] = message.into();
        }
        let output = operation::call(self.app, &self.workbench, AgentWorkspaceCommit::NAME, params).await?;
        if !wish.dry_run && output["version"].is_object() {
            let resolved = self.resolve(&name).await?;
            write_lock(folder, &resolved)?;
        }
        operation::print(self.app, &OpSpec::of::<AgentWorkspaceCommit>(), &output)?;
        let problems = output["problems"].as_array().map_or(0, Vec::len);
        if wish.dry_run && problems > 0 {
            let words = format!("the workspace has {problems} problems and cannot be used");
            return Err(OpError::new(Code::AgentWorkspaceInvalid, words).hint("fix the problems listed above").into());
        }
        Ok(())
    }

    /// `--frozen`, for CI: fails unless the folder and the stored workspace both match the lock.
    async fn check_frozen(&self, folder: &Path, name: &str, lock: Option<&AgentLock>) -> Result<(), Stop> {
        let Some(lock) = lock else {
            return Err(no_lock(folder).into());
        };
        // A push leaves out some files, such as ignored ones; they do not count as differences.
        let taken = paths_in_folder(folder)?;
        let mut files = hashes(folder)?;
        files.retain(|path, _| taken.contains(path));
        refuse_differences(lock, &files)?;
        let resolved = self.resolve(name).await?;
        if resolved.version.root != lock.root {
            let words = format!(
                "the newest version is {}, but agent.lock has {}@{}",
                resolved.version.reference, lock.name, lock.version
            );
            return Err(OpError::new(Code::Conflict, words)
                .hint("`jig agent pull` brings the folder up to date")
                .into());
        }
        self.app.terminal.note(&format!("the folder matches {name}@{}", lock.version));
        Ok(())
    }

    async fn resolve(&self, reference: &str) -> Result<AgentWorkspaceResolveOutput, OpError> {
        self.call(AgentWorkspaceResolve::NAME, json!({ "workbench_id": self.id, "reference": reference })).await
    }

    async fn pull(&self, reference: &str, folder: &Path, delete: bool, force: bool, frozen: bool) -> Result<(), Stop> {
        let lock = read_lock(folder)?;
        let wanted = match (&lock, frozen) {
            (None, true) => return Err(no_lock(folder).into()),
            (Some(lock), true) => format!("{}@{}", lock.name, lock.version),
            _ => reference.to_owned(),
        };
        let resolved = self.resolve(&wanted).await?;
        if let Some(lock) = lock.as_ref().filter(|lock| frozen && lock.root != resolved.version.root) {
            let words = format!("{wanted} does not match agent.lock ({})", lock.root);
            return Err(OpError::new(Code::Conflict, words).into());
        }
        let present = if folder.exists() { hashes(folder)? } else { BTreeMap::new() };
        let known = |path: &str| lock.as_ref().and_then(|lock| lock.files.get(path));
        let new: BTreeMap<&str, BlobHash> = resolved.files.iter().map(|file| (file.path.as_str(), file.hash)).collect();
        let edited: Vec<&String> = present
            .iter()
            .filter(|(path, hash)| known(path) != Some(*hash) && new.get(path.as_str()).is_some_and(|new| new != *hash))
            .map(|(path, _)| path)
            .collect();
        if !edited.is_empty() && !force {
            let words = format!(
                "files were edited in the folder: {}",
                edited.iter().map(|p| p.as_str()).collect::<Vec<_>>().join(", ")
            );
            return Err(OpError::new(Code::Conflict, words)
                .hint("push them first, or overwrite them with --force")
                .into());
        }
        let mut written = 0;
        for file in resolved.files.iter().filter(|file| present.get(&file.path) != Some(&file.hash)) {
            let reference = format!("{}/{}", resolved.version.reference, file.path);
            let read: AgentWorkspaceReadOutput =
                self.call(AgentWorkspaceRead::NAME, json!({ "workbench_id": self.id, "reference": reference })).await?;
            let bytes = match (read.file.text, read.file.base64) {
                (Some(text), _) => text.into_bytes(),
                (_, base64) => STANDARD.decode(base64.unwrap_or_default()).unwrap_or_default(),
            };
            let place = folder.join(&file.path);
            place
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&place, bytes))
                .map_err(|e| failed(&place, &e))?;
            written += 1;
        }
        let surplus: Vec<&String> = present.keys().filter(|path| !new.contains_key(path.as_str())).collect();
        for path in surplus.iter().filter(|_| delete) {
            fs::remove_file(folder.join(path)).map_err(|e| failed(&folder.join(path), &e))?;
        }
        write_lock(folder, &resolved)?;
        let left = if delete || surplus.is_empty() {
            String::new()
        } else {
            format!("; {} other files were left in place (--delete removes them)", surplus.len())
        };
        self.app.terminal.print(&format!(
            "{} in {}: {written} files written{left}\n",
            resolved.version.reference,
            folder.display()
        ))?;
        Ok(())
    }

    async fn diff(&self, from: &str, to: Option<String>) -> Result<(), Stop> {
        let folder = self.app.environment.folder.join(from);
        if folder.is_dir() {
            let name = to.unwrap_or_else(|| "own".to_owned());
            let params = json!({
                "workbench_id": self.id, "name": name, "folder": folder.display().to_string(), "delete": true, "dry_run": true,
            });
            return self.run_and_print::<AgentWorkspaceCommit>(params).await;
        }
        let to = to.unwrap_or_else(|| "own".to_owned());
        self.run_and_print::<AgentWorkspaceDiff>(json!({ "workbench_id": self.id, "from": from, "to": to })).await
    }
}

fn failed(path: &Path, error: &std::io::Error) -> OpError {
    OpError::new(Code::FileWriteFailed, format!("`{}`: {error}", path.display()))
}

fn no_lock(folder: &Path) -> OpError {
    OpError::new(Code::FileNotFound, format!("{LOCK_FILE} not found in `{}`", folder.display()))
        .hint("`jig agent pull NAME DIR` or `jig agent push DIR` creates it")
}

fn read_lock(folder: &Path) -> Result<Option<AgentLock>, OpError> {
    match fs::read(folder.join(LOCK_FILE)) {
        Ok(bytes) => AgentLock::read(&bytes).map(Some).map_err(|why| {
            OpError::new(Code::ValidationFailed, format!("{LOCK_FILE} cannot be read: {why}"))
                .hint("delete it, then pull again")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OpError::new(Code::FileReadFailed, format!("{LOCK_FILE}: {error}"))),
    }
}

fn write_lock(folder: &Path, resolved: &AgentWorkspaceResolveOutput) -> Result<(), OpError> {
    let lock = AgentLock {
        name: resolved.version.name.clone(),
        version: resolved.version.version,
        root: resolved.version.root,
        files: resolved.files.iter().map(|file| (file.path.clone(), file.hash)).collect(),
    };
    let place = folder.join(LOCK_FILE);
    fs::write(&place, lock.write()).map_err(|e| failed(&place, &e))
}

fn refuse_differences(lock: &AgentLock, files: &BTreeMap<String, BlobHash>) -> Result<(), OpError> {
    let differences = lock.differences(files);
    if differences.is_empty() {
        return Ok(());
    }
    let told: Vec<String> =
        differences.iter().map(|(path, how)| format!("{path} ({})", format!("{how:?}").to_lowercase())).collect();
    Err(OpError::new(Code::Conflict, format!("the folder does not match agent.lock: {}", told.join(", ")))
        .hint("`jig agent push` saves it as a new version"))
}

/// The hashes of a folder's files, without the lock file and hidden files.
fn hashes(folder: &Path) -> Result<BTreeMap<String, BlobHash>, OpError> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((place, inside)) = waiting.pop() {
        let unreadable = |e: &std::io::Error| OpError::new(Code::FileReadFailed, format!("`{}`: {e}", place.display()));
        for entry in fs::read_dir(&place).map_err(|e| unreadable(&e))? {
            let entry = entry.map_err(|e| unreadable(&e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || (inside.is_empty() && name == LOCK_FILE) {
                continue;
            }
            let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
            match entry.file_type().map_err(|e| unreadable(&e))? {
                kind if kind.is_dir() => waiting.push((entry.path(), path)),
                kind if kind.is_file() => {
                    let bytes = fs::read(entry.path()).map_err(|e| unreadable(&e))?;
                    found.insert(path, hash_of(&bytes));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}
