//! Reading kinds, entries and proposals of a workbench's state, and writing them in one commit.
//!
//! They are not in the folder on disk, so no call waits for it. Files of a state are immutable, so parsed files are
//! cached by hash: a read costs one database row, however many entries there are.

mod find;
mod kinds;
mod page;
mod proposals;
mod shown;
mod write;

use std::sync::Arc;

use jig_context::document::{Key, KindName};
use jig_context::entry::{BadEntry, Entry, path_of, proposal_from_json};
use jig_contract::ops::ProposalInfo;
use jig_contract::{BlobHash, Code, OpError};
use jig_store::Node;

pub(crate) use find::Named;
pub(crate) use kinds::{KINDS_FOLDER, Kinds, Known};
pub(crate) use page::{ListQuery, bad_cursor, cursor_text, page_limit, read_cursor};
pub(crate) use proposals::{Waiting, no_proposal};
pub(crate) use shown::Wish;
pub(crate) use write::{About, Edit, EntryEdit, Target};

use crate::Workbench;
use crate::recipes::Recipes;
use crate::shelf::Shelf;

/// The folder of entries in a state.
pub(crate) const ENTRIES_FOLDER: &str = "meta/documents/entries";

/// The size of the cache for entries, proposals, kinds and lists, in approximate bytes of their files.
const KEPT: usize = 64 << 20;

/// An in-memory cache. Everything in it can be read again.
pub(crate) struct EntryShelf {
    entries: Shelf<BlobHash, Entry>,
    proposals: Shelf<BlobHash, ProposalInfo>,
    kinds: Shelf<Option<BlobHash>, Kinds>,
    pages: Shelf<page::PageKey, page::Page>,
    pub(crate) recipes: Shelf<Option<BlobHash>, Recipes>,
    /// The token count of all entries as flat text, by the hashes of the folders of entries and kinds.
    pub(crate) flat: Shelf<(Option<BlobHash>, Option<BlobHash>), u64>,
}

impl EntryShelf {
    pub(crate) fn new() -> Self {
        Self {
            entries: Shelf::new(KEPT),
            proposals: Shelf::new(KEPT / 4),
            kinds: Shelf::new(KEPT / 16),
            pages: Shelf::new(KEPT / 16),
            recipes: Shelf::new(KEPT / 16),
            flat: Shelf::new(KEPT / 64),
        }
    }
}

/// An entry and the hash of its file, which the next revision records.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) hash: BlobHash,
    pub(crate) entry: Arc<Entry>,
}

impl Seen {
    /// The file hash in the form that the next revision records.
    pub(crate) fn previous(&self) -> Option<String> {
        Some(self.hash.to_string())
    }
}

impl Workbench {
    /// The hash of a file or folder of a state.
    pub(crate) async fn hash_at(&self, state: BlobHash, path: &str) -> Result<Option<BlobHash>, OpError> {
        Ok(self.store().lookup(state, path).await?.map(|node| node.hash()))
    }

    /// An entry of a state.
    pub(crate) async fn entry_at(&self, state: BlobHash, kind: &KindName, key: &Key) -> Result<Option<Seen>, OpError> {
        match self.store().lookup(state, &path_of(kind, key)).await? {
            Some(Node::File { hash, .. }) => Ok(Some(self.entry_of(hash).await?)),
            _ => Ok(None),
        }
    }

    /// Parses the entry file with this hash.
    pub(crate) async fn entry_of(&self, hash: BlobHash) -> Result<Seen, OpError> {
        let shelf = &self.entry_shelf().entries;
        if let Some(entry) = shelf.get(&hash) {
            return Ok(Seen { hash, entry });
        }
        let bytes = self.store().blobs().get(&hash).await?;
        let entry = Entry::from_json(&bytes).map_err(|e| unreadable(&e))?;
        Ok(Seen { hash, entry: shelf.keep(hash, entry, bytes.len()) })
    }

    /// Parses the proposal file with this hash.
    pub(crate) async fn proposal_of(&self, hash: BlobHash) -> Result<Arc<ProposalInfo>, OpError> {
        let shelf = &self.entry_shelf().proposals;
        if let Some(proposal) = shelf.get(&hash) {
            return Ok(proposal);
        }
        let bytes = self.store().blobs().get(&hash).await?;
        let proposal = proposal_from_json(&bytes).map_err(|e| unreadable(&e))?;
        Ok(shelf.keep(hash, proposal, bytes.len()))
    }
}

fn unreadable(error: &BadEntry) -> OpError {
    OpError::new(Code::BlobCorrupt, error.to_string())
        .hint("`jig undo` goes back to before it was changed; `jig doctor` says what else is wrong")
}
