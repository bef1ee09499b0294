//! `jig artifact show`, `edit`, `done`, `undone` and `context`: commands for working with artifacts at the command line.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jig_contract::ops::{
    AgentContextBuild, ArtifactApplyOps, ArtifactExportOutput, ArtifactGet, ArtifactOutput, ArtifactPut,
};
use jig_contract::{Code, OpError, OpSpec, Operation};
use jig_workbench::Workbench;
use serde_json::{Value, json};

use crate::app::App;
use crate::operation;
use crate::stop::Stop;

/// The commands that are more than an alias of an operation.
pub(crate) fn commands(workbench: Option<&str>) -> Vec<Command> {
    let here = || {
        let arg = Arg::new("workbench_id").short('w').long("workbench").value_name("ID");
        let arg = arg.help("The workbench [default: the current one]");
        match workbench {
            Some(id) => arg.default_value(id.to_owned()).hide_default_value(true),
            None => arg,
        }
    };
    let slug = || Arg::new("slug").value_name("ARTIFACT").required(true).help("The artifact, such as `concept`");
    let sections = || {
        let arg = Arg::new("sections").value_name("SECTION").action(ArgAction::Append).num_args(1..).required(true);
        arg.help("The sections")
    };
    let section = |help: &'static str| Arg::new("section").value_name("SECTION").help(help);
    vec![
        Command::new("show")
            .about("Print an artifact's Markdown, or the text of one section")
            .arg(slug())
            .arg(section("Only this section"))
            .arg(here()),
        Command::new("edit")
            .about("Edit an artifact, or one section of it, in your editor or from standard input")
            .after_help(
                "The editor is that of VISUAL or EDITOR. Piped input replaces the text instead:\n  \
                 jig artifact edit concept what-is-it < text.md",
            )
            .arg(slug())
            .arg(section("Only the text of this section"))
            .arg(Arg::new("reason").long("reason").value_name("WORDS").help("Why"))
            .arg(
                Arg::new("override")
                    .long("override")
                    .action(ArgAction::SetTrue)
                    .help("Change it even if it is finalized; the history records this"),
            )
            .arg(here()),
        Command::new("context")
            .about("Show what an agent sees when it works on an artifact")
            .arg(slug().required(false))
            .arg(Arg::new("message").value_name("MESSAGE").help("The user's message: what it refers to is included"))
            .arg(
                Arg::new("level")
                    .long("level")
                    .value_name("LEVEL")
                    .value_parser(["auto", "minimal", "standard", "full"])
                    .help("The level of detail [default: chosen by the message]"),
            )
            .arg(Arg::new("model").long("model").value_name("MODEL").help("The model whose window to use"))
            .arg(Arg::new("text").long("text").action(ArgAction::SetTrue).help("Print it as in a prompt"))
            .arg(here()),
        Command::new("done").about("Mark sections as done").arg(slug()).arg(sections()).arg(here()),
        Command::new("undone").about("Remove the done mark of sections").arg(slug()).arg(sections()).arg(here()),
    ]
}

/// Whether `jig artifact NAME` is one of these commands rather than an operation.
pub(crate) fn is_own(name: Option<&str>) -> bool {
    matches!(name, Some("show" | "edit" | "context" | "done" | "undone"))
}

pub(crate) async fn run(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let workbench = app.open().await?;
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let id = match text("workbench_id") {
        Some(id) => id,
        None => app.workbench()?.to_owned(),
    };
    let slug = text("slug").unwrap_or_default();
    match name {
        "show" => show(app, &workbench, &id, &slug, matches.get_one::<String>("section")).await,
        "context" => context(app, &workbench, &id, matches).await,
        "edit" => edit(app, &workbench, &id, &slug, matches).await,
        done => {
            let sections = matches.get_many::<String>("sections").into_iter().flatten();
            let ops: Vec<Value> = sections
                .map(|section| {
                    json!({ "operation": "mark_section_done", "artifact_slug": slug, "section_slug": section,
                            "is_done": done == "done" })
                })
                .collect();
            let params = json!({ "workbench_id": id, "ops": ops });
            let output = operation::call(app, &workbench, ArtifactApplyOps::NAME, params).await?;
            operation::print(app, &OpSpec::of::<ArtifactApplyOps>(), &output)
        }
    }
}

async fn show(app: &App, workbench: &Workbench, id: &str, slug: &str, section: Option<&String>) -> Result<(), Stop> {
    let sections: Vec<&String> = section.into_iter().collect();
    let params = json!({ "workbench_id": id, "slug": slug, "sections": sections });
    let output = operation::call(app, workbench, ArtifactGet::NAME, params).await?;
    if app.terminal.json {
        return Ok(app.terminal.print_json(&output)?);
    }
    let text = texts(output)?.1;
    Ok(app.terminal.print(&crate::terminal::plain(&text))?)
}

async fn context(app: &App, workbench: &Workbench, id: &str, matches: &ArgMatches) -> Result<(), Stop> {
    let mut params = json!({ "workbench_id": id });
    for (argument, name) in [("slug", "artifact"), ("message", "message"), ("level", "level"), ("model", "model")] {
        if let Some(given) = matches.get_one::<String>(argument) {
            params[name] = given.as_str().into();
        }
    }
    let output = operation::call(app, workbench, AgentContextBuild::NAME, params).await?;
    if matches.get_flag("text") && !app.terminal.json {
        let text = output["text"].as_str().unwrap_or_default();
        return Ok(app.terminal.print(&crate::terminal::plain(text))?);
    }
    operation::print(app, &OpSpec::of::<AgentContextBuild>(), &output)
}

/// The tag of an artifact's revision, with the text of the artifact or of the requested section.
fn texts(output: Value) -> Result<(String, String), OpError> {
    let output: ArtifactOutput = serde_json::from_value(output)
        .map_err(|e| OpError::new(Code::Internal, "unexpected artifact format").because(e))?;
    let artifact = output.artifact;
    let text = match artifact.content {
        Some(content) => content,
        None => artifact.sections.into_iter().filter_map(|section| section.content).collect::<Vec<_>>().join("\n"),
    };
    Ok((artifact.etag, text))
}

async fn edit(app: &App, workbench: &Workbench, id: &str, slug: &str, matches: &ArgMatches) -> Result<(), Stop> {
    let section = matches.get_one::<String>("section");
    let sections: Vec<&String> = section.into_iter().collect();
    let params = json!({ "workbench_id": id, "slug": slug, "sections": sections });
    let (revision, before) = texts(operation::call(app, workbench, ArtifactGet::NAME, params).await?)?;
    let (after, kept) = if std::io::stdin().is_terminal() {
        let path = in_editor(app, slug, &before)?;
        (operation::file_or_input(app, &path.display().to_string())?, Some(path))
    } else {
        (operation::file_or_input(app, "-")?, None)
    };
    if after.trim().is_empty() && kept.is_none() {
        let words = "standard input is empty; an empty text would delete the content";
        return Err(OpError::new(Code::ValidationFailed, words)
            .hint("`jig artifact put ARTIFACT --content ''` empties an artifact")
            .into());
    }
    if after.trim_end() == before.trim_end() {
        forget(kept);
        app.terminal.note("nothing was changed");
        return Ok(());
    }
    let (name, mut params) = match section {
        None => (ArtifactPut::NAME, json!({ "workbench_id": id, "slug": slug, "content": after })),
        Some(section) => (
            ArtifactApplyOps::NAME,
            json!({ "workbench_id": id, "ops": [{
                "operation": "update_section", "artifact_slug": slug, "section_slug": section, "content": after,
                "reason": matches.get_one::<String>("reason"),
            }] }),
        ),
    };
    params["base_revision"] = revision.into();
    params["override"] = matches.get_flag("override").into();
    if let (None, Some(reason)) = (section, matches.get_one::<String>("reason")) {
        params["reason"] = reason.as_str().into();
    }
    let op = jig_contract::find(name).ok_or_else(|| OpError::new(Code::Internal, "an operation is missing"))?;
    match operation::call(app, workbench, name, params).await {
        Ok(output) => {
            forget(kept);
            operation::print(app, op, &output)
        }
        // The text that the person typed must survive a failed save.
        Err(error) => Err(match kept {
            Some(path) => error.hint(format!("your text is saved in {}", path.display())),
            None => error,
        }
        .into()),
    }
}

fn forget(path: Option<PathBuf>) {
    if let Some(path) = path {
        let _ = std::fs::remove_file(path);
    }
}

/// Opens the text in the person's editor and returns the file.
fn in_editor(app: &App, slug: &str, text: &str) -> Result<PathBuf, OpError> {
    let editor = app.environment.get("VISUAL").or_else(|| app.environment.get("EDITOR")).ok_or_else(|| {
        OpError::new(Code::ValidationFailed, "no editor is configured")
            .hint("set EDITOR, or pipe the new text in: `jig artifact edit ARTIFACT < FILE`")
    })?;
    let failed = |e: std::io::Error| OpError::new(Code::FileWriteFailed, format!("the text could not be written: {e}"));
    let folder = app.settings.home.join("scratch");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let name: String = slug.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let path = folder.join(format!("{name}-{}.md", std::process::id()));
    std::fs::write(&path, text).map_err(failed)?;
    // The variable may include options, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(editor);
    let status =
        std::process::Command::new(program).args(words).arg(&path).status().map_err(|e| {
            OpError::new(Code::FileReadFailed, format!("the editor `{editor}` could not be started: {e}"))
        })?;
    if !status.success() {
        return Err(OpError::new(Code::UserCanceled, format!("the editor exited with {status}; nothing was changed"))
            .hint(format!("your text is saved in {}", path.display())));
    }
    Ok(path)
}

/// `jig artifact export ARTIFACT --out FILE`. Never overwrites an existing file.
pub(crate) fn write(app: &App, output: &Value, out: &str) -> Result<(), Stop> {
    let output: ArtifactExportOutput = serde_json::from_value(output.clone())
        .map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))?;
    let text = match &output.content.0 {
        Value::String(text) => text.clone(),
        document => format!("{document:#}\n"),
    };
    let path = app.environment.folder.join(out);
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let failed = |e: std::io::Error| {
        OpError::new(Code::FileWriteFailed, format!("{out} could not be written: {e}")).hint("choose another name")
    };
    written.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes())).map_err(failed)?;
    output.warnings.iter().for_each(|warning| app.terminal.note(warning));
    app.terminal.note(&format!("wrote {out}"));
    Ok(())
}
