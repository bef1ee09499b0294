//! Extracts values for the fields of an entry from a text, with a model or by rules.
//!
//! As with items, the conversation with a model is a state machine without I/O: [`Extraction`] asks, validates the
//! answer, retries once with all errors, and ends with values or a failure. The result is the fields of a proposal; an
//! entry is never changed. Recipe runs use the same machine to validate answers.

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

/// The fields that can be extracted from a text: all except files.
pub(crate) fn extractable(kind: &KindDefinition) -> Vec<FieldDefinition> {
    let is_file =
        |field: &FieldDefinition| field.field_type == FieldType::Asset || field.item_type == Some(FieldType::Asset);
    crate::entry::fields(kind).into_iter().filter(|field| !is_file(field)).collect()
}

#[cfg(test)]
mod tests;
