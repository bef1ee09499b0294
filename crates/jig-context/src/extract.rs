//! Values for the fields of an entry, found in a text by a model or by rules.
//!
//! As with items, the conversation with a model is a state machine that sends nothing itself: [`Extraction`] asks, checks
//! the answer, asks once more with everything that is wrong, and ends with values or with the reason why there are none.
//! What comes out is a proposal's fields; it never touches an entry. The same machine checks what the run of a recipe
//! answers.

mod answer;
mod label;
mod machine;
mod offline;
mod prompt;
mod quote;
mod rules;

pub use answer::{ANSWER_BYTES_MAX, Form};
pub use machine::{Asking, Extracted, Extraction, Failure};
pub use offline::{OFFLINE_WARNING, by_rules};
pub use prompt::{MATERIAL_BYTES_MAX, Material, TIMEOUT_SECONDS, answer_schema, check_material};

use jig_contract::ops::{FieldDefinition, FieldType, KindDefinition};

/// The fields that a text can give values for: all but files.
pub(crate) fn extractable(kind: &KindDefinition) -> Vec<FieldDefinition> {
    let is_file =
        |field: &FieldDefinition| field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset);
    crate::entry::fields(kind).into_iter().filter(|field| !is_file(field)).collect()
}

#[cfg(test)]
mod tests;
