//! The one trait, and the stream it gives.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{BoxStream, Stream, StreamExt};
use tokio_util::sync::CancellationToken;

use crate::egress::Wait;
use crate::error::ProviderError;
use crate::message::{Delta, Message};
use crate::permit::Permit;
use crate::registry::Model;
use crate::request::{Request, Retries, Streaming};

/// A model that can be called.
///
/// For implementers: `prepare` is a pure function of the request, `complete` sends what was prepared and nothing else,
/// and does not begin before its stream is polled. The stream gives pauses, deltas and then, once, the message; or an
/// error, and then nothing more. Dropping it, or cancelling, ends the call.
pub trait Provider: Send + Sync {
    /// The model behind it.
    fn model(&self) -> &Model;

    /// The exact bytes that `complete` will send, so that they can be recorded and billed before.
    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError>;

    /// Calls the model.
    fn complete(&self, prepared: Prepared, permit: Permit, cancel: CancellationToken) -> Completion;
}

/// A request as it goes over the wire, without the key.
#[derive(Clone)]
pub struct Prepared {
    /// The body, byte for byte.
    pub body: Bytes,
    /// Why the model is called.
    pub purpose: String,
    /// Whether the answer comes in pieces.
    pub streaming: Streaming,
    /// Whether the provider may try again by itself.
    pub retries: Retries,
    /// The longest the whole call may take.
    pub timeout: Option<Duration>,
}

impl Prepared {
    /// This body, with what else the request says of the call.
    pub fn new(body: impl Into<Bytes>, request: &Request) -> Self {
        Self {
            body: body.into(),
            purpose: request.purpose.clone(),
            streaming: request.streaming,
            retries: request.retries,
            timeout: request.timeout,
        }
    }
}

/// The body is a prompt: its length is shown, not its words.
impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("bytes", &self.body.len())
            .field("purpose", &self.purpose)
            .field("streaming", &self.streaming)
            .field("retries", &self.retries)
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// One item of a completion.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A piece of the answer.
    Delta(Delta),
    /// Nothing came of a try; the next one is made after this pause.
    Waiting(Wait),
    /// The whole answer, last.
    Message(Message),
}

/// The answer as it comes: deltas, then the message.
pub struct Completion(BoxStream<'static, Result<Step, ProviderError>>);

impl Completion {
    /// Takes a stream that keeps the promises of [`Provider`].
    pub fn new(steps: impl Stream<Item = Result<Step, ProviderError>> + Send + 'static) -> Self {
        Self(steps.boxed())
    }

    /// A call that failed before it began.
    pub fn failed(error: ProviderError) -> Self {
        Self::new(futures::stream::iter([Err(error)]))
    }

    /// Waits for the whole answer.
    pub async fn message(self) -> Result<Message, ProviderError> {
        self.message_telling(|_| {}).await
    }

    /// Waits for the whole answer, telling of what comes before it.
    pub async fn message_telling(mut self, mut tell: impl FnMut(Step)) -> Result<Message, ProviderError> {
        while let Some(step) = self.0.next().await {
            match step? {
                Step::Message(message) => return Ok(message),
                step => tell(step),
            }
        }
        Err(ProviderError::broken_off())
    }
}

impl Stream for Completion {
    type Item = Result<Step, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl std::fmt::Debug for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Completion")
    }
}
