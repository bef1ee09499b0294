//! Inference for delimited text as a function of its bytes, for fuzzing. DuckDB is not used.

use std::fs::File;

use crate::load::{Watch, plans};
use crate::source::Source;
use jig_worker::table_params::ReadOptions;

/// The inferred encoding, dialect, header and types, from the beginning and from the entire file; or the error.
pub fn plan(file: File) -> Result<String, String> {
    let watch = Watch::start(None, None);
    plans(&mut Source::Delimited(file), &ReadOptions::default(), &watch)
        .map(|plans| format!("{plans:?}"))
        .map_err(|error| error.to_string())
}
