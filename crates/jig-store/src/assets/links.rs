//! References from documents to assets, updated in the commit that changes the document.

use std::collections::BTreeSet;

use jig_contract::{Timestamp, WorkbenchId};
use serde_json::json;
use sqlx::{AnyConnection, Row as _};

use super::AssetUse;
use crate::db::Dialect;
use crate::error::StoreError;
use crate::projections::{Projected, Renewal, Table};

/// Updates the references of the changed documents and the permanence of the affected assets. An asset that lost its
/// last reference expires at `end`.
pub(crate) async fn renew(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    renewals: &[Renewal],
    end: Timestamp,
) -> Result<(), StoreError> {
    let documents = || renewals.iter().filter(|renewal| renewal.table == Table::Documents);
    let paths: Vec<&str> = documents().map(|renewal| renewal.path.as_str()).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let mut touched = take_out(connection, dialect, id, &paths).await?;
    let uses: Vec<AssetUse> = documents().filter_map(|renewal| renewal.row.as_ref()).flat_map(uses_of).collect();
    touched.extend(uses.iter().map(|one| one.asset_id.clone()));
    if touched.is_empty() {
        return Ok(());
    }
    let touched = serde_json::to_string(&touched).map_err(StoreError::row)?;
    hold(connection, dialect, id, &touched).await?;
    put_in(connection, dialect, id, &uses).await?;
    settle(connection, dialect, id, Some(&touched), end).await
}

/// The references in a document, including those to missing assets.
pub(crate) fn uses_of(row: &Projected) -> impl Iterator<Item = AssetUse> {
    row.uses().map(|(entry, mention)| AssetUse {
        asset_id: mention.asset.clone(),
        document_path: row.path.clone(),
        entry_id: entry.to_owned(),
        field_key: mention.field.clone(),
    })
}

/// Removes the references of some documents. Returns the assets they referred to.
async fn take_out(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    paths: &[&str],
) -> Result<BTreeSet<String>, StoreError> {
    let listed = dialect.listed("$2");
    let sql =
        format!("DELETE FROM asset_uses WHERE workbench_id = $1 AND document_path IN ({listed}) RETURNING asset_id");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(json!(paths).to_string());
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(row.try_get("asset_id")?)).collect()
}

/// Locks these assets against a concurrent sweep. Always in the same order, to avoid deadlocks.
async fn hold(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    assets: &str,
) -> Result<(), StoreError> {
    if dialect == Dialect::Postgres {
        let sql = "SELECT id FROM assets WHERE workbench_id = $1
                   AND id IN (SELECT jsonb_array_elements_text(CAST($2 AS JSONB))) ORDER BY id FOR UPDATE";
        sqlx::query(sql).bind(id.as_str()).bind(assets).fetch_all(connection).await?;
    }
    Ok(())
}

/// Adds references. A reference to a missing or removed asset is ignored.
async fn put_in(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    uses: &[AssetUse],
) -> Result<(), StoreError> {
    if uses.is_empty() {
        return Ok(());
    }
    let each = match dialect {
        Dialect::Sqlite => "json_each($2) u",
        Dialect::Postgres => "jsonb_array_elements(CAST($2 AS JSONB)) AS u (value)",
    };
    let sql = format!(
        "INSERT INTO asset_uses (workbench_id, asset_id, document_path, entry_id, field_key)
         SELECT $1, a.id, u.value ->> 1, u.value ->> 2, u.value ->> 3
         FROM {each} JOIN assets a ON a.workbench_id = $1 AND a.id = u.value ->> 0 AND a.removed_at IS NULL"
    );
    let rows: Vec<_> =
        uses.iter().map(|one| (&one.asset_id, &one.document_path, &one.entry_id, &one.field_key)).collect();
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(json!(rows).to_string());
    query.execute(connection).await?;
    Ok(())
}

/// Updates the permanence of assets from their references: those in a JSON list of ids, or all of a workbench.
pub(crate) async fn settle(
    connection: &mut AnyConnection,
    dialect: Dialect,
    id: &WorkbenchId,
    assets: Option<&str>,
    end: Timestamp,
) -> Result<(), StoreError> {
    let bytewise = dialect.bytewise();
    let listed = dialect.listed("$2");
    let only = assets.map_or_else(|| "$2 = ''".to_owned(), |_| format!("id IN ({listed})"));
    let uses = "FROM asset_uses u WHERE u.workbench_id = $1 AND u.asset_id = assets.id";
    let first = format!("{uses} ORDER BY u.document_path {bytewise}, u.field_key {bytewise} LIMIT 1");
    let named = format!(
        "UPDATE assets SET permanence = 'permanent', expires_at = NULL, entry_id = (SELECT u.entry_id {first}),
                           field_key = (SELECT u.field_key {first})
         WHERE workbench_id = $1 AND {only} AND removed_at IS NULL AND EXISTS (SELECT 1 {uses})"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(named)).bind(id.as_str()).bind(assets.unwrap_or_default());
    query.execute(&mut *connection).await?;
    let unnamed = format!(
        "UPDATE assets SET permanence = 'temporary', expires_at = $3, entry_id = NULL, field_key = NULL
         WHERE workbench_id = $1 AND {only} AND removed_at IS NULL AND permanence = 'permanent'
           AND NOT EXISTS (SELECT 1 {uses})"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(unnamed)).bind(id.as_str()).bind(assets.unwrap_or_default());
    query.bind(end.as_millis()).execute(connection).await?;
    Ok(())
}
