//! Selected fields of several kinds in one query.

use std::sync::LazyLock;

use jig_contract::{BlobHash, WorkbenchId};
use serde_json::{Value, json};

use super::{COLUMNS, DocumentRow, Fields, States, field_list, projected, read, read_head};
use crate::db::Dialect;
use crate::error::StoreError;
use crate::store::Store;

/// The fields requested of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindFields {
    /// The kind.
    pub kind: String,
    /// The requested fields.
    pub fields: Fields,
}

/// A consistent result of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The state of the workbench that was read.
    pub state: BlobHash,
    /// The number of its last change.
    pub seq: u64,
    /// The entries, in the order of the requested kinds, those of one kind by key.
    pub rows: Vec<DocumentRow>,
}

/// The same text for every call, so that each connection prepares it once. The joins go from the workbench over the
/// requested kinds to the documents, which are found by index, so that the number of other documents does not matter.
static SQLITE: LazyLock<String> = LazyLock::new(|| {
    let data = projected(Dialect::Sqlite, "(w.value ->> 1)");
    format!(
        "SELECT {COLUMNS}, b.head, b.generation, {data}
         FROM workbenches b LEFT JOIN json_each($2) w
         LEFT JOIN documents d ON d.workbench_id = b.id AND d.family = 'entries' AND d.state IN ($3, $4)
                              AND d.kind = w.value ->> 0
         WHERE b.id = $1 ORDER BY w.key, d.key"
    )
});

/// `OFFSET 0` prevents PostgreSQL from reordering the joins; see also the connection settings.
static POSTGRES: LazyLock<String> = LazyLock::new(|| {
    let data = projected(Dialect::Postgres, "w.fields");
    format!(
        "SELECT {COLUMNS}, b.head, b.generation, {data}
         FROM workbenches b
         LEFT JOIN (SELECT value ->> 0 AS kind, NULLIF(value -> 1, 'null') AS fields, n
                    FROM jsonb_array_elements(CAST($2 AS JSONB)) WITH ORDINALITY AS wanted (value, n)) w ON TRUE
         LEFT JOIN LATERAL (SELECT * FROM documents d
                            WHERE d.workbench_id = b.id AND d.family = 'entries' AND d.state IN ($3, $4)
                              AND d.kind = w.kind OFFSET 0) d ON TRUE
         WHERE b.id = $1 ORDER BY w.n, d.key COLLATE \"C\""
    )
});

impl Store {
    /// The requested fields of the entries of the requested kinds, in one database query.
    pub async fn entries_projected(
        &self,
        id: &WorkbenchId,
        wanted: &[KindFields],
        states: States,
    ) -> Result<Projection, StoreError> {
        let sql = match self.db().dialect() {
            Dialect::Sqlite => &*SQLITE,
            Dialect::Postgres => &*POSTGRES,
        };
        let known = wanted.iter().filter(|wanted| !wanted.kind.contains('\0'));
        let list: Value = known.map(|wanted| json!([wanted.kind, field_list(&wanted.fields)])).collect();
        let [first, second] = states.bounds();
        let query = sqlx::query(sqlx::AssertSqlSafe(sql.as_str()))
            .bind(id.as_str())
            .bind(list.to_string())
            .bind(first)
            .bind(second);
        let rows = query.fetch_all(self.db().pool()).await?;
        let any = rows.first().ok_or_else(|| StoreError::WorkbenchNotFound { id: id.clone() })?;
        let (state, seq) = read_head(any)?;
        let rows = rows.iter().filter_map(|row| read(row).transpose()).collect::<Result<_, _>>()?;
        Ok(Projection { state, seq, rows })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use jig_contract::Env;
    use sqlx::Row as _;

    use super::*;
    use crate::{Blobs, Database, StoreConfig};

    /// The query plan of SQLite.
    pub(in super::super) async fn plan(sql: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(folder.path().join("jig.db"));
        let blobs = Blobs::folder(folder.path().join("blobs")).unwrap();
        let config = StoreConfig { database, blobs, gc_grace_ms: 0, asset_ttl_ms: 0 };
        let store = Store::open(config, Env::system()).await.unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {sql}");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(store.db().pool()).await.unwrap();
        rows.iter().map(|row| row.get("detail")).collect()
    }

    #[tokio::test]
    async fn no_other_document_is_looked_at() {
        let steps = plan(&SQLITE).await;
        let documents: Vec<&String> = steps.iter().filter(|step| step.contains(" d ")).collect();
        let by_index = "SEARCH d USING INDEX documents_by_family (workbench_id=? AND family=? AND kind=?)";
        assert!(documents.len() == 1 && documents[0].starts_with(by_index), "{steps:#?}");
        assert!(!steps.iter().any(|step| step.starts_with("SCAN d") || step.starts_with("SCAN b")), "{steps:#?}");
    }
}
