//! DuckDB's shared library: which build of it Jig links, and where it is stored.
//!
//! Included by `build.rs`, which links it, and by `xtask`, which fetches it. DuckDB publishes the library inside the npm
//! packages of its Node.js bindings, for every platform at the version below; the bundled source of the `duckdb` crate
//! has the same version. `docs/decisions/011-sql-engine-executable.md` has the reasons.

use std::env;
use std::path::{Path, PathBuf};

/// DuckDB's version. The second number of the `duckdb` crate in `Cargo.toml` encodes the same one: 1.5.5 is `1.10505`.
#[allow(dead_code)] // Each of the two programs that include this file uses a part of it.
pub const VERSION: &str = "1.5.5";

/// The version of the npm packages.
#[allow(dead_code)]
pub const PACKAGE_VERSION: &str = "1.5.5-r.5";

/// The library of one platform.
#[allow(dead_code)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// The system and processor, as Rust names them.
    pub os: &'static str,
    pub arch: &'static str,
    /// The npm package that contains the library.
    pub package: &'static str,
    /// The library's file in that package.
    pub file: &'static str,
    /// The SHA-256 of that file.
    pub sha256: &'static str,
}

/// Windows is missing: its package has the library without the import library that the linker needs.
pub const LIBRARIES: [Library; 4] = [
    Library {
        os: "linux",
        arch: "x86_64",
        package: "@duckdb/node-bindings-linux-x64",
        file: "libduckdb.so",
        sha256: "fc23f12e376c47be520f75221288281906e7942e8fd6f6ce4849198ba60d0405",
    },
    Library {
        os: "linux",
        arch: "aarch64",
        package: "@duckdb/node-bindings-linux-arm64",
        file: "libduckdb.so",
        sha256: "d00d007f3f7ca1f2896a5e4b89c2ce141bf0508506a9d6d56f9598b8e59d074e",
    },
    Library {
        os: "macos",
        arch: "x86_64",
        package: "@duckdb/node-bindings-darwin-x64",
        file: "libduckdb.dylib",
        sha256: "b9027d18ef3e8d960568f77e946a83ca68009cb22d71cf7f94de842afdd094d8",
    },
    Library {
        os: "macos",
        arch: "aarch64",
        package: "@duckdb/node-bindings-darwin-arm64",
        file: "libduckdb.dylib",
        sha256: "b9027d18ef3e8d960568f77e946a83ca68009cb22d71cf7f94de842afdd094d8",
    },
];

impl Library {
    /// The library for a system and processor.
    pub fn find(os: &str, arch: &str) -> Option<&'static Self> {
        LIBRARIES.iter().find(|library| library.os == os && library.arch == arch)
    }

    /// Its folder below Jig's cache folder. The version is part of the name, so that another version is fetched again.
    pub fn folder(&self, cache: &Path) -> PathBuf {
        cache.join("duckdb").join(format!("{VERSION}-{}-{}", self.arch, self.os))
    }
}

/// Jig's folder in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .or_else(|| set("LOCALAPPDATA"))?;
    Some(base.join("jig"))
}
