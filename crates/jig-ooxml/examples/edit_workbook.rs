//! Writes numbers and a formula into a workbook, computes what depends on them, and prints the changes.
//!
//! `cargo run -p jig-ooxml --example edit_workbook -- IN.xlsx OUT.xlsx`. Without files it works on a new workbook.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use jig_formula::FormulaEngine;
use jig_ooxml::edit::{Applied, ApplyOptions};
use jig_ooxml::xlsx;
use serde_json::json;

/// Edits the sheet `Budget`, which is created if the workbook lacks it.
pub(crate) fn edit(workbook: Vec<u8>) -> Result<Applied, jig_ooxml::Error> {
    let engine = FormulaEngine::default();
    let options = ApplyOptions { formulas: Some(&engine), ..ApplyOptions::default() };
    let ops = json!([
        {"op": "ensure_sheet", "sheet": "Budget"},
        {"op": "set_range", "sheet": "Budget", "start": "A1", "values": [["Item", "Cost"], ["Rent", 1200], ["Power", 80]]},
        {"op": "set_cells", "sheet": "Budget", "cells": [{"cell": "B4", "formula": "SUM(B2:B3)"}]}
    ]);
    xlsx::apply(Some(workbook.into()), &ops, &options)
}

/// A workbook with one empty sheet.
pub(crate) fn new_workbook() -> Result<Vec<u8>, jig_ooxml::Error> {
    xlsx::blank(&ApplyOptions::default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let workbook = match paths.first() {
        Some(path) => std::fs::read(path)?,
        None => new_workbook()?,
    };
    let edited = edit(workbook)?;
    if let Some(path) = paths.get(1) {
        std::fs::write(path, &edited.bytes)?;
    }
    for change in &edited.changes {
        println!("{}", change.summary);
    }
    for warning in &edited.warnings {
        println!("warning: {warning}");
    }
    Ok(())
}
