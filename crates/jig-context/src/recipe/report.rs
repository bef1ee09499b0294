//! Missing, incomplete and stale content of a recipe.

use jig_contract::ops::{EntryRequirement, IncompleteEntry, KindDefinition, MissingEntry, StaleEntry};

use super::assemble::{Assembly, Attachment};
use super::row::Row;
use crate::document::is_filled;
use crate::entry::fields;

/// Requested content that does not exist, in the order of the recipe.
pub(super) fn missing(assembly: &Assembly<'_>) -> Vec<MissingEntry> {
    let of = |requirement: &EntryRequirement| {
        let kind = assembly.kinds.iter().find(|kind| kind.anchor_role == requirement.role);
        let rows: Vec<&Row> = assembly.rows.iter().filter(|row| row.role == requirement.role).collect();
        kind.map_or_else(Vec::new, |kind| of_requirement(kind, requirement, &rows))
    };
    let entries = assembly.recipe.context_requirements.entries.iter().flat_map(of);
    entries.chain(artifacts(assembly)).collect()
}

/// Requested artifacts that are missing or empty, and sections that are. As with entries, a missing section alone does
/// not prevent a run.
fn artifacts(assembly: &Assembly<'_>) -> Vec<MissingEntry> {
    let mut found = Vec::new();
    for asked in &assembly.recipe.context_requirements.artifacts {
        let named = |other: &&Attachment| other.element == "artifact" && other.name == asked.artifact;
        let came: Vec<&Attachment> = assembly.attachments.iter().filter(named).collect();
        let has = |section: &&String| came.iter().any(|other| other.parts.iter().any(|(name, _)| name == *section));
        let fields: Vec<String> = asked.sections.iter().filter(|section| !has(section)).cloned().collect();
        let slug = &asked.artifact;
        let how = match fields.first() {
            Some(section) if !came.is_empty() => format!("`jig artifact edit {slug} {section}`"),
            _ => format!("`jig artifact edit {slug}` writes into it, `jig artifact create {slug}` makes it"),
        };
        if came.is_empty() || !fields.is_empty() {
            let required = asked.required && came.is_empty();
            found.push(MissingEntry { role: slug.clone(), entry_key: None, fields, required, how });
        }
    }
    found
}

/// A required entry is missing if no entry has any requested content, or if the only entry of its kind lacks a
/// requested field that its kind requires. Other empty fields are reported without preventing the run.
fn of_requirement(kind: &KindDefinition, requirement: &EntryRequirement, rows: &[&Row]) -> Vec<MissingEntry> {
    let asked: Vec<_> = fields(kind)
        .into_iter()
        .filter(|field| requirement.fields.is_empty() || requirement.fields.contains(&field.key))
        .collect();
    let filled = |row: &Row, key: &str| row.data.get(key).is_some_and(is_filled);
    let says_something = rows.iter().any(|row| asked.iter().any(|field| filled(row, &field.key)));
    if !says_something {
        let names: Vec<String> = match requirement.fields.as_slice() {
            [] => asked.iter().filter(|field| field.required).map(|field| field.key.clone()).collect(),
            fields => fields.to_vec(),
        };
        return vec![entry(kind, None, names, requirement.required)];
    }
    let mut found = Vec::new();
    for row in rows {
        let empty = || asked.iter().filter(|field| !filled(row, &field.key));
        let stops = |required: bool| requirement.required && kind.is_singleton && required;
        for required in [true, false] {
            let names: Vec<String> =
                empty().filter(|field| field.required == required).map(|field| field.key.clone()).collect();
            // Without a list of fields, an empty optional field does not count as missing.
            if !names.is_empty() && (required || !requirement.fields.is_empty()) {
                found.push(entry(kind, Some(row.entry_key.clone()), names, stops(required)));
            }
        }
    }
    found
}

fn entry(kind: &KindDefinition, entry_key: Option<String>, fields: Vec<String>, required: bool) -> MissingEntry {
    let key = match &entry_key {
        Some(key) if !key.is_empty() => format!(" {key}"),
        None if !kind.is_singleton => " KEY".to_owned(),
        _ => String::new(),
    };
    let values = fields.iter().map(|field| format!("\"{field}\": …")).collect::<Vec<_>>().join(", ");
    let how = format!(
        "`jig entry put {}{key} --data '{{{values}}}'`, or `jig entry extract {}{key}` from a text",
        kind.anchor_role, kind.anchor_role
    );
    MissingEntry { role: kind.anchor_role.clone(), entry_key, fields, required, how }
}

/// Entries without fields that their kind requires.
pub(super) fn incomplete(rows: &[&Row]) -> Vec<IncompleteEntry> {
    let lacking = rows.iter().filter(|row| !row.missing.is_empty());
    lacking
        .map(|row| IncompleteEntry {
            address: row.address(None),
            completeness: row.completeness,
            missing: row.missing.clone(),
        })
        .collect()
}

/// Stale entries.
pub(super) fn old(rows: &[&Row]) -> Vec<StaleEntry> {
    let is_old = |row: &&&Row| row.staleness.expired.is_some() || !row.staleness.newer_sources.is_empty();
    rows.iter()
        .filter(is_old)
        .map(|row| StaleEntry { address: row.address(None), staleness: row.staleness.clone() })
        .collect()
}
