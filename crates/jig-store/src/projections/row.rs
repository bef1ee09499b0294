//! A file of a state as a table row.

use jig_contract::{Timestamp, WorkbenchId};
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::mention::{Mention, mentions};
use super::text;
use crate::db::Dialect;
use crate::error::StoreError;

/// A table that is derived from a folder of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Documents,
    Kinds,
    Recipes,
}

impl Table {
    pub(crate) const ALL: [Self; 3] = [Self::Documents, Self::Kinds, Self::Recipes];

    /// The folder whose files are its rows.
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Documents => "meta/documents",
            Self::Kinds => "meta/kinds",
            Self::Recipes => "meta/recipes",
        }
    }

    pub(super) const fn delete(self) -> &'static str {
        match self {
            Self::Documents => "DELETE FROM documents WHERE workbench_id = $1 AND path = $2",
            Self::Kinds => "DELETE FROM kinds WHERE workbench_id = $1 AND path = $2",
            Self::Recipes => "DELETE FROM recipes WHERE workbench_id = $1 AND path = $2",
        }
    }

    pub(super) const fn delete_all(self) -> &'static str {
        match self {
            Self::Documents => "DELETE FROM documents WHERE workbench_id = $1",
            Self::Kinds => "DELETE FROM kinds WHERE workbench_id = $1",
            Self::Recipes => "DELETE FROM recipes WHERE workbench_id = $1",
        }
    }

    pub(super) const fn select(self) -> &'static str {
        match self {
            Self::Documents => {
                "SELECT path, id, family, kind, key, title, state, status, completeness, revision, updated_at,
                        CAST(data AS TEXT) AS data FROM documents WHERE workbench_id = $1"
            }
            Self::Kinds => "SELECT path, CAST(data AS TEXT) AS data FROM kinds WHERE workbench_id = $1",
            Self::Recipes => "SELECT path, CAST(data AS TEXT) AS data FROM recipes WHERE workbench_id = $1",
        }
    }
}

/// A row derived from a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Projected {
    pub(crate) table: Table,
    pub(crate) path: String,
    /// Only for documents.
    document: Option<Document>,
    data: Value,
    /// The assets it refers to; not known for rows from the database.
    mentions: Vec<Mention>,
}

/// The metadata of a document.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Document {
    id: String,
    family: String,
    kind: String,
    #[serde(default)]
    key: String,
    #[serde(default)]
    title: String,
    state: DocumentState,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    completeness: f64,
    #[serde(default)]
    revision: i64,
    updated_at: Timestamp,
}

/// Whether a document is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Active.
    Active,
    /// Archived; can be activated again.
    Archived,
}

/// The state for a value of the database, whose constraint permits no others.
pub(crate) fn state_of(word: &str) -> DocumentState {
    match word {
        "archived" => DocumentState::Archived,
        _ => DocumentState::Active,
    }
}

impl DocumentState {
    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

impl Projected {
    /// The row of a file, or why it has none. Depends on nothing else.
    pub(crate) fn of(table: Table, path: &str, bytes: &[u8]) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|e| format!("it is not a JSON object: {e}"))?;
        let whole = Value::Object(object);
        if holds_nul(&whole) {
            // PostgreSQL cannot store such a text.
            return Err("it contains a NUL character".to_owned());
        }
        let path = path.to_owned();
        if table != Table::Documents {
            return Ok(Self { table, path, document: None, data: whole, mentions: Vec::new() });
        }
        let document = Document::deserialize(&whole).map_err(|e| format!("it is not a document: {e}"))?;
        if !document.completeness.is_finite() {
            return Err("its completeness is not a number".to_owned());
        }
        let mentions = mentions(&whole);
        let data = whole.get("data").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        if !data.is_object() {
            return Err("its data is not an object".to_owned());
        }
        Ok(Self { table, path, document: Some(document), data, mentions })
    }

    /// The revision of a document; 0 for other files.
    pub(super) fn revision(&self) -> i64 {
        self.document.as_ref().map_or(0, |document| document.revision)
    }

    /// The assets that a document refers to, with its id; none for other files.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&str, &Mention)> {
        self.document.iter().flat_map(|document| self.mentions.iter().map(|mention| (document.id.as_str(), mention)))
    }

    pub(super) async fn insert(
        &self,
        connection: &mut AnyConnection,
        dialect: Dialect,
        id: &WorkbenchId,
    ) -> Result<(), sqlx::Error> {
        let sql = match self.table {
            Table::Documents => {
                "INSERT INTO documents (workbench_id, path, data, id, family, kind, key, title, state, status,
                                        completeness, revision, updated_at)
                 VALUES ($1, $2, CAST($3 AS {json}), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
            }
            Table::Kinds => "INSERT INTO kinds (workbench_id, path, data) VALUES ($1, $2, CAST($3 AS {json}))",
            Table::Recipes => "INSERT INTO recipes (workbench_id, path, data) VALUES ($1, $2, CAST($3 AS {json}))",
        };
        let mut query =
            sqlx::query(dialect.sql(sql)).bind(id.as_str()).bind(self.path.as_str()).bind(self.data.to_string());
        if let Some(document) = &self.document {
            query = query
                .bind(document.id.as_str())
                .bind(document.family.as_str())
                .bind(document.kind.as_str())
                .bind(document.key.as_str())
                .bind(document.title.as_str())
                .bind(document.state.word())
                .bind(document.status.as_deref())
                .bind(document.completeness)
                .bind(document.revision)
                .bind(document.updated_at.as_millis());
        }
        query.execute(connection).await.map(|_| ())
    }

    pub(super) fn read(table: Table, row: &AnyRow) -> Result<Self, StoreError> {
        let data = serde_json::from_str(&text(row, "data")?).map_err(|e| StoreError::row(format!("data: {e}")))?;
        let document = match table {
            Table::Documents => Some(read_document(row)?),
            Table::Kinds | Table::Recipes => None,
        };
        Ok(Self { table, path: text(row, "path")?, document, data, mentions: Vec::new() })
    }

    /// Whether two rows are equal. PostgreSQL normalises numbers, so 1 and 1.0 count as equal.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let rest = |row: &Self| (row.table, row.path.clone(), row.document.clone());
        rest(self) == rest(other) && same_json(&self.data, &other.data)
    }
}

fn read_document(row: &AnyRow) -> Result<Document, StoreError> {
    let state = state_of(&text(row, "state")?);
    Ok(Document {
        id: text(row, "id")?,
        family: text(row, "family")?,
        kind: text(row, "kind")?,
        key: text(row, "key")?,
        title: text(row, "title")?,
        state,
        status: row.try_get("status")?,
        completeness: row.try_get("completeness")?,
        revision: row.try_get("revision")?,
        updated_at: Timestamp::from_millis(row.try_get("updated_at")?),
    })
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => members.iter().any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same_json(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Value {
        json!({ "id": "d1", "family": "entries", "kind": "brand", "title": "Brand", "state": "active",
                "status": "done", "completeness": 0.5, "revision": 3, "updated_at": "2026-01-02T03:04:05Z",
                "data": { "logo": 1 } })
    }

    #[test]
    fn a_document_becomes_a_row() {
        let made = Projected::of(Table::Documents, "p", document().to_string().as_bytes()).unwrap();
        let expected = Projected {
            table: Table::Documents,
            path: "p".to_owned(),
            document: Some(Document {
                id: "d1".to_owned(),
                family: "entries".to_owned(),
                kind: "brand".to_owned(),
                key: String::new(),
                title: "Brand".to_owned(),
                state: DocumentState::Active,
                status: Some("done".to_owned()),
                completeness: 0.5,
                revision: 3,
                updated_at: "2026-01-02T03:04:05Z".parse().unwrap(),
            }),
            data: json!({ "logo": 1 }),
            mentions: Vec::new(),
        };
        assert_eq!(made, expected);
    }

    #[test]
    fn what_is_no_document_has_no_row() {
        let without = |name: &str| {
            let mut document = document();
            document.as_object_mut().unwrap().remove(name);
            document.to_string()
        };
        let mut nul = document();
        nul["data"]["logo"] = json!("a\0b");
        let mut gone = document();
        gone["state"] = json!("gone");
        let mut list = document();
        list["data"] = json!([1]);
        let cases = [
            "[]".to_owned(),
            list.to_string(),
            "{".to_owned(),
            without("id"),
            without("state"),
            nul.to_string(),
            gone.to_string(),
        ];
        for text in cases {
            assert!(Projected::of(Table::Documents, "p", text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value_and_members_in_any_order() {
        let row = |data: &str| Projected::of(Table::Kinds, "p", data.as_bytes()).unwrap();
        assert!(row(r#"{"a":1,"b":[100]}"#).same(&row(r#"{"b":[1e2],"a":1.0}"#)));
        assert!(!row(r#"{"a":1}"#).same(&row(r#"{"a":"1"}"#)));
        assert!(!row(r#"{"a":1}"#).same(&row(r#"{"a":1,"b":null}"#)));
    }
}
