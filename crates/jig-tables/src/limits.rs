//! The limits of requests, replies and files that `jig-sql` writes, in one place.

/// The longest query, in bytes.
pub(crate) const MAX_QUERY_BYTES: usize = 256 << 10;
/// The most rows of a reply.
pub(crate) const MAX_REPLY_ROWS: u64 = 10_000;
/// About the most bytes of a reply's rows.
pub(crate) const MAX_REPLY_BYTES: usize = 4 << 20;

/// The most rows of a sheet, with the header.
pub(crate) const MAX_SHEET_ROWS: u64 = 1_048_576;
/// The most columns of a sheet.
pub(crate) const MAX_SHEET_COLUMNS: usize = 16_384;
/// The most characters of a cell, in UTF-16 units.
pub(crate) const MAX_CELL_CHARACTERS: usize = 32_767;
/// The most bytes of an exported sheet: a larger one needs ZIP64, which few spreadsheet programs open.
pub(crate) const MAX_SHEET_BYTES: u64 = 0xF000_0000;
/// The most cells that an update puts into a workbook. A new workbook by `TabularExport` has no such limit.
pub(crate) const MAX_UPDATE_CELLS: usize = 4_000_000;

/// The longest line of a JSON Lines file.
pub(crate) const MAX_JSON_LINE_BYTES: usize = 16 << 20;
/// The most rows of a Parquet file. A file of a few kilobytes can claim any number.
pub(crate) const MAX_PARQUET_ROWS: u64 = 1 << 31;
/// The most bytes of a Parquet file's columns when inflated.
pub(crate) const MAX_PARQUET_BYTES: u64 = 64 << 30;
