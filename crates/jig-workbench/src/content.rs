//! The bytes of files and assets, for interfaces that hand them out entire or in part without holding them in memory.

use std::ops::Range;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use jig_contract::ops::{FileInfo, Root};
use jig_contract::{AssetId, BlobHash, Code, Effect, OpError, WorkbenchId, WorkbenchPath, find};
use jig_store::Store;

use crate::state::{View, no_file};
use crate::{CallContext, Workbench, call_scope};

/// The bytes of one file or asset, not yet read.
#[derive(Clone, Debug)]
pub struct Content {
    /// Its hash.
    pub hash: BlobHash,
    /// How many there are.
    pub bytes: u64,
    store: Store,
}

/// Bytes as they are read.
pub type ContentStream = BoxStream<'static, Result<Bytes, OpError>>;

impl Content {
    /// All bytes in memory, compared with their hash. For what is known to be small.
    pub async fn read(&self) -> Result<Bytes, OpError> {
        Ok(self.store.blobs().get(&self.hash).await?)
    }

    /// All bytes, piece by piece. They are compared with their hash on the way: where they differ, the stream ends with an
    /// error in place of its last piece.
    pub async fn stream(&self) -> Result<ContentStream, OpError> {
        let pieces = self.store.blobs().stream(&self.hash).await?;
        Ok(pieces.map(|piece| piece.map_err(OpError::from)).boxed())
    }

    /// A part of the bytes, piece by piece, read from where it is. A part cannot be compared with the hash of all bytes;
    /// only the size of the whole is checked.
    pub async fn stream_range(&self, range: Range<u64>) -> Result<ContentStream, OpError> {
        let pieces = self.store.blobs().stream_range(&self.hash, self.bytes, range).await?;
        Ok(pieces.map(|piece| piece.map_err(OpError::from)).boxed())
    }
}

impl Workbench {
    /// A file's bytes with what is known of it.
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
        // A task of its own: the folder is not given back in the middle of taking in what was changed by hand.
        let opened = tokio::spawn(call_scope::run(Effect::Read, cancel, work)).await;
        let opened = opened.map_err(|e| OpError::new(Code::Internal, "internal error: opening a file").because(e))?;
        opened.map_err(|error| context.access.veil(error))
    }

    /// An asset's bytes.
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
