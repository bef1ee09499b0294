//! Excel workbooks.

pub mod address;
pub mod book;
pub mod formula;
