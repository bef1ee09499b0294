//! Reads the entries of an untrusted archive.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use jig_contract::BlobHash;
use serde::de::DeserializeOwned;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{
    ABOUT, ASSETS, About, BLOBS, CHECKPOINTS, FORMAT, FORMAT_SESSIONS, JOURNAL, MESSAGES, PIECE, RECORDS, SESSIONS,
};
use crate::error::StoreError;

/// Limits far above any legitimate archive.
const ABOUT_MAX: u64 = 64 * 1024;
const LINE_MAX: u64 = 1024 * 1024;
/// A session record can contain a model answer, and a session's list all blobs that it refers to.
const RECORD_MAX: u64 = 256 * 1024 * 1024;
const LINES_MAX: usize = 20_000_000;
const TREE_MAX: u64 = 512 * 1024 * 1024;
const BLOB_MAX: u64 = 16 * 1024 * 1024 * 1024;

/// An archive with a valid list of entries, whose content is not validated yet.
pub(super) struct Reader {
    zip: ZipArchive<BufReader<File>>,
    blobs: HashMap<BlobHash, usize>,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(|e| StoreError::io(path, e))?;
        let mut zip = ZipArchive::new(BufReader::new(file))
            .map_err(|_| StoreError::archive("it is not a zip file, or it is truncated"))?;
        if zip.has_duplicate_names() {
            return Err(StoreError::archive("it has a duplicate entry"));
        }
        // Overlapping entries are the technique of zip bombs: many entries that share the same data.
        if zip.has_overlapping_entries().map_err(refuse)? {
            return Err(StoreError::archive("its entries overlap"));
        }
        let mut blobs = HashMap::new();
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index).map_err(refuse)?;
            let name = entry.name().map_err(refuse)?.into_owned();
            match name.strip_prefix(BLOBS).and_then(|hash| hash.parse().ok()) {
                Some(hash) => drop(blobs.insert(hash, index)),
                None if [ABOUT, JOURNAL, CHECKPOINTS, ASSETS, MESSAGES, SESSIONS, RECORDS].contains(&name.as_str()) => {
                }
                None => {
                    return Err(StoreError::archive(format!(
                        "it contains the unexpected entry `{}`",
                        quoted_name(&name)
                    )));
                }
            }
        }
        Ok(Self { zip, blobs })
    }

    pub(super) fn blobs(&self) -> impl ExactSizeIterator<Item = BlobHash> {
        self.blobs.keys().copied()
    }

    pub(super) fn about(&mut self) -> Result<About, StoreError> {
        let mut text = Vec::new();
        let mut entry = self.named(ABOUT)?;
        let size = (&mut entry).take(ABOUT_MAX + 1).read_to_end(&mut text).map_err(unreadable(ABOUT))? as u64;
        if size > ABOUT_MAX {
            return Err(StoreError::archive(format!("{ABOUT} is too large")));
        }
        // The format is read first, because other metadata of a newer version may not be readable.
        #[derive(serde::Deserialize)]
        struct Format {
            format: u64,
        }
        let wrong = |e: serde_json::Error| StoreError::archive(format!("{ABOUT} is invalid: {e}"));
        let Format { format } = serde_json::from_slice(&text).map_err(wrong)?;
        if !(FORMAT..=FORMAT_SESSIONS).contains(&format) {
            let known = format!("this version reads formats up to {FORMAT_SESSIONS}");
            return Err(StoreError::archive(format!("it has format {format}; {known}")));
        }
        serde_json::from_slice(&text).map_err(wrong)
    }

    pub(super) fn lines<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Vec<T>, StoreError> {
        let most = if [SESSIONS, RECORDS].contains(&name) { RECORD_MAX } else { LINE_MAX };
        let mut reader = BufReader::new(self.named(name)?);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            let size = (&mut reader).take(most + 1).read_until(b'\n', &mut line).map_err(unreadable(name))? as u64;
            if size == 0 {
                return Ok(lines);
            }
            if size > most || lines.len() == LINES_MAX {
                return Err(StoreError::archive(format!("{name} is too large")));
            }
            let number = lines.len() + 1;
            let wrong = |e: serde_json::Error| StoreError::archive(format!("{name}, line {number}: {e}"));
            lines.push(serde_json::from_slice(&line).map_err(wrong)?);
        }
    }

    /// Like `lines`, for entries that only newer archives have.
    pub(super) fn lines_if_any<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Vec<T>, StoreError> {
        if self.zip.index_for_name(name).is_none() { Ok(Vec::new()) } else { self.lines(name) }
    }

    /// The encoding of a folder, verified against its hash.
    pub(super) fn tree(&mut self, hash: &BlobHash) -> Result<Vec<u8>, StoreError> {
        let mut encoded = Vec::new();
        self.copy(hash, TREE_MAX, |piece| {
            encoded.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(encoded)
    }

    /// Reads a blob of known size to the end and verifies its hash.
    pub(super) fn verify(&mut self, hash: &BlobHash, size: u64) -> Result<(), StoreError> {
        if size > BLOB_MAX {
            return Err(StoreError::archive(format!("the blob {hash} is too large")));
        }
        let read = self.copy(hash, size, |_| Ok(()))?;
        if read == size {
            Ok(())
        } else {
            Err(StoreError::archive(format!("the size of the blob {hash} does not match its folder")))
        }
    }

    /// Reads a blob of unknown size to the end and verifies its hash. Returns the size.
    pub(super) fn measure(&mut self, hash: &BlobHash) -> Result<u64, StoreError> {
        self.copy(hash, BLOB_MAX, |_| Ok(()))
    }

    /// Passes on a blob in chunks, at most `most` bytes. Returns an error if the hash does not match.
    pub(super) fn copy(
        &mut self,
        hash: &BlobHash,
        most: u64,
        mut to: impl FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        let index = *self.blobs.get(hash).ok_or_else(|| StoreError::archive(format!("the blob {hash} is missing")))?;
        let mut entry = self.zip.by_index(index).map_err(refuse)?;
        let (mut hasher, mut total, mut piece) = (blake3::Hasher::new(), 0, vec![0; PIECE]);
        loop {
            let read = entry.read(&mut piece).map_err(|_| damaged(hash))?;
            if read == 0 {
                break;
            }
            total += read as u64;
            if total > most {
                return Err(StoreError::archive(format!("the blob {hash} is larger than declared")));
            }
            hasher.update(&piece[..read]);
            to(&piece[..read])?;
        }
        if hasher.finalize().as_bytes() == hash.as_bytes() { Ok(total) } else { Err(damaged(hash)) }
    }

    fn named(&mut self, name: &str) -> Result<impl Read, StoreError> {
        self.zip.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => StoreError::archive(format!("{name} is missing")),
            other => refuse(other),
        })
    }
}

fn damaged(hash: &BlobHash) -> StoreError {
    StoreError::archive(format!("the blob {hash} is damaged"))
}

/// The error for an invalid zip structure.
#[expect(clippy::needless_pass_by_value, reason = "it is for `map_err`")]
fn refuse(error: ZipError) -> StoreError {
    StoreError::archive(format!("the zip is damaged: {error}"))
}

fn unreadable(name: &'static str) -> impl FnOnce(std::io::Error) -> StoreError {
    move |_| StoreError::archive(format!("{name} is damaged"))
}

/// An untrusted name, made safe for a message.
fn quoted_name(name: &str) -> String {
    name.chars().take(80).flat_map(char::escape_default).collect()
}
