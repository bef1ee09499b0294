//! For tests only: what the tests of several crates share.
//!
//! Other crates name it under `[dev-dependencies]`; nothing that ships depends on it, and it alone may
//! use any crate of Jig. Its own tests check the repository as a whole, and run the fuzz targets over
//! their seeds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "for tests, which stop at the first surprise"
)]

// Some files of `fuzz/` are also part of other crates' tests, and name this crate the same way there.
extern crate self as jig_testkit;

pub mod fuzz;
#[cfg(feature = "workbench")]
pub mod home;
pub mod repository;

#[cfg(feature = "workbench")]
pub use home::{ID, TestHome};

/// Whether the SQL engine is built beside the tests. A test that runs SQL returns early without it, except where CI is:
/// there every test must run.
#[cfg(feature = "workbench")]
pub fn has_sql_engine() -> bool {
    let engine = jig_worker::sql_program_beside(&std::env::current_exe().expect("the path of this program"));
    let is_built = engine.is_file();
    if !is_built {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{} must be built where CI is", engine.display());
        println!("skipped: {} is not built; `cargo xtask check` and `test` build it", engine.display());
    }
    is_built
}
