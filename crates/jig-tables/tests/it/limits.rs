//! Time and memory end a query, and nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use jig_tables::{QueryLimits, Reader, TableError};

use crate::support::Desk;

fn reader(desk: &Desk, limits: QueryLimits) -> Reader {
    let path = desk.convert(b"id\n1\n2\n", &Default::default()).unwrap();
    Reader::open(&[("data", &path)], limits).unwrap()
}

#[test]
fn a_cross_join_ends_in_time() {
    let desk = Desk::new();
    let reader = reader(&desk, QueryLimits { timeout_ms: 300, ..QueryLimits::default() });
    let query = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range % 7 = 3";
    let begun = Instant::now();
    let error = reader.query(query, 10, 0).unwrap_err();
    assert!(matches!(error, TableError::TimedOut { millis: 300 }), "{error}");
    // Far beyond the limit, and far below the time the query would need.
    assert!(begun.elapsed().as_secs() < 60);
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

#[test]
fn a_huge_sort_ends_with_a_clear_error() {
    let desk = Desk::new();
    let limits = QueryLimits { timeout_ms: 600_000, memory_mb: 64, threads: 2 };
    let reader = reader(&desk, limits);
    let query = "SELECT count(*) FROM (SELECT range AS a, md5(range::VARCHAR) AS b FROM range(20000000) ORDER BY b LIMIT 19000000)";
    let error = reader.query(query, 10, 0).unwrap_err();
    assert!(matches!(error, TableError::OutOfMemory { megabytes: 64 }), "{error}");
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

#[test]
fn a_caller_can_give_up() {
    let desk = Desk::new();
    let stop = Arc::new(AtomicBool::new(true));
    let reader = reader(&desk, QueryLimits::default()).until(stop);
    let query = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range % 7 = 3";
    assert!(matches!(reader.query(query, 10, 0), Err(TableError::Cancelled)));
}

#[test]
fn limits_stay_in_their_ranges() {
    let wild = QueryLimits { timeout_ms: 1, memory_mb: 1 << 40, threads: 0 };
    assert_eq!(wild.clamped(), QueryLimits { timeout_ms: 100, memory_mb: 65_536, threads: 1 });
    assert_eq!(QueryLimits::default().clamped(), QueryLimits::default());
}
