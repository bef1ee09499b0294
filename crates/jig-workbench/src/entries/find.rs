//! Finds entries by name.

use std::sync::Arc;

use jig_context::document::{Address, DocumentError, Key, KindName, RevisionNumber};
use jig_context::entry::EntryError;
use jig_contract::ops::KindDefinition;
use jig_contract::{BlobHash, Code, OpError, WorkbenchId};
use jig_store::{DocumentQuery, Fields, States};

use super::{Kinds, Seen};
use crate::Workbench;

/// How many keys an error suggests.
const SUGGESTED: u32 = 20;

/// The name of an entry, which may not exist.
#[derive(Clone)]
pub(crate) struct Named {
    kinds: Arc<Kinds>,
    /// The kind.
    pub(crate) kind: KindName,
    /// The key; empty for a singleton.
    pub(crate) key: Key,
}

impl Named {
    /// Parses the name that a call gives. A singleton has no key; all other kinds require one.
    pub(crate) fn of(kinds: Arc<Kinds>, role: &str, entry_key: Option<&str>) -> Result<Self, OpError> {
        let definition = &kinds.find(role)?.definition;
        let wrong = |e: DocumentError| OpError::from(EntryError::from(e));
        let kind = KindName::new(&definition.anchor_role).map_err(|e| wrong(e.into()))?;
        let key = Key::new(entry_key.unwrap_or_default()).map_err(|e| wrong(e.into()))?;
        let words = match (definition.is_singleton, key.is_singleton()) {
            (true, false) => format!("there is only one {kind}: it has no key, but `{key}` was given"),
            (false, true) => {
                format!("there can be many of {kind}: say which one by its key, for example `{kind} acme`")
            }
            _ => return Ok(Self { kind, key, kinds }),
        };
        Err(OpError::new(Code::ValidationFailed, words).hint(format!("`jig entry list {kind}` shows those there are")))
    }

    /// The definition of the kind.
    pub(crate) fn definition(&self) -> Result<&KindDefinition, OpError> {
        Ok(&self.kinds.find(self.kind.as_str())?.definition)
    }

    /// The address of the entry.
    pub(crate) fn address(&self) -> Address {
        Address { kind: self.kind.clone(), key: self.key.clone(), part: None }
    }
}

impl Workbench {
    /// An entry that must exist.
    pub(crate) async fn needed_entry(&self, id: &WorkbenchId, state: BlobHash, named: &Named) -> Result<Seen, OpError> {
        match self.entry_at(state, &named.kind, &named.key).await? {
            Some(seen) => Ok(seen),
            None => Err(self.missing(id, named).await),
        }
    }

    /// The error for a missing entry, with similar keys.
    pub(crate) async fn missing(&self, id: &WorkbenchId, named: &Named) -> OpError {
        let query = DocumentQuery {
            family: jig_context::entry::FAMILY.to_owned(),
            kinds: vec![named.kind.to_string()],
            states: States::Any,
            order: Vec::new(),
            fields: Fields::Only(Vec::new()),
            after: None,
            limit: SUGGESTED,
        };
        let keys = self.store().documents(id, &query).await.map(|page| page.rows).unwrap_or_default();
        let near = jig_context::document::nearest(named.key.as_str(), keys.iter().map(|row| row.key.as_str()));
        no_entry(named).suggest(near).workbench(id)
    }

    /// An old revision of an entry, found by following the chain of file hashes.
    pub(crate) async fn revision_of(&self, newest: &Seen, revision: u64) -> Result<Seen, OpError> {
        let mut at = newest.clone();
        loop {
            if at.entry.revision() == revision {
                return Ok(at);
            }
            at = match self.before(&at).await? {
                Some(before) if at.entry.revision() > revision => before,
                _ => return Err(no_revision(newest, revision)),
            };
        }
    }

    /// The previous revision; `None` for the first.
    pub(crate) async fn before(&self, seen: &Seen) -> Result<Option<Seen>, OpError> {
        let Some(previous) = &seen.entry.previous else { return Ok(None) };
        let hash = previous.parse().map_err(|e| {
            OpError::new(Code::BlobCorrupt, "an entry does not say where its revision before is").because(e)
        })?;
        self.entry_of(hash).await.map(Some)
    }
}

fn no_revision(newest: &Seen, wanted: u64) -> OpError {
    let document = newest.entry.document.address().to_string();
    let (wanted, newest) = (RevisionNumber(wanted), newest.entry.document.revision.number);
    EntryError::from(DocumentError::NoSuchRevision { document, wanted, newest }).into()
}

/// The error for a missing entry.
pub(crate) fn no_entry(named: &Named) -> OpError {
    let (kind, key) = (&named.kind, &named.key);
    let set = if key.is_singleton() { kind.to_string() } else { format!("{kind} {key}") };
    OpError::new(Code::EntryNotFound, format!("there is no entry {}", named.address()))
        .hint(format!("`jig entry set {set} FIELD=VALUE` makes it; `jig entry list` shows those there are"))
}
