//! Recipes, from a definition to a context and to what is old.

mod assembling;
mod definitions;
mod fixtures;
mod staleness;
