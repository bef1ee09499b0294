//! Targeting: the corpus, and rules that it does not cover.

mod corpus;
mod rules;
