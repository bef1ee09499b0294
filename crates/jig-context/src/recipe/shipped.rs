//! The recipes that come with Jig.

use std::sync::LazyLock;

use jig_contract::ops::RecipeDefinition;
use serde_json::Value;

use super::read::read_recipe;

const TEXTS: [&str; 5] = [
    include_str!("recipes/brand-voice-check.yaml"),
    include_str!("recipes/competitor-snapshot.yaml"),
    include_str!("recipes/positioning-statement.yaml"),
    include_str!("recipes/trend-digest.yaml"),
    include_str!("recipes/weekly-content-calendar.yaml"),
];

/// Each text is a good definition: a test sees to it.
static RECIPES: LazyLock<Vec<RecipeDefinition>> = LazyLock::new(|| {
    let read = |text: &&str| read_recipe(&Value::String((*text).to_owned())).ok();
    TEXTS.iter().filter_map(read).collect()
});

/// All of them, by name.
pub fn shipped_recipes() -> &'static [RecipeDefinition] {
    &RECIPES
}

/// The one of this name.
pub fn shipped_recipe(name: &str) -> Option<&'static RecipeDefinition> {
    RECIPES.iter().find(|recipe| recipe.recipe == name)
}
