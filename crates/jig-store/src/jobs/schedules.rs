//! Schedules. Every server checks them, and each time fires once.

use jig_contract::{Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{Enqueued, NewJob};
use crate::db::{parsed, plain};
use crate::error::StoreError;
use crate::store::Store;
use crate::workbenches;

/// A recurring schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its workbench.
    pub workbench_id: WorkbenchId,
    /// The name of its recipe.
    pub name: String,
    /// The cron rule.
    pub rule: String,
    /// When it fires next.
    pub next_at: Timestamp,
    /// The time for which it last fired.
    pub last_at: Option<Timestamp>,
}

const COLUMNS: &str = "workbench_id, name, rule, next_at, last_at";

impl Store {
    /// Stores a schedule. An existing one with the same rule stays unchanged, so that every server may call this at
    /// startup; a changed rule also sets the next time.
    pub async fn put_schedule(
        &self,
        id: &WorkbenchId,
        name: &str,
        rule: &str,
        next_at: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO schedules (workbench_id, name, rule, next_at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (workbench_id, name) DO UPDATE SET rule = excluded.rule, next_at = excluded.next_at
                   WHERE schedules.rule <> excluded.rule";
        let mut write = self.db().write().await?;
        let query = sqlx::query(sql).bind(id.as_str()).bind(plain(name)).bind(plain(rule)).bind(next_at.as_millis());
        workbenches::inserted(query.execute(write.connection()).await, Some(id))?;
        write.commit().await
    }

    /// Deletes a schedule and returns whether it existed.
    pub async fn drop_schedule(&self, id: &WorkbenchId, name: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM schedules WHERE workbench_id = $1 AND name = $2";
        let mut write = self.db().write().await?;
        let gone = sqlx::query(sql).bind(id.as_str()).bind(plain(name)).execute(write.connection()).await?;
        write.commit().await?;
        Ok(gone.rows_affected() == 1)
    }

    /// The schedules of a workbench, by name.
    pub async fn schedules(&self, id: &WorkbenchId) -> Result<Vec<Schedule>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM schedules WHERE workbench_id = $1");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        let mut schedules = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        schedules.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(schedules)
    }

    /// The due schedules, longest due first.
    pub async fn due_schedules(&self, limit: u32) -> Result<Vec<Schedule>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM schedules WHERE next_at <= $1 ORDER BY next_at, workbench_id, name LIMIT $2"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(self.env().now().as_millis()).bind(i64::from(limit));
        query.fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }

    /// Advances a schedule from the time that the caller has seen. If several callers try, one gets true.
    pub async fn advance_schedule(
        &self,
        id: &WorkbenchId,
        name: &str,
        expected: Timestamp,
        next: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.db().write().await?;
        let moved = advance(write.connection(), id, name, expected, next).await?;
        write.commit().await?;
        Ok(moved)
    }

    /// Advances a schedule and queues its job in one transaction, so that a crash loses no run. `None` if another
    /// server was faster.
    pub async fn fire_schedule(
        &self,
        schedule: &Schedule,
        next: Timestamp,
        job: &NewJob,
    ) -> Result<Option<Enqueued>, StoreError> {
        let mut write = self.db().write().await?;
        let (id, name) = (&schedule.workbench_id, &schedule.name);
        if !advance(write.connection(), id, name, schedule.next_at, next).await? {
            return Ok(None);
        }
        let queued = self.enqueue(write.connection(), job).await?;
        write.commit().await?;
        Ok(Some(queued))
    }
}

async fn advance(
    connection: &mut AnyConnection,
    id: &WorkbenchId,
    name: &str,
    expected: Timestamp,
    next: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE schedules SET last_at = next_at, next_at = $4
               WHERE workbench_id = $1 AND name = $2 AND next_at = $3 AND next_at < $4";
    let query = sqlx::query(sql).bind(id.as_str()).bind(plain(name)).bind(expected.as_millis()).bind(next.as_millis());
    Ok(query.execute(connection).await?.rows_affected() == 1)
}

fn read(row: &AnyRow) -> Result<Schedule, StoreError> {
    let last: Option<i64> = row.try_get("last_at")?;
    Ok(Schedule {
        workbench_id: parsed(row, "workbench_id")?,
        name: row.try_get("name")?,
        rule: row.try_get("rule")?,
        next_at: Timestamp::from_millis(row.try_get("next_at")?),
        last_at: last.map(Timestamp::from_millis),
    })
}
