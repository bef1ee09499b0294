//! Test support shared by several crates.
//!
//! Other crates use it under `[dev-dependencies]`; nothing that ships depends on it, and only this crate may use any
//! crate of Jig. Its own tests check the repository, and run the fuzz targets on their seeds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "for tests, which stop at the first surprise"
)]

// Some files of `fuzz/` are also compiled into other crates' tests, which refer to this crate by the same name.
extern crate self as jig_testkit;

pub mod fuzz;
#[cfg(feature = "workbench")]
pub mod home;
pub mod repository;

#[cfg(feature = "workbench")]
pub use home::{ID, TestHome};

/// Whether the SQL engine is built next to the tests. Without it, a test that runs SQL returns early, except in CI,
/// where every test must run.
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
