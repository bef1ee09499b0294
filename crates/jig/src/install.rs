//! `jig mcp --install CLIENT`: shows the change to the client's configuration, and writes it on request.

use std::fs;
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};
use serde_json::{Value, json};

use crate::app::App;
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
    match client {
        "claude" => json_plan(app, folder.join(".mcp.json"), "mcpServers", json!({})),
        "cursor" => json_plan(app, folder.join(".cursor/mcp.json"), "mcpServers", json!({})),
        "vscode" => json_plan(app, folder.join(".vscode/mcp.json"), "servers", json!({ "type": "stdio" })),
        _ => {
            let codex = app.environment.get("CODEX_HOME").map(PathBuf::from);
            let codex = codex.map_or_else(|| home().map(|home| home.join(".codex")), Ok)?;
            toml_plan(app, codex.join("config.toml"))
        }
    }
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

fn json_plan(app: &App, path: PathBuf, table: &str, mut entry: Value) -> Result<Plan, OpError> {
    let before = existing(&path)?;
    let mut whole: Value = match before.trim() {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|e| not_ours(&path, &format!("it is not JSON: {e}")))?,
    };
    let (command, args) = start_line(app)?;
    let Some(members) = whole.as_object_mut() else { return Err(not_ours(&path, "it is not a JSON object")) };
    let servers = members.entry(table).or_insert_with(|| json!({}));
    let Some(servers) = servers.as_object_mut() else {
        return Err(not_ours(&path, &format!("`{table}` is not an object")));
    };
    entry["command"] = command.into();
    entry["args"] = args.into();
    let known = servers.insert("jig".to_owned(), entry.clone());
    // An equivalent entry in another format is left unchanged.
    let done = known.as_ref() == Some(&entry);
    let text = if done { before } else { format!("{whole:#}\n") };
    Ok(Plan { path, text, done })
}

fn toml_plan(app: &App, path: PathBuf) -> Result<Plan, OpError> {
    let before = existing(&path)?;
    let table: toml::Table = before.parse().map_err(|_| not_ours(&path, "it is not TOML"))?;
    let (command, args) = start_line(app)?;
    if let Some(known) = table.get("mcp_servers").and_then(|servers| servers.get("jig")) {
        let ours = toml::toml! { command = "" args = [] };
        let mut ours = toml::Value::Table(ours);
        ours["command"] = command.as_str().into();
        ours["args"] = args.iter().map(|arg| toml::Value::from(arg.as_str())).collect::<Vec<_>>().into();
        if *known == ours {
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
