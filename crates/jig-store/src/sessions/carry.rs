//! Export and import of sessions in archives.

use std::collections::{BTreeMap, HashSet};

use jig_contract::{BlobHash, SessionId, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row as _};

use super::{LogAppend, LogRow, SessionRow};
use crate::db::{big, parsed, plain};
use crate::error::StoreError;
use crate::store::Store;

/// How many records are read at a time.
const AT_A_TIME: u32 = 1_000;

/// The list form of a session, with the blobs that its log refers to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionLine {
    pub(crate) id: SessionId,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) seq: u64,
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) blobs: Vec<BlobHash>,
}

/// A record of a log, with the event's text unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordLine {
    pub(crate) session: SessionId,
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) version: u32,
    pub(crate) derived: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) effects: Option<BlobHash>,
    pub(crate) event: String,
}

impl Store {
    /// All sessions of a workbench with their records, oldest first. Concurrent appends are left out.
    pub(crate) async fn all_sessions(
        &self,
        workbench: &WorkbenchId,
    ) -> Result<(Vec<SessionLine>, Vec<RecordLine>), StoreError> {
        let mut rows = self.sessions(workbench, None, u32::MAX).await?;
        rows.reverse();
        let (mut sessions, mut records) = (Vec::new(), Vec::new());
        for row in rows {
            let mut after = 0;
            while after < row.seq {
                let some = self.session_log(&row.id, after, AT_A_TIME).await?;
                let Some(last) = some.last().map(|record| record.seq) else { break };
                let some = some.into_iter().filter(|record| record.seq <= row.seq);
                records.extend(some.map(|record| line(&row.id, record)));
                after = last;
            }
            let blobs = self.blobs_of_session(&row.id).await?;
            let SessionRow { id, created_at, updated_at, seq, title, status, .. } = row;
            sessions.push(SessionLine { id, created_at, updated_at, seq, title, status, blobs });
        }
        Ok((sessions, records))
    }

    pub(crate) async fn blobs_of_session(&self, id: &SessionId) -> Result<Vec<BlobHash>, StoreError> {
        let sql = "SELECT hash FROM session_blobs WHERE session_id = $1 ORDER BY hash";
        let rows = sqlx::query(sql).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        rows.iter().map(|row| parsed(row, "hash")).collect()
    }

    /// Inserts the sessions of an archive. A session whose id is taken gets a new one.
    pub(crate) async fn insert_sessions(
        &self,
        connection: &mut AnyConnection,
        workbench: &WorkbenchId,
        sessions: &[SessionLine],
        records: &[RecordLine],
    ) -> Result<(), StoreError> {
        let mut by_session: BTreeMap<&SessionId, Vec<LogRow>> = BTreeMap::new();
        for record in records {
            by_session.entry(&record.session).or_default().push(row(record));
        }
        for session in sessions {
            let sql = "SELECT COUNT(*) AS taken FROM sessions WHERE id = $1";
            let taken: i64 =
                sqlx::query(sql).bind(session.id.as_str()).fetch_one(&mut *connection).await?.try_get("taken")?;
            let fresh = SessionId::new(self.env().fresh_id().to_string()).map_err(StoreError::row)?;
            let id = if taken == 0 { session.id.clone() } else { fresh };
            let sql = "INSERT INTO sessions (id, workbench_id, created_at, updated_at, seq, title, status)
                       VALUES ($1, $2, $3, $3, 0, '', '')";
            let at = session.created_at.as_millis();
            sqlx::query(sql).bind(id.as_str()).bind(workbench.as_str()).bind(at).execute(&mut *connection).await?;
            let rows = by_session.remove(&session.id).unwrap_or_default();
            let SessionLine { title, status, blobs, .. } = session;
            let append = LogAppend { after: 0, rows: &rows, blobs, title, status };
            self.append(&mut *connection, &id, &append).await?;
            let sql = "UPDATE sessions SET updated_at = $1 WHERE id = $2";
            let at = session.updated_at.as_millis();
            sqlx::query(sql).bind(at).bind(id.as_str()).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

fn line(session: &SessionId, record: LogRow) -> RecordLine {
    let LogRow { seq, at, version, derived, effects, event } = record;
    RecordLine { session: session.clone(), seq, at, version, derived, effects, event }
}

fn row(line: &RecordLine) -> LogRow {
    let RecordLine { seq, at, version, derived, effects, event, .. } = line.clone();
    LogRow { seq, at, version, derived, effects, event }
}

/// The first error in the sessions of an archive: logs must be continuous and belong to an existing session.
pub(crate) fn wrong(sessions: &[SessionLine], records: &[RecordLine]) -> Option<String> {
    let mut ids = HashSet::new();
    for session in sessions {
        if !ids.insert(&session.id) {
            return Some(format!("the session {} is duplicated", session.id));
        }
        if session.title != plain(&session.title) || session.status != plain(&session.status) {
            return Some(format!("the session {} contains a NUL character", session.id));
        }
    }
    let mut last: BTreeMap<&SessionId, u64> = BTreeMap::new();
    for record in records {
        let what = |why: &str| Some(format!("record {} of the session {} {why}", record.seq, record.session));
        if !ids.contains(&record.session) {
            return what("does not belong to a session");
        }
        let before = last.entry(&record.session).or_insert(0);
        if record.seq != *before + 1 {
            return what("is out of order");
        }
        *before = record.seq;
        if record.event.contains('\0') {
            return what("contains a NUL character");
        }
        let event: Result<serde_json::Value, _> = serde_json::from_str(&record.event);
        if !event.is_ok_and(|event| event["type"].is_string()) {
            return what("is not an event");
        }
        if big(record.seq) < 1 || record.version == 0 {
            return what("has no version");
        }
    }
    let torn = sessions.iter().find(|session| last.get(&session.id).copied().unwrap_or(0) != session.seq);
    torn.map(|session| format!("the session {} does not have all of its {} records", session.id, session.seq))
}
