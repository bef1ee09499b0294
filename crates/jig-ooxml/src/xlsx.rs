//! Excel workbooks.

pub mod book;
mod edit;
pub mod numfmt;
mod read;
mod trust;

pub use jig_file_api::address;
pub use jig_formula as formula;

pub use read::{Palette, Workbook};

pub use edit::{RawCell, RawFormula, RawFormulaKind, RawRow, raw_rows, raw_string, raw_strings, raw_text};
pub use edit::{apply, blank, copy_assets};
