//! The bytes of files and assets as streams, for interfaces that send them without loading them into memory.

use std::ops::Range;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use jig_contract::ops::{FileInfo, Root};
use jig_contract::{AssetId, BlobHash, Code, Effect, OpError, WorkbenchId, WorkbenchPath, find};
use jig_store::Store;

use crate::state::{View, no_file};
use crate::{CallContext, Workbench, call_scope};

/// The content of a file or asset, not read yet.
#[derive(Clone, Debug)]
pub struct Content {
    /// Its hash.
    pub hash: BlobHash,
    /// Its size.
    pub bytes: u64,
    store: Store,
}

/// A stream of bytes.
pub type ContentStream = BoxStream<'static, Result<Bytes, OpError>>;

impl Content {
    /// Reads all bytes into memory and verifies their hash. For small content.
    pub async fn read(&self) -> Result<Bytes, OpError> {
        Ok(self.store.blobs().get(&self.hash).await?)
    }

    /// Streams all bytes and verifies their hash on the way. If it does not match, the stream ends with an error
    /// instead of the last chunk.
    pub async fn stream(&self) -> Result<ContentStream, OpError> {
        let pieces = self.store.blobs().stream(&self.hash).await?;
        Ok(pieces.map(|piece| piece.map_err(OpError::from)).boxed())
    }

    /// Streams a range. It cannot be verified against the hash of the entire content; only the total size is checked.
    pub async fn stream_range(&self, range: Range<u64>) -> Result<ContentStream, OpError> {
        let pieces = self.store.blobs().stream_range(&self.hash, self.bytes, range).await?;
        Ok(pieces.map(|piece| piece.map_err(OpError::from)).boxed())
    }
}

impl Workbench {
    /// The content of a file with its metadata.
    pub async fn open_file(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        path: &WorkbenchPath,
        root: Option<Root>,
    ) -> Result<(FileInfo, Content), OpError> {
        find("FileGetInfo").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
        let (workbench, cancel) = (self.clone(), context.cancel.clone());
        let (id, path) = (id.clone(), path.clone());
        let work = async move {
            let session = workbench.enter(&id).await?;
            let view = View::of(workbench.store(), &session.head);
            let root = view.choose(root).await?;
            let Some(file) = view.file(root, &path).await? else {
                return Err(no_file(view, root, &path).await);
            };
            let info = workbench.describe_one(&path, file).await?;
            Ok((info, Content { hash: file.hash, bytes: file.bytes, store: workbench.store().clone() }))
        };
        // Runs in its own task, so that the folder is not released while manual changes are being imported.
        let opened = tokio::spawn(call_scope::run(Effect::Read, cancel, work)).await;
        let opened = opened.map_err(|e| OpError::new(Code::Internal, "internal error: opening a file").because(e))?;
        opened.map_err(|error| context.access.veil(error))
    }

    /// The content of an asset.
    pub async fn open_asset(
        &self,
        context: &CallContext,
        id: &WorkbenchId,
        asset: &AssetId,
    ) -> Result<(jig_contract::ops::AssetInfo, Content), OpError> {
        find("AssetGet").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
        let opened = async {
            let found = self.needed_asset(id, asset).await?;
            if found.removed_at.is_some() {
                return Err(crate::assets::expired(id, asset));
            }
            let info = self.asset_info(id, &found).await?;
            let content = Content { hash: found.hash, bytes: info.size, store: self.store().clone() };
            Ok((info, content))
        };
        opened.await.map_err(|error| context.access.veil(error).phase("AssetGet"))
    }
}
