//! The tasks extension: a long call becomes a task for clients that support tasks, and no other client sees it.

use std::time::Duration;

use jig_surfaces::mcp::{JigServer, McpOptions};
use rmcp::ServiceExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};

use crate::bench::Bench;
use crate::mcp_client::bound;

/// A client that sends plain messages.
struct Plain {
    writer: WriteHalf<DuplexStream>,
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    id: u64,
}

impl Plain {
    /// Two connections to one server see the same tasks, as over HTTP.
    async fn new(server: JigServer, name: &str, tasks: bool) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
        let (reader, writer) = split(ours);
        let mut client = Self { writer, lines: BufReader::new(reader).lines(), id: 0 };
        let extensions = if tasks { json!({ "io.modelcontextprotocol/tasks": {} }) } else { json!({}) };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": { "extensions": extensions },
            "clientInfo": { "name": name, "version": "1" },
        });
        let answer = client.request("initialize", hello).await;
        let offered = &answer["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"];
        assert!(offered.is_object(), "{answer}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }
}

fn impatient() -> McpOptions {
    McpOptions { task_after: Duration::ZERO, ..bound() }
}

#[tokio::test]
async fn a_call_that_takes_longer_is_polled_by_its_client_only() {
    let bench = Bench::with_notes().await;
    let server = JigServer::new(bench.workbench.clone().into(), impatient());
    let mut client = Plain::new(server.clone(), "patient", true).await;
    let mut other = Plain::new(server, "other", true).await;
    let started = client.call("write_text_file", json!({ "path": "a.md", "text": "# A\n" })).await;
    assert_eq!(started["result"]["resultType"], "task", "{started}");
    let task = json!({ "taskId": started["result"]["taskId"] });
    let result = loop {
        let state = client.request("tasks/get", task.clone()).await;
        match state["result"]["status"].as_str() {
            Some("working") => tokio::time::sleep(Duration::from_millis(10)).await,
            Some("completed") => break state["result"]["result"].clone(),
            _ => panic!("{state}"),
        }
    };
    assert_eq!(result["structuredContent"]["summary"], "wrote new file a.md in the Draft", "{result}");
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = other.request(method, task.clone()).await;
        assert!(refused["error"]["message"].as_str().unwrap().contains("unknown task"), "{method}: {refused}");
    }
    let acknowledged = client.request("tasks/cancel", task).await;
    assert!(acknowledged["error"].is_null(), "a finished task stays finished: {acknowledged}");
}

#[tokio::test]
async fn a_client_without_tasks_waits_for_its_result() {
    let bench = Bench::with_notes().await;
    let server = JigServer::new(bench.workbench.clone().into(), impatient());
    let mut client = Plain::new(server, "plain", false).await;
    let read = client.call("read_file", json!({ "path": "notes.txt" })).await;
    assert_eq!(read["result"]["structuredContent"]["text"], "one\ntwo\n", "{read}");
}
