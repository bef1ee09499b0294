//! Queries for documents in plain SQL: a single one, a page, or selected fields of some kinds.
//!
//! No folder of a state is walked and no blob is read. The database extracts the requested fields from the JSON itself,
//! so that others are never transferred.

mod list;
mod project;

use jig_contract::{BlobHash, Timestamp, WorkbenchId};
use serde_json::{Map, Value};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::db::{Dialect, parsed};
use crate::error::StoreError;
use crate::projections::state_of;
use crate::store::Store;

pub use crate::projections::DocumentState;
pub use list::{DocumentCount, DocumentCursor, DocumentPage, DocumentQuery};
pub use project::{KindFields, Projection};

/// A document, as stored in the index tables.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentRow {
    /// The path of its file in the state.
    pub path: String,
    /// Its id.
    pub id: String,
    /// The document family: `entries`, `artifacts`.
    pub family: String,
    /// Its kind.
    pub kind: String,
    /// Its key; empty for a singleton.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether it is active or archived.
    pub state: DocumentState,
    /// The family-specific status.
    pub status: Option<String>,
    /// The share of required fields with content.
    pub completeness: f64,
    /// Its revision.
    pub revision: u64,
    /// When its content last changed.
    pub updated_at: Timestamp,
    /// The requested fields that exist, in the requested order. If all are requested, the order is the database's own.
    pub data: Map<String, Value>,
}

/// A selection of fields.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Fields {
    /// All fields.
    #[default]
    All,
    /// These fields. An empty list selects only the metadata.
    Only(Vec<String>),
}

impl From<Vec<String>> for Fields {
    /// On the wire, an empty list means all fields.
    fn from(fields: Vec<String>) -> Self {
        if fields.is_empty() { Self::All } else { Self::Only(fields) }
    }
}

/// A filter by document state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum States {
    /// Active documents.
    #[default]
    Active,
    /// Archived documents.
    Archived,
    /// All documents.
    Any,
}

impl States {
    /// Parameters for `state IN (…, …)`: always two, so that the statement is always the same.
    const fn bounds(self) -> [&'static str; 2] {
        match self {
            Self::Active => ["active", "active"],
            Self::Archived => ["archived", "archived"],
            Self::Any => ["active", "archived"],
        }
    }
}

/// A file that is stored in a table verbatim: a custom kind or recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFile {
    /// Its path in the state.
    pub path: String,
    /// Its content.
    pub data: Value,
}

/// The columns of a document `d` except its data, in reading order.
const COLUMNS: &str = "d.path, d.id, d.family, d.kind, d.key, d.title, d.state, d.status, d.completeness, d.revision,
    d.updated_at";

impl Store {
    /// The document with this kind and key, with all fields.
    pub async fn document(&self, id: &WorkbenchId, kind: &str, key: &str) -> Result<Option<DocumentRow>, StoreError> {
        self.one(id, "d.kind = $2 AND d.key = $3", [kind, key]).await
    }

    /// The document with this id, with all fields.
    pub async fn document_by_id(&self, id: &WorkbenchId, document: &str) -> Result<Option<DocumentRow>, StoreError> {
        self.one(id, "d.id = $2 AND $3 = ''", [document, ""]).await
    }

    async fn one(&self, id: &WorkbenchId, which: &str, with: [&str; 2]) -> Result<Option<DocumentRow>, StoreError> {
        // Joined from the workbench, so that one query distinguishes an unknown workbench from an unknown document.
        let sql = format!(
            "SELECT {COLUMNS}, CAST(d.data AS TEXT) AS data FROM workbenches b
             LEFT JOIN documents d ON d.workbench_id = b.id AND {which} WHERE b.id = $1"
        );
        // PostgreSQL texts cannot contain NUL, so nothing has such a name.
        let [first, second] = with.map(|text| if text.contains('\0') { "\u{fffd}" } else { text });
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(first).bind(second);
        let row = query.fetch_optional(self.db().pool()).await?;
        read(&row.ok_or_else(|| StoreError::WorkbenchNotFound { id: id.clone() })?)
    }

    /// The custom kinds of a workbench, by path.
    pub async fn kind_files(&self, id: &WorkbenchId) -> Result<Vec<TableFile>, StoreError> {
        self.table_files(id, "SELECT path, CAST(data AS TEXT) AS data FROM kinds WHERE workbench_id = $1").await
    }

    /// The custom recipes of a workbench, by path.
    pub async fn recipe_files(&self, id: &WorkbenchId) -> Result<Vec<TableFile>, StoreError> {
        self.table_files(id, "SELECT path, CAST(data AS TEXT) AS data FROM recipes WHERE workbench_id = $1").await
    }

    async fn table_files(&self, id: &WorkbenchId, sql: &'static str) -> Result<Vec<TableFile>, StoreError> {
        let rows = sqlx::query(sql).bind(id.as_str()).fetch_all(self.db().pool()).await?;
        let file = |row: &AnyRow| {
            let data = serde_json::from_str(row.try_get("data")?).map_err(|e| StoreError::row(format!("data: {e}")))?;
            Ok(TableFile { path: row.try_get("path")?, data })
        };
        let mut files = rows.iter().map(file).collect::<Result<Vec<_>, StoreError>>()?;
        // Sorted here, because the text order of PostgreSQL depends on its collation.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// A document from a row that starts with [`COLUMNS`] and has its `data`; `None` if an outer join found none.
fn read(row: &AnyRow) -> Result<Option<DocumentRow>, StoreError> {
    let Some(path) = row.try_get::<Option<String>, _>(0)? else { return Ok(None) };
    let revision: i64 = row.try_get(9)?;
    let data = serde_json::from_str(row.try_get("data")?).map_err(|e| StoreError::row(format!("{path}: {e}")))?;
    Ok(Some(DocumentRow {
        id: row.try_get(1)?,
        family: row.try_get(2)?,
        kind: row.try_get(3)?,
        key: row.try_get(4)?,
        title: row.try_get(5)?,
        state: state_of(row.try_get(6)?),
        status: row.try_get(7)?,
        completeness: row.try_get(8)?,
        revision: u64::try_from(revision).unwrap_or(0),
        updated_at: Timestamp::from_millis(row.try_get(10)?),
        data,
        path,
    }))
}

/// The state and journal number of the head that a row was read with.
fn read_head(row: &AnyRow) -> Result<(BlobHash, u64), StoreError> {
    Ok((parsed(row, "head")?, crate::db::counted(row, "generation")?))
}

/// The SQL that selects the fields in `list` from `d.data`. Names are passed as data, never as SQL.
///
/// For SQLite, each name comes with its JSON path, quoted and escaped so that no character has a special meaning. Both
/// dialects preserve the order of the list and omit missing fields.
fn projected(dialect: Dialect, list: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!(
            "CASE WHEN {list} IS NULL THEN d.data ELSE (
                SELECT json_group_object(f.value ->> 0, d.data -> (f.value ->> 1)) FROM json_each({list}) f
                WHERE d.data -> (f.value ->> 1) IS NOT NULL) END AS data"
        ),
        Dialect::Postgres => format!(
            "CAST(CASE WHEN {list} IS NULL THEN CAST(d.data AS TEXT) ELSE COALESCE((
                SELECT CAST(json_object_agg(f.value ->> 0, d.data -> (f.value ->> 0) ORDER BY f.n) AS TEXT)
                FROM jsonb_array_elements({list}) WITH ORDINALITY AS f (value, n)
                WHERE d.data -> (f.value ->> 0) IS NOT NULL), '{{}}') END AS TEXT) AS data"
        ),
    }
}

/// Field names with their paths, in the form that [`projected`] expects; null for all fields.
fn field_list(fields: &Fields) -> Value {
    let Fields::Only(fields) = fields else { return Value::Null };
    let mut seen = std::collections::HashSet::new();
    // No document has a name with NUL, and PostgreSQL would reject the query.
    let names = fields.iter().filter(|name| !name.contains('\0') && seen.insert(name.as_str()));
    names.map(|name| serde_json::json!([name, format!("$.{}", Value::from(name.as_str()))])).collect()
}
