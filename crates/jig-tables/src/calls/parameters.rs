//! A call's own parameters, checked. Those that name its tables are read by [`jig_worker::table_params`].

use jig_file_api::{Strictness, Warning, table_params};
use jig_files::engine::FileError;
use jig_worker::table_params::{TablePart, as_bool, as_count, is_table_method, parts, text};
use serde_json::{Map, Value};

/// A call.
pub(super) struct Call {
    params: Map<String, Value>,
    pub(super) parts: Vec<TablePart>,
    /// What was understood in another way than it was written.
    pub(super) warnings: Vec<Warning>,
}

impl Call {
    pub(super) fn new(method: &str, params: &Value, strictness: Strictness) -> Result<Self, FileError> {
        if !is_table_method(method) {
            return Err(FileError::invalid(format!("unknown method: {method}")));
        }
        let (params, warnings) = table_params(method, params, strictness)?;
        let mut parts = parts(&params)?;
        let Value::Object(params) = params else { return Err(FileError::invalid("params: an object is needed")) };
        // For these, `sheet` is where the rows go.
        if matches!(method, "TabularExport" | "TabularUpdateFromExport")
            && let Some(first) = parts.first_mut().filter(|_| params.contains_key("path"))
        {
            first.sheet = text(&params, "source_sheet")?.map(str::to_owned);
            first.range = text(&params, "source_range")?.map(str::to_owned);
        }
        Ok(Self { params, parts, warnings })
    }

    pub(super) fn format(&self) -> &'static str {
        if self.parts.first().is_some_and(TablePart::is_workbook) { "xlsx" } else { "csv" }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, FileError> {
        text(&self.params, key)
    }

    pub(super) fn needed(&self, key: &str) -> Result<&str, FileError> {
        self.text(key)?.ok_or_else(|| FileError::invalid(format!("{key}: missing")))
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, FileError> {
        match self.params.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => as_bool(value).ok_or_else(|| FileError::invalid(format!("{key}: expected true or false"))),
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
                as_count(value).ok_or_else(|| FileError::invalid(format!("{key}: a whole number from 0 on is needed")))
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
