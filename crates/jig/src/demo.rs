//! `jig demo`: a workbench from files that the program carries, with one edit in its Draft.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jig_contract::ops::{FileReadOutput, WorkbenchInfo};
use jig_contract::{Actor, Code, OpError};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::stop::Stop;
use crate::terminal::{FAINT, MARK, STRONG};
use crate::{serve, show, verbs};

/// The files, as they were made for the demo.
static FILES: &[(&str, &[u8])] = &[
    ("bank.csv", include_bytes!("../../../demo/files/bank.csv")),
    ("budget.xlsx", include_bytes!("../../../demo/files/budget.xlsx")),
    ("deck.pptx", include_bytes!("../../../demo/files/deck.pptx")),
    ("notes.txt", include_bytes!("../../../demo/files/notes.txt")),
    ("policy.pdf", include_bytes!("../../../demo/files/policy.pdf")),
    ("report.docx", include_bytes!("../../../demo/files/report.docx")),
];

/// What the demo knows in fields.
const ENTRIES: &str = include_str!("../../../demo/entries.json");

/// Its plans, with what is done and what an agent advises.
const ARTIFACTS: &str = include_str!("../../../demo/artifacts.json");

/// What the scripted edit adds.
const ADDED: &str = "\nNext step\n- Ask Harrow Couriers in writing whether the contract renews by itself.\n";

/// Makes the demo, shows it, and serves its page where a person looks on or it is asked for.
pub(crate) async fn run(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let home = home(app);
    // Only the home: a demo has no business in anybody's database or bucket.
    let workbench = Workbench::open(Config::new(&home), app.env.clone()).await?;
    let id = make(&workbench, &home).await?;
    if app.terminal.json {
        let info = workbench.call("WorkbenchGet", person(), json!({ "workbench_id": id })).await?;
        app.terminal.print_json(&json!({ "home": home, "workbench": info }))?;
        return Ok(());
    }
    tell(app, &workbench, &home, &id).await?;
    if matches.get_flag("serve") || (app.terminal.shows_output() && !matches.get_flag("no-serve")) {
        return serve::demo(app, workbench, home, &id).await;
    }
    Ok(())
}

/// Makes the workbench, with its files, its entries and an edit that waits; gives its id.
pub(crate) async fn make(workbench: &Workbench, home: &Path) -> Result<String, OpError> {
    let info = workbench.call("WorkbenchCreate", person(), json!({ "name": "Demo" })).await?;
    let id = info["id"].as_str().unwrap_or_default().to_owned();
    add_files(workbench, home, &id).await?;
    add_entries(workbench, &id).await?;
    add_artifacts(workbench, &id).await?;
    edit(workbench, &id).await?;
    Ok(id)
}

/// The given home, or a fresh folder that goes with the system's other temporary files.
fn home(app: &App) -> PathBuf {
    let given = app.settings.shown.iter().any(|shown| shown.key == "home" && shown.source == "--home");
    if given {
        return app.settings.home.clone();
    }
    std::env::temp_dir().join(format!("jig-demo-{}", app.env.fresh_id().simple()))
}

async fn add_files(workbench: &Workbench, home: &Path, id: &str) -> Result<(), OpError> {
    let folder = home.join(format!(".demo-{id}"));
    let failed =
        |e: std::io::Error| OpError::new(Code::FileWriteFailed, format!("the demo's files could not be written: {e}"));
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut paths = Vec::new();
    for (name, bytes) in FILES {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(failed)?;
        paths.push(path);
    }
    let added = workbench.call("FileAdd", person(), json!({ "workbench_id": id, "paths": paths })).await;
    // Only what was just written, whether or not it was taken in.
    fs::remove_dir_all(&folder).map_err(failed)?;
    added.map(|_| ())
}

/// Brand, customer, problem and two competitors, as a person would fill them.
async fn add_entries(workbench: &Workbench, id: &str) -> Result<(), OpError> {
    let entries: Vec<Value> =
        serde_json::from_str(ENTRIES).map_err(|e| OpError::new(Code::Internal, format!("the demo's entries: {e}")))?;
    for mut entry in entries {
        entry["workbench_id"] = id.into();
        workbench.call("EntryPut", person(), entry).await?;
    }
    Ok(())
}

/// Two plans: sections that are done, and a suggestion that waits.
async fn add_artifacts(workbench: &Workbench, id: &str) -> Result<(), OpError> {
    let artifacts: Vec<Value> = serde_json::from_str(ARTIFACTS)
        .map_err(|e| OpError::new(Code::Internal, format!("the demo's artifacts: {e}")))?;
    for artifact in artifacts {
        let params = json!({ "workbench_id": id, "title": artifact["title"], "content": artifact["content"] });
        let made = workbench.call("ArtifactCreate", person(), params).await?;
        let slug = &made["artifact"]["slug"];
        for section in artifact["done"].as_array().into_iter().flatten() {
            let op = json!({ "operation": "mark_section_done", "artifact_slug": slug, "section_slug": section, "is_done": true });
            workbench.call("ArtifactApplyOps", person(), json!({ "workbench_id": id, "ops": [op] })).await?;
        }
        let mut op = artifact["suggestion"].clone();
        if op.is_object() {
            op["operation"] = "suggest_edit".into();
            op["artifact_slug"] = slug.clone();
            let agent = CallContext::new(Actor::agent("demo"));
            workbench.call("ArtifactApplyOps", agent, json!({ "workbench_id": id, "ops": [op] })).await?;
        }
    }
    Ok(())
}

/// One edit, as an agent makes it: read, then write to the Draft with the hash of what was read.
async fn edit(workbench: &Workbench, id: &str) -> Result<(), OpError> {
    let agent = || CallContext::new(Actor::agent("demo"));
    let params = json!({ "workbench_id": id, "path": "notes.txt", "line_count": 10_000 });
    let read = workbench.call("FileRead", agent(), params).await?;
    let read: FileReadOutput = serde_json::from_value(read).map_err(|e| OpError::new(Code::Internal, e.to_string()))?;
    let text = format!("{}\n{ADDED}", read.text.trim_end_matches('\n'));
    let params = json!({ "workbench_id": id, "path": "notes.txt", "text": text, "base_hash": read.hash });
    workbench.call("DraftWriteText", agent(), params).await.map(|_| ())
}

async fn tell(app: &App, workbench: &Workbench, home: &Path, id: &str) -> Result<(), Stop> {
    let params = json!({ "workbench_id": id });
    let mut text = format!("{STRONG}A demo workbench{STRONG:#}  {FAINT}{}{FAINT:#}\n\n", home.display());
    let mut part = |title: &str, body: &str| text.push_str(&format!("{STRONG}{title}{STRONG:#}\n{body}\n"));
    part(
        "Its files",
        &shown(
            app,
            "FileList",
            &workbench.call("FileList", person(), json!({ "workbench_id": id, "root": "published" })).await?,
        ),
    );
    part(
        "What is known in fields",
        &shown(app, "EntryList", &workbench.call("EntryList", person(), params.clone()).await?),
    );
    let recipe = json!({ "workbench_id": id, "recipe": "weekly-content-calendar" });
    let cost = workbench.call("RecipeAssemble", person(), recipe).await?;
    part("What a recipe takes of it, and what that saves", &shown(app, "RecipeAssemble", &cost));
    part("What an agent changed in the Draft", &verbs::review_text(workbench, id, None).await?);
    part("Its history", &shown(app, "JournalList", &workbench.call("JournalList", person(), params.clone()).await?));
    let info = workbench.call("WorkbenchGet", person(), params).await?;
    let info: WorkbenchInfo = serde_json::from_value(info).map_err(|e| OpError::new(Code::Internal, e.to_string()))?;
    if let Some(folder) = info.folder {
        part("Its folder, with plain files that you may open and edit", &format!("{folder}\n"));
    }
    text.push_str(&format!("{STRONG}Next{STRONG:#}\n"));
    let (jig, home) = (program(app), home.display());
    for verb in ["publish", "discard", "log", "undo"] {
        text.push_str(&format!("  {MARK}{jig} {verb} --home {home} -w {id}{MARK:#}\n"));
    }
    text.push_str(&format!("  {MARK}{jig} serve --home {home}{MARK:#}  {FAINT}the same in a browser{FAINT:#}\n"));
    Ok(app.terminal.print(&text)?)
}

/// What to type to run this program again: its name, or its place when a shell would not find it.
fn program(app: &App) -> String {
    let path = app.environment.get("PATH").unwrap_or_default();
    let found = std::env::split_paths(path).any(|folder| folder.join("jig").is_file());
    let place = std::env::current_exe().ok().filter(|_| !found);
    place.map_or_else(|| "jig".to_owned(), |place| place.display().to_string())
}

fn shown(app: &App, name: &str, output: &Value) -> String {
    show::human(name, output, app).text
}
