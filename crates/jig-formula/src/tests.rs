//! Formulas as text: tokens, rewriting, dependencies, and what holds for any text.

mod any;
mod depends;
mod lex;
mod rewriting;
