//! A cache of recently used sessions and workspace snapshots: the next operation on a session only reads the new part
//! of its log.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jig_context::agent::Snapshot;
use jig_contract::{BlobHash, SessionId};

use super::live::Live;
use crate::shelf::Shelf;

/// The maximum total size of cached session logs, in bytes. The newest session stays cached whatever its size.
const MOST: usize = 64 << 20;

/// The maximum total size of cached snapshots.
const MOST_SNAPSHOTS: usize = 32 << 20;

/// The cache.
pub(crate) struct SessionDesk {
    /// Ordered from least to most recently used.
    sessions: Mutex<VecDeque<Live>>,
    pub(super) snapshots: Shelf<BlobHash, Snapshot>,
}

impl SessionDesk {
    pub(crate) fn new() -> Self {
        Self { sessions: Mutex::default(), snapshots: Shelf::new(MOST_SNAPSHOTS) }
    }

    /// Removes a session from the cache, because two concurrent operations must not share it.
    pub(super) fn take(&self, id: &SessionId) -> Option<Live> {
        let mut kept = self.lock();
        let at = kept.iter().position(|live| live.row.id == *id)?;
        kept.remove(at)
    }

    /// A session that returns to the cache when its operation ends.
    pub(crate) fn lend(&self, live: Live) -> AtHand<'_> {
        AtHand { live, desk: self }
    }

    fn put(&self, live: Live) {
        let mut kept = self.lock();
        // A concurrent operation may have cached its own copy in the meantime.
        if let Some(at) = kept.iter().position(|other| other.row.id == live.row.id)
            && let Some(other) = kept.remove(at)
            && other.state.core.seq > live.state.core.seq
        {
            kept.push_back(other);
            return;
        }
        kept.push_back(live);
        let mut weight: usize = kept.iter().map(|live| live.bytes).sum();
        while weight > MOST
            && kept.len() > 1
            && let Some(oldest) = kept.pop_front()
        {
            weight = weight.saturating_sub(oldest.bytes);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Live>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session checked out by an operation.
pub(crate) struct AtHand<'a> {
    live: Live,
    desk: &'a SessionDesk,
}

impl Deref for AtHand<'_> {
    type Target = Live;

    fn deref(&self) -> &Live {
        &self.live
    }
}

impl DerefMut for AtHand<'_> {
    fn deref_mut(&mut self) -> &mut Live {
        &mut self.live
    }
}

impl Drop for AtHand<'_> {
    fn drop(&mut self) {
        let empty = Live::new(self.live.row.clone());
        let live = std::mem::replace(&mut self.live, empty);
        // A session that was never stored has no log to continue from.
        if live.is_written() {
            self.desk.put(live.rested());
        }
    }
}

#[cfg(test)]
mod tests {
    use jig_contract::{Timestamp, WorkbenchId};
    use jig_store::SessionRow;

    use super::*;

    fn id(letter: &str) -> SessionId {
        SessionId::new(format!("00000000-0000-7000-8000-00000000000{letter}")).unwrap()
    }

    fn live(letter: &str, seq: u64, bytes: usize) -> Live {
        let now = Timestamp::from_millis(0);
        let row = SessionRow {
            id: id(letter),
            workbench_id: WorkbenchId::new("w").unwrap(),
            created_at: now,
            updated_at: now,
            seq,
            title: String::new(),
            status: String::new(),
            first: String::new(),
        };
        let mut live = Live::new(row);
        live.state.core.seq = seq;
        live.bytes = bytes;
        live
    }

    fn seq(desk: &SessionDesk, letter: &str) -> Option<u64> {
        desk.take(&id(letter)).map(|live| live.state.core.seq)
    }

    #[test]
    fn the_copy_that_knows_more_stays() {
        let desk = SessionDesk::new();
        drop(desk.lend(live("a", 5, 1)));
        drop(desk.lend(live("a", 3, 1)));
        assert_eq!((seq(&desk, "a"), seq(&desk, "a")), (Some(5), None), "taken away once");
        drop(desk.lend(live("a", 0, 1)));
        let mut held_back = live("a", 9, 1);
        held_back.hold_back();
        drop(desk.lend(held_back));
        assert_eq!(seq(&desk, "a"), None, "nothing was written of them");
    }

    #[test]
    fn the_oldest_makes_room_and_the_newest_always_stays() {
        let desk = SessionDesk::new();
        drop(desk.lend(live("a", 1, MOST / 2)));
        drop(desk.lend(live("b", 1, MOST / 2)));
        drop(desk.lend(live("c", 1, 1)));
        assert_eq!((seq(&desk, "a"), seq(&desk, "b"), seq(&desk, "c")), (None, Some(1), Some(1)));
        drop(desk.lend(live("d", 1, MOST * 2)));
        assert_eq!(seq(&desk, "d"), Some(1));
    }
}
