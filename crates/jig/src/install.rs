//! `jig mcp --install CLIENT`: shows the change to the client's configuration, and writes it on request.

use std::fs;
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::jsonc::{self, JsoncError};
use crate::stop::Stop;
use crate::terminal::STRONG;

/// The planned change of a file.
struct Plan {
    path: PathBuf,
    text: String,
    /// Whether the file already has the entry.
    done: bool,
}

/// Shows the change, or writes it.
pub(crate) fn run(app: &App, client: &str, write: bool) -> Result<(), Stop> {
    let plan = plan(app, client)?;
    let place = plan.path.display();
    if app.terminal.json {
        let written = write && !plan.done;
        let value = json!({ "path": plan.path, "text": plan.text, "written": written, "unchanged": plan.done });
        app.terminal.print_json(&value)?;
    } else {
        app.terminal.print(&format!("{STRONG}{place}{STRONG:#}\n{}", plan.text))?;
    }
    if plan.done {
        app.terminal.note(&format!("{place} already has this entry; nothing was changed"));
        return Ok(());
    }
    if !write {
        app.terminal.note(&format!("`jig mcp --install {client} --yes` writes this"));
        return Ok(());
    }
    replace(&plan.path, &plan.text)
        .map_err(|e| OpError::new(Code::FileWriteFailed, format!("{place} could not be written: {e}")))?;
    app.terminal.note(&format!("Written to {place}"));
    Ok(())
}

/// Writes a temporary file and renames it, so that a client never reads a partial file. A symbolic link is preserved.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".jig-part");
    let partial = PathBuf::from(partial);
    fs::write(&partial, text)?;
    if let Ok(known) = fs::metadata(&path) {
        fs::set_permissions(&partial, known.permissions())?;
    }
    fs::rename(&partial, &path).inspect_err(|_| drop(fs::remove_file(&partial)))
}

fn plan(app: &App, client: &str) -> Result<Plan, OpError> {
    let folder = &app.environment.folder;
    let home = || {
        app.environment.home().ok_or_else(|| {
            OpError::new(Code::SettingsInvalid, "the client's configuration folder is unknown: HOME is not set")
        })
    };
    let in_home = |path: &str| home().map(|home| home.join(path));
    match client {
        "claude" => json_plan(app, folder.join(".mcp.json"), "mcpServers", &[]),
        "claude-desktop" => {
            let config = desktop_folder(app, "Claude", "Library/Application Support/Claude", ".config/Claude")?;
            json_plan(app, config.join("claude_desktop_config.json"), "mcpServers", &[])
        }
        "cursor" => json_plan(app, folder.join(".cursor/mcp.json"), "mcpServers", &[]),
        "gemini" => json_plan(app, folder.join(".gemini/settings.json"), "mcpServers", &[]),
        "opencode" => {
            // One of the two names may be in use already.
            let commented = folder.join("opencode.jsonc");
            let path = if commented.exists() { commented } else { folder.join("opencode.json") };
            let (command, args) = start_line(app)?;
            let line: Vec<String> = std::iter::once(command).chain(args).collect();
            let fields = [("type", json!("local")), ("command", json!(line)), ("enabled", json!(true))];
            set_fields(path, "mcp", &fields)
        }
        "vscode" => json_plan(app, folder.join(".vscode/mcp.json"), "servers", &[("type", json!("stdio"))]),
        "zed" => {
            let config = desktop_folder(app, "Zed", ".config/zed", ".config/zed")?;
            json_plan(app, config.join("settings.json"), "context_servers", &[])
        }
        _ => {
            let codex = app.environment.get("CODEX_HOME").map(PathBuf::from);
            let codex = codex.map_or_else(|| in_home(".codex"), Ok)?;
            toml_plan(app, codex.join("config.toml"))
        }
    }
}

/// The clients that can be set up.
pub(crate) const CLIENTS: [&str; 8] =
    ["claude", "claude-desktop", "codex", "cursor", "gemini", "opencode", "vscode", "zed"];

/// The configuration folder of a desktop program: below `APPDATA` on Windows, else below the home folder.
fn desktop_folder(app: &App, windows: &str, macos: &str, linux: &str) -> Result<PathBuf, OpError> {
    if cfg!(windows)
        && let Some(data) = app.environment.get("APPDATA")
    {
        return Ok(PathBuf::from(data).join(windows));
    }
    let home = app.environment.home().ok_or_else(|| {
        OpError::new(Code::SettingsInvalid, "the client's configuration folder is unknown: HOME is not set")
    })?;
    Ok(home.join(if cfg!(target_os = "macos") { macos } else { linux }))
}

/// The program and its arguments. The path is absolute, because clients start it without a shell; the home is included
/// if it is not the default.
fn start_line(app: &App) -> Result<(String, Vec<String>), OpError> {
    let program = std::env::current_exe()
        .map_err(|e| OpError::new(Code::Internal, format!("the path of this program is unknown: {e}")))?;
    let mut arguments = vec!["mcp".to_owned()];
    if app.settings.shown.iter().any(|shown| shown.key == "home" && shown.source != "default") {
        arguments.extend(["--home".to_owned(), app.settings.home.display().to_string()]);
    }
    if let Some(id) = &app.settings.workbench {
        arguments.extend(["--workbench".to_owned(), id.clone()]);
    }
    Ok((program.display().to_string(), arguments))
}

fn existing(path: &Path) -> Result<String, OpError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(OpError::new(Code::FileReadFailed, format!("{} could not be read: {e}", path.display()))),
    }
}

fn not_ours(path: &Path, why: &str) -> OpError {
    OpError::new(Code::Conflict, format!("{} was not changed: {why}", path.display()))
        .hint("add the entry by hand; `jig mcp --install` shows it for an empty file")
}

/// An entry with a program and its arguments.
fn json_plan(app: &App, path: PathBuf, table: &str, more: &[(&str, Value)]) -> Result<Plan, OpError> {
    let (command, args) = start_line(app)?;
    let fields = [more, &[("command", command.into()), ("args", args.into())]].concat();
    set_fields(path, table, &fields)
}

/// Sets fields of the entry `jig`. Its other fields stay, such as `env`, and so do comments of the file.
fn set_fields(path: PathBuf, table: &str, fields: &[(&str, Value)]) -> Result<Plan, OpError> {
    let before = existing(&path)?;
    let refused = |error: JsoncError| not_ours(&path, &error.to_string());
    let known = jsonc::parse(&before).map_err(refused)?;
    let entry = &known[table]["jig"];
    if fields.iter().all(|(name, value)| entry.get(*name) == Some(value)) {
        return Ok(Plan { path, text: before, done: true });
    }
    let text = if entry.is_object() {
        let set = |text: String, (name, value): &(&str, Value)| jsonc::set(&text, &[table, "jig", name], value);
        fields.iter().try_fold(before, set).map_err(refused)?
    } else {
        let entry: Map<String, Value> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        jsonc::set(&before, &[table, "jig"], &Value::Object(entry)).map_err(refused)?
    };
    Ok(Plan { path, text, done: false })
}

fn toml_plan(app: &App, path: PathBuf) -> Result<Plan, OpError> {
    let before = existing(&path)?;
    let table: toml::Table = before.parse().map_err(|_| not_ours(&path, "it is not TOML"))?;
    let (command, args) = start_line(app)?;
    if let Some(known) = table.get("mcp_servers").and_then(|servers| servers.get("jig")) {
        let ours: toml::Value = args.iter().map(|arg| toml::Value::from(arg.as_str())).collect::<Vec<_>>().into();
        // Other fields, such as `env`, are the person's.
        if known.get("command").and_then(toml::Value::as_str) == Some(&command) && known.get("args") == Some(&ours) {
            return Ok(Plan { path, text: before, done: true });
        }
        return Err(not_ours(&path, "it already has a different entry for jig"));
    }
    let quote = |text: &str| toml::Value::from(text).to_string();
    let args: Vec<String> = args.iter().map(|arg| quote(arg)).collect();
    let gap = if before.is_empty() || before.ends_with("\n\n") {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let entry = format!("[mcp_servers.jig]\ncommand = {}\nargs = [{}]\n", quote(&command), args.join(", "));
    Ok(Plan { path, text: format!("{before}{gap}{entry}"), done: false })
}
