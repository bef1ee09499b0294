//! Keeping many files of the host at once.

use std::path::PathBuf;

use futures::{StreamExt as _, TryStreamExt as _};

use super::{AT_ONCE, Blobs};
use crate::error::StoreError;
use crate::tree::FileNode;

impl Blobs {
    /// Keeps files, several at the same time; the answers come in the order of the files.
    ///
    /// The first that fails ends it and is named by its place in the list. What was kept by then is
    /// an orphan and does no harm.
    pub async fn put_files(&self, files: &[PathBuf]) -> Result<Vec<FileNode>, (usize, StoreError)> {
        let numbered: Vec<(usize, PathBuf)> = files.iter().cloned().enumerate().collect();
        let put = |(n, path): (usize, PathBuf)| async move {
            let (hash, bytes) = self.put_file(&path).await.map_err(|error| (n, error))?;
            Ok(FileNode { hash, bytes })
        };
        futures::stream::iter(numbered).map(put).buffered(AT_ONCE).try_collect().await
    }

    /// Puts a damaged blob back from a copy. False, and nothing changed, when the copy has other bytes.
    pub async fn mend(&self, hash: &jig_contract::BlobHash, copy: bytes::Bytes) -> Result<bool, StoreError> {
        if super::hash_of(&copy) != *hash {
            return Ok(false);
        }
        // A damaged blob of the right size would count as present.
        if self.info(hash).await?.is_some() {
            self.delete(hash).await?;
        }
        self.put(copy).await?;
        Ok(true)
    }
}
