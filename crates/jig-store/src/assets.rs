//! Assets: files that fields of documents name. Their rows are the truth; no state has them.
//!
//! An asset that a field names is permanent; any other has an end, after which it is swept: its bytes go, its row
//! stays, so that an old revision can say what was there. Who names what follows from the documents, in the
//! commit that changes them (`links`).

pub(crate) mod carry;
pub(crate) mod check;
pub(crate) mod links;
mod list;
mod row;
mod sweep;

use bytes::Bytes;
use jig_contract::{BlobHash, Timestamp, WorkbenchId};

use crate::db::plain;
use crate::error::StoreError;
use crate::store::Store;

pub use list::{AssetCursor, AssetLife, AssetPage, AssetQuery, AssetUse};
pub use sweep::SweptAsset;

/// How long an asset that nothing names is kept, where nobody says otherwise.
pub const ASSET_TTL_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Whether an asset has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permanence {
    /// A field names it.
    Permanent,
    /// Nothing names it.
    Temporary,
}

impl Permanence {
    /// Its word on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Temporary => "temporary",
        }
    }
}

/// Where an asset came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetSource {
    /// Someone brought it.
    User,
    /// An agent made it.
    Agent,
}

impl AssetSource {
    /// Its word on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
        }
    }
}

/// What an asset was found to be. Empty for what people bring.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AssetClass {
    /// One word for it.
    pub asset_type: Option<String>,
    /// The group that it belongs to.
    pub asset_category: Option<String>,
    /// How sure that is, 0 to 1.
    pub confidence: Option<f64>,
    /// What it shows, in a sentence.
    pub description: Option<String>,
    /// Why it was taken for that.
    pub reasoning: Option<String>,
}

/// An asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Its id, known only in its workbench.
    pub id: String,
    /// Its bytes.
    pub hash: BlobHash,
    /// How many they are.
    pub bytes: u64,
    /// The file's name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Whether it has an end.
    pub permanence: Permanence,
    /// The first document that names it.
    pub entry_id: Option<String>,
    /// The field of that document.
    pub field_key: Option<String>,
    /// Who brought it.
    pub created_by: String,
    /// Where it came from.
    pub source: AssetSource,
    /// What it was found to be.
    pub class: AssetClass,
    /// When it came.
    pub created_at: Timestamp,
    /// When it ends; none for a permanent one.
    pub expires_at: Option<Timestamp>,
    /// When its bytes were given up.
    pub removed_at: Option<Timestamp>,
}

impl Asset {
    /// Whether its time is over. Until it is swept, naming it in a field brings it back.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.removed_at.is_some() || self.expires_at.is_some_and(|end| end <= now)
    }
}

/// An asset to be.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAsset {
    /// Its id; a fresh one when there is none.
    pub id: Option<String>,
    /// The file's name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Who brings it.
    pub created_by: String,
    /// Where it comes from.
    pub source: AssetSource,
    /// What it was found to be.
    pub class: AssetClass,
    /// How long it is kept while nothing names it; the store's own time when it is not said.
    pub ttl_ms: Option<i64>,
}

/// What of an asset is to be changed; none stays as it is.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AssetPatch {
    /// Another name.
    pub name: Option<String>,
    /// Another media type.
    pub media_type: Option<String>,
    /// What it is, as a whole.
    pub class: Option<AssetClass>,
    /// Another end; without effect on a permanent one.
    pub expires_at: Option<Timestamp>,
}

impl Store {
    /// Keeps bytes as an asset. It is temporary until a field names it.
    pub async fn put_asset(
        &self,
        id: &WorkbenchId,
        new: NewAsset,
        bytes: impl Into<Bytes> + Send,
    ) -> Result<Asset, StoreError> {
        let bytes = bytes.into();
        let size = bytes.len() as u64;
        let hash = self.blobs().put(bytes).await?;
        self.add_asset(id, new, hash, size).await
    }

    /// Makes an asset of a blob that was put just now.
    pub async fn add_asset(
        &self,
        id: &WorkbenchId,
        new: NewAsset,
        hash: BlobHash,
        bytes: u64,
    ) -> Result<Asset, StoreError> {
        let now = self.env().now();
        let ttl = new.ttl_ms.unwrap_or_else(|| self.asset_ttl_ms());
        let asset = Asset {
            id: asset_id(new.id.unwrap_or_else(|| self.env().fresh_id().to_string())),
            hash,
            bytes,
            name: plain(&new.name),
            media_type: plain(&new.media_type),
            permanence: Permanence::Temporary,
            entry_id: None,
            field_key: None,
            created_by: plain(&new.created_by),
            source: new.source,
            class: new.class.plain(),
            created_at: now,
            expires_at: Some(Timestamp::from_millis(now.as_millis().saturating_add(ttl))),
            removed_at: None,
        };
        let mut write = self.db().write().await?;
        row::insert(write.connection(), id, &asset).await?;
        write.commit().await?;
        Ok(asset)
    }

    /// The asset with this id. That of another workbench is not there.
    pub async fn asset(&self, id: &WorkbenchId, asset: &str) -> Result<Option<Asset>, StoreError> {
        Ok(self.assets_named(id, &[asset.to_owned()]).await?.pop())
    }

    /// Changes what is known of an asset; none when there is no such asset.
    pub async fn set_asset(
        &self,
        id: &WorkbenchId,
        asset: &str,
        patch: &AssetPatch,
    ) -> Result<Option<Asset>, StoreError> {
        let sql = "UPDATE assets SET name = COALESCE($3, name), media_type = COALESCE($4, media_type),
                          expires_at = CASE WHEN permanence = 'temporary' THEN COALESCE($5, expires_at) END
                   WHERE workbench_id = $1 AND id = $2";
        let mut write = self.db().write().await?;
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(asset_id(asset))
            .bind(patch.name.as_ref().map(plain))
            .bind(patch.media_type.as_ref().map(plain))
            .bind(patch.expires_at.map(Timestamp::as_millis))
            .execute(write.connection())
            .await?;
        if let Some(class) = &patch.class {
            row::set_class(write.connection(), id, &asset_id(asset), class.clone().plain()).await?;
        }
        write.commit().await?;
        self.asset(id, asset).await
    }
}

/// An id as it is kept and looked for.
fn asset_id(id: impl AsRef<str>) -> String {
    plain(id).to_ascii_lowercase()
}

impl AssetClass {
    /// The same as any database keeps it.
    fn plain(self) -> Self {
        let text = |text: Option<String>| text.map(plain);
        Self {
            asset_type: text(self.asset_type),
            asset_category: text(self.asset_category),
            confidence: self.confidence.filter(|sure| sure.is_finite()).map(|sure| sure.clamp(0.0, 1.0)),
            description: text(self.description),
            reasoning: text(self.reasoning),
        }
    }
}
