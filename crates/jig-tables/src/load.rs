//! From records to a table of the engine: types are told by the beginning, and when a later value does not fit them,
//! by all of it.

mod append;
mod convert;
mod deadline;
mod fill;
mod plan;
mod report;
mod storage;

use std::path::Path;

use duckdb::Connection;

use crate::error::TableError;
use crate::meta::Meta;
use crate::source::Source;
use jig_text::csv::{ColumnFormat, ColumnType, SampleScope};
use jig_worker::table_params::ReadOptions;

pub(crate) use convert::data_type;
pub(crate) use deadline::Deadline;
pub(crate) use fill::{ROW, Shape, TABLE, batch};
pub(crate) use plan::{Plan, plan};
pub(crate) use report::ConversionReport;

/// What a fill came to: none when there is a value that the beginning did not promise, so that the whole must be
/// looked at.
type Filled = Option<ConversionReport>;

/// Converts a table into a new database file.
pub(crate) fn load(
    source: &mut Source<'_>,
    options: &ReadOptions,
    target: &Path,
    deadline: &Deadline,
) -> Result<Meta, TableError> {
    let plan = plan::plan(source, options, SampleScope::Start, deadline)?;
    if let (plan, Some(report)) = attempt(source, plan, target, deadline)? {
        return Ok(Meta::new(&plan, &report));
    }
    let mut plan = plan::plan(source, options, SampleScope::All, deadline)?;
    loop {
        let (done, filled) = attempt(source, plan, target, deadline)?;
        plan = done;
        if let Some(report) = filled {
            return Ok(Meta::new(&plan, &report));
        }
        // Every value was seen, so this is a fault; but a table of texts holds anything.
        plan.schema.has_extra_column = true;
        let mut changed = false;
        for column in &mut plan.schema.columns {
            changed |= column.format.column_type != ColumnType::Text;
            column.format = ColumnFormat::text();
        }
        if !changed {
            return Err(TableError::Engine("a table of texts could not be filled".to_owned()));
        }
    }
}

fn attempt(
    source: &mut Source<'_>,
    plan: Plan,
    target: &Path,
    deadline: &Deadline,
) -> Result<(Plan, Filled), TableError> {
    let _ = std::fs::remove_file(target);
    let connection = crate::engine::create(target, plan.schema.columns.len())?;
    let outcome = fill::fill(source, &plan, &connection, deadline).and_then(|mut filled| {
        if let Some(report) = &mut filled {
            report.said = source.warnings();
            Meta::new(&plan, report).write(&connection)?;
            connection.execute_batch("CHECKPOINT").map_err(TableError::engine)?;
        }
        Ok(filled)
    });
    close(connection);
    match outcome {
        Ok(filled) => Ok((plan, filled)),
        Err(error) => {
            let _ = std::fs::remove_file(target);
            Err(error)
        }
    }
}

fn close(connection: Connection) {
    // What could not be closed was not written; the caller renames only what it could read back.
    let _ = connection.close();
}
