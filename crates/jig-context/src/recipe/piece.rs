//! The pieces of a context: one per entry, item and artifact.

use std::collections::BTreeMap;

use jig_contract::ops::{EntryRequirement, FieldType, KindDefinition, ResolvedAsset, UsedRevision};
use serde_json::Value;

use super::assemble::Attachment;
use super::row::Row;
use super::xml::{element, leaf, text_of, text_of_asset};
use crate::document::is_filled;
use crate::entry::{fields, named_asset};

/// A piece of a context.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// The address of its content.
    pub(super) address: String,
    /// Its lines of XML.
    pub(super) xml: String,
    /// Whether the recipe requires it.
    pub(super) required: bool,
    /// The revisions it was built from.
    pub(super) used: Vec<UsedRevision>,
}

/// The assets that fields refer to, by id.
pub(super) type Assets<'a> = &'a BTreeMap<String, ResolvedAsset>;

/// The piece of an entry; `None` if no requested field has content.
pub(super) fn of_row(
    kind: &KindDefinition,
    requirement: &EntryRequirement,
    row: &Row,
    assets: Assets<'_>,
) -> Option<Piece> {
    let mut lines = Vec::new();
    let mut used = Vec::new();
    for field in fields(kind) {
        let asked = requirement.fields.is_empty() || requirement.fields.contains(&field.key);
        let Some(value) = row.data.get(&field.key).filter(|value| asked && is_filled(value)) else { continue };
        let is_file = field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset);
        let text = if is_file { file_text(value, assets) } else { text_of(value) };
        lines.push(leaf(&field.key, None, &text));
        used.push(UsedRevision { address: row.address(Some(&field.key)), revision: row.revision });
    }
    if lines.is_empty() {
        return None;
    }
    let key = (!row.entry_key.is_empty()).then_some(("key", row.entry_key.as_str()));
    let xml = element(&row.role, key, &lines);
    Some(Piece { address: row.address(None), xml, required: requirement.required, used })
}

fn file_text(value: &Value, assets: Assets<'_>) -> String {
    let one = |value: &Value| {
        let asset = named_asset(value).and_then(|id| assets.get(id.as_str()));
        text_of_asset(value.as_str().unwrap_or_default(), asset)
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect::<Vec<_>>().join(", "),
        value => one(value),
    }
}

/// The piece of an item or an artifact.
pub(super) fn of_attachment(attachment: &Attachment) -> Piece {
    let name = Some(("name", attachment.name.as_str()));
    let xml = match attachment.parts.as_slice() {
        [(_, text)] => format!("  {}", leaf(&attachment.element, name, text)),
        parts => {
            let lines: Vec<String> =
                parts.iter().map(|(part, text)| leaf("part", Some(("name", part)), text)).collect();
            element(&attachment.element, name, &lines)
        }
    };
    let used = attachment.used.clone();
    Piece { address: attachment.address.clone(), xml, required: attachment.required, used }
}
