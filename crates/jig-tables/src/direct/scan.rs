//! A file read from its beginning to its end, as arrays of some of its columns. Several threads share the work: each in
//! its turn splits a run of text into records and then, while the next one splits, turns them into arrays. The engine
//! takes those on its own threads, in the order of the file.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use duckdb::arrow::record_batch::RecordBatch;
use jig_text::csv::{CsvDefects, FieldSelection, RecordReader, Records};

use crate::error::TableError;
use crate::load::{ConversionReport, Deadline, Plan, Shape, batch};

/// How much text is a run: little enough to stay near the processor until it is turned.
const RUN: usize = 512 << 10;
/// Runs that may wait for the engine.
const WAITING: usize = 8;

/// All scans of this process, by their numbers: the engine hands numbers through, not values.
static SCANS: LazyLock<Mutex<HashMap<i64, Weak<Scan>>>> = LazyLock::new(Mutex::default);

/// A file that can be scanned, any number of times.
#[derive(Debug)]
pub(crate) struct Scan {
    number: i64,
    file: Arc<File>,
    pub(crate) plan: Arc<Plan>,
    pub(super) threads: u64,
    cancel: Option<Arc<AtomicBool>>,
    told: Arc<Mutex<Told>>,
}

/// What scans have told.
#[derive(Debug, Default)]
struct Told {
    /// What was met by one that was taken to its end: how far another one came is a matter of chance.
    report: Option<ConversionReport>,
    /// Whether a value did not keep the plan's promise.
    broken: bool,
}

impl Drop for Scan {
    fn drop(&mut self) {
        locked(&SCANS).remove(&self.number);
    }
}

impl Scan {
    pub(super) fn new(file: File, plan: Plan, threads: u64, cancel: Option<Arc<AtomicBool>>) -> Arc<Self> {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (file, plan) = (Arc::new(file), Arc::new(plan));
        let scan = Arc::new(Self { number, file, plan, threads, cancel, told: Arc::default() });
        locked(&SCANS).insert(number, Arc::downgrade(&scan));
        scan
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    pub(super) fn find(number: i64) -> Option<Arc<Self>> {
        locked(&SCANS).get(&number)?.upgrade()
    }

    /// Whether a value did not keep the plan's promise, so that no answer counts.
    pub(crate) fn is_broken(&self) -> bool {
        locked(&self.told).broken
    }

    /// What was met on the way, once a scan has come to the end.
    pub(crate) fn report(&self) -> ConversionReport {
        locked(&self.told).report.clone().unwrap_or_else(|| ConversionReport::of(self.plan.schema.columns.len()))
    }

    /// Begins a scan of these columns; those that the plan does not know are left out.
    pub(super) fn start(&self, columns: &[usize]) -> Running {
        let columns: Vec<usize> =
            columns.iter().copied().filter(|index| *index < self.plan.schema.columns.len()).collect();
        let (made, taken) = sync_channel(WAITING);
        let report = ConversionReport::of(self.plan.schema.columns.len());
        let running = Running { taken, early: BTreeMap::new(), next: 0, report, told: Arc::clone(&self.told) };
        let Some(format) = self.plan.format else { return running };
        let at = At { file: Arc::clone(&self.file), at: format.encoding.bom_len as u64 };
        let selection = FieldSelection::of(&columns, self.plan.schema.layout.names.len());
        let reader = format.read(at).in_batches(RUN, selection);
        let source = Arc::new(Mutex::new(Splitting { reader, next: 0, ended: false }));
        let shape = Arc::new(Shape::of(&self.plan, columns));
        for _ in 0..self.threads {
            let (source, shape, made) = (Arc::clone(&source), Arc::clone(&shape), made.clone());
            let (plan, deadline) = (Arc::clone(&self.plan), Deadline::start(self.cancel.clone(), None));
            std::thread::spawn(move || work(&source, &plan, &shape, &made, &deadline));
        }
        running
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A scan on its way. It ends when this is dropped.
pub(super) struct Running {
    taken: Receiver<(u64, Made)>,
    /// What came before its turn.
    early: BTreeMap<u64, Made>,
    next: u64,
    report: ConversionReport,
    told: Arc<Mutex<Told>>,
}

impl Running {
    /// The next rows; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        while let Some(made) = self.in_turn() {
            match made {
                Made::Batch(batch, report) => {
                    self.report.follow(&report);
                    if batch.num_rows() > 0 {
                        return Ok(Some(batch));
                    }
                }
                Made::Misfit => {
                    locked(&self.told).broken = true;
                    let words = "a value is not what the beginning of the file promises";
                    return Err(TableError::Engine(words.to_owned()));
                }
                Made::Failed(error) => return Err(error),
                Made::End(defects, replaced) => {
                    (self.report.defects, self.report.replaced) = (defects, replaced);
                    locked(&self.told).report = Some(std::mem::take(&mut self.report));
                }
            }
        }
        Ok(None)
    }

    fn in_turn(&mut self) -> Option<Made> {
        let made = loop {
            if let Some(made) = self.early.remove(&self.next) {
                break made;
            }
            let (number, made) = self.taken.recv().ok()?;
            self.early.insert(number, made);
        };
        self.next += 1;
        Some(made)
    }
}

/// What becomes of a run: rows and what was met on the way to them, or why there is no more.
enum Made {
    Batch(RecordBatch, Box<ConversionReport>),
    Misfit,
    Failed(TableError),
    End(CsvDefects, u64),
}

/// Where the text is split: by one thread at a time, since where a record begins is known by the ones before it.
struct Splitting {
    reader: RecordReader<'static>,
    next: u64,
    ended: bool,
}

impl Splitting {
    /// Puts the next run in place of an old one. Gives its number, and what there is instead at the end; none when that
    /// was told already.
    fn split(&mut self, rows: &mut Records, deadline: &Deadline) -> Option<(u64, Option<Made>)> {
        if self.ended {
            return None;
        }
        let last = match deadline.check().and_then(|()| Ok(self.reader.read_batch(rows)?)) {
            Ok(true) => None,
            Ok(false) => Some(Made::End(self.reader.defects(), self.reader.replaced())),
            Err(error) => Some(Made::Failed(error)),
        };
        self.ended = last.is_some();
        self.next += 1;
        Some((self.next - 1, last))
    }
}

fn work(source: &Mutex<Splitting>, plan: &Plan, shape: &Shape, made: &SyncSender<(u64, Made)>, deadline: &Deadline) {
    let mut rows = Records::default();
    loop {
        let Some((number, last)) = locked(source).split(&mut rows, deadline) else { return };
        let one = last.unwrap_or_else(|| turn(plan, shape, &rows));
        // Nobody takes it when the question is answered.
        if made.send((number, one)).is_err() {
            return;
        }
    }
}

fn turn(plan: &Plan, shape: &Shape, rows: &Records) -> Made {
    let mut report = ConversionReport::of(plan.schema.columns.len());
    match batch(plan, &mut report, rows, shape) {
        Ok(Some(batch)) => Made::Batch(batch, Box::new(report)),
        Ok(None) => Made::Misfit,
        Err(error) => Made::Failed(error),
    }
}

/// A file from a place on, whoever else reads it.
struct At {
    file: Arc<File>,
    at: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = jig_worker::read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
