//! What the file of a document says about its parts: everything but their values.

use jig_contract::Actor;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Done, Origin, Part, PartId, PartName, Provenance, Revision, RevisionNumber};

/// Who wrote what nobody can read any more: somebody by hand, whose words an agent may not replace.
pub(crate) const fn unknown() -> Actor {
    Actor::Outside
}

/// A part without its value.
#[derive(Serialize, Deserialize)]
pub(crate) struct Meta {
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
    pub(crate) fn of(part: &Part) -> Self {
        let Part { id, name, aliases, title, value: _, changed, provenance, done } = part.clone();
        Self { id, name, aliases, title, changed, provenance, done }
    }

    fn with(self, value: Value) -> Part {
        let Self { id, name, aliases, title, changed, provenance, done } = self;
        Part { id, name, aliases, title, value, changed, provenance, done }
    }
}

/// A part with what the file says of it. When that cannot be read, somebody wrote it by hand in this revision.
pub(crate) fn part(
    name: &str,
    meta: Option<&Value>,
    value: Value,
    revision: &Revision,
    before: &[Part],
) -> Option<Part> {
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

/// Values that are kept aside, by field.
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

/// The parts in the order of their metadata; values without any come last.
pub(crate) fn parts(metas: &[Value], mut data: Map<String, Value>, revision: &Revision) -> Vec<Part> {
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
