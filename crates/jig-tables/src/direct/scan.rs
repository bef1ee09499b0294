//! A file read from its beginning to its end, as arrays of some of its columns. One thread splits text into records,
//! one turns them into arrays; the engine takes those on its own.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use duckdb::arrow::record_batch::RecordBatch;

use crate::csv::encoding::Text;
use crate::csv::rows::Rows;
use crate::csv::scan::Scanner;
use crate::error::TableError;
use crate::load::{Plan, Shape, Tally, Watch, batch};

/// Runs of records that may wait between two threads.
const WAITING: usize = 2;

/// All scans of this process, by their numbers: the engine hands numbers through, not values.
static SCANS: LazyLock<Mutex<HashMap<i64, Weak<Scan>>>> = LazyLock::new(Mutex::default);

/// A file that can be scanned, any number of times.
#[derive(Debug)]
pub(crate) struct Scan {
    number: i64,
    file: Arc<File>,
    pub(crate) plan: Arc<Plan>,
    cancel: Option<Arc<AtomicBool>>,
    told: Arc<Mutex<Told>>,
}

/// What scans have told.
#[derive(Debug, Default)]
struct Told {
    /// What was met by one that was taken to its end: how far another one came is a matter of chance.
    tally: Option<Tally>,
    /// Whether a value did not keep the plan's promise.
    broken: bool,
}

impl Drop for Scan {
    fn drop(&mut self) {
        SCANS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

impl Scan {
    pub(super) fn new(file: File, plan: Plan, cancel: Option<Arc<AtomicBool>>) -> Arc<Self> {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (file, plan) = (Arc::new(file), Arc::new(plan));
        let scan = Arc::new(Self { number, file, plan, cancel, told: Arc::default() });
        SCANS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::downgrade(&scan));
        scan
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    pub(super) fn find(number: i64) -> Option<Arc<Self>> {
        SCANS.lock().unwrap_or_else(PoisonError::into_inner).get(&number)?.upgrade()
    }

    /// Whether a value did not keep the plan's promise, so that no answer counts.
    pub(crate) fn is_broken(&self) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).broken
    }

    /// What was met on the way, once a scan has come to the end.
    pub(crate) fn tally(&self) -> Tally {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.tally.clone().unwrap_or_else(|| Tally::of(self.plan.columns.len()))
    }

    /// Begins a scan of these columns; those that the plan does not know are left out.
    pub(super) fn start(&self, columns: &[usize]) -> Running {
        let columns = columns.iter().copied().filter(|index| *index < self.plan.columns.len()).collect();
        let shape = Shape::of(&self.plan, columns);
        let watch = Watch::start(self.cancel.clone(), None);
        let (rows_in, rows_out) = sync_channel(WAITING);
        let (arrays_in, arrays_out) = sync_channel(WAITING);
        let (file, plan) = (Arc::clone(&self.file), Arc::clone(&self.plan));
        std::thread::spawn(move || split(file, &plan, &rows_in, &watch));
        let (plan, told) = (Arc::clone(&self.plan), Arc::clone(&self.told));
        std::thread::spawn(move || turn(&plan, &shape, &rows_out, &arrays_in, &told));
        Running { made: arrays_out, told: Arc::clone(&self.told) }
    }
}

/// A scan on its way. It ends when this is dropped.
pub(super) struct Running {
    made: Receiver<Made>,
    told: Arc<Mutex<Told>>,
}

impl Running {
    /// The next rows; none at the end.
    pub(super) fn next(&self) -> Result<Option<RecordBatch>, TableError> {
        match self.made.recv() {
            Ok(Made::Batch(batch)) => Ok(Some(batch)),
            Ok(Made::Failed(error)) => Err(error),
            Ok(Made::End(tally)) => {
                self.told.lock().unwrap_or_else(PoisonError::into_inner).tally = Some(*tally);
                Ok(None)
            }
            Err(_) => Ok(None),
        }
    }
}

/// What the converter hands on: rows, the end with all that was met, or why there is no more.
enum Made {
    Batch(RecordBatch),
    End(Box<Tally>),
    Failed(TableError),
}

/// What the splitter hands on: records, the end with what was odd, or why there is no more.
enum Split {
    Rows(Rows),
    End(Box<(crate::csv::scan::Oddities, u64)>),
    Failed(TableError),
}

fn split(file: Arc<File>, plan: &Plan, rows: &SyncSender<Split>, watch: &Watch) {
    let Some(dialect) = plan.dialect else { return };
    let at = dialect.found.mark as u64;
    let mut scanner = Scanner::new(Text::new(At { file, at }, dialect.found.encoding), dialect.marks);
    loop {
        let next = match watch.check().and_then(|()| scanner.next_rows()) {
            Ok(Some(run)) => Split::Rows(run),
            Ok(None) => Split::End(Box::new((scanner.oddities.clone(), scanner.replaced()))),
            Err(error) => Split::Failed(error),
        };
        let last = !matches!(next, Split::Rows(_));
        // Nobody takes it when the question is answered.
        if rows.send(next).is_err() || last {
            return;
        }
    }
}

fn turn(plan: &Plan, shape: &Shape, rows: &Receiver<Split>, made: &SyncSender<Made>, told: &Mutex<Told>) {
    let mut tally = Tally::of(plan.columns.len());
    while let Ok(next) = rows.recv() {
        let next = match next {
            Split::Rows(run) => match batch(plan, &mut tally, &run, shape) {
                Ok(Some(batch)) if batch.num_rows() == 0 => continue,
                Ok(Some(batch)) => Made::Batch(batch),
                Ok(None) => {
                    told.lock().unwrap_or_else(PoisonError::into_inner).broken = true;
                    let words = "a value is not what the beginning of the file promises";
                    Made::Failed(TableError::Engine(words.to_owned()))
                }
                Err(error) => Made::Failed(error),
            },
            Split::End(odd) => {
                (tally.oddities, tally.replaced) = *odd;
                Made::End(Box::new(std::mem::take(&mut tally)))
            }
            Split::Failed(error) => Made::Failed(error),
        };
        let last = !matches!(next, Made::Batch(_));
        // Nobody takes it when the question is answered.
        if made.send(next).is_err() || last {
            return;
        }
    }
}

/// A file from a place on, whoever else reads it.
struct At {
    file: Arc<File>,
    at: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
