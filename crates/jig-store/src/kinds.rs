//! What blobs are, remembered. A cache: it can be lost at any time, and no state depends on it.

use std::collections::HashMap;

use jig_contract::BlobHash;
use sqlx::{AssertSqlSafe, Row as _};

use crate::db::parsed;
use crate::error::StoreError;
use crate::store::Store;

/// How many blobs one query asks for.
const ASKED_AT_ONCE: usize = 500;

/// What a blob is depends on its bytes and, a little, on its name's extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindKey {
    /// The bytes.
    pub hash: BlobHash,
    /// The extension, in lower case; empty when there is none.
    pub extension: String,
}

/// What a blob is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobKind {
    /// One word for it.
    pub kind: String,
    /// Its media type.
    pub media_type: String,
    /// How name and content disagree, in words.
    pub mismatch: Option<String>,
}

impl Store {
    /// What is remembered of these blobs.
    pub async fn blob_kinds(&self, keys: &[KindKey]) -> Result<HashMap<KindKey, BlobKind>, StoreError> {
        let mut found = HashMap::new();
        for some in keys.chunks(ASKED_AT_ONCE) {
            let marks: Vec<String> = (1..=some.len()).map(|n| format!("${n}")).collect();
            let sql = format!(
                "SELECT hash, extension, kind, media_type, mismatch FROM blob_kinds WHERE hash IN ({})",
                marks.join(", ")
            );
            let query =
                some.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, key| query.bind(key.hash.to_string()));
            for row in query.fetch_all(self.db().pool()).await? {
                let key = KindKey { hash: parsed(&row, "hash")?, extension: row.try_get("extension")? };
                let kind = BlobKind {
                    kind: row.try_get("kind")?,
                    media_type: row.try_get("media_type")?,
                    mismatch: row.try_get("mismatch")?,
                };
                found.insert(key, kind);
            }
        }
        let asked: std::collections::HashSet<&KindKey> = keys.iter().collect();
        found.retain(|key, _| asked.contains(key));
        Ok(found)
    }

    /// Remembers what blobs are.
    pub async fn remember_kinds(&self, kinds: &[(KindKey, BlobKind)]) -> Result<(), StoreError> {
        if kinds.is_empty() {
            return Ok(());
        }
        let mut write = self.db().write().await?;
        for (key, kind) in kinds {
            let sql = "INSERT INTO blob_kinds (hash, extension, kind, media_type, mismatch) VALUES ($1, $2, $3, $4, $5)
                       ON CONFLICT (hash, extension) DO UPDATE
                       SET kind = excluded.kind, media_type = excluded.media_type, mismatch = excluded.mismatch";
            sqlx::query(sql)
                .bind(key.hash.to_string())
                .bind(key.extension.as_str())
                .bind(kind.kind.as_str())
                .bind(kind.media_type.as_str())
                .bind(kind.mismatch.as_deref())
                .execute(write.connection())
                .await?;
        }
        write.commit().await
    }
}
