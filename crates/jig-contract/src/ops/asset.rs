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

/// How long an asset is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Permanence {
    /// For as long as a field names it.
    Permanent,
    /// Until it expires.
    Temporary,
}

/// Who brought an asset.
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

/// A field that names an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetUse {
    /// The entry's kind.
    pub role: String,
    /// Which one of its kind; empty for a singleton.
    pub entry_key: String,
    /// The field.
    pub field: String,
}

/// An asset as a field that names it shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedAsset {
    /// The field.
    pub field: String,
    /// The asset.
    pub asset_id: String,
    /// Where its bytes are to be had; none when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its media type, by its content.
    pub mime_type: String,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it expired: its bytes may be gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// An asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetInfo {
    /// Its id.
    pub asset_id: AssetId,
    /// What fields say: `asset://` and the id.
    pub uri: String,
    /// Where its bytes are to be had, on the HTTP door.
    pub url: String,
    /// Its name.
    pub name: String,
    /// Its media type, by its content.
    pub mime_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// How long it is kept.
    pub permanence: Permanence,
    /// When it expires, unless a field names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether that moment has passed.
    pub expired: bool,
    /// Whether its bytes are gone.
    pub removed: bool,
    /// The fields that name it.
    pub uses: Vec<AssetUse>,
    /// What it is: `other` for what a person brought.
    pub asset_type: String,
    /// What sort of thing that is: `uncategorized` for what a person brought.
    pub asset_category: String,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// What it shows, in words.
    pub description: String,
    /// How that was told.
    pub reasoning: String,
    /// When it came.
    pub created_at: Timestamp,
    /// Who brought it.
    pub created_by: Actor,
    /// Whether that was a person or an agent.
    pub source: AssetSource,
}

/// The asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetOutput {
    /// The asset.
    pub asset: AssetInfo,
}

/// Bring a file, and let a field of an entry name it; without that it expires
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetUploadParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// A file on this machine; not over HTTP
    #[arg(value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The file's bytes, in base64
    #[arg(long, conflicts_with = "source_path")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
    /// Its name; that of the file when left out
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of the entry that is to name it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Which one of its kind, where there can be many
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field that is to name it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// After how many hours it expires when no field names it (default 168)
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_hours: Option<u32>,
    /// Who brings it: what a person brings is not classified [default: user]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<AssetSource>,
    /// The model, such as `openai:gpt-5.2` or `offline:extract`; the workbench's own when left out
    #[arg(long, value_name = "PROVIDER:MODEL")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
/// The asset, and the entry that names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetUploadOutput {
    /// The asset.
    pub asset: AssetInfo,
    /// The entry whose field names it, when one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryInfo>,
}
operation!(AssetUpload, Write, Surfaces::PEOPLE, AssetUploadParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","name":"logo.png","content_base64":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=","role":"brand","field":"logo"}"#);

/// Show what is known of an asset, and its bytes
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetGetParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The asset
    pub asset_id: Given<AssetId>,
    /// Give its bytes too
    #[arg(long)]
    #[serde(default)]
    pub include_content: bool,
}
/// The asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetGetOutput {
    /// The asset.
    pub asset: AssetInfo,
    /// Its bytes in base64, when they were asked for.
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
    /// Only those that an entry of this kind names
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Only those that are kept this long
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanence: Option<Permanence>,
    /// At most this many (default 100, at most 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Go on where an earlier answer's `cursor` says
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
/// Assets, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetListOutput {
    /// The assets.
    pub assets: Vec<AssetInfo>,
    /// Given when there are more: pass it on to get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whether there are more.
    pub has_more: bool,
}
operation!(AssetList, Read, Surfaces::PEOPLE, AssetListParams => AssetListOutput, r#"{"workbench_id":"board-deck"}"#);

/// Let a field of an entry name an asset: from then on it is kept
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
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// The `etag` of the entry you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(AssetAttach, Write, Surfaces::PEOPLE, AssetAttachParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","asset_id":"0190b6c2-7d3e-7000-8000-000000000001","role":"brand","field":"logo"}"#);

/// Let a field of an entry no longer name an asset; after the last one its time starts to run
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
    /// Which one of its kind, where there can be many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_key: Option<String>,
    /// The field
    #[arg(long)]
    pub field: String,
    /// The `etag` of the entry you read: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
}
operation!(AssetDetach, Write, Surfaces::PEOPLE, AssetDetachParams => AssetUploadOutput,
    r#"{"workbench_id":"board-deck","asset_id":"0190b6c2-7d3e-7000-8000-000000000001","role":"brand","field":"logo"}"#);

/// Remove the bytes of assets that have expired
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AssetCleanupParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Only say what would go
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What went, or would go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssetCleanupOutput {
    /// The assets.
    pub assets: Vec<AssetInfo>,
    /// How many bytes they have.
    pub bytes: u64,
    /// Whether they were removed.
    pub removed: bool,
}
operation!(AssetCleanup, Destructive, Surfaces::PEOPLE, AssetCleanupParams => AssetCleanupOutput,
    r#"{"workbench_id":"board-deck","dry_run":true}"#);
