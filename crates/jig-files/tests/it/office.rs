//! Office files: samples of other programs, hostile files, and outside judges of the cases.
//!
//! Nothing here looks inside the engine: it is called as a worker is called, and its output is read
//! with a zip reader of the tests' own.

mod facts;
mod hostile;
pub(crate) mod judge;
mod judges;
mod samples;
