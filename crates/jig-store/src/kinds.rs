//! A cache of detected file kinds. It can be lost at any time, and no state depends on it.

use std::collections::{HashMap, HashSet};

use jig_contract::BlobHash;
use sqlx::Row as _;

use crate::db::Dialect;
use crate::error::StoreError;
use crate::store::Store;

/// The kind of a blob depends on its bytes and, to some extent, on the file extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindKey {
    /// The hash of the bytes.
    pub hash: BlobHash,
    /// The extension in lower case; empty without one.
    pub extension: String,
}

/// The kind of a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobKind {
    /// The name of the kind.
    pub kind: String,
    /// The media type.
    pub media_type: String,
    /// How name and content disagree, if they do.
    pub mismatch: Option<String>,
}

/// A row: hash, extension, kind, media type, mismatch.
type Remembered = (BlobHash, String, String, String, Option<String>);

// All rows are transferred as one JSON text. Row by row, a list of a thousand files would take longer than everything
// else.
const FIND_SQLITE: &str = "SELECT json_group_array(json_array(hash, extension, kind, media_type, mismatch)) AS found
    FROM blob_kinds WHERE hash IN (SELECT value FROM json_each($1))";
const FIND_POSTGRES: &str = "SELECT CAST(COALESCE(
        jsonb_agg(jsonb_build_array(hash, extension, kind, media_type, mismatch)), '[]') AS TEXT) AS found
    FROM blob_kinds WHERE hash IN (SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))";
const KEEP_SQLITE: &str = "INSERT INTO blob_kinds (hash, extension, kind, media_type, mismatch)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each($1) WHERE TRUE
    ON CONFLICT (hash, extension) DO UPDATE
    SET kind = excluded.kind, media_type = excluded.media_type, mismatch = excluded.mismatch";
const KEEP_POSTGRES: &str = "INSERT INTO blob_kinds (hash, extension, kind, media_type, mismatch)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
    FROM jsonb_array_elements(CAST($1 AS JSONB)) AS rows (value)
    ON CONFLICT (hash, extension) DO UPDATE
    SET kind = excluded.kind, media_type = excluded.media_type, mismatch = excluded.mismatch";

impl Store {
    /// The cached kinds of these blobs.
    pub async fn blob_kinds(&self, keys: &[KindKey]) -> Result<HashMap<KindKey, BlobKind>, StoreError> {
        let asked: HashSet<&KindKey> = keys.iter().collect();
        if asked.is_empty() {
            return Ok(HashMap::new());
        }
        let hashes: Vec<BlobHash> = asked.iter().map(|key| key.hash).collect();
        let sql = match self.db().dialect() {
            Dialect::Sqlite => FIND_SQLITE,
            Dialect::Postgres => FIND_POSTGRES,
        };
        let row = sqlx::query(sql).bind(text(&hashes)?).fetch_one(self.db().pool()).await?;
        let found: Vec<Remembered> = serde_json::from_str(row.try_get("found")?).map_err(|e| unreadable(&e))?;
        let found = found.into_iter().map(|(hash, extension, kind, media_type, mismatch)| {
            (KindKey { hash, extension }, BlobKind { kind, media_type, mismatch })
        });
        Ok(found.filter(|(key, _)| asked.contains(key)).collect())
    }

    /// Caches the kinds of blobs.
    pub async fn remember_kinds(&self, kinds: &[(KindKey, BlobKind)]) -> Result<(), StoreError> {
        if kinds.is_empty() || self.is_read_only() {
            return Ok(());
        }
        // A single upsert statement may not affect the same row twice.
        let unique: HashMap<&KindKey, &BlobKind> = kinds.iter().map(|(key, kind)| (key, kind)).collect();
        let rows: Vec<_> = unique
            .into_iter()
            .map(|(key, kind)| (key.hash, &key.extension, &kind.kind, &kind.media_type, &kind.mismatch))
            .collect();
        let sql = match self.db().dialect() {
            Dialect::Sqlite => KEEP_SQLITE,
            Dialect::Postgres => KEEP_POSTGRES,
        };
        let mut write = self.db().write().await?;
        sqlx::query(sql).bind(text(&rows)?).execute(write.connection()).await?;
        write.commit().await
    }
}

fn text(rows: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(rows).map_err(|e| unreadable(&e))
}

fn unreadable(error: &serde_json::Error) -> StoreError {
    StoreError::row(format!("the list of blobs cannot be read: {error}"))
}
