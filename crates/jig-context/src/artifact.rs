//! Artifacts: planning documents in Markdown that agents read by section and change by small checked operations.
//!
//! An artifact is a [`Document`] whose parts are its sections, with what artifacts have beside it: the text before the
//! first section, how each heading is written, a stage, a lock, and revisions with a name. Its Markdown is the lead and
//! the sections one after the other, byte for byte; nothing of it is kept twice.

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

/// The longest Markdown of an artifact, in bytes.
pub const CONTENT_BYTES_MAX: usize = 4 << 20;
/// The longest title of an artifact or a section, in characters.
pub const TITLE_CHARS_MAX: usize = 200;
/// The most sections of an artifact.
pub const SECTIONS_MAX: usize = 1_000;

/// An artifact in one of its states.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Identity, revision and sections. A section's value is what follows its heading, as it stands in the text.
    pub document: Document,
    /// The stage it belongs to.
    pub stage: String,
    /// Whether it can be changed.
    pub status: ArtifactStatus,
    /// Who locked it, while it is locked.
    pub finalized: Option<Finalized>,
    /// The template it was made from.
    pub template: Option<String>,
    /// What stands before the first section.
    pub lead: String,
    /// The revision in which that last changed.
    pub lead_changed: RevisionNumber,
    /// How each section is written and shown.
    pub layout: BTreeMap<PartId, Layout>,
    /// Revisions with a name, the oldest first.
    pub snapshots: Vec<ArtifactSnapshotInfo>,
    /// When it was made.
    pub created_at: Timestamp,
    /// The hash of the file of the revision before.
    pub previous: Option<String>,
    /// What a newer version of Jig wrote into the file: it is kept.
    pub other: Map<String, Value>,
}

/// Who locked an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finalized {
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// By which revision.
    pub revision: RevisionNumber,
}

/// How a section is written and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The lines of its heading, as they stand in the text.
    pub heading: String,
    /// Whether it is shown folded.
    #[serde(default)]
    pub is_collapsed: bool,
    /// The revision in which its heading last changed.
    pub named: RevisionNumber,
}

impl Artifact {
    /// What addresses call it.
    pub fn slug(&self) -> &str {
        self.document.kind.as_str()
    }

    /// The number of its last write.
    pub const fn revision(&self) -> u64 {
        self.document.revision.number.0
    }

    /// Gives the revision that was just made another number: see [`Document::renumber`].
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

    /// The whole Markdown.
    pub fn markdown(&self) -> String {
        let mut text = self.lead.clone();
        for part in &self.document.parts {
            text.push_str(self.heading(part.id));
            text.push_str(part.text().unwrap_or_default());
        }
        text
    }

    /// The lines of a section's heading.
    pub fn heading(&self, id: PartId) -> &str {
        self.layout.get(&id).map_or("", |layout| layout.heading.as_str())
    }

    /// A section's text without blank lines around it.
    pub fn content<'a>(&self, part: &'a Part) -> &'a str {
        trimmed(part.text().unwrap_or_default())
    }

    /// How many sections are done, and how many there are.
    pub fn counts(&self) -> (u64, u64) {
        let done = self.document.parts.iter().filter(|part| part.done.is_some()).count();
        (done as u64, self.document.parts.len() as u64)
    }
}

/// The kind of document that an artifact of this name is: the only one of its kind, with whatever sections it has.
pub fn kind_of(slug: &str) -> Result<Kind, BadName> {
    Ok(kind_named(KindName::new(slug)?))
}

pub(crate) fn kind_named(name: KindName) -> Kind {
    let title = name.to_string();
    Kind { name, title, slots: Slots::Singleton, parts: Vec::new(), extra: Extra::Allowed, ttl_hours: None }
}

#[cfg(test)]
mod tests;
