//! Lists of assets and their references.

use jig_contract::{Timestamp, WorkbenchId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::row::{COLUMNS, read};
use super::{Asset, AssetSource, Permanence, asset_id};
use crate::db::plain;
use crate::error::StoreError;
use crate::store::Store;

/// A filter by life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AssetLife {
    /// Assets that can be used.
    #[default]
    Usable,
    /// Expired assets, swept or not.
    Expired,
    /// All assets.
    Any,
}

/// A filter for assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetQuery {
    /// The life cycle.
    pub life: AssetLife,
    /// Only permanent or only temporary ones.
    pub permanence: Option<Permanence>,
    /// Only those that this document refers to.
    pub entry_id: Option<String>,
    /// Only those with this origin.
    pub source: Option<AssetSource>,
    /// The position after which the page starts.
    pub after: Option<AssetCursor>,
    /// The maximum number of assets.
    pub limit: u32,
}

/// A position in a list of assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetCursor {
    /// When the previous asset was added.
    pub created_at: Timestamp,
    /// The id of the previous asset.
    pub id: String,
}

/// A page of assets.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetPage {
    /// The assets, newest first.
    pub assets: Vec<Asset>,
    /// The position of the next page; `None` at the end.
    pub next: Option<AssetCursor>,
}

/// A reference from a field to an asset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssetUse {
    /// The asset.
    pub asset_id: String,
    /// The path of the document in the state.
    pub document_path: String,
    /// The field.
    pub field_key: String,
    /// The document's id.
    pub entry_id: String,
}

impl Store {
    /// Lists a page of a workbench's assets.
    pub async fn assets(&self, id: &WorkbenchId, query: &AssetQuery) -> Result<AssetPage, StoreError> {
        let bytewise = self.db().dialect().bytewise();
        let life = match query.life {
            AssetLife::Usable => "removed_at IS NULL AND (expires_at IS NULL OR expires_at > $2)",
            AssetLife::Expired => "(removed_at IS NOT NULL OR expires_at <= $2)",
            AssetLife::Any => "$2 = $2",
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM assets a WHERE workbench_id = $1 AND {life}
               AND ($3 = '' OR permanence = $3) AND ($4 = '' OR source = $4)
               AND ($5 = '' OR id IN (SELECT asset_id FROM asset_uses WHERE workbench_id = $1 AND entry_id = $5))
               AND ($6 = '' OR created_at < $7 OR (created_at = $7 AND id {bytewise} < $6))
             ORDER BY created_at DESC, id {bytewise} DESC LIMIT $8"
        );
        let after = query.after.as_ref().map_or(("", 0), |after| (after.id.as_str(), after.created_at.as_millis()));
        let asked = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.as_str())
            .bind(self.env().now().as_millis())
            .bind(query.permanence.map_or("", Permanence::word))
            .bind(query.source.map_or("", AssetSource::word))
            .bind(query.entry_id.as_ref().map(plain).unwrap_or_default())
            .bind(plain(after.0))
            .bind(after.1)
            .bind(i64::from(query.limit) + 1);
        let rows = asked.fetch_all(self.db().pool()).await?;
        if rows.is_empty() {
            self.head(id).await?;
        }
        let mut assets = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let more = assets.len() > query.limit as usize;
        assets.truncate(query.limit as usize);
        let last = assets.last().filter(|_| more);
        let next = last.map(|last| AssetCursor { created_at: last.created_at, id: last.id.clone() });
        Ok(AssetPage { assets, next })
    }

    /// Those of these assets that the workbench has, in any order, with one query.
    pub async fn assets_named(&self, id: &WorkbenchId, assets: &[String]) -> Result<Vec<Asset>, StoreError> {
        let wanted: Vec<String> = assets.iter().map(asset_id).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let listed = self.db().dialect().listed("$2");
        let sql = format!("SELECT {COLUMNS} FROM assets WHERE workbench_id = $1 AND id IN ({listed})");
        let list = serde_json::to_string(&wanted).map_err(StoreError::row)?;
        let asked = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(list);
        asked.fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }

    /// The references to an asset, by path and field.
    pub async fn asset_uses(&self, id: &WorkbenchId, asset: &str) -> Result<Vec<AssetUse>, StoreError> {
        let sql = "SELECT asset_id, document_path, entry_id, field_key FROM asset_uses
                   WHERE workbench_id = $1 AND asset_id = $2";
        let rows = sqlx::query(sql).bind(id.as_str()).bind(asset_id(asset)).fetch_all(self.db().pool()).await?;
        let mut uses = rows.iter().map(read_use).collect::<Result<Vec<_>, _>>()?;
        uses.sort();
        Ok(uses)
    }

    /// All asset rows of a workbench, including removed ones.
    pub(crate) async fn all_assets(&self, id: &WorkbenchId) -> Result<Vec<Asset>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM assets WHERE workbench_id = $1");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        let mut assets = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        assets.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(assets)
    }

    /// All asset references of a workbench.
    pub(crate) async fn all_uses(&self, id: &WorkbenchId) -> Result<Vec<AssetUse>, StoreError> {
        let sql = "SELECT asset_id, document_path, entry_id, field_key FROM asset_uses WHERE workbench_id = $1";
        let rows = sqlx::query(sql).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        let mut uses = rows.iter().map(read_use).collect::<Result<Vec<_>, _>>()?;
        uses.sort();
        Ok(uses)
    }
}

fn read_use(row: &AnyRow) -> Result<AssetUse, StoreError> {
    Ok(AssetUse {
        asset_id: row.try_get("asset_id")?,
        document_path: row.try_get("document_path")?,
        entry_id: row.try_get("entry_id")?,
        field_key: row.try_get("field_key")?,
    })
}
