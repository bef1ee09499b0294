//! Selects entries for a prompt: those that the message names first, then by the order of kinds, as far as space
//! permits.

use jig_context::document::{Address, is_filled};
use jig_contract::ops::{EntryState, FieldType, KindCategory, KindDefinition};
use jig_contract::{BlobHash, OpError};
use jig_prompt::{Class, Document, Input, Need, Notice, Part};
use serde_json::Value;

use crate::Workbench;
use crate::entries::{ENTRIES_FOLDER, Seen};

/// How many entries of a kind are considered if the message names none of them.
const UNASKED: usize = 20;
/// How many are considered if it names the kind.
const ASKED: usize = 200;

impl Workbench {
    /// Adds the active entries of a state, with the priority of each field. Deterministic for a state and a message.
    pub(crate) async fn add_entries(&self, state: BlobHash, message: &str, input: &mut Input) -> Result<(), OpError> {
        let kinds = self.kinds_at(state).await?;
        let named = addresses(message);
        for kind in kinds.order() {
            let Some(known) = kinds.get(&kind) else { continue };
            let (seen, notice) = self.entries_of(state, &kind, &named).await?;
            input.notices.extend(notice);
            let documents = seen.iter().map(|seen| document(&known.definition, seen, &named));
            input.documents.extend(documents.filter(|document| !document.parts.is_empty()));
        }
        Ok(())
    }

    /// The relevant entries of a kind: those that the message names; else the first ones.
    async fn entries_of(
        &self,
        state: BlobHash,
        kind: &str,
        named: &[Address],
    ) -> Result<(Vec<Seen>, Option<Notice>), OpError> {
        let of_kind = || named.iter().filter(|address| address.kind.as_str() == kind);
        let limit = match (of_kind().next(), of_kind().any(|address| address.key.is_singleton())) {
            (None, _) => UNASKED,
            (Some(_), true) => ASKED,
            (Some(_), false) => 0,
        };
        let mut seen = if limit > 0 { self.first_entries(state, kind, limit + 1).await? } else { Vec::new() };
        let more = seen.len() > limit;
        seen.truncate(limit);
        let notice = || {
            let words = "entries are considered; name others as";
            Notice::new(format!("The first {limit} {kind} {words} `@{kind}:KEY`."))
        };
        for address in of_kind() {
            if !seen.iter().any(|seen| is_meant(address, seen)) {
                seen.extend(self.entry_at(state, &address.kind, &address.key).await?);
            }
        }
        Ok((seen, more.then(notice)))
    }

    /// The first active entries of a kind, by key.
    async fn first_entries(&self, state: BlobHash, kind: &str, limit: usize) -> Result<Vec<Seen>, OpError> {
        let mut seen = Vec::new();
        let Some(folder) = self.hash_at(state, &format!("{ENTRIES_FOLDER}/{kind}")).await? else {
            return Ok(seen);
        };
        for (_, node) in self.store().tree(&folder).await?.iter() {
            let Some(file) = node.file() else { continue };
            let one = self.entry_of(file.hash).await?;
            if one.entry.state == EntryState::Active {
                seen.push(one);
            }
            if seen.len() == limit {
                break;
            }
        }
        Ok(seen)
    }
}

/// The addresses anywhere in a message.
fn addresses(message: &str) -> Vec<Address> {
    let words = message.split_whitespace().filter_map(|word| word.find('@').map(|at| &word[at..]));
    words.filter_map(|word| Address::parse_leading(word).ok().map(|(address, _)| address)).collect()
}

fn is_meant(address: &Address, seen: &Seen) -> bool {
    let document = &seen.entry.document;
    address.kind == document.kind && (address.key == document.key || address.key.is_singleton())
}

fn document(kind: &KindDefinition, seen: &Seen, named: &[Address]) -> Document {
    let document = &seen.entry.document;
    let fields = jig_context::entry::fields(kind);
    let is_file = |name: &str| {
        fields.iter().any(|field| {
            field.key == name && (field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset))
        })
    };
    let parts = document.parts.iter().filter(|part| is_filled(&part.value) && !is_file(part.name.as_str()));
    let part = |part: &jig_context::document::Part| Part {
        name: part.name.to_string(),
        text: match &part.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
        need: need(kind, seen, part.name.as_str(), named),
    };
    Document {
        class: Class::Entry,
        kind: document.kind.to_string(),
        key: document.key.to_string(),
        title: Some(document.title.clone()),
        parts: parts.map(part).collect(),
    }
}

/// The priority of a part: content that the message names first, then foundations, market, insights.
fn need(kind: &KindDefinition, seen: &Seen, part: &str, named: &[Address]) -> Need {
    let meant = |address: &&Address| {
        is_meant(address, seen) && address.part.as_ref().is_none_or(|wanted| wanted.as_str() == part)
    };
    if named.iter().any(|address| meant(&address)) {
        return Need::Referenced;
    }
    Need::Fill(match kind.category {
        KindCategory::Foundation => 30,
        KindCategory::Market => 20,
        KindCategory::Insight => 10,
    })
}
