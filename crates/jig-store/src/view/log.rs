//! The index on disk: a log of records with ops, so that the cost of saving depends on the changes only.
//!
//! A record is only valid with the right checksum, so a torn one at the end counts as never written. When the log has
//! doubled in size, it is rewritten as one record.

use std::fs::File;
use std::io;

use jig_contract::BlobHash;

use super::folder;
use super::index::Index;
use super::op::{take, take_entry, take_path};
use super::seal::unseal;
use super::stat::Thing;
use crate::platform::write_all_at;

const MAGIC: &[u8] = b"jig-view 2\n";
/// The header of the former format, which was rewritten each time.
const MAGIC_WHOLE: &[u8] = b"jig-view 1\n";
/// The size of a record header: length and checksum.
const HEAD: usize = 8 + SUM;
const SUM: usize = 16;
/// Up to this size, a log is not worth rewriting.
const SMALL: u64 = 256 * 1024;

/// An open log.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    /// The position of the next record; anything after it is torn.
    end: u64,
    /// The size of the log when it was last rewritten.
    base: u64,
}

impl Log {
    /// The bytes of a new log with this index.
    pub(super) fn bytes_of(index: &Index) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let record = record(&index.whole(), MAGIC.len() as u64);
        out.extend_from_slice(&record);
        out
    }

    /// A log that was just written with `bytes_of`.
    pub(super) fn new(file: File, bytes: u64) -> Self {
        Self { file, end: bytes, base: bytes }
    }

    /// Reads a log and its index. No log is returned if it must be rewritten; `None` if it is unusable.
    pub(super) fn open(file: File, bytes: &[u8]) -> Option<(Option<Self>, Index)> {
        if let Some(index) = read_whole(bytes) {
            return Some((None, index));
        }
        let (index, base, end) = replay(bytes)?;
        Some((Some(Self { file, end, base }), index))
    }

    /// Whether the log should be rewritten instead of appending this many bytes.
    pub(super) fn is_too_long(&self, more: usize) -> bool {
        self.end + more as u64 > SMALL.max(self.base.saturating_mul(2))
    }

    /// Appends ops atomically and durably.
    pub(super) fn append(&mut self, ops: &[u8]) -> io::Result<()> {
        let record = record(ops, self.end);
        if self.file.metadata()?.len() != self.end {
            self.file.set_len(self.end)?;
        }
        write_all_at(&self.file, &record, self.end)?;
        self.file.sync_data()?;
        self.end += record.len() as u64;
        Ok(())
    }

    /// Whether the file with this inode and size is this log as it was left.
    pub(super) fn is_at(&self, inode: u64, bytes: u64) -> bool {
        bytes == self.end && matches!(folder::thing(&self.file), Ok(Thing::File(own)) if own.inode == inode)
    }
}

fn record(ops: &[u8], at: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + ops.len());
    out.extend_from_slice(&(ops.len() as u64).to_le_bytes());
    out.extend_from_slice(&checksum(ops, at));
    out.extend_from_slice(ops);
    out
}

/// Includes the position, so that remains of an older, longer log are not valid records.
fn checksum(ops: &[u8], at: u64) -> [u8; SUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&at.to_le_bytes()).update(ops);
    let mut sum = [0; SUM];
    hasher.finalize_xof().fill(&mut sum);
    sum
}

/// The index, the length of its first record, and that of all complete records.
fn replay(bytes: &[u8]) -> Option<(Index, u64, u64)> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut index = Index::default();
    let (mut base, mut end) = (None, MAGIC.len());
    while let Some(ops) = next(&mut rest, end as u64) {
        index.replay(ops)?;
        end += HEAD + ops.len();
        base.get_or_insert(end as u64);
    }
    Some((index, base?, end as u64))
}

/// The next record, if it is complete.
fn next<'a>(rest: &mut &'a [u8], at: u64) -> Option<&'a [u8]> {
    let mut ahead = *rest;
    let length = usize::try_from(u64::from_le_bytes(take(&mut ahead)?)).ok()?;
    let sum: [u8; SUM] = take(&mut ahead)?;
    let (ops, tail) = ahead.split_at_checked(length)?;
    *rest = tail;
    (checksum(ops, at) == sum).then_some(ops)
}

/// An index in the former format.
fn read_whole(bytes: &[u8]) -> Option<Index> {
    let mut rest = unseal(bytes)?.strip_prefix(MAGIC_WHOLE)?;
    let known = take(&mut rest)? == [1];
    let state = BlobHash::from_bytes(take(&mut rest)?);
    let mut index = Index::default();
    index.state = known.then_some(state);
    for _ in 0..u64::from_le_bytes(take(&mut rest)?) {
        let path = take_path(&mut rest)?;
        index.files.insert(path, take_entry(&mut rest)?);
    }
    for _ in 0..u64::from_le_bytes(take(&mut rest)?) {
        index.loose.insert(take_path(&mut rest)?.to_owned());
    }
    rest.is_empty().then_some(index)
}

#[cfg(test)]
mod tests {
    use super::super::index::tests::{entry, example};
    use super::super::seal::seal;
    use super::super::stat::Mark;
    use super::*;

    fn file() -> File {
        tempfile::tempfile().unwrap()
    }

    fn read(bytes: &[u8]) -> Option<Index> {
        Log::open(file(), bytes).map(|(_, index)| index)
    }

    fn content(log: &Log) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(log.file.metadata().unwrap().len()).unwrap()];
        assert_eq!(crate::platform::read_at(&log.file, &mut bytes, 0).unwrap(), bytes.len());
        bytes
    }

    /// A log with the example and two more records, with the index after each.
    fn grown() -> (Log, Vec<(usize, Index)>) {
        let mut index = example();
        let bytes = Log::bytes_of(&index);
        let file = file();
        write_all_at(&file, &bytes, 0).unwrap();
        let mut log = Log::new(file, bytes.len() as u64);
        let mut steps = vec![(bytes.len(), index.clone())];
        for n in 5..7 {
            index.put(&format!("draft/{n}"), entry(n, false));
            log.append(index.unsaved()).unwrap();
            index.saved();
            steps.push((usize::try_from(log.end).unwrap(), index.clone()));
        }
        (log, steps)
    }

    #[test]
    fn a_log_cut_anywhere_gives_what_was_whole() {
        let (log, steps) = grown();
        let bytes = content(&log);
        for end in 0..=bytes.len() {
            let expected = steps.iter().rev().find(|(whole, _)| *whole <= end).map(|(_, index)| index.clone());
            assert_eq!(read(&bytes[..end]), expected, "cut at {end}");
        }
    }

    #[test]
    fn a_log_changed_anywhere_gives_what_came_before() {
        let (log, steps) = grown();
        let bytes = content(&log);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let expected = steps.iter().rev().find(|(whole, _)| *whole <= at).map(|(_, index)| index.clone());
            assert_eq!(read(&changed), expected, "changed at {at}");
        }
    }

    #[test]
    fn a_torn_end_is_written_over() {
        let (log, steps) = grown();
        let (whole, before) = steps[1].clone();
        log.file.set_len(log.end - 3).unwrap();
        let bytes = content(&log);
        let (again, mut index) = Log::open(log.file, &bytes).unwrap();
        let mut again = again.unwrap();
        assert_eq!((again.end, &index), (whole as u64, &before));
        index.drop("draft/5");
        again.append(index.unsaved()).unwrap();
        index.saved();
        assert_eq!(read(&content(&again)), Some(index));
    }

    #[test]
    fn a_log_is_known_by_its_number_and_length() {
        let (log, _) = grown();
        let Thing::File(Mark { inode, .. }) = folder::thing(&log.file).unwrap() else { panic!("not a file") };
        assert!(log.is_at(inode, log.end));
        assert!(!log.is_at(inode, log.end + 1) && !log.is_at(inode + 1, log.end));
    }

    #[test]
    fn a_log_that_grew_to_twice_its_first_length_is_too_long() {
        let log = |end, base| Log { file: file(), end, base };
        assert!(!log(SMALL - 10, 100).is_too_long(10));
        assert!(log(SMALL - 10, 100).is_too_long(11));
        assert!(!log(SMALL * 2 - 10, SMALL).is_too_long(10));
        assert!(log(SMALL * 2, SMALL).is_too_long(1));
    }

    #[test]
    fn an_index_of_the_older_kind_is_read_and_then_written_anew() {
        let mut bytes = b"jig-view 1\n\x01".to_vec();
        bytes.extend_from_slice(&[9; 32]);
        bytes.extend_from_slice(&1u64.to_le_bytes());
        bytes.extend_from_slice(&11u64.to_le_bytes());
        bytes.extend_from_slice(b"published/x");
        for number in [7u64, 1, 2, 3] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[4; 32]);
        bytes.push(1);
        bytes.extend_from_slice(&0u64.to_le_bytes());
        let (log, index) = Log::open(file(), &seal(bytes.clone())).unwrap();
        assert!(log.is_none());
        assert_eq!(index.state, Some(BlobHash::from_bytes([9; 32])));
        let found = index.files.get("published/x").unwrap();
        assert_eq!((found.mark.bytes, found.mark.inode, found.young), (7, 3, true));
        assert!(Log::open(file(), &bytes).is_none(), "without its checksum");
    }
}
