//! Files that are long, wide or broken.

use jig_tables::{QueryLimits, ReadOptions, Reader, TableError};
use serde_json::json;

use crate::support::TestTables;

fn lines(header: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    std::iter::once(header.to_owned())
        .chain((1..=count).map(line))
        .fold(String::new(), |text, line| text + &line + "\n")
}

#[test]
fn a_late_value_of_another_type_makes_the_column_text() {
    let desk = TestTables::new();
    let text = lines("id,n,d", 60_000, |n| match n {
        59_000 => format!("{n},oops,2024-01-05"),
        59_500 => format!("{n},{n},2024-01-05T10:00:00"),
        _ => format!("{n},{n},2024-01-05"),
    });
    let reader = desk.open(&text);
    let map = reader.map("csv").unwrap();
    assert_eq!(
        map.columns.iter().map(|column| column.sql_type.as_str()).collect::<Vec<_>>(),
        ["BIGINT", "VARCHAR", "TIMESTAMP"]
    );
    assert_eq!(map.row_count, 60_000);
    assert!(
        map.warnings.contains(
            &"column `n`: 59999 of 60000 values are numbers; the first other one is `oops` in row 59000 (line 59001); kept as text"
                .to_owned()
        ),
        "{:?}",
        map.warnings
    );
    assert_eq!(
        json!(reader.read_rows(59_000, 1, None).unwrap().rows),
        json!([[59_000, "oops", "2024-01-05 00:00:00"]])
    );
}

#[test]
fn a_late_long_row_and_a_late_encoding_are_found() {
    let desk = TestTables::new();
    let mut bytes =
        lines("id,name", 400_000, |n| if n == 399_000 { format!("{n},x,more") } else { format!("{n},somebody") })
            .into_bytes();
    bytes.extend_from_slice(b"400001,J\xf6rg M\xfcller aus K\xf6ln\n");
    let reader = desk.open_bytes(&bytes, &ReadOptions::default());
    let map = reader.map("csv").unwrap();
    assert_eq!(map.dialect.as_ref().unwrap().encoding_detected, "windows-1252");
    assert!(
        map.warnings.contains(&"1 row (line 399001) longer than 2 fields; the rest is in column `extra`".to_owned()),
        "{:?}",
        map.warnings
    );
    let query = "SELECT * FROM data WHERE extra IS NOT NULL OR id = 400001 ORDER BY id";
    assert_eq!(
        json!(reader.query(query, 10, 0).unwrap().rows),
        json!([[399_000, "x", "more"], [400_001, "Jörg Müller aus Köln", null]])
    );
}

/// Row groups are written by several threads.
#[test]
fn a_converted_table_has_its_rows_in_the_order_of_the_file() {
    let desk = TestTables::new();
    let reader = desk.open(&lines("id,note", 1_000_000, |n| format!("{n},note {n}")));
    let moved = "SELECT count(*), count(*) FILTER (id <> position OR note <> 'note ' || position) \
                 FROM (SELECT id, note, row_number() OVER () AS position FROM data)";
    assert_eq!(json!(reader.query(moved, 10, 0).unwrap().rows), json!([[1_000_000, 0]]));
}

#[test]
fn wide_tables_are_tables() {
    let desk = TestTables::new();
    let names: Vec<String> = (0..3_000).map(|n| format!("c{n}")).collect();
    let values: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
    let text = format!("{}\n{}\n{}\n", names.join(","), values.join(","), values.join(","));
    let reader = desk.open(&text);
    let map = reader.map("csv").unwrap();
    assert_eq!((map.column_count, map.columns.len(), map.row_count), (3_000, 500, 2));
    assert_eq!(json!(reader.query("SELECT sum(c2999) FROM data", 10, 0).unwrap().rows), json!([[5_998]]));
}

#[test]
fn a_million_columns_keep_every_value() {
    let desk = TestTables::new();
    let names: Vec<String> = (0..1_000_000).map(|n| format!("n{n}")).collect();
    let values: Vec<String> = (0..1_000_000).map(|n| (n % 10).to_string()).collect();
    let text = format!("{}\n{}\n", names.join(","), values.join(","));
    let path = desk.convert(text.as_bytes(), &ReadOptions::default()).unwrap();
    let limits = QueryLimits { timeout_ms: 120_000, ..QueryLimits::default() };
    let reader = Reader::open(&[("data", &path)], limits).unwrap();
    let map = reader.map("csv").unwrap();
    assert_eq!((map.column_count, map.columns.len(), map.row_count), (4_097, 500, 1));
    assert_eq!(
        map.warnings.first().map(String::as_str),
        Some(
            "there are 1000000 columns; the first 4096 are columns here, and the rest of each row is in one more, without their names"
        )
    );
    let rest = values[4_096..].join(",");
    assert_eq!(json!(reader.query("SELECT extra, n4095 FROM data", 10, 0).unwrap().rows), json!([[rest, 5]]));
    assert_eq!(json!(reader.read_rows(1, 1, Some(&["n17".to_owned()])).unwrap().rows), json!([[7]]));
}

/// Every column of another type than its neighbour, so that none is kept for nothing.
#[test]
fn wide_tables_of_mixed_types_fit_into_memory() {
    let desk = TestTables::new();
    let row = |cell: &dyn Fn(usize) -> String| (0..10_000).map(cell).collect::<Vec<_>>().join(",");
    let text = format!(
        "{}\n{}\n{}\n",
        row(&|n| format!("name {n}")),
        row(&|n| n.to_string()),
        row(&|n| if n % 2 == 0 { format!("{n}.5") } else { "x".to_owned() })
    );
    let reader = desk.open(&text);
    let map = reader.map("csv").unwrap();
    assert_eq!((map.column_count, map.row_count), (4_097, 2));
    let some = ["name 4000", "name 4095"].map(str::to_owned);
    assert_eq!(json!(reader.read_rows(1, 2, Some(&some)).unwrap().rows), json!([[4_000.0, "4095"], [4_000.5, "x"]]));
}

#[test]
fn a_very_long_field_is_kept() {
    let desk = TestTables::new();
    let long = "x".repeat(9 << 20);
    let reader = desk.open(&format!("a,b\n1,\"{long}\"\n2,y\n"));
    assert_eq!(
        json!(reader.query("SELECT length(b) FROM data ORDER BY a", 10, 0).unwrap().rows),
        json!([[9 << 20], [1]])
    );
}

#[test]
fn a_line_without_end_is_an_error_and_not_all_memory() {
    let desk = TestTables::new();
    let bytes = vec![b'x'; 70 << 20];
    let error = desk.convert(&bytes, &ReadOptions { delimiter: Some(','), ..Default::default() });
    // One field of one line: longer than any table's, but a table all the same.
    match error {
        Ok(_) | Err(TableError::Delimited { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let desk = TestTables::new();
    let seed = b"id;name,\"a\"\"b\"\r\n1;2,\"x\ny\"\n\xff\xfe\0,'q'\t5|6\n\"open,1\n(1,2.5),1e9,01/02/2024\n".to_vec();
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize
    };
    for _ in 0..60 {
        let mut bytes = seed.clone();
        for _ in 0..next() % 12 {
            let at = next() % bytes.len();
            match next() % 3 {
                0 => bytes[at] = (next() % 256) as u8,
                1 => bytes.insert(at, b"\",;\n\r\t\0'|"[next() % 9]),
                _ => {
                    bytes.truncate(at.max(1));
                }
            }
        }
        match desk.convert(&bytes, &ReadOptions::default()) {
            Ok(_) | Err(TableError::Delimited { .. } | TableError::TooLarge { .. }) => {}
            Err(error) => panic!("{error}: {bytes:?}"),
        }
    }
}

/// Words that repeat are stored in dictionaries, which filters and groups are worked out on: empty fields come late, in only
/// some of the rows that are worked on at once, and pass or do not as SQL says.
#[test]
fn repeated_words_and_empty_fields_are_filtered_and_grouped_as_each_row_alone_would_be() {
    let desk = TestTables::new();
    let words = ["Oslo", "Lima", "Rome", "Bern", "Baku"];
    let word = |n: usize| {
        // A column without any empty field beside one that has some from the middle on.
        let late = n > 150_000 && n.is_multiple_of(7);
        if late { "" } else { words[(n * 7_919 + n / 3) % 13 % 5] }
    };
    let reader = desk.open(&lines("id,whole,city", 300_000, |n| format!("{n},{},{}", words[n % 5], word(n))));
    let ask = |query: &str| json!(reader.query(query, 100, 0).unwrap().rows);
    let count = |test: &dyn Fn(usize) -> bool| (1..=300_000_usize).filter(|n| test(*n)).count();
    let cases: [(&str, &dyn Fn(usize) -> bool); 9] = [
        ("city = 'Oslo'", &|n| word(n) == "Oslo"),
        ("city <> 'Oslo'", &|n| !word(n).is_empty() && word(n) != "Oslo"),
        ("city IS NULL", &|n| word(n).is_empty()),
        ("city IS NOT NULL", &|n| !word(n).is_empty()),
        ("city IS DISTINCT FROM 'Oslo'", &|n| word(n) != "Oslo"),
        ("city IN ('Lima', 'Rome', 'nowhere')", &|n| ["Lima", "Rome"].contains(&word(n))),
        ("coalesce(city, 'none') = 'none'", &|n| word(n).is_empty()),
        ("city = 'nowhere'", &|_| false),
        ("city = 'Bern' AND whole = 'Rome'", &|n| word(n) == "Bern" && words[n % 5] == "Rome"),
    ];
    for (filter, test) in cases {
        assert_eq!(ask(&format!("SELECT count(*) FROM data WHERE {filter}")), json!([[count(test)]]), "{filter}");
    }
    let mut groups: Vec<_> = words.iter().map(|one| json!([one, count(&|n| word(n) == *one)])).collect();
    groups.sort_by_key(|group| group[0].to_string());
    groups.push(json!([null, count(&|n| word(n).is_empty())]));
    assert_eq!(ask("SELECT city, count(*) FROM data GROUP BY city ORDER BY city NULLS LAST"), json!(groups));
    let sums = "SELECT whole, count(*), sum(id) FROM data GROUP BY whole ORDER BY min(id)";
    let sum = |first: usize| (first..=300_000).step_by(5).sum::<usize>();
    let whole = [(1, "Lima"), (2, "Rome"), (3, "Bern"), (4, "Baku"), (5, "Oslo")];
    assert_eq!(ask(sums), json!(whole.map(|(first, word)| json!([word, 60_000, sum(first)]))));
}
