//! Office files: cases in folders, samples of other programs, hostile files, and outside judges.
//!
//! Nothing here looks inside the engine: it is called as a worker is called, and its output is read
//! with a zip reader of the tests' own.

pub(crate) mod archive;
mod case;
mod cases;
mod describe;
mod engine;
mod hostile;
pub(crate) mod judge;
mod judges;
mod samples;
