//! Recipes, from definition to context and staleness.

mod assembling;
mod definitions;
mod fixtures;
mod staleness;
