//! File work in processes of its own: the server that `jig worker` is, and the pool of them that Jig
//! uses itself. Whatever a hostile file does there ends as an error of one call.

mod confine;
mod job;
mod place;
mod pool;
mod serve;
mod table_calls;
mod tables;
mod written;

pub use confine::{Confinement, SMALL_STEPS, WorkerLimits, least_memory};
pub use serve::{WorkerOptions, serve};

pub(crate) use job::{FileWork, Input, Job, told};
pub(crate) use tables::{TableInput, TableJob, TableWork};
