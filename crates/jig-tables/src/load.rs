//! From records to a table of the engine: types are told by the beginning, and when a later value does not fit them,
//! by all of it.

mod append;
mod convert;
mod fill;
mod storage;
mod survey;
mod tally;
mod watch;

use std::path::Path;

use duckdb::Connection;

use crate::error::TableError;
use crate::infer::{Column, Decided};
use crate::meta::Meta;
use crate::source::{Dialect, Source};
use jig_worker::table_params::ReadOptions;

pub(crate) use convert::data_type;
pub(crate) use fill::{ROW, Shape, TABLE, batch};
use survey::Survey;
pub(crate) use tally::Tally;
pub(crate) use watch::Watch;

/// What a fill came to: none when there is a value that the beginning did not promise, so that the whole must be
/// looked at.
type Filled = Option<Tally>;

/// The plan of a table.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) layout: crate::layout::Layout,
    pub(crate) columns: Vec<Column>,
    /// Whether records may be longer than the table is wide.
    pub(crate) overflow: bool,
    /// Whether every record was looked at to make it.
    pub(crate) whole: bool,
}

/// The plan by a table's beginning.
pub(crate) fn plan(source: &mut Source<'_>, options: &ReadOptions, watch: &Watch) -> Result<Plan, TableError> {
    survey::plan(source, options, Survey::Beginning, watch)
}

/// The plans from the beginning and from the entire table.
pub(crate) fn plans(source: &mut Source<'_>, options: &ReadOptions, watch: &Watch) -> Result<(Plan, Plan), TableError> {
    let beginning = survey::plan(source, options, Survey::Beginning, watch)?;
    Ok((beginning, survey::plan(source, options, Survey::Whole, watch)?))
}

/// Converts a table into a new database file.
pub(crate) fn load(
    source: &mut Source<'_>,
    options: &ReadOptions,
    target: &Path,
    watch: &Watch,
) -> Result<Meta, TableError> {
    let plan = survey::plan(source, options, Survey::Beginning, watch)?;
    if let (plan, Some(tally)) = attempt(source, plan, target, watch)? {
        return Ok(Meta::new(&plan, &tally));
    }
    let mut plan = survey::plan(source, options, Survey::Whole, watch)?;
    loop {
        let (done, filled) = attempt(source, plan, target, watch)?;
        plan = done;
        if let Some(tally) = filled {
            return Ok(Meta::new(&plan, &tally));
        }
        // Every value was seen, so this is a fault; but a table of texts holds anything.
        plan.overflow = true;
        let mut changed = false;
        for column in &mut plan.columns {
            changed |= column.decided.kind != crate::infer::Kind::Text;
            column.decided = Decided::text();
        }
        if !changed {
            return Err(TableError::Engine("a table of texts could not be filled".to_owned()));
        }
    }
}

fn attempt(source: &mut Source<'_>, plan: Plan, target: &Path, watch: &Watch) -> Result<(Plan, Filled), TableError> {
    let _ = std::fs::remove_file(target);
    let connection = crate::engine::create(target, plan.columns.len())?;
    let outcome = fill::fill(source, &plan, &connection, watch).and_then(|mut filled| {
        if let Some(tally) = &mut filled {
            tally.said = source.warnings();
            Meta::new(&plan, tally).write(&connection)?;
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
