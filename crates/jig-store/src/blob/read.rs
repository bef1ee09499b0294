//! Reads blobs and verifies their hashes.

use std::io::{Read as _, Write as _};
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use jig_contract::BlobHash;
use object_store::{GetOptions, GetRange, GetResult, ObjectStoreExt as _};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};

use super::{BlobInfo, Blobs, hash_of, info};
use crate::error::StoreError;

impl Blobs {
    /// All bytes of a blob.
    pub async fn get(&self, hash: &BlobHash) -> Result<Bytes, StoreError> {
        let bytes = self.open(hash).await?.bytes().await?;
        if hash_of(&bytes) == *hash { Ok(bytes) } else { Err(StoreError::BlobCorrupt { hash: *hash }) }
    }

    /// The beginning of a blob, to detect its format. Not verified, because that would require all of it.
    pub async fn get_head(&self, hash: &BlobHash, bytes: u64) -> Result<Bytes, StoreError> {
        match self.store.get_range(&self.place(hash), 0..bytes).await {
            Ok(head) => Ok(head),
            Err(object_store::Error::NotFound { .. }) => Err(StoreError::BlobMissing { hash: *hash }),
            Err(error) => Err(error.into()),
        }
    }

    /// A blob in chunks. The last chunk is an error if the hash does not match.
    pub(crate) async fn pieces(&self, hash: &BlobHash) -> Result<Pieces, StoreError> {
        let found = self.open(hash).await?;
        let size = found.meta.size;
        Ok(Pieces { hash: *hash, size, stream: found.into_stream(), hasher: blake3::Hasher::new(), ended: false })
    }

    /// A blob as a stream. If the hash does not match, the stream ends with an error instead of the last chunk.
    pub async fn stream(&self, hash: &BlobHash) -> Result<BoxStream<'static, Result<Bytes, StoreError>>, StoreError> {
        if let Some(file) = self.local_file(hash).await? {
            let size = file.metadata().await.map_err(StoreError::from)?.len();
            let verified = Verified { hash: *hash, hasher: blake3::Hasher::new(), left: size };
            return Ok(verified.check(file_pieces(file, size)));
        }
        let found = self.open(hash).await?;
        let verified = Verified { hash: *hash, hasher: blake3::Hasher::new(), left: found.meta.size };
        Ok(verified.check(found.into_stream().map_err(StoreError::from).boxed()))
    }

    /// A range of a blob with this size. Not verified against the hash, because that would require all of it; a blob
    /// with another size is reported as damaged.
    pub async fn stream_range(
        &self,
        hash: &BlobHash,
        size: u64,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, StoreError>>, StoreError> {
        let range = range.start.min(size)..range.end.min(size);
        let length = range.end.saturating_sub(range.start);
        if let Some(mut file) = self.local_file(hash).await? {
            if file.metadata().await.map_err(StoreError::from)?.len() != size {
                return Err(StoreError::BlobCorrupt { hash: *hash });
            }
            file.seek(std::io::SeekFrom::Start(range.start)).await.map_err(StoreError::from)?;
            return Ok(file_pieces(file, length));
        }
        if length == 0 {
            return Ok(futures::stream::empty().boxed());
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = self.store.get_opts(&self.place(hash), options).await.map_err(|error| match error {
            object_store::Error::NotFound { .. } => StoreError::BlobMissing { hash: *hash },
            other => other.into(),
        })?;
        if found.meta.size != size {
            return Err(StoreError::BlobCorrupt { hash: *hash });
        }
        Ok(found.into_stream().map_err(StoreError::from).boxed())
    }

    /// The open file of a local blob; `None` for a bucket.
    async fn local_file(&self, hash: &BlobHash) -> Result<Option<tokio::fs::File>, StoreError> {
        let Some(path) = self.local_path(hash) else { return Ok(None) };
        match tokio::fs::File::open(&path).await {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(StoreError::BlobMissing { hash: *hash }),
            Err(error) => Err(StoreError::io(&path, error)),
        }
    }

    /// Copies a blob to a local file and returns its size.
    ///
    /// The file is always created: an existing file at `dest` is removed rather than overwritten, because it could be a
    /// link to the blob itself. On an error, a partial file stays behind, and the file is not synced either. The caller
    /// therefore passes a temporary path.
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

    /// Reads a blob to the end to verify it. Returns its size.
    pub async fn verify(&self, hash: &BlobHash) -> Result<u64, StoreError> {
        let mut pieces = self.pieces(hash).await?;
        while pieces.try_next().await?.is_some() {}
        Ok(pieces.size)
    }

    /// The metadata of a blob, without reading it; `None` if it does not exist.
    pub async fn info(&self, hash: &BlobHash) -> Result<Option<BlobInfo>, StoreError> {
        match self.store.head(&self.place(hash)).await {
            Ok(meta) => Ok(Some(info(&meta, *hash))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks that the folder or the bucket responds.
    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        if let Some(folder) = &self.folder {
            tokio::fs::metadata(&folder.path).await.map_err(|e| StoreError::io(&folder.path, e))?;
        } else {
            // A missing blob is a valid response too.
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

/// Copies a local blob directly; the object store would return it in a hundred small chunks.
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

/// Creates a file in place of any existing one.
fn new_file(path: &Path) -> Result<std::fs::File, StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::io(path, error)),
        _ => {}
    }
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    created.map_err(|error| StoreError::io(path, error))
}

/// The chunk size of a stream, which bounds its memory.
const STREAM_PIECE: usize = 128 << 10;

/// The next bytes of an open file.
fn file_pieces(file: tokio::fs::File, length: u64) -> BoxStream<'static, Result<Bytes, StoreError>> {
    let pieces = futures::stream::try_unfold((file, length), async |(mut file, left)| {
        if left == 0 {
            return Ok(None);
        }
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(STREAM_PIECE);
        let mut piece = vec![0; room];
        let read = file.read(&mut piece).await?;
        if read == 0 {
            return Err(StoreError::from(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
        }
        piece.truncate(read);
        Ok(Some((Bytes::from(piece), (file, left - read as u64))))
    });
    pieces.boxed()
}

/// Verifies a blob while it is streamed.
struct Verified {
    hash: BlobHash,
    hasher: blake3::Hasher,
    left: u64,
}

impl Verified {
    /// Passes on the chunks of a stream. The last one is held back until the hash is verified, so that a reader never
    /// gets the full length of a damaged blob.
    fn check(
        self,
        pieces: BoxStream<'static, Result<Bytes, StoreError>>,
    ) -> BoxStream<'static, Result<Bytes, StoreError>> {
        let checked = futures::stream::try_unfold((self, pieces), async |(mut state, mut pieces)| {
            let Some(piece) = pieces.try_next().await? else {
                // An empty blob has no chunk to hold back; all others end below.
                let right = state.left == 0 && state.hasher.finalize().as_bytes() == state.hash.as_bytes();
                return if right { Ok(None) } else { Err(StoreError::BlobCorrupt { hash: state.hash }) };
            };
            state.hasher.update(&piece);
            state.left = state.left.saturating_sub(piece.len() as u64);
            if state.left == 0 && state.hasher.finalize().as_bytes() != state.hash.as_bytes() {
                return Err(StoreError::BlobCorrupt { hash: state.hash });
            }
            Ok(Some((piece, (state, pieces))))
        });
        checked.boxed()
    }
}

/// The chunk size for copying.
const PIECE: usize = 1 << 20;

/// A blob that is being read.
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
