//! What people agreed to send, for the runs that this process works on. A yes for one run is used up when the run first
//! asks a model; that the run has it is remembered here, and asked for again after a crash.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jig_contract::SessionId;

/// The run of each session, with the hash of what was agreed to.
#[derive(Debug, Default)]
pub(crate) struct AgreedRuns(Mutex<BTreeMap<SessionId, (u32, String)>>);

impl AgreedRuns {
    /// What a run has a yes for.
    pub(crate) fn get(&self, session: &SessionId, run: u32) -> Option<String> {
        self.lock().get(session).filter(|(of, _)| *of == run).map(|(_, hash)| hash.clone())
    }

    /// Remembers it; that of an earlier run of the session is forgotten.
    pub(crate) fn set(&self, session: &SessionId, run: u32, hash: Option<String>) {
        match hash {
            Some(hash) => drop(self.lock().insert(session.clone(), (run, hash))),
            None => drop(self.lock().remove(session)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, (u32, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
