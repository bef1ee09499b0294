//! Items without a model: `offline:extract` collects headings, lists, `key: value` lines, sentences with numbers and
//! frequent terms by rules.
//!
//! It quotes without interpreting, and its texts state that. The output is deterministic and passes validation for any
//! input.

mod compose;
mod plain;
mod scan;
mod style;
mod terms;

use std::collections::BTreeMap;

pub(super) use compose::{skill_text, style_skill};
pub(super) use style::style_markdown;

use super::category::Category;
use super::input::Input;
use super::process::Processed;
use super::validate::validate;

/// The model id, in settings and in `source.json`.
pub const MODEL_ID: &str = "offline:extract";

/// Creates the texts of an item by rules.
pub fn build(category: Category, input: &Input) -> Processed {
    let (files, mut warnings) = files(category, input.content(), input.note().unwrap_or_default());
    warnings.extend(validate(category, &files).into_iter().map(|problem| problem.message));
    Processed { category, files, warnings, repaired: false }
}

fn files(category: Category, text: &str, note: &str) -> (BTreeMap<String, String>, Vec<String>) {
    let mut material = scan::scan(text);
    material.prefer(note);
    let mut warnings: Vec<String> =
        material.cut.iter().cloned().chain(compose::left_out(category, &material)).collect();
    let rules = if category == Category::DocumentStyle {
        let (rules, left_out) = style::rules(text, note);
        warnings.extend(left_out);
        rules
    } else {
        String::new()
    };
    (compose::compose(category, &material, &rules), warnings)
}

#[cfg(test)]
#[path = "offline/tests.rs"]
mod tests;
