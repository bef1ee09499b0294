//! Excel workbooks.

pub mod address;
pub mod formula;
