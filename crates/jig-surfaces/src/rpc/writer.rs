//! The one place that writes, so that messages never mix.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How many messages may wait to be written before those who send them wait too.
const WAITING: usize = 256;

/// Hands messages to the writer. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Out(mpsc::Sender<Value>);

impl Out {
    /// Sends a message. Nobody reading any more is not an error: there is no one left to tell.
    pub(super) async fn send(&self, message: Value) {
        let _ = self.0.send(message).await;
    }

    /// Waits until nobody reads any more.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }
}

/// Starts the writer; it ends when all who send are gone, or when the stream is closed.
pub(super) fn start<W: AsyncWrite + Unpin + Send + 'static>(output: W) -> (Out, JoinHandle<io::Result<()>>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Out(sender), tokio::spawn(write_all(output, receiver)))
}

async fn write_all<W: AsyncWrite + Unpin>(mut output: W, mut messages: mpsc::Receiver<Value>) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let written = match output.write_all(&line).await {
            // Flushed when nothing more is waiting: a burst of answers costs one flush.
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
