//! Delimited text: encoding, dialect, header and types, and the table.

use std::io::Write as _;

use jig_tables::{Cache, CacheKey, QueryLimits, ReadOptions, Reader, Source, fuzzing};
use serde_json::Value;

/// Inference gives the same result twice.
pub(super) fn csv(input: &[u8]) {
    let told = || fuzzing::plans(file(input));
    let (first, again) = (told(), told());
    assert_eq!(first, again, "two looks differ");
    if let Err(why) = first {
        assert!(!why.is_empty(), "a refusal without a reason");
    }
}

/// Converts a file and reads it back: every row that was counted is there, and a query counts the same.
pub(super) fn table(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::new(folder.path());
    let options = ReadOptions::default();
    let key = CacheKey::new("a1", &options, "");
    let path = match cache.get(&key, &mut Source::Delimited(file(input)), &options) {
        Ok(path) => path,
        Err(why) => {
            assert!(!why.to_string().is_empty(), "a refusal without a reason");
            return;
        }
    };
    let reader = Reader::open(&[("data", &path)], QueryLimits::default()).expect("a table that was just made");
    let map = reader.map("csv").expect("its map");
    let counted = reader.query("SELECT count(*) FROM data", 1, 0).expect("a count");
    assert_eq!(counted.rows, [[Value::from(map.row_count)]], "rows are counted in two ways");
    let rows = reader.read_rows(1, 100, None).expect("its rows");
    assert_eq!(rows.rows.len() as u64, map.row_count.min(100), "rows that were counted are not there");
}

fn file(input: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(input).expect("a temporary file");
    file
}
