//! Detects the kind of files from their content, cached by hash.

use jig_contract::ops::FileInfo;
use jig_contract::{OpError, WorkbenchPath};
use jig_files::{Complete, Sniffed, sniff};
use jig_store::{BlobKind, FileNode, KindKey};

use crate::Workbench;

/// Files up to this size are read entirely for detection; of larger ones only the beginning.
const READ_WHOLE: u64 = 32 << 20;
/// How much of a larger file is read.
const READ_HEAD: u64 = 64 << 10;

impl Workbench {
    pub(crate) async fn describe_one(&self, path: &WorkbenchPath, file: FileNode) -> Result<FileInfo, OpError> {
        let mut described = self.describe(vec![(path.clone(), file)]).await?;
        described.pop().ok_or_else(|| OpError::new(jig_contract::Code::Internal, "a file was not described"))
    }

    /// Describes files, in the given order. A file with damaged content is described as damaged.
    pub(crate) async fn describe(&self, files: Vec<(WorkbenchPath, FileNode)>) -> Result<Vec<FileInfo>, OpError> {
        let keys: Vec<KindKey> = files.iter().map(|(path, file)| key(path, file)).collect();
        let known = self.store().blob_kinds(&keys).await?;
        let mut described = Vec::with_capacity(files.len());
        let mut fresh = Vec::new();
        for ((path, file), key) in files.into_iter().zip(keys) {
            let kind = match known.get(&key) {
                Some(kind) => kind.clone(),
                None => match self.look(&path, &file).await {
                    Ok(kind) => {
                        fresh.push((key, kind.clone()));
                        kind
                    }
                    Err(error) => damaged(&error),
                },
            };
            described.push(info(path, file, kind));
        }
        // Only a cache: on a full disk, a change that is already committed must not be reported as failed, and reads
        // must still work.
        if let Err(error) = self.store().remember_kinds(&fresh).await {
            tracing::debug!("the kinds of files were not cached: {error}");
        }
        Ok(described)
    }

    async fn look(&self, path: &WorkbenchPath, file: &FileNode) -> Result<BlobKind, OpError> {
        let blobs = self.store().blobs();
        let (bytes, complete) = if file.bytes <= READ_WHOLE {
            (blobs.get(&file.hash).await?, Complete::Whole)
        } else {
            (blobs.get_head(&file.hash, READ_HEAD).await?, Complete::Head)
        };
        Ok(kind_of(sniff(path.file_name(), &bytes, complete)))
    }
}

fn key(path: &WorkbenchPath, file: &FileNode) -> KindKey {
    KindKey { hash: file.hash, extension: path.extension() }
}

fn kind_of(sniffed: Sniffed) -> BlobKind {
    BlobKind {
        kind: sniffed.kind.as_str().to_owned(),
        media_type: sniffed.media_type.to_owned(),
        mismatch: sniffed.mismatch,
    }
}

fn damaged(error: &OpError) -> BlobKind {
    BlobKind {
        kind: "damaged".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        mismatch: Some(format!("its stored bytes cannot be read: {error}")),
    }
}

fn info(path: WorkbenchPath, file: FileNode, kind: BlobKind) -> FileInfo {
    let BlobKind { kind, media_type, mismatch } = kind;
    FileInfo { path, kind, media_type, bytes: file.bytes, hash: file.hash, mismatch }
}
