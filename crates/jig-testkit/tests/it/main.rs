//! Checks of the repository as a whole, and the fuzz targets over their seeds.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod fuzz;
mod tidy;
