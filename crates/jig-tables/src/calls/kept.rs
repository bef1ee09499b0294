//! What a process keeps between calls on tables. Opening a table costs more than many a question.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::{QueryLimits, Reader};

/// Files that are remembered as asked.
const ASKED: usize = 1_000;

/// A file as the system knows it: device, number, size, and the times of its last changes.
pub(crate) type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// The tables that were asked last, still open, and the files that were asked where they lie.
#[derive(Debug, Default)]
pub struct Kept {
    open: Mutex<Option<Opened>>,
    asked: Mutex<HashSet<Stamp>>,
}

/// Tables as they were when they were opened.
#[derive(Debug)]
struct Opened {
    tables: Vec<(String, PathBuf)>,
    stamps: Vec<Stamp>,
    reader: Reader,
}

impl Kept {
    /// The reader of these tables, when it is open and none of them was replaced meanwhile.
    pub(super) fn take(&self, tables: &[(String, PathBuf)], limits: QueryLimits) -> Option<Reader> {
        let opened = self.open.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let same = opened.tables == tables
            && opened.reader.limits() == limits.clamped()
            && stamps(tables).as_ref() == Some(&opened.stamps);
        same.then_some(opened.reader)
    }

    /// Keeps the reader of these tables for the next call.
    pub(super) fn keep(&self, tables: Vec<(String, PathBuf)>, reader: Reader) {
        let Some(stamps) = stamps(&tables) else { return };
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(Opened { tables, stamps, reader });
    }

    /// Whether a file is asked for the first time here.
    pub(super) fn is_first(&self, file: &File) -> bool {
        let Ok(meta) = file.metadata() else { return false };
        !self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(&stamp(&meta))
    }

    /// Notes that a file has answered where it lies.
    pub(super) fn note_asked(&self, file: Option<Stamp>) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= ASKED {
            asked.clear();
        }
        asked.extend(file);
    }
}

fn stamps(tables: &[(String, PathBuf)]) -> Option<Vec<Stamp>> {
    tables.iter().map(|(_, path)| Some(stamp(&std::fs::metadata(path).ok()?))).collect()
}

/// What changes whenever a file does.
pub(crate) fn stamp(meta: &Metadata) -> Stamp {
    let changed = (meta.mtime(), meta.mtime_nsec());
    (meta.dev(), meta.ino(), meta.len(), changed, (meta.ctime(), meta.ctime_nsec()))
}
