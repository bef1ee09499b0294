//! The single writer of output, so that messages never interleave.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How many messages may be queued before senders have to wait.
const WAITING: usize = 256;

/// Sends messages to the writer. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Out(mpsc::Sender<Value>);

impl Out {
    /// Sends a message. A closed output is not an error here.
    pub(super) async fn send(&self, message: Value) {
        let _ = self.0.send(message).await;
    }

    /// Completes when the output is closed.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }
}

/// Starts the writer, which ends when all senders are dropped or the stream is closed.
pub(super) fn start<W: AsyncWrite + Unpin + Send + 'static>(output: W) -> (Out, JoinHandle<io::Result<()>>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Out(sender), tokio::spawn(write_all(output, receiver)))
}

async fn write_all<W: AsyncWrite + Unpin>(mut output: W, mut messages: mpsc::Receiver<Value>) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let written = match output.write_all(&line).await {
            // Flushed when the queue is empty: a burst of responses costs one flush.
            Ok(()) if messages.is_empty() => output.flush().await,
            other => other,
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            other => other?,
        }
    }
    Ok(())
}
