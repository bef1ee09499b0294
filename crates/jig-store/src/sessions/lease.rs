//! Session leases: a session has one worker at a time, as long as it renews its lease. Also the removal of old
//! sessions.

use jig_contract::{SessionId, Timestamp, WorkbenchId};

use super::{COLUMNS, SessionRow, read};
use crate::error::StoreError;
use crate::store::Store;

impl Store {
    /// Acquires or renews the lease of a session. Returns whether the holder has it; an unexpired lease of another
    /// holder is never taken.
    pub async fn hold_session(&self, id: &SessionId, holder: &str, lease_ms: u32) -> Result<bool, StoreError> {
        let sql = "UPDATE sessions SET holder = $1, lease_until = $2
                   WHERE id = $3 AND (holder IS NULL OR holder = $1 OR lease_until < $4)";
        let now = self.env().now().as_millis();
        let mut write = self.db().write().await?;
        let held = sqlx::query(sql)
            .bind(holder)
            .bind(now.saturating_add(i64::from(lease_ms)))
            .bind(id.as_str())
            .bind(now)
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(held.rows_affected() == 1)
    }

    /// Releases a session.
    pub async fn release_session(&self, id: &SessionId, holder: &str) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET holder = NULL, lease_until = NULL WHERE id = $1 AND holder = $2";
        let mut write = self.db().write().await?;
        sqlx::query(sql).bind(id.as_str()).bind(holder).execute(write.connection()).await?;
        write.commit().await
    }

    /// The remaining lease in milliseconds; `None` without a holder.
    pub async fn session_held_for(&self, id: &SessionId) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT lease_until FROM sessions WHERE id = $1 AND holder IS NOT NULL AND lease_until >= $2";
        let now = self.env().now().as_millis();
        let until: Option<i64> =
            sqlx::query_scalar(sql).bind(id.as_str()).bind(now).fetch_optional(self.db().pool()).await?;
        Ok(until.map(|until| until.saturating_sub(now).unsigned_abs()))
    }

    /// Sessions of a workbench without a holder whose log has not grown since a time, ordered by id, after one.
    pub async fn old_sessions(
        &self,
        workbench: &WorkbenchId,
        before: Timestamp,
        after: &str,
        limit: u32,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE workbench_id = $1 AND updated_at < $2 AND id > $3
             AND (holder IS NULL OR lease_until < $4) ORDER BY id LIMIT $5"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(workbench.as_str()).bind(before.as_millis()).bind(after);
        let query = query.bind(self.env().now().as_millis()).bind(i64::from(limit));
        query.fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }

    /// Deletes a session and its log if it is still that old and has no holder. Returns whether it was deleted.
    pub async fn forget_session(&self, id: &SessionId, before: Timestamp) -> Result<bool, StoreError> {
        let sql = "DELETE FROM sessions
                   WHERE id = $1 AND updated_at < $2 AND (holder IS NULL OR lease_until < $3)";
        let now = self.env().now().as_millis();
        let mut write = self.db().write().await?;
        let query = sqlx::query(sql).bind(id.as_str()).bind(before.as_millis()).bind(now);
        let gone = query.execute(write.connection()).await?.rows_affected() == 1;
        write.commit().await?;
        Ok(gone)
    }

    /// The sessions of a workbench with an active run. Recipe runs are left out: they write no files.
    pub async fn held_sessions(&self, workbench: &WorkbenchId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM sessions WHERE workbench_id = $1 AND holder IS NOT NULL AND lease_until >= $2
                   AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = sessions.id) ORDER BY id";
        let now = self.env().now().as_millis();
        Ok(sqlx::query_scalar(sql).bind(workbench.as_str()).bind(now).fetch_all(self.db().pool()).await?)
    }

    /// Whether a worker holds the session.
    pub async fn session_is_held(&self, id: &SessionId) -> Result<bool, StoreError> {
        let sql = "SELECT COUNT(*) FROM sessions WHERE id = $1 AND holder IS NOT NULL AND lease_until >= $2";
        let now = self.env().now().as_millis();
        let held: i64 = sqlx::query_scalar(sql).bind(id.as_str()).bind(now).fetch_one(self.db().pool()).await?;
        Ok(held > 0)
    }
}
