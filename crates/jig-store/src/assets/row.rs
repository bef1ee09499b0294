//! Database rows of assets.

use jig_contract::{Timestamp, WorkbenchId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{Asset, AssetClass, AssetSource, Permanence};
use crate::db::{big, counted, parsed};
use crate::error::StoreError;
use crate::workbenches;

/// All columns except the workbench.
pub(super) const COLUMNS: &str =
    "id, hash, bytes, name, media_type, permanence, entry_id, field_key, created_by, source,
    asset_type, asset_category, confidence, description, reasoning, created_at, expires_at, removed_at";

/// Stores the classification of an asset.
pub(super) async fn set_class(
    connection: &mut AnyConnection,
    id: &WorkbenchId,
    asset: &str,
    class: AssetClass,
) -> Result<(), StoreError> {
    let sql =
        "UPDATE assets SET asset_type = $3, asset_category = $4, confidence = $5, description = $6, reasoning = $7
               WHERE workbench_id = $1 AND id = $2";
    sqlx::query(sql)
        .bind(id.as_str())
        .bind(asset)
        .bind(class.asset_type)
        .bind(class.asset_category)
        .bind(class.confidence)
        .bind(class.description)
        .bind(class.reasoning)
        .execute(connection)
        .await?;
    Ok(())
}

/// Inserts a row. An unknown workbench is reported as such.
pub(super) async fn insert(connection: &mut AnyConnection, id: &WorkbenchId, asset: &Asset) -> Result<(), StoreError> {
    let sql = "INSERT INTO assets (workbench_id, id, hash, bytes, name, media_type, permanence, entry_id, field_key,
                   created_by, source, asset_type, asset_category, confidence, description, reasoning, created_at,
                   expires_at, removed_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    let inserted = sqlx::query(sql)
        .bind(id.as_str())
        .bind(asset.id.as_str())
        .bind(asset.hash.to_string())
        .bind(big(asset.bytes))
        .bind(asset.name.as_str())
        .bind(asset.media_type.as_str())
        .bind(asset.permanence.word())
        .bind(asset.entry_id.as_deref())
        .bind(asset.field_key.as_deref())
        .bind(asset.created_by.as_str())
        .bind(asset.source.word())
        .bind(asset.class.asset_type.as_deref())
        .bind(asset.class.asset_category.as_deref())
        .bind(asset.class.confidence)
        .bind(asset.class.description.as_deref())
        .bind(asset.class.reasoning.as_deref())
        .bind(asset.created_at.as_millis())
        .bind(asset.expires_at.map(Timestamp::as_millis))
        .bind(asset.removed_at.map(Timestamp::as_millis))
        .execute(connection)
        .await;
    workbenches::inserted(inserted, Some(id)).map(|_| ())
}

pub(super) fn read(row: &AnyRow) -> Result<Asset, StoreError> {
    let moment = |column: &str| Ok::<_, StoreError>(row.try_get::<Option<i64>, _>(column)?.map(Timestamp::from_millis));
    let (permanence, source): (String, String) = (row.try_get("permanence")?, row.try_get("source")?);
    Ok(Asset {
        id: row.try_get("id")?,
        hash: parsed(row, "hash")?,
        bytes: counted(row, "bytes")?,
        name: row.try_get("name")?,
        media_type: row.try_get("media_type")?,
        // A database constraint permits no other values.
        permanence: if permanence == "permanent" { Permanence::Permanent } else { Permanence::Temporary },
        entry_id: row.try_get("entry_id")?,
        field_key: row.try_get("field_key")?,
        created_by: row.try_get("created_by")?,
        source: if source == "agent" { AssetSource::Agent } else { AssetSource::User },
        class: AssetClass {
            asset_type: row.try_get("asset_type")?,
            asset_category: row.try_get("asset_category")?,
            confidence: row.try_get("confidence")?,
            description: row.try_get("description")?,
            reasoning: row.try_get("reasoning")?,
        },
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        expires_at: moment("expires_at")?,
        removed_at: moment("removed_at")?,
    })
}
