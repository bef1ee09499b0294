//! Schema migrations. Each step is one SQL script, executed once and in order.

use sqlx::AnyConnection;

use super::{Db, Dialect};
use crate::error::StoreError;

/// Append-only: a released step never changes.
const STEPS: &[&str] = &[
    include_str!("../../migrations/0001_foundation.sql"),
    include_str!("../../migrations/0002_egress.sql"),
    include_str!("../../migrations/0003_entries.sql"),
    include_str!("../../migrations/0004_conversation.sql"),
    include_str!("../../migrations/0005_sessions.sql"),
    include_str!("../../migrations/0006_access.sql"),
    include_str!("../../migrations/0007_store_identity.sql"),
];

/// The newest known schema version.
const KNOWN_VERSION: i64 = STEPS.len() as i64;

/// An arbitrary number, the same for all processes.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7369671)";

/// Executes the missing steps in one transaction, under an exclusive lock. A new database gets this id.
pub(super) async fn run(db: &Db, first: &mut AnyConnection, new_id: &str) -> Result<(), StoreError> {
    if version(first, db.dialect()).await? == Some(KNOWN_VERSION) {
        return Ok(());
    }
    if db.is_read_only() {
        return Err(StoreError::ReadOnly);
    }
    let mut write = db.write().await?;
    if db.dialect() == Dialect::Postgres {
        sqlx::raw_sql(LOCK).execute(write.connection()).await?;
    }
    let connection = write.connection();
    // Checked again: another process may have migrated while this one waited.
    let found = version(connection, db.dialect()).await?;
    let done = usize::try_from(found.unwrap_or(0)).unwrap_or(0);
    if found.is_none() {
        sqlx::raw_sql("CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (0)")
            .execute(&mut *connection)
            .await?;
    }
    for step in STEPS.iter().skip(done) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(for_dialect(step, db.dialect()))).execute(&mut *connection).await?;
    }
    sqlx::query("INSERT INTO store_identity (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING")
        .bind(new_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query("UPDATE schema_version SET version = $1").bind(KNOWN_VERSION).execute(&mut *connection).await?;
    write.commit().await
}

/// The number of tables in a SQLite database.
pub(super) async fn count_tables(connection: &mut AnyConnection) -> Result<i64, StoreError> {
    let count = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'";
    Ok(sqlx::query_scalar(count).fetch_one(connection).await?)
}

/// The schema version; `None` without tables.
pub(super) async fn version(connection: &mut AnyConnection, dialect: Dialect) -> Result<Option<i64>, StoreError> {
    let exists = match dialect {
        Dialect::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
        Dialect::Postgres => {
            "SELECT COUNT(*) FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_name = 'schema_version'"
        }
    };
    let tables: i64 = sqlx::query_scalar(exists).fetch_one(&mut *connection).await?;
    if tables == 0 {
        return Ok(None);
    }
    let found: i64 = sqlx::query_scalar("SELECT version FROM schema_version").fetch_one(&mut *connection).await?;
    if found > KNOWN_VERSION {
        return Err(StoreError::TooNew { found, known: KNOWN_VERSION });
    }
    Ok(Some(found))
}

/// The script of a step for one dialect.
fn for_dialect(step: &str, dialect: Dialect) -> String {
    let name = match dialect {
        Dialect::Sqlite => "sqlite",
        Dialect::Postgres => "postgres",
    };
    let mut text = String::with_capacity(step.len());
    let mut wanted = true;
    for line in step.lines() {
        match line.strip_prefix("-- only ") {
            Some(only) => wanted = only == name,
            None if line == "-- both" => wanted = true,
            None if wanted && !line.starts_with("--") => {
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    text.replace("{json}", dialect.json())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_database_gets_its_own_lines() {
        let step = "-- why\nboth {json};\n-- only sqlite\na;\n-- only postgres\nb;\n-- both\nend;\n";
        assert_eq!(for_dialect(step, Dialect::Sqlite), "both TEXT;\na;\nend;\n");
        assert_eq!(for_dialect(step, Dialect::Postgres), "both JSONB;\nb;\nend;\n");
    }
}
