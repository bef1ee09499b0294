//! A real server on loopback, and its clients.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jig_contract::Env;
use jig_surfaces::http::{HttpOptions, HttpServer, Log};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

/// A server with a workbench.
pub(crate) struct Server {
    pub(crate) bench: Bench,
    pub(crate) address: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) serving: JoinHandle<std::io::Result<()>>,
    client: Client,
    /// A client without any token.
    stranger: Client,
    /// The start token.
    pub(crate) start: Option<String>,
    /// Whether requests are sent without the start token.
    forgot: AtomicBool,
    lines: Arc<Mutex<Vec<String>>>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.bytes().await.unwrap().to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {} {self:?}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Status and code of a problem, after checking its structure.
    #[track_caller]
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let problem = self.json();
        let code = problem["error_code"].as_str().expect("a code").to_owned();
        assert_eq!(problem["status"], self.status, "{problem}");
        assert_eq!(problem["detail"], problem["message"], "{problem}");
        assert_eq!(problem["type"], format!("/api/docs#{code}"), "{problem}");
        assert_eq!(problem["instance"], format!("urn:jig:request:{}", self.header("x-request-id")), "{problem}");
        assert!(problem["title"].is_string() && problem["retryable"].is_boolean(), "{problem}");
        (self.status, code)
    }
}

impl Server {
    /// A server with the workbench `deck` and its file `notes.txt`.
    pub(crate) async fn start() -> Self {
        Self::with(Bench::with_notes().await, |_| {}).await
    }

    pub(crate) async fn with(bench: Bench, change: impl FnOnce(&mut HttpOptions)) -> Self {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&lines);
        let mut options = HttpOptions::new("127.0.0.1:0".parse().unwrap(), Env::system());
        options.log = Log::new(move |line| kept.lock().unwrap().push(line));
        change(&mut options);
        let server = HttpServer::bind(bench.workbench.clone(), options).await.unwrap();
        let (address, stop) = (server.address(), CancellationToken::new());
        let start = server.start_token().map(str::to_owned);
        let serving = tokio::spawn(server.serve(stop.clone()));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = || {
            let client = Client::builder().no_proxy().timeout(Duration::from_secs(60));
            client.redirect(reqwest::redirect::Policy::none())
        };
        let mut headers = reqwest::header::HeaderMap::new();
        if let Some(start) = &start {
            headers.insert("authorization", format!("Bearer {start}").parse().unwrap());
        }
        let (client, stranger) = (client().default_headers(headers).build().unwrap(), client().build().unwrap());
        Self { bench, address, stop, serving, client, stranger, start, forgot: AtomicBool::new(false), lines }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        if self.forgot.load(Ordering::Relaxed) {
            return self.strange(method, path);
        }
        let method: Method = method.parse().unwrap();
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    /// Sends further requests without the start token.
    pub(crate) fn forget_start(&self) {
        self.forgot.store(true, Ordering::Relaxed);
    }

    /// A request without any token.
    pub(crate) fn strange(&self, method: &str, path: &str) -> RequestBuilder {
        let method: Method = method.parse().unwrap();
        self.stranger.request(method, format!("http://{}{path}", self.address))
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Answer {
        Answer::of(request.send().await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path)).await
    }

    /// A request with a JSON body.
    pub(crate) async fn body(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(json(self.request(method, path), body)).await
    }

    /// Calls an operation by name.
    pub(crate) async fn op(&self, name: &str, params: &Value) -> Answer {
        self.body("POST", &format!("/api/op/{name}"), params).await
    }

    /// The output of an operation that must succeed.
    pub(crate) async fn done(&self, name: &str, params: &Value) -> Value {
        let answer = self.op(name, params).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        answer.json()
    }

    /// Calls an operation with a token.
    pub(crate) async fn op_as(&self, token: &str, name: &str, params: &Value) -> Answer {
        let request = self.request("POST", &format!("/api/op/{name}")).bearer_auth(token);
        self.send(json(request, params)).await
    }

    /// Sends raw bytes, and reads until the server closes the connection or has sent enough.
    pub(crate) async fn raw(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let bytes = match &self.start {
            Some(start) => bytes.replacen("\r\n", &format!("\r\nAuthorization: Bearer {start}\r\n"), 1),
            None => bytes.to_owned(),
        };
        stream.write_all(bytes.as_bytes()).await.unwrap();
        read_to_end(stream).await
    }

    /// The log lines so far.
    pub(crate) fn log(&self) -> Vec<Value> {
        self.lines.lock().unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Stops the server and waits until it has ended.
    pub(crate) async fn finish(self) -> Bench {
        self.stop.cancel();
        self.serving.await.unwrap().unwrap();
        self.bench
    }
}

pub(crate) async fn read_to_end(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset connection has already delivered its response.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header("content-type", "application/json").body(body.to_string())
}
