//! An in-memory JSON-RPC client for tests.

use jig_surfaces::LazyWorkbench;
use jig_surfaces::rpc::{RpcOptions, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// A connected client that reads line by line.
pub(crate) struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Client {
    pub(crate) fn new(workbench: impl Into<LazyWorkbench>) -> Self {
        Self::with(workbench, RpcOptions::default())
    }

    pub(crate) fn with(workbench: impl Into<LazyWorkbench>, options: RpcOptions) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (output, input) = tokio::io::split(ours);
        let (their_input, their_output) = tokio::io::split(theirs);
        let server = tokio::spawn(serve(workbench.into(), their_input, their_output, options));
        Self { input, output: BufReader::new(output).lines(), server }
    }

    /// Sends raw bytes.
    pub(crate) async fn raw(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).await.unwrap();
    }

    /// Sends a message on a line.
    pub(crate) async fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a line and returns the next message.
    pub(crate) async fn exchange(&mut self, line: &str) -> Value {
        self.raw(line.as_bytes()).await;
        self.raw(b"\n").await;
        self.next().await
    }

    /// Calls a method while no other call is active.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params })).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], method, "{answer}");
        answer
    }

    /// Closes the input and returns all remaining messages.
    pub(crate) async fn finish(mut self) -> Vec<Value> {
        self.input.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.server.await.unwrap().unwrap();
        rest
    }

    /// Closes both streams and waits for the server to end.
    pub(crate) async fn hang_up(self) -> std::io::Result<()> {
        drop((self.input, self.output));
        self.server.await.unwrap()
    }
}

/// An error as number, id and code, for comparison.
pub(crate) fn error(answer: &Value) -> (i64, Value, String) {
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    assert!(answer.get("result").is_none(), "{answer}");
    let error = &answer["error"];
    assert_eq!(error["message"], error["data"]["message"], "{answer}");
    let code = error["data"]["error_code"].as_str().expect("a code").to_owned();
    (error["code"].as_i64().unwrap(), answer["id"].clone(), code)
}
