//! Checks of the repository, and the fuzz targets on their seeds.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod fuzz;
mod tidy;
