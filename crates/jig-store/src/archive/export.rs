//! Writes archives.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::BytesMut;
use futures::TryStreamExt as _;
use jig_contract::{BlobHash, WorkbenchId};
use serde::Serialize;
use tokio::runtime::Handle;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{
    ABOUT, ASSETS, About, BLOBS, CHECKPOINTS, CheckpointLine, FORMAT, FORMAT_ASSETS, FORMAT_MESSAGES, FORMAT_SESSIONS,
    JOURNAL, JournalLine, MESSAGES, PIECE, RECORDS, SESSIONS,
};
use crate::assets::carry::AssetLine;
use crate::blob::Blobs;
use crate::error::StoreError;
use crate::journal::JournalQuery;
use crate::messages::MessageLine;
use crate::sessions::carry::{RecordLine, SessionLine};
use crate::store::Store;

/// The result of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportReport {
    /// The archive's size in bytes.
    pub bytes: u64,
    /// The number of changes.
    pub changes: u64,
    /// The number of blobs.
    pub blobs: u64,
}

/// The content of an archive, except for the bytes of blobs.
struct Contents {
    about: About,
    journal: Vec<JournalLine>,
    checkpoints: Vec<CheckpointLine>,
    assets: Vec<AssetLine>,
    messages: Vec<MessageLine>,
    sessions: Vec<SessionLine>,
    records: Vec<RecordLine>,
    blobs: BTreeSet<BlobHash>,
}

impl Store {
    /// Exports a workbench with its complete history to a file. An existing file is replaced atomically.
    pub async fn export(&self, id: &WorkbenchId, to: &Path) -> Result<ExportReport, StoreError> {
        let contents = self.contents(id).await?;
        let changes = contents.about.seq;
        let blobs = contents.blobs.len() as u64;
        let temporary = beside(to, &self.env().fresh_id().to_string());
        let job = Job { contents, blobs: self.blobs().clone(), handle: Handle::current() };
        let (temp, to) = (temporary.clone(), to.to_owned());
        let written =
            tokio::task::spawn_blocking(move || job.write(&temp).and_then(|bytes| publish(&temp, &to).map(|()| bytes)));
        match written.await? {
            Ok(bytes) => Ok(ExportReport { bytes, changes, blobs }),
            Err(error) => {
                // The first error is more informative than one from the cleanup.
                let _ = std::fs::remove_file(&temporary);
                Err(error)
            }
        }
    }

    /// A consistent snapshot of a workbench: what is added while it is being read is left out.
    async fn contents(&self, id: &WorkbenchId) -> Result<Contents, StoreError> {
        // Read before the head: logs refer to states, and the journal then contains all of them.
        let (sessions, records) = self.all_sessions(id).await?;
        let head = self.head(id).await?;
        let rows = self.journal_rows(id, JournalQuery::After { seq: 0, limit: u32::MAX }).await?;
        let rows = rows.into_iter().filter(|row| row.entry.seq <= head.seq);
        let journal: Vec<JournalLine> = rows
            .map(|row| JournalLine { entry: row.entry, position: row.position, parent_position: row.parent_position })
            .collect();
        let mut checkpoints: Vec<CheckpointLine> = self
            .checkpoint_rows(id)
            .await?
            .into_iter()
            .filter(|(_, made_by)| *made_by <= head.seq)
            .map(|(checkpoint, made_by)| CheckpointLine { checkpoint, made_by })
            .collect();
        checkpoints.reverse();
        let states = journal.iter().flat_map(|line| [line.entry.state_before, line.entry.state_after]);
        let mut reached = self.reach(states.chain([head.state])).await?;
        if !reached.broken.is_empty() {
            return Err(reached.broken.swap_remove(0).1);
        }
        let assets: Vec<AssetLine> = self.all_assets(id).await?.into_iter().map(AssetLine::from).collect();
        let kept = assets.iter().filter(|asset| asset.removed_at.is_none()).map(|asset| asset.hash);
        let named = sessions.iter().flat_map(|session| session.blobs.iter().copied());
        let blobs = reached.all().chain(kept).chain(named).collect();
        let mut messages = self.all_messages(id).await?;
        messages.retain(|line| line.0.journal_seq.is_none_or(|seq| seq <= head.seq));
        let about = About {
            format: match (assets.is_empty(), messages.is_empty()) {
                _ if !sessions.is_empty() => FORMAT_SESSIONS,
                (_, false) => FORMAT_MESSAGES,
                (false, true) => FORMAT_ASSETS,
                (true, true) => FORMAT,
            },
            id: head.id,
            name: head.name,
            head: head.state,
            seq: head.seq,
            created_at: head.created_at,
        };
        Ok(Contents { about, journal, checkpoints, assets, messages, sessions, records, blobs })
    }
}

struct Job {
    contents: Contents,
    blobs: Blobs,
    handle: Handle,
}

impl Job {
    fn write(&self, to: &Path) -> Result<u64, StoreError> {
        let file = File::create(to).map_err(|e| StoreError::io(to, e))?;
        let mut zip = ZipWriter::new(std::io::BufWriter::new(file));
        start(&mut zip, ABOUT, 0)?;
        serde_json::to_writer_pretty(&mut zip, &self.contents.about).map_err(std::io::Error::from)?;
        write_lines(&mut zip, JOURNAL, &self.contents.journal)?;
        write_lines(&mut zip, CHECKPOINTS, &self.contents.checkpoints)?;
        if !self.contents.assets.is_empty() {
            write_lines(&mut zip, ASSETS, &self.contents.assets)?;
        }
        if !self.contents.messages.is_empty() {
            write_lines(&mut zip, MESSAGES, &self.contents.messages)?;
        }
        if !self.contents.sessions.is_empty() {
            write_lines(&mut zip, SESSIONS, &self.contents.sessions)?;
            write_lines(&mut zip, RECORDS, &self.contents.records)?;
        }
        for hash in &self.contents.blobs {
            self.write_blob(&mut zip, hash)?;
        }
        let file = zip.finish().map_err(failed)?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all().map_err(|e| StoreError::io(to, e))?;
        Ok(file.metadata().map_err(|e| StoreError::io(to, e))?.len())
    }

    /// A damaged blob fails the export, because an incomplete archive would be refused anyway.
    fn write_blob(
        &self,
        zip: &mut ZipWriter<impl std::io::Write + std::io::Seek>,
        hash: &BlobHash,
    ) -> Result<(), StoreError> {
        let mut pieces = self.handle.block_on(self.blobs.pieces(hash))?;
        start(zip, &format!("{BLOBS}{hash}"), pieces.size)?;
        // Chunks of fixed size, whatever the source returns: the output of the compressor depends on it.
        let mut waiting = BytesMut::new();
        while let Some(piece) = self.handle.block_on(pieces.try_next())? {
            waiting.extend_from_slice(&piece);
            while waiting.len() >= PIECE {
                zip.write_all(&waiting.split_to(PIECE))?;
            }
        }
        Ok(zip.write_all(&waiting)?)
    }
}

fn write_lines(
    zip: &mut ZipWriter<impl std::io::Write + std::io::Seek>,
    name: &str,
    lines: &[impl Serialize],
) -> Result<(), StoreError> {
    start(zip, name, u64::MAX)?;
    for line in lines {
        serde_json::to_writer(&mut *zip, line).map_err(std::io::Error::from)?;
        zip.write_all(b"\n")?;
    }
    Ok(())
}

/// Starts an entry. The date is fixed, so that equal content makes equal archives.
fn start(zip: &mut ZipWriter<impl std::io::Write + std::io::Seek>, name: &str, size: u64) -> Result<(), StoreError> {
    // Entries that may reach 4 GiB need the zip64 format.
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .large_file(size >= 0xFFFF_0000);
    zip.start_file(name, options).map_err(failed)
}

fn failed(error: zip::result::ZipError) -> StoreError {
    match error {
        zip::result::ZipError::Io(error) => error.into(),
        other => std::io::Error::other(other).into(),
    }
}

/// A temporary path in the same folder, so that it can be renamed.
fn beside(to: &Path, unique: &str) -> PathBuf {
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    to.with_file_name(format!(".{name}.{unique}.tmp"))
}

fn publish(temporary: &Path, to: &Path) -> Result<(), StoreError> {
    std::fs::rename(temporary, to).map_err(|e| StoreError::io(to, e))?;
    // On systems that can sync folders, this makes the rename durable.
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
