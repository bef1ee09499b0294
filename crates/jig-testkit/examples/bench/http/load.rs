//! Load: as many calls as possible, or at a fixed rate.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// The number of open connections.
pub(crate) const CONNECTIONS: u32 = 32;
/// The rounds of full load, the first of which is discarded.
pub(crate) const ROUNDS: usize = 3;
/// The duration of a round.
pub(crate) const SECONDS: u64 = 5;

/// A call that reads two fields of the brand.
pub(crate) struct Request {
    pub(crate) words: &'static str,
    method: &'static str,
    path: &'static str,
    body: &'static str,
}

impl Request {
    /// Each form of the call.
    pub(crate) const ALL: [Self; 2] = [
        Self {
            words: "`GET …/context-entries/brand?fields=name,voice`",
            method: "GET",
            path: "/api/workbenches/bench/context-entries/brand?fields=name,voice",
            body: "",
        },
        Self {
            words: "`POST /api/op/EntryGet`",
            method: "POST",
            path: "/api/op/EntryGet",
            body: r#"{"workbench_id":"bench","role":"brand","fields":["name","voice"]}"#,
        },
    ];

    fn text(&self, address: &str) -> String {
        let Self { method, path, body, .. } = self;
        let about = match body.len() {
            0 => String::new(),
            length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
        };
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{about}\r\n{body}")
    }

    /// The call as a script for the load tool.
    fn script(&self) -> String {
        let Self { method, body, .. } = self;
        format!("wrk.method = '{method}'\nwrk.body = '{body}'\nwrk.headers['Content-Type'] = 'application/json'\n")
    }
}

/// The throughput when each call immediately follows the last.
pub(crate) fn full(wrk: &Path, address: &str, request: &Request) -> f64 {
    let mut rounds: Vec<f64> = (0..=ROUNDS).map(|_| round(wrk, address, request)).skip(1).collect();
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}

fn round(wrk: &Path, address: &str, request: &Request) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(wrk);
    command.args(["-t", "1", "-c", &CONNECTIONS.to_string(), "-d", &format!("{SECONDS}s"), "--latency"]);
    if !request.body.is_empty() {
        let script = folder.path().join("call.lua");
        std::fs::write(&script, request.script()).expect("a script");
        command.arg("-s").arg(script);
    }
    let output = command.arg(format!("http://{address}{}", request.path)).output().expect("a run of wrk");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains("Non-2xx") && !said.contains("Socket errors"), "{said}");
    let reads = said.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    reads.and_then(|reads| reads.trim().parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// Sorted latencies, and how late the client itself was with calls although a connection was free.
pub(crate) struct Times {
    calls: Vec<Duration>,
    late: Vec<Duration>,
}

impl Times {
    /// The median latency.
    pub(crate) fn p50(&self) -> Duration {
        self.calls[self.calls.len() / 2]
    }

    /// The 99th percentile of the latencies.
    pub(crate) fn p99(&self) -> Duration {
        p99(&self.calls)
    }

    /// The 99th percentile of the client's delays: on a busy machine this says more about the machine than the server.
    pub(crate) fn late(&self) -> Duration {
        p99(&self.late)
    }
}

fn p99(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or_default()
}

/// Calls at a fixed rate, whether or not earlier ones were answered in time: latency counts from the time at which a
/// call was due.
pub(crate) fn paced(address: &str, request: &Request, per_second: f64) -> Times {
    let (text, ready) = (request.text(address), Barrier::new(CONNECTIONS as usize));
    let gap = Duration::from_secs_f64(f64::from(CONNECTIONS) / per_second);
    let client = |number: u32| {
        let mut connection = BufReader::new(TcpStream::connect(address).expect("a connection"));
        connection.get_ref().set_nodelay(true).expect("a connection");
        call(&mut connection, &text);
        ready.wait();
        let mut due = Instant::now() + gap.mul_f64(f64::from(number) / f64::from(CONNECTIONS));
        let end = due + Duration::from_secs(SECONDS);
        let (mut calls, mut late) = (Vec::new(), Vec::new());
        while due < end {
            let wait = due.saturating_duration_since(Instant::now());
            if wait > Duration::ZERO {
                std::thread::sleep(wait);
                late.push(due.elapsed());
            }
            call(&mut connection, &text);
            calls.push(due.elapsed());
            due += gap;
        }
        (calls, late)
    };
    let (mut calls, mut late) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS).map(|number| scope.spawn(move || client(number))).collect();
        let (mut calls, mut late) = (Vec::new(), Vec::new());
        for client in clients {
            let (its_calls, its_late) = client.join().expect("a client");
            calls.extend(its_calls);
            late.extend(its_late);
        }
        (calls, late)
    });
    calls.sort();
    late.sort();
    Times { calls, late }
}

/// A call on an open connection.
fn call(connection: &mut BufReader<TcpStream>, text: &str) {
    connection.get_mut().write_all(text.as_bytes()).expect("a call");
    let (mut length, mut status) = (0, String::new());
    loop {
        let mut line = String::new();
        assert!(connection.read_line(&mut line).expect("a head") > 0, "the server went away");
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.starts_with("http/") {
            status = line;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).expect("a body");
    let body = String::from_utf8_lossy(&body);
    assert!(status.contains(" 200 ") && body.contains("Acme"), "{status}\n{body}");
}
