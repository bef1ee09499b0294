//! Who carries out what a session asks for: one at a time, for as long as they show that they live. And what is taken away
//! that nobody has any more.

use jig_contract::{SessionId, Timestamp, WorkbenchId};

use super::{COLUMNS, SessionRow, read};
use crate::error::StoreError;
use crate::store::Store;

impl Store {
    /// Takes a session, or keeps it for longer; says whether it is the holder's. Nobody else's is taken before its time
    /// is over.
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

    /// Lets go of a session.
    pub async fn release_session(&self, id: &SessionId, holder: &str) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET holder = NULL, lease_until = NULL WHERE id = $1 AND holder = $2";
        let mut write = self.db().write().await?;
        sqlx::query(sql).bind(id.as_str()).bind(holder).execute(write.connection()).await?;
        write.commit().await
    }

    /// For how long somebody has it from now on without a sign of life, in milliseconds; none when nobody has it.
    pub async fn session_held_for(&self, id: &SessionId) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT lease_until FROM sessions WHERE id = $1 AND holder IS NOT NULL AND lease_until >= $2";
        let now = self.env().now().as_millis();
        let until: Option<i64> =
            sqlx::query_scalar(sql).bind(id.as_str()).bind(now).fetch_optional(self.db().pool()).await?;
        Ok(until.map(|until| until.saturating_sub(now).unsigned_abs()))
    }

    /// Sessions of a workbench whose log has not grown since a moment and that nobody has, by id after one.
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

    /// Takes a session away with its log, if it still is as old as that and nobody has it; says whether it did.
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

    /// The sessions of a workbench whose run is being executed now. Runs of recipes are left out: they write no files.
    pub async fn held_sessions(&self, workbench: &WorkbenchId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM sessions WHERE workbench_id = $1 AND holder IS NOT NULL AND lease_until >= $2
                   AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = sessions.id) ORDER BY id";
        let now = self.env().now().as_millis();
        Ok(sqlx::query_scalar(sql).bind(workbench.as_str()).bind(now).fetch_all(self.db().pool()).await?)
    }

    /// Whether somebody has it now.
    pub async fn session_is_held(&self, id: &SessionId) -> Result<bool, StoreError> {
        let sql = "SELECT COUNT(*) FROM sessions WHERE id = $1 AND holder IS NOT NULL AND lease_until >= $2";
        let now = self.env().now().as_millis();
        let held: i64 = sqlx::query_scalar(sql).bind(id.as_str()).bind(now).fetch_one(self.db().pool()).await?;
        Ok(held > 0)
    }
}
