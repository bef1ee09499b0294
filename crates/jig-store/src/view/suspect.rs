//! Checks files that may have been changed manually: each is read once, compared with what Jig knows, and stored as a
//! blob if it is new.

use std::path::Path;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use jig_contract::BlobHash;

use super::index::Entry;
use super::open_view::OpenView;
use super::read::{self, ReadFile};
use super::walk::WalkedFile;
use super::{ViewLimits, blocking, why};
use crate::blob::Blobs;
use crate::error::StoreError;
use crate::tree::FileNode;

/// Files are read in groups of this many; the small ones of a group are in memory together.
const GROUP: usize = 64;
/// The number of blobs stored concurrently.
const PUTS: usize = 16;

/// A file to read, and the contents that identify it as Jig's own.
#[derive(Debug)]
pub(super) struct Suspect {
    pub found: WalkedFile,
    /// The entry of the index.
    pub entry: Option<Entry>,
    /// The file of the head.
    pub head: Option<FileNode>,
    /// The contents that interrupted writes were about to show.
    pub pending: Vec<BlobHash>,
}

/// The result of checking a file.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Jig's own, with this entry.
    Own(Entry),
    /// A manual change, whose content is stored.
    Outside(FileNode),
    /// Excluded, for this reason.
    Left(String),
}

/// The content of a file before it is stored.
enum Sight {
    Done(Verdict),
    Small(Bytes),
    /// Copied to `tmp` under this name, with this content.
    Large(String, BlobHash),
}

/// Checks all files. The results are in the same order.
pub(super) async fn judge(
    mut open_view: OpenView,
    blobs: &Blobs,
    limits: &ViewLimits,
    suspects: Vec<Suspect>,
) -> Result<(OpenView, Vec<(Suspect, Verdict)>), StoreError> {
    let mut judged = Vec::with_capacity(suspects.len());
    let mut rest = suspects.into_iter();
    loop {
        let group: Vec<Suspect> = rest.by_ref().take(GROUP).collect();
        if group.is_empty() {
            return Ok((open_view, judged));
        }
        let limits = *limits;
        let (back, seen) = blocking(move || {
            let look = |suspect: Suspect| look(&mut open_view, &limits, &suspect).map(|sight| (suspect, sight));
            let seen = group.into_iter().map(look).collect::<Result<Vec<_>, _>>()?;
            Ok((open_view, seen))
        })
        .await?;
        open_view = back;
        let kept = futures::stream::iter(seen).map(|(suspect, sight)| {
            let tmp = &open_view.tmp_path;
            async move { Ok::<_, StoreError>((suspect, keep(blobs, tmp, sight).await?)) }
        });
        judged.extend(kept.buffered(PUTS).try_collect::<Vec<_>>().await?);
    }
}

fn look(open_view: &mut OpenView, limits: &ViewLimits, suspect: &Suspect) -> Result<Sight, StoreError> {
    let left = |reason: String| Ok(Sight::Done(Verdict::Left(reason)));
    let over = limits.exceeded(&suspect.found.path, suspect.found.mark.bytes);
    // An oversized file is not read, unless it may be one that the workbench already has.
    if let Some(reason) = over.clone().filter(|_| !suspect.may_be_own()) {
        return left(reason);
    }
    let mut seen = match read::read(&open_view.workbench, &suspect.found.disk) {
        Ok(Some(seen)) => seen,
        Ok(None) => return left(why::CHANGING.to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return left(why::CHANGING.to_owned()),
        Err(error) => return left(why::unreadable(&error)),
    };
    if suspect.owns(seen.hash) {
        return Ok(Sight::Done(Verdict::Own(open_view.entry(seen.mark, seen.hash))));
    }
    match over.or_else(|| limits.exceeded(&suspect.found.path, seen.mark.bytes)) {
        Some(reason) => left(reason),
        None => hold(open_view, &mut seen),
    }
}

fn hold(open_view: &mut OpenView, seen: &mut ReadFile) -> Result<Sight, StoreError> {
    if let Some(bytes) = seen.bytes.take() {
        return Ok(Sight::Small(bytes.into()));
    }
    let copied = seen.copy(open_view)?;
    Ok(copied
        .map_or_else(|| Sight::Done(Verdict::Left(why::CHANGING.to_owned())), |name| Sight::Large(name, seen.hash)))
}

async fn keep(blobs: &Blobs, tmp: &Path, sight: Sight) -> Result<Verdict, StoreError> {
    match sight {
        Sight::Done(verdict) => Ok(verdict),
        Sight::Small(bytes) => {
            let size = bytes.len() as u64;
            Ok(Verdict::Outside(FileNode { hash: blobs.put(bytes).await?, bytes: size }))
        }
        Sight::Large(name, expected) => {
            let path = tmp.join(name);
            let put = blobs.put_file(&path).await;
            std::fs::remove_file(&path).map_err(|e| StoreError::io(&path, e))?;
            let (hash, bytes) = put?;
            // The copy was made after the file was read; this detects a change in between.
            let same = hash == expected;
            Ok(if same { Verdict::Outside(FileNode { hash, bytes }) } else { Verdict::Left(why::CHANGING.to_owned()) })
        }
    }
}

impl Suspect {
    fn owns(&self, hash: BlobHash) -> bool {
        self.entry.is_some_and(|entry| entry.hash == hash)
            || self.head.is_some_and(|node| node.hash == hash)
            || self.pending.contains(&hash)
    }

    fn may_be_own(&self) -> bool {
        let bytes = self.found.mark.bytes;
        self.entry.is_some_and(|entry| entry.mark.bytes == bytes) || self.head.is_some_and(|node| node.bytes == bytes)
    }
}

impl ViewLimits {
    /// Why a file of this size is not imported, if so.
    fn exceeded(&self, path: &str, bytes: u64) -> Option<String> {
        let lower = path.to_ascii_lowercase();
        let (limit, setting) = if lower.ends_with(".csv") || lower.ends_with(".tsv") {
            (self.table_bytes, "limits.table_bytes")
        } else {
            (self.file_bytes, "limits.file_bytes")
        };
        (bytes > limit).then(|| why::too_large(bytes, limit, setting))
    }
}
