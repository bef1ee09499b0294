//! Finds DuckDB's shared library: in `DUCKDB_LIB_DIR`, else where `cargo xtask` stores it. With the feature `bundled`
//! nothing is looked for: DuckDB is compiled and linked statically.
#![expect(clippy::disallowed_methods, reason = "a build script reads the environment that cargo gives it")]

use std::env;
use std::path::PathBuf;

#[path = "duckdb.rs"]
#[allow(unreachable_pub, reason = "xtask includes the same file")]
mod duckdb;

fn main() {
    println!("cargo:rerun-if-changed=duckdb.rs");
    for name in ["DUCKDB_LIB_DIR", "XDG_CACHE_HOME", "HOME"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        return;
    }
    let target = |name| env::var(name).unwrap_or_default();
    let (os, arch) = (target("CARGO_CFG_TARGET_OS"), target("CARGO_CFG_TARGET_ARCH"));
    let library = duckdb::Library::find(&os, &arch);
    let stored = library.and_then(|library| Some((library.folder(&duckdb::cache()?), library.file)));
    if let Some((folder, file)) = &stored {
        println!("cargo:rerun-if-changed={}", folder.join(file).display());
    }
    let stored = stored.filter(|(folder, file)| folder.join(file).is_file()).map(|(folder, _)| folder);
    let set = env::var_os("DUCKDB_LIB_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    match set.or(stored) {
        Some(folder) => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            // A confined process gets no environment that would name the folder, so the executable itself names it.
            // A package may also put the library beside the executable.
            if os != "windows" {
                let beside = if os == "macos" { "@executable_path" } else { "$ORIGIN" };
                println!("cargo:rustc-link-arg=-Wl,-rpath,{beside},-rpath,{}", folder.display());
            }
        }
        // Only linking fails without it: `cargo check` and an editor need no library.
        None => println!(
            "cargo:warning=DuckDB {} is not installed, so `jig-sql` cannot be linked: run `cargo xtask duckdb`, set \
             DUCKDB_LIB_DIR, or compile DuckDB with `--features bundled`",
            duckdb::VERSION
        ),
    }
}
