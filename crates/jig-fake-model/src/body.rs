//! Chunked response bodies, and detecting when a caller drops one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http_body_util::StreamBody;
use hyper::body::Frame;

use crate::reply::Piece;

/// A body that is sent in chunks.
pub(crate) type Body = StreamBody<BoxStream<'static, Result<Frame<Bytes>, std::io::Error>>>;

/// The number of bodies that were dropped before their end.
#[derive(Debug, Clone, Default)]
pub(crate) struct LetGo(Arc<(AtomicUsize, tokio::sync::Notify)>);

impl LetGo {
    /// Waits for this many drops; false on a timeout.
    pub(crate) async fn wait(&self, count: usize, patience: Duration) -> bool {
        let enough = async {
            loop {
                let noticed = self.0.1.notified();
                if self.0.0.load(Ordering::SeqCst) >= count {
                    return;
                }
                noticed.await;
            }
        };
        tokio::time::timeout(patience, enough).await.is_ok()
    }

    fn add(&self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
        self.0.1.notify_waiters();
    }
}

/// Detects that a body is dropped before its end.
struct Watch(LetGo, bool);

impl Watch {
    fn ends(&mut self) {
        self.1 = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.1 {
            self.0.add();
        }
    }
}

/// A body with these pieces.
pub(crate) fn body(pieces: Vec<Piece>, let_go: LetGo) -> Body {
    let watch = Watch(let_go, false);
    let frames = stream::unfold((pieces.into_iter(), watch), |(mut pieces, mut watch)| async move {
        loop {
            match pieces.next() {
                Some(Piece::Bytes(bytes)) => {
                    // Yields, so that each piece is sent separately.
                    tokio::task::yield_now().await;
                    return Some((Ok(Frame::data(bytes)), (pieces, watch)));
                }
                Some(Piece::Wait(time)) => tokio::time::sleep(time).await,
                Some(Piece::Hang) => futures::future::pending::<()>().await,
                Some(Piece::Cut) => {
                    watch.ends();
                    // Earlier pieces must arrive before the connection breaks.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    return Some((Err(std::io::Error::other("cut")), (pieces, watch)));
                }
                None => {
                    watch.ends();
                    return None;
                }
            }
        }
    });
    StreamBody::new(frames.boxed())
}
