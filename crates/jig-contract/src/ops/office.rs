//! Operations on Word, Excel and PowerPoint files: the methods of the worker protocol, on a workbench.

mod edit;
mod read;
mod values;

pub(in crate::ops) use edit::text_ops as text_schema;
pub(in crate::ops) use read::office_read;

pub use edit::*;
pub use read::*;
pub use values::*;
