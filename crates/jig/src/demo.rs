//! `jig demo`: a workbench from built-in files, with the Draft of an agent that ran in it.

mod make;

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jig_contract::ops::{EventListOutput, SessionShowOutput, WorkbenchInfo};
use jig_contract::{Code, Event, OpError};
use jig_workbench::{Config, Workbench};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::settings::Stay;
use crate::show::workshop::{in_item, row};
use crate::stop::Stop;
use crate::terminal::{FAINT, MARK, STRONG, plain};
use crate::{progress, serve, show, verbs};
pub(crate) use make::make;
use make::{DemoWorkbench, TASK};

/// The minimum query timeout for the demo.
const PATIENCE_MS: u64 = 60_000;

/// Creates the demo and shows it. Serves the web app if a person is at the terminal or asked for it.
pub(crate) async fn run(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    check_sql_engine(app)?;
    let home = home(app);
    // The user's own settings apply, so that their models can be tried, but the demo stays in its own home: it must not
    // touch a configured database or bucket.
    let settings = app.settings.config(Stay::Long);
    let mut place = Config { home: home.clone(), database: None, blobs: None, blob_options: Vec::new(), ..settings };
    // The demo's table is small. If a query takes long, the machine is busy, perhaps with compiling Jig.
    place.tables.timeout_ms = place.tables.timeout_ms.max(PATIENCE_MS);
    let workbench = Workbench::open(place, app.env.clone()).await?;
    let making = make(&workbench, &home);
    let made = if app.terminal.shows_progress() {
        progress::during(workbench.events(), making).await?
    } else {
        making.await?
    };
    let DemoWorkbench { id, session } = &made;
    if app.terminal.json {
        let info = workbench.call("WorkbenchGet", person(), json!({ "workbench_id": id })).await?;
        app.terminal.print_json(&json!({ "home": home, "workbench": info, "session_id": session }))?;
        return Ok(());
    }
    tell(app, &workbench, &home, &made).await?;
    if matches.get_flag("serve") || (app.terminal.shows_output() && !matches.get_flag("no-serve")) {
        return serve::demo(app, workbench, home, id).await;
    }
    Ok(())
}

/// The demo's agent runs SQL. Without the engine it would fail halfway, so nothing is started.
fn check_sql_engine(app: &App) -> Result<(), OpError> {
    let engine = app.settings.sql_engine();
    if engine.is_file() {
        return Ok(());
    }
    let words = format!("the demo needs the SQL engine, and {} does not exist", engine.display());
    let hint = if crate::settings::is_built_from_source(&engine) {
        "run `cargo xtask demo`, which builds it too"
    } else {
        "install Jig again, or set `tables.engine` to the path of `jig-sql`"
    };
    Err(OpError::new(Code::ToolWorkerUnavailable, words).hint(hint))
}

/// The given home, or a new temporary folder.
fn home(app: &App) -> PathBuf {
    let given = app.settings.shown.iter().any(|shown| shown.key == "home" && shown.source == "--home");
    if given {
        return app.settings.home.clone();
    }
    std::env::temp_dir().join(format!("jig-demo-{}", app.env.fresh_id().simple()))
}

async fn tell(app: &App, workbench: &Workbench, home: &Path, made: &DemoWorkbench) -> Result<(), Stop> {
    let DemoWorkbench { id, session } = made;
    let of = |mut params: Value| {
        params["workbench_id"] = id.as_str().into();
        params
    };
    let asked = async |name: &'static str, params: Value| {
        let output = workbench.call(name, person(), of(params)).await?;
        Ok::<_, OpError>(show::human(name, &output, app).text)
    };
    let mut text = format!("{STRONG}A demo workbench{STRONG:#}  {FAINT}{}{FAINT:#}\n\n", home.display());
    let mut part = |title: &str, body: &str| text.push_str(&format!("{STRONG}{title}{STRONG:#}\n{body}\n"));
    part("Files", &asked("FileList", json!({ "root": "published" })).await?);
    part("Context sent with every prompt", &asked("ContextList", json!({})).await?);
    part("Structured entries", &asked("EntryList", json!({})).await?);
    let recipe = json!({ "recipe": "weekly-content-calendar" });
    part("The context of a recipe, and the tokens it saves", &asked("RecipeAssemble", recipe).await?);
    let params = json!({ "session_id": session, "limit": 1_000 });
    let events = shaped(workbench.call("SessionEvents", person(), of(params)).await?)?;
    part("An agent task (scripted model, no key needed)", &format!("“{TASK}”\n{}", story(&events)));
    let params = json!({ "session_id": session, "step": 1 });
    let step: SessionShowOutput = shaped(workbench.call("SessionShow", person(), of(params)).await?)?;
    let bill = step.bill.map(|bill| show::bill(&bill, app)).unwrap_or_default();
    part("What the model saw in its first step, with its token breakdown", &bill);
    part("What the agent changed in the Draft", &verbs::review_text(workbench, id, None, app.terminal).await?);
    part("History", &asked("JournalList", json!({})).await?);
    let info: WorkbenchInfo = shaped(workbench.call("WorkbenchGet", person(), of(json!({}))).await?)?;
    if let Some(folder) = info.folder {
        part("The workbench's folder, with plain files that you can open and edit", &format!("{folder}\n"));
    }
    text.push_str(&format!("{STRONG}Next{STRONG:#}\n{}", next(&program(app), home, made)));
    Ok(app.terminal.print(&text)?)
}

/// The events of the session, as the tree that `jig ask` shows.
fn story(events: &EventListOutput) -> String {
    let (mut text, mut inside) = (String::new(), false);
    for record in &events.events {
        let Event::Session { what, .. } = &record.event else { continue };
        if let Some(row) = row(what, inside) {
            let (indent, style) = ("  ".repeat(row.depth), row.style);
            text.push_str(&format!("{indent}{style}{}{}{style:#}\n", row.mark, plain(&row.text)));
        }
        inside = in_item(what, inside);
    }
    text
}

/// Commands to try next, with their purpose.
fn next(jig: &str, home: &Path, made: &DemoWorkbench) -> String {
    let DemoWorkbench { id, session } = made;
    let lines = [
        ("publish", "publish the Draft's files"),
        ("discard", "or discard it"),
        ("undo", "undo the newest change"),
        (&format!("session show {session} --step 9"), "what the model saw in a step, byte for byte"),
        (&format!("session replay {session}"), "replay the task from its log and verify that it is identical"),
        ("ask 'How much went to wages?' --model PROVIDER:MODEL", "ask with a real model; `jig model list` shows them"),
    ];
    let mut text = String::new();
    for (verb, what) in lines {
        text.push_str(&format!(
            "  {MARK}{jig} {verb} --home {} -w {id}{MARK:#}  {FAINT}{what}{FAINT:#}\n",
            home.display()
        ));
    }
    text.push_str(&format!(
        "  {MARK}{jig} serve --home {}{MARK:#}  {FAINT}open the web app{FAINT:#}\n",
        home.display()
    ));
    text
}

fn shaped<T: DeserializeOwned>(value: Value) -> Result<T, OpError> {
    serde_json::from_value(value).map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))
}

/// The command that runs this program again: its name, or its path if it is not found through `PATH`.
fn program(app: &App) -> String {
    let path = app.environment.get("PATH").unwrap_or_default();
    let found = std::env::split_paths(path).any(|folder| folder.join("jig").is_file());
    let place = std::env::current_exe().ok().filter(|_| !found);
    place.map_or_else(|| "jig".to_owned(), |place| place.display().to_string())
}
