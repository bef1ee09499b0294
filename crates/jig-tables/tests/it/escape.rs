//! Attempts to reach anything but the given tables. Each must be an error, and none may change anything.

use jig_tables::{QueryLimits, Reader, TableError};

use crate::support::TestTables;

/// `{file}` is replaced by the path of an existing csv file, `{folder}` by that of its folder.
const ATTEMPTS: &[&str] = &[
    // Files by name.
    "SELECT * FROM '{file}'",
    "SELECT * FROM \"{file}\"",
    "FROM '{file}'",
    "SELECT * FROM '{folder}/*.csv'",
    "SELECT * FROM 'https://example.com/x.csv'",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "SELECT * FROM 'file://{file}'",
    "SELECT * FROM '{file}' AS data",
    "SELECT * FROM data JOIN '{file}' f ON true",
    "SELECT (SELECT count(*) FROM '{file}') FROM data",
    "SELECT * FROM data WHERE id IN (SELECT a FROM '{file}')",
    "WITH x AS (SELECT * FROM '{file}') SELECT * FROM x",
    "SELECT * FROM data UNION ALL SELECT * FROM '{file}'",
    "SELECT * FROM (SELECT * FROM (SELECT * FROM '{file}'))",
    "SELECT * FROM data, LATERAL (SELECT * FROM '{file}')",
    "DESCRIBE SELECT * FROM '{file}'",
    "SUMMARIZE SELECT * FROM '{file}'",
    "DESCRIBE '{file}'",
    "SUMMARIZE '{file}'",
    "PIVOT '{file}' ON a IN (1) USING count(*)",
    "UNPIVOT '{file}' ON a",
    // Functions that read.
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_csv_auto('{file}')",
    "SELECT * FROM \"read_csv\"('{file}')",
    "SELECT * FROM READ_CSV('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_json_auto('{file}')",
    "SELECT * FROM read_ndjson('{file}')",
    "SELECT * FROM read_json_objects('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM parquet_scan('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT * FROM read_duckdb('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM \"glob\"('{folder}/*')",
    "SELECT * FROM seq_scan('t')",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM data, read_csv('{file}')",
    "SELECT * FROM system.main.read_csv('{file}')",
    "SELECT * FROM main.read_csv('{file}')",
    "SELECT read_text('{file}')",
    "SELECT list_transform(['{file}'], x -> read_text(x))",
    // Queries in texts.
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('data')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT json_serialize_sql('SELECT 1')",
    "SELECT json_serialize_plan('SELECT 1')",
    "PRAGMA json_execute_serialized_sql('{}')",
    // The engine itself.
    "SELECT getenv('HOME')",
    "SELECT current_setting('memory_limit')",
    "SELECT getvariable('x')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM duckdb_tables",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_extensions()",
    "SELECT * FROM duckdb_functions()",
    "SELECT * FROM duckdb_logs",
    "SELECT * FROM duckdb_temporary_files()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM pg_tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_table_info('data')",
    "SELECT * FROM pragma_version()",
    "SELECT * FROM db0.main.t",
    "SELECT * FROM db0.main.meta",
    "SELECT * FROM memory.main.data",
    "SELECT * FROM t",
    "SELECT * FROM meta",
    "SELECT version()",
    "SELECT current_database()",
    "SELECT current_schema()",
    "SELECT current_query()",
    "SELECT txid_current()",
    "SELECT nextval('s')",
    "SELECT currval('s')",
    "SELECT setseed(0.5)",
    "SELECT sleep_ms(10)",
    "SELECT pg_sleep(1)",
    "SELECT write_log('x')",
    "SELECT * FROM test_all_types()",
    "SELECT * FROM which_secret('x', 'y')",
    "SELECT * FROM checkpoint()",
    "SELECT * FROM force_checkpoint()",
    "SELECT * FROM enable_logging()",
    "SELECT pg_get_viewdef(1)",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SHOW DATABASES",
    "FROM (SHOW TABLES)",
    // Functions and types with a schema.
    "SELECT main.read_text('{file}')",
    "SELECT main.getenv('HOME')",
    "SELECT system.main.upper('x')",
    "SELECT pg_catalog.current_setting('memory_limit')",
    "SELECT CAST(id AS other.thing) FROM data",
    // Names of WITH outside their scope, where they are names of DuckDB.
    "WITH a AS (SELECT * FROM duckdb_settings), duckdb_settings AS (SELECT 1) SELECT * FROM a",
    "WITH duckdb_tables AS (SELECT * FROM duckdb_tables) SELECT * FROM duckdb_tables",
    "SELECT * FROM (WITH pg_tables AS (SELECT 1) SELECT * FROM pg_tables) x, pg_tables",
    // Other statements.
    "COPY data TO '{folder}/out.csv'",
    "COPY (SELECT * FROM data) TO '{folder}/out.csv'",
    "COPY data FROM '{file}'",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{folder}/x.db'",
    "ATTACH ':memory:' AS m",
    "DETACH db0",
    "USE db0",
    "INSTALL httpfs",
    "LOAD httpfs",
    "FORCE INSTALL json",
    "SET memory_limit = '10GB'",
    "SET GLOBAL threads = 64",
    "SET VARIABLE x = 1",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "CREATE TABLE x (a INTEGER)",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE VIEW x AS SELECT 1",
    "CREATE MACRO m() AS 1",
    "CREATE SEQUENCE s",
    "CREATE SECRET (TYPE s3)",
    "CREATE SCHEMA s",
    "CREATE TYPE t AS ENUM ('a')",
    "INSERT INTO data VALUES (1)",
    "UPDATE data SET id = 1",
    "DELETE FROM data",
    "DROP VIEW data",
    "ALTER TABLE data ADD COLUMN x INTEGER",
    "TRUNCATE data",
    "BEGIN TRANSACTION",
    "COMMIT",
    "CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    "EXPLAIN SELECT * FROM data",
    "EXPLAIN ANALYZE SELECT * FROM data",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE p",
    // Several statements, parameters, tricks of writing.
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW data",
    "SELECT 1;;; COPY data TO 'x'",
    "SELECT ?",
    "SELECT $1",
    "SELECT $name",
    "SELECT 1) UNION ALL (SELECT * FROM '{file}'",
    "SELECT 1) AS q, (SELECT * FROM duckdb_settings()",
    "SELECT 1 --\n); COPY data TO 'x'; --",
    "SELECT 1 /* ) FROM '{file}' */ FROM /* */ '{file}'",
    "SELECT * FROM /* data */ '{file}' -- data",
    "SELECT * FROM\u{a0}'{file}'",
    "SELECT * FROM ｄａｔａ",
    "SELECT * FROM dаta",
    "SELECT ｇｅｔｅｎｖ('HOME')",
    "SELECT * FROM U&'\\0064ata'",
    "SELECT * FROM E'{file}'",
    "SELECT * FROM $$ {file} $$",
    "SELECT * FROM \"data\".\"x\"",
    "SELECT * FROM data AT (VERSION => 1)",
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM '{file}') SELECT * FROM r",
    "SELECT * FROM data WHERE EXISTS (SELECT 1 FROM glob('*'))",
    "SELECT count(*) FILTER (WHERE getenv('HOME') = '') FROM data",
    "SELECT sum(id) OVER (ORDER BY getenv('HOME')) FROM data",
    "SELECT * FROM data ORDER BY (SELECT 1 FROM read_text('{file}'))",
    "SELECT * FROM data LIMIT (SELECT count(*) FROM glob('*'))",
    "SELECT * FROM data GROUP BY ALL HAVING getenv('HOME') = ''",
    "SELECT * FROM data QUALIFY row_number() OVER () = length(getenv('HOME'))",
    "VALUES (getenv('HOME'))",
    "SELECT {'a': getenv('HOME')}",
    "SELECT [getenv('HOME')]",
    "SELECT CASE WHEN true THEN getenv('HOME') END",
    "SELECT CAST(getenv('HOME') AS VARCHAR)",
    "SELECT getenv('HOME') COLLATE nocase",
    "SELECT system.main.getenv('HOME')",
    "SELECT 'HOME'.getenv()",
    "SELECT x.getenv() FROM (SELECT 'HOME' AS x)",
    "SELECT COLUMNS(c -> getenv('HOME') = '') FROM data",
    "SELECT * REPLACE (getenv('HOME') AS id) FROM data",
    "",
    ";",
    "data",
    "SELECT\0 1",
];

#[test]
fn no_query_reaches_anything_but_its_tables() {
    assert!(ATTEMPTS.len() >= 100);
    let desk = TestTables::new();
    let reader = desk.open("id,name\n1,Ann\n2,Ben\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.csv");
    std::fs::write(&file, "a\n42\n").unwrap();
    let mut escaped = Vec::new();
    for attempt in ATTEMPTS {
        let query =
            attempt.replace("{file}", file.to_str().unwrap()).replace("{folder}", folder.path().to_str().unwrap());
        if let Ok(answer) = reader.query(&query, 10, 0) {
            escaped.push(format!("{query}: {:?}", answer.rows));
        }
        if reader.export_csv(Some(&query), Default::default(), &mut Vec::new()).is_ok() {
            escaped.push(format!("export of {query}"));
        }
    }
    assert_eq!(escaped, Vec::<String>::new());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was written");
    assert_eq!(reader.query("SELECT count(*) FROM data", 10, 0).unwrap().rows, [[2]]);
}

#[test]
fn what_reads_its_tables_is_allowed() {
    let desk = TestTables::new();
    let path = desk.convert(b"id,name,amount\n1,Ann,1.50\n2,Ben,2.25\n3,Ann,3.00\n", &Default::default()).unwrap();
    let reader = Reader::open(&[("data", &path), ("b", &path)], QueryLimits::default()).unwrap();
    let queries = [
        "SELECT * FROM data",
        "select * from DATA;",
        "SELECT * FROM data; -- with a remark",
        "FROM data SELECT name",
        "FROM data",
        "TABLE data",
        "VALUES (1, 2)",
        "DESCRIBE data",
        "SUMMARIZE data",
        "DESCRIBE SELECT id FROM data",
        "WITH x AS (SELECT * FROM data) SELECT * FROM x",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        "SELECT name, sum(amount) AS replace FROM data GROUP BY ALL ORDER BY ALL",
        "SELECT data.id, b.name FROM data JOIN b USING (id) WHERE b.amount BETWEEN 1 AND 3",
        "SELECT *, row_number() OVER (PARTITION BY name ORDER BY id) AS n FROM data QUALIFY n = 1",
        "SELECT * EXCLUDE (id) FROM data UNION ALL BY NAME SELECT name, amount FROM b",
        "SELECT COLUMNS('a.*') FROM data",
        "SELECT list_transform([1, 2], x -> x + 1), {'a': 1}, [x * 2 FOR x IN [1, 2]], MAP {'k': 1}",
        "SELECT strftime(DATE '2024-01-31', '%d.%m.%Y'), date_trunc('month', DATE '2024-01-31'), INTERVAL 1 DAY",
        "SELECT CASE WHEN id > 1 THEN 'a' ELSE 'b' END, coalesce(name, '-'), upper(name) LIKE 'A%' FROM data",
        "SELECT * FROM data WHERE id IN (SELECT id FROM b WHERE amount > (SELECT avg(amount) FROM b))",
        "SELECT count(*) FILTER (WHERE id > 1), string_agg(name, ',' ORDER BY id), median(amount) FROM data",
        "SELECT * FROM range(3) t(i), unnest([1, 2]) u(j)",
        "PIVOT data ON name IN ('Ann', 'Ben') USING sum(amount)",
        "UNPIVOT (SELECT id, amount FROM data) ON amount INTO NAME k VALUE v",
        "SELECT * FROM data TABLESAMPLE 2 ROWS",
        "SELECT try_cast(name AS INTEGER), regexp_extract(name, '[a-z]+'), TRY_CAST('x' AS DATE) FROM data",
        "SELECT a.* FROM data a POSITIONAL JOIN b",
        "SELECT 'a string with ; and -- and '' inside' AS x",
        // Syntax that the parser turns into calls of functions.
        "SELECT (1, 2), {'a': 1}['a'], [1, 2][1], [1, 2, 3][1:2], [x * 2 FOR x IN [1, 2] IF x > 1]",
        "SELECT EXTRACT(year FROM DATE '2024-01-31'), TIMESTAMP '2024-01-31 10:00:00' AT TIME ZONE 'UTC'",
        "SELECT SUBSTRING(name FROM 1 FOR 2), POSITION('n' IN name), TRIM(BOTH 'x' FROM name) FROM data",
        "SELECT name LIKE 'a!%' ESCAPE '!', name NOT ILIKE 'a!%' ESCAPE '!', name SIMILAR TO 'A.*' FROM data",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), GROUPING(name) FROM data GROUP BY ROLLUP (name)",
        // Types.
        "SELECT CAST(amount AS DECIMAL(10, 2)), CAST(NULL AS INTEGER[]), NULL::STRUCT(x INTEGER), NULL::INTEGER[2] FROM data",
        "SELECT CAST(id AS VARCHAR(10)), NULL::MAP(INTEGER, VARCHAR), CAST('a' AS ENUM ('a', 'b')) FROM data",
        "SELECT DISTINCT ON (name) * FROM data ORDER BY name, id DESC LIMIT 50% OFFSET 0",
    ];
    for query in queries {
        let answer = reader.query(query, 100, 0);
        assert!(answer.is_ok(), "{query}: {}", answer.unwrap_err());
    }
}

#[test]
fn refusals_say_why() {
    let desk = TestTables::new();
    let reader = desk.open("id\n1\n");
    let why = |query: &str| reader.query(query, 10, 0).unwrap_err().to_string();
    assert!(why("SELECT * FROM other").contains("unknown table `other`; this query can read `data`"));
    assert!(why("SELECT getenv('x')").contains("the function `getenv` is not allowed"));
    assert!(why("DROP VIEW data").contains("only a SELECT"));
    assert!(why("SELECT 1; SELECT 2").contains("got 2 statements"));
    assert!(why("SELECT nothing FROM data").contains("nothing"));
    assert!(why("SELEC").contains("invalid SQL"));
    assert!(matches!(reader.query("SELECT 1", 0, 0), Err(TableError::InvalidParameter { .. })));
}

#[test]
fn depth_is_no_way_out() {
    let desk = TestTables::new();
    let path = desk.convert(b"id\n1\n", &Default::default()).unwrap();
    let limits = QueryLimits { timeout_ms: 120_000, ..QueryLimits::default() };
    let reader = Reader::open(&[("data", &path)], limits).unwrap();
    let chain = format!("SELECT {}", vec!["1"; 300].join(" + "));
    assert_eq!(reader.query(&chain, 10, 0).unwrap().rows, [[300]]);
    for deep in [
        format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("SELECT {}", vec!["1"; 50_000].join(" + ")),
        format!("{}SELECT 1{}", "SELECT * FROM (".repeat(3_000), ")".repeat(3_000)),
    ] {
        let _ = reader.query(&deep, 10, 0);
    }
    assert_eq!(reader.query("SELECT 1", 10, 0).unwrap().rows, [[1]]);
}
