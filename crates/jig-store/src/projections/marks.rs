//! Used revision numbers, so that no number is reused at the same address.
//!
//! A document that is deleted or reverted (undo, restore) takes its numbers with it. They are recorded here, outside of
//! the state, so that undo and restore do not affect them.

use jig_contract::WorkbenchId;
use sqlx::{AnyConnection, Row as _};

use super::{Renewal, Table};
use crate::db::big;
use crate::error::StoreError;
use crate::store::Store;

/// The numbers that must not be reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpentRevisions {
    /// The highest one used at the address itself.
    pub at_address: u64,
    /// The highest one used in a deleted workbench with the same id, where a number alone does not identify content.
    pub in_former_workbench: u64,
}

impl SpentRevisions {
    /// The number that a new revision must exceed.
    pub fn highest(self) -> u64 {
        self.at_address.max(self.in_former_workbench)
    }
}

impl Store {
    /// The used revision numbers at the address of a document, given by its path in the state.
    pub async fn spent_revisions(&self, id: &WorkbenchId, path: &str) -> Result<SpentRevisions, StoreError> {
        let sql = "SELECT path, revision FROM revision_marks WHERE workbench_id = $1 AND path IN ($2, '')";
        let rows = sqlx::query(sql).bind(id.as_str()).bind(path).fetch_all(self.db().pool()).await?;
        let mut spent = SpentRevisions::default();
        for row in rows {
            let revision = u64::try_from(row.try_get::<i64, _>("revision")?).unwrap_or_default();
            match super::text(&row, "path")?.as_str() {
                "" => spent.in_former_workbench = revision,
                _ => spent.at_address = revision,
            }
        }
        Ok(spent)
    }
}

/// Records the numbers that a commit removes: of documents that are deleted or replaced by an older revision.
pub(super) async fn note(
    connection: &mut AnyConnection,
    id: &WorkbenchId,
    renewals: &[Renewal],
) -> Result<(), StoreError> {
    // An ordinary write has a higher number than what it replaces, so this matches no row.
    let sql = "INSERT INTO revision_marks (workbench_id, path, revision)
               SELECT workbench_id, path, revision FROM documents
               WHERE workbench_id = $1 AND path = $2 AND revision > $3
               ON CONFLICT (workbench_id, path) DO UPDATE SET revision =
               CASE WHEN excluded.revision > revision_marks.revision THEN excluded.revision
                    ELSE revision_marks.revision END";
    for renewal in renewals.iter().filter(|renewal| renewal.table == Table::Documents) {
        let stays = renewal.row.as_ref().map_or(0, super::Projected::revision);
        sqlx::query(sql).bind(id.as_str()).bind(renewal.path.as_str()).bind(stays).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Records the highest number of a deleted workbench. A later workbench with the same id starts above it.
pub(crate) async fn note_deleted(connection: &mut AnyConnection, id: &WorkbenchId) -> Result<(), StoreError> {
    let sql = "SELECT MAX(revision) AS revision FROM (
                   SELECT revision FROM documents WHERE workbench_id = $1
                   UNION ALL SELECT revision FROM revision_marks WHERE workbench_id = $1) AS numbers";
    let row = sqlx::query(sql).bind(id.as_str()).fetch_one(&mut *connection).await?;
    let highest: Option<i64> = row.try_get("revision")?;
    let sql = "DELETE FROM revision_marks WHERE workbench_id = $1";
    sqlx::query(sql).bind(id.as_str()).execute(&mut *connection).await?;
    let highest = u64::try_from(highest.unwrap_or_default()).unwrap_or_default();
    if highest > 0 {
        let sql = "INSERT INTO revision_marks (workbench_id, path, revision) VALUES ($1, '', $2)";
        sqlx::query(sql).bind(id.as_str()).bind(big(highest)).execute(&mut *connection).await?;
    }
    Ok(())
}
