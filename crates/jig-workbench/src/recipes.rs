//! The recipes of a workbench: built-in and custom ones, their contexts and runs.

mod assemble;
mod forget;
mod run;
mod session;
mod stale;

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_context::document::nearest;
use jig_context::recipe::{check_recipe, shipped_recipes};
use jig_contract::ops::{KindDefinition, RecipeDefinition};
use jig_contract::{BlobHash, Code, OpError};

pub(crate) use assemble::Ask;
pub(crate) use run::{Run, first_question, problems_of};
pub(crate) use session::PURPOSE;

use crate::Workbench;

/// The folder of custom recipes.
const RECIPES_FOLDER: &str = "meta/recipes";

/// All recipes of a state, by name.
pub(crate) struct Recipes {
    all: BTreeMap<String, KnownRecipe>,
}

/// A recipe, and whether it is the unmodified built-in one.
pub(crate) struct KnownRecipe {
    pub(crate) definition: RecipeDefinition,
    pub(crate) shipped: bool,
}

impl Recipes {
    fn new(own: Vec<RecipeDefinition>) -> Self {
        let mut all = BTreeMap::new();
        for definition in shipped_recipes() {
            all.insert(definition.recipe.clone(), KnownRecipe { definition: definition.clone(), shipped: true });
        }
        for definition in own {
            all.insert(definition.recipe.clone(), KnownRecipe { definition, shipped: false });
        }
        Self { all }
    }

    /// All recipes, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &KnownRecipe> {
        self.all.values()
    }

    /// The definitions, by name.
    pub(crate) fn definitions(&self) -> Vec<RecipeDefinition> {
        self.all.values().map(|known| known.definition.clone()).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&KnownRecipe> {
        self.all.get(name)
    }

    /// Finds a recipe by name.
    pub(crate) fn find(&self, name: &str) -> Result<&KnownRecipe, OpError> {
        self.get(name).ok_or_else(|| {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            OpError::new(Code::RecipeNotFound, format!("there is no recipe `{shown}`"))
                .suggest(nearest(&shown, self.all.keys().map(String::as_str)))
                .hint("`jig recipe list` shows the recipes; `jig recipe put FILE` adds one")
        })
    }
}

/// The problems that prevent a recipe from running.
pub(crate) fn problems(recipe: &RecipeDefinition, kinds: &[KindDefinition]) -> Vec<String> {
    check_recipe(recipe, kinds).iter().map(ToString::to_string).collect()
}

impl Workbench {
    /// The recipes of a state.
    pub(crate) async fn recipes_at(&self, state: BlobHash) -> Result<Arc<Recipes>, OpError> {
        let folder = self.hash_at(state, RECIPES_FOLDER).await?;
        if let Some(recipes) = self.entry_shelf().recipes.get(&folder) {
            return Ok(recipes);
        }
        let (mut own, mut weight) = (Vec::new(), 4_096);
        for (name, node) in self.store().files(state, RECIPES_FOLDER).await? {
            let bytes = self.store().blobs().get(&node.hash).await?;
            weight += bytes.len();
            own.push(serde_json::from_slice(&bytes).map_err(|e| {
                OpError::new(Code::BlobCorrupt, format!("the recipe in {RECIPES_FOLDER}/{name} cannot be read"))
                    .hint("`jig undo` goes back to before it was changed")
                    .because(e)
            })?);
        }
        Ok(self.entry_shelf().recipes.keep(folder, Recipes::new(own), weight))
    }
}
