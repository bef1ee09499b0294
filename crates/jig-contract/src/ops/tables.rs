//! SQL on delimited files and sheets: the `Tabular` methods of the worker protocol, on a workbench.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::office::{OfficeAnswer, Receipt};
use crate::given::Given;
use crate::hash::HashPrefix;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{FileInfo, Root, operation};
use crate::path::WorkbenchPath;

/// Additional tables by their names in SQL: each a path, or an object with `path`, `sheet`, `range` and other options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct NamedTables(pub Map<String, Value>);

impl FromStr for NamedTables {
    type Err = serde_json::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text)
    }
}

/// Defines a read of a table: its parameters, always with the workbench, the file, the copy and how to read it.
macro_rules! table_read {
    ($(#[$doc:meta])* $op:ident, $params:ident, $surfaces:expr, $example:literal, { $($(#[$about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
        #[serde(deny_unknown_fields)]
        pub struct $params {
            /// The workbench
            #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
            pub workbench_id: Given<WorkbenchId>,
            /// The csv, tsv or xlsx file
            pub path: Given<WorkbenchPath>,
            $(
                $(#[$about])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// Which copy [default: the Draft, if one exists]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub root: Option<Root>,
            /// The sheet of a workbook [default: the first]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub sheet: Option<String>,
            /// Cell range [default: the largest block of data]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub range: Option<String>,
            /// Field delimiter, if auto-detection is wrong
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub delimiter: Option<String>,
            /// Quote character; empty for none
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub quote: Option<String>,
            /// Whether the first row is a header
            #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub has_header: Option<bool>,
            /// Encoding, if characters look wrong
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub encoding: Option<String>,
        }
        operation!($op, Read, $surfaces, $params => OfficeAnswer, $example);
    };
}

table_read! {
    /// Map a table: columns with types, rows, dialect, encoding, warnings
    TabularGetMap, TabularGetMapParams, Surfaces::PEOPLE, r#"{"workbench_id":"board-deck","path":"bank.csv"}"#, {}
}
table_read! {
    /// Describe a table's columns: types, missing and distinct values
    TabularDescribe, TabularDescribeParams, Surfaces::PEOPLE, r#"{"workbench_id":"board-deck","path":"bank.csv"}"#, {}
}
table_read! {
    /// Show column statistics: minimum, maximum, mean, sum, frequent values
    TabularGetStats, TabularGetStatsParams, Surfaces::PEOPLE,
    r#"{"workbench_id":"board-deck","path":"bank.csv","columns":["amount"]}"#, {
        /// Only these columns
        #[arg(long, value_delimiter = ',')]
        columns: Vec<String>,
    }
}
table_read! {
    /// Read rows of a table by number
    TabularReadRows, TabularReadRowsParams, Surfaces::PEOPLE,
    r#"{"workbench_id":"board-deck","path":"bank.csv","row_start":1,"row_count":50}"#, {
        /// The first row, from 1
        #[arg(long)]
        row_start: u64,
        /// Number of rows [default: 100]
        #[arg(long)]
        row_count: u64,
        /// Only these columns
        #[arg(long, value_delimiter = ',')]
        columns: Vec<String>,
    }
}
table_read! {
    /// Run a SQL SELECT on a file (as table `data`) and additional named tables
    TabularQuery, TabularQueryParams, Surfaces::all("table_query"),
    r#"{"workbench_id":"board-deck","path":"bank.csv","query":"SELECT category, sum(amount) FROM data GROUP BY 1 ORDER BY 2"}"#, {
        /// One SELECT
        query: String,
        /// Maximum rows to return [default: 100]
        #[arg(long)]
        window_rows: u64,
        /// Rows to skip
        #[arg(long)]
        window_offset: u64,
        /// Additional tables: {"name": "path"}
        #[arg(long, value_name = "JSON")]
        tables: NamedTables,
    }
}

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TabularExportOutput {
    /// The new file.
    pub target_path: String,
    /// `csv` or `xlsx`.
    pub format: String,
    /// Number of rows, without the header.
    pub row_count: u64,
    /// Number of columns.
    pub column_count: u64,
    /// The sheet of a workbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The edit's receipt.
    pub receipt: Receipt,
    /// The file in the Draft after the edit; none for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileInfo>,
    /// Whether this write started the Draft.
    pub draft_created: bool,
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
}

/// The result of writing rows to a workbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TabularUpdateFromExportOutput {
    /// The workbook.
    pub target_path: String,
    /// The sheet.
    pub sheet: String,
    /// How the rows were written.
    pub mode: String,
    /// Number of rows, without the header.
    pub row_count: u64,
    /// Number of columns.
    pub column_count: u64,
    /// The cells that were written.
    pub written_range: String,
    /// What each step changed.
    pub changes: Vec<Map<String, Value>>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The edit's receipt.
    pub receipt: Receipt,
    /// The file in the Draft after the edit; none for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileInfo>,
    /// Whether this write started the Draft.
    pub draft_created: bool,
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
}

/// Defines a write of a query's rows.
macro_rules! table_write {
    ($(#[$doc:meta])* $op:ident, $params:ident => $output:ident, $surfaces:expr, $example:literal, { $($(#[$about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
        #[serde(deny_unknown_fields)]
        pub struct $params {
            /// The workbench
            #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
            pub workbench_id: Given<WorkbenchId>,
            /// The csv, tsv or xlsx file to read
            pub path: Given<WorkbenchPath>,
            /// The file to write
            pub target_path: Given<WorkbenchPath>,
            $(
                $(#[$about])*
                #[arg(long)]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// One SELECT [default: all rows]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub query: Option<String>,
            /// Additional tables: {"name": "path"}
            #[arg(long, value_name = "JSON")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub tables: Option<NamedTables>,
            /// Which copy to read [default: the Draft, if one exists]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub root: Option<Root>,
            /// The sheet to read, if the source is a workbook
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source_sheet: Option<String>,
            /// Its cell range
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source_range: Option<String>,
            /// Write only if the target still has this hash
            #[arg(long, value_name = "HASH")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub base_hash: Option<Given<HashPrefix>>,
            /// Show what would be written without writing
            #[arg(long)]
            #[serde(default)]
            pub dry_run: bool,
        }
        operation!($op, Draft, $surfaces, $params => $output, $example);
    };
}

table_write! {
    /// Write a query's rows to a new csv or xlsx file in the Draft
    TabularExport, TabularExportParams => TabularExportOutput, Surfaces::all("table_export"),
    r#"{"workbench_id":"board-deck","path":"bank.csv","target_path":"large.csv","query":"SELECT * FROM data WHERE amount > 100 ORDER BY amount"}"#, {
        /// csv or xlsx [default: from the file name]
        format: String,
        /// The sheet's name [default: Sheet1]
        sheet: String,
        /// Put an apostrophe before text that a spreadsheet would run as a formula [default: true]
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        safe_csv: bool,
        /// Field delimiter of the csv file
        target_delimiter: String,
        /// Whether the csv file starts with a byte order mark
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        byte_order_mark: bool,
        /// lf or crlf
        newline: String,
    }
}
table_write! {
    /// Write a query's rows to a sheet of a workbook in the Draft
    TabularUpdateFromExport, TabularUpdateFromExportParams => TabularUpdateFromExportOutput, Surfaces::all("table_update_from_export"),
    r#"{"workbench_id":"board-deck","path":"bank.csv","target_path":"budget.xlsx","sheet":"Bank","mode":"replace_sheet"}"#, {
        /// The sheet
        sheet: String,
        /// replace_sheet, append_rows or write_range
        mode: String,
        /// Start cell of write_range [default: A1]
        start_cell: String,
        /// Whether to write the column names [default: true]
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        include_header: bool,
        /// [default: true]
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        create_workbook_if_missing: bool,
        /// [default: true]
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        create_sheet_if_missing: bool,
        /// Clear the target range before writing
        #[arg(num_args = 0..=1, default_missing_value = "true", require_equals = true)]
        clear_target_range: bool,
    }
}

/// Write a query's rows to a csv or xlsx file on this machine
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TabularExtractParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The csv, tsv or xlsx file to read
    pub path: Given<WorkbenchPath>,
    /// The file on this machine to write; its extension selects csv or xlsx
    #[arg(long, value_name = "FILE")]
    pub to: String,
    /// One SELECT [default: all rows]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Additional tables: {"name": "path"}
    #[arg(long, value_name = "JSON")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<NamedTables>,
    /// Which copy to read [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// The sheet to read, if the source is a workbook
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sheet: Option<String>,
    /// Its cell range
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_range: Option<String>,
    /// Field delimiter, if auto-detection is wrong
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Quote character; empty for none
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether the first row is a header
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// Encoding, if characters look wrong
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Put an apostrophe before text that a spreadsheet would run as a formula [default: true]
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_csv: Option<bool>,
    /// Replace an existing file
    #[arg(long)]
    #[serde(default)]
    pub overwrite: bool,
}
/// The file that was written on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TabularExtractOutput {
    /// Its path.
    pub to: String,
    /// `csv` or `xlsx`.
    pub format: String,
    /// Number of rows, without the header.
    pub row_count: u64,
    /// Number of columns.
    pub column_count: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}
operation!(TabularExtract, Read, Surfaces::HOST, TabularExtractParams => TabularExtractOutput,
    r#"{"workbench_id":"board-deck","path":"bank.csv","to":"large.csv","query":"SELECT * FROM data WHERE amount > 100 ORDER BY amount"}"#);
