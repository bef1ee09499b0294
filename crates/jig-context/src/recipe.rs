//! Recipes: the context that a task needs, the question to a model, and the entry that the answer fills.
//!
//! [`assemble`] builds the context of a recipe from rows of entries, and reports what is missing, incomplete, stale or
//! left out. [`question`] asks a model, and [`stale`] reports which outputs are stale and in which order to update
//! them. Nothing here does I/O, counts tokens or reads the clock by itself.

mod artifact;
mod assemble;
mod check;
mod cron;
mod flat;
mod offline;
mod order;
mod piece;
mod read;
mod report;
mod row;
mod run;
mod shipped;
mod stale;
mod template;
mod xml;

pub use artifact::of_artifact;
pub use assemble::{AssembleError, Assembled, Assembly, Attachment, assemble};
pub use check::{check_recipe, wanted_fields};
pub use cron::{BadCron, Cron};
pub use flat::{all_fields, compared, flat_text};
pub use offline::by_rules;
pub use read::read_recipe;
pub use row::{Row, rows};
pub use run::{free_question, output_fields, output_sources, question};
pub use shipped::{all_recipes, find_recipe, shipped_recipe, shipped_recipes};
pub use stale::{Ran, stale};
pub use template::{PLACEHOLDERS, fill};
pub use xml::{element_name, escape};

use jig_contract::ops::RecipeDefinition;

/// The path of a custom recipe definition in a workbench.
pub fn recipe_path(name: &str) -> String {
    format!("meta/recipes/{name}.json")
}

/// The definition to save over the current one, with an increased version. `None` if nothing changed.
pub fn next_version(present: Option<&RecipeDefinition>, given: RecipeDefinition) -> Option<RecipeDefinition> {
    crate::definition::next_version(present, given, |recipe| &mut recipe.version)
}

#[cfg(test)]
mod tests;
