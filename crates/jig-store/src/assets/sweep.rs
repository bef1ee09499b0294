//! Sweeps expired assets.

use jig_contract::WorkbenchId;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::db::{Dialect, counted, parsed};
use crate::error::StoreError;
use crate::store::Store;

/// The number of assets per transaction.
const AT_A_TIME: i64 = 500;

/// A swept asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweptAsset {
    /// Its workbench.
    pub workbench_id: WorkbenchId,
    /// Its id.
    pub id: String,
    /// The file name.
    pub name: String,
    /// Its size. The bytes are freed by the next garbage collection unless something else needs them.
    pub bytes: u64,
}

impl Store {
    /// How many assets a sweep of all workbenches would remove.
    pub(crate) async fn expired_assets(&self) -> Result<u64, StoreError> {
        let sql = "SELECT COUNT(*) AS times FROM assets
                   WHERE expires_at <= $1 AND expires_at IS NOT NULL AND removed_at IS NULL AND permanence = 'temporary'";
        let row = sqlx::query(sql).bind(self.env().now().as_millis()).fetch_one(self.db().pool()).await?;
        counted(&row, "times")
    }

    /// Removes the bytes of expired assets, of one workbench or of all. Their rows stay.
    ///
    /// A sweep and a commit that refers to the same asset are serialised: either the asset is swept and the document
    /// has no asset, or it is permanent and not swept.
    pub async fn sweep_assets(&self, only: Option<&WorkbenchId>) -> Result<Vec<SweptAsset>, StoreError> {
        let now = self.env().now().as_millis();
        // An asset locked by a commit is skipped; the next sweep handles it if it is still unreferenced.
        let skip = match self.db().dialect() {
            Dialect::Sqlite => "",
            Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
        };
        let sql = format!(
            "UPDATE assets SET removed_at = $1 WHERE (workbench_id, id) IN (
                 SELECT workbench_id, id FROM assets
                 WHERE expires_at <= $1 AND expires_at IS NOT NULL AND removed_at IS NULL AND permanence = 'temporary'
                   AND ($2 = '' OR workbench_id = $2)
                 ORDER BY expires_at LIMIT $3 {skip})
             RETURNING workbench_id, id, name, bytes"
        );
        let mut swept = Vec::new();
        loop {
            let mut write = self.db().write().await?;
            let query = sqlx::query(sqlx::AssertSqlSafe(sql.clone()));
            let query = query.bind(now).bind(only.map_or("", WorkbenchId::as_str)).bind(AT_A_TIME);
            let rows = query.fetch_all(write.connection()).await?;
            write.commit().await?;
            swept.extend(rows.iter().map(read).collect::<Result<Vec<_>, _>>()?);
            if (rows.len() as i64) < AT_A_TIME {
                break;
            }
        }
        swept.sort_by(|a, b| (&a.workbench_id, &a.id).cmp(&(&b.workbench_id, &b.id)));
        Ok(swept)
    }
}

fn read(row: &AnyRow) -> Result<SweptAsset, StoreError> {
    Ok(SweptAsset {
        workbench_id: parsed(row, "workbench_id")?,
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        bytes: counted(row, "bytes")?,
    })
}
