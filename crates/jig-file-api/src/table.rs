//! What callers may ask about tables: which files are read as tables and how, and the request of each `Tabular` method.
//!
//! Jig, its workers and `jig-sql` read the same parameters; because all of them parse them here, they agree on what a call
//! means. Only `jig-sql` runs the requests.

use std::fmt;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::address::CellRef;
use crate::ops::{OpIssue, ParamShape, Strictness, Warning, as_bool};
use crate::read::Address;

/// The names of the methods on tables.
pub const TABLE_METHODS: [&str; 7] = [
    "TabularGetMap",
    "TabularDescribe",
    "TabularGetStats",
    "TabularReadRows",
    "TabularQuery",
    "TabularExport",
    "TabularUpdateFromExport",
];

/// The fields of an entry of `tables`.
const SOURCE_FIELDS: [&str; 7] = ["path", "sheet", "range", "delimiter", "quote", "has_header", "encoding"];

/// Rows in a reply if the call does not specify a number.
const DEFAULT_ROWS: u64 = 100;

/// Whether a method is one of those on tables.
pub fn is_table_method(name: &str) -> bool {
    TABLE_METHODS.contains(&name)
}

/// The formats that are read as tables. The name of a file decides; a file whose content has a different format is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated, tab-separated and other delimited text.
    Delimited,
    /// A sheet of an Excel workbook.
    Workbook,
    /// One JSON object per line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Delimited, Self::Workbook, Self::JsonLines, Self::Parquet];

    /// The extensions of its files, in lower case. A file without an extension can be delimited text.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Delimited => &["csv", "tsv", "tab", "psv", "txt", "dat", "log", ""],
            Self::Workbook => &["xlsx", "xlsm", "xltx", "xltm"],
            Self::JsonLines => &["jsonl", "ndjson"],
            Self::Parquet => &["parquet"],
        }
    }

    /// The format of a file by its name; `None` if such files are not read as tables.
    pub fn of_path(path: &str) -> Option<Self> {
        let extension = extension(path);
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The name in replies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delimited => "csv",
            Self::Workbook => "xlsx",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The extension of a file's name in lower case; empty if it has none.
pub fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

/// What a caller knows about a delimited file. The rest is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadOptions {
    /// The delimiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The quote character; an empty text if quotes have no meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether the first record contains the names of the columns. Applies to sheets too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// The encoding, by one of its usual names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}

/// A table of a request: a name for SQL, a file, and which part of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSource {
    /// The name in SQL.
    pub name: String,
    /// The file.
    pub path: String,
    /// The sheet of a workbook; `None` for the first one.
    pub sheet: Option<String>,
    /// The cells of a sheet; `None` for its largest data block.
    pub range: Option<String>,
    /// What the caller knows about the file.
    pub options: ReadOptions,
}

impl TableSource {
    /// The format by the name of the file; `None` if such files are not read as tables.
    pub fn format(&self) -> Option<TableFormat> {
        TableFormat::of_path(&self.path)
    }

    /// Whether the file is a workbook, by its name.
    pub fn is_workbook(&self) -> bool {
        self.format() == Some(TableFormat::Workbook)
    }

    /// The tables that a call reads: `path` as the table `data`, and each entry of `tables` under its own name.
    pub fn list(params: &Value) -> Result<Vec<Self>, OpIssue> {
        let Some(params) = params.as_object() else { return Err(wrong_type("params", "an object")) };
        let mut sources = Vec::new();
        if text(params, "path", "path")?.is_some() {
            sources.push(Self::parse("data", params, "")?);
        }
        match params.get("tables") {
            None | Some(Value::Null) => {}
            Some(Value::Object(tables)) => {
                for (name, table) in tables {
                    let at = format!("tables.{name}");
                    sources.push(match table {
                        Value::String(path) => {
                            Self::parse(name, &Map::from_iter([("path".to_owned(), path.clone().into())]), &at)?
                        }
                        Value::Object(table) => {
                            check_fields(table, &at)?;
                            Self::parse(name, table, &at)?
                        }
                        _ => return Err(wrong_type(&at, "a path or an object with one")),
                    });
                }
            }
            Some(_) => return Err(wrong_type("tables", "an object of table names and paths")),
        }
        if sources.is_empty() {
            return Err(missing("path", "a file that is read as a table"));
        }
        Ok(sources)
    }

    fn parse(name: &str, params: &Map<String, Value>, at: &str) -> Result<Self, OpIssue> {
        let field = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
        let owned = |key: &str| Ok::<_, OpIssue>(text(params, key, &field(key))?.map(str::to_owned));
        let path = owned("path")?.ok_or_else(|| missing(&field("path"), "a file that is read as a table"))?;
        let has_header = match params.get("has_header") {
            None | Some(Value::Null) => None,
            Some(value) => Some(as_bool(value).ok_or_else(|| wrong_type(&field("has_header"), "true or false"))?),
        };
        let delimiter = exact(params, "delimiter", &field("delimiter"))?;
        let options = ReadOptions {
            delimiter: delimiter.map(|text| parse_delimiter(text, &field("delimiter"))).transpose()?,
            quote: exact(params, "quote", &field("quote"))?.map(str::to_owned),
            has_header,
            encoding: owned("encoding")?,
        };
        let source = Self { name: name.to_owned(), path, sheet: owned("sheet")?, range: owned("range")?, options };
        source.check(&field)?;
        Ok(source)
    }

    /// Refuses parameters that the file's format does not have: they may be intended for another file.
    fn check(&self, field: &dyn Fn(&str) -> String) -> Result<(), OpIssue> {
        let format = self.format().unwrap_or(TableFormat::Delimited);
        let only = |given: bool, key: &str, what: &str| match given {
            true => Err(invalid(&field(key), format!("only for {what}, not for a {format} file"))),
            false => Ok(()),
        };
        if format != TableFormat::Delimited {
            only(self.options.delimiter.is_some(), "delimiter", "delimited files")?;
            only(self.options.quote.is_some(), "quote", "delimited files")?;
            only(self.options.encoding.is_some(), "encoding", "delimited files")?;
        }
        if matches!(format, TableFormat::JsonLines | TableFormat::Parquet) {
            only(self.options.has_header.is_some(), "has_header", "delimited files and workbooks")?;
        }
        if format != TableFormat::Workbook {
            only(self.range.is_some(), "range", "workbooks")?;
        }
        Ok(())
    }
}

/// An unknown field would be ignored, and another table read than was meant.
fn check_fields(table: &Map<String, Value>, at: &str) -> Result<(), OpIssue> {
    match table.keys().find(|key| !SOURCE_FIELDS.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let why = format!("unknown; a table has {}", SOURCE_FIELDS.join(", "));
            Err(invalid(&format!("{at}.{key}"), why))
        }
    }
}

/// A call of a method on tables, with its parameters checked.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRequest {
    /// The tables that it reads; never empty.
    pub sources: Vec<TableSource>,
    /// What it asks.
    pub command: TableCommand,
}

/// What a call asks about its tables.
#[derive(Debug, Clone, PartialEq)]
pub enum TableCommand {
    /// `TabularGetMap`.
    Map,
    /// `TabularDescribe`.
    Describe,
    /// `TabularGetStats`.
    Stats {
        /// The names of the columns; `None` for all.
        columns: Option<Vec<String>>,
    },
    /// `TabularReadRows`.
    ReadRows {
        /// The number of the first row, from 1.
        start: u64,
        /// How many rows.
        count: u64,
        /// The names of the columns; `None` for all.
        columns: Option<Vec<String>>,
    },
    /// `TabularQuery`.
    Query(TableQuery),
    /// `TabularExport`.
    Export(TableExport),
    /// `TabularUpdateFromExport`.
    Update(TableUpdate),
}

/// A query with a window on its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableQuery {
    /// The query.
    pub sql: String,
    /// The most rows in the reply.
    pub window_rows: u64,
    /// How many rows to skip.
    pub window_offset: u64,
    /// Whether a large file is converted before its first query too.
    pub convert: bool,
}

/// The rows of a query as a new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableExport {
    /// The query; `None` for the entire first table.
    pub query: Option<String>,
    /// The file to write.
    pub target_path: String,
    /// Its format.
    pub format: ExportFormat,
}

/// How an export is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportFormat {
    /// Delimited text in UTF-8.
    Csv {
        /// The delimiter, an ASCII character.
        delimiter: u8,
        /// Whether a byte order mark precedes the text.
        byte_order_mark: bool,
        /// Whether lines end in CRLF instead of LF.
        crlf: bool,
        /// Whether text that a spreadsheet program would run as a formula gets an apostrophe in front.
        escape_formulas: bool,
    },
    /// A workbook with one sheet.
    Xlsx {
        /// The name of the sheet.
        sheet: String,
    },
}

/// The rows of a query in a sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableUpdate {
    /// The query; `None` for the entire first table.
    pub query: Option<String>,
    /// The workbook.
    pub target_path: String,
    /// The sheet that the rows are written to.
    pub sheet: String,
    /// Where in the sheet.
    pub mode: UpdateMode,
    /// The first cell that [`UpdateMode::WriteRange`] writes.
    pub start: CellRef,
    /// Whether the names of the columns are written above the rows.
    pub include_header: bool,
    /// Whether a missing workbook is created.
    pub create_workbook: bool,
    /// Whether a missing sheet is created.
    pub create_sheet: bool,
    /// Whether the written range is cleared first.
    pub clear_range: bool,
}

/// Where the rows of an update are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateMode {
    /// Over everything in the sheet.
    ReplaceSheet,
    /// Below the last row.
    AppendRows,
    /// From a cell on.
    WriteRange,
}

impl UpdateMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::ReplaceSheet, Self::AppendRows, Self::WriteRange];

    /// The name in calls.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReplaceSheet => "replace_sheet",
            Self::AppendRows => "append_rows",
            Self::WriteRange => "write_range",
        }
    }
}

impl TableRequest {
    /// Reads the parameters of a method. The warnings report what was understood differently from how it was written.
    pub fn parse(method: &str, params: &Value, strictness: Strictness) -> Result<(Self, Vec<Warning>), OpIssue> {
        if !is_table_method(method) {
            return Err(invalid("", format!("unknown method: {method}")));
        }
        let (params, mut warnings) = normalize(method, params, strictness)?;
        let mut sources = TableSource::list(&params)?;
        let command = match method {
            "TabularGetMap" => TableCommand::Map,
            "TabularDescribe" => TableCommand::Describe,
            "TabularGetStats" => TableCommand::Stats { columns: names(fields::<TableStats>(&params)?.columns) },
            "TabularReadRows" => {
                let given = fields::<TableRows>(&params)?;
                let (start, count) = (given.row_start.unwrap_or(1), given.row_count.unwrap_or(DEFAULT_ROWS));
                TableCommand::ReadRows { start, count, columns: names(given.columns) }
            }
            "TabularQuery" => TableCommand::Query(fields::<TableQueryParams>(&params)?.check()?),
            "TabularExport" => TableCommand::Export(fields::<TableExportParams>(&params)?.check(&mut warnings)?),
            _ => TableCommand::Update(fields::<TableUpdateParams>(&params)?.check()?),
        };
        // In calls that write, `sheet` is where the rows go.
        if matches!(command, TableCommand::Export(_) | TableCommand::Update(_))
            && let Some(first) = sources.first_mut().filter(|_| params.get("path").is_some_and(|path| !path.is_null()))
        {
            let target = fields::<TableTarget>(&params)?;
            (first.sheet, first.range) = (given(target.source_sheet), given(target.source_range));
        }
        Ok((Self { sources, command }, warnings))
    }

    /// The format of the first table, which describes the call as a whole.
    pub fn format(&self) -> TableFormat {
        self.sources.first().and_then(TableSource::format).unwrap_or(TableFormat::Delimited)
    }
}

/// The fields of a method, whose types were checked against its shape before.
fn fields<T: DeserializeOwned>(params: &Value) -> Result<T, OpIssue> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let at = error.path().to_string();
        invalid(if at == "." { "params" } else { &at }, error.inner().to_string())
    })
}

/// A text that is not empty, without the spaces around it.
fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn names(columns: Option<Vec<String>>) -> Option<Vec<String>> {
    columns.filter(|columns| !columns.is_empty())
}

/// The tables that a call reads, and how. They are parsed by [`TableSource::list`]; these fields define the shape.
#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "the fields define the shape of the parameters")]
struct TableInput {
    tables: Option<Value>,
    range: Option<String>,
    #[schemars(extend("x-empty" = true))]
    delimiter: Option<String>,
    #[schemars(extend("x-aliases" = ["quote_char"], "x-empty" = true))]
    quote: Option<String>,
    #[schemars(extend("x-aliases" = ["header"]))]
    has_header: Option<bool>,
    encoding: Option<String>,
    convert: Option<bool>,
    #[serde(flatten)]
    address: Address,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "the fields define the shape of the parameters")]
struct TableRead {
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"]))]
    sheet: Option<String>,
    #[serde(flatten)]
    input: TableInput,
}

#[derive(JsonSchema, Deserialize)]
struct TableStats {
    #[schemars(extend("x-aliases" = ["column"]))]
    columns: Option<Vec<String>>,
    #[serde(flatten)]
    _input: TableRead,
}

#[derive(JsonSchema, Deserialize)]
struct TableRows {
    #[schemars(extend("x-aliases" = ["start", "start_row"], "x-clamp" = true), range(min = 1))]
    row_start: Option<u64>,
    #[schemars(extend("x-aliases" = ["count", "limit", "rows"], "x-clamp" = true), range(min = 1, max = 10_000))]
    row_count: Option<u64>,
    #[schemars(extend("x-aliases" = ["column"]))]
    columns: Option<Vec<String>>,
    #[serde(flatten)]
    _input: TableRead,
}

#[derive(JsonSchema, Deserialize)]
struct TableQueryParams {
    #[schemars(extend("x-aliases" = ["sql"]))]
    query: Option<String>,
    #[schemars(extend("x-aliases" = ["limit"], "x-clamp" = true), range(min = 1, max = 10_000))]
    window_rows: Option<u64>,
    #[schemars(extend("x-aliases" = ["offset"], "x-clamp" = true), range(min = 0))]
    window_offset: Option<u64>,
    #[serde(flatten)]
    input: TableRead,
}

impl TableQueryParams {
    fn check(self) -> Result<TableQuery, OpIssue> {
        Ok(TableQuery {
            sql: given(self.query).ok_or_else(|| missing("query", "one SELECT over `data`"))?,
            window_rows: self.window_rows.unwrap_or(DEFAULT_ROWS),
            window_offset: self.window_offset.unwrap_or(0),
            convert: self.input.input.convert.unwrap_or(false),
        })
    }
}

/// What the two methods that write share.
#[derive(JsonSchema, Deserialize)]
struct TableTarget {
    #[schemars(extend("x-aliases" = ["sql"]))]
    query: Option<String>,
    target_path: Option<String>,
    #[serde(rename = "target_root")]
    _target_root: Option<String>,
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet", "target_sheet"]))]
    sheet: Option<String>,
    source_sheet: Option<String>,
    source_range: Option<String>,
    #[serde(flatten)]
    _input: TableInput,
}

impl TableTarget {
    fn path(&mut self) -> Result<String, OpIssue> {
        given(self.target_path.take()).ok_or_else(|| missing("target_path", "the file to write"))
    }
}

#[derive(JsonSchema, Deserialize)]
struct TableExportParams {
    #[schemars(extend("enum" = ["csv", "xlsx"]))]
    format: Option<String>,
    safe_csv: Option<bool>,
    #[schemars(extend("x-empty" = true))]
    target_delimiter: Option<String>,
    byte_order_mark: Option<bool>,
    #[schemars(extend("enum" = ["lf", "crlf"]))]
    newline: Option<String>,
    #[serde(flatten)]
    target: TableTarget,
}

impl TableExportParams {
    fn check(mut self, warnings: &mut Vec<Warning>) -> Result<TableExport, OpIssue> {
        let target_path = self.target.path()?;
        let extension = extension(&target_path);
        let by_name = if extension == "xlsx" { "xlsx" } else { "csv" };
        let name = given(self.format.take()).unwrap_or_else(|| by_name.to_owned());
        let extensions: &[&str] = match name.as_str() {
            "csv" => &["csv", "tsv", "psv", "txt"],
            "xlsx" => &["xlsx"],
            _ => return Err(invalid("format", format!("unknown format `{name}`: use csv or xlsx"))),
        };
        if !extensions.contains(&extension.as_str()) {
            let why = format!("a file with the ending .{extension} cannot be written as {name}");
            return Err(invalid("target_path", why));
        }
        let (query, sheet) = (given(self.target.query.take()), given(self.target.sheet.take()));
        let format = if name == "xlsx" {
            self.workbook(sheet, warnings)
        } else {
            self.csv(&extension, sheet.is_some(), warnings)?
        };
        Ok(TableExport { query, target_path, format })
    }

    fn workbook(self, sheet: Option<String>, warnings: &mut Vec<Warning>) -> ExportFormat {
        let given = [
            ("safe_csv", self.safe_csv == Some(true)),
            ("target_delimiter", self.target_delimiter.is_some()),
            ("byte_order_mark", self.byte_order_mark == Some(true)),
            ("newline", self.newline.is_some()),
        ];
        let unused = given.into_iter().filter(|(_, given)| *given);
        warnings.extend(unused.map(|(key, _)| Warning::new(key, "has no effect on a workbook")));
        ExportFormat::Xlsx { sheet: sheet.unwrap_or_else(|| "Sheet1".to_owned()) }
    }

    fn csv(self, extension: &str, has_sheet: bool, warnings: &mut Vec<Warning>) -> Result<ExportFormat, OpIssue> {
        let delimiter = match self.target_delimiter.as_deref() {
            None if extension == "tsv" => b'\t',
            None => b',',
            Some(text) => {
                let character = parse_delimiter(text, "target_delimiter")?;
                let ascii = u8::try_from(character).ok().filter(|byte| byte.is_ascii());
                ascii.filter(|byte| !matches!(byte, b'"' | b'\n' | b'\r')).ok_or_else(|| {
                    let why = "must be one ASCII character other than a quote or a line ending";
                    invalid("target_delimiter", why)
                })?
            }
        };
        let crlf = match self.newline.as_deref() {
            None | Some("lf") => false,
            Some("crlf") => true,
            Some(other) => return Err(invalid("newline", format!("unknown line ending `{other}`: use lf or crlf"))),
        };
        if has_sheet {
            warnings.push(Warning::new("sheet", "has no effect on a csv file"));
        }
        Ok(ExportFormat::Csv {
            delimiter,
            byte_order_mark: self.byte_order_mark.unwrap_or(false),
            crlf,
            escape_formulas: self.safe_csv.unwrap_or(true),
        })
    }
}

#[derive(JsonSchema, Deserialize)]
struct TableUpdateParams {
    #[schemars(extend("enum" = ["replace_sheet", "append_rows", "write_range"]))]
    mode: Option<String>,
    #[schemars(extend("x-aliases" = ["start"]))]
    start_cell: Option<String>,
    #[schemars(extend("x-aliases" = ["include_headers"]))]
    include_header: Option<bool>,
    create_workbook_if_missing: Option<bool>,
    create_sheet_if_missing: Option<bool>,
    clear_target_range: Option<bool>,
    #[serde(flatten)]
    target: TableTarget,
}

impl TableUpdateParams {
    fn check(mut self) -> Result<TableUpdate, OpIssue> {
        let target_path = self.target.path()?;
        let sheet = given(self.target.sheet.take()).ok_or_else(|| missing("sheet", "the sheet to write"))?;
        if TableFormat::of_path(&target_path) != Some(TableFormat::Workbook) {
            return Err(invalid("target_path", format!("{target_path} is not a .xlsx file")));
        }
        let modes = UpdateMode::ALL.map(UpdateMode::as_str).join(", ");
        let mode = given(self.mode).ok_or_else(|| missing("mode", &format!("one of {modes}")))?;
        let mode = UpdateMode::ALL
            .into_iter()
            .find(|known| known.as_str() == mode)
            .ok_or_else(|| invalid("mode", format!("unknown mode `{mode}`: use one of {modes}")))?;
        let clear_range = self.clear_target_range.unwrap_or(false);
        if clear_range && mode != UpdateMode::WriteRange {
            let why = "only for the mode write_range, where it clears the cells that are written";
            return Err(invalid("clear_target_range", why));
        }
        let start = given(self.start_cell).unwrap_or_else(|| "A1".to_owned());
        let start = start.replace('$', "").parse().map_err(|error| invalid("start_cell", format!("{error}")))?;
        Ok(TableUpdate {
            query: given(self.target.query.take()),
            target_path,
            sheet,
            mode,
            start,
            include_header: self.include_header.unwrap_or(true),
            create_workbook: self.create_workbook_if_missing.unwrap_or(true),
            create_sheet: self.create_sheet_if_missing.unwrap_or(true),
            clear_range,
        })
    }
}

/// The parameters with aliases and lossless differences of type corrected. A read ignores an unknown parameter with a
/// warning; for a method that writes it could be a misspelt target, so `strictness` decides.
fn normalize(method: &str, params: &Value, strictness: Strictness) -> Result<(Value, Vec<Warning>), OpIssue> {
    let Some((_, shape)) = shapes().iter().find(|(known, _)| *known == method).filter(|_| params.is_object()) else {
        return Ok((params.clone(), Vec::new()));
    };
    match method {
        "TabularExport" | "TabularUpdateFromExport" => shape.normalize_export(params.clone(), strictness),
        _ => shape.normalize_read(params.clone(), Strictness::Warn),
    }
}

/// The shapes of the methods, read from their structs once.
fn shapes() -> &'static [(&'static str, ParamShape); 7] {
    static SHAPES: OnceLock<[(&str, ParamShape); 7]> = OnceLock::new();
    SHAPES.get_or_init(|| {
        [
            ("TabularGetMap", ParamShape::of::<TableRead>()),
            ("TabularDescribe", ParamShape::of::<TableRead>()),
            ("TabularGetStats", ParamShape::of::<TableStats>()),
            ("TabularReadRows", ParamShape::of::<TableRows>()),
            ("TabularQuery", ParamShape::of::<TableQueryParams>()),
            ("TabularExport", ParamShape::of::<TableExportParams>()),
            ("TabularUpdateFromExport", ParamShape::of::<TableUpdateParams>()),
        ]
    })
}

/// A delimiter as people write it.
fn parse_delimiter(text: &str, at: &str) -> Result<char, OpIssue> {
    let named = match text {
        "tab" | "\\t" => Some('\t'),
        "comma" => Some(','),
        "semicolon" => Some(';'),
        "pipe" => Some('|'),
        _ => None,
    };
    let mut characters = text.chars();
    match (named, characters.next(), characters.next()) {
        (Some(delimiter), _, _) | (None, Some(delimiter), None) => Ok(delimiter),
        _ => Err(invalid(at, format!("must be one character (got `{text}`)"))),
    }
}

/// A parameter that must be text. An empty one counts as absent, and spaces around it do not count.
fn text<'a>(params: &'a Map<String, Value>, key: &str, at: &str) -> Result<Option<&'a str>, OpIssue> {
    Ok(exact(params, key, at)?.map(str::trim).filter(|text| !text.is_empty()))
}

/// The same for a text whose spaces count, and that may be empty.
fn exact<'a>(params: &'a Map<String, Value>, key: &str, at: &str) -> Result<Option<&'a str>, OpIssue> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong_type(at, "text")),
    }
}

fn invalid(at: &str, why: impl Into<String>) -> OpIssue {
    OpIssue::Invalid { at: at.to_owned(), why: why.into(), near: Vec::new() }
}

fn missing(at: &str, expected: &str) -> OpIssue {
    OpIssue::Missing { at: at.to_owned(), expected: expected.to_owned() }
}

fn wrong_type(at: &str, expected: &str) -> OpIssue {
    invalid(at, format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(method: &str, params: &Value) -> Result<TableRequest, String> {
        let parsed = TableRequest::parse(method, params, Strictness::Refuse);
        parsed.map(|(request, _)| request).map_err(|issue| issue.to_string())
    }

    #[test]
    fn a_query_reads_its_file_as_data_and_others_under_their_names() {
        let params = json!({
            "path": "a.csv", "query": "SELECT 1", "window_rows": "5",
            "tables": { "b": "b.parquet", "c": { "path": "c.xlsx", "sheet": "S", "range": "A1:B2" } },
        });
        let request = parse("TabularQuery", &params).unwrap();
        let names: Vec<&str> = request.sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["data", "b", "c"]);
        let formats: Vec<_> = request.sources.iter().map(TableSource::format).collect();
        let expected = [TableFormat::Delimited, TableFormat::Parquet, TableFormat::Workbook];
        assert_eq!(formats, expected.map(Some));
        let query = TableQuery { sql: "SELECT 1".to_owned(), window_rows: 5, window_offset: 0, convert: false };
        assert_eq!(request.command, TableCommand::Query(query));
    }

    #[test]
    fn parameters_of_another_format_are_refused() {
        let refused = |path: &str, key: &str, value: Value| {
            let mut params = json!({ "path": path });
            params[key] = value;
            parse("TabularGetMap", &params).unwrap_err()
        };
        let why = refused("a.xlsx", "delimiter", json!(";"));
        assert_eq!(why, "delimiter: only for delimited files, not for a xlsx file");
        assert!(refused("a.csv", "range", json!("A1:B2")).contains("only for workbooks"));
        assert!(refused("a.jsonl", "encoding", json!("latin1")).contains("only for delimited files"));
        assert!(refused("a.parquet", "has_header", json!(true)).contains("delimited files and workbooks"));
    }

    #[test]
    fn the_target_sheet_of_an_update_is_not_the_sheet_that_is_read() {
        let params = json!({
            "path": "a.xlsx", "source_sheet": "In", "target_path": "b.xlsx", "sheet": "Out", "mode": "append_rows",
        });
        let request = parse("TabularUpdateFromExport", &params).unwrap();
        assert_eq!(request.sources[0].sheet.as_deref(), Some("In"));
        let TableCommand::Update(update) = request.command else { panic!("{:?}", request.command) };
        assert_eq!((update.sheet.as_str(), update.mode), ("Out", UpdateMode::AppendRows));
    }

    #[test]
    fn exports_are_written_under_the_ending_of_their_format() {
        let export = |params: &Value| match parse("TabularExport", params)?.command {
            TableCommand::Export(export) => Ok(export.format),
            other => Err(format!("{other:?}")),
        };
        let tabs = export(&json!({ "path": "a.csv", "target_path": "b.tsv" })).unwrap();
        assert!(matches!(tabs, ExportFormat::Csv { delimiter: b'\t', escape_formulas: true, .. }), "{tabs:?}");
        let why = export(&json!({ "path": "a.csv", "target_path": "b.csv", "format": "xlsx" })).unwrap_err();
        assert_eq!(why, "target_path: a file with the ending .csv cannot be written as xlsx");
        let why = export(&json!({ "path": "a.csv", "target_path": "b.csv", "target_delimiter": "\"" })).unwrap_err();
        assert!(why.contains("other than a quote"), "{why}");
    }
}
