//! Logs of agent sessions, append-only.

pub(crate) mod carry;
mod check;
mod lease;

use jig_contract::{BlobHash, SessionId, Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::db::{big, counted, parsed, plain};
use crate::error::StoreError;
use crate::store::Store;

/// A session in list form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// The workbench it works on.
    pub workbench_id: WorkbenchId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its log was last appended to.
    pub updated_at: Timestamp,
    /// The number of its last record.
    pub seq: u64,
    /// Its display name; empty if it has none.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its first record, as JSON; empty without records.
    pub first: String,
}

/// A record of a log, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Its number.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The version of the event format.
    pub version: u32,
    /// Whether the event follows from the state alone, without a command.
    pub derived: bool,
    /// The hash of the effects that it starts.
    pub effects: Option<BlobHash>,
    /// The event, as JSON.
    pub event: String,
}

/// An append to a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogAppend<'a> {
    /// The number that the last record must have.
    pub after: u64,
    /// The new records, in order.
    pub rows: &'a [LogRow],
    /// The blobs that they refer to.
    pub blobs: &'a [BlobHash],
    /// The new title for lists.
    pub title: &'a str,
    /// The new status.
    pub status: &'a str,
}

const COLUMNS: &str = "SELECT id, workbench_id, created_at, updated_at, seq, title, status,
    (SELECT event FROM session_events WHERE session_id = sessions.id AND session_events.seq = 1) AS first FROM sessions";

impl Store {
    /// Creates a session with its first records.
    pub async fn create_session(
        &self,
        id: &SessionId,
        workbench: &WorkbenchId,
        append: &LogAppend<'_>,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO sessions (id, workbench_id, created_at, updated_at, seq, title, status)
                   VALUES ($1, $2, $3, $3, 0, '', '')";
        let at = self.env().now().as_millis();
        let mut write = self.db().write().await?;
        sqlx::query(sql).bind(id.as_str()).bind(workbench.as_str()).bind(at).execute(write.connection()).await?;
        self.append(write.connection(), id, append).await?;
        write.commit().await
    }

    /// Appends to a log, all or nothing. Returns false if another writer was faster.
    pub async fn append_session(&self, id: &SessionId, append: &LogAppend<'_>) -> Result<bool, StoreError> {
        let mut write = self.db().write().await?;
        if !self.append(write.connection(), id, append).await? {
            return Ok(false);
        }
        write.commit().await?;
        Ok(true)
    }

    pub(crate) async fn append(
        &self,
        connection: &mut AnyConnection,
        id: &SessionId,
        append: &LogAppend<'_>,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE sessions SET seq = $1, updated_at = $2, title = $3, status = $4 WHERE id = $5 AND seq = $6";
        let last = append.rows.last().map_or(append.after, |row| row.seq);
        let moved = sqlx::query(sql)
            .bind(big(last))
            .bind(self.env().now().as_millis())
            .bind(plain(append.title))
            .bind(append.status)
            .bind(id.as_str())
            .bind(big(append.after))
            .execute(&mut *connection)
            .await?;
        if moved.rows_affected() != 1 {
            return Ok(false);
        }
        for row in append.rows {
            let sql = "INSERT INTO session_events (session_id, seq, at, version, derived, effects, event)
                       VALUES ($1, $2, $3, $4, $5, $6, $7)";
            sqlx::query(sql)
                .bind(id.as_str())
                .bind(big(row.seq))
                .bind(row.at.as_millis())
                .bind(i64::from(row.version))
                .bind(i64::from(row.derived))
                .bind(row.effects.map(|hash| hash.to_string()))
                .bind(row.event.as_str())
                .execute(&mut *connection)
                .await?;
        }
        for hash in append.blobs {
            let sql = "INSERT INTO session_blobs (session_id, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            sqlx::query(sql).bind(id.as_str()).bind(hash.to_string()).execute(&mut *connection).await?;
        }
        Ok(true)
    }

    /// A session by its id.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let sql = format!("{COLUMNS} WHERE id = $1");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).fetch_optional(self.db().pool()).await?;
        row.as_ref().map(read).transpose()
    }

    /// The sessions of a workbench, newest first: all, or those created before one.
    pub async fn sessions(
        &self,
        workbench: &WorkbenchId,
        before: Option<(Timestamp, &SessionId)>,
        limit: u32,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE workbench_id = $1 AND (created_at < $2 OR (created_at = $2 AND id < $3))
             ORDER BY created_at DESC, id DESC LIMIT $4"
        );
        let (at, id) = before.map_or((i64::MAX, ""), |(at, id)| (at.as_millis(), id.as_str()));
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(workbench.as_str()).bind(at).bind(id);
        query.bind(i64::from(limit)).fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }

    /// The records of a log after a number, in order.
    pub async fn session_log(&self, id: &SessionId, after: u64, limit: u32) -> Result<Vec<LogRow>, StoreError> {
        let sql = "SELECT seq, at, version, derived, effects, event FROM session_events
                   WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        let query = sqlx::query(sql).bind(id.as_str()).bind(big(after)).bind(i64::from(limit));
        query.fetch_all(self.db().pool()).await?.iter().map(read_log).collect()
    }

    /// The blobs that logs refer to, of one workbench or of all.
    pub(crate) async fn session_blobs(
        &self,
        only: Option<&WorkbenchId>,
    ) -> Result<std::collections::HashSet<BlobHash>, StoreError> {
        let sql = "SELECT DISTINCT hash FROM session_blobs JOIN sessions ON sessions.id = session_blobs.session_id
                   WHERE $1 = '' OR workbench_id = $1";
        let query = sqlx::query(sql).bind(only.map_or("", WorkbenchId::as_str));
        let rows = query.fetch_all(self.db().pool()).await?;
        rows.iter().map(|row| parsed(row, "hash")).collect()
    }
}

fn read(row: &AnyRow) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        id: parsed(row, "id")?,
        workbench_id: parsed(row, "workbench_id")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        updated_at: Timestamp::from_millis(row.try_get("updated_at")?),
        seq: counted(row, "seq")?,
        title: row.try_get("title")?,
        status: row.try_get("status")?,
        first: row.try_get::<Option<String>, _>("first")?.unwrap_or_default(),
    })
}

fn read_log(row: &AnyRow) -> Result<LogRow, StoreError> {
    let effects: Option<String> = row.try_get("effects")?;
    let version: i64 = row.try_get("version")?;
    let derived: i64 = row.try_get("derived")?;
    Ok(LogRow {
        seq: counted(row, "seq")?,
        at: Timestamp::from_millis(row.try_get("at")?),
        version: u32::try_from(version).map_err(|_| StoreError::row("version is out of range"))?,
        derived: derived != 0,
        effects: effects.map(|hash| hash.parse()).transpose().map_err(|e| StoreError::row(format!("effects: {e}")))?,
        event: row.try_get("event")?,
    })
}
