//! Stores many local files concurrently.

use std::path::PathBuf;

use futures::{StreamExt as _, TryStreamExt as _};

use super::{AT_ONCE, Blobs};
use crate::error::StoreError;
use crate::tree::FileNode;

impl Blobs {
    /// Stores files concurrently. The results are in the order of the files.
    ///
    /// Stops at the first failure and returns its index. Blobs stored so far are unreferenced and will be collected.
    pub async fn put_files(&self, files: &[PathBuf]) -> Result<Vec<FileNode>, (usize, StoreError)> {
        let numbered: Vec<(usize, PathBuf)> = files.iter().cloned().enumerate().collect();
        let put = |(n, path): (usize, PathBuf)| async move {
            let (hash, bytes) = self.put_file(&path).await.map_err(|error| (n, error))?;
            Ok(FileNode { hash, bytes })
        };
        futures::stream::iter(numbered).map(put).buffered(AT_ONCE).try_collect().await
    }

    /// Replaces a damaged blob with a copy. Returns false, without changes, if the copy has another hash.
    pub async fn mend(&self, hash: &jig_contract::BlobHash, copy: bytes::Bytes) -> Result<bool, StoreError> {
        if super::hash_of(&copy) != *hash {
            return Ok(false);
        }
        // A damaged blob of the right size would count as present, so it is deleted first.
        if self.info(hash).await?.is_some() {
            self.delete(hash).await?;
        }
        self.put(copy).await?;
        Ok(true)
    }
}
