//! The look at a table before it is filled.

use super::{Plan, Watch};
use crate::csv::rows::Rows;
use crate::error::TableError;
use crate::infer::{Column, Decided, Profile, decide};
use crate::layout::{Layout, fresh, lay_out};
use crate::source::{Source, Stream};
use jig_worker::table_params::ReadOptions;

/// How many records of the beginning are looked at.
const RECORDS: usize = 20_000;
/// And how many fields: wide tables have fewer records in the same look.
const FIELDS: usize = 400_000;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survey {
    Beginning,
    Whole,
}

/// Makes a table's plan.
pub(super) fn plan(
    source: &mut Source<'_>,
    options: &ReadOptions,
    survey: Survey,
    watch: &Watch,
) -> Result<Plan, TableError> {
    watch.check()?;
    let dialect = source.dialect(options, survey == Survey::Whole)?;
    let mut stream = source.stream(dialect)?;
    let first = stream.next_rows()?.unwrap_or_default();
    let layout = lay_out(&first, options.has_header);
    let mut looked =
        Looked { row: 0, profiles: vec![Profile::default(); layout.names.len()], wide: false, whole: true };
    looked.at(&layout, &first, survey);
    looked.rest(&layout, &mut stream, survey, watch)?;
    drop(stream);
    Ok(finish(dialect, layout, &looked))
}

struct Looked {
    row: u64,
    profiles: Vec<Profile>,
    /// Whether a record is longer than the table is wide.
    wide: bool,
    whole: bool,
}

impl Looked {
    fn rest(
        &mut self,
        layout: &Layout,
        stream: &mut Stream<'_>,
        survey: Survey,
        watch: &Watch,
    ) -> Result<(), TableError> {
        if survey == Survey::Beginning {
            // A file of one run is known to its end.
            self.whole = self.whole && stream.next_rows()?.is_none();
            return Ok(());
        }
        while let Some(rows) = stream.next_rows()? {
            watch.check()?;
            self.at(layout, &rows, survey);
        }
        Ok(())
    }

    fn at(&mut self, layout: &Layout, rows: &Rows, survey: Survey) {
        let width = layout.names.len();
        let most = if survey == Survey::Whole { usize::MAX } else { RECORDS.min(FIELDS / width.max(1)).max(50) };
        for row in wanted(layout, rows) {
            if self.row as usize >= most {
                self.whole = false;
                return;
            }
            self.row += 1;
            let line = rows.line(row);
            for (column, profile) in self.profiles.iter_mut().enumerate() {
                if let Some(cell) = rows.cell(row, column) {
                    profile.see(&cell, self.row, line);
                }
            }
            self.wide |= is_longer(rows, row, width);
        }
    }
}

/// The records that are rows of the table: below the header, and not empty lines.
pub(super) fn wanted<'a>(layout: &'a Layout, rows: &'a Rows) -> impl Iterator<Item = usize> + 'a {
    let first = layout.first_line + u64::from(layout.has_header);
    let one = layout.names.len() == 1;
    (0..rows.len()).filter(move |row| {
        let below = rows.line(*row) >= first;
        below && (one || !rows.is_blank(*row))
    })
}

/// Whether a record has values beyond the table's last column.
pub(super) fn is_longer(rows: &Rows, row: usize, width: usize) -> bool {
    (width..rows.width(row)).any(|column| rows.cell(row, column).is_some_and(|cell| !cell.is_missing()))
}

fn finish(dialect: Option<crate::source::Dialect>, layout: Layout, looked: &Looked) -> Plan {
    let mut used = layout.names.iter().map(|name| name.to_lowercase()).collect();
    let mut columns: Vec<Column> = layout
        .names
        .iter()
        .zip(&looked.profiles)
        .map(|(name, profile)| Column {
            name: name.clone(),
            decided: decide(profile),
            examples: profile.examples.clone(),
        })
        .collect();
    if looked.wide {
        let name = fresh("extra", &mut used);
        columns.push(Column { name, decided: Decided::text(), examples: Vec::new() });
    }
    Plan { dialect, layout, columns, overflow: looked.wide, whole: looked.whole }
}
