//! `jig rpc`: newline-delimited JSON-RPC 2.0 over any pair of streams.
//!
//! Calls run concurrently, so responses arrive in order of completion. Every request gets exactly one response,
//! whatever happens. Notifications are executed without a response.

mod calls;
mod discover;
mod events;
mod lines;
mod message;
mod writer;

use std::io;

use jig_contract::Actor;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use crate::LazyWorkbench;
use calls::Calls;
use lines::Line;

/// The configuration of the JSON-RPC server.
#[derive(Debug, Clone)]
pub struct RpcOptions {
    /// The maximum size of a message, in bytes.
    pub max_message_bytes: usize,
    /// The number of concurrent calls. The same number may be queued.
    pub at_once: usize,
    /// The caller.
    pub actor: Actor,
}

impl Default for RpcOptions {
    fn default() -> Self {
        Self { max_message_bytes: 10 << 20, at_once: 64, actor: Actor::person() }
    }
}

/// Serves calls until the input ends, then waits for active ones. A closed output ends it quietly.
pub async fn serve<R, W>(workbench: LazyWorkbench, input: R, output: W, options: RpcOptions) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (out, writing) = writer::start(output);
    let limit = options.max_message_bytes;
    let calls = Calls::new(workbench, out.clone(), &options);
    let mut input = BufReader::with_capacity(64 << 10, input);
    let ended = loop {
        let line = tokio::select! {
            line = lines::next(&mut input, limit) => line,
            () = out.closed() => break Ok(()),
        };
        match line {
            Ok(Some(Line::Whole(line))) => calls.take(message::parse(&line)).await,
            Ok(Some(Line::TooLarge)) => calls.take(Some(message::Message::One(message::too_large(limit)))).await,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    calls.finish().await;
    drop(out);
    let written = writing.await.map_err(io::Error::other)?;
    ended.and(written)
}
