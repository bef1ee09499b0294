//! `jig mcp` as a process, driven with plain JSON messages.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::environment::TestEnvironment;

/// A running `jig mcp`, initialised with the older protocol version.
pub(crate) struct Mcp {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Mcp {
    pub(crate) fn start(environment: &TestEnvironment, arguments: &[&str]) -> Self {
        let mut command = environment.command();
        let mut child =
            command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut mcp = Self { child, input, output };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let answer = mcp.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "jig", "{answer}");
        mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        mcp
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
            if message["id"] == method {
                return message;
            }
        }
    }

    /// A tool's structured content, or that of its error.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let mut answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &mut answer["result"];
        assert!(result["content"][0]["text"].is_string(), "{result}");
        let content = result["structuredContent"].take();
        if result["isError"] == true { Err(content) } else { Ok(content) }
    }

    pub(crate) fn finish(mut self) -> i32 {
        drop(self.input);
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn the_current_workbench_is_bound() {
    let environment = TestEnvironment::with_notes();
    let mut mcp = Mcp::start(&environment, &[]);
    assert_eq!(mcp.call("read_file", json!({ "path": "notes.txt" })).unwrap()["text"], "one\ntwo\n");
    let read = mcp.request("resources/read", json!({ "uri": "jig://deck/published/notes.txt" }));
    assert_eq!(read["result"]["contents"][0]["text"], "one\ntwo\n");
    assert_eq!(mcp.finish(), 0);
}
