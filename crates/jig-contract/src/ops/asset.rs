//! Operations on assets: files that fields of entries refer to. Unreferenced ones expire.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::id::{AssetId, WorkbenchId};
use crate::operation::Surfaces;
use crate::ops::{EntryInfo, operation};
use crate::tag::RevisionTag;

/// How long an asset is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Permanence {
    /// As long as a field refers to it.
    Permanent,
    /// Until it expires.
    Temporary,
}

/// Who added an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AssetSource {
    /// A person, who knows what it is: it is not classified.
    User,
    /// An agent's run: it is classified.
    Agent,
}

/// A field that refers to an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetUse {
    /// The entry's kind.
    pub role: String,
    /// The entry's key within its kind; empty for a singleton.
    pub entry_key: String,
    /// The field.
    pub field: String,
}

/// An asset, in the form in which a field shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedAsset {
    /// The field.
    pub field: String,
    /// The asset.
    pub asset_id: String,
    /// The URL of its bytes; none if they are deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its media type, detected from its content.
    pub mime_type: String,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it has expired: its bytes may be deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// An asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetInfo {
    /// Its id.
    pub asset_id: AssetId,
    /// The URI for fields: `asset://` and the id.
    pub uri: String,
    /// The URL of its bytes, over HTTP.
    pub url: String,
    /// Its name.
    pub name: String,
    /// Its media type, detected from its content.
    pub mime_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// How long it is stored.
    pub permanence: Permanence,
    /// When it expires, unless a field refers to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether it has expired.
    pub expired: bool,
    /// Whether its bytes are deleted.
    pub removed: bool,
    /// The fields that refer to it.
    pub uses: Vec<AssetUse>,
    /// Its type: `other` if a person added it.
    pub asset_type: String,
    /// The category of that type: `uncategorized` if a person added it.
    pub asset_category: String,
    /// The confidence of the classification, from 0 to 1.
    pub confidence: f64,
    /// A description of its content.
    pub description: String,
    /// The reasons for the classification.
    pub reasoning: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Who added it.
    pub created_by: Actor,
    /// Whether a person or an agent added it.
    pub source: AssetSource,
}

/// The asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetOutput {
    /// The asset.
    pub asset: AssetInfo,
}

/// Upload a file as an asset and link it to a field of an entry; without a link it expires
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetUploadParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// A file on this machine (not over HTTP)
    #[arg(value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The file's bytes, in base64
    #[arg(long, conflicts_with = "source_path")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
    /// Its name [default: the file's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of the entry to link it to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The entry's key, unless its kind is a singleton
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field to link it to
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Hours until it expires if no field refers to it (default 168)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_hours: Option<u32>,
    /// Who adds it: assets from people are not classified [default: user]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<AssetSource>,
    /// The model, such as `openai:gpt-5.2` or `offline:extract` [default: the workbench's]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The asset, and the entry that refers to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetUploadOutput {
    /// The asset.
    pub asset: AssetInfo,
    /// The entry whose field refers to it, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
}
operation!(AssetUpload, Write, Surfaces::PEOPLE, AssetUploadParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","name":"logo.png","content_base64":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=","role":"brand","field":"logo"}"#);

/// Show an asset's metadata, or return its bytes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The asset
    pub asset_id: Given<AssetId>,
    /// Return its bytes too
    #[arg(long)]
    #[serde(default)]
    pub include_content: bool,
}
/// The asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetGetOutput {
    /// The asset.
    pub asset: AssetInfo,
    /// Its bytes in base64, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
}
operation!(AssetGet, Read, Surfaces::PEOPLE, AssetGetParams => AssetGetOutput,
    r#"{"workbench_id":"board-deck","asset_id":"0190b6c2-7d3e-7000-8000-000000000001"}"#);

/// List assets, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only those that an entry of this kind refers to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Only those that are stored this long
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanence: Option<Permanence>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Continue from the `cursor` of the previous page
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Assets, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetListOutput {
    /// The assets.
    pub assets: Vec<AssetInfo>,
    /// Set if there are more results: pass it as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more results.
    pub has_more: bool,
}
operation!(AssetList, Read, Surfaces::PEOPLE, AssetListParams => AssetListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Link an asset to a field of an entry, so that it does not expire
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetAttachParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The asset
    pub asset_id: Given<AssetId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// The `etag` of the entry you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(AssetAttach, Write, Surfaces::PEOPLE, AssetAttachParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","asset_id":"0190b6c2-7d3e-7000-8000-000000000001","role":"brand","field":"logo"}"#);

/// Unlink an asset from a field of an entry; after the last link it expires
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetDetachParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The asset
    pub asset_id: Given<AssetId>,
    /// The kind of entry, such as `brand`
    pub role: String,
    /// The entry's key, unless its kind is a singleton
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// The `etag` of the entry you read; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(AssetDetach, Write, Surfaces::PEOPLE, AssetDetachParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","asset_id":"0190b6c2-7d3e-7000-8000-000000000001","role":"brand","field":"logo"}"#);

/// Delete the bytes of expired assets
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetCleanupParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only show what would be deleted
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What was, or would be, deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetCleanupOutput {
    /// The assets.
    pub assets: Vec<AssetInfo>,
    /// Their total size in bytes.
    pub bytes: u64,
    /// Whether they were deleted.
    pub removed: bool,
}
operation!(AssetCleanup, Destructive, Surfaces::PEOPLE, AssetCleanupParams => AssetCleanupOutput,
    r#"{"workbench_id":"board-deck","dry_run":true}"#);
