//! `jig-sql`: the SQL engine of Jig, as a worker process of its own.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an executable prints its version and help")]

use std::process::ExitCode;

use jig_tables::TableSession;
use jig_worker::SqlOptions;

// The same allocator as in `jig`, for DuckDB too: the system's slows down as small allocations come and go.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
The SQL engine of Jig. `jig` starts this program by itself and expects it in its own folder.

Usage: jig-sql serve OPTIONS   answer the worker protocol on standard input and output
       jig-sql --version       print the version
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve", options] => serve(options),
        ["--version" | "-V"] => {
            println!("jig-sql {} (DuckDB {})", env!("CARGO_PKG_VERSION"), jig_tables::duckdb_version());
            ExitCode::SUCCESS
        }
        ["--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn serve(options: &str) -> ExitCode {
    let options: SqlOptions = match serde_json::from_str(options) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: invalid options: {error}");
            return ExitCode::from(2);
        }
    };
    // `jig` disables huge pages, and its children inherit that; queries are faster with them.
    jig_worker::allow_huge_pages(true);
    let options = options.worker_options(|| Some(jig_contract::Env::system().now().to_string()));
    // DuckDB reads facts about the machine when it first starts, which a confined process cannot.
    jig_tables::warm_up();
    match jig_worker::serve(&options, &TableSession::default(), std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
