//! What a process keeps between calls on tables. Opening a table costs more than many a question.

use std::collections::HashSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use jig_worker::FileStamp;

use crate::{QueryLimits, Reader};

/// Files that are remembered as asked.
const ASKED: usize = 1_000;

/// The tables that were asked last, still open, and the files that were asked where they lie.
#[derive(Debug, Default)]
pub struct TableSessionCache {
    open: Mutex<Option<Opened>>,
    asked: Mutex<HashSet<FileStamp>>,
}

/// Tables as they were when they were opened.
#[derive(Debug)]
struct Opened {
    tables: Vec<(String, PathBuf)>,
    stamps: Vec<FileStamp>,
    reader: Reader,
}

impl TableSessionCache {
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
        !self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(&FileStamp::of(&meta))
    }

    /// Notes that a file has answered where it lies.
    pub(super) fn note_asked(&self, file: Option<FileStamp>) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= ASKED {
            asked.clear();
        }
        asked.extend(file);
    }
}

fn stamps(tables: &[(String, PathBuf)]) -> Option<Vec<FileStamp>> {
    tables.iter().map(|(_, path)| Some(FileStamp::of(&std::fs::metadata(path).ok()?))).collect()
}
