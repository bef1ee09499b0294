//! The file format of documents: a canonical JSON object, so that equal states have equal bytes.
//!
//! Fields for lists and searches come first. Values are only in `data`, and their metadata is in `parts`. Fields of one
//! document family follow.

use jig_contract::{Actor, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    Document, DocumentId, Done, Key, KindName, Origin, Part, PartId, PartName, Provenance, Revision, RevisionNumber,
};
use crate::definition::to_json;

/// A document file with the fields of its family.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored<F> {
    id: Uuid,
    family: String,
    kind: KindName,
    #[serde(default = "Key::singleton")]
    key: Key,
    #[serde(default)]
    title: String,
    #[serde(default)]
    completeness: f64,
    revision: u64,
    updated_at: Timestamp,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    parts: Vec<Value>,
    #[serde(default)]
    changed: u64,
    #[serde(default)]
    next_part: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    #[serde(default = "unknown")]
    author: Actor,
    #[serde(default)]
    reason: String,
    /// The hash of the previous revision's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<String>,
    /// The fields of the family.
    #[serde(flatten)]
    pub(crate) own: F,
}

impl<F> Stored<F> {
    pub(crate) fn new(family: &str, document: &Document, completeness: f64, previous: Option<String>, own: F) -> Self {
        Self {
            id: document.id.0,
            family: family.to_owned(),
            kind: document.kind.clone(),
            key: document.key.clone(),
            title: document.title.clone(),
            completeness,
            revision: document.revision.number.0,
            updated_at: document.revision.at,
            data: document.parts.iter().map(|part| (part.name.to_string(), part.value.clone())).collect(),
            parts: document.parts.iter().map(|part| json!(Meta::of(part))).collect(),
            changed: document.changed.0,
            next_part: document.next_part,
            parent: document.revision.parent.map(|number| number.0),
            author: document.revision.author.clone(),
            reason: document.revision.reason.clone(),
            previous,
            own,
        }
    }

    /// The document, the hash of the previous file, and the fields of the family. A part with damaged metadata keeps
    /// its value and counts as written by hand.
    pub(crate) fn open(self) -> (Document, Option<String>, F) {
        let revision = Revision {
            number: RevisionNumber(self.revision),
            parent: self.parent.map(RevisionNumber),
            author: self.author,
            reason: self.reason,
            at: self.updated_at,
        };
        let mut document = Document {
            id: DocumentId(self.id),
            kind: self.kind,
            key: self.key,
            title: self.title,
            changed: RevisionNumber(if self.changed == 0 { self.revision } else { self.changed }),
            next_part: self.next_part,
            parts: parts(&self.parts, self.data, &revision),
            revision,
        };
        let used = next_after(&document.parts);
        document.next_part = document.next_part.max(used);
        (document, self.previous, self.own)
    }
}

impl<F: Serialize> Stored<F> {
    pub(crate) fn to_json(&self) -> Vec<u8> {
        to_json(self)
    }
}

impl<F: DeserializeOwned> Stored<F> {
    /// Parses the file of a document of this family, or reports why it is not one.
    pub(crate) fn from_json(family: &str, bytes: &[u8]) -> Result<Self, String> {
        let file: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if file.family == family { Ok(file) } else { Err(format!("it is one of {}", file.family)) }
    }
}

/// The first unused part id.
pub(crate) fn next_after(parts: &[Part]) -> u32 {
    parts.iter().map(|part| part.id.0).max().unwrap_or_default().saturating_add(1)
}

/// The author if the metadata is unreadable: a person, so that agents may not overwrite the content.
const fn unknown() -> Actor {
    Actor::Outside
}

/// The metadata of a part.
#[derive(Serialize, Deserialize)]
struct Meta {
    id: PartId,
    name: PartName,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<PartName>,
    title: String,
    changed: RevisionNumber,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    done: Option<Done>,
}

impl Meta {
    fn of(part: &Part) -> Self {
        let Part { id, name, aliases, title, value: _, changed, provenance, done } = part.clone();
        Self { id, name, aliases, title, changed, provenance, done }
    }

    fn with(self, value: Value) -> Part {
        let Self { id, name, aliases, title, changed, provenance, done } = self;
        Part { id, name, aliases, title, value, changed, provenance, done }
    }
}

/// A part with its metadata. If the metadata is unreadable, the part counts as written by hand in this revision.
fn part(name: &str, meta: Option<&Value>, value: Value, revision: &Revision, before: &[Part]) -> Option<Part> {
    let read = meta.and_then(|meta| Meta::deserialize(meta).ok());
    let free = |id: PartId| before.iter().all(|part| part.id != id);
    if let Some(meta) = read.filter(|meta| free(meta.id) && meta.name.as_str() == name) {
        return Some(meta.with(value));
    }
    let id = PartId((1..).find(|id| free(PartId(*id))).unwrap_or(u32::MAX));
    let name = PartName::new(name).ok()?;
    let title = name.to_string();
    let provenance = Provenance { by: unknown(), at: revision.at, origin: Origin::default() };
    Some(Part { id, name, aliases: Vec::new(), title, value, changed: revision.number, provenance, done: None })
}

/// The values set aside, by field.
pub(crate) fn aside_to_json(parts: &[Part]) -> Map<String, Value> {
    parts.iter().map(|part| (part.name.to_string(), json!({ "value": part.value, "part": Meta::of(part) }))).collect()
}

pub(crate) fn aside_from_json(kept: Map<String, Value>, revision: &Revision) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (name, kept) in kept {
        let value = kept.get("value").cloned().unwrap_or(kept.clone());
        parts.extend(part(&name, kept.get("part"), value, revision, &parts));
    }
    parts
}

/// The parts in the order of their metadata; values without metadata come last.
fn parts(metas: &[Value], mut data: Map<String, Value>, revision: &Revision) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for meta in metas {
        let name = meta.get("name").and_then(Value::as_str).unwrap_or_default();
        if let Some(value) = data.shift_remove(name) {
            parts.extend(part(name, Some(meta), value, revision, &parts));
        }
    }
    for (name, value) in data {
        parts.extend(part(&name, None, value, revision, &parts));
    }
    parts
}
