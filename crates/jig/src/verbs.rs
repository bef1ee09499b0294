//! The short verbs that are more than an alias of an operation.

use clap::ArgMatches;
use jig_contract::ops::{
    CheckpointCreate, DocxApplyOps, FileChange, PptxApplyOps, PromptAssemble, PromptAssembleOutput, ReviewGetChangeSet,
    ReviewGetChangeSetOutput, ReviewGetDiff, ReviewGetDiffOutput, TextApplyOps, WorkbenchGet, WorkbenchGetParams,
    WorkbenchListOutput, XlsxApplyOps,
};
use jig_contract::{Code, OpError, OpSpec, Operation};
use jig_workbench::Workbench;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::cli::default_operation;
use crate::stop::Stop;
use crate::terminal::{FAINT, MARK, STRONG, Terminal};
use crate::{current, operation, show};

/// `jig` without arguments: lists the workbenches and suggests the next command.
pub(crate) async fn overview(app: &App) -> Result<(), Stop> {
    let output = app.open().await?.call("WorkbenchList", person(), json!({})).await?;
    if app.terminal.json {
        app.terminal.print_json(&output)?;
        return Ok(());
    }
    let list: WorkbenchListOutput = shaped(output)?;
    let mut text = show::workbenches(&list, app.settings.workbench.as_deref(), app.env.now());
    text.push_str(&format!("\n{STRONG}Next{STRONG:#}\n"));
    for (command, words) in next_commands(app, &list) {
        text.push_str(&format!("  {MARK}{command:<22}{MARK:#} {FAINT}{words}{FAINT:#}\n"));
    }
    Ok(app.terminal.print(&text)?)
}

fn next_commands(app: &App, list: &WorkbenchListOutput) -> Vec<(&'static str, &'static str)> {
    let chosen = app.settings.workbench.as_deref();
    let chosen = list.workbenches.iter().find(|info| Some(info.id.as_str()) == chosen);
    let mut next = match chosen {
        _ if list.workbenches.is_empty() => {
            vec![("jig demo", "try Jig with sample files"), ("jig new NAME", "create a workbench")]
        }
        None => vec![("jig use ID", "switch to a workbench"), ("jig new NAME", "create another")],
        Some(info) if info.draft.is_some() => vec![
            ("jig review", "see what the Draft changes"),
            ("jig publish", "publish them"),
            ("jig discard", "discard them"),
        ],
        Some(info) if info.files == 0 => vec![("jig add FILE…", "add files")],
        Some(_) => vec![
            ("jig files", "list the files"),
            ("jig write PATH", "write a text file in a Draft"),
            ("jig mcp --install …", "connect an agent"),
        ],
    };
    next.push(("jig help", "all commands"));
    next
}

/// `jig use ID`.
pub(crate) async fn choose(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let id = matches.get_one::<String>("id").map(String::as_str).unwrap_or_default();
    let workbench = app.open().await?;
    let params = json!(WorkbenchGetParams { workbench_id: id.into() });
    let output = operation::call(app, &workbench, WorkbenchGet::NAME, params).await?;
    current::write(&app.settings.home, id)?;
    print_as::<WorkbenchGet>(app, &output)
}

/// `jig apply PATH OPS`: chooses the operation by the file name extension.
pub(crate) async fn apply(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let path = text("path").unwrap_or_default();
    let op = operation_for(path)?;
    let ops: Value =
        serde_json::from_str(&operation::file_or_input(app, text("ops").unwrap_or_default())?).map_err(|e| {
            OpError::new(Code::InvalidParams, format!("the ops are not JSON: {e}"))
                .hint("expected a list of objects, each with an `op`")
        })?;
    let mut params = json!({
        "workbench_id": app.workbench()?, "path": path, "ops": ops,
        "create_new": matches.get_flag("create-new"), "dry_run": matches.get_flag("dry-run"),
        "must_exist": matches.get_flag("must-exist"),
    });
    for (name, given) in [("copy_from", text("copy-from")), ("base_hash", text("base-hash"))] {
        if let Some(given) = given {
            params[name] = given.into();
        }
    }
    let workbench = app.open().await?;
    let output = operation::call(app, &workbench, op.name, params).await?;
    operation::print(app, &op, &output)?;
    let receipt = &output["receipt"];
    if !matches.get_flag("dry-run") && receipt["hash_before"] != receipt["hash_after"] {
        app.terminal.note("`jig review` shows the Draft's changes, `jig publish` publishes them");
    }
    Ok(())
}

fn operation_for(path: &str) -> Result<OpSpec, OpError> {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "xlsx" | "xlsm" | "xltx" | "xltm" => Ok(OpSpec::of::<XlsxApplyOps>()),
        "docx" | "docm" | "dotx" | "dotm" => Ok(OpSpec::of::<DocxApplyOps>()),
        "pptx" | "pptm" | "ppsx" | "ppsm" | "potx" | "potm" => Ok(OpSpec::of::<PptxApplyOps>()),
        "pdf" | "odt" | "png" | "jpg" | "jpeg" | "gif" | "webp" => {
            Err(OpError::new(Code::ValidationFailed, format!("ops cannot be applied to `{path}`"))
                .hint("ops are for Word, Excel, PowerPoint and text files"))
        }
        // The operation itself rejects names that are not text files.
        _ => Ok(OpSpec::of::<TextApplyOps>()),
    }
}

/// `jig checkpoint [NAME]`.
pub(crate) async fn checkpoint(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let now = app.env.now().to_string();
    let name = matches.get_one::<String>("name").cloned().unwrap_or_else(|| show::minute(&now));
    let workbench = app.open().await?;
    let params = json!({ "workbench_id": app.workbench()?, "name": name });
    let output = operation::call(app, &workbench, CheckpointCreate::NAME, params).await?;
    print_as::<CheckpointCreate>(app, &output)
}

/// `jig review [PATH]`: everything the Draft changes, with diffs.
pub(crate) async fn review(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let workbench = app.open().await?;
    let id = app.workbench()?;
    let path = matches.get_one::<String>("path");
    let page = matches.get_one::<u32>("page").copied();
    if app.terminal.json {
        let output = match path {
            Some(path) => {
                let params = json!({ "workbench_id": id, "path": path, "page": page.unwrap_or(1) });
                workbench.call(ReviewGetDiff::NAME, person(), params).await?
            }
            None => workbench.call(ReviewGetChangeSet::NAME, person(), json!({ "workbench_id": id })).await?,
        };
        app.terminal.print_json(&output)?;
        return Ok(());
    }
    let text = match path {
        Some(path) => pages(&workbench, id, path, page, app.terminal).await?,
        None => review_text(&workbench, id, None, app.terminal).await?,
    };
    app.terminal.print(&text)?;
    match path {
        None => app.terminal.note(
            "`jig reject FILE [CHANGE…]` rejects changes, `jig publish` publishes the Draft, `jig discard` discards it",
        ),
        Some(path) => {
            app.terminal
                .note(&format!("`jig reject {path} CHANGE…` or `jig accept {path} CHANGE…` with the ids above"));
        }
    }
    Ok(())
}

/// The review as text.
pub(crate) async fn review_text(
    workbench: &Workbench,
    id: &str,
    path: Option<&str>,
    terminal: Terminal,
) -> Result<String, OpError> {
    if let Some(path) = path {
        return pages(workbench, id, path, None, terminal).await;
    }
    let set = workbench.call(ReviewGetChangeSet::NAME, person(), json!({ "workbench_id": id })).await?;
    let set: ReviewGetChangeSetOutput = shaped(set)?;
    let mut text = show::change_set(&set);
    for FileChange { path, .. } in &set.changes {
        text.push('\n');
        text.push_str(&pages(workbench, id, path.as_str(), None, terminal).await?);
    }
    Ok(text)
}

/// How many pages of a diff are shown if no page is requested.
const PAGES: u32 = 5;

/// One page of a file's diff, or the first ones with a note on how to get the rest.
async fn pages(
    workbench: &Workbench,
    id: &str,
    path: &str,
    only: Option<u32>,
    terminal: Terminal,
) -> Result<String, OpError> {
    let (mut text, mut page) = (String::new(), only.unwrap_or(1));
    loop {
        let params = json!({ "workbench_id": id, "path": path, "page": page });
        let output: ReviewGetDiffOutput = shaped(workbench.call(ReviewGetDiff::NAME, person(), params).await?)?;
        text.push_str(&show::diff(&output, terminal.paints()));
        if page >= output.pages {
            return Ok(text);
        }
        if only.is_some() || page >= PAGES {
            let next = page + 1;
            text.push_str(&format!(
                "{FAINT}# page {page} of {}; `jig review {path} --page {next}` shows more{FAINT:#}\n",
                output.pages
            ));
            return Ok(text);
        }
        page += 1;
    }
}

/// `jig prompt [MESSAGE]`: the token breakdown as bars, or the prompt itself.
pub(crate) async fn prompt(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let mut params = json!({ "workbench_id": app.workbench()? });
    for name in ["message", "model"] {
        if let Some(given) = matches.get_one::<String>(name) {
            params[name] = given.as_str().into();
        }
    }
    let workbench = app.open().await?;
    let output = operation::call(app, &workbench, PromptAssemble::NAME, params).await?;
    if matches.get_flag("text") && !app.terminal.json {
        let output: PromptAssembleOutput = shaped(output)?;
        return Ok(app.terminal.print(&show::prompt_text(&output))?);
    }
    print_as::<PromptAssemble>(app, &output)
}

/// A noun without a verb: runs its default operation.
pub(crate) async fn noun(app: &App, noun: &str, matches: &ArgMatches) -> Result<(), Stop> {
    let missing = || OpError::new(Code::Internal, format!("`{noun}` needs a verb"));
    let op = default_operation(noun).ok_or_else(missing)?;
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().map(String::as_str);
    let named = text("workbench_id");
    let mut params = match (named, noun) {
        (_, "token") => json!({}),
        (Some(id), _) => json!({ "workbench_id": id }),
        (None, "stats") => json!({}),
        (None, "model") => app.settings.workbench.as_ref().map_or(json!({}), |id| json!({ "workbench_id": id })),
        (None, _) => json!({ "workbench_id": app.workbench()? }),
    };
    for name in ["role", "model", "stage", "artifact_slug", "text", "current_artifact"] {
        if let Some(given) = text(name) {
            params[name] = given.into();
        }
    }
    let workbench = app.open().await?;
    let output = operation::call(app, &workbench, op.name, params).await?;
    operation::print(app, op, &output)
}

/// `jig job run`: runs the jobs that are due in all workbenches.
pub(crate) async fn run_jobs(app: &App) -> Result<(), Stop> {
    let workbench = app.open().await?;
    let ended = workbench.run_due_jobs(&tokio_util::sync::CancellationToken::new()).await?;
    if app.terminal.json {
        return Ok(app.terminal.print_json(&json!({ "jobs": ended }))?);
    }
    let shown = show::jobs(&ended, None, app.env.now());
    Ok(app.terminal.print(&shown.text)?)
}

pub(crate) fn settings(app: &App) -> Result<(), Stop> {
    crate::serve::warn_unconfined(app);
    if app.terminal.json {
        app.terminal.print_json(&app.settings.to_json())?;
        return Ok(());
    }
    Ok(app.terminal.print(&show::settings(&app.settings.shown))?)
}

fn print_as<O: Operation>(app: &App, output: &Value) -> Result<(), Stop> {
    operation::print(app, &OpSpec::of::<O>(), output)
}

fn shaped<T: DeserializeOwned>(output: Value) -> Result<T, OpError> {
    serde_json::from_value(output).map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))
}
