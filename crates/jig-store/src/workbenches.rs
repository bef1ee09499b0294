//! Workbench rows: create, find, rename, copy and delete.

use jig_contract::ops::JournalEntry;
use jig_contract::{Actor, BlobHash, Timestamp, WorkbenchId};
use sqlx::any::{AnyQueryResult, AnyRow};
use sqlx::{AnyConnection, Row as _};

use crate::commit::{Change, Commit};
use crate::db::{Write, big, counted, parsed};
use crate::error::StoreError;
use crate::journal::{self, Row};
use crate::projections;
use crate::store::Store;

/// The head of a workbench: the row that names its current state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The workbench.
    pub id: WorkbenchId,
    /// Its name.
    pub name: String,
    /// Its current state.
    pub state: BlobHash,
    /// The number of its last change.
    pub seq: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Store {
    /// Creates an empty workbench.
    pub async fn create_workbench(
        &self,
        id: WorkbenchId,
        name: String,
        actor: Actor,
    ) -> Result<(Head, JournalEntry), StoreError> {
        let state = self.empty_tree().await?;
        let at = self.env().now();
        let head = Head { id, name, state, seq: 1, created_at: at, updated_at: at };
        let entry = JournalEntry {
            seq: 1,
            at,
            actor,
            operation: "WorkbenchCreate".to_owned(),
            summary: format!("created the workbench “{}”", head.name),
            state_before: state,
            state_after: state,
            target: None,
        };
        let mut write = self.db().write().await?;
        insert(write.connection(), &head).await?;
        let row = Row { entry, position: 0, parent_position: 0 };
        journal::insert(write.connection(), self.db().dialect(), &head.id, &row).await?;
        write.commit().await?;
        Ok((head, row.entry))
    }

    /// The head of a workbench.
    pub async fn head(&self, id: &WorkbenchId) -> Result<Head, StoreError> {
        let mut connection = self.db().pool().acquire().await?;
        find(&mut connection, id).await?.ok_or_else(|| StoreError::WorkbenchNotFound { id: id.clone() })
    }

    /// The heads of all workbenches, by id.
    pub async fn heads(&self) -> Result<Vec<Head>, StoreError> {
        let sql = "SELECT id, name, head, generation, created_at, updated_at FROM workbenches";
        let rows = sqlx::query(sql).fetch_all(self.db().pool()).await?;
        let mut heads = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        // Sorted here, because the text order of PostgreSQL depends on its collation.
        heads.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(heads)
    }

    /// Renames a workbench. Its state does not change.
    pub async fn rename_workbench(
        &self,
        id: &WorkbenchId,
        name: String,
        actor: Actor,
    ) -> Result<(Head, JournalEntry), StoreError> {
        loop {
            let head = self.head(id).await?;
            let summary = format!("renamed “{}” to “{name}”", head.name);
            let mut change = Change::new(actor.clone(), "WorkbenchRename", summary, head.state);
            change.rename = Some(name.clone());
            if let Commit::Done(head, entry) = self.commit(&head, change).await? {
                return Ok((head, entry));
            }
        }
    }

    /// Deletes a workbench with its journal, checkpoints and projections. Returns the number of its changes. Its blobs
    /// stay until garbage collection.
    pub async fn delete_workbench(&self, id: &WorkbenchId) -> Result<u64, StoreError> {
        let mut write = self.db().write().await?;
        let Some(head) = find(write.connection(), id).await? else {
            return Err(StoreError::WorkbenchNotFound { id: id.clone() });
        };
        projections::note_deleted(write.connection(), id).await?;
        // Rows of other tables are deleted by cascade.
        let sql = "DELETE FROM workbenches WHERE id = $1";
        sqlx::query(sql).bind(id.as_str()).execute(write.connection()).await?;
        write.commit().await?;
        Ok(head.seq)
    }

    /// Copies a workbench with its complete history. Blobs are shared.
    pub async fn clone_workbench(
        &self,
        from: &WorkbenchId,
        id: WorkbenchId,
        name: String,
        actor: Actor,
    ) -> Result<(Head, JournalEntry), StoreError> {
        let at = self.env().now();
        let mut write = self.db().write().await?;
        let Some(source) = find_locked(&mut write, self.db().dialect(), from).await? else {
            return Err(StoreError::WorkbenchNotFound { id: from.clone() });
        };
        let head = Head { id, name, seq: source.seq + 1, created_at: at, updated_at: at, ..source.clone() };
        insert(write.connection(), &head).await?;
        copy_rows(&mut write, from, &head.id).await?;
        let position = journal::position(write.connection(), from, source.seq).await?;
        let summary = format!("copied from “{}” ({from})", source.name);
        let row = unchanged(&head, actor, "WorkbenchClone", summary, position);
        journal::insert(write.connection(), self.db().dialect(), &head.id, &row).await?;
        write.commit().await?;
        Ok((head, row.entry))
    }
}

/// The last journal entry of a copied workbench, which does not change the state.
pub(crate) fn unchanged(head: &Head, actor: Actor, operation: &str, summary: String, position: u64) -> Row {
    let entry = JournalEntry {
        seq: head.seq,
        at: head.updated_at,
        actor,
        operation: operation.to_owned(),
        summary,
        state_before: head.state,
        state_after: head.state,
        target: None,
    };
    Row { entry, position, parent_position: position }
}

/// Inserts a workbench row. A taken id is reported as such.
pub(crate) async fn insert(connection: &mut AnyConnection, head: &Head) -> Result<(), StoreError> {
    let sql = "INSERT INTO workbenches (id, name, head, generation, created_at, updated_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let inserted = sqlx::query(sql)
        .bind(head.id.as_str())
        .bind(head.name.as_str())
        .bind(head.state.to_string())
        .bind(big(head.seq))
        .bind(head.created_at.as_millis())
        .bind(head.updated_at.as_millis())
        .execute(connection)
        .await;
    match inserted {
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
            Err(StoreError::WorkbenchExists { id: head.id.clone() })
        }
        other => Ok(other.map(|_| ())?),
    }
}

/// The number of inserted rows. A row for a missing workbench violates a foreign key, which is reported as an unknown
/// workbench.
pub(crate) fn inserted(
    result: Result<AnyQueryResult, sqlx::Error>,
    id: Option<&WorkbenchId>,
) -> Result<u64, StoreError> {
    match (result, id) {
        (Err(sqlx::Error::Database(error)), Some(id)) if error.is_foreign_key_violation() => {
            Err(StoreError::WorkbenchNotFound { id: id.clone() })
        }
        (result, _) => Ok(result?.rows_affected()),
    }
}

pub(crate) async fn find(connection: &mut AnyConnection, id: &WorkbenchId) -> Result<Option<Head>, StoreError> {
    let sql = "SELECT id, name, head, generation, created_at, updated_at FROM workbenches WHERE id = $1";
    let row = sqlx::query(sql).bind(id.as_str()).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Finds a workbench and locks it until the end of the transaction.
async fn find_locked(
    write: &mut Write,
    dialect: crate::db::Dialect,
    id: &WorkbenchId,
) -> Result<Option<Head>, StoreError> {
    if dialect == crate::db::Dialect::Postgres {
        let sql = "SELECT id FROM workbenches WHERE id = $1 FOR UPDATE";
        sqlx::query(sql).bind(id.as_str()).fetch_optional(write.connection()).await?;
    }
    find(write.connection(), id).await
}

async fn copy_rows(write: &mut Write, from: &WorkbenchId, to: &WorkbenchId) -> Result<(), StoreError> {
    let copies = [
        "INSERT INTO journal (workbench_id, seq, at, actor, operation, summary, state_before, state_after, target,
                              position, parent_position)
         SELECT $1, seq, at, actor, operation, summary, state_before, state_after, target, position, parent_position
         FROM journal WHERE workbench_id = $2",
        "INSERT INTO checkpoints (workbench_id, id, name, created_at, reason, state, seq, made_by)
         SELECT $1, id, name, created_at, reason, state, seq, made_by FROM checkpoints WHERE workbench_id = $2",
        "INSERT INTO assets (workbench_id, id, hash, bytes, name, media_type, permanence, entry_id, field_key,
             created_by, source, asset_type, asset_category, confidence, description, reasoning, created_at, expires_at,
             removed_at)
         SELECT $1, id, hash, bytes, name, media_type, permanence, entry_id, field_key, created_by, source, asset_type,
                asset_category, confidence, description, reasoning, created_at, expires_at, removed_at
         FROM assets WHERE workbench_id = $2",
        "INSERT INTO asset_uses (workbench_id, asset_id, document_path, entry_id, field_key)
         SELECT $1, asset_id, document_path, entry_id, field_key FROM asset_uses WHERE workbench_id = $2",
        "INSERT INTO messages (workbench_id, seq, id, at, actor, role, artifact, text, private_to, operation, journal_seq,
                               session, run, undone_after)
         SELECT $1, seq, id, at, actor, role, artifact, text, private_to, operation, journal_seq, session, run,
                undone_after FROM messages WHERE workbench_id = $2 ORDER BY seq",
    ];
    for sql in copies.iter().chain(projections::COPIES).copied() {
        sqlx::query(sql).bind(to.as_str()).bind(from.as_str()).execute(write.connection()).await?;
    }
    Ok(())
}

fn read(row: &AnyRow) -> Result<Head, StoreError> {
    Ok(Head {
        id: parsed(row, "id")?,
        name: row.try_get("name")?,
        state: parsed(row, "head")?,
        seq: counted(row, "generation")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        updated_at: Timestamp::from_millis(row.try_get("updated_at")?),
    })
}
