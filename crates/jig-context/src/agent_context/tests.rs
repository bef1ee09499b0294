//! Agent contexts: the examples of the context schema, levels, budgets, exclusions, refresh and check.

mod budgets;
mod examples;
mod fixtures;
mod levels;
mod never;
mod refreshing;
