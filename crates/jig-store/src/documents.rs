//! Documents read by plain SQL: one of them, a page of them, or only some fields of some kinds.
//!
//! No folder of a state is walked and no blob is read. The database takes the wanted fields out of the
//! JSON itself, so that what nobody asked for never leaves it.

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
pub use project::{Projection, Wanted};

/// A document as the tables have it.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentRow {
    /// Its file in the state.
    pub path: String,
    /// Its id.
    pub id: String,
    /// `entries`, `artifacts`.
    pub family: String,
    /// Its kind.
    pub kind: String,
    /// Its key; empty for the only one of its kind.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Whether it is in use.
    pub state: DocumentState,
    /// What its family says of it.
    pub status: Option<String>,
    /// How much of what is required is there, 0 to 1.
    pub completeness: f64,
    /// Its revision.
    pub revision: u64,
    /// When its content last changed.
    pub updated_at: Timestamp,
    /// The fields that were asked for and are there, in the order in which they were asked for. Asked for
    /// all, their order is the database's own.
    pub data: Map<String, Value>,
}

/// Which fields of a document.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Fields {
    /// All of them.
    #[default]
    All,
    /// These. None at all leaves what is known of the document itself.
    Only(Vec<String>),
}

impl From<Vec<String>> for Fields {
    /// An empty list asks for everything, as on the wire.
    fn from(fields: Vec<String>) -> Self {
        if fields.is_empty() { Self::All } else { Self::Only(fields) }
    }
}

/// Documents in which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum States {
    /// Those in use.
    #[default]
    Active,
    /// Those put away.
    Archived,
    /// All.
    Any,
}

impl States {
    /// For `state IN (.., ..)`: always two words, so that it is always the same statement.
    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Active => ["active", "active"],
            Self::Archived => ["archived", "archived"],
            Self::Any => ["active", "archived"],
        }
    }
}

/// A file of a table that is kept whole: a kind or a recipe of a workbench.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFile {
    /// Its path in the state.
    pub path: String,
    /// What it says.
    pub data: Value,
}

/// The columns of a document `d` but for its data, in the order in which they are read.
const COLUMNS: &str = "d.path, d.id, d.family, d.kind, d.key, d.title, d.state, d.status, d.completeness, d.revision,
    d.updated_at";

impl Store {
    /// The document of this kind and key, with all its fields.
    pub async fn document(&self, id: &WorkbenchId, kind: &str, key: &str) -> Result<Option<DocumentRow>, StoreError> {
        self.one(id, "d.kind = $2 AND d.key = $3", [kind, key]).await
    }

    /// The document with this id, with all its fields.
    pub async fn document_by_id(&self, id: &WorkbenchId, document: &str) -> Result<Option<DocumentRow>, StoreError> {
        self.one(id, "d.id = $2 AND $3 = ''", [document, ""]).await
    }

    async fn one(&self, id: &WorkbenchId, which: &str, with: [&str; 2]) -> Result<Option<DocumentRow>, StoreError> {
        // Starting from the workbench, one question tells an unknown workbench from an unknown document.
        let sql = format!(
            "SELECT {COLUMNS}, CAST(d.data AS TEXT) AS data FROM workbenches b
             LEFT JOIN documents d ON d.workbench_id = b.id AND {which} WHERE b.id = $1"
        );
        // No text of PostgreSQL holds a NUL, so nothing has such a name.
        let [first, second] = with.map(|text| if text.contains('\0') { "\u{fffd}" } else { text });
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(first).bind(second);
        let row = query.fetch_optional(self.db().pool()).await?;
        read(&row.ok_or_else(|| StoreError::WorkbenchNotFound { id: id.clone() })?)
    }

    /// The kinds that a workbench has of its own, by path.
    pub async fn kind_files(&self, id: &WorkbenchId) -> Result<Vec<TableFile>, StoreError> {
        self.table_files(id, "SELECT path, CAST(data AS TEXT) AS data FROM kinds WHERE workbench_id = $1").await
    }

    /// The recipes that a workbench has of its own, by path.
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
        // Sorted here: the order of texts in PostgreSQL depends on how it was set up.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// A document from a row that begins with [`COLUMNS`] and has its `data`; none where a join found none.
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

/// The state and number of the head that a row was read with.
fn read_head(row: &AnyRow) -> Result<(BlobHash, u64), StoreError> {
    Ok((parsed(row, "head")?, crate::db::counted(row, "generation")?))
}

/// The SQL that takes the fields named by `list` out of `d.data`. Names travel as data, never as SQL.
///
/// SQLite is given each name together with its path: quoted and escaped as JSON does it, no character in a
/// name means anything. Both keep the order of the list, and leave out what the document lacks.
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

/// Names of fields with their paths, as [`projected`] wants them; null for all fields.
fn field_list(fields: &Fields) -> Value {
    let Fields::Only(fields) = fields else { return Value::Null };
    let mut seen = std::collections::HashSet::new();
    // No document has a name with a NUL, and PostgreSQL would refuse to look.
    let names = fields.iter().filter(|name| !name.contains('\0') && seen.insert(name.as_str()));
    names.map(|name| serde_json::json!([name, format!("$.{}", Value::from(name.as_str()))])).collect()
}
