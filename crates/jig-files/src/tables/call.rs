//! The parameters of a call, checked.

use jig_tables::{CacheKey, ReadOptions};
use serde_json::{Map, Value};

use super::is_workbook;
use crate::engine::FileError;

const METHODS: [&str; 7] = [
    "TabularGetMap",
    "TabularDescribe",
    "TabularGetStats",
    "TabularReadRows",
    "TabularQuery",
    "TabularExport",
    "TabularUpdateFromExport",
];

/// What can be said of one of the `tables` of a call.
const FIELDS: [&str; 7] = ["path", "sheet", "range", "delimiter", "quote", "has_header", "encoding"];

/// Whether a method is one of those on tables.
pub fn is_table_method(name: &str) -> bool {
    METHODS.contains(&name)
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
    /// The cells of a sheet; none for its largest island.
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

    pub(super) fn is_workbook(&self) -> bool {
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

/// A field that is not known would be left out, and another table read than was meant.
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
        Some(Value::Bool(flag)) => Some(*flag),
        Some(_) => return Err(FileError::invalid(format!("{}: true or false is needed", field("has_header")))),
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
pub(super) fn mark(text: &str, at: &str) -> Result<char, FileError> {
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

fn text<'a>(params: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, FileError> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(FileError::invalid(format!("{key}: a text is needed"))),
    }
}

/// The ending of a file's name, in small letters.
pub(super) fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

/// A call.
pub(super) struct Call<'a> {
    params: &'a Map<String, Value>,
    pub(super) parts: Vec<TablePart>,
}

impl<'a> Call<'a> {
    pub(super) fn new(method: &str, params: &'a Value) -> Result<Self, FileError> {
        if !is_table_method(method) {
            return Err(FileError::invalid(format!("unknown method: {method}")));
        }
        let mut parts = parts(params)?;
        let Some(params) = params.as_object() else { return Err(FileError::invalid("params: an object is needed")) };
        // For these, `sheet` is where the rows go.
        if matches!(method, "TabularExport" | "TabularUpdateFromExport")
            && let Some(first) = parts.first_mut().filter(|_| params.contains_key("path"))
        {
            first.sheet = text(params, "source_sheet")?.map(str::to_owned);
            first.range = text(params, "source_range")?.map(str::to_owned);
        }
        Ok(Self { params, parts })
    }

    pub(super) fn format(&self) -> &'static str {
        if self.parts.first().is_some_and(TablePart::is_workbook) { "xlsx" } else { "csv" }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, FileError> {
        text(self.params, key)
    }

    pub(super) fn needed(&self, key: &str) -> Result<&'a str, FileError> {
        self.text(key)?.ok_or_else(|| FileError::invalid(format!("{key}: missing")))
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, FileError> {
        match self.params.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(FileError::invalid(format!("{key}: true or false is needed"))),
        }
    }

    /// Whether a large file is to be converted before its first query too.
    pub(super) fn wants_conversion(&self) -> Result<bool, FileError> {
        self.flag("convert", false)
    }

    /// What is given of these and means nothing here, in words.
    pub(super) fn unused(&self, keys: &[&str], what: &str) -> Option<String> {
        let given = |key: &&&str| self.params.get(**key).is_some_and(|value| !value.is_null() && *value != false);
        let given: Vec<&str> = keys.iter().filter(given).copied().collect();
        if given.is_empty() { None } else { Some(format!("{}: without a meaning for {what}", given.join(", "))) }
    }

    pub(super) fn number(&self, key: &str, default: u64) -> Result<u64, FileError> {
        match self.params.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => {
                value.as_u64().ok_or_else(|| FileError::invalid(format!("{key}: a whole number from 0 on is needed")))
            }
        }
    }

    pub(super) fn columns(&self) -> Result<Option<Vec<String>>, FileError> {
        let wrong = || FileError::invalid("columns: a list of names is needed");
        match self.params.get("columns") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(names)) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong));
                let names: Vec<String> = names.collect::<Result<_, _>>()?;
                Ok(if names.is_empty() { None } else { Some(names) })
            }
            Some(_) => Err(wrong()),
        }
    }
}
