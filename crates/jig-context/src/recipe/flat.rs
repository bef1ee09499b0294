//! The context without projection, to compare token counts.

use std::collections::BTreeMap;

use jig_contract::ops::{ContextTokens, EntryRequirement, KindDefinition, RecipeDefinition};

use super::assemble::Attachment;
use super::piece::{of_attachment, of_row};
use super::row::Row;
use super::xml::{context, text_of};
use crate::document::is_filled;
use crate::entry::fields;

/// The requested entries with all their fields, and everything else that is requested, complete.
pub fn all_fields(
    recipe: &RecipeDefinition,
    kinds: &[KindDefinition],
    rows: &[Row],
    attachments: &[Attachment],
) -> String {
    let mut pieces = Vec::new();
    for requirement in &recipe.context_requirements.entries {
        let whole = EntryRequirement { fields: Vec::new(), ..requirement.clone() };
        let Some(kind) = kinds.iter().find(|kind| kind.anchor_role == requirement.role) else { continue };
        let of_kind = rows.iter().filter(|row| row.role == requirement.role);
        pieces.extend(of_kind.filter_map(|row| of_row(kind, &whole, row, &BTreeMap::new())));
    }
    pieces.extend(attachments.iter().map(of_attachment));
    context(&pieces.iter().map(|piece| piece.xml.as_str()).collect::<Vec<_>>())
}

/// All entries of a workbench as blocks of text, as they would be without fields.
pub fn flat_text(kinds: &[KindDefinition], rows: &[Row]) -> String {
    let mut blocks = Vec::new();
    for row in rows {
        let Some(kind) = kinds.iter().find(|kind| kind.anchor_role == row.role) else { continue };
        let mut block = match row.entry_key.as_str() {
            "" => format!("# {}\n", kind.display_name),
            key => format!("# {}: {key}\n", kind.display_name),
        };
        for field in fields(kind) {
            if let Some(value) = row.data.get(&field.key).filter(|value| is_filled(value)) {
                let text = match value {
                    serde_json::Value::Array(values) => {
                        values.iter().map(|value| format!("- {}", text_of(value))).collect::<Vec<_>>().join("\n")
                    }
                    value => text_of(value),
                };
                block += &format!("\n{}:\n{text}\n", field.label);
            }
        }
        blocks.push(block);
    }
    blocks.join("\n")
}

/// The token count of a context compared with the unprojected ones.
pub fn compared(projected: u64, all_fields: u64, flat_text: u64, estimated: bool) -> ContextTokens {
    ContextTokens {
        projected,
        all_fields,
        flat_text,
        times_smaller_than_all_fields: times(all_fields, projected),
        times_smaller_than_flat_text: times(flat_text, projected),
        estimated,
    }
}

/// The ratio, rounded to two digits.
fn times(of: u64, this: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "tokens are counted in thousands")]
    let times = (this > 0).then(|| of as f64 / this as f64)?;
    Some((times * 100.0).round() / 100.0)
}
