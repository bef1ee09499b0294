//! Assets: adding files, referring to them from fields, and removing expired ones.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_context::entry::field;
use jig_contract::ops::*;
use jig_contract::{Actor, AssetId, Code, OpError, RevisionTag, Timestamp, WorkbenchId, check_name};
use jig_files::{Complete, HEAD_BYTES, Sniffed, sniff};
use jig_store::{AssetCursor, AssetLife, AssetQuery, NewAsset};
use serde_json::{Map, Value, json};

use super::entry_write::Values;
use super::host_files::{open_file, read};
use crate::assets::{SCHEME, expired, not_taken};
use crate::engine::Session;
use crate::entries::{Named, bad_cursor, page_limit};
use crate::{CallContext, Handle, Workbench};

const HOUR_MS: i64 = 60 * 60 * 1_000;

impl Handle<AssetUpload> for Workbench {
    async fn handle(&self, context: &CallContext, params: AssetUploadParams) -> Result<AssetUploadOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut session = self.enter_lightly(&id).await?;
        let file = self.brought(params.source_path, params.content_base64, params.name).await?;
        let place = match (params.role, params.field) {
            (Some(role), Some(field)) => Some(Place { role, entry_key: params.entry_key, field, base_revision: None }),
            (None, None) => None,
            _ => {
                return Err(OpError::new(Code::ValidationFailed, "a field is named by its kind and its key")
                    .hint("give both `role` and `field` (`--role`, `--field`), or neither"));
            }
        };
        if let Some(place) = &place {
            self.check_place(&session, place, &file).await?;
        }
        let by_agent = matches!(context.actor, Actor::Agent { .. }) || params.source == Some(AssetSource::Agent);
        let class = if by_agent {
            self.classified(context, &session.head, &file, params.model.as_deref()).await?
        } else {
            super::asset_class::unclassified(&file.name)
        };
        let new = NewAsset {
            id: None,
            media_type: file.sniffed().media_type.to_owned(),
            name: file.name.clone(),
            created_by: json!(context.actor).to_string(),
            source: if by_agent { jig_store::AssetSource::Agent } else { jig_store::AssetSource::User },
            class,
            ttl_ms: params.expires_in_hours.map(|hours| i64::from(hours).saturating_mul(HOUR_MS)),
        };
        let asset = match file.rest {
            None => self.store().put_asset(&id, new, file.head).await?,
            Some((open, path)) => {
                let (hash, size) = self.store().blobs().put_open_file(open, &path).await?;
                // The file may have grown since it was opened.
                fits(&file.name, size, self.limits().asset_bytes)?;
                self.store().add_asset(&id, new, hash, size).await?
            }
        };
        let asset_id =
            AssetId::new(&asset.id).map_err(|e| OpError::new(Code::Internal, "a fresh id is none").because(e))?;
        let entry = match place {
            Some(place) => self.name_asset(context, &mut session, &asset_id, place, "AssetUpload").await?,
            None => None,
        };
        Ok(AssetUploadOutput { asset: self.asset_now(&id, &asset_id).await?, entry })
    }
}

impl Handle<AssetGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: AssetGetParams) -> Result<AssetGetOutput, OpError> {
        let (id, asset_id) = (params.workbench_id.check()?, params.asset_id.check()?);
        let asset = self.needed_asset(&id, &asset_id).await?;
        if params.include_content && asset.removed_at.is_some() {
            return Err(expired(&id, &asset_id));
        }
        let content_base64 = match params.include_content {
            true => Some(STANDARD.encode(self.store().blobs().get(&asset.hash).await?)),
            false => None,
        };
        Ok(AssetGetOutput { asset: self.asset_info(&id, &asset).await?, content_base64 })
    }
}

impl Handle<AssetList> for Workbench {
    async fn handle(&self, _: &CallContext, params: AssetListParams) -> Result<AssetListOutput, OpError> {
        let id = params.workbench_id.check()?;
        let limit = page_limit(params.limit)? as usize;
        let after = params.cursor.as_deref().map(read_cursor).transpose()?;
        let mut query = AssetQuery {
            life: AssetLife::Any,
            permanence: params.permanence.map(|permanence| match permanence {
                Permanence::Permanent => jig_store::Permanence::Permanent,
                Permanence::Temporary => jig_store::Permanence::Temporary,
            }),
            entry_id: None,
            source: None,
            after,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        };
        let (mut assets, mut cursor) = (Vec::new(), None);
        'pages: loop {
            let page = self.store().assets(&id, &query).await?;
            let last = page.assets.len().saturating_sub(1);
            for (place, asset) in page.assets.iter().enumerate() {
                // The row of a removed asset is retained for old revisions; it is not listed.
                if asset.removed_at.is_some() {
                    continue;
                }
                let info = self.asset_info(&id, asset).await?;
                let named = |role: &String| info.uses.iter().any(|used| used.role == *role);
                if params.role.as_ref().is_some_and(|role| !named(role)) {
                    continue;
                }
                assets.push(info);
                if assets.len() == limit {
                    let more = place < last || page.next.is_some();
                    cursor = more.then(|| format!("{}/{}", asset.created_at.as_millis(), asset.id));
                    break 'pages;
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        Ok(AssetListOutput { assets, has_more: cursor.is_some(), cursor })
    }
}

impl Handle<AssetAttach> for Workbench {
    async fn handle(&self, context: &CallContext, params: AssetAttachParams) -> Result<AssetUploadOutput, OpError> {
        let (id, asset_id) = (params.workbench_id.check()?, params.asset_id.check()?);
        let mut session = self.enter_lightly(&id).await?;
        let asset = self.needed_asset(&id, &asset_id).await?;
        if asset.removed_at.is_some() {
            return Err(OpError::new(
                Code::AssetExpired,
                format!("the asset `{asset_id}` has expired and its bytes are gone"),
            )
            .hint("bring the file again with `jig asset upload`")
            .workbench(&id));
        }
        let place = Place {
            role: params.role,
            entry_key: params.entry_key,
            field: params.field,
            base_revision: params.base_revision,
        };
        let entry = self.name_asset(context, &mut session, &asset_id, place, "AssetAttach").await?;
        Ok(AssetUploadOutput { asset: self.asset_now(&id, &asset_id).await?, entry })
    }
}

impl Handle<AssetDetach> for Workbench {
    async fn handle(&self, context: &CallContext, params: AssetDetachParams) -> Result<AssetUploadOutput, OpError> {
        let (id, asset_id) = (params.workbench_id.check()?, params.asset_id.check()?);
        let mut session = self.enter_lightly(&id).await?;
        self.needed_asset(&id, &asset_id).await?;
        let named = Named::of(self.kinds_at(session.head.state).await?, &params.role, params.entry_key.as_deref())?;
        let seen = self.needed_entry(&id, session.head.state, &named).await?;
        let uri = format!("{SCHEME}{asset_id}");
        let present = seen.entry.document.part(&params.field).map(|part| part.value.clone());
        let without = match present {
            Some(Value::String(text)) if text == uri => Value::Null,
            Some(Value::Array(values)) if values.iter().any(|value| *value == uri.as_str()) => {
                values.into_iter().filter(|value| *value != uri.as_str()).collect()
            }
            _ => {
                let words = format!("{}#{} does not name the asset `{asset_id}`", named.address(), params.field);
                return Err(OpError::new(Code::ValidationFailed, words)
                    .hint("`jig asset get ID` shows which fields name it")
                    .workbench(&id));
            }
        };
        let values = Values {
            role: params.role,
            entry_key: params.entry_key,
            display_name: None,
            data: Map::from_iter([(params.field, without)]),
            mode: PutMode::Merge,
            base_revision: Some(params.base_revision.unwrap_or_else(|| seen.tag())),
            reason: Some("detached a file".to_owned()),
            sources: Vec::new(),
            only_propose: false,
            operation: "AssetDetach",
        };
        let entry = self.put_values(context, &mut session, values).await?.entry;
        Ok(AssetUploadOutput { asset: self.asset_now(&id, &asset_id).await?, entry })
    }
}

impl Handle<AssetCleanup> for Workbench {
    async fn handle(&self, _: &CallContext, params: AssetCleanupParams) -> Result<AssetCleanupOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut query = AssetQuery {
            life: AssetLife::Expired,
            permanence: Some(jig_store::Permanence::Temporary),
            entry_id: None,
            source: None,
            after: None,
            limit: 1_000,
        };
        let mut expired = Vec::new();
        loop {
            let page = self.store().assets(&id, &query).await?;
            expired.extend(page.assets.into_iter().filter(|asset| asset.removed_at.is_none()));
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        if !params.dry_run {
            let swept = self.store().sweep_assets(Some(&id)).await?;
            // An asset that a field has come to refer to stays.
            expired.retain(|asset| swept.iter().any(|swept| swept.id == asset.id));
        }
        let mut assets = Vec::with_capacity(expired.len());
        for asset in &expired {
            let now = self.store().asset(&id, &asset.id).await?.unwrap_or_else(|| asset.clone());
            assets.push(self.asset_info(&id, &now).await?);
        }
        let bytes = assets.iter().map(|asset| asset.size).sum();
        Ok(AssetCleanupOutput { assets, bytes, removed: !params.dry_run })
    }
}

/// Larger files are not loaded into memory.
const WHOLE_BYTES: u64 = 4 << 20;

/// The file of an upload.
pub(super) struct AssetFile {
    pub(super) name: String,
    pub(super) size: u64,
    /// Its beginning, or all of it.
    pub(super) head: Vec<u8>,
    /// The open file, if `head` is only its beginning.
    rest: Option<(std::fs::File, PathBuf)>,
}

impl AssetFile {
    fn open(path: String, name: Option<String>, most: u64) -> Result<Self, OpError> {
        let (own_name, file, size) = open_file(&path)?;
        let name = name.unwrap_or(own_name);
        fits(&name, size, most)?;
        // A file may grow while it is read: what is beyond its size is seen.
        let head = if size <= WHOLE_BYTES { size.saturating_add(1) } else { HEAD_BYTES as u64 };
        let head = read(&file, head, &path)?;
        let is_all = head.len() as u64 == size && size <= WHOLE_BYTES;
        Ok(Self { name, size, head, rest: (!is_all).then(|| (file, path.into())) })
    }

    /// Its detected format.
    pub(super) fn sniffed(&self) -> Sniffed {
        sniff(&self.name, &self.head, if self.is_whole() { Complete::Whole } else { Complete::Head })
    }

    /// Whether `head` is the entire file.
    pub(super) fn is_whole(&self) -> bool {
        self.rest.is_none()
    }
}

/// The field that will refer to an asset.
struct Place {
    role: String,
    entry_key: Option<String>,
    field: String,
    base_revision: Option<RevisionTag>,
}

impl Workbench {
    /// The file in a call, checked against the limit.
    async fn brought(
        &self,
        source_path: Option<String>,
        content_base64: Option<String>,
        name: Option<String>,
    ) -> Result<AssetFile, OpError> {
        let most = self.limits().asset_bytes;
        let wrong = |words: &str| {
            OpError::new(Code::ValidationFailed, words)
                .hint("give `source_path` (a file of this machine), or `content_base64` with a `name`")
        };
        let file = match (source_path, content_base64) {
            (Some(path), None) => {
                let reading = tokio::task::spawn_blocking(move || AssetFile::open(path, name, most));
                let read = reading.await;
                read.map_err(|e| OpError::new(Code::Internal, "reading the file was broken off").because(e))??
            }
            (None, Some(text)) => {
                let name = name.ok_or_else(|| wrong("the file has no name"))?;
                // Four base64 characters encode three bytes, so an oversized file is refused before decoding.
                fits(&name, (text.len() as u64 / 4).saturating_mul(3).saturating_sub(3), most)?;
                let bytes =
                    STANDARD.decode(text.as_bytes()).map_err(|e| wrong(&format!("the bytes are not base64: {e}")))?;
                fits(&name, bytes.len() as u64, most)?;
                AssetFile { name, size: bytes.len() as u64, head: bytes, rest: None }
            }
            (None, None) => return Err(wrong("no file is given")),
            (Some(_), Some(_)) => return Err(wrong("give a file or its bytes, not both")),
        };
        // Only the file name is kept; the folder it came from is private.
        let name = check_name("file", file.name.rsplit(['/', '\\']).next().unwrap_or_default())?;
        Ok(AssetFile { name, ..file })
    }

    /// Checks that the field accepts the file, before anything is stored.
    async fn check_place(&self, session: &Session, place: &Place, file: &AssetFile) -> Result<(), OpError> {
        let named = Named::of(self.kinds_at(session.head.state).await?, &place.role, place.entry_key.as_deref())?;
        let definition = asset_field(&named, &place.field)?;
        match not_taken(&definition, &file.name, &file.head, file.size) {
            None => Ok(()),
            Some(message) => {
                let problem = jig_context::definition::Problem::new(&place.field, message);
                Err(jig_context::definition::refused(&format!("{} does not take it", named.address()), &[problem]))
            }
        }
    }

    /// Sets a field to an asset by writing its entry; for a list field, appends the asset.
    async fn name_asset(
        &self,
        context: &CallContext,
        session: &mut Session,
        asset: &AssetId,
        place: Place,
        operation: &'static str,
    ) -> Result<Option<EntryInfo>, OpError> {
        let named = Named::of(self.kinds_at(session.head.state).await?, &place.role, place.entry_key.as_deref())?;
        let definition = asset_field(&named, &place.field)?;
        let seen = self.entry_at(session.head.state, &named.kind, &named.key).await?;
        let uri = Value::String(format!("{SCHEME}{asset}"));
        let present =
            seen.as_ref().and_then(|seen| seen.entry.document.part(&place.field)).map(|part| part.value.clone());
        let value = match (definition.field_type, present) {
            (FieldType::Array, Some(Value::Array(mut values))) => {
                if !values.contains(&uri) {
                    values.push(uri);
                }
                Value::Array(values)
            }
            (FieldType::Array, _) => Value::Array(vec![uri]),
            _ => uri,
        };
        let values = Values {
            role: place.role,
            entry_key: place.entry_key,
            display_name: None,
            data: Map::from_iter([(place.field, value)]),
            mode: PutMode::Merge,
            base_revision: place.base_revision.or_else(|| seen.map(|seen| seen.tag())),
            reason: Some("attached a file".to_owned()),
            sources: Vec::new(),
            only_propose: false,
            operation,
        };
        Ok(self.put_values(context, session, values).await?.entry)
    }

    async fn asset_now(&self, id: &WorkbenchId, asset: &AssetId) -> Result<AssetInfo, OpError> {
        let asset = self.needed_asset(id, asset).await?;
        self.asset_info(id, &asset).await
    }
}

/// A field that holds files.
fn asset_field(named: &Named, key: &str) -> Result<FieldDefinition, OpError> {
    let kind = named.definition()?;
    let found = field(kind, key);
    let is_file =
        |field: &FieldDefinition| field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset);
    found.filter(is_file).ok_or_else(|| {
        let files = jig_context::entry::fields(kind).into_iter().filter(is_file).map(|field| field.key);
        let shown = super::shown(key);
        OpError::new(Code::ValidationFailed, format!("`{shown}` is not a file field of {}", named.kind))
            .suggest(files)
            .hint(format!("`jig kind get {}` shows its fields", named.kind))
    })
}

fn fits(name: &str, size: u64, most: u64) -> Result<(), OpError> {
    if size <= most {
        return Ok(());
    }
    let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    Err(OpError::new(Code::LimitExceeded, format!("`{shown}` has {size} bytes; an asset has at most {most}"))
        .hint("the setting `limits.asset_bytes` decides"))
}

fn read_cursor(text: &str) -> Result<AssetCursor, OpError> {
    let (millis, id) = text.split_once('/').ok_or_else(bad_cursor)?;
    let millis: i64 = millis.parse().map_err(|_| bad_cursor())?;
    let id = AssetId::new(id).map_err(|_| bad_cursor())?;
    Ok(AssetCursor { created_at: Timestamp::from_millis(millis), id: id.to_string() })
}
