//! `TabularExport`: the rows of a query into a new file.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use jig_tables::{CsvOptions, Newline};
use serde_json::{Value, json};

use super::call::{Call, ending, mark};
use super::{OpenTable, TableEngine, told, workbook};
use crate::engine::{FileError, Reason};

impl TableEngine {
    /// Writes the rows of a query to an empty file, and answers `TabularExport`. After an error the file is of no use.
    pub fn export(&self, params: &Value, open: &OpenTable<'_>, file: File) -> Result<Value, FileError> {
        let call = Call::new("TabularExport", params)?;
        let target_path = call.needed("target_path")?;
        let format = format(&call, target_path)?;
        let reader = self.reader(&call, open)?;
        let query = call.text("query")?;
        if format == "xlsx" {
            let sheet = call.text("sheet")?.unwrap_or("Sheet1");
            let mut writer = workbook::Writer::new(file, sheet)?;
            let (rows, mut warnings) = reader.each_row(query, &mut writer).map_err(told)?;
            let columns = writer.width();
            warnings.extend(writer.finish()?);
            return Ok(json!({
                "target_path": target_path, "format": format, "row_count": rows, "column_count": columns, "sheet": sheet,
                "warnings": warnings,
            }));
        }
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        let options = options(&call)?;
        let (rows, columns, warnings) = reader.export_csv(query, options, &mut writer).map_err(told)?;
        writer.flush().map_err(|_| unwritable(target_path))?;
        Ok(json!({
            "target_path": target_path, "format": format, "row_count": rows, "column_count": columns, "warnings": warnings,
        }))
    }
}

fn unwritable(path: &str) -> FileError {
    FileError::new(Reason::Unwritable, format!("{path} could not be written"))
}

/// The format that is asked for, which the name must fit.
fn format(call: &Call<'_>, target: &str) -> Result<&'static str, FileError> {
    let by_name = ending(target);
    let format = call.text("format")?.unwrap_or(if by_name == "xlsx" { "xlsx" } else { "csv" });
    let (format, endings): (_, &[&str]) = match format {
        "csv" => ("csv", &["csv", "tsv", "psv", "txt"]),
        "xlsx" => ("xlsx", &["xlsx"]),
        other => return Err(FileError::invalid(format!("format: `{other}` is neither csv nor xlsx"))),
    };
    if endings.contains(&by_name.as_str()) {
        return Ok(format);
    }
    Err(FileError::invalid(format!("target_path: {format} is not written under the ending .{by_name}")))
}

fn options(call: &Call<'_>) -> Result<CsvOptions, FileError> {
    let tabs = call.text("target_path")?.is_some_and(|path| ending(path) == "tsv");
    let delimiter = match call.text("target_delimiter")? {
        None if tabs => b'\t',
        None => b',',
        Some(text) => {
            let mark = mark(text, "target_delimiter")?;
            u8::try_from(mark).ok().filter(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r')).ok_or_else(
                || {
                    FileError::invalid(
                        "target_delimiter: one ASCII character other than a quote or a line end is needed",
                    )
                },
            )?
        }
    };
    let newline = match call.text("newline")? {
        None | Some("lf") => Newline::Lf,
        Some("crlf") => Newline::CrLf,
        Some(other) => return Err(FileError::invalid(format!("newline: `{other}` is neither lf nor crlf"))),
    };
    Ok(CsvOptions {
        delimiter,
        byte_order_mark: call.flag("byte_order_mark", false)?,
        newline,
        safe: call.flag("safe_csv", false)?,
    })
}
