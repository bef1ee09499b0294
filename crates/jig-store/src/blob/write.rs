//! Writing blobs.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::BlobHash;
use object_store::{ObjectStoreExt as _, WriteMultipart};

use super::{AT_ONCE, Blobs, hash_of};
use crate::error::StoreError;

/// Files up to this size are read at once, larger ones in chunks to limit memory.
const AT_ONCE_BYTES: u64 = 16 * 1024 * 1024;
/// The chunk size for larger files.
const PIECE: usize = 8 * 1024 * 1024;

impl Blobs {
    /// Stores bytes and returns their hash. An existing blob is not written again.
    pub async fn put(&self, bytes: impl Into<Bytes>) -> Result<BlobHash, StoreError> {
        let bytes = bytes.into();
        let hash = hash_of(&bytes);
        loop {
            let found = self.reuse(&hash, bytes.len() as u64).await?;
            if found != BlobAge::Fresh {
                self.store.put(&self.place(&hash), bytes.clone().into()).await?;
            }
            if found != BlobAge::Old || self.stays(&hash).await? {
                return Ok(hash);
            }
        }
    }

    /// Stores many blobs concurrently. The hashes are in the order of the input.
    pub async fn put_many(&self, many: Vec<Bytes>) -> Result<Vec<BlobHash>, StoreError> {
        futures::stream::iter(many).map(|bytes| self.put(bytes)).buffered(AT_ONCE).try_collect().await
    }

    /// Stores a local file and returns its hash and size.
    ///
    /// A large file is read twice, first for the hash and then for the content. If it changes in between, nothing is
    /// stored and an error is returned.
    pub async fn put_file(&self, path: &Path) -> Result<(BlobHash, u64), StoreError> {
        let opened = tokio::fs::File::open(path).await.map_err(|e| StoreError::io(path, e))?;
        self.put_open_file(opened.into_std().await, path).await
    }

    /// Stores a file that is already open, whatever is at its path by now.
    pub async fn put_open_file(&self, file: std::fs::File, path: &Path) -> Result<(BlobHash, u64), StoreError> {
        let found = |e| StoreError::io(path, e);
        let size = file.metadata().map_err(found)?.len();
        if size <= AT_ONCE_BYTES {
            let read = tokio::task::spawn_blocking(move || read_all(file)).await?;
            let bytes = Bytes::from(read.map_err(found)?);
            let size = bytes.len() as u64;
            return Ok((self.put(bytes).await?, size));
        }
        let again = file.try_clone().map_err(found)?;
        let (hash, size) = tokio::task::spawn_blocking(move || hash_file(again)).await?.map_err(found)?;
        while let Some(mut upload) = self.upload(hash, size).await? {
            let mut again = file.try_clone().map_err(found)?;
            again.rewind().map_err(found)?;
            if let Err(error) = copy_pieces(again, &mut upload).await {
                upload.abort().await;
                return Err(error);
            }
            if upload.finish(self).await? {
                break;
            }
        }
        Ok((hash, size))
    }

    /// Whether the blob exists with the right size. The date of an old one is renewed.
    async fn reuse(&self, hash: &BlobHash, size: u64) -> Result<BlobAge, StoreError> {
        let Some(info) = self.info(hash).await?.filter(|info| info.bytes == size) else {
            return Ok(BlobAge::Missing);
        };
        if self.env.now().since(info.modified) < self.touch_after_ms {
            return Ok(BlobAge::Fresh);
        }
        match self.local_path(hash) {
            Some(path) => self.touch(path).await,
            None => Ok(BlobAge::Old),
        }
    }

    /// Renews the date of a file.
    async fn touch(&self, path: PathBuf) -> Result<BlobAge, StoreError> {
        let millis = u64::try_from(self.env.now().as_millis()).unwrap_or_default();
        let now = UNIX_EPOCH + Duration::from_millis(millis);
        let touched = tokio::task::spawn_blocking(move || {
            crate::platform::set_modified(&path, now)?;
            // It may have been removed between the two steps; then the path no longer exists.
            std::fs::metadata(&path)
        });
        // Not permitted, or gone: writing it again renews the date as well.
        Ok(if touched.await?.is_ok() { BlobAge::Fresh } else { BlobAge::Missing })
    }

    /// Starts writing a large blob in chunks; `None` if it already exists.
    pub(crate) async fn upload(&self, expected: BlobHash, size: u64) -> Result<Option<Upload>, StoreError> {
        let found = self.reuse(&expected, size).await?;
        if found == BlobAge::Fresh {
            return Ok(None);
        }
        let upload = self.store.put_multipart(&self.place(&expected)).await?;
        let writer = WriteMultipart::new_with_chunk_size(upload, PIECE);
        Ok(Some(Upload { writer, hasher: blake3::Hasher::new(), expected, found }))
    }
}

/// The state of a blob before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlobAge {
    /// Missing, or with another size.
    Missing,
    /// Present, with a date that the collector does not consider old.
    Fresh,
    /// Present, but so old that a collector may be about to remove it.
    Old,
}

/// A large blob that is being written. Not visible before it is finished.
pub(crate) struct Upload {
    writer: WriteMultipart,
    hasher: blake3::Hasher,
    expected: BlobHash,
    found: BlobAge,
}

impl Upload {
    pub(crate) async fn write(&mut self, piece: Bytes) -> Result<(), StoreError> {
        self.hasher.update(&piece);
        self.writer.wait_for_capacity(2).await?;
        self.writer.put(piece);
        Ok(())
    }

    /// Stores the blob if its hash matches. Returns false if a collector removed it again.
    pub(crate) async fn finish(self, blobs: &Blobs) -> Result<bool, StoreError> {
        if self.hasher.finalize().as_bytes() != self.expected.as_bytes() {
            self.abort().await;
            return Err(StoreError::FileChanged);
        }
        self.writer.finish().await?;
        Ok(self.found != BlobAge::Old || blobs.stays(&self.expected).await?)
    }

    /// Discards the upload. The original failure is more informative than one from the cleanup.
    pub(crate) async fn abort(self) {
        let _ = self.writer.abort().await;
    }
}

/// Passes on a file in chunks.
async fn copy_pieces(mut file: std::fs::File, upload: &mut Upload) -> Result<(), StoreError> {
    loop {
        let (back, piece) = tokio::task::spawn_blocking(move || {
            let mut piece = Vec::with_capacity(PIECE);
            let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece);
            read.map(|_| (file, piece))
        })
        .await??;
        file = back;
        if piece.is_empty() {
            return Ok(());
        }
        upload.write(Bytes::from(piece)).await?;
    }
}

fn read_all(mut file: std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn hash_file(mut file: std::fs::File) -> std::io::Result<(BlobHash, u64)> {
    let mut hasher = blake3::Hasher::new();
    file.rewind()?;
    hasher.update_reader(file)?;
    Ok((BlobHash::from_bytes(*hasher.finalize().as_bytes()), hasher.count()))
}
