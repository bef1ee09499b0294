//! Pages of entries. The database finds the entries of a page through its indexes; a page is cached with the hash of
//! its folder, and costs nothing until the folder changes.

use std::sync::Arc;

use jig_context::document::{Key, KindName};
use jig_contract::{BlobHash, Code, OpError};
use jig_store::{DocumentCursor, DocumentQuery, DocumentState, Fields, Head, States};

use super::{ENTRIES_FOLDER, KINDS_FOLDER, Seen};
use crate::Workbench;

/// A filter for entries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ListQuery {
    /// Restricts the list to this kind.
    pub(crate) role: Option<String>,
    /// Whether archived entries are listed, instead of active ones.
    pub(crate) archived: bool,
    /// Kind and key of the last entry of the previous page.
    pub(crate) after: Option<(String, String)>,
    /// The maximum number of entries.
    pub(crate) limit: u32,
}

/// A page of a list.
pub(crate) struct Listed {
    pub(crate) entries: Vec<Seen>,
    pub(crate) total: u64,
    pub(crate) next: Option<(String, String)>,
}

/// The cache key: a page stays valid as long as entries and kinds are unchanged.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PageKey {
    entries: Option<BlobHash>,
    kinds: Option<BlobHash>,
    query: ListQuery,
}

/// The names on a page.
pub(super) struct Page {
    names: Vec<(String, String)>,
    total: u64,
    next: Option<(String, String)>,
}

impl Workbench {
    /// Lists a page of the entries of a head.
    pub(crate) async fn list_entries(&self, head: &Head, query: ListQuery) -> Result<Listed, OpError> {
        let page = self.page(head, query).await?;
        let mut entries = Vec::with_capacity(page.names.len());
        for (role, key) in &page.names {
            let (Ok(kind), Ok(key)) = (KindName::new(role), Key::new(key)) else { continue };
            // An entry deleted since the page was computed is skipped.
            entries.extend(self.entry_at(head.state, &kind, &key).await?);
        }
        Ok(Listed { entries, total: page.total, next: page.next.clone() })
    }

    async fn page(&self, head: &Head, query: ListQuery) -> Result<Arc<Page>, OpError> {
        let (entries, kinds) =
            (self.hash_at(head.state, ENTRIES_FOLDER).await?, self.hash_at(head.state, KINDS_FOLDER).await?);
        let key = PageKey { entries, kinds, query };
        if let Some(page) = self.entry_shelf().pages.get(&key) {
            return Ok(page);
        }
        let page = self.ask_for_page(head, &key.query).await?;
        // The index reflects the newest state, so the page is only cached if that is still this one.
        let weight = 256 + page.names.len() * 64;
        let same = self.store().head(&head.id).await?.state == head.state;
        Ok(if same { self.entry_shelf().pages.keep(key, page, weight) } else { Arc::new(page) })
    }

    async fn ask_for_page(&self, head: &Head, query: &ListQuery) -> Result<Page, OpError> {
        let order = self.kinds_at(head.state).await?.order();
        let states = if query.archived { States::Archived } else { States::Active };
        let wanted = DocumentQuery {
            family: jig_context::entry::FAMILY.to_owned(),
            kinds: query.role.clone().into_iter().collect(),
            states,
            order,
            fields: Fields::Only(Vec::new()),
            after: query.after.clone().map(|(kind, key)| DocumentCursor { kind, key }),
            limit: query.limit,
        };
        let found = self.store().documents(&head.id, &wanted).await?;
        let counts = self.store().document_counts(&head.id, jig_context::entry::FAMILY).await?;
        let state = if query.archived { DocumentState::Archived } else { DocumentState::Active };
        let fits = |kind: &str| query.role.as_deref().is_none_or(|role| role == kind);
        let total = counts.iter().filter(|count| count.state == state && fits(&count.kind)).map(|count| count.count);
        Ok(Page {
            names: found.rows.into_iter().map(|row| (row.kind, row.key)).collect(),
            total: total.sum(),
            next: found.next.map(|next| (next.kind, next.key)),
        })
    }
}

/// A position in a list, as an opaque cursor for callers.
pub(crate) fn cursor_text(kind: &str, key: &str) -> String {
    format!("{kind}:{key}")
}

/// Parses a cursor.
pub(crate) fn read_cursor(text: &str) -> Result<(String, String), OpError> {
    let (kind, key) = text.split_once(':').ok_or_else(bad_cursor)?;
    let (kind, key) = (KindName::new(kind).map_err(|_| bad_cursor())?, Key::new(key).map_err(|_| bad_cursor())?);
    Ok((kind.to_string(), key.to_string()))
}

/// The error for an invalid cursor.
pub(crate) fn bad_cursor() -> OpError {
    OpError::new(Code::ValidationFailed, "the cursor is not one that an earlier answer gave")
        .hint("leave `cursor` out to begin at the start")
}

/// The default page size.
const LISTED: u32 = 100;
/// The maximum page size.
const LISTED_MAX: u32 = 1_000;

/// The validated page size.
pub(crate) fn page_limit(given: Option<u32>) -> Result<u32, OpError> {
    match given.unwrap_or(LISTED) {
        limit @ 1..=LISTED_MAX => Ok(limit),
        _ => Err(OpError::new(Code::ValidationFailed, format!("`limit` is from 1 to {LISTED_MAX}"))),
    }
}
