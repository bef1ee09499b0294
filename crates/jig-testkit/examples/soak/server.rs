//! `jig serve` as a process that can be killed with all its children.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::client::Client;

pub(crate) struct Server {
    child: Child,
    /// Open as long as the server runs, because it exits when its output is closed.
    _output: BufReader<ChildStdout>,
    /// For example `127.0.0.1:41234`.
    address: String,
    token: String,
}

impl Server {
    /// Starts a server on a free port. Its log is appended to `serve.log` next to the home.
    pub(crate) fn start(program: &Path, home: &Path, token: &str) -> Self {
        let mut child = spawn(program, home);
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let line = output.by_ref().lines().map_while(Result::ok).find_map(|line| address(&line));
        let address = line.expect("the address at which it listens");
        Self { child, _output: output, address, token: token.to_owned() }
    }

    /// Starts a server and kills it after this time, whatever it is doing then.
    pub(crate) fn kill_at_start(program: &Path, home: &Path, after: Duration) {
        let mut child = spawn(program, home);
        std::thread::sleep(after);
        child.kill().expect("a server to kill");
        child.wait().expect("a killed server");
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(&self.address, &self.token)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server and its workers.
    pub(crate) fn kill(mut self) {
        let workers = children(self.id());
        self.child.kill().expect("a server to kill");
        self.child.wait().expect("a killed server");
        let workers: Vec<String> = workers.iter().map(ToString::to_string).collect();
        if !workers.is_empty() {
            let mut kill = Command::new("kill");
            let _ = kill.arg("-KILL").args(workers).stderr(Stdio::null()).status();
        }
    }
}

fn spawn(program: &Path, home: &Path) -> Child {
    let log = home.with_file_name("serve.log");
    let log = File::options().create(true).append(true).open(log).expect("the log");
    let mut command = jig(program, home);
    command.args(["serve", "--bind", "127.0.0.1:0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    command.spawn().expect("a server")
}

/// A command on this home, without the settings in the caller's environment.
pub(crate) fn jig(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("JIG_")) {
        command.env_remove(name);
    }
    command.arg("--home").arg(home);
    command
}

/// An owner token, created once per home.
pub(crate) fn owner_token(program: &Path, home: &Path) -> String {
    let mut create = jig(program, home);
    create.args(["token", "create", "soak", "--role", "owner", "--json"]);
    let output = create.output().expect("a token");
    let text = String::from_utf8_lossy(&output.stdout);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    value["token"].as_str().unwrap_or_else(|| panic!("no token in {text}")).to_owned()
}

/// The child processes of a process.
pub(crate) fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// The address in the line that a server prints when it listens.
fn address(line: &str) -> Option<String> {
    let rest = line.split_once("http://")?.1;
    Some(rest.split(['/', ' ', '?']).next()?.to_owned())
}
