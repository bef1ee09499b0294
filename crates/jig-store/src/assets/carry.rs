//! Export and import of assets in archives.
//!
//! Permanence is not exported, because it is derived from the documents.

use std::collections::HashSet;

use jig_contract::{BlobHash, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

use super::row::insert;
use super::{Asset, AssetClass, AssetSource, Permanence};
use crate::error::StoreError;

/// An asset in an archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AssetLine {
    pub(crate) id: String,
    pub(crate) hash: BlobHash,
    pub(crate) bytes: u64,
    name: String,
    media_type: String,
    created_by: String,
    source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asset_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asset_category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) removed_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    User,
    Agent,
}

impl From<Asset> for AssetLine {
    fn from(asset: Asset) -> Self {
        Self {
            id: asset.id,
            hash: asset.hash,
            bytes: asset.bytes,
            name: asset.name,
            media_type: asset.media_type,
            created_by: asset.created_by,
            source: match asset.source {
                AssetSource::User => Source::User,
                AssetSource::Agent => Source::Agent,
            },
            asset_type: asset.class.asset_type,
            asset_category: asset.class.asset_category,
            confidence: asset.class.confidence,
            description: asset.class.description,
            reasoning: asset.class.reasoning,
            created_at: asset.created_at,
            expires_at: asset.expires_at,
            removed_at: asset.removed_at,
        }
    }
}

impl AssetLine {
    /// The asset row, without references.
    fn asset(&self, end: Timestamp) -> Asset {
        Asset {
            id: self.id.clone(),
            hash: self.hash,
            bytes: self.bytes,
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            permanence: Permanence::Temporary,
            entry_id: None,
            field_key: None,
            created_by: self.created_by.clone(),
            source: match self.source {
                Source::User => AssetSource::User,
                Source::Agent => AssetSource::Agent,
            },
            class: AssetClass {
                asset_type: self.asset_type.clone(),
                asset_category: self.asset_category.clone(),
                confidence: self.confidence,
                description: self.description.clone(),
                reasoning: self.reasoning.clone(),
            },
            created_at: self.created_at,
            expires_at: Some(self.expires_at.or(self.removed_at).unwrap_or(end)),
            removed_at: self.removed_at,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        let some = [&self.asset_type, &self.asset_category, &self.description, &self.reasoning];
        [&self.id, &self.name, &self.media_type, &self.created_by].into_iter().chain(some.into_iter().flatten())
    }
}

/// Validates the lines of an archive, so that they can be inserted as rows.
pub(crate) fn check(lines: &[AssetLine]) -> Result<(), StoreError> {
    let mut ids = HashSet::new();
    for line in lines {
        let wrong = |why: &str| Err(StoreError::archive(format!("the asset {} {why}", line.id.escape_default())));
        if line.id.is_empty() || line.id != line.id.to_ascii_lowercase() {
            return wrong("has an invalid id");
        }
        if !ids.insert(&line.id) {
            return wrong("is duplicated");
        }
        // PostgreSQL texts cannot contain NUL, and an archive must be importable into every store or none.
        if line.texts().any(|text| text.contains('\0')) {
            return wrong("contains a NUL character");
        }
        if line.confidence.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
            return wrong("has an invalid confidence");
        }
    }
    Ok(())
}

/// Inserts all assets as unreferenced. One without an expiry gets `end`.
pub(crate) async fn insert_all(
    connection: &mut AnyConnection,
    id: &WorkbenchId,
    lines: &[AssetLine],
    end: Timestamp,
) -> Result<(), StoreError> {
    for line in lines {
        insert(connection, id, &line.asset(end)).await?;
    }
    Ok(())
}
