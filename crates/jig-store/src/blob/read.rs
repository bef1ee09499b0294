//! Reading blobs. Whatever is read is compared with its name.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, TryStreamExt as _};
use jig_contract::BlobHash;
use object_store::{GetResult, ObjectStoreExt as _};
use tokio::io::AsyncWriteExt as _;

use super::{BlobInfo, Blobs, hash_of, info};
use crate::error::StoreError;

impl Blobs {
    /// A blob's bytes.
    pub async fn get(&self, hash: &BlobHash) -> Result<Bytes, StoreError> {
        let bytes = self.open(hash).await?.bytes().await?;
        if hash_of(&bytes) == *hash { Ok(bytes) } else { Err(StoreError::BlobCorrupt { hash: *hash }) }
    }

    /// The beginning of a blob, to see what it is. Not compared with its name, which takes all of it.
    pub async fn get_head(&self, hash: &BlobHash, bytes: u64) -> Result<Bytes, StoreError> {
        match self.store.get_range(&self.place(hash), 0..bytes).await {
            Ok(head) => Ok(head),
            Err(object_store::Error::NotFound { .. }) => Err(StoreError::BlobMissing { hash: *hash }),
            Err(error) => Err(error.into()),
        }
    }

    /// A blob piece by piece. The last piece is an error when the whole is not what its name says.
    pub(crate) async fn pieces(&self, hash: &BlobHash) -> Result<Pieces, StoreError> {
        let found = self.open(hash).await?;
        let size = found.meta.size;
        Ok(Pieces { hash: *hash, size, stream: found.into_stream(), hasher: blake3::Hasher::new(), ended: false })
    }

    /// Copies a blob into a file of the host, piece by piece, and gives its size.
    ///
    /// The file is always a new one: what is at `dest` is removed first and never written to, since it could be a link to
    /// the blob itself. On an error the file is left as far as it got; it is not flushed to disk either. So the caller
    /// names a temporary file.
    pub async fn write_to(&self, hash: &BlobHash, dest: &Path) -> Result<u64, StoreError> {
        if let Some(local) = self.local_path(hash) {
            let (hash, dest) = (*hash, dest.to_owned());
            return tokio::task::spawn_blocking(move || copy(&hash, &local, &dest)).await?;
        }
        let mut pieces = self.pieces(hash).await?;
        let mut file = tokio::fs::File::from_std(new_file(dest)?);
        while let Some(piece) = pieces.try_next().await? {
            file.write_all(&piece).await.map_err(|e| StoreError::io(dest, e))?;
        }
        file.flush().await.map_err(|e| StoreError::io(dest, e))?;
        Ok(pieces.size)
    }

    /// Reads a blob to the end without keeping it, to see that it is whole; gives its size.
    pub async fn verify(&self, hash: &BlobHash) -> Result<u64, StoreError> {
        let mut pieces = self.pieces(hash).await?;
        while pieces.try_next().await?.is_some() {}
        Ok(pieces.size)
    }

    /// What is known of a blob without reading it; none when it is not there.
    pub async fn info(&self, hash: &BlobHash) -> Result<Option<BlobInfo>, StoreError> {
        match self.store.head(&self.place(hash)).await {
            Ok(meta) => Ok(Some(info(&meta, *hash))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the folder or the bucket answers.
    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        if let Some(folder) = &self.folder {
            tokio::fs::metadata(&folder.path).await.map_err(|e| StoreError::io(&folder.path, e))?;
        } else {
            // That there is no such blob is an answer too.
            self.info(&hash_of(b"")).await?;
        }
        Ok(())
    }

    async fn open(&self, hash: &BlobHash) -> Result<GetResult, StoreError> {
        self.store.get(&self.place(hash)).await.map_err(|error| match error {
            object_store::Error::NotFound { .. } => StoreError::BlobMissing { hash: *hash },
            other => other.into(),
        })
    }
}

/// Copies a blob that is a file here. The store would hand it out in a hundred small pieces.
fn copy(hash: &BlobHash, local: &Path, dest: &Path) -> Result<u64, StoreError> {
    let mut from = std::fs::File::open(local).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StoreError::BlobMissing { hash: *hash },
        _ => StoreError::io(local, error),
    })?;
    let mut to = new_file(dest)?;
    let (mut hasher, mut piece, mut size) = (blake3::Hasher::new(), vec![0; PIECE], 0);
    loop {
        let read = from.read(&mut piece).map_err(|e| StoreError::io(local, e))?;
        let piece = piece.get(..read).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        hasher.update(piece);
        to.write_all(piece).map_err(|e| StoreError::io(dest, e))?;
        size += read as u64;
    }
    let right = hasher.finalize().as_bytes() == hash.as_bytes();
    if right { Ok(size) } else { Err(StoreError::BlobCorrupt { hash: *hash }) }
}

/// Creates a file in the place of whatever has its name.
fn new_file(path: &Path) -> Result<std::fs::File, StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::io(path, error)),
        _ => {}
    }
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    created.map_err(|error| StoreError::io(path, error))
}

/// How much of a blob is copied in one step.
const PIECE: usize = 1 << 20;

/// A blob being read.
pub(crate) struct Pieces {
    hash: BlobHash,
    /// Its size in bytes.
    pub(crate) size: u64,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    hasher: blake3::Hasher,
    ended: bool,
}

impl Stream for Pieces {
    type Item = Result<Bytes, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        match std::task::ready!(self.stream.as_mut().poll_next(context)) {
            Some(Ok(piece)) => {
                self.hasher.update(&piece);
                Poll::Ready(Some(Ok(piece)))
            }
            Some(Err(error)) => Poll::Ready(Some(Err(error.into()))),
            None => {
                self.ended = true;
                let right = self.hasher.finalize().as_bytes() == self.hash.as_bytes();
                Poll::Ready((!right).then(|| Err(StoreError::BlobCorrupt { hash: self.hash })))
            }
        }
    }
}
