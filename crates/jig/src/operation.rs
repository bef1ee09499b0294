//! Runs an operation from the command line.

use std::io::Read;

use clap::ArgMatches;
use jig_contract::ops::EventListParams;
use jig_contract::{Code, OpError, OpSpec};
use jig_surfaces::start;
use jig_workbench::Workbench;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::stop::Stop;
use crate::{confirm, consent, current, progress, query, show};

/// Whether an operation needs a workbench argument.
pub(crate) fn takes_workbench(op: &OpSpec) -> bool {
    let schema = (op.params_schema)().to_value();
    schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == "workbench_id"))
}

/// Runs an operation and prints its result. `verb` is the short verb it was called by, or empty.
pub(crate) async fn run(app: &App, op: &'static OpSpec, verb: &str, matches: &ArgMatches) -> Result<(), Stop> {
    let mut params = params(app, op, verb, matches)?;
    let workbench = app.open().await?;
    if verb == "events" && matches.get_flag("follow") {
        return follow(app, &workbench, params).await;
    }
    if op.name == "DraftPublish" {
        let sure = if matches.get_flag("yes") { confirm::Sure::Yes } else { confirm::Sure::Ask };
        params = confirm::publish(app, &workbench, params, sure).await?;
    }
    if verb == "query" && query::is_whole(matches) {
        return query::write(app, &workbench, params, matches).await;
    }
    let out = matches.try_get_one::<String>("out").ok().flatten().filter(|_| op.name == "AssetGet");
    if out.is_some() {
        params["include_content"] = true.into();
    }
    let output = call(app, &workbench, op.name, params).await?;
    if let Some(out) = out {
        return write_asset(app, &output, out);
    }
    if op.name == "ArtifactExport"
        && let Some(out) = matches.get_one::<String>("out")
    {
        return crate::artifacts::write(app, &output, out);
    }
    if op.name == "RecipeAssemble" && matches.get_flag("text") && !app.terminal.json {
        return Ok(app.terminal.print(output["prompt"].as_str().unwrap_or_default())?);
    }
    after(app, op, verb, &output)?;
    print(app, op, &output)?;
    if let Some(next) = show::next_step(verb, &output) {
        app.terminal.note(&next);
    }
    if op.name == "StoreDoctor" {
        crate::serve::warn_unconfined(app);
    }
    if (op.name == "StoreDoctor" && output["ok"] == false) || (op.name == "SessionReplay" && output["same"] == false) {
        return Err(Stop::Damage);
    }
    Ok(())
}

/// Calls an operation. If consent to send something is missing, or manual edits would be lost, asks the person and
/// retries.
pub(crate) async fn call(app: &App, workbench: &Workbench, name: &str, mut params: Value) -> Result<Value, OpError> {
    loop {
        let error = match call_once(app, workbench, name, params.clone()).await {
            Err(error) if app.terminal.can_ask() => error,
            done => return done,
        };
        // Each iteration needs another "yes", so the loop ends.
        match error.code() {
            Code::EgressConsentRequired => consent::ask(app, workbench, &params, error).await?,
            Code::Conflict if confirm::is_question(&error) => confirm::overwrite(app, &mut params, error)?,
            _ => return Err(error),
        }
    }
}

/// Operations that may call a model. Ctrl-C cancels them properly, so that the egress log records the outcome.
const ASKING: [&str; 7] = [
    "ContextProcess",
    "ContextReprocess",
    "EntryExtract",
    "RecipeRun",
    "AssetUpload",
    "WorkshopSend",
    "WorkshopResume",
];

/// Calls an operation and shows progress if it takes long.
async fn call_once(app: &App, workbench: &Workbench, name: &str, params: Value) -> Result<Value, OpError> {
    let context = person();
    let cancel = context.cancel.clone();
    let work = async {
        let work = workbench.call(name, context, params);
        if app.terminal.shows_progress() { progress::during(workbench.events(), work).await } else { work.await }
    };
    if !ASKING.contains(&name) {
        return work.await;
    }
    let mut requests = crate::platform::stop_requests()
        .map_err(|e| OpError::new(Code::Internal, "cannot listen for Ctrl-C").because(e))?;
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        _ = requests.recv() => cancel.cancel(),
    }
    // A second Ctrl-C exits immediately.
    tokio::select! {
        done = work => done,
        _ = requests.recv() => Err(OpError::new(Code::UserCanceled, "cancelled before the call completed")),
    }
}

/// Prints an operation's result, as text or as JSON.
pub(crate) fn print(app: &App, op: &OpSpec, output: &Value) -> Result<(), Stop> {
    if app.terminal.json {
        app.terminal.print_json(output)?;
        return Ok(());
    }
    let shown = show::human(op.name, output, app);
    app.terminal.print(&shown.text)?;
    shown.notes.iter().for_each(|note| app.terminal.note(note));
    Ok(())
}

fn params(app: &App, op: &OpSpec, verb: &str, matches: &ArgMatches) -> Result<Value, Stop> {
    if let Some(given) = matches.get_one::<String>("params") {
        return Ok(from_json(app, op, given)?);
    }
    if verb == "write" && !matches.contains_id("text") {
        return written_text(matches);
    }
    let mut params = (op.cli_params)(matches)?;
    if matches!(op.name, "KindPut" | "RecipePut" | "StagePut") {
        definition_file(app, &mut params)?;
    }
    if op.name == "ArtifactCreate"
        && let Some(file) = matches.get_one::<String>("from")
    {
        params["content"] = file_or_input(app, file)?.into();
    }
    if op.name == "ArtifactImport"
        && let Some(file) = params["source_path"].as_str().map(str::to_owned)
    {
        if file == "-" {
            params["content"] = standard_input()?.into();
            params.as_object_mut().map(|members| members.remove("source_path"));
        } else {
            params["source_path"] = app.environment.folder.join(file).display().to_string().into();
        }
    }
    Ok(params)
}

/// `jig kind put FILE`: a definition that names an existing file is replaced by the content of the file.
fn definition_file(app: &App, params: &mut Value) -> Result<(), OpError> {
    let Some(given) = params["definition"].as_str().map(str::to_owned) else { return Ok(()) };
    let looks_like_text = given.contains(['\n', '{']) || given.contains(": ");
    if given == "-" {
        params["definition"] = standard_input()?.into();
    } else if !looks_like_text {
        let path = app.environment.folder.join(&given);
        params["source_path"] = path.display().to_string().into();
        params.as_object_mut().map(|members| members.remove("definition"));
    }
    Ok(())
}

/// `jig asset get ID --out FILE`. Never overwrites an existing file.
fn write_asset(app: &App, output: &Value, out: &str) -> Result<(), Stop> {
    use base64::Engine as _;
    let content = output["content_base64"].as_str().unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(content)
        .map_err(|e| OpError::new(Code::Internal, "an asset's bytes are not base64").because(e))?;
    let path = app.environment.folder.join(out);
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let failed = |e: std::io::Error| {
        OpError::new(Code::FileWriteFailed, format!("{out} could not be written: {e}")).hint("choose another name")
    };
    written.and_then(|mut file| std::io::Write::write_all(&mut file, &bytes)).map_err(failed)?;
    app.terminal.note(&format!("wrote {out}"));
    Ok(())
}

/// Parses `--params`: JSON, `@FILE` or `-`. Adds the current workbench if none is named.
fn from_json(app: &App, op: &OpSpec, given: &str) -> Result<Value, OpError> {
    let text = match given.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(app.environment.folder.join(file)).map_err(|e| unreadable(file, &e))?,
        None if given == "-" => standard_input()?,
        None => given.to_owned(),
    };
    let mut params: Value = serde_json::from_str(&text).map_err(|e| {
        OpError::new(Code::InvalidParams, format!("--params is not JSON: {e}"))
            .hint(format!("for example: {}", op.example))
    })?;
    if let Some(params) = params.as_object_mut()
        && takes_workbench(op)
        && !params.contains_key("workbench_id")
    {
        params.insert("workbench_id".to_owned(), app.workbench()?.into());
    }
    Ok(params)
}

/// Reads the text of `jig write` from a file or from standard input if `--text` is not given.
fn written_text(matches: &ArgMatches) -> Result<Value, Stop> {
    let text = match matches.get_one::<String>("from") {
        Some(file) => std::fs::read(file).map_err(|e| unreadable(file, &e)).and_then(|bytes| utf8(file, bytes))?,
        None => standard_input()?,
    };
    let given = |name: &str| matches.get_one::<jig_contract::Given<jig_contract::WorkbenchPath>>(name).cloned();
    let workbench = matches.get_one::<jig_contract::Given<jig_contract::WorkbenchId>>("workbench_id");
    let hash = matches.get_one::<jig_contract::Given<jig_contract::HashPrefix>>("base_hash");
    let mut params = json!({
        "workbench_id": workbench, "path": given("path"), "text": text, "dry_run": matches.get_flag("dry_run"),
    });
    if let Some(hash) = hash {
        params["base_hash"] = json!(hash);
    }
    Ok(params)
}

/// Reads the text of a file, or of standard input for `-`.
pub(crate) fn file_or_input(app: &App, name: &str) -> Result<String, OpError> {
    if name == "-" {
        return standard_input();
    }
    std::fs::read(app.environment.folder.join(name))
        .map_err(|e| unreadable(name, &e))
        .and_then(|bytes| utf8(name, bytes))
}

fn standard_input() -> Result<String, OpError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| unreadable("standard input", &e))?;
    utf8("standard input", bytes)
}

fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, OpError> {
    String::from_utf8(bytes).map_err(|_| {
        OpError::new(Code::ValidationFailed, format!("{name} is not UTF-8 text"))
            .hint("add binary files with `jig add FILE`")
    })
}

fn unreadable(name: &str, error: &std::io::Error) -> OpError {
    OpError::new(Code::FileReadFailed, format!("{name} could not be read: {error}"))
}

/// Updates the current workbench after an operation that creates or deletes one.
fn after(app: &App, op: &OpSpec, verb: &str, output: &Value) -> Result<(), OpError> {
    match (op.name, verb) {
        ("WorkbenchCreate", "new") => current::write(&app.settings.home, output["id"].as_str().unwrap_or_default()),
        ("WorkbenchDelete", _) => current::forget(&app.settings.home, output["deleted"].as_str().unwrap_or_default()),
        _ => Ok(()),
    }
}

/// `jig events --follow`: prints one line per event until interrupted.
async fn follow(app: &App, workbench: &Workbench, params: Value) -> Result<(), Stop> {
    let params: EventListParams = serde_json::from_value(params)
        .map_err(|e| OpError::new(Code::InvalidParams, format!("invalid parameters for EventList: {e}")))?;
    let id = params.workbench_id.as_text().to_owned();
    let mut follow = start(workbench, person(), &id, Some(params.after)).await?;
    while let Some(record) = follow.next().await? {
        if app.terminal.json {
            // One line per event even on a terminal: a stream is not one JSON document.
            let line = serde_json::to_string(&record).unwrap_or_default();
            app.terminal.print(&line)?;
        } else {
            app.terminal.print(&show::event(&record, app.env.now()))?;
        }
    }
    Ok(())
}
