//! Agent workspaces that all workbenches share: named, with versions, each with the root hash of its files.

use jig_contract::{Actor, BlobHash, Timestamp};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::db::{big, counted, parsed, plain};
use crate::error::StoreError;
use crate::store::Store;

/// A version of a shared workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentVersion {
    /// The name of the workspace.
    pub name: String,
    /// The version, counted from 1.
    pub version: u64,
    /// The root hash of its files.
    pub root: BlobHash,
    /// Who created it.
    pub actor: Actor,
    /// The commit message.
    pub message: String,
    /// When it was created.
    pub at: Timestamp,
}

const COLUMNS: &str = "SELECT name, version, root, CAST(actor AS TEXT) AS actor, message, at FROM agent_versions";

impl Store {
    /// Adds the version after this one. Returns false if another writer was faster.
    pub async fn add_agent_version(
        &self,
        name: &str,
        after: Option<u64>,
        root: BlobHash,
        actor: &Actor,
        message: &str,
    ) -> Result<Option<AgentVersion>, StoreError> {
        let mut write = self.db().write().await?;
        let newest = "SELECT COALESCE(MAX(version), 0) FROM agent_versions WHERE name = $1";
        let newest: i64 = sqlx::query_scalar(newest).bind(name).fetch_one(write.connection()).await?;
        if u64::try_from(newest).unwrap_or(0) != after.unwrap_or(0) {
            return Ok(None);
        }
        let version = AgentVersion {
            name: name.to_owned(),
            version: after.unwrap_or(0).saturating_add(1),
            root,
            actor: actor.clone(),
            message: plain(message),
            at: self.env().now(),
        };
        let sql = "INSERT INTO agent_versions (name, version, root, actor, message, at)
                   VALUES ($1, $2, $3, CAST($4 AS {json}), $5, $6) ON CONFLICT DO NOTHING";
        let done = sqlx::query(self.db().dialect().sql(sql))
            .bind(name)
            .bind(big(version.version))
            .bind(root.to_string())
            .bind(serde_json::to_string(actor).map_err(StoreError::row)?)
            .bind(version.message.as_str())
            .bind(version.at.as_millis())
            .execute(write.connection())
            .await?;
        if done.rows_affected() != 1 {
            return Ok(None);
        }
        write.commit().await?;
        Ok(Some(version))
    }

    /// A version of a shared workspace; the newest if `version` is `None`.
    pub async fn agent_version(&self, name: &str, version: Option<u64>) -> Result<Option<AgentVersion>, StoreError> {
        let sql = format!("{COLUMNS} WHERE name = $1 AND ($2 = 0 OR version = $2) ORDER BY version DESC LIMIT 1");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(name).bind(version.map_or(0, big));
        query.fetch_optional(self.db().pool()).await?.as_ref().map(read).transpose()
    }

    /// The versions of a shared workspace, newest first.
    pub async fn agent_versions(&self, name: &str, limit: u32) -> Result<Vec<AgentVersion>, StoreError> {
        let sql = format!("{COLUMNS} WHERE name = $1 ORDER BY version DESC LIMIT $2");
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(name).bind(i64::from(limit));
        query.fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }

    /// The newest version of every shared workspace, by name.
    pub async fn agent_workspaces(&self) -> Result<Vec<AgentVersion>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE version = (SELECT MAX(version) FROM agent_versions AS all_of_it
                                        WHERE all_of_it.name = agent_versions.name) ORDER BY name"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(self.db().pool()).await?.iter().map(read).collect()
    }
}

fn read(row: &AnyRow) -> Result<AgentVersion, StoreError> {
    let actor: String = row.try_get("actor")?;
    Ok(AgentVersion {
        name: row.try_get("name")?,
        version: counted(row, "version")?,
        root: parsed(row, "root")?,
        actor: serde_json::from_str(&actor).map_err(|e| StoreError::row(format!("actor: {e}")))?,
        message: row.try_get("message")?,
        at: Timestamp::from_millis(row.try_get("at")?),
    })
}
