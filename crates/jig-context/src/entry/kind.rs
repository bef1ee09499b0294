//! Derived properties of a kind's definition.

use jig_contract::ops::{FieldDefinition, FieldType, KindDefinition};

use crate::document::{BadName, Extra, Kind, KindName, Need, PartName, PartRule, Slots};

/// The additional field of a kind with `notes`.
const NOTES: &str = "notes";

/// The order of kinds that have none: after all others.
const LAST: u32 = 1_000;

/// A field of a kind.
pub type FieldRule = FieldDefinition;

/// All fields of a kind, in order, including `notes` at the end if enabled.
pub fn fields(kind: &KindDefinition) -> Vec<FieldDefinition> {
    kind.field_schema.fields.iter().cloned().chain(kind.notes.then(notes_field)).collect()
}

/// The field with this key; for kinds with notes, that includes the notes field.
pub fn field(kind: &KindDefinition, key: &str) -> Option<FieldDefinition> {
    let own = kind.field_schema.fields.iter().find(|field| field.key == key).cloned();
    own.or_else(|| (kind.notes && key == NOTES).then(notes_field))
}

/// The free-text field.
pub fn notes_field() -> FieldDefinition {
    FieldDefinition {
        key: NOTES.to_owned(),
        field_type: FieldType::Longtext,
        label: "Notes".to_owned(),
        required: false,
        placeholder: None,
        help: Some("Anything that no other field is for".to_owned()),
        accept: None,
        item_type: None,
        options: Vec::new(),
    }
}

/// The document kind for entries of this kind.
pub fn as_document_kind(kind: &KindDefinition) -> Result<Kind, BadName> {
    let rule = |field: FieldDefinition| {
        let need = if field.required { Need::Required } else { Need::Optional };
        Ok(PartRule { name: PartName::new(&field.key)?, title: field.label, need })
    };
    Ok(Kind {
        name: KindName::new(&kind.anchor_role)?,
        title: kind.display_name.clone(),
        slots: if kind.is_singleton { Slots::Singleton } else { Slots::Keyed },
        parts: fields(kind).into_iter().map(rule).collect::<Result<_, BadName>>()?,
        extra: Extra::Refused,
        ttl_hours: kind.ttl_hours,
    })
}

/// The sort key of a kind; entries are listed in this order.
pub fn order_of(kind: &KindDefinition) -> (u32, &str) {
    (kind.order.unwrap_or(LAST), &kind.anchor_role)
}

/// The definition to save over the current one, with an increased version. `None` if nothing changed.
pub fn next_version(present: Option<&KindDefinition>, given: KindDefinition) -> Option<KindDefinition> {
    crate::definition::next_version(present, given, |kind| &mut kind.version)
}

/// The path of a custom kind definition in a workbench.
pub fn kind_path(role: &str) -> String {
    format!("meta/kinds/{role}.json")
}
