//! File work in separate processes, so that whatever a hostile file does ends as an error of one call.
//!
//! - [`serve`]: the worker protocol, answered by [`FileMethods`] in `jig worker` and by the SQL engine in `jig-sql`;
//! - [`FileWork`] and [`TableWork`]: the pools of such processes that Jig itself uses;
//! - [`table_params`] and [`table_cache`]: what Jig and `jig-sql` must understand alike about tables.

mod compat;
mod deadline;
mod fair_semaphore;
mod file_methods;
mod job;
mod json_writer;
mod outputs;
mod owner;
mod pool;
mod protocol;
mod reads;
mod sandbox;
mod serve;
mod sql_client;
pub mod table_cache;
mod table_jobs;
pub mod table_params;
mod text_page;
mod workspace;

pub use compat::Profile;
pub use deadline::{expire_call, extend_deadline};
pub use fair_semaphore::{FairPermit, FairSemaphore};
pub use file_methods::{FileApi, FileMethods, apply_reply, copy_reply};
pub use jig_store::platform::{FileStamp, read_at};
pub use job::{Done, FileWork, Input, Job};
pub use owner::{current_workbench, for_workbench};
pub use pool::{CONVERTED_TABLES, Isolation};
pub use protocol::{Method, Verb, operation_error};
pub use reads::prepend_warnings;
pub use sandbox::{
    Confinement, LANDLOCK_ABI, NO_SANDBOX, ProgramAccess, SMALL_STEPS, SandboxSupport, WorkerLimits, allow_huge_pages,
    least_memory, spawn_confined,
};
pub use serve::{Call, Methods, Reply, Server, WorkerOptions, serve};
pub use sql_client::{SQL_PROGRAM, SqlOptions, SqlRelay, relay, sql_program_beside};
pub use table_jobs::{TableDone, TableInput, TableJob, TableWork};
pub use table_params::QueryLimits;
pub use workspace::{SandboxPath, WorkerRoot, unwritable};
