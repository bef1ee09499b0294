//! Copies blobs to `tmp`, so that only renames are left to do.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use jig_contract::BlobHash;

use super::open_view::OpenView;
use super::place::Placing;
use super::read::hash_stream;
use super::{blocking, nodes};
use crate::blob::Blobs;
use crate::error::StoreError;

/// Up to this many files are synced one by one; for more, the entire file system is synced once.
const FEW: usize = 16;
/// From this size on, sharing the blob's disk blocks (reflink) is tried.
const SHARE: u64 = 64 * 1024;

/// A staged file, and the damage that prevents showing it, if any.
pub(super) type Staged = (Placing, Option<StoreError>);

/// Copies the blobs of a batch to `tmp` and syncs them. A damaged blob only affects its own file; any other failure
/// ends the write.
pub(super) async fn stage(
    open_view: OpenView,
    blobs: &Blobs,
    batch: Vec<Placing>,
) -> Result<(OpenView, Vec<Staged>), StoreError> {
    let mut staged = Vec::with_capacity(batch.len());
    let mut local = Vec::with_capacity(batch.len());
    for placing in batch {
        match blobs.local_path(&placing.want.hash) {
            Some(path) => local.push((placing, path)),
            None => {
                let damage = damage(fetch(&open_view, blobs, &placing).await)?;
                staged.push((placing, damage));
            }
        }
    }
    blocking(move || {
        for (placing, path) in local {
            let damage = damage(copy(&open_view, &path, &placing))?;
            staged.push((placing, damage));
        }
        flush(&open_view, &staged)?;
        Ok((open_view, staged))
    })
    .await
}

fn damage(copied: Result<(), StoreError>) -> Result<Option<StoreError>, StoreError> {
    match copied {
        Ok(()) => Ok(None),
        Err(error) if nodes::is_damage(&error) => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

async fn fetch(open_view: &OpenView, blobs: &Blobs, placing: &Placing) -> Result<(), StoreError> {
    // Created here for the right permissions, then filled.
    drop(open_view.create_tmp(OsStr::new(&placing.tmp))?);
    blobs.write_to(&placing.want.hash, &open_view.tmp_path.join(&placing.tmp)).await.map(drop)
}

/// Copies a blob, never as a hard link: a program that writes in place must not change the blob.
fn copy(open_view: &OpenView, local: &Path, placing: &Placing) -> Result<(), StoreError> {
    let hash = placing.want.hash;
    let mut blob = match File::open(local) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoreError::BlobMissing { hash }),
        opened => opened.map_err(|e| StoreError::io(local, e))?,
    };
    let mut file = open_view.create_tmp(OsStr::new(&placing.tmp))?;
    let found = if placing.want.bytes >= SHARE && reflink_copy::reflink_file(&blob, &file).is_ok() {
        file.rewind()?;
        hash_stream(&mut file)?.0
    } else {
        copy_bytes(&mut blob, &mut file)?
    };
    if found == hash { Ok(()) } else { Err(StoreError::BlobCorrupt { hash }) }
}

fn copy_bytes(from: &mut File, to: &mut File) -> io::Result<BlobHash> {
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 128 * 1024];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(BlobHash::from_bytes(*hasher.finalize().as_bytes()));
        }
        hasher.update(&piece[..read]);
        to.write_all(&piece[..read])?;
    }
}

/// A file's content must be durable before its name: otherwise a power failure could leave an empty file, which would
/// look like a manual edit.
fn flush(open_view: &OpenView, staged: &[Staged]) -> io::Result<()> {
    let whole = staged.iter().filter(|(_, damage)| damage.is_none());
    if whole.clone().count() > FEW && open_view.tmp.sync_all()? {
        return Ok(());
    }
    for (placing, _) in whole {
        open_view.tmp.sync_file(OsStr::new(&placing.tmp))?;
    }
    Ok(())
}
