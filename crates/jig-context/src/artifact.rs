//! Artifacts: planning documents in Markdown that agents read by section and edit through small validated operations.
//!
//! An artifact is a [`Document`] whose parts are its sections, plus what only artifacts have: the text before the first
//! section, the source form of each heading, a stage, a lock, and named revisions. Its Markdown is the concatenation of
//! the lead and the sections, byte for byte; nothing is stored twice.

mod apply;
mod check;
mod create;
mod error;
mod file;
mod history;
mod layout;
mod markdown;
mod matching;
mod shipped;
mod stage;
mod suggestion;
pub mod tiptap;
mod view;
mod whole;

pub(crate) use apply::find;
pub use apply::{Applied, Author, Batch, NewSuggestion, SectionEdit, apply};
pub use create::{New, create, title_in};
pub use error::{ArtifactError, no_artifact};
pub use file::{BadArtifact, FAMILY, FOLDER, path_of};
pub use history::{changes, finalize, restore, snapshot, unfinalize};
pub use markdown::{Outline, SectionSpan, outline, preview, trimmed, without_comments};
pub use shipped::{shipped_stage, shipped_stages};
pub use stage::{all_stages, find_stage, order_of, read_stage, stage_path, template};
pub use suggestion::{
    SUGGESTIONS_FOLDER, Stored, accept_suggestion, as_seen, decided, reject_suggestion, suggestion_from_json,
    suggestion_path, suggestion_to_json,
};
pub use view::{Wish, info, progress, section_info, share};
pub use whole::{Put, put};

use std::collections::BTreeMap;

pub use jig_contract::ops::ArtifactOp;
use jig_contract::ops::{ArtifactSnapshotInfo, ArtifactStatus};
use jig_contract::{Actor, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::{BadName, Document, Extra, Kind, KindName, Part, PartId, RevisionNumber, Slots};

/// The maximum size of an artifact's Markdown, in bytes.
pub const CONTENT_BYTES_MAX: usize = 4 << 20;
/// The maximum length of a title of an artifact or a section, in characters.
pub const TITLE_CHARS_MAX: usize = 200;
/// The maximum number of sections.
pub const SECTIONS_MAX: usize = 1_000;

/// An artifact at one revision.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Identity, revision and sections. The value of a section is the text that follows its heading.
    pub document: Document,
    /// Its stage.
    pub stage: String,
    /// Whether it is locked.
    pub status: ArtifactStatus,
    /// Who locked it, and when.
    pub finalized: Option<Finalized>,
    /// The template it was created from.
    pub template: Option<String>,
    /// The text before the first section.
    pub lead: String,
    /// The revision that last changed the lead.
    pub lead_changed: RevisionNumber,
    /// The heading and display state of each section.
    pub layout: BTreeMap<PartId, Layout>,
    /// Named revisions, oldest first.
    pub snapshots: Vec<ArtifactSnapshotInfo>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The hash of the previous revision's file.
    pub previous: Option<String>,
    /// Fields written by a newer version of Jig, preserved on write.
    pub other: Map<String, Value>,
}

/// A lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finalized {
    /// Who locked it.
    pub by: Actor,
    /// When it was locked.
    pub at: Timestamp,
    /// The revision that locked it.
    pub revision: RevisionNumber,
}

/// The heading and display state of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The source lines of its heading.
    pub heading: String,
    /// Whether it is collapsed.
    #[serde(default)]
    pub is_collapsed: bool,
    /// The revision that last changed its heading.
    pub named: RevisionNumber,
}

impl Artifact {
    /// The name in addresses.
    pub fn slug(&self) -> &str {
        self.document.kind.as_str()
    }

    /// The current revision number.
    pub const fn revision(&self) -> u64 {
        self.document.revision.number.0
    }

    /// Replaces the number of a new revision; see [`Document::renumber`].
    pub fn renumber(&mut self, number: RevisionNumber) {
        let old = self.document.revision.number;
        let named = self.layout.values_mut().map(|layout| &mut layout.named);
        let locked = self.finalized.iter_mut().map(|lock| &mut lock.revision);
        for one in named.chain(locked).chain(std::iter::once(&mut self.lead_changed)) {
            if *one == old {
                *one = number;
            }
        }
        self.document.renumber(number);
    }

    /// The complete Markdown.
    pub fn markdown(&self) -> String {
        let mut text = self.lead.clone();
        for part in &self.document.parts {
            text.push_str(self.heading(part.id));
            text.push_str(part.text().unwrap_or_default());
        }
        text
    }

    /// The source lines of a section's heading.
    pub fn heading(&self, id: PartId) -> &str {
        self.layout.get(&id).map_or("", |layout| layout.heading.as_str())
    }

    /// A section's text without surrounding blank lines.
    pub fn content<'a>(&self, part: &'a Part) -> &'a str {
        trimmed(part.text().unwrap_or_default())
    }

    /// The number of done sections, and of all sections.
    pub fn counts(&self) -> (u64, u64) {
        let done = self.document.parts.iter().filter(|part| part.done.is_some()).count();
        (done as u64, self.document.parts.len() as u64)
    }
}

/// The document kind for an artifact with this slug: a singleton that allows any section.
pub fn kind_of(slug: &str) -> Result<Kind, BadName> {
    Ok(kind_named(KindName::new(slug)?))
}

pub(crate) fn kind_named(name: KindName) -> Kind {
    let title = name.to_string();
    Kind { name, title, slots: Slots::Singleton, parts: Vec::new(), extra: Extra::Allowed, ttl_hours: None }
}

#[cfg(test)]
mod tests;
