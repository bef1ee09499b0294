//! `TabularExport`: the rows of a query into a new file.

use std::fs::File;
use std::io::{BufWriter, Seek as _, Write as _};

use crate::{CsvWriterOptions, Newline};
use serde_json::{Value, json};

use jig_worker::table_params::{ending, mark};
use jig_worker::unwritable;

use super::parameters::Call;
use super::{OpenTable, TableEngine, Told, workbook};
use jig_files::engine::FileError;

/// Parameters that say how csv is written.
const CSV_ONLY: [&str; 4] = ["safe_csv", "target_delimiter", "byte_order_mark", "newline"];

impl TableEngine {
    /// Writes the rows of a query to an empty file, and answers `TabularExport`. After an error the file is of no use.
    pub fn export(&self, params: &Value, open: &OpenTable<'_>, file: &File) -> Result<Value, FileError> {
        let call = Call::new("TabularExport", params, self.strictness)?;
        let target_path = call.needed("target_path")?;
        let format = format(&call, target_path)?;
        let (query, options) = (call.text("query")?, options(&call)?);
        let fresh = || empty(file).map_err(|error| unwritable(target_path, &error));
        if format == "xlsx" {
            let sheet = call.text("sheet")?.unwrap_or("Sheet1");
            let (rows, columns, warnings) = self.with_reader(&call, open, |reader| {
                let mut writer = workbook::Writer::new(fresh()?, sheet)?;
                let (rows, mut warnings) = reader.each_row(query, &mut writer).map_err(Told::Table)?;
                let columns = writer.width();
                warnings.extend(writer.finish()?);
                warnings.extend(call.unused(&CSV_ONLY, "a workbook"));
                warnings.splice(0..0, call.warnings.iter().map(ToString::to_string));
                Ok((rows, columns, warnings))
            })?;
            return Ok(json!({
                "target_path": target_path, "format": format, "row_count": rows, "column_count": columns, "sheet": sheet,
                "warnings": warnings,
            }));
        }
        let (rows, columns, warnings) = self.with_reader(&call, open, |reader| {
            let mut writer = BufWriter::with_capacity(1 << 20, fresh()?);
            let mut told = reader.export_csv(query, options, &mut writer).map_err(Told::Table)?;
            writer.flush().map_err(|error| unwritable(target_path, &error))?;
            told.2.extend(call.unused(&["sheet"], "csv"));
            told.2.splice(0..0, call.warnings.iter().map(ToString::to_string));
            Ok(told)
        })?;
        Ok(json!({
            "target_path": target_path, "format": format, "row_count": rows, "column_count": columns, "warnings": warnings,
        }))
    }
}

/// The file from its beginning, without what an earlier attempt wrote.
fn empty(file: &File) -> std::io::Result<File> {
    let mut file = file.try_clone()?;
    file.set_len(0)?;
    file.rewind()?;
    Ok(file)
}

/// The format that is asked for, which the name must fit.
fn format(call: &Call, target: &str) -> Result<&'static str, FileError> {
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

fn options(call: &Call) -> Result<CsvWriterOptions, FileError> {
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
    Ok(CsvWriterOptions {
        delimiter,
        byte_order_mark: call.flag("byte_order_mark", false)?,
        newline,
        escape_formulas: call.flag("safe_csv", true)?,
    })
}
