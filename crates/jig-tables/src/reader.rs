//! Tables opened for questions.

mod answer;
mod cells;
mod describe;
mod export;
mod query;
mod rows;
mod stats;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use duckdb::Connection;

pub use answer::{Chunk, ColumnCount, ColumnStats, Description, QueryAnswer, RowsAnswer, Stats, TableMap};
pub use cells::fits_double;
pub use export::{ResultColumn, ResultRow, RowSink, Value as CellValue};
pub(crate) use query::mentions_row_numbers;

use crate::direct::{self, Scan};
use crate::engine::{self, QueryTimer, TimerThread};
use crate::error::TableError;
use crate::meta::{ColumnInfo, Meta};
use jig_worker::QueryLimits;
use jig_worker::table_params::ReadOptions;

/// Tables under their names, ready to be asked.
pub struct Reader {
    connection: Connection,
    timers: TimerThread,
    names: Vec<String>,
    metas: Vec<Meta>,
    limits: QueryLimits,
    cancel: Option<Arc<AtomicBool>>,
    /// The file itself, where no converted table is asked.
    scan: Option<Arc<Scan>>,
    /// Whether the tables show the numbers of their rows now.
    numbered: AtomicBool,
    /// The query that was asked last.
    last: Mutex<Option<(String, Arc<query::Ready>)>>,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("names", &self.names).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Reader {
    /// Opens converted tables, each under a name for SQL.
    pub fn open(tables: &[(&str, &Path)], limits: QueryLimits) -> Result<Self, TableError> {
        for (index, (name, _)) in tables.iter().enumerate() {
            check_name(name)?;
            if tables.iter().take(index).any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(TableError::Invalid(format!("tables: the name `{name}` is there twice")));
            }
        }
        let (connection, metas) = engine::open(tables, limits)?;
        let names = tables.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Self {
            timers: TimerThread::new(&connection)?,
            connection,
            names,
            metas,
            limits: limits.clamped(),
            cancel: None,
            scan: None,
            numbered: AtomicBool::new(false),
            last: Mutex::default(),
        })
    }

    /// Opens a delimited file where it lies. It is good for [`query`](Self::query) alone, and only until
    /// [`is_broken`](Self::is_broken) says that its beginning promised other values than it has.
    pub fn direct(
        name: &str,
        file: File,
        options: &ReadOptions,
        limits: QueryLimits,
        cancel: Option<Arc<AtomicBool>>,
    ) -> Result<Self, TableError> {
        check_name(name)?;
        let (connection, meta, scan) = direct::open(name, file, options, limits, cancel.clone())?;
        let names = vec![name.to_owned()];
        Ok(Self {
            timers: TimerThread::new(&connection)?,
            connection,
            names,
            metas: vec![meta],
            limits: limits.clamped(),
            cancel,
            scan: Some(scan),
            numbered: AtomicBool::new(false),
            last: Mutex::default(),
        })
    }

    /// Whether a file that is asked where it lies must be converted after all.
    pub fn is_broken(&self) -> bool {
        self.scan.as_ref().is_some_and(|scan| scan.is_broken())
    }

    /// The same, and what is under way ends when this becomes true.
    pub fn until(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// The bounds that its queries have.
    pub fn limits(&self) -> QueryLimits {
        self.limits
    }

    /// What is known of the first table without asking it.
    pub fn meta(&self) -> Result<&Meta, TableError> {
        self.metas.first().ok_or_else(|| TableError::Invalid("a table is needed".to_owned()))
    }

    /// Warnings of all tables; with their names when there are several.
    pub fn warnings(&self) -> Vec<String> {
        if let Some(scan) = &self.scan {
            return Meta::new(&scan.plan, &scan.report()).warnings;
        }
        let several = self.metas.len() > 1;
        let named = self.names.iter().zip(&self.metas);
        let all = named.flat_map(|(name, meta)| meta.warnings.iter().map(move |words| (name, words)));
        all.map(|(name, words)| if several { format!("table `{name}`: {words}") } else { words.clone() }).collect()
    }

    fn timer(&self) -> QueryTimer {
        if self.timers.take_fired() {
            // When its query had just ended, the next one would be stopped: this one, of which nobody asks anything.
            let _ = self.connection.execute_batch("SELECT 1");
        }
        self.timers.set(self.limits.timeout_ms, self.cancel.as_ref())
    }

    /// The columns of these names, or all.
    fn chosen(&self, names: Option<&[String]>) -> Result<Vec<&ColumnInfo>, TableError> {
        let all = &self.meta()?.columns;
        let Some(names) = names else { return Ok(all.iter().collect()) };
        names.iter().map(|name| find(all, name)).collect()
    }
}

fn find<'a>(columns: &'a [ColumnInfo], name: &str) -> Result<&'a ColumnInfo, TableError> {
    let exact = columns.iter().find(|column| column.name == name);
    let near = |name: &str| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
    exact.or_else(|| near(name)).or_else(|| near(name.trim())).ok_or_else(|| {
        let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
        TableError::Invalid(format!(
            "columns: there is no column `{name}`; there are {}",
            jig_text::csv::first_few(&names)
        ))
    })
}

/// Names of tables are plain words, so that queries can use them as they are.
fn check_name(name: &str) -> Result<(), TableError> {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if first && name.len() <= 64 && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(TableError::Invalid(format!("tables: `{name}` is no name for a table; letters, digits and _ make one")))
}
