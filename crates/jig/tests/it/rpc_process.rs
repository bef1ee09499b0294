//! `jig rpc` as a process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::environment::TestEnvironment;

/// A running `jig rpc`.
pub(crate) struct Rpc {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rpc {
    pub(crate) fn start(environment: &TestEnvironment) -> Self {
        let mut child = environment.command().arg("rpc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub(crate) fn exchange(&mut self, line: &str) -> Value {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// The result, or the data of the error.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let request = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        let mut answer = self.exchange(&request.to_string());
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(answer["error"]["data"].take()),
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process without time to clean up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the input and returns the exit code.
    pub(crate) fn finish(mut self) -> i32 {
        drop(self.input);
        self.child.wait().unwrap().code().unwrap()
    }
}
