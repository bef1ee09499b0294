//! The web app in a browser: the first paint of each screen, in a large workbench.

use std::path::{Path, PathBuf};
use std::process::Command;

use jig_contract::Env;
use jig_workbench::{Config, Workbench};
use serde_json::{Value, json};

use crate::bench::call;
use crate::entries;
use crate::http::server;

const FILES: usize = 1_000;
const ENTRIES: usize = 10_000;
const ARTIFACTS: usize = 100;

/// The maximum time to first paint in milliseconds, and the maximum script size.
const PAINT: f64 = 200.0;
const SCRIPT: u64 = 150_000;

/// Tools that are not part of Jig.
pub(crate) struct Tools {
    /// A Python with Playwright.
    pub(crate) python: PathBuf,
    /// The script that drives the browser.
    pub(crate) script: PathBuf,
    pub(crate) chromium: PathBuf,
}

/// Prints the table.
pub(crate) async fn measure(tools: &Tools) {
    println!("\n## The web app\n");
    println!(
        "First contentful paint in headless Chromium on loopback, in a workbench with {FILES} files, {ENTRIES} entries,"
    );
    println!(
        "{ARTIFACTS} artifacts of ten sections, a session and a Draft; each visit with an empty browser cache. The token breakdown of a prompt and the context of a recipe load after the first paint.\n"
    );
    let home = tempfile::tempdir().expect("a folder");
    entries::fill(home.path(), None, ENTRIES).await;
    add_files(home.path()).await;
    let server = server::Server::start_anywhere(home.path());
    let measured = painted(tools, &format!("http://{}", server.address));
    println!("| screen | first visit: answer, ms | paint, ms | median of six more: answer, ms | paint, ms | target |");
    println!("|---|---:|---:|---:|---:|---|");
    for (name, times) in measured["screens"].as_object().into_iter().flatten() {
        let time = |at: usize| times[at].as_f64().unwrap_or(f64::NAN);
        let met = if time(1).max(time(3)) < PAINT { "met" } else { "**missed**" };
        let [answer, paint, later, painted] = [0, 1, 2, 3].map(time);
        println!("| {name} | {answer:.0} | {paint:.0} | {later:.0} | {painted:.0} | < 200 ms: {met} |");
    }
    let script = measured["script_bytes"].as_u64().unwrap_or(u64::MAX);
    println!(
        "\nScript: {script} bytes ({} than the limit of {SCRIPT} bytes).",
        if script < SCRIPT { "less" } else { "**more**" }
    );
}

/// A thousand small texts, one of them changed in a Draft.
async fn add_files(home: &Path) {
    let from = tempfile::tempdir().expect("a folder");
    let folder = from.path().join("in");
    std::fs::create_dir(&folder).expect("a folder");
    for n in 0..FILES {
        let text = format!("Report {n}\nRevenue of the quarter: {}\n", n * 7).repeat(20);
        std::fs::write(folder.join(format!("file-{n:04}.txt")), text).expect("a file");
    }
    // With the folder on disk, as for the measured server.
    let workbench = Workbench::open(Config::new(home), Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    call(&workbench, "FileAdd", json!({ "paths": [folder] })).await;
    call(&workbench, "DraftWriteText", json!({ "path": "in/file-0001.txt", "text": "Changed\n" })).await;
    for n in 0..ARTIFACTS {
        let sections: String = (1..=10).map(|s| format!("## Section {s}\n\nWhat is to be said of it.\n\n")).collect();
        let content = format!("# Plan {n:03}\n\n{sections}");
        call(&workbench, "ArtifactCreate", json!({ "title": format!("Plan {n:03}"), "content": content })).await;
    }
    call(&workbench, "SessionCreate", json!({})).await;
}

fn painted(tools: &Tools, address: &str) -> Value {
    let output = Command::new(&tools.python)
        .arg(&tools.script)
        .arg(address)
        .arg(&tools.chromium)
        .arg("bench")
        .output()
        .expect("Python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}
