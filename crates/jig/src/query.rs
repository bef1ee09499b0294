//! `jig query`: runs SQL on a table and shows the rows, or writes all of them as CSV or a workbook.

use std::io;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use jig_contract::ops::TabularExtract;
use jig_contract::{Code, OpError, OpSpec, Operation};
use jig_workbench::Workbench;
use serde_json::Value;

use crate::app::App;
use crate::operation;
use crate::stop::Stop;

/// Adds the arguments that the operation does not have.
pub(crate) fn arguments(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let whole = ["window_rows", "window_offset", "params"];
    command
        .after_help(
            "The table is named `data`; the SQL dialect is DuckDB's. For example:\n  \
             jig query bank.csv \"SELECT category, sum(amount) FROM data GROUP BY 1 ORDER BY 2 DESC\"",
        )
        .arg(flag("csv", "Print all rows as csv").conflicts_with_all(whole).conflicts_with("out"))
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .conflicts_with_all(whole)
                .help("Write all rows to this file, a .csv, .tsv or .xlsx"),
        )
        .arg(flag("overwrite", "Replace an existing file").requires("out"))
}

/// Whether all rows are written, instead of a page of them shown.
pub(crate) fn is_whole(matches: &ArgMatches) -> bool {
    matches.get_flag("csv") || matches.contains_id("out")
}

/// Writes all rows of a query to a file or to standard output.
pub(crate) async fn write(app: &App, workbench: &Workbench, params: Value, matches: &ArgMatches) -> Result<(), Stop> {
    let mut params = params;
    if app.terminal.json && matches.get_flag("csv") {
        return Err(OpError::new(Code::InvalidParams, "`--csv` and `--json` cannot be combined")
            .hint("use only one of them")
            .into());
    }
    for (from, to) in [("sheet", "source_sheet"), ("range", "source_range")] {
        if let Some(value) = params.as_object_mut().and_then(|params| params.remove(from)) {
            params[to] = value;
        }
    }
    match matches.get_one::<String>("out") {
        Some(out) => {
            params["to"] = app.environment.folder.join(out).display().to_string().into();
            params["overwrite"] = matches.get_flag("overwrite").into();
            let output = operation::call(app, workbench, TabularExtract::NAME, params).await?;
            operation::print(app, &OpSpec::of::<TabularExtract>(), &output)
        }
        None => print(app, workbench, params).await,
    }
}

/// Prints CSV through a temporary file, so that a query that fails at the end prints nothing.
async fn print(app: &App, workbench: &Workbench, mut params: Value) -> Result<(), Stop> {
    let unwritable = |e| OpError::new(Code::FileWriteFailed, "cannot write a temporary file").because(e);
    let folder = workbench.temporary_files().path().map_err(unwritable)?;
    let scratch = Scratch(folder.join(format!("query-{}.csv", app.env.fresh_id())));
    params["to"] = scratch.0.display().to_string().into();
    let output = operation::call(app, workbench, TabularExtract::NAME, params).await?;
    let lost = |e| OpError::new(Code::FileReadFailed, "the query's result could not be read").because(e);
    let mut file = std::fs::File::open(&scratch.0).map_err(lost)?;
    io::copy(&mut file, &mut io::stdout().lock())?;
    let warnings = output["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    warnings.for_each(|warning| app.terminal.note(warning));
    Ok(())
}

/// A temporary file that is removed on drop.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
