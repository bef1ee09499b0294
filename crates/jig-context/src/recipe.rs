//! Recipes: which context a task needs, what a model is asked, and which entry the answer fills.
//!
//! [`assemble`] makes the context that a recipe asks for out of rows of entries, and says what is missing, incomplete,
//! old or left out. [`question`] asks a model, and [`stale`] says which outputs are old and in which order to make them
//! anew. Nothing here reads, counts tokens or knows the time by itself.

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

/// Where a workbench keeps its own definition of a recipe.
pub fn recipe_path(name: &str) -> String {
    format!("meta/recipes/{name}.json")
}

/// The definition as it is to be saved over the present one: the version counts up. None when nothing is different.
pub fn next_version(present: Option<&RecipeDefinition>, given: RecipeDefinition) -> Option<RecipeDefinition> {
    crate::definition::next_version(present, given, |recipe| &mut recipe.version)
}

#[cfg(test)]
mod tests;
