//! Reading an answer from the network, in pieces or whole, within its limits.

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

/// How long the end of a body is waited for, once the answer in it is whole.
const DRAIN: Duration = Duration::from_millis(50);

/// An answer that is coming in.
pub(crate) struct Reading {
    response: Response,
    format: Format,
    form: Form,
    left: usize,
    /// What was read and not yet passed on.
    pub(crate) deltas: VecDeque<Delta>,
    /// Whether the caller has seen any of it.
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
    /// Looks at what sort of answer it is. Servers do not always answer in the form that was asked for.
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

    /// Reads one more piece.
    pub(crate) async fn piece(&mut self) -> Result<(), Broken> {
        // A connection that breaks is a broken answer, whatever was read of it.
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

    /// Reads the end of the body after the end of the answer, so that the connection can be used again.
    pub(crate) async fn drain(&mut self) {
        let rest = async { while let Ok(Some(_)) = self.response.chunk().await {} };
        // A server that keeps the connection open gets a new one next time.
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

    /// The message, and deltas that were not told yet; or what is wrong, and whether anything was passed on.
    pub(crate) fn finish(self) -> Result<(Vec<Delta>, Message), (bool, Trouble)> {
        let passed_on = self.passed_on;
        let failed = |trouble| (passed_on, trouble);
        match self.form {
            Form::Events { decoder, .. } => Ok((Vec::new(), decoder.finish().map_err(failed)?)),
            Form::Whole(body) => {
                let value: Value = serde_json::from_slice(&body).map_err(|error| {
                    failed(if error.is_eof() { Trouble::BrokenOff } else { Trouble::Unreadable("it is no JSON") })
                })?;
                let message = wire::whole(self.format, &value).map_err(failed)?;
                Ok((wire::deltas(&message), message))
            }
        }
    }
}

/// Of the server's own word only what is known is repeated.
fn wrong_kind(kind: &str) -> ProviderError {
    let what = match kind.split('/').next() {
        _ if kind == "text/html" => "a page",
        Some("text") => "plain text",
        Some("image" | "audio" | "video") => "a picture or a sound",
        _ => "of another type",
    };
    ProviderError::unreadable(format!("it is {what}, neither JSON nor events"))
        .with_again(Again::Never)
        .hint("check the provider's address: this does not look like a model")
}

fn too_large() -> ProviderError {
    ProviderError::new(Code::ProviderUnavailable, "the model's answer cannot be used: it is larger than the limit")
        .with_again(Again::Never)
        .hint("nothing of it was kept; ask for a shorter answer")
}
