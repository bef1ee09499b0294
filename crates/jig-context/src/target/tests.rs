//! Targeting: the corpus, and rules that it does not show.

mod corpus;
mod rules;
