//! Rows written as csv.

use jig_tables::{CsvWriterOptions, Newline, QueryLimits, Reader, TableError};

use crate::support::TestTables;

fn written(reader: &Reader, query: Option<&str>, options: CsvWriterOptions) -> (String, u64, Vec<String>) {
    let mut bytes = Vec::new();
    let (rows, _, warnings) = reader.export_csv(query, options, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), rows, warnings)
}

const ODD: &str =
    "id,text\n1,\"a \"\"b\"\", c\"\n2,\"two\nlines\"\n3,\n4,\"\"\n5,=1+1\n6,-cmd\n7,@x\n8,+y\n9, spaced \n";

#[test]
fn fields_are_quoted_where_they_must_be() {
    let desk = TestTables::new();
    let (text, rows, warnings) = written(&desk.open(ODD), None, CsvWriterOptions::default());
    assert_eq!(
        text,
        "id,text\n1,\"a \"\"b\"\", c\"\n2,\"two\nlines\"\n3,\n4,\"\"\n5,=1+1\n6,-cmd\n7,@x\n8,+y\n9,\" spaced \"\n"
    );
    assert_eq!((rows, warnings), (9, Vec::new()));
}

#[test]
fn formulas_can_be_kept_from_spreadsheets() {
    let desk = TestTables::new();
    let reader = desk.open("n,text\n-5,=1+1\n2,-cmd\n3,@x\n4,+y\n5,\"\tz\"\n6,plain\n");
    let (text, _, _) =
        written(&reader, None, CsvWriterOptions { escape_formulas: true, ..CsvWriterOptions::default() });
    assert_eq!(text, "n,text\n-5,'=1+1\n2,'-cmd\n3,'@x\n4,'+y\n5,\"'\tz\"\n6,plain\n");
}

#[test]
fn marks_can_be_chosen() {
    let desk = TestTables::new();
    let options =
        CsvWriterOptions { delimiter: b';', byte_order_mark: true, newline: Newline::CrLf, escape_formulas: false };
    let (text, _, _) = written(&desk.open("a,b\n1,x;y\n"), None, options);
    assert_eq!(text, "\u{feff}a;b\r\n1;\"x;y\"\r\n");
}

#[test]
fn what_is_written_reads_back_the_same() {
    let desk = TestTables::new();
    let source = desk.open("d,t,b,n,s\n2024-01-05,2024-01-05 10:00:00,true,12.50,x\n2024-01-06,2024-01-06 00:00:00.25,false,0.05,\"1,2\"\n");
    let (text, _, _) = written(&source, None, CsvWriterOptions::default());
    let copy = desk.open(&text);
    assert_eq!(source.read_rows(1, 10, None).unwrap(), copy.read_rows(1, 10, None).unwrap());
}

#[test]
fn a_query_without_an_order_is_told() {
    let desk = TestTables::new();
    let reader = desk.open("a\n1\n2\n");
    let warnings = |query: &str| written(&reader, Some(query), CsvWriterOptions::default()).2;
    assert_eq!(warnings("SELECT * FROM data"), ["query_has_no_order_by; output order may vary"]);
    assert_eq!(warnings("SELECT * FROM data ORDER BY a"), Vec::<String>::new());
}

#[test]
fn an_export_that_takes_too_long_is_an_error() {
    let desk = TestTables::new();
    let path = desk.convert(b"a\n1\n", &Default::default()).unwrap();
    let reader = Reader::open(&[("data", &path)], QueryLimits { timeout_ms: 200, ..QueryLimits::default() }).unwrap();
    let query =
        "SELECT a.range, b.range FROM range(100000) a, range(100000) b, range(100000) c ORDER BY a.range * b.range % 7";
    let error = reader.export_csv(Some(query), CsvWriterOptions::default(), &mut std::io::sink()).unwrap_err();
    assert!(matches!(error, TableError::TimedOut { .. } | TableError::OutOfMemory { .. }), "{error}");
}
