//! Reads an answer from the network, streamed or in one piece, within its limits.

use std::collections::VecDeque;
use std::time::Duration;

use jig_contract::Code;
use reqwest::Response;
use serde_json::Value;

use crate::error::{Again, ProviderError};
use crate::message::{Delta, Message};
use crate::registry::Format;
use crate::request::Streaming;
use crate::sse::Reader;
use crate::wire::{self, Decode, Flow, Trouble};

/// How long to wait for the end of a body after the answer in it is complete.
const DRAIN: Duration = Duration::from_millis(50);

/// An answer that is being received.
pub(crate) struct Reading {
    response: Response,
    format: Format,
    form: Form,
    left: usize,
    /// Deltas that were read but not passed on.
    pub(crate) deltas: VecDeque<Delta>,
    /// Whether the caller has received any of it.
    pub(crate) passed_on: bool,
    /// Whether all of it was read.
    pub(crate) ended: bool,
}

enum Form {
    Events { reader: Option<Reader>, decoder: Box<dyn Decode> },
    Whole(Vec<u8>),
}

/// Why reading stopped.
pub(crate) enum Broken {
    Trouble(Trouble),
    Error(ProviderError),
}

impl Reading {
    /// Detects the kind of answer, because servers do not always use the requested one.
    pub(crate) fn new(
        response: Response,
        format: Format,
        asked: Streaming,
        limit: usize,
    ) -> Result<Self, ProviderError> {
        let kind = response.headers().get(reqwest::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let events = match kind.as_deref() {
            Some("text/event-stream") => true,
            Some("application/json") => false,
            None => asked == Streaming::On,
            Some(other) => return Err(wrong_kind(other)),
        };
        let form = if events {
            Form::Events { reader: Some(Reader::new(limit)), decoder: wire::decoder(format) }
        } else {
            Form::Whole(Vec::new())
        };
        Ok(Self { response, format, form, left: limit, deltas: VecDeque::new(), passed_on: false, ended: false })
    }

    /// Reads another chunk.
    pub(crate) async fn piece(&mut self) -> Result<(), Broken> {
        // A broken connection means a broken answer, however much was read.
        let chunk = self.response.chunk().await.map_err(|_| Broken::Trouble(Trouble::BrokenOff))?;
        let Some(chunk) = chunk else {
            self.ended = true;
            return self.last_event();
        };
        self.left = self.left.checked_sub(chunk.len()).ok_or_else(|| Broken::Error(too_large()))?;
        match &mut self.form {
            Form::Whole(body) => body.extend_from_slice(&chunk),
            Form::Events { reader: Some(reader), .. } => {
                for event in reader.push(&chunk).map_err(Broken::Error)? {
                    self.event(&event)?;
                    if self.ended {
                        break;
                    }
                }
            }
            Form::Events { reader: None, .. } => {}
        }
        Ok(())
    }

    /// Reads the end of the body after the answer, so that the connection can be reused.
    pub(crate) async fn drain(&mut self) {
        let rest = async { while let Ok(Some(_)) = self.response.chunk().await {} };
        // If the server keeps sending, the connection is not reused.
        let _ = tokio::time::timeout(DRAIN, rest).await;
    }

    fn last_event(&mut self) -> Result<(), Broken> {
        let Form::Events { reader, .. } = &mut self.form else { return Ok(()) };
        let Some(event) = reader.take().map(Reader::finish).transpose().map_err(Broken::Error)?.flatten() else {
            return Ok(());
        };
        self.event(&event)
    }

    fn event(&mut self, event: &crate::sse::Event) -> Result<(), Broken> {
        let Form::Events { decoder, .. } = &mut self.form else { return Ok(()) };
        let mut deltas = Vec::new();
        let flow = decoder.event(event, &mut deltas).map_err(Broken::Trouble)?;
        self.deltas.extend(deltas);
        self.ended |= flow == Flow::Done;
        Ok(())
    }

    /// The message and the remaining deltas, or the problem and whether anything was passed on.
    pub(crate) fn finish(self) -> Result<(Vec<Delta>, Message), (bool, Trouble)> {
        let passed_on = self.passed_on;
        let failed = |trouble| (passed_on, trouble);
        match self.form {
            Form::Events { decoder, .. } => Ok((Vec::new(), decoder.finish().map_err(failed)?)),
            Form::Whole(body) => {
                let value: Value = serde_json::from_slice(&body).map_err(|error| {
                    failed(if error.is_eof() { Trouble::BrokenOff } else { Trouble::Unreadable("it is not JSON") })
                })?;
                let message = wire::whole(self.format, &value).map_err(failed)?;
                Ok((wire::deltas(&message), message))
            }
        }
    }
}

/// Only known values of the server's stop reason are repeated.
fn wrong_kind(kind: &str) -> ProviderError {
    let what = match kind.split('/').next() {
        _ if kind == "text/html" => "an HTML page",
        Some("text") => "plain text",
        Some("image" | "audio" | "video") => "an image, audio or video",
        _ => "of another type",
    };
    ProviderError::unreadable(format!("it is {what}, not JSON or an event stream"))
        .with_again(Again::Never)
        .hint("check the provider's base URL; this does not look like a model API")
}

fn too_large() -> ProviderError {
    ProviderError::new(Code::ProviderUnavailable, "the model's answer exceeds the size limit")
        .with_again(Again::Never)
        .hint("the answer was discarded; ask for a shorter one")
}
