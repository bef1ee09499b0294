//! Pages and counts of documents.

use std::fmt::Write as _;

use jig_contract::WorkbenchId;
use sqlx::Row as _;

use super::{COLUMNS, DocumentRow, DocumentState, Fields, States, field_list, projected, read};
use crate::db::{Dialect, counted, plain};
use crate::error::StoreError;
use crate::projections::state_of;
use crate::store::Store;

/// A query for documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentQuery {
    /// The family: `entries`, `artifacts`.
    pub family: String,
    /// Restricts the list to these kinds; empty for all.
    pub kinds: Vec<String>,
    /// The document state.
    pub states: States,
    /// The order of kinds. Other kinds follow by name.
    pub order: Vec<String>,
    /// The fields to return.
    pub fields: Fields,
    /// The position after which the page starts.
    pub after: Option<DocumentCursor>,
    /// The maximum number of documents.
    pub limit: u32,
}

/// A position in a list of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentCursor {
    /// The kind of the previous document.
    pub kind: String,
    /// The key of the previous document.
    pub key: String,
}

/// A page of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentPage {
    /// The documents, by kind and key.
    pub rows: Vec<DocumentRow>,
    /// The position of the next page; `None` at the end.
    pub next: Option<DocumentCursor>,
}

/// The number of documents of one kind in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentCount {
    /// The kind.
    pub kind: String,
    /// The state.
    pub state: DocumentState,
    /// The number.
    pub count: u64,
}

impl Store {
    /// Lists a page of documents.
    pub async fn documents(&self, id: &WorkbenchId, query: &DocumentQuery) -> Result<DocumentPage, StoreError> {
        let (sql, texts) = page_sql(self.db().dialect(), query);
        let mut asked = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.as_str());
        // One more than requested shows whether there are more.
        asked = asked.bind(i64::from(query.limit) + 1).bind(rank(query));
        for text in texts {
            asked = asked.bind(text);
        }
        let found = asked.fetch_all(self.db().pool()).await?;
        if found.is_empty() {
            self.head(id).await?;
        }
        let mut rows: Vec<DocumentRow> =
            found.iter().filter_map(|row| read(row).transpose()).collect::<Result<_, _>>()?;
        let more = rows.len() > query.limit as usize;
        rows.truncate(query.limit as usize);
        let last = rows.last().filter(|_| more);
        let next = last.map(|row| DocumentCursor { kind: row.kind.clone(), key: row.key.clone() });
        Ok(DocumentPage { rows, next })
    }

    /// The number of documents of a family, by kind and state.
    pub async fn document_counts(&self, id: &WorkbenchId, family: &str) -> Result<Vec<DocumentCount>, StoreError> {
        let sql = "SELECT kind, state, COUNT(*) AS times FROM documents WHERE workbench_id = $1 AND family = $2
                   GROUP BY kind, state";
        let rows = sqlx::query(sql).bind(id.as_str()).bind(plain(family)).fetch_all(self.db().pool()).await?;
        if rows.is_empty() {
            self.head(id).await?;
        }
        let mut counts = Vec::with_capacity(rows.len());
        for row in &rows {
            let state = state_of(row.try_get("state")?);
            counts.push(DocumentCount { kind: row.try_get("kind")?, state, count: counted(row, "times")? });
        }
        counts.sort_by(|a, b| (&a.kind, a.state as u8).cmp(&(&b.kind, b.state as u8)));
        Ok(counts)
    }
}

/// The statement for a page, and the texts to bind from `$4` on. `$1` is the workbench, `$2` the limit and `$3` the
/// rank of the cursor's kind; -1 for the first page.
///
/// The page is found by index scan alone; only its own documents are read.
fn page_sql(dialect: Dialect, query: &DocumentQuery) -> (String, Vec<String>) {
    let bytewise = dialect.bytewise();
    let [first, second] = query.states.bounds();
    let (kind, key) = query.after.as_ref().map_or(("", ""), |after| (after.kind.as_str(), after.key.as_str()));
    let list = field_list(&query.fields);
    let list = if list.is_null() { String::new() } else { list.to_string() };
    let mut texts = [&query.family, first, second, kind, key, &list].map(plain).to_vec();
    let mut ranks = String::from("CASE o.kind");
    for (place, kind) in query.order.iter().enumerate() {
        texts.push(plain(kind));
        // Writing to a `String` never fails.
        let _ = write!(ranks, " WHEN ${} THEN {place}", texts.len() + 3);
    }
    let ranks = if query.order.is_empty() { "0".to_owned() } else { format!("{ranks} ELSE {} END", query.order.len()) };
    let mut only = String::new();
    for kind in &query.kinds {
        texts.push(plain(kind));
        let _ = write!(only, "{} ${}", if only.is_empty() { "AND o.kind IN (" } else { "," }, texts.len() + 3);
    }
    let only = if only.is_empty() { only } else { only + ")" };
    let list = match dialect {
        Dialect::Sqlite => "NULLIF($9, '')",
        Dialect::Postgres => "CAST(NULLIF($9, '') AS JSONB)",
    };
    let data = projected(dialect, list);
    let sql = format!(
        "SELECT {COLUMNS}, {data} FROM (
             SELECT kind, key, place FROM (
                 SELECT o.kind, o.key, {ranks} AS place FROM documents o
                 WHERE o.workbench_id = $1 AND o.family = $4 AND o.state IN ($5, $6) {only}) o
             WHERE $3 < 0 OR (place, kind {bytewise}, key {bytewise}) > ($3, $7, $8)
             ORDER BY place, kind {bytewise}, key {bytewise} LIMIT $2) p
         JOIN documents d ON d.workbench_id = $1 AND d.kind = p.kind AND d.key = p.key
         ORDER BY p.place, p.kind {bytewise}, p.key {bytewise}"
    );
    (sql, texts)
}

/// The rank of the cursor's kind in the order.
fn rank(query: &DocumentQuery) -> i64 {
    let Some(after) = &query.after else { return -1 };
    let place = query.order.iter().position(|kind| *kind == after.kind).unwrap_or(query.order.len());
    i64::try_from(place).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::project::tests::plan;
    use super::*;

    #[tokio::test]
    async fn a_page_is_found_in_the_index() {
        let query = DocumentQuery {
            family: "entries".to_owned(),
            kinds: vec![],
            states: States::Active,
            order: vec!["brand".to_owned()],
            fields: Fields::All,
            after: Some(DocumentCursor { kind: "brand".to_owned(), key: "a".to_owned() }),
            limit: 9,
        };
        let steps = plan(&page_sql(Dialect::Sqlite, &query).0).await;
        let found = |start: &str| steps.iter().any(|step| step.starts_with(start));
        let listed = "SEARCH o USING COVERING INDEX documents_by_family (workbench_id=? AND family=?)";
        assert!(found(listed) && found("SEARCH d USING INDEX"), "{steps:#?}");
        assert!(!found("SCAN o") && !found("SCAN d"), "{steps:#?}");
    }
}
