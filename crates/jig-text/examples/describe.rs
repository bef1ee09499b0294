//! Prints the format of a CSV file, its columns with their types, and how many rows it has.
//!
//! `cargo run -p jig-text --example describe -- FILE`

use std::fs::File;
use std::process::ExitCode;

use jig_text::csv::{CsvError, CsvFile, CsvOptions, SampleScope};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: describe FILE");
        return ExitCode::from(2);
    };
    match File::open(&path).map_err(CsvError::from).and_then(describe) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn describe(file: File) -> Result<(), CsvError> {
    let mut file = CsvFile::open(file, &CsvOptions::default())?;
    let format = file.format();
    println!("encoding: {} (confidence {})", format.encoding.charset, format.encoding.confidence);
    println!("delimiter: {:?} (confidence {})", char::from(format.dialect.delimiter), format.confidence);
    let schema = file.schema(SampleScope::All)?;
    println!("header: {} (confidence {})", schema.layout.has_header, schema.layout.header_confidence);
    for column in &schema.columns {
        let notation = column.format.notation.as_deref().unwrap_or("plain");
        println!("column {}: {:?}, {notation}", column.name, column.format.column_type);
    }
    let warnings = schema.columns.iter().filter_map(|column| column.format.warning.as_ref());
    for warning in schema.layout.warnings.iter().chain(warnings) {
        println!("warning: {warning}");
    }
    let mut reader = file.records()?;
    let mut rows = 0;
    while let Some(records) = reader.next_batch()? {
        rows += schema.layout.rows(&records).count();
    }
    println!("rows: {rows}, line endings: {}", reader.defects().line_ending());
    Ok(())
}
