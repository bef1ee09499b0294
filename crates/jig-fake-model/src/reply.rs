//! A scripted reply: a status, headers, and a body in pieces.

use std::time::Duration;

use bytes::Bytes;

use crate::answer::Answer;
use crate::refusal::Refusal;

/// How the server responds to one request.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) content: Content,
    pub(crate) habits: Habits,
    pub(crate) headers: Vec<(String, String)>,
    /// The delay before the response.
    pub(crate) before: Duration,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Answer(Answer),
    Refusal(Refusal),
    Raw { status: u16, pieces: Vec<Piece> },
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Bytes(Bytes),
    /// A pause.
    Wait(Duration),
    /// Sends nothing more, without ending the body.
    Hang,
    /// The connection breaks.
    Cut,
}

/// How a server formats its streams. The default is OpenAI's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of some server, and any may come together")]
pub struct Habits {
    /// Lines end with `\r\n`.
    pub crlf: bool,
    /// No space after `data:`.
    pub tight: bool,
    /// Comments between events.
    pub comments: bool,
    /// No `[DONE]` at the end.
    pub no_done: bool,
    /// No usage anywhere.
    pub no_usage: bool,
    /// Tool arguments as an object instead of a string.
    pub object_arguments: bool,
    /// Tool calls without index and id.
    pub bare_calls: bool,
    /// Bytes per chunk; 0 means one event for each chunk.
    pub chunk: usize,
    /// A pause after each chunk.
    pub pause: Duration,
    /// The connection breaks after this many chunks.
    pub cut_after: Option<usize>,
    /// The body ends cleanly after this many chunks.
    pub end_after: Option<usize>,
    /// Nothing more comes after this many chunks.
    pub hang_after: Option<usize>,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            crlf: false,
            tight: false,
            comments: false,
            no_done: false,
            no_usage: false,
            object_arguments: false,
            bare_calls: false,
            chunk: 0,
            pause: Duration::ZERO,
            cut_after: None,
            end_after: None,
            hang_after: None,
        }
    }
}

impl Reply {
    fn new(content: Content) -> Self {
        Self { content, habits: Habits::default(), headers: Vec::new(), before: Duration::ZERO }
    }

    /// An answer in the format and mode that the request asks for.
    pub fn answer(answer: Answer) -> Self {
        Self::new(Content::Answer(answer))
    }

    /// A text answer.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(Answer::text(text))
    }

    /// A refusal in the format of the provider.
    pub fn refuse(refusal: Refusal) -> Self {
        Self::new(Content::Refusal(refusal))
    }

    /// Any bytes, as JSON.
    pub fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::raw(status, vec![Piece::Bytes(body.into())]).header("content-type", "application/json")
    }

    /// Any bytes, as a stream of events.
    pub fn events(body: impl Into<Bytes>) -> Self {
        Self::raw(200, vec![Piece::Bytes(body.into())]).header("content-type", "text/event-stream")
    }

    /// Any pieces, without a content type.
    pub fn raw(status: u16, pieces: Vec<Piece>) -> Self {
        Self::new(Content::Raw { status, pieces })
    }

    /// An HTML page, as from a proxy or a wrong address.
    pub fn page() -> Self {
        let page = Piece::Bytes(Bytes::from_static(b"<html><body>Welcome</body></html>"));
        Self::raw(200, vec![page]).header("content-type", "text/html; charset=utf-8")
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Self {
        Self::raw(307, Vec::new()).header("location", to)
    }

    /// An answer of at least this many bytes that never ends properly: filler events.
    pub fn huge(bytes: usize) -> Self {
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"0123456789012345678901234567890123456789\"}}]}\n\n";
        let block = Bytes::from(event.repeat(1024));
        let pieces = vec![Piece::Bytes(block.clone()); bytes / block.len() + 1];
        Self::raw(200, pieces).header("content-type", "text/event-stream")
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Delays the response.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.before = wait;
        self
    }

    /// Sets the format of its stream.
    #[must_use]
    pub fn with(mut self, habits: Habits) -> Self {
        self.habits = habits;
        self
    }
}
