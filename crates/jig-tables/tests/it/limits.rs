//! Time and memory end a query, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jig_tables::{Cache, CacheKey, QueryLimits, ReadOptions, Reader, Source, TableError};

use crate::support::TestTables;

fn reader(desk: &TestTables, limits: QueryLimits) -> Reader {
    let path = desk.convert(b"id\n1\n2\n", &Default::default()).unwrap();
    Reader::open(&[("data", &path)], limits).unwrap()
}

#[test]
fn a_cross_join_ends_in_time() {
    let desk = TestTables::new();
    let reader = reader(&desk, QueryLimits { timeout_ms: 300, ..QueryLimits::default() });
    let query = "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE (a.range + b.range * c.range) % 7 = 3";
    let begun = Instant::now();
    let error = reader.query(query, 10, 0).unwrap_err();
    assert!(matches!(error, TableError::TimedOut { millis: 300 }), "{error}");
    // Far beyond the limit, and far below the time the query would need.
    assert!(begun.elapsed().as_secs() < 60);
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

/// One thread watches all of them, and what stopped one does not stop the next.
#[test]
fn queries_that_end_too_late_and_in_time_can_follow_each_other() {
    let desk = TestTables::new();
    let reader = reader(&desk, QueryLimits { timeout_ms: 1_000, ..QueryLimits::default() });
    let endless = "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE (a.range + b.range * c.range) % 7 = 3";
    for _ in 0..2 {
        let error = reader.query(endless, 10, 0).unwrap_err();
        assert!(matches!(error, TableError::TimedOut { millis: 1_000 }), "{error}");
        for _ in 0..20 {
            assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
        }
    }
    // Each query has its own time, which does not continue between queries.
    std::thread::sleep(Duration::from_millis(1_200));
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

#[test]
fn a_huge_sort_ends_with_a_clear_error() {
    let desk = TestTables::new();
    let limits = QueryLimits { timeout_ms: 600_000, memory_mb: 64, threads: 2 };
    let reader = reader(&desk, limits);
    let query = "SELECT count(*) FROM (SELECT range AS a, md5(range::VARCHAR) AS b FROM range(20000000) ORDER BY b LIMIT 19000000)";
    let error = reader.query(query, 10, 0).unwrap_err();
    assert!(matches!(error, TableError::OutOfMemory { megabytes: 64 }), "{error}");
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

#[test]
fn a_caller_can_give_up() {
    let desk = TestTables::new();
    let stop = Arc::new(AtomicBool::new(true));
    let reader = reader(&desk, QueryLimits::default()).until(stop);
    let query = "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE (a.range + b.range * c.range) % 7 = 3";
    assert!(matches!(reader.query(query, 10, 0), Err(TableError::Cancelled)));
}

/// Some megabytes, so that a conversion has more than one run of records.
fn long() -> Vec<u8> {
    (0..600_000).fold(b"id,name\n".to_vec(), |mut text, n| {
        text.extend_from_slice(format!("{n},somebody\n").as_bytes());
        text
    })
}

/// What is left of a conversion in its folder.
fn left(folder: &std::path::Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_conversion_ends_with_its_caller_and_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, &long()).unwrap();
    let options = ReadOptions::default();
    let key = CacheKey::new("abc", &options, "");
    let convert = |cache: Cache| cache.get(&key, &mut Source::Delimited(file.try_clone().unwrap()), &options);
    let stopped = convert(Cache::new(folder.path()).until(Arc::new(AtomicBool::new(true))));
    assert!(matches!(stopped, Err(TableError::Cancelled)), "{stopped:?}");
    let late = convert(Cache::new(folder.path()).within(Duration::ZERO)).unwrap_err();
    assert_eq!(late.to_string(), "the file was not converted to a table within 0 seconds; a part of it may be quicker");
    assert_eq!(left(folder.path()), 0);
    let path = convert(Cache::new(folder.path()).within(Duration::from_secs(600))).unwrap();
    let reader = Reader::open(&[("data", &path)], QueryLimits::default()).unwrap();
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[600_000]]);
}

#[test]
fn a_conversion_under_way_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, &long()).unwrap();
    let (options, stop) = (ReadOptions::default(), Arc::new(AtomicBool::new(false)));
    let key = CacheKey::new("abc", &options, "");
    let cache = Cache::new(folder.path()).until(stop.clone());
    std::thread::scope(|scope| {
        let work = scope.spawn(|| cache.get(&key, &mut Source::Delimited(file), &options));
        // The file of the conversion is there as soon as the conversion fills it.
        while left(folder.path()) == 0 && !work.is_finished() {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        let outcome = work.join().unwrap();
        assert!(matches!(outcome, Err(TableError::Cancelled)), "{outcome:?}");
    });
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn many_can_convert_the_same_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (options, text) = (ReadOptions::default(), long());
    let key = CacheKey::new("abc", &options, "");
    let count = || {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &text).unwrap();
        let path = Cache::new(folder.path()).get(&key, &mut Source::Delimited(file), &options).unwrap();
        let reader = Reader::open(&[("data", &path)], QueryLimits::default()).unwrap();
        reader.query("SELECT count(*), sum(id) FROM data", 10, 0).unwrap().rows
    };
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(count)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(serde_json::json!(all), serde_json::json!(vec![[[600_000, 179_999_700_000_u64]]; 3]));
    assert_eq!(left(folder.path()), 1);
}

#[test]
fn a_damaged_table_is_known_as_such() {
    let desk = TestTables::new();
    let path = desk.convert(&long(), &ReadOptions::default()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let asked = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let reader = Reader::open(&[("data", &path)], QueryLimits::default())?;
        reader.query("SELECT count(*), sum(id), max(name) FROM data", 10, 0).map(|_| ())
    };
    assert!(asked(&whole).is_ok());
    for from in [0, 100, whole.len() / 2, whole.len() - 300_000] {
        let mut torn = whole.clone();
        torn[from..from + 200].fill(0xa5);
        let outcome = asked(&torn);
        assert!(matches!(outcome, Err(TableError::DamagedTable { .. })), "{from}: {outcome:?}");
    }
    let outcome = asked(&whole[..whole.len() / 2]);
    assert!(matches!(outcome, Err(TableError::DamagedTable { .. })), "{outcome:?}");
    assert!(asked(&whole).is_ok());
}

#[test]
fn limits_stay_in_their_ranges() {
    let wild = QueryLimits { timeout_ms: 1, memory_mb: 1 << 40, threads: 0 };
    assert_eq!(wild.clamped(), QueryLimits { timeout_ms: 100, memory_mb: 65_536, threads: 1 });
    assert_eq!(QueryLimits::default().clamped(), QueryLimits::default());
}
