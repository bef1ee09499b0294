//! What the test programs of this crate share.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod archive;
pub(crate) mod case;
pub(crate) mod describe;
pub(crate) mod engine;
pub(crate) mod versions;

/// Whether golden files are rewritten.
pub(crate) fn update() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// A sample under `tests/data`; its README says where each comes from.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let Ok(bytes) = std::fs::read(&path) else {
        unreachable!("{path} is part of the sources");
    };
    bytes
}

/// Compares a golden file with what it should have; `UPDATE=1` rewrites it.
pub(crate) fn compare(file: &std::path::Path, actual: &str) -> Result<(), String> {
    if update() {
        std::fs::write(file, actual).unwrap();
        return Ok(());
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if expected == actual {
        return Ok(());
    }
    let diff = similar::TextDiff::from_lines(&expected, actual);
    let diff = diff.unified_diff().context_radius(2).header("expected", "actual").to_string();
    Err(format!("{diff}\nUPDATE=1 accepts it"))
}
