//! Imports archives.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use jig_contract::ops::JournalEntry;
use jig_contract::{Actor, BlobHash, WorkbenchId};
use tokio::runtime::Handle;

use super::reader::Reader;
use super::verify::{Verified, verify};
use crate::assets::carry;
use crate::blob::{AT_ONCE, Blobs};
use crate::error::StoreError;
use crate::projections::{self, Renewal};
use crate::store::Store;
use crate::workbenches::{self, Head};
use crate::{checkpoints, journal, messages};

/// Blobs up to this size are stored in batches.
const SMALL: u64 = 256 * 1024;
/// How many numbered variants of an id are tried.
const NUMBERS: u32 = 10_000;
/// How often storing the blobs is repeated if it takes so long that garbage collection may already consider the first
/// ones old.
const ROUNDS: u32 = 3;

impl Store {
    /// Creates a workbench from an archive. Everything is validated first, so an invalid archive leaves nothing behind.
    /// Without an id, the archive's own is used, with a number if it is taken.
    pub async fn import(
        &self,
        from: &Path,
        id: Option<WorkbenchId>,
        name: Option<String>,
        actor: Actor,
    ) -> Result<(Head, JournalEntry), StoreError> {
        let path = from.to_owned();
        let (mut reader, verified) = tokio::task::spawn_blocking(move || {
            let mut reader = Reader::open(&path)?;
            let verified = verify(&mut reader)?;
            Ok::<_, StoreError>((reader, verified))
        })
        .await??;
        for _ in 0..ROUNDS {
            let started = self.env().now();
            let job = Job { reader, blobs: self.blobs().clone(), handle: Handle::current() };
            let needed = Arc::clone(&verified.blobs);
            reader = tokio::task::spawn_blocking(move || job.run(&needed)).await??;
            if self.env().now().since(started) < self.gc_grace_ms() / 2 {
                break;
            }
        }
        let renewals = projections::all(self, verified.about.head).await?;
        self.take_in(verified, id, name, actor, &renewals).await
    }

    async fn take_in(
        &self,
        verified: Verified,
        wanted: Option<WorkbenchId>,
        name: Option<String>,
        actor: Actor,
        renewals: &[Renewal],
    ) -> Result<(Head, JournalEntry), StoreError> {
        let own = verified.about.id.clone();
        let name = name.unwrap_or_else(|| verified.about.name.clone());
        let mut number = 1;
        loop {
            let id = match &wanted {
                Some(id) => id.clone(),
                None if number == 1 => own.clone(),
                None => own.numbered(number),
            };
            match self.insert_all(&verified, id, &name, &actor, renewals).await {
                Err(StoreError::WorkbenchExists { .. }) if wanted.is_none() && number < NUMBERS => number += 1,
                Err(StoreError::Conflict { paths }) => {
                    return Err(StoreError::archive(format!("two documents have the same path: {}", paths.join(", "))));
                }
                other => return other,
            }
        }
    }

    async fn insert_all(
        &self,
        verified: &Verified,
        id: WorkbenchId,
        name: &str,
        actor: &Actor,
        renewals: &[Renewal],
    ) -> Result<(Head, JournalEntry), StoreError> {
        let about = &verified.about;
        let head = Head {
            id,
            name: name.to_owned(),
            state: about.head,
            seq: about.seq + 1,
            created_at: about.created_at,
            updated_at: self.env().now(),
        };
        let position = verified.rows.last().map_or(0, |row| row.position);
        let summary = format!("imported from an archive of “{}” ({})", about.name, about.id);
        let last = workbenches::unchanged(&head, actor.clone(), "WorkbenchImport", summary, position);
        let dialect = self.db().dialect();
        let mut write = self.db().write().await?;
        workbenches::insert(write.connection(), &head).await?;
        for row in verified.rows.iter().chain([&last]) {
            journal::insert(write.connection(), dialect, &head.id, row).await?;
        }
        for (checkpoint, made_by) in &verified.checkpoints {
            checkpoints::insert(write.connection(), &head.id, checkpoint, *made_by).await?;
        }
        let end = self.asset_end();
        carry::insert_all(write.connection(), &head.id, &verified.assets, end).await?;
        messages::insert_all(write.connection(), dialect, &head.id, &verified.messages).await?;
        self.insert_sessions(write.connection(), &head.id, &verified.sessions, &verified.records).await?;
        projections::apply(write.connection(), dialect, &head.id, renewals, end).await?;
        write.commit().await?;
        Ok((head, last.entry))
    }
}

/// Stores all blobs of an archive.
struct Job {
    reader: Reader,
    blobs: Blobs,
    handle: Handle,
}

impl Job {
    fn run(mut self, needed: &[(BlobHash, u64)]) -> Result<Reader, StoreError> {
        let mut batch: Vec<Bytes> = Vec::new();
        for (hash, size) in needed {
            if *size > SMALL {
                self.put_large(*hash, *size)?;
                continue;
            }
            let mut bytes = Vec::new();
            self.reader.copy(hash, *size, |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            })?;
            batch.push(bytes.into());
            if batch.len() == 4 * AT_ONCE {
                self.handle.block_on(self.blobs.put_many(std::mem::take(&mut batch)))?;
            }
        }
        self.handle.block_on(self.blobs.put_many(batch))?;
        Ok(self.reader)
    }

    fn put_large(&mut self, hash: BlobHash, size: u64) -> Result<(), StoreError> {
        let handle = &self.handle;
        while let Some(mut upload) = handle.block_on(self.blobs.upload(hash, size))? {
            let write = |piece: &[u8]| handle.block_on(upload.write(Bytes::copy_from_slice(piece)));
            if let Err(error) = self.reader.copy(&hash, size, write) {
                handle.block_on(upload.abort());
                return Err(error);
            }
            if handle.block_on(upload.finish(&self.blobs))? {
                break;
            }
        }
        Ok(())
    }
}
