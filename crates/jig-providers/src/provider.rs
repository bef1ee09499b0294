//! The provider trait and its stream.

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
/// For implementers: `prepare` is a pure function of the request; `complete` sends exactly what was prepared, and does
/// nothing before its stream is polled. The stream yields pauses and deltas, then exactly one message, or an error and
/// nothing after it. Dropping it, or cancelling, ends the call.
pub trait Provider: Send + Sync {
    /// The model.
    fn model(&self) -> &Model;

    /// The exact bytes that `complete` will send, so that they can be recorded and counted first.
    fn prepare(&self, request: &Request) -> Result<Prepared, ProviderError>;

    /// Calls the model.
    fn complete(&self, prepared: Prepared, permit: Permit, cancel: CancellationToken) -> Completion;
}

/// A request as the bytes to send, without the key.
#[derive(Clone)]
pub struct Prepared {
    /// The exact body.
    pub body: Bytes,
    /// The purpose of the call.
    pub purpose: String,
    /// Whether the answer is streamed.
    pub streaming: Streaming,
    /// Whether the provider may retry automatically.
    pub retries: Retries,
    /// The time limit of the entire call.
    pub timeout: Option<Duration>,
}

impl Prepared {
    /// This body with the request's options for the call.
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

/// The body is a prompt, so only its length is shown.
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

/// An item of a completion.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A part of the answer.
    Delta(Delta),
    /// An attempt failed; the next one follows after this pause.
    Waiting(Wait),
    /// The complete answer, always last.
    Message(Message),
}

/// The stream of an answer: deltas, then the message.
pub struct Completion(BoxStream<'static, Result<Step, ProviderError>>);

impl Completion {
    /// Wraps a stream that meets the requirements of [`Provider`].
    pub fn new(steps: impl Stream<Item = Result<Step, ProviderError>> + Send + 'static) -> Self {
        Self(steps.boxed())
    }

    /// A call that failed before it started.
    pub fn failed(error: ProviderError) -> Self {
        Self::new(futures::stream::iter([Err(error)]))
    }

    /// Waits for the complete answer.
    pub async fn message(self) -> Result<Message, ProviderError> {
        self.message_telling(|_| {}).await
    }

    /// Waits for the complete answer, and passes on the steps before it.
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
