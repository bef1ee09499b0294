//! `jig serve` as a process, called over plain TCP connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::environment::TestEnvironment;

/// A process that is killed when its test ends, even if the test fails.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running `jig serve` on a free port.
pub(crate) struct Http {
    child: Process,
    output: BufReader<ChildStdout>,
    log: JoinHandle<String>,
    /// For example `127.0.0.1:41234`.
    pub(crate) address: String,
    /// The token that requests send unless they have their own.
    pub(crate) start: Option<String>,
}

/// Settings for third-party clients, which send no token: loopback is open, and logging is off.
pub(crate) const OPEN: [(&str, &str); 2] = [("JIG_SERVE_LOG", "off"), ("JIG_SERVE_OPEN_LOOPBACK", "on")];

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Http {
    /// Starts the server without log output.
    pub(crate) fn start(environment: &TestEnvironment) -> Self {
        Self::start_with(environment, &[("JIG_SERVE_LOG", "off")])
    }

    /// Starts the server with these variables.
    pub(crate) fn start_with(environment: &TestEnvironment, variables: &[(&str, &str)]) -> Self {
        Self::start_as(environment, variables, &[])
    }

    /// Starts the server with these variables and additional arguments.
    pub(crate) fn start_as(environment: &TestEnvironment, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        Self::run(environment, &[&["serve", "--bind", "127.0.0.1:0"], arguments].concat(), variables)
    }

    /// Runs a command that ends up serving, and waits for its address.
    pub(crate) fn run(environment: &TestEnvironment, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = environment.command();
        command.args(arguments).envs(variables.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Drained continuously, so that the server never blocks on writing.
        let mut errors = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.by_ref().lines().map(Result::unwrap);
        let said = lines.find_map(|line| line.strip_prefix("Jig listens on http://").map(str::to_owned));
        let address = said.expect("where it listens");
        let start = start_token(environment, arguments, variables, &address, &mut lines);
        Self { child: Process(child), output, log, address, start }
    }

    /// Sends one request on its own connection.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let own = headers.to_ascii_lowercase().contains("authorization:");
        let start = self.start.as_ref().filter(|_| !own).map(|start| format!("Authorization: Bearer {start}\r\n"));
        let headers = format!("{}{headers}", start.unwrap_or_default());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        write!(stream, "{head}Content-Length: {}\r\n{headers}\r\n{body}", body.len()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The output of an operation, or its error in the form of the other interfaces.
    pub(crate) fn call(&self, operation: &str, params: &Value) -> Result<Value, Value> {
        let path = format!("/api/op/{operation}");
        let answer = self.request("POST", &path, "Content-Type: application/json\r\n", &params.to_string());
        let mut body: Value = serde_json::from_str(&answer.body).unwrap_or_else(|e| panic!("{e}: {answer:?}"));
        if answer.status == 200 {
            return Ok(body);
        }
        let problem = body.as_object_mut().unwrap();
        assert!(answer.head.contains("application/problem+json"), "{answer:?}");
        assert_eq!(problem["status"], answer.status, "{problem:?}");
        let code = jig_contract::Code::ALL.iter().find(|code| code.as_str() == problem["error_code"]).unwrap();
        assert_eq!(code.http(), answer.status, "{problem:?}");
        // Removes the RFC 9457 fields, which leaves Jig's error.
        for own in ["type", "title", "status", "detail", "instance"] {
            assert!(problem.shift_remove(own).is_some(), "{own}");
        }
        if let Some(details) = problem.shift_remove("details") {
            problem.insert("detail".to_owned(), details);
        }
        Err(body)
    }

    /// What the server wrote to standard error during `work`.
    pub(crate) fn logged(self, work: impl FnOnce(&Self)) -> String {
        work(&self);
        let (code, log) = self.end();
        assert_eq!(code, 0, "{log}");
        log
    }

    /// Stops the server and returns its exit code.
    pub(crate) fn finish(self) -> i32 {
        self.end().0
    }

    /// Kills the server.
    pub(crate) fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    fn end(mut self) -> (i32, String) {
        let id = rustix::process::Pid::from_child(&self.child.0);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let code = self.child.0.wait().unwrap().code().unwrap();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing else is printed");
        (code, self.log.join().unwrap())
    }
}

/// The start token, read from its private file as other programs do. A demo, which has its own home, prints it.
fn start_token(
    environment: &TestEnvironment,
    arguments: &[&str],
    variables: &[(&str, &str)],
    address: &str,
    lines: &mut impl Iterator<Item = String>,
) -> Option<String> {
    if variables.contains(&("JIG_SERVE_OPEN_LOOPBACK", "on")) {
        return None;
    }
    if arguments.first() != Some(&"serve") {
        let line = lines.next()?;
        return line.split_once("start=")?.1.split('&').next().map(str::to_owned);
    }
    let port = address.rsplit(':').next()?;
    let token = std::fs::read_to_string(environment.home().join("serve").join(format!("{port}.token"))).ok()?;
    // The browser URL contains the same token.
    assert!(lines.next()?.contains(&format!("/sign-in?start={token}&")));
    Some(token)
}
