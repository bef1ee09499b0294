//! Which CPU cores the server and everything else use.

use std::process::{Command, Stdio};

/// Keeps this process and its children off the server's core until dropped.
pub(crate) struct Pinned {
    /// The server's core.
    pub(crate) server: usize,
    all: Vec<usize>,
}

impl Pinned {
    /// Assigns the last core to the server.
    pub(crate) fn new() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").expect("what this process may use");
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list of cores");
        let all = cores(list.trim());
        assert!(all.len() > 1, "the server has a core of its own, so that two are needed");
        let server = all[all.len() - 1];
        pin(&all[..all.len() - 1]);
        Self { server, all }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        pin(&self.all);
    }
}

/// Pins all threads of this process; new threads inherit that.
fn pin(cores: &[usize]) {
    let list: Vec<String> = cores.iter().map(ToString::to_string).collect();
    let mut command = Command::new("taskset");
    command.args(["-acp", &list.join(","), &std::process::id().to_string()]).stdout(Stdio::null());
    assert!(command.status().expect("taskset, of the package util-linux").success(), "the cores could not be chosen");
}

/// Parses `0-2,5` as 0, 1, 2, 5.
fn cores(list: &str) -> Vec<usize> {
    let number = |text: &str| text.parse::<usize>().expect("a core");
    let range = |part: &str| match part.split_once('-') {
        Some((first, last)) => (number(first)..=number(last)).collect::<Vec<_>>(),
        None => vec![number(part)],
    };
    list.split(',').flat_map(range).collect()
}
