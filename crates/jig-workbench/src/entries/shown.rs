//! The wire form of entries, with the state of their sources and files.

use jig_context::document::{Document, Source};
use jig_context::entry::info;
use jig_contract::ops::{EntryInfo, KindDefinition, OutdatedRevision};
use jig_contract::{BlobHash, OpError, WorkbenchId};

use super::Seen;
use crate::Workbench;

/// Options for returning an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wish<'a> {
    /// The requested fields; all if empty.
    pub(crate) fields: &'a [String],
    /// The revision that the reader has seen.
    pub(crate) seen: Option<u64>,
    /// The newest revision, if an older one is returned.
    pub(crate) newest: Option<u64>,
    /// Whether the assets in its fields are resolved.
    pub(crate) resolve_assets: bool,
}

impl Workbench {
    /// The wire form of an entry, with its sources as of this state.
    pub(crate) async fn shown_entry(
        &self,
        id: &WorkbenchId,
        state: BlobHash,
        kind: &KindDefinition,
        seen: &Seen,
        wish: Wish<'_>,
    ) -> Result<EntryInfo, OpError> {
        let sources = self.sources_of(state, &seen.entry.document).await?;
        let mut shown = info(kind, &seen.entry, wish.fields, wish.seen, &sources, self.env().now())?;
        shown.etag = seen.tag().to_string();
        if let Some(newest) = wish.newest.filter(|newest| *newest > shown.revision) {
            shown.staleness.outdated_view = Some(OutdatedRevision { seen: shown.revision, newest });
        }
        if wish.resolve_assets {
            shown.assets = self.resolved(id, &shown.data).await?;
        }
        Ok(shown)
    }

    /// The current documents that a document was derived from. Deleted ones are left out.
    pub(crate) async fn sources_of(&self, state: BlobHash, document: &Document) -> Result<Vec<Document>, OpError> {
        let mut found: Vec<Document> = Vec::new();
        for source in document.parts.iter().flat_map(|part| &part.provenance.origin.sources) {
            let Source::Document { address, .. } = source else { continue };
            if found.iter().any(|known| known.kind == address.kind && known.key == address.key) {
                continue;
            }
            if let Some(source) = self.entry_at(state, &address.kind, &address.key).await? {
                found.push(source.entry.document.clone());
            } else if let Some(source) = self.artifact_at(state, address.kind.as_str()).await? {
                found.push(source.artifact.document.clone());
            }
        }
        Ok(found)
    }
}
