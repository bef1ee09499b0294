//! Artifacts: sections, operations, full-text edits, exchange.

mod exchange;
mod fixtures;
mod operations;
mod properties;
mod sections;
mod stages;
mod suggestions;
mod whole;
