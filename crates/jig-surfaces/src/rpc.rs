//! `jig rpc`: newline-delimited JSON-RPC 2.0 over any pair of streams.
//!
//! Calls run side by side, so answers come in the order in which they are ready. Every request gets
//! exactly one answer, whatever happens to it. Notifications are carried out and not answered.

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

/// How the door is set.
#[derive(Debug, Clone)]
pub struct RpcOptions {
    /// The largest message that is read, in bytes.
    pub max_message_bytes: usize,
    /// How many calls are carried out at once. As many again may wait.
    pub at_once: usize,
    /// Who calls.
    pub actor: Actor,
}

impl Default for RpcOptions {
    fn default() -> Self {
        Self { max_message_bytes: 10 << 20, at_once: 64, actor: Actor::person() }
    }
}

/// Answers calls until the input ends, then waits for those under way. A closed output ends it quietly.
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
