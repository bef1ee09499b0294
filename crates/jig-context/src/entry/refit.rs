//! Fits entries to a changed kind. Values without a field are set aside rather than dropped, and restored if the field
//! returns.

use jig_contract::ops::{KindDefinition, KindMisfit, KindReport};
use jig_contract::{Actor, Timestamp};

use super::Entry;
use super::error::EntryError;
use super::kind::{as_document_kind, field};
use super::value::check_value;
use crate::document::{Change, Document, DocumentError, Kind, Part, Write};

/// An entry after a change of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Refit {
    /// The entry in its new revision.
    pub entry: Entry,
    /// Values that no longer match their field's type, and are kept in place.
    pub misfits: Vec<KindMisfit>,
    /// Values that were set aside.
    pub set_aside: Vec<KindMisfit>,
    /// Values that were restored.
    pub brought_back: Vec<KindMisfit>,
}

/// Fits an entry to this version of its kind, as a new revision. The age of its content does not change.
pub fn refit(
    kind: &KindDefinition,
    entry: &Entry,
    author: Actor,
    at: Timestamp,
    previous: Option<String>,
) -> Result<Refit, EntryError> {
    let document_kind = as_document_kind(kind).map_err(DocumentError::from)?;
    let reason = format!("fitted to version {} of {}", kind.version, kind.anchor_role);
    let write = Write { author, reason, at, changes: Vec::new() };
    let document = entry.document.write(&document_kind, entry.document.revision.number, write)?;
    let mut entry = Entry { document, kind_version: kind.version, previous, ..entry.clone() };
    let (aside, back) = fit_parts(&document_kind, &mut entry)?;
    let of = |part: &Part, message: &str| misfit(&entry.document, part, message.to_owned());
    let set_aside = aside.iter().map(|part| of(part, "the kind no longer has this field")).collect();
    let brought_back = back.iter().map(|part| of(part, "the kind has this field again")).collect();
    Ok(Refit { misfits: misfits(kind, &entry), set_aside, brought_back, entry })
}

/// Sets aside parts that the kind does not define, and restores those that it defines again. Returns both.
pub(super) fn fit_parts(kind: &Kind, entry: &mut Entry) -> Result<(Vec<Part>, Vec<Part>), EntryError> {
    let aside: Vec<Part> =
        entry.document.parts.iter().filter(|part| kind.rule(part.name.as_str()).is_none()).cloned().collect();
    // If the field was written in the meantime, the old value stays set aside: nothing is dropped.
    let free = |part: &Part| entry.document.part(part.name.as_str()).is_none();
    let back: Vec<Part> =
        entry.kept_aside.iter().filter(|part| kind.rule(part.name.as_str()).is_some() && free(part)).cloned().collect();
    entry.kept_aside.retain(|kept| !back.contains(kept) && aside.iter().all(|part| part.name != kept.name));
    entry.kept_aside.extend(aside.iter().cloned());
    entry.kept_aside.sort_by(|a, b| a.name.cmp(&b.name));
    let removed = aside.iter().map(|part| Change::Remove { part: part.name.to_string() });
    let returned = back.iter().map(|part| Change::Reinstate { part: Box::new(part.clone()) });
    let changes = removed.chain(returned).collect();
    entry.document.amend(kind, changes)?;
    Ok((aside, back))
}

fn misfits(kind: &KindDefinition, entry: &Entry) -> Vec<KindMisfit> {
    let check = |part: &Part| {
        let field = field(kind, part.name.as_str())?;
        let message = check_value(&field, &part.value).err()?;
        Some(misfit(&entry.document, part, message))
    };
    entry.document.parts.iter().filter_map(check).collect()
}

fn misfit(document: &Document, part: &Part, message: String) -> KindMisfit {
    KindMisfit {
        role: document.kind.to_string(),
        entry_key: document.key.to_string(),
        field: part.name.to_string(),
        message,
        value: part.value.clone(),
    }
}

/// The effect of a changed kind on all of its entries.
pub fn report(refits: &[Refit]) -> KindReport {
    let mut report = KindReport { checked: refits.len() as u64, ..KindReport::default() };
    for refit in refits {
        report.misfits.extend(refit.misfits.iter().cloned());
        report.set_aside.extend(refit.set_aside.iter().cloned());
        report.brought_back.extend(refit.brought_back.iter().cloned());
    }
    report
}
