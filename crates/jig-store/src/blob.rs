//! Blobs: bytes addressed by their BLAKE3 hash, in a folder or a bucket.
//!
//! Both are accessed through `object_store`. Writing to a folder is: temporary file, fsync, rename, fsync of the
//! folder.

mod collecting;
mod files;
mod read;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use jig_contract::{BlobHash, Env, Timestamp};
use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Place;

use crate::error::StoreError;

pub(crate) use collecting::NOTE_MAX_MS;

/// The number of concurrent blob reads or writes.
pub(crate) const AT_ONCE: usize = 32;

/// The default minimum age of an unreferenced blob before it is removed: one hour.
pub const GC_GRACE_MS: i64 = 60 * 60 * 1_000;

/// A blob store. Cheap to clone.
#[derive(Clone)]
pub struct Blobs {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// Set if the blobs are in a folder.
    folder: Option<Folder>,
    pub(crate) prefix: Place,
    env: Env,
    /// An existing blob older than this gets a new date when it is reused, so that a concurrent garbage collection does
    /// not consider it old.
    touch_after_ms: i64,
}

/// A blob folder.
#[derive(Clone)]
struct Folder {
    store: Arc<LocalFileSystem>,
    path: PathBuf,
}

/// Metadata of a stored blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobInfo {
    /// Its hash.
    pub hash: BlobHash,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written or reused.
    pub modified: Timestamp,
}

impl Blobs {
    /// Blobs in a folder, created if missing.
    pub fn folder(dir: impl AsRef<Path>) -> Result<Self, StoreError> {
        let dir = dir.as_ref();
        std::fs::create_dir_all(dir).map_err(|e| StoreError::io(dir, e))?;
        // On a read-only file system the mode stays as it is.
        let _ = crate::platform::make_private(dir);
        let store = Arc::new(LocalFileSystem::new_with_prefix(dir)?.with_fsync(true));
        let folder = Folder { store: Arc::clone(&store), path: dir.to_owned() };
        Ok(Self::over(store, Some(folder), Place::default()))
    }

    /// Blobs in a bucket: `s3://bucket/prefix`. Options are those of `object_store`: `endpoint`, `region`,
    /// `access_key_id`, `secret_access_key`, `allow_http`, …
    pub fn bucket(url: &str, options: &[(String, String)]) -> Result<Self, StoreError> {
        let (bucket, prefix) = parse_bucket(url)?;
        // `reqwest` is built without a default TLS provider. Fails if one is already installed, which then stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = AmazonS3Builder::new().with_bucket_name(bucket).with_region("us-east-1");
        for (key, value) in options {
            let known: AmazonS3ConfigKey =
                key.parse().map_err(|_| StoreError::Settings { why: format!("unknown bucket option `{key}`") })?;
            builder = builder.with_config(known, value);
        }
        let store = builder.build().map_err(|e| StoreError::Settings { why: e.to_string() })?;
        Ok(Self::over(Arc::new(store), None, prefix))
    }

    fn over(store: Arc<dyn ObjectStore>, folder: Option<Folder>, prefix: Place) -> Self {
        Self { store, folder, prefix, env: Env::system(), touch_after_ms: GC_GRACE_MS / 2 }
    }

    /// The same store with this clock; dates are renewed at half of the grace period.
    pub(crate) fn dated(mut self, env: Env, grace_ms: i64) -> Self {
        self.env = env;
        self.touch_after_ms = grace_ms / 2;
        self
    }

    /// The local path of a blob; `None` for a bucket.
    pub fn local_path(&self, hash: &BlobHash) -> Option<PathBuf> {
        self.folder.as_ref()?.store.path_to_filesystem(&self.place(hash)).ok()
    }

    /// All blobs, in any order.
    pub fn list(&self) -> BoxStream<'static, Result<BlobInfo, StoreError>> {
        let all = self.store.list(Some(&self.prefix));
        // Files with other names are not blobs and are left alone.
        all.filter_map(|found| async {
            match found {
                Ok(meta) => Some(Ok(info(&meta, hash_at(&meta.location)?))),
                Err(error) => Some(Err(error.into())),
            }
        })
        .boxed()
    }

    /// Removes a blob. A missing blob is not an error.
    pub async fn delete(&self, hash: &BlobHash) -> Result<(), StoreError> {
        use object_store::ObjectStoreExt as _;
        match self.store.delete(&self.place(hash)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The path of a blob: `ab/cdef…`.
    fn place(&self, hash: &BlobHash) -> Place {
        let hex = hash.to_string();
        self.prefix.clone().join(&hex[..2]).join(&hex[2..])
    }
}

impl std::fmt::Debug for Blobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.folder.is_some() { "Blobs(folder)" } else { "Blobs(bucket)" })
    }
}

/// The hash of some bytes.
pub fn hash_of(bytes: &[u8]) -> BlobHash {
    BlobHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

fn parse_bucket(url: &str) -> Result<(&str, Place), StoreError> {
    let wrong = || StoreError::Settings { why: "invalid bucket URL: use s3://bucket/prefix".to_owned() };
    let rest = url.strip_prefix("s3://").ok_or_else(wrong)?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() || bucket.contains(['@', '?', '#', ':']) {
        return Err(wrong());
    }
    Ok((bucket, Place::parse(prefix.trim_end_matches('/')).map_err(|_| wrong())?))
}

fn info(meta: &object_store::ObjectMeta, hash: BlobHash) -> BlobInfo {
    let modified = Timestamp::from_millis(meta.last_modified.timestamp_millis());
    BlobInfo { hash, bytes: meta.size, modified }
}

fn hash_at(place: &Place) -> Option<BlobHash> {
    let text = place.as_ref();
    let (folder, rest) = text.rsplit_once('/')?;
    let start = folder.rsplit('/').next()?;
    if start.len() == 2 { format!("{start}{rest}").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_by_its_url() {
        let parsed = |url| parse_bucket(url).map(|(bucket, prefix)| (bucket.to_owned(), prefix.to_string())).ok();
        let some = |bucket: &str, prefix: &str| Some((bucket.to_owned(), prefix.to_owned()));
        assert_eq!(parsed("s3://team"), some("team", ""));
        assert_eq!(parsed("s3://team/"), some("team", ""));
        assert_eq!(parsed("s3://team/jig/blobs/"), some("team", "jig/blobs"));
        for bad in ["", "team", "http://team", "s3://", "s3:///x", "s3://key:secret@team", "s3://team/../x"] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_unknown_option_is_named() {
        let error = Blobs::bucket("s3://team", &[("colour".into(), "red".into())]).unwrap_err();
        assert_eq!(error.to_string(), "invalid store settings: unknown bucket option `colour`");
    }

    #[test]
    fn only_our_names_are_read_as_hashes() {
        let hash = hash_of(b"x");
        let hex = hash.to_string();
        let at = |text: String| hash_at(&Place::from(text));
        assert_eq!(at(format!("p/{}/{}", &hex[..2], &hex[2..])), Some(hash));
        assert_eq!(at(format!("p/{hex}")), None);
        assert_eq!(at(format!("p/{}/{}", &hex[..4], &hex[4..])), None);
    }
}
