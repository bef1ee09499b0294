//! The assets of a workbench: their metadata, their uses, and whether a field accepts them.

use jig_context::definition::Problem;
use jig_context::entry::{accepts, asset_references, field};
use jig_contract::ops::{
    AssetInfo, AssetSource, AssetUse, EntrySource, FieldDefinition, KindDefinition, Permanence, ResolvedAsset,
};
use jig_contract::{Actor, AssetId, Code, OpError, WorkbenchId};
use jig_files::{Complete, sniff};
use jig_store::Asset;
use serde_json::{Map, Value};

use crate::Workbench;
use crate::entries::ENTRIES_FOLDER;

/// The URI scheme of asset references in fields.
pub(crate) const SCHEME: &str = "asset://";
/// How much of a file is read to detect its format.
const HEAD_BYTES: u64 = 64 << 10;

/// The error for an asset whose bytes are no longer stored.
pub(crate) fn expired(id: &WorkbenchId, asset: &AssetId) -> OpError {
    OpError::new(Code::AssetExpired, format!("the asset `{asset}` has expired and its bytes are gone"))
        .hint("bring the file again with `jig asset upload`, and let a field name it")
        .workbench(id)
}

impl Workbench {
    /// An asset of this workbench. Assets of other workbenches do not exist for it.
    pub(crate) async fn needed_asset(&self, id: &WorkbenchId, asset: &AssetId) -> Result<Asset, OpError> {
        let found = self.store().asset(id, asset.as_str()).await?;
        if found.is_none() {
            // Reports an unknown workbench as such.
            self.store().head(id).await?;
        }
        found.ok_or_else(|| no_asset(asset).workbench(id))
    }

    /// The metadata of an asset, with its uses.
    pub(crate) async fn asset_info(&self, id: &WorkbenchId, asset: &Asset) -> Result<AssetInfo, OpError> {
        let uses = match asset.permanence {
            jig_store::Permanence::Permanent => self.store().asset_uses(id, &asset.id).await?,
            jig_store::Permanence::Temporary => Vec::new(),
        };
        let asset_id = AssetId::new(&asset.id)
            .map_err(|e| OpError::new(Code::Internal, "an asset's id in the database is none").because(e))?;
        let class = asset.class.clone();
        Ok(AssetInfo {
            uri: format!("{SCHEME}{asset_id}"),
            url: url_of(id, &asset.id),
            asset_id,
            name: asset.name.clone(),
            mime_type: asset.media_type.clone(),
            size: asset.bytes,
            permanence: match asset.permanence {
                jig_store::Permanence::Permanent => Permanence::Permanent,
                jig_store::Permanence::Temporary => Permanence::Temporary,
            },
            expires_at: asset.expires_at,
            expired: asset.is_expired(self.env().now()),
            removed: asset.removed_at.is_some(),
            uses: uses.into_iter().filter_map(|used| used_by(&used.document_path, used.field_key)).collect(),
            asset_type: class.asset_type.unwrap_or_else(|| "other".to_owned()),
            asset_category: class.asset_category.unwrap_or_else(|| "uncategorized".to_owned()),
            confidence: class.confidence.unwrap_or(1.0),
            description: class.description.unwrap_or_else(|| asset.name.clone()),
            reasoning: class.reasoning.unwrap_or_default(),
            created_at: asset.created_at,
            created_by: actor_of(&asset.created_by),
            source: match asset.source {
                jig_store::AssetSource::User => AssetSource::User,
                jig_store::AssetSource::Agent => AssetSource::Agent,
            },
        })
    }

    /// Resolves all assets that values refer to, in one query. Expired ones are marked.
    pub(crate) async fn resolved(
        &self,
        id: &WorkbenchId,
        data: &Map<String, Value>,
    ) -> Result<Vec<ResolvedAsset>, OpError> {
        let named = named_in(data);
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<String> = named.iter().map(|(_, asset)| asset.to_string()).collect();
        let known = self.store().assets_named(id, &ids).await?;
        let now = self.env().now();
        let resolve = |(field, asset_id): (String, AssetId)| {
            let found = known.iter().find(|asset| asset.id == asset_id.as_str());
            ResolvedAsset {
                url: found.filter(|asset| asset.removed_at.is_none()).map(|asset| url_of(id, &asset.id)),
                mime_type: found
                    .map_or_else(|| "application/octet-stream".to_owned(), |asset| asset.media_type.clone()),
                name: found.map_or_else(|| asset_id.to_string(), |asset| asset.name.clone()),
                size: found.map_or(0, |asset| asset.bytes),
                expired: found.is_none_or(|asset| asset.is_expired(now)),
                asset_id: asset_id.to_string(),
                field,
            }
        };
        Ok(named.into_iter().map(resolve).collect())
    }

    /// Problems with the assets that values refer to: from another workbench, no longer stored, or not accepted by the
    /// field.
    pub(crate) async fn asset_problems(
        &self,
        id: &WorkbenchId,
        kind: &KindDefinition,
        data: &Map<String, Value>,
    ) -> Result<Vec<Problem>, OpError> {
        let named = asset_references(kind, data);
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<String> = named.iter().map(|(_, asset)| asset.to_string()).collect();
        let known = self.store().assets_named(id, &ids).await?;
        let mut problems = Vec::new();
        for (key, asset_id) in named {
            let message = match known.iter().find(|asset| asset.id == asset_id.as_str()) {
                None => Some(format!("no asset of this workbench has the id {asset_id}")),
                Some(asset) if asset.removed_at.is_some() => Some(format!("the asset {asset_id} has expired")),
                Some(asset) => match field(kind, &key) {
                    Some(field) => self.refusal(&field, asset).await?,
                    None => None,
                },
            };
            problems.extend(message.map(|message| Problem::new(key, message)));
        }
        Ok(problems)
    }

    async fn refusal(&self, field: &FieldDefinition, asset: &Asset) -> Result<Option<String>, OpError> {
        if field.accept.is_none() {
            return Ok(None);
        }
        let head = self.store().blobs().get_head(&asset.hash, HEAD_BYTES).await?;
        Ok(not_taken(field, &asset.name, &head, asset.bytes))
    }
}

/// Why a field does not accept a file; `None` if it does. The content decides: an extension only counts if the content
/// matches it.
pub(crate) fn not_taken(field: &FieldDefinition, name: &str, head: &[u8], size: u64) -> Option<String> {
    let complete = if size > head.len() as u64 { Complete::Head } else { Complete::Whole };
    let sniffed = sniff(name, head, complete);
    let honest = if sniffed.mismatch.is_none() { name } else { "" };
    if accepts(field, sniffed.media_type, honest) {
        return None;
    }
    let accept = field.accept.as_deref().unwrap_or_default();
    Some(format!("it takes {accept}, and `{name}` is {} ({})", sniffed.kind.words(), sniffed.media_type))
}

/// The assets that values refer to, with their fields, whatever the kind.
fn named_in(data: &Map<String, Value>) -> Vec<(String, AssetId)> {
    let asset = |value: &Value| value.as_str()?.strip_prefix(SCHEME).and_then(|id| AssetId::new(id).ok());
    let mut found = Vec::new();
    for (field, value) in data {
        match value {
            Value::Array(values) => found.extend(values.iter().filter_map(asset).map(|id| (field.clone(), id))),
            one => found.extend(asset(one).map(|id| (field.clone(), id))),
        }
    }
    found
}

/// The HTTP URL of an asset's bytes.
fn url_of(id: &WorkbenchId, asset: &str) -> String {
    format!("/api/workbenches/{id}/assets/{asset}/content")
}

/// Extracts the entry from a path: `meta/documents/entries/brand/_.json` is brand.
fn used_by(path: &str, field: String) -> Option<AssetUse> {
    let (role, file) = path.strip_prefix(ENTRIES_FOLDER)?.strip_prefix('/')?.split_once('/')?;
    let key = file.strip_suffix(".json")?;
    let entry_key = if key == "_" { String::new() } else { key.to_owned() };
    Some(AssetUse { role: role.to_owned(), entry_key, field })
}

/// The row stores the actor as JSON.
fn actor_of(text: &str) -> Actor {
    serde_json::from_str(text).unwrap_or(Actor::Person { name: Some(text.to_owned()).filter(|name| !name.is_empty()) })
}

/// The error for an unknown asset.
pub(crate) fn no_asset(asset: &AssetId) -> OpError {
    OpError::new(Code::AssetNotFound, format!("there is no asset `{asset}`"))
        .hint("`jig asset list` shows the assets; one of another workbench is not there")
}

/// A file as the source of values.
pub(crate) fn file_source(name: &str) -> EntrySource {
    EntrySource::File { name: name.to_owned() }
}
