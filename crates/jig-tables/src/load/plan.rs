//! The plan of a table: its format and schema, from its start or from all of it.

use jig_text::csv::{CsvFormat, DetectionScope, SampleScope, SchemaBuilder, TableSchema};
use jig_worker::table_params::ReadOptions;

use super::Deadline;
use crate::error::TableError;
use crate::source::Source;

/// How a table is read.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The encoding and dialect of a delimited file; `None` for rows of a caller.
    pub(crate) format: Option<CsvFormat>,
    /// Whether the caller specified the quote character.
    pub(crate) quote_is_given: bool,
    pub(crate) schema: TableSchema,
}

/// Makes the plan of a table.
pub(crate) fn plan(
    source: &mut Source<'_>,
    options: &ReadOptions,
    scope: SampleScope,
    deadline: &Deadline,
) -> Result<Plan, TableError> {
    deadline.check()?;
    let detection = match scope {
        SampleScope::Start => DetectionScope::Start,
        SampleScope::All => DetectionScope::All,
    };
    let format = source.format(options, detection)?;
    let mut stream = source.stream(format)?;
    let first = stream.next_batch()?.unwrap_or_default();
    let mut schema = SchemaBuilder::new(&first, options.has_header, scope);
    schema.add(&first);
    drop(first);
    while schema.needs_more()
        && let Some(batch) = stream.next_batch()?
    {
        deadline.check()?;
        schema.add(&batch);
    }
    Ok(Plan { format, quote_is_given: options.quote.is_some(), schema: schema.finish() })
}
