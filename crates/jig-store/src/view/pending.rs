//! The pending note: what a write is about to show, recorded before it touches the first file.
//!
//! After a crash the folder is a mix of two states, or more after several interrupted writes. With this note, a file of
//! any of them is recognised as Jig's own instead of a manual edit.

use jig_contract::BlobHash;

use super::index::Index;
use super::seal::{seal, unseal};

const MAGIC: &[u8] = b"jig-pending 1\n";

/// States that may be partly in the folder, besides that of the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pending {
    /// The state of the index when the first of these writes started.
    pub base: Option<BlobHash>,
    /// The states that the writes were about to show.
    pub targets: Vec<BlobHash>,
}

impl Pending {
    /// The states whose files are Jig's own, given the index; empty if the note refers to an older index.
    pub(super) fn states(&self, index: Option<&Index>) -> Vec<BlobHash> {
        match index {
            // Without the index, its state may be in the folder just like the targets.
            None | Some(Index { state: None, .. }) => self.base.iter().chain(&self.targets).copied().collect(),
            // The index was saved after the note, so the write was completed.
            Some(index) if index.state != self.base => Vec::new(),
            Some(_) => self.targets.clone(),
        }
    }

    /// Adds a state; false if it is already in the note.
    pub(super) fn add(&mut self, state: BlobHash) -> bool {
        let new = !self.targets.contains(&state);
        if new {
            self.targets.push(state);
        }
        new
    }

    /// Encodes the note.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(u8::from(self.base.is_some()));
        for hash in self.base.iter().chain(&self.targets) {
            out.extend_from_slice(hash.as_bytes());
        }
        seal(out)
    }

    /// Decodes the note; `None` if it is damaged.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (flag, hashes) = unseal(bytes)?.strip_prefix(MAGIC)?.split_first()?;
        let (hashes, rest) = hashes.as_chunks::<32>();
        let mut targets: Vec<_> = hashes.iter().map(|hash| BlobHash::from_bytes(*hash)).collect();
        if !rest.is_empty() || (*flag == 1 && targets.is_empty()) {
            return None;
        }
        let base = (*flag == 1).then(|| targets.remove(0));
        Some(Self { base, targets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(n: u8) -> BlobHash {
        BlobHash::from_bytes([n; 32])
    }

    #[test]
    fn a_note_is_kept_and_read_the_same() {
        for base in [None, Some(state(1))] {
            for targets in [vec![], vec![state(2)], vec![state(2), state(3)]] {
                let pending = Pending { base, targets };
                assert_eq!(Pending::decode(&pending.encode()), Some(pending));
            }
        }
        let whole = Pending { base: Some(state(1)), targets: vec![state(2)] }.encode();
        assert_eq!(Pending::decode(&whole[..whole.len() - 1]), None);
    }

    #[test]
    fn a_note_counts_for_the_index_it_was_made_on() {
        let pending = Pending { base: Some(state(1)), targets: vec![state(2), state(3)] };
        let index = |n| {
            let mut index = Index::default();
            index.show(state(n));
            index
        };
        assert_eq!(pending.states(Some(&index(1))), [state(2), state(3)]);
        assert_eq!(pending.states(Some(&index(3))), []);
        assert_eq!(pending.states(None), [state(1), state(2), state(3)]);
        assert_eq!(pending.states(Some(&Index::default())), [state(1), state(2), state(3)]);
    }
}
