//! The checkout that the tests were built from.

use std::path::{Path, PathBuf};

/// The root folder, where the workspace's `Cargo.toml` is.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
