//! What an agent sees: the examples of the context schema, levels, budgets, what never appears, refresh and check.

mod budgets;
mod examples;
mod fixtures;
mod levels;
mod never;
mod refreshing;
