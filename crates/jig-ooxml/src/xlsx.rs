//! Excel workbooks.

pub mod address;
pub mod book;
pub mod formula;
pub mod numfmt;
mod read;

pub use read::Workbook;
