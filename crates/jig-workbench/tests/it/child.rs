//! Tests that need a separate process run this test binary again with the name of a job.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use jig_testkit::home::open;
use jig_workbench::{Config, Workbench};

const JOB: &str = "JIG_TEST_JOB";
const HOME: &str = "JIG_TEST_HOME";

/// The command that runs a job of this file on a home.
pub(crate) fn job(name: &str, home: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::run_job", "--nocapture", "--test-threads=1"]);
    command.env(JOB, name).env(HOME, home).stdin(Stdio::null());
    command
}

/// Starts a job and waits until it reports that it is ready.
pub(crate) fn start(name: &str, home: &Path) -> Child {
    use std::io::{BufRead, BufReader};
    let mut child = job(name, home).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.any(|line| line.is_ok_and(|line| line.contains("ready")));
    assert!(ready, "the job `{name}` ended before it was ready");
    child
}

/// Does nothing in an ordinary test run, which names no job.
#[test]
#[expect(clippy::disallowed_methods, reason = "a job gets its name and its home by the environment")]
fn run_job() {
    let Ok(name) = std::env::var(JOB) else { return };
    let home = std::env::var(HOME).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        match name.as_str() {
            "edit-and-publish" => super::kill::edit_and_publish(&opened(&home).await).await,
            "crowd" => super::crowd::write_much(&opened(&home).await).await,
            "session-work" => super::session_kill::work(Path::new(&home)).await,
            "disk-full" => super::disk_full::fill(Path::new(&home)).await,
            "disk-full-database" => super::disk_full::fill_database(Path::new(&home)).await,
            "disk-full-folder" => super::disk_full::fill_folder(Path::new(&home)).await,
            "read-only-write" => super::read_only::write(Path::new(&home)).await,
            "read-only-read" => super::read_only::read(Path::new(&home)).await,
            other => panic!("no job `{other}`"),
        }
    });
}

async fn opened(home: &str) -> Workbench {
    open(Config::new(home)).await
}
