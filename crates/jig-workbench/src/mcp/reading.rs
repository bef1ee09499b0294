//! Bounded reading from a server that may send without end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// The size limit of a message, and whether one has exceeded it.
#[derive(Clone)]
pub(super) struct TooMuch {
    pub(super) most: usize,
    happened: Arc<AtomicBool>,
}

impl TooMuch {
    pub(super) fn new(most: usize) -> Self {
        Self { most, happened: Arc::new(AtomicBool::new(false)) }
    }

    pub(super) fn happened(&self) -> bool {
        self.happened.load(Ordering::Acquire)
    }

    /// Records the excess and returns the error that closes the connection.
    pub(super) fn now(&self) -> std::io::Error {
        self.happened.store(true, Ordering::Release);
        std::io::Error::other("a message is too large")
    }
}

/// Reads lines of limited length; a longer line ends the stream.
pub(super) struct Lines<R> {
    inner: R,
    since: usize,
    too_much: TooMuch,
}

impl<R> Lines<R> {
    pub(super) const fn new(inner: R, too_much: TooMuch) -> Self {
        Self { inner, since: 0, too_much }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if matches!(read, Poll::Ready(Ok(()))) {
            let fresh = &buffer.filled()[before..];
            self.since = match fresh.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => fresh.len() - at - 1,
                None => self.since.saturating_add(fresh.len()),
            };
            if self.since > self.too_much.most {
                return Poll::Ready(Err(self.too_much.now()));
            }
        }
        read
    }
}
