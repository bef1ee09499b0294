//! The workbench to measure, and the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use jig_contract::{Actor, Env};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};

/// Where the files of a workbench are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hand {
    /// Only in the store.
    Store,
    /// Also in a folder, which this process watches.
    Watched,
    /// Also in a folder, which is scanned each time, as with consecutive commands.
    Looked,
}

impl Hand {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Store => "store alone",
            Self::Watched => "with folder",
            Self::Looked => "with folder, each command by itself",
        }
    }
}

/// A workbench with this many files of this size.
pub(crate) async fn filled(home: &Path, files: usize, bytes: usize, hand: Hand) -> Workbench {
    let source = tempfile::tempdir().expect("a folder");
    for n in 0..files {
        let folder = source.path().join(format!("{:02}", n / 100));
        std::fs::create_dir_all(&folder).expect("a folder");
        let line = format!("file {n} of the benchmark\n");
        let text = line.repeat(bytes / line.len() + 1);
        std::fs::write(folder.join(format!("{}.txt", n % 100)), &text[..bytes]).expect("a file");
    }
    let mut config = Config::new(home);
    config.view = hand != Hand::Store;
    config.watch = hand == Hand::Watched;
    config.limits.files = 100_000;
    let workbench = Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    call(&workbench, "WorkbenchCreate", json!({ "name": "Bench", "id": "bench" })).await;
    let folders: Vec<PathBuf> =
        std::fs::read_dir(source.path()).expect("entries").map(|e| e.expect("an entry").path()).collect();
    call(&workbench, "FileAdd", json!({ "paths": folders })).await;
    // Pending writes must not affect the next measurement.
    Command::new("sync").status().expect("a run");
    workbench
}

/// Calls an operation as a person.
pub(crate) async fn call(workbench: &Workbench, name: &str, mut params: Value) -> Value {
    if name != "WorkbenchCreate" {
        params["workbench_id"] = "bench".into();
    }
    workbench.call(name, CallContext::new(Actor::person()), params).await.unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The program to start and measure, built next to this one.
pub(crate) fn program() -> PathBuf {
    let me = std::env::current_exe().expect("this program");
    let jig = me.ancestors().nth(2).expect("the build folder").join("jig");
    assert!(jig.exists(), "build the binary first: cargo xtask bench does");
    jig
}
