//! Assets: files that fields of documents refer to. Their rows are authoritative; states do not contain them.
//!
//! An asset that a field refers to is permanent. Any other expires and is then swept: its bytes are removed but its row
//! stays, so that old revisions can report what was there. References are derived from the documents in the commit that
//! changes them (`links`).

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

/// How long an unreferenced asset is retained by default.
pub const ASSET_TTL_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Whether an asset expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permanence {
    /// A field refers to it.
    Permanent,
    /// No field refers to it.
    Temporary,
}

impl Permanence {
    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Temporary => "temporary",
        }
    }
}

/// The origin of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetSource {
    /// A person added it.
    User,
    /// An agent created it.
    Agent,
}

impl AssetSource {
    /// The name on the wire and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
        }
    }
}

/// The classification of an asset; empty for those that people add.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AssetClass {
    /// The type.
    pub asset_type: Option<String>,
    /// The category of the type.
    pub asset_category: Option<String>,
    /// The confidence, between 0 and 1.
    pub confidence: Option<f64>,
    /// A description of the content.
    pub description: Option<String>,
    /// How the classification was derived.
    pub reasoning: Option<String>,
}

/// An asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Its id, unique within its workbench.
    pub id: String,
    /// The hash of its bytes.
    pub hash: BlobHash,
    /// Its size.
    pub bytes: u64,
    /// The file name.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// Whether it expires.
    pub permanence: Permanence,
    /// The first document that refers to it.
    pub entry_id: Option<String>,
    /// The field of that document.
    pub field_key: Option<String>,
    /// Who added it.
    pub created_by: String,
    /// Its origin.
    pub source: AssetSource,
    /// Its classification.
    pub class: AssetClass,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it expires; `None` for a permanent one.
    pub expires_at: Option<Timestamp>,
    /// When its bytes were removed.
    pub removed_at: Option<Timestamp>,
}

impl Asset {
    /// Whether it has expired. Until it is swept, a new reference makes it permanent again.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.removed_at.is_some() || self.expires_at.is_some_and(|end| end <= now)
    }
}

/// The properties of a new asset.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAsset {
    /// Its id; generated if `None`.
    pub id: Option<String>,
    /// The file name.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// Who adds it.
    pub created_by: String,
    /// Its origin.
    pub source: AssetSource,
    /// Its classification.
    pub class: AssetClass,
    /// How long it is retained without a reference; the store's default if `None`.
    pub ttl_ms: Option<i64>,
}

/// A change of an asset. Fields that are `None` stay unchanged.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AssetPatch {
    /// The file name.
    pub name: Option<String>,
    /// The media type.
    pub media_type: Option<String>,
    /// The classification, replaced as a unit.
    pub class: Option<AssetClass>,
    /// The expiry; ignored for a permanent asset.
    pub expires_at: Option<Timestamp>,
}

impl Store {
    /// Stores bytes as an asset, which is temporary until a field refers to it.
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

    /// Creates an asset from a blob that was just stored.
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

    /// The asset with this id. Assets of other workbenches are not found.
    pub async fn asset(&self, id: &WorkbenchId, asset: &str) -> Result<Option<Asset>, StoreError> {
        Ok(self.assets_named(id, &[asset.to_owned()]).await?.pop())
    }

    /// Changes an asset; `None` if it does not exist.
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

/// An id in its normalised form.
fn asset_id(id: impl AsRef<str>) -> String {
    plain(id).to_ascii_lowercase()
}

impl AssetClass {
    /// Replaces characters that not every database can store.
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
