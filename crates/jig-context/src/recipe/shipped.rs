//! The built-in recipes.

use std::sync::LazyLock;

use jig_contract::ops::RecipeDefinition;
use jig_contract::{Code, OpError};
use serde_json::Value;

use super::read::read_recipe;
use crate::document::{nearest, shown};

const TEXTS: [&str; 5] = [
    include_str!("recipes/brand-voice-check.yaml"),
    include_str!("recipes/competitor-snapshot.yaml"),
    include_str!("recipes/positioning-statement.yaml"),
    include_str!("recipes/trend-digest.yaml"),
    include_str!("recipes/weekly-content-calendar.yaml"),
];

/// A test checks that each definition is valid.
static RECIPES: LazyLock<Vec<RecipeDefinition>> = LazyLock::new(|| {
    let read = |text: &&str| read_recipe(&Value::String((*text).to_owned())).ok();
    TEXTS.iter().filter_map(read).collect()
});

/// All built-in recipes, by name.
pub fn shipped_recipes() -> &'static [RecipeDefinition] {
    &RECIPES
}

/// All recipes of a workbench, by name. A custom recipe replaces the built-in one with the same name.
pub fn all_recipes(own: Vec<RecipeDefinition>) -> Vec<RecipeDefinition> {
    let unchanged = |recipe: &&RecipeDefinition| own.iter().all(|other| other.recipe != recipe.recipe);
    let mut recipes: Vec<RecipeDefinition> = RECIPES.iter().filter(unchanged).cloned().collect();
    recipes.extend(own);
    recipes.sort_by(|a, b| a.recipe.cmp(&b.recipe));
    recipes
}

/// Finds a recipe by name, or returns an error with suggestions.
pub fn find_recipe<'a>(recipes: &'a [RecipeDefinition], name: &str) -> Result<&'a RecipeDefinition, OpError> {
    recipes.iter().find(|recipe| recipe.recipe == name).ok_or_else(|| {
        OpError::new(Code::RecipeNotFound, format!("there is no recipe `{}`", shown(name)))
            .suggest(nearest(name, recipes.iter().map(|recipe| recipe.recipe.as_str())))
            .hint("`jig recipe list` shows the recipes")
    })
}

/// The built-in recipe with this name.
pub fn shipped_recipe(name: &str) -> Option<&'static RecipeDefinition> {
    RECIPES.iter().find(|recipe| recipe.recipe == name)
}
