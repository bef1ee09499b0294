//! Asking a file where it lies. For one question it is quicker to read only the columns that it needs than to convert
//! the whole file first; from the second question on the conversion pays.
//!
//! The types are those that the beginning promises, as they are for a conversion. A value that does not keep the promise
//! ends the question, and the file is converted after all: an answer is the same either way.

mod function;
mod scan;

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use duckdb::Connection;

use crate::engine::{self, quoted};
use crate::error::TableError;
use crate::load::{ConversionReport, Deadline, Plan};
use crate::meta::Meta;
use crate::source::Source;
use jig_text::csv::SampleScope;
use jig_worker::QueryLimits;
use jig_worker::table_params::ReadOptions;

use function::{NAME, RowsFunction};
pub(crate) use scan::Scan;

/// A connection in which a file is a table under a name, and the file's scan.
pub(crate) fn open(
    name: &str,
    file: File,
    options: &ReadOptions,
    limits: QueryLimits,
    cancel: Option<Arc<AtomicBool>>,
) -> Result<(Connection, Meta, Arc<Scan>), TableError> {
    let mut source = Source::Delimited(file);
    let deadline = Deadline::start(cancel.clone(), None);
    // The engine starts while the file is looked at.
    let (plan, connection) = std::thread::scope(|scope| {
        let engine = scope.spawn(|| engine::memory(limits));
        let plan = crate::load::plan(&mut source, options, SampleScope::Start, &deadline);
        (plan, engine.join())
    });
    let plan = plan?;
    let connection = connection.map_err(|_| TableError::Engine("the engine did not start".to_owned()))??;
    let Source::Delimited(file) = source else { return Err(TableError::Engine("a file became rows".to_owned())) };
    if plan.schema.columns.is_empty() {
        return Err(TableError::Engine("there is no column to ask".to_owned()));
    }
    let meta = Meta::new(&plan, &ConversionReport::of(plan.schema.columns.len()));
    let scan = Scan::new(file, plan, limits.clamped().threads, cancel);
    connection.register_table_function::<RowsFunction>(NAME).map_err(TableError::engine)?;
    connection.execute_batch(&view(name, scan.number(), &scan.plan)).map_err(TableError::engine)?;
    engine::lock(&connection)?;
    Ok((connection, meta, scan))
}

fn view(name: &str, number: i64, plan: &Plan) -> String {
    let columns = plan.schema.columns.iter().enumerate();
    let columns: Vec<String> = columns.map(|(index, column)| format!("c{index} AS {}", quoted(&column.name))).collect();
    format!("CREATE VIEW {} AS SELECT {} FROM {NAME}({number})", quoted(name), columns.join(", "))
}
