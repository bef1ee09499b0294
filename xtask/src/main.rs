//! The project's own commands: `cargo xtask test`, `bench`, `fidelity`, `fuzz`, `docs`, `help`.
//!
//! Uses few libraries, so that it is built in seconds on a fresh machine.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a command for developers: it talks to the terminal and reads its environment"
)]

mod bench;
mod dist;
mod docs;
mod engine;
mod fidelity;
mod fuzz;
mod install;
mod machine;
mod mcp;
mod office;
mod paths;
mod python;
mod shell;
mod summary;
mod test;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask <command>

  test [--allow-missing]  install what the tests need, then run every check and print a summary
                          (format, clippy, tests, docs, dependencies)
      --allow-missing     do not fail because a tool could not be installed; has no effect
                          when CI=true
  bench [PART…]           measure an optimised build beside its peers and write bench/RESULTS.md;
                          with parts (starts, worker, office, pdf, tables, prompt, recipes,
                          sessions, drafts, http, web) those alone, and only print
  fidelity FOLDER [--step N] [--report FILE]
                          edit a copy of every Office file of the folder (or of every N-th) and
                          count what changed that should not have
  fuzz TARGET [--seconds N]
                          run a fuzz target for a minute, or so long (needs the nightly toolchain and
                          cargo-fuzz; fuzz/README.md lists the targets)
  docs                    write the generated references under docs/ anew
  dist [--out DIR] [--only KIND,…] [--binaries DIR] [--no-test]
                          package an optimised build (sbom, tarball, deb, wheel, npm, mcpb, oci) into
                          target/dist and test each package in an empty environment
      --binaries DIR      package the executables `jig` and `jig-sql` in DIR instead of building them
  help                    show this text

The build folder is $CARGO_TARGET_DIR if set, else jig/target in the user's cache folder if that
exists, else target/ in the checkout.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["test"] => test::run(test::Missing::Fails),
        ["test", "--allow-missing"] => test::run(test::Missing::Allowed),
        ["bench", parts @ ..] => finish(bench::run(parts)),
        ["fidelity", folder, options @ ..] => finish(fidelity::run(folder, options)),
        ["fuzz", target, options @ ..] => finish(fuzz::run(target, options)),
        ["docs"] => finish(docs::run()),
        ["dist", args @ ..] => finish(dist::run(args)),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            eprint!("error: no such command: {}\n\n{HELP}", other.join(" "));
            ExitCode::from(2)
        }
    }
}

fn finish(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
