//! The server: records requests and plays the replies in order.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::body::{Body, LetGo, body};
use crate::format::Format;
use crate::reply::{Content, Habits, Piece, Reply};
use crate::{chat, gemini, messages, responses};

/// A server on loopback that stops when it is dropped.
#[derive(Debug)]
pub struct FakeModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<Recorded>>,
    let_go: LetGo,
    connections: AtomicUsize,
}

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// `POST`.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query string.
    pub query: String,
    /// The headers in order, with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The exact body.
    pub body: Vec<u8>,
}

impl Recorded {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is not valid JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl FakeModel {
    /// Starts a server on a free port. Must be called inside a tokio runtime.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::<Shared>::default();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, accepting })
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `127.0.0.1:port`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Adds a reply to the end of the script.
    pub fn reply(&self, reply: Reply) -> &Self {
        lock(&self.shared.replies).push_back(reply);
        self
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared.requests).clone()
    }

    /// The number of remaining replies.
    pub fn left(&self) -> usize {
        lock(&self.shared.replies).len()
    }

    /// Drops the remaining replies.
    pub fn forget(&self) {
        lock(&self.shared.replies).clear();
    }

    /// Waits until this many callers have dropped an answer before its end; false on a timeout.
    pub async fn let_go(&self, count: usize, patience: Duration) -> bool {
        self.shared.let_go.wait(count, patience).await
    }

    /// The number of accepted connections.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // Connections end with the server, because they are dropped with this set.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| answer(request, Arc::clone(&shared)));
        connections.spawn(async move {
            // A caller that disconnects is not an error.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn answer(request: Request<Incoming>, shared: Arc<Shared>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default();
    let headers = head.headers.iter();
    let recorded = Recorded {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers.map(|(k, v)| (k.to_string(), String::from_utf8_lossy(v.as_bytes()).into_owned())).collect(),
        body,
    };
    lock(&shared.requests).push(recorded.clone());
    let reply = lock(&shared.replies).pop_front();
    let reply = reply.unwrap_or_else(|| Reply::json(599, "{\"error\":\"the script has no reply for this request\"}"));
    tokio::time::sleep(reply.before).await;
    Ok(respond(&recorded, reply, &shared))
}

fn respond(request: &Recorded, reply: Reply, shared: &Arc<Shared>) -> Response<Body> {
    let format = Format::of(&request.path);
    let (status, kind, pieces) = match (reply.content, format) {
        (Content::Raw { status, pieces }, _) => (status, None, pieces),
        (_, None) => (404, Some("text/plain"), vec![Piece::Bytes("no such path".into())]),
        (Content::Refusal(refusal), Some(format)) => {
            let body = refusal.body(format).to_string();
            (refusal.status(format), Some("application/json"), vec![Piece::Bytes(body.into())])
        }
        (Content::Answer(answer), Some(format)) => {
            let (kind, chunks) = written(request, &answer, format, &reply.habits);
            (200, Some(kind), paced(chunks, &reply.habits))
        }
    };
    let mut response = Response::builder().status(status);
    if let Some(kind) = kind {
        response = response.header("content-type", kind);
    }
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    response
        .body(body(pieces, LetGo::clone(&shared.let_go)))
        .unwrap_or_else(|_| Response::new(body(Vec::new(), LetGo::clone(&shared.let_go))))
}

/// The answer as bytes, in the chunks in which it is sent.
fn written(request: &Recorded, answer: &crate::Answer, format: Format, habits: &Habits) -> (&'static str, Vec<Bytes>) {
    let asked = request.json();
    let model = asked["model"].as_str().unwrap_or("model").to_owned();
    let streams = asked["stream"] == true || request.path.ends_with(":streamGenerateContent");
    if !streams {
        let body = match format {
            Format::Chat => chat::whole(answer, &model, habits),
            Format::Responses => responses::whole(answer, &model, habits),
            Format::Messages => messages::whole(answer, &model, habits),
            Format::Gemini => gemini::whole(answer, &model, habits),
        };
        return ("application/json", chunks(vec![body.to_string()], habits));
    }
    let events = match format {
        Format::Chat => chat::events(answer, &model, habits),
        Format::Responses => responses::events(answer, &model, habits),
        Format::Messages => messages::events(answer, &model, habits),
        Format::Gemini => gemini::events(answer, &model, habits),
    };
    let named = matches!(format, Format::Responses | Format::Messages);
    let mut texts: Vec<String> = events.iter().map(|event| event_text(event, named, habits)).collect();
    if format == Format::Chat && !habits.no_done {
        texts.push(line_ends("data: [DONE]\n\n", habits));
    }
    ("text/event-stream", chunks(texts, habits))
}

fn event_text(event: &Value, named: bool, habits: &Habits) -> String {
    let name = event["type"].as_str().filter(|_| named).map(|name| format!("event: {name}\n")).unwrap_or_default();
    let comment = if habits.comments { ": keep-alive\n\n" } else { "" };
    line_ends(&format!("{comment}{name}data: {event}\n\n"), habits)
}

fn line_ends(text: &str, habits: &Habits) -> String {
    let text =
        if habits.tight { text.replace("data: ", "data:").replace("event: ", "event:") } else { text.to_owned() };
    if habits.crlf { text.replace('\n', "\r\n") } else { text }
}

/// A chunk per text, or chunks of equal size that may split a character.
fn chunks(texts: Vec<String>, habits: &Habits) -> Vec<Bytes> {
    if habits.chunk == 0 {
        return texts.into_iter().map(Bytes::from).collect();
    }
    texts.concat().into_bytes().chunks(habits.chunk).map(Bytes::copy_from_slice).collect()
}

fn paced(chunks: Vec<Bytes>, habits: &Habits) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (sent, chunk) in chunks.into_iter().enumerate() {
        if habits.cut_after == Some(sent) {
            pieces.push(Piece::Cut);
        }
        if habits.hang_after == Some(sent) {
            pieces.push(Piece::Hang);
        }
        if habits.end_after == Some(sent) {
            return pieces;
        }
        pieces.push(Piece::Bytes(chunk));
        if habits.pause > Duration::ZERO {
            pieces.push(Piece::Wait(habits.pause));
        }
    }
    pieces
}
