//! Entries for a prompt: what the message names first, then by the place of their kinds, for as long as there is room.

use jig_context::document::{Address, is_filled};
use jig_contract::ops::{EntryState, FieldType, KindCategory, KindDefinition};
use jig_contract::{BlobHash, OpError};
use jig_prompt::{Class, Document, Input, Need, Notice, Part};
use jig_store::Head;
use serde_json::Value;

use crate::Workbench;
use crate::entries::{ENTRIES_FOLDER, Kinds, ListQuery, Seen};

/// How many entries are looked at for one prompt beside those that the message names.
const LOOKED_AT: u32 = 200;

impl Workbench {
    /// The active entries, with how much each field matters for this call.
    pub(crate) async fn add_entries(&self, head: &Head, message: &str, input: &mut Input) -> Result<(), OpError> {
        let query = ListQuery { role: None, archived: false, after: None, limit: LOOKED_AT };
        let listed = self.list_entries(head, query).await?;
        if listed.total == 0 {
            return Ok(());
        }
        let kinds = self.kinds_at(head.state).await?;
        let named = addresses(message);
        let mut seen = listed.entries;
        for address in &named {
            let known = |seen: &Seen| is_meant(address, seen);
            if seen.iter().any(known) {
                continue;
            }
            seen.extend(self.entry_at(head.state, &address.kind, &address.key).await?);
        }
        note_others(listed.total, input);
        put(&kinds, &seen, &named, input);
        Ok(())
    }

    /// The same for any state, as its files have it: the same state always gives the same documents.
    pub(crate) async fn add_entries_at(
        &self,
        state: BlobHash,
        message: &str,
        input: &mut Input,
    ) -> Result<(), OpError> {
        let files = self.store().files(state, ENTRIES_FOLDER).await?;
        if files.is_empty() {
            return Ok(());
        }
        let kinds = self.kinds_at(state).await?;
        let named = addresses(message);
        let (mut seen, mut total) = (Vec::new(), 0);
        for (_, file) in files {
            let one = self.entry_of(file.hash).await?;
            if one.entry.state != EntryState::Active {
                continue;
            }
            total += 1;
            let meant = named.iter().any(|address| is_meant(address, &one));
            if total <= u64::from(LOOKED_AT) || meant {
                seen.push(one);
            }
        }
        note_others(total, input);
        put(&kinds, &seen, &named, input);
        Ok(())
    }
}

fn note_others(total: u64, input: &mut Input) {
    if total > u64::from(LOOKED_AT) {
        let words = format!("{LOOKED_AT} of {total} entries are considered; name others as `@kind:key`");
        input.notices.push(Notice::new(words));
    }
}

fn put(kinds: &Kinds, seen: &[Seen], named: &[Address], input: &mut Input) {
    for seen in seen {
        let Some(known) = kinds.get(seen.entry.document.kind.as_str()) else { continue };
        let document = document(&known.definition, seen, named);
        if !document.parts.is_empty() {
            input.documents.push(document);
        }
    }
}

/// The addresses that a message has, wherever they stand.
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

/// What the message names comes before everything else; foundations before the market, and that before insights.
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
