//! Progress of long calls, for clients that sent a progress token.

use std::future::Future;
use std::time::Duration;

use jig_contract::{Event, EventRecord};
use jig_workbench::Workbench;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior};

/// The interval of progress for a call that reports none itself.
const BEAT: Duration = Duration::from_secs(1);

/// Reports the progress of a call.
pub(super) struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    operation: &'static str,
    workbench: Option<String>,
    told: f64,
}

impl Progress {
    /// The reporter for this request, if the client asked for progress.
    pub(super) fn of(
        request: &RequestContext<RoleServer>,
        operation: &'static str,
        workbench: Option<&str>,
    ) -> Option<Self> {
        let token = request.meta.get_progress_token()?;
        let (peer, workbench) = (request.peer.clone(), workbench.map(str::to_owned));
        Some(Self { token, peer, operation, workbench, told: 0.0 })
    }

    /// Reports progress until the work is done.
    pub(super) async fn along<T>(mut self, workbench: &Workbench, work: impl Future<Output = T>) -> T {
        let mut events = Some(workbench.events());
        let started = Instant::now();
        let mut beat = tokio::time::interval_at(started + BEAT, BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                event = next(&mut events) => self.hear(event).await,
                _ = beat.tick() => {
                    let words = format!("at work for {} s", started.elapsed().as_secs());
                    self.tell(None, words).await;
                }
            }
        }
    }

    async fn hear(&mut self, record: EventRecord) {
        let Event::Progress { operation, phase, done, total } = record.event else { return };
        let ours = self.workbench.as_deref().is_none_or(|id| id == record.workbench_id.as_str());
        if ours && operation == self.operation {
            self.tell(done.zip(total), phase).await;
        }
    }

    /// The protocol requires that the number only increases, whatever is counted in a phase.
    async fn tell(&mut self, count: Option<(u64, u64)>, words: String) {
        self.told += 1.0;
        let words = match count {
            Some((done, total)) => format!("{words} ({done} of {total})"),
            None => words,
        };
        let note = ProgressNotificationParam::new(self.token.clone(), self.told).with_message(words);
        // A failed notification is ignored, because progress is optional.
        let _ = self.peer.notify_progress(note).await;
    }
}

/// The next event; never completes if there can be none.
async fn next(events: &mut Option<Receiver<EventRecord>>) -> EventRecord {
    loop {
        let Some(receiver) = events else { return std::future::pending().await };
        match receiver.recv().await {
            Ok(record) => return record,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => *events = None,
        }
    }
}
