//! Inference for delimited text as a function of its bytes, for fuzzing. DuckDB is not used.

use std::fs::File;

use jig_file_api::table::ReadOptions;
use jig_text::csv::SampleScope;

use crate::deadline::Deadline;
use crate::source::{Source, TablePlan};

/// The inferred encoding, dialect, header and types, from the beginning and from the entire file; or the error.
pub fn plans(file: File) -> Result<String, String> {
    let mut source = Source::Delimited(file);
    let mut plan = |scope| {
        TablePlan::new(&mut source, &ReadOptions::default(), scope, &Deadline::default()).map_err(|e| e.to_string())
    };
    Ok(format!("{:?} {:?}", plan(SampleScope::Start)?, plan(SampleScope::All)?))
}
