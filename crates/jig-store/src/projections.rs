//! Index tables derived from the files of a state, so that lists and queries are plain SQL.
//!
//! Each row is a pure function of one file. A commit updates only the rows of changed files and their asset references;
//! a check recomputes everything and compares.

mod marks;
mod mention;
mod row;

use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::{BlobHash, Timestamp, WorkbenchId};
use sqlx::{AnyConnection, Row as _};

use crate::assets::links;
use crate::blob::AT_ONCE;
use crate::db::Dialect;
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::{FileNode, Node};
use crate::trees::TreeChange;

pub use marks::SpentRevisions;
pub(crate) use marks::note_deleted;
pub use row::DocumentState;
pub(crate) use row::{Projected, Table, state_of};

/// Copies the rows of one workbench (`$2`) to another (`$1`).
pub(crate) const COPIES: &[&str] = &[
    "INSERT INTO documents (workbench_id, path, id, family, kind, key, title, state, status, completeness, revision,
                            updated_at, data)
     SELECT $1, path, id, family, kind, key, title, state, status, completeness, revision, updated_at, data
     FROM documents WHERE workbench_id = $2",
    "INSERT INTO kinds (workbench_id, path, data) SELECT $1, path, data FROM kinds WHERE workbench_id = $2",
    "INSERT INTO recipes (workbench_id, path, data) SELECT $1, path, data FROM recipes WHERE workbench_id = $2",
];

/// A changed file, with its new row if it has one.
pub(crate) struct Renewal {
    pub(crate) table: Table,
    pub(crate) path: String,
    pub(crate) row: Option<Projected>,
}

/// The changed rows between two states.
pub(crate) async fn changed(store: &Store, before: BlobHash, after: BlobHash) -> Result<Vec<Renewal>, StoreError> {
    if before == after {
        return Ok(Vec::new());
    }
    renewals(store, Some(before), after).await
}

/// All rows of a state, by table and path.
pub(crate) async fn all(store: &Store, state: BlobHash) -> Result<Vec<Renewal>, StoreError> {
    renewals(store, None, state).await
}

async fn renewals(store: &Store, before: Option<BlobHash>, after: BlobHash) -> Result<Vec<Renewal>, StoreError> {
    let mut renewals = Vec::new();
    for table in Table::ALL {
        let folder = async |state: BlobHash| match store.lookup(state, table.folder()).await {
            Ok(Some(Node::Folder { hash, .. })) => Ok(Some(hash)),
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        let before = match before {
            Some(before) => folder(before).await?,
            None => None,
        };
        let changes = store.diff(before, folder(after).await?).await?;
        let made = futures::stream::iter(changes).map(|change| renewal(store, table, change));
        let made: Vec<Renewal> = made.buffered(AT_ONCE).try_collect().await?;
        renewals.extend(made);
    }
    Ok(renewals)
}

async fn renewal(store: &Store, table: Table, change: TreeChange) -> Result<Renewal, StoreError> {
    let path = format!("{}/{}", table.folder(), change.path);
    let row = match change.after {
        Some(file) => project(store, table, &path, file).await?,
        None => None,
    };
    Ok(Renewal { table, path, row })
}

/// A damaged or invalid file has no row: it must not prevent changes or repairs of the workbench.
async fn project(store: &Store, table: Table, path: &str, file: FileNode) -> Result<Option<Projected>, StoreError> {
    let why = match store.blobs().get(&file.hash).await {
        Ok(bytes) => match Projected::of(table, path, &bytes) {
            Ok(row) => return Ok(Some(row)),
            Err(why) => why,
        },
        Err(error @ (StoreError::BlobMissing { .. } | StoreError::BlobCorrupt { .. })) => error.to_string(),
        Err(error) => return Err(error),
    };
    tracing::warn!(path, why, "a file is left out of the index");
    Ok(None)
}

/// Updates rows and asset references. An asset that lost its last reference expires at `asset_end`. Two documents with
/// the same kind and key, or the same id, are a conflict.
pub(crate) async fn apply(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    renewals: &[Renewal],
    asset_end: Timestamp,
) -> Result<(), StoreError> {
    marks::note(connection, id, renewals).await?;
    // Deletions first, so that a document can move to another path.
    for renewal in renewals {
        sqlx::query(renewal.table.delete())
            .bind(id.as_str())
            .bind(renewal.path.as_str())
            .execute(&mut *connection)
            .await?;
    }
    for renewal in renewals {
        let Some(row) = &renewal.row else { continue };
        match row.insert(connection, dialect, id).await {
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(StoreError::Conflict { paths: vec![renewal.path.clone()] });
            }
            other => other?,
        }
    }
    links::renew(connection, dialect, id, renewals, asset_end).await
}

/// The stored rows, by table and path.
pub(crate) async fn stored(store: &Store, id: &WorkbenchId) -> Result<Vec<Projected>, StoreError> {
    let mut found = Vec::new();
    for table in Table::ALL {
        let rows = sqlx::query(table.select()).bind(id.as_str()).fetch_all(store.db().pool()).await?;
        for row in &rows {
            found.push(Projected::read(table, row)?);
        }
    }
    Ok(found)
}

/// Recomputes all rows of a workbench, unless its head has changed.
pub(crate) async fn rebuild(store: &Store, id: &WorkbenchId, state: BlobHash) -> Result<bool, StoreError> {
    let renewals = all(store, state).await?;
    let mut write = store.db().write().await?;
    let sql = "UPDATE workbenches SET head = head WHERE id = $1 AND head = $2";
    let same = sqlx::query(sql).bind(id.as_str()).bind(state.to_string()).execute(write.connection()).await?;
    if same.rows_affected() == 0 {
        return Ok(false);
    }
    for table in Table::ALL {
        sqlx::query(table.delete_all()).bind(id.as_str()).execute(write.connection()).await?;
    }
    let dialect = store.db().dialect();
    let sql = "DELETE FROM asset_uses WHERE workbench_id = $1";
    sqlx::query(sql).bind(id.as_str()).execute(write.connection()).await?;
    apply(write.connection(), dialect, id, &renewals, store.asset_end()).await?;
    links::settle(write.connection(), dialect, id, None, store.asset_end()).await?;
    write.commit().await?;
    Ok(true)
}

/// A text column that is known to exist.
fn text(row: &sqlx::any::AnyRow, column: &str) -> Result<String, StoreError> {
    Ok(row.try_get(column)?)
}
