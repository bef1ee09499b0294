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

use crate::csv::encoding::Text;
use crate::csv::rows::{Kept, Rows};
use crate::csv::scan::{Oddities, Scanner};
use crate::error::TableError;
use crate::load::{Plan, Shape, Tally, Watch, batch};

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
    tally: Option<Tally>,
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
    pub(crate) fn tally(&self) -> Tally {
        locked(&self.told).tally.clone().unwrap_or_else(|| Tally::of(self.plan.columns.len()))
    }

    /// Begins a scan of these columns; those that the plan does not know are left out.
    pub(super) fn start(&self, columns: &[usize]) -> Running {
        let columns: Vec<usize> = columns.iter().copied().filter(|index| *index < self.plan.columns.len()).collect();
        let (made, taken) = sync_channel(WAITING);
        let tally = Tally::of(self.plan.columns.len());
        let running = Running { taken, early: BTreeMap::new(), next: 0, tally, told: Arc::clone(&self.told) };
        let Some(dialect) = self.plan.dialect else { return running };
        let at = At { file: Arc::clone(&self.file), at: dialect.found.mark as u64 };
        let kept = Kept::some(&columns, self.plan.layout.names.len());
        let scanner = Scanner::new(Text::new(at, dialect.found.charset), dialect.marks).in_runs(RUN, kept);
        let source = Arc::new(Mutex::new(Splitting { scanner, next: 0, ended: false }));
        let shape = Arc::new(Shape::of(&self.plan, columns));
        for _ in 0..self.threads {
            let (source, shape, made) = (Arc::clone(&source), Arc::clone(&shape), made.clone());
            let (plan, watch) = (Arc::clone(&self.plan), Watch::start(self.cancel.clone(), None));
            std::thread::spawn(move || work(&source, &plan, &shape, &made, &watch));
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
    tally: Tally,
    told: Arc<Mutex<Told>>,
}

impl Running {
    /// The next rows; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        while let Some(made) = self.in_turn() {
            match made {
                Made::Batch(batch, tally) => {
                    self.tally.follow(&tally);
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
                Made::End(oddities, replaced) => {
                    (self.tally.oddities, self.tally.replaced) = (oddities, replaced);
                    locked(&self.told).tally = Some(std::mem::take(&mut self.tally));
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
    Batch(RecordBatch, Box<Tally>),
    Misfit,
    Failed(TableError),
    End(Oddities, u64),
}

/// Where the text is split: by one thread at a time, since where a record begins is known by the ones before it.
struct Splitting {
    scanner: Scanner<'static>,
    next: u64,
    ended: bool,
}

impl Splitting {
    /// Puts the next run in place of an old one. Gives its number, and what there is instead at the end; none when that
    /// was told already.
    fn split(&mut self, rows: &mut Rows, watch: &Watch) -> Option<(u64, Option<Made>)> {
        if self.ended {
            return None;
        }
        let last = match watch.check().and_then(|()| self.scanner.next_into(rows)) {
            Ok(true) => None,
            Ok(false) => Some(Made::End(self.scanner.oddities, self.scanner.replaced())),
            Err(error) => Some(Made::Failed(error)),
        };
        self.ended = last.is_some();
        self.next += 1;
        Some((self.next - 1, last))
    }
}

fn work(source: &Mutex<Splitting>, plan: &Plan, shape: &Shape, made: &SyncSender<(u64, Made)>, watch: &Watch) {
    let mut rows = Rows::default();
    loop {
        let Some((number, last)) = locked(source).split(&mut rows, watch) else { return };
        let one = last.unwrap_or_else(|| turn(plan, shape, &rows));
        // Nobody takes it when the question is answered.
        if made.send((number, one)).is_err() {
            return;
        }
    }
}

fn turn(plan: &Plan, shape: &Shape, rows: &Rows) -> Made {
    let mut tally = Tally::of(plan.columns.len());
    match batch(plan, &mut tally, rows, shape) {
        Ok(Some(batch)) => Made::Batch(batch, Box::new(tally)),
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
