//! Reads a session's log in pages, so that memory use does not depend on its length.

use jig_contract::{Code, OpError, SessionId};
use jig_session::{Record, read_event};
use jig_store::{LogRow, Store};

use crate::Workbench;

/// The number of records per page.
const PAGE: u32 = 1_000;

/// A cursor over a log.
pub(crate) struct Log<'a> {
    store: &'a Store,
    session: SessionId,
    after: u64,
    page: std::vec::IntoIter<LogRow>,
    ended: bool,
}

/// A record and its stored size.
pub(crate) struct Logged {
    pub(crate) record: Record,
    pub(crate) bytes: usize,
}

impl Workbench {
    /// The records of a session after a sequence number.
    pub(crate) fn log(&self, session: &SessionId, after: u64) -> Log<'_> {
        let page = Vec::new().into_iter();
        Log { store: self.store(), session: session.clone(), after, page, ended: false }
    }
}

impl Log<'_> {
    /// The next record; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Logged>, OpError> {
        if self.page.len() == 0 && !self.ended {
            let rows = self.store.session_log(&self.session, self.after, PAGE).await?;
            self.ended = rows.len() < PAGE as usize;
            self.page = rows.into_iter();
        }
        let Some(row) = self.page.next() else { return Ok(None) };
        self.after = row.seq;
        let bytes = row.event.len();
        Ok(Some(Logged { record: record(row)?, bytes }))
    }
}

/// Parses a row.
pub(super) fn record(row: LogRow) -> Result<Record, OpError> {
    let LogRow { seq, at, version, derived, effects, event } = row;
    let broken = |why: String| {
        OpError::new(Code::BlobCorrupt, format!("record {seq} of the session cannot be read: {why}"))
            .hint("it may have been written by a newer version of Jig")
    };
    let value = serde_json::from_str(&event).map_err(|error| broken(error.to_string()))?;
    let event = read_event(version, value).map_err(|bad| broken(bad.to_string()))?;
    Ok(Record { seq, at, derived, effects, event })
}
