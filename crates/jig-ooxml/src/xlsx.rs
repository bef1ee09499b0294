//! Excel workbooks: [`Workbook`] for typed reads, [`apply`] for lists of ops, [`copy_assets`].

mod cell_formatter;
mod comments;
mod drawings;
mod edit;
mod find;
mod map;
pub mod number_format;
mod overlay;
mod palette;
mod read;
mod regions;
pub mod serial_date;
mod shared_strings;
mod sheet;
mod styles;
#[cfg(test)]
mod tests;
mod trust;
mod workbook;
pub mod workbook_part;

pub use jig_file_api::address;
pub use jig_formula as formula;

pub use edit::{apply, blank, copy_assets, shared_strings};
pub use palette::Palette;
pub use read::{RowCell, RowValue, RowWindow, SheetExtent, SheetRow};
pub use sheet::cell::CellData;
pub use sheet::decode::{markup_text, string_text};
pub use sheet::rows::{CellMarkup, FormulaKind, FormulaMarkup, RowView, sheet_rows};
pub use workbook::Workbook;
