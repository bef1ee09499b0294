//! Operations on Word, Excel and PowerPoint files: the methods of the worker protocol, on a workbench.

mod edit;
mod read;
mod schemas;
mod values;

pub(in crate::ops) use read::office_read;
pub(in crate::ops) use schemas::text as text_schema;

pub use edit::*;
pub use read::*;
pub use values::*;
