//! Artifacts: sections, operations, whole edits, exchange.

mod fixtures;
mod sections;
