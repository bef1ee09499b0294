//! Excel workbooks.

pub mod address;
pub mod book;
mod edit;
pub mod formula;

pub use edit::{OPS, apply, copy_assets};
