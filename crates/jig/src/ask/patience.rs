//! Waits for a session that another process holds. If that process is dead, its lease must expire first.

use std::time::{Duration, Instant};

use jig_contract::{Code, OpError};
use serde_json::json;

use crate::terminal::Terminal;

/// How often to retry.
const LOOK: Duration = Duration::from_millis(500);
/// Tolerance for the time between reading a lease and computing its end.
const SLACK: Duration = Duration::from_millis(200);

/// What is known about the lease of the other process.
#[derive(Default)]
pub(super) struct Patience {
    /// The end of the lease when it was first seen.
    until: Option<Instant>,
    told: bool,
}

impl Patience {
    /// Whether the session may become free. A live process renews its lease, which moves the end past `until`.
    pub(super) fn may_end(&mut self, error: &OpError) -> bool {
        let held = error.info.detail.as_ref().and_then(|detail| detail["held_for_ms"].as_u64());
        let Some(held) = held.filter(|_| error.code() == Code::RunActive) else { return false };
        let until = Instant::now() + Duration::from_millis(held);
        let first = *self.until.get_or_insert(until);
        until <= first + SLACK
    }

    /// Waits until the next retry. The first call reports the maximum waiting time.
    pub(super) async fn wait(&mut self, terminal: Terminal) {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now())).unwrap_or_default();
        if !self.told {
            self.told = true;
            let seconds = left.as_millis().div_ceil(1_000).max(1);
            if terminal.json {
                // A JSON line of the stream, like those of events. A closed output is handled by whoever prints next.
                let _ = terminal.print(&json!({ "type": "waiting", "seconds": seconds }).to_string());
            } else {
                let who = "another process has locked the session and may have crashed";
                terminal.note(&format!("{who}; waiting up to {seconds} s for the lock, then resuming here"));
            }
        }
        tokio::time::sleep(LOOK.min(left + SLACK)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(millis: u64) -> OpError {
        OpError::new(Code::RunActive, "somebody").detail(json!({ "held_for_ms": millis }))
    }

    #[test]
    fn the_dead_are_waited_for_and_the_living_are_not() {
        let mut patience = Patience::default();
        assert!(patience.may_end(&held(60_000)));
        assert!(patience.may_end(&held(59_000)) && patience.may_end(&held(0)));
        assert!(!patience.may_end(&held(60_900)), "a sign of life");
        assert!(!Patience::default().may_end(&OpError::new(Code::RunActive, "run 1 is under way")));
        assert!(!Patience::default().may_end(&OpError::new(Code::Conflict, "x").detail(json!({ "held_for_ms": 1 }))));
    }
}
