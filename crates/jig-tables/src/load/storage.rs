//! How the values of a column lie in its table's file. The engine chooses by size; where that makes a query wait, we do.

use std::collections::HashSet;

use jig_text::csv::{ColumnType, Records};

use super::Plan;
use crate::error::TableError;
use crate::source::Source;

/// Values that are looked at.
const VALUES: usize = 10_000;
/// With fewer, nothing is known and nothing is to be gained.
const FEW: usize = 1_000;
/// The longest texts, on average, that are kept as they are: longer ones are worth the room that is saved.
const SHORT: usize = 128;

/// A column's way to lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// As the engine chooses.
    Chosen,
    /// As it is. Short texts of which hardly any is there twice shrink by half at most, and a search through them takes
    /// twice the time when each must be unpacked first.
    Plain,
}

impl Storage {
    pub(super) const fn sql(self) -> &'static str {
        match self {
            Self::Chosen => "",
            Self::Plain => " USING COMPRESSION uncompressed",
        }
    }
}

/// The storage of each column, told by a table's beginning.
pub(super) fn of(source: &mut Source<'_>, plan: &Plan) -> Result<Vec<Storage>, TableError> {
    let first = source.stream(plan.format)?.next_batch()?.unwrap_or_default();
    let records: Vec<usize> = plan.schema.layout.rows(&first).take(VALUES).collect();
    let columns = plan.schema.columns.iter().enumerate();
    Ok(columns
        .map(|(index, column)| match column.format.column_type {
            ColumnType::Text if is_short_and_various(&first, &records, index) => Storage::Plain,
            _ => Storage::Chosen,
        })
        .collect())
}

fn is_short_and_various(rows: &Records, records: &[usize], column: usize) -> bool {
    let column = rows.column(column);
    let texts: Vec<&str> = records.iter().filter_map(|row| Some(column.raw(*row)?.0)).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let various = || texts.iter().collect::<HashSet<_>>().len() * 2 > texts.len();
    texts.len() >= FEW && bytes <= texts.len() * SHORT && various()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use jig_text::csv::SampleScope;
    use jig_worker::table_params::ReadOptions;

    use crate::load::{Deadline, plan};

    fn told(rows: usize) -> Vec<Storage> {
        let mut file = tempfile::tempfile().unwrap();
        writeln!(file, "id,city,note,essay").unwrap();
        for row in 0..rows {
            let (city, essay) = (["Oslo", "Lima"][row % 2], "many words ".repeat(20));
            writeln!(file, "{row},{city},note {row},{essay}{row}").unwrap();
        }
        let mut source = Source::Delimited(file);
        let plan =
            plan(&mut source, &ReadOptions::default(), SampleScope::Start, &Deadline::start(None, None)).unwrap();
        of(&mut source, &plan).unwrap()
    }

    #[test]
    fn short_texts_that_hardly_repeat_are_kept_as_they_are() {
        let [chosen, plain] = [Storage::Chosen, Storage::Plain];
        assert_eq!(told(5_000), [chosen, chosen, plain, chosen]);
        assert_eq!(told(100), [chosen; 4]);
    }
}
