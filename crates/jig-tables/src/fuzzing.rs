//! Inference for delimited text as a function of its bytes, for fuzzing. DuckDB is not used.

use std::fs::File;

use jig_text::csv::SampleScope;

use crate::load::{Deadline, plan};
use crate::source::Source;
use jig_worker::table_params::ReadOptions;

/// The inferred encoding, dialect, header and types, from the beginning and from the entire file; or the error.
pub fn plans(file: File) -> Result<String, String> {
    let mut source = Source::Delimited(file);
    let deadline = Deadline::start(None, None);
    let mut plan = |scope| plan(&mut source, &ReadOptions::default(), scope, &deadline).map_err(|e| e.to_string());
    Ok(format!("{:?} {:?}", plan(SampleScope::Start)?, plan(SampleScope::All)?))
}
