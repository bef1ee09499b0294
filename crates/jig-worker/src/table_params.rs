//! The parameters that the `Tabular` methods share: which tables a call reads, and how. Checked here, so that Jig, the
//! worker and `jig-sql` understand them alike.

use jig_files::engine::{FileError, Format};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::table_cache::CacheKey;

pub use crate::protocol::is_table_method;
pub use jig_file_api::ops::{as_bool, as_count};

/// The fields of one of the `tables` of a call.
const FIELDS: [&str; 7] = ["path", "sheet", "range", "delimiter", "quote", "has_header", "encoding"];

/// Limits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryLimits {
    /// Milliseconds.
    pub timeout_ms: u64,
    /// Megabytes of memory.
    pub memory_mb: u64,
    /// Threads.
    pub threads: u64,
}

impl QueryLimits {
    /// Which values `timeout_ms` may have.
    pub const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=600_000;
    /// Which values `memory_mb` may have.
    pub const MEMORY_MB: std::ops::RangeInclusive<u64> = 64..=65_536;
    /// Which values `threads` may have.
    pub const THREADS: std::ops::RangeInclusive<u64> = 1..=64;

    /// The same with every value inside its range.
    pub fn clamped(self) -> Self {
        let within = |value: u64, range: std::ops::RangeInclusive<u64>| value.clamp(*range.start(), *range.end());
        Self {
            timeout_ms: within(self.timeout_ms, Self::TIMEOUT_MS),
            memory_mb: within(self.memory_mb, Self::MEMORY_MB),
            threads: within(self.threads, Self::THREADS),
        }
    }
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self { timeout_ms: 5_000, memory_mb: 512, threads: 2 }
    }
}

/// What a caller knows of a delimited file. What is not given is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadOptions {
    /// The delimiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The quote character; an empty text for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Whether the first record names the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// The encoding, by one of its usual names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}

/// One table of a call: a name for SQL, a file, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePart {
    /// The name in SQL.
    pub name: String,
    /// The file.
    pub path: String,
    /// The sheet of a workbook; none for the first.
    pub sheet: Option<String>,
    /// The cells of a sheet; none for its largest data block.
    pub range: Option<String>,
    /// What the caller knows of a delimited file.
    pub options: ReadOptions,
}

impl TablePart {
    /// The key of its converted form, by the hash of the file's content.
    pub fn key(&self, hash: &str) -> CacheKey {
        let part = match (&self.sheet, &self.range) {
            (None, None) if !self.is_workbook() => String::new(),
            (sheet, range) => serde_json::json!(["xlsx", sheet, range]).to_string(),
        };
        CacheKey::new(hash, &self.options, &part)
    }

    /// Whether its file is a workbook, by name.
    pub fn is_workbook(&self) -> bool {
        is_workbook(&self.path)
    }
}

/// The tables that a call reads.
pub fn parts(params: &Value) -> Result<Vec<TablePart>, FileError> {
    let Some(params) = params.as_object() else { return Err(FileError::invalid("params: an object is needed")) };
    let mut parts = Vec::new();
    if text(params, "path")?.is_some() {
        parts.push(part("data", params, "")?);
    }
    match params.get("tables").filter(|tables| !tables.is_null()) {
        None => {}
        Some(Value::Object(tables)) => {
            for (name, table) in tables {
                let at = format!("tables.{name}");
                parts.push(match table {
                    Value::String(path) => {
                        part(name, &Map::from_iter([("path".to_owned(), path.clone().into())]), &at)?
                    }
                    Value::Object(table) => {
                        check_fields(table, &at)?;
                        part(name, table, &at)?
                    }
                    _ => return Err(FileError::invalid(format!("{at}: a path, or an object with one, is needed"))),
                });
            }
        }
        Some(_) => return Err(FileError::invalid("tables: an object of names and paths is needed")),
    }
    if parts.is_empty() {
        return Err(FileError::invalid("path: missing"));
    }
    Ok(parts)
}

/// Refuses unknown fields: to ignore one could read another table than the caller asked for.
fn check_fields(table: &Map<String, Value>, at: &str) -> Result<(), FileError> {
    match table.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(FileError::invalid(format!("{at}.{key}: unknown; a table has {}", FIELDS.join(", ")))),
    }
}

fn part(name: &str, params: &Map<String, Value>, at: &str) -> Result<TablePart, FileError> {
    let field = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    let owned = |key: &str| Ok::<_, FileError>(text(params, key)?.map(str::to_owned));
    let path = owned("path")?.ok_or_else(|| FileError::invalid(format!("{}: missing", field("path"))))?;
    let has_header = match params.get("has_header") {
        None | Some(Value::Null) => None,
        Some(value) => match as_bool(value) {
            Some(flag) => Some(flag),
            None => return Err(FileError::invalid(format!("{}: expected true or false", field("has_header")))),
        },
    };
    let options = ReadOptions {
        delimiter: text(params, "delimiter")?.map(|text| mark(text, &field("delimiter"))).transpose()?,
        quote: owned("quote")?,
        has_header,
        encoding: owned("encoding")?,
    };
    let workbook = is_workbook(&path);
    let part = TablePart { name: name.to_owned(), path, sheet: owned("sheet")?, range: owned("range")?, options };
    let only = |given: bool, key: &str, what: &str| {
        if given { Err(FileError::invalid(format!("{}: only for {what}", field(key)))) } else { Ok(()) }
    };
    if workbook {
        only(part.options.delimiter.is_some(), "delimiter", "delimited files")?;
        only(part.options.quote.is_some(), "quote", "delimited files")?;
        only(part.options.encoding.is_some(), "encoding", "delimited files")?;
    } else {
        only(part.range.is_some(), "range", "workbooks")?;
    }
    Ok(part)
}

/// A delimiter as people give it.
pub fn mark(text: &str, at: &str) -> Result<char, FileError> {
    let named = match text {
        "tab" | "\\t" => Some('\t'),
        "comma" => Some(','),
        "semicolon" => Some(';'),
        "pipe" => Some('|'),
        _ => None,
    };
    let mut chars = text.chars();
    match (named, chars.next(), chars.next()) {
        (Some(mark), _, _) | (None, Some(mark), None) => Ok(mark),
        _ => Err(FileError::invalid(format!("{at}: one character is needed"))),
    }
}

/// Parameters whose spaces count, and for which an empty text is a value.
const EXACT: [&str; 2] = ["delimiter", "quote"];

/// A parameter that must be text. An empty one was not given, and spaces around it do not count.
pub fn text<'a>(params: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, FileError> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !EXACT.contains(&key) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(FileError::invalid(format!("{key}: a text is needed"))),
    }
}

/// The ending of a file's name, in small letters.
pub fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

/// Whether a name is a workbook's.
pub fn is_workbook(path: &str) -> bool {
    Format::Xlsx.endings().contains(&ending(path).as_str())
}
