//! A delimited file as a table without conversion, for the first query of a large file.
//!
//! For one query it is quicker to read only the columns that it needs than to convert the file; from the second query on
//! the conversion pays. The types are those that the start of the file suggests, as for a conversion. If a later value
//! does not fit them, the query is discarded and the file is converted after all: the reply is the same either way.
//!
//! DuckDB reads the rows through a table function. Several threads share the work: each in its turn splits a run of text
//! into records and then, while the next thread splits, turns them into arrays. DuckDB's threads take these in the order of
//! the file.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use duckdb::Connection;
use duckdb::arrow::record_batch::RecordBatch;
use duckdb::core::{DataChunkHandle, LogicalTypeHandle, LogicalTypeId};
use duckdb::vtab::{
    BindInfo, InitInfo, TableFunctionInfo, VTab, record_batch_to_duckdb_data_chunk, to_duckdb_logical_type,
};

use jig_file_api::table::ReadOptions;
use jig_text::csv::{CsvDefects, FieldSelection, RecordReader, Records, SampleScope};
use jig_worker::QueryLimits;

use crate::batch::{BatchShape, ConversionReport, batch, data_type};
use crate::deadline::Deadline;
use crate::engine::{self, quoted};
use crate::error::TableError;
use crate::meta::Meta;
use crate::source::{Source, TablePlan};

/// The function's name in SQL. A caller's query cannot use it: the guard lets only known functions through.
const FUNCTION: &str = "jig_rows";
/// Rows that DuckDB takes at a time.
const CHUNK_ROWS: usize = 2_048;
/// The most of DuckDB's threads that may take rows; it has as many as a query may use.
const MAX_TAKERS: u64 = 64;
/// How much text is a run: little enough to stay in the processor's cache until it is converted.
const RUN_BYTES: usize = 512 << 10;
/// Runs that may wait for DuckDB.
const WAITING_RUNS: usize = 8;

/// Opens a delimited file as a table under a name.
pub(crate) fn open(
    name: &str,
    file: File,
    options: &ReadOptions,
    limits: QueryLimits,
    cancel: Option<Arc<AtomicBool>>,
) -> Result<(Connection, Meta, Arc<CsvScan>), TableError> {
    let mut source = Source::Delimited(file);
    let deadline = Deadline::start(cancel.clone(), None);
    // DuckDB starts while the start of the file is examined.
    let (plan, connection) = std::thread::scope(|scope| {
        let engine = scope.spawn(|| engine::memory(limits));
        let plan = TablePlan::new(&mut source, options, SampleScope::Start, &deadline);
        (plan, engine.join())
    });
    let plan = plan?;
    let connection = connection.map_err(|_| TableError::internal("the start of DuckDB panicked"))??;
    let Source::Delimited(file) = source else { return Err(TableError::internal("the source has changed")) };
    if plan.schema.columns.is_empty() {
        return Err(TableError::internal("a file without columns can only be queried when it is converted"));
    }
    let meta = Meta::new(&plan, &ConversionReport::new(plan.schema.columns.len()));
    let scan = CsvScan::new(file, plan, limits.clamped().threads, cancel);
    connection.register_table_function::<RowsFunction>(FUNCTION)?;
    connection.execute_batch(&view(name, scan.number, &scan.plan))?;
    engine::lock(&connection)?;
    Ok((connection, meta, scan))
}

fn view(name: &str, number: i64, plan: &TablePlan) -> String {
    let columns = plan.schema.columns.iter().enumerate();
    let columns: Vec<String> = columns.map(|(index, column)| format!("c{index} AS {}", quoted(&column.name))).collect();
    format!("CREATE VIEW {} AS SELECT {} FROM {FUNCTION}({number})", quoted(name), columns.join(", "))
}

/// The table function through which DuckDB reads a scan.
struct RowsFunction;

/// One use of the function in one query: which columns are needed, and how far it is.
struct FunctionState {
    columns: Vec<usize>,
    rows: Mutex<PendingRows>,
}

#[derive(Default)]
struct PendingRows {
    scan: Option<RunningScan>,
    /// The last batch, and how many of its rows were taken.
    batch: Option<(RecordBatch, usize)>,
}

impl PendingRows {
    /// As many of the next rows as DuckDB takes; `None` at the end.
    fn next(&mut self, start: impl FnOnce() -> RunningScan) -> Result<Option<RecordBatch>, TableError> {
        let scan = self.scan.get_or_insert_with(start);
        if self.batch.as_ref().is_none_or(|(batch, at)| *at >= batch.num_rows()) {
            self.batch = scan.next()?.map(|batch| (batch, 0));
        }
        let Some((batch, at)) = &mut self.batch else { return Ok(None) };
        let piece = batch.slice(*at, CHUNK_ROWS.min(batch.num_rows() - *at));
        *at += piece.num_rows();
        Ok(Some(piece))
    }
}

impl VTab for RowsFunction {
    type InitData = FunctionState;
    type BindData = Arc<CsvScan>;

    fn bind(bind: &BindInfo) -> Result<Self::BindData, Box<dyn Error>> {
        let scan = CsvScan::find(bind.get_parameter(0).to_int64()).ok_or("the table is closed")?;
        for (index, column) in scan.plan.schema.columns.iter().enumerate() {
            bind.add_result_column(
                &format!("c{index}"),
                to_duckdb_logical_type(&data_type(column.format.column_type))?,
            );
        }
        Ok(scan)
    }

    fn init(init: &InitInfo) -> Result<Self::InitData, Box<dyn Error>> {
        let columns = init.get_column_indices().into_iter().map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        // If the order of rows matters, DuckDB uses one thread whatever is set here.
        init.set_max_threads(MAX_TAKERS);
        Ok(FunctionState { columns: columns.collect(), rows: Mutex::default() })
    }

    fn func(func: &TableFunctionInfo<Self>, output: &mut DataChunkHandle) -> Result<(), Box<dyn Error>> {
        let state = func.get_init_data();
        let piece = locked(&state.rows)
            .next(|| func.get_bind_data().start(&state.columns))
            .map_err(|error| error.to_string())?;
        match piece {
            None => output.set_len(0),
            // A count of rows needs no column.
            Some(piece) if piece.num_columns() == 0 => output.set_len(piece.num_rows()),
            Some(piece) => record_batch_to_duckdb_data_chunk(&piece, output)?,
        }
        Ok(())
    }

    fn supports_pushdown() -> bool {
        true
    }

    fn parameters() -> Option<Vec<LogicalTypeHandle>> {
        Some(vec![LogicalTypeId::Bigint.into()])
    }
}

/// The scans of this process by number. A table function cannot capture a value: what is registered with it comes back
/// to the callbacks as a raw pointer, which only `unsafe` code could read. So a view calls the function with a number.
static SCANS: LazyLock<Mutex<HashMap<i64, Weak<CsvScan>>>> = LazyLock::new(Mutex::default);

/// A delimited file that queries read, any number of times.
#[derive(Debug)]
pub(crate) struct CsvScan {
    number: i64,
    file: Arc<File>,
    plan: Arc<TablePlan>,
    threads: u64,
    cancel: Option<Arc<AtomicBool>>,
    outcome: Arc<Mutex<ScanOutcome>>,
}

/// What scans have found out about the file.
#[derive(Debug, Default)]
struct ScanOutcome {
    /// The report of a scan that reached the end: how far another one came is a matter of chance.
    report: Option<ConversionReport>,
    /// Whether a value did not fit the plan.
    misfit: bool,
}

impl Drop for CsvScan {
    fn drop(&mut self) {
        locked(&SCANS).remove(&self.number);
    }
}

impl CsvScan {
    fn new(file: File, plan: TablePlan, threads: u64, cancel: Option<Arc<AtomicBool>>) -> Arc<Self> {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (file, plan) = (Arc::new(file), Arc::new(plan));
        let scan = Arc::new(Self { number, file, plan, threads, cancel, outcome: Arc::default() });
        locked(&SCANS).insert(number, Arc::downgrade(&scan));
        scan
    }

    fn find(number: i64) -> Option<Arc<Self>> {
        locked(&SCANS).get(&number)?.upgrade()
    }

    /// Whether a value did not fit the plan, so that no reply counts.
    pub(crate) fn is_broken(&self) -> bool {
        locked(&self.outcome).misfit
    }

    /// The table as it is known now: warnings about its records are complete once a scan has reached the end.
    pub(crate) fn meta(&self) -> Meta {
        let report = locked(&self.outcome).report.clone();
        Meta::new(&self.plan, &report.unwrap_or_else(|| ConversionReport::new(self.plan.schema.columns.len())))
    }

    /// Starts a scan of these columns; unknown ones are ignored.
    fn start(&self, columns: &[usize]) -> RunningScan {
        let columns: Vec<usize> =
            columns.iter().copied().filter(|index| *index < self.plan.schema.columns.len()).collect();
        let (sender, receiver) = sync_channel(WAITING_RUNS);
        let report = ConversionReport::new(self.plan.schema.columns.len());
        let running =
            RunningScan { receiver, early: BTreeMap::new(), next: 0, report, outcome: Arc::clone(&self.outcome) };
        let Some(format) = self.plan.format else { return running };
        let start = FileFrom { file: Arc::clone(&self.file), position: format.encoding.bom_len as u64 };
        let selection = FieldSelection::of(&columns, self.plan.schema.layout.names.len());
        let reader = format.read(start).in_batches(RUN_BYTES, selection);
        let splitter = Arc::new(Mutex::new(Splitter { reader, next: 0, ended: false }));
        let shape = Arc::new(BatchShape::of(&self.plan, columns));
        for _ in 0..self.threads {
            let (splitter, shape, sender) = (Arc::clone(&splitter), Arc::clone(&shape), sender.clone());
            let (plan, deadline) = (Arc::clone(&self.plan), Deadline::start(self.cancel.clone(), None));
            std::thread::spawn(move || work(&splitter, &plan, &shape, &sender, &deadline));
        }
        running
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A scan in progress. Its threads end when this is dropped.
struct RunningScan {
    receiver: Receiver<(u64, ScannedRun)>,
    /// Runs that were finished before an earlier one.
    early: BTreeMap<u64, ScannedRun>,
    next: u64,
    report: ConversionReport,
    outcome: Arc<Mutex<ScanOutcome>>,
}

/// The result of a run: rows with their report, or why there are no more.
enum ScannedRun {
    Rows(RecordBatch, Box<ConversionReport>),
    Misfit,
    Failed(TableError),
    End(CsvDefects, u64),
}

impl RunningScan {
    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        while let Some(run) = self.next_run() {
            match run {
                ScannedRun::Rows(batch, report) => {
                    self.report.append(&report);
                    if batch.num_rows() > 0 {
                        return Ok(Some(batch));
                    }
                }
                ScannedRun::Misfit => {
                    locked(&self.outcome).misfit = true;
                    return Err(TableError::internal(
                        "a value does not fit the type that the start of its file suggests",
                    ));
                }
                ScannedRun::Failed(error) => return Err(error),
                ScannedRun::End(defects, replaced) => {
                    (self.report.defects, self.report.replaced) = (defects, replaced);
                    locked(&self.outcome).report = Some(std::mem::take(&mut self.report));
                }
            }
        }
        Ok(None)
    }

    /// The next run in the order of the file, whichever thread finished it.
    fn next_run(&mut self) -> Option<ScannedRun> {
        let run = loop {
            if let Some(run) = self.early.remove(&self.next) {
                break run;
            }
            let (number, run) = self.receiver.recv().ok()?;
            self.early.insert(number, run);
        };
        self.next += 1;
        Some(run)
    }
}

/// Splits the text, one thread at a time: where a record starts is known only from those before it.
struct Splitter {
    reader: RecordReader<'static>,
    next: u64,
    ended: bool,
}

impl Splitter {
    /// Reads the next run into `records`. Returns its number, and the result at the end or after an error; `None` once that
    /// was returned.
    fn split(&mut self, records: &mut Records, deadline: &Deadline) -> Option<(u64, Option<ScannedRun>)> {
        if self.ended {
            return None;
        }
        let last = match deadline.check().and_then(|()| Ok(self.reader.read_batch(records)?)) {
            Ok(true) => None,
            Ok(false) => Some(ScannedRun::End(self.reader.defects(), self.reader.replaced())),
            Err(error) => Some(ScannedRun::Failed(error)),
        };
        self.ended = last.is_some();
        self.next += 1;
        Some((self.next - 1, last))
    }
}

fn work(
    splitter: &Mutex<Splitter>,
    plan: &TablePlan,
    shape: &BatchShape,
    sender: &SyncSender<(u64, ScannedRun)>,
    deadline: &Deadline,
) {
    let mut records = Records::default();
    loop {
        let Some((number, last)) = locked(splitter).split(&mut records, deadline) else { return };
        let run = last.unwrap_or_else(|| convert_run(plan, shape, &records));
        // The receiver is gone once the query has its rows.
        if sender.send((number, run)).is_err() {
            return;
        }
    }
}

fn convert_run(plan: &TablePlan, shape: &BatchShape, records: &Records) -> ScannedRun {
    let mut report = ConversionReport::new(plan.schema.columns.len());
    match batch(plan, &mut report, records, shape) {
        Ok(Some(batch)) => ScannedRun::Rows(batch, Box::new(report)),
        Ok(None) => ScannedRun::Misfit,
        Err(error) => ScannedRun::Failed(error),
    }
}

/// Reads a file from a position on, independently of its other readers.
struct FileFrom {
    file: Arc<File>,
    position: u64,
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = jig_worker::read_at(&self.file, buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}
