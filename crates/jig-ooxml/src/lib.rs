//! Lossless editing of Office packages (xlsx, docx, pptx): open, read, edit parts, save.
//!
//! Invariants:
//! - bytes in, bytes out; no I/O, no clock, no random numbers;
//! - a part that was not edited is saved with the same compressed bytes, and an edited part changes
//!   only in the byte ranges that the edit names: there is no parse-and-write-back of whole parts;
//! - broken input gives a package with warnings, or an error, never a panic; sizes, ratios and depths
//!   are bounded before anything is inflated.
//!
//! Uses `jig-file-api` and `jig-formula`, and knows no operation, workbench or Draft.
//!
//! - [`Package`]: the zip with its parts; [`ContentTypes`] and [`Relationships`] hold it together;
//! - [`xml`]: a tree with byte positions, and [`xml::Splice`], the only way a part is changed;
//! - [`edit`]: what all lists of ops share: parameters, changes, warnings, errors;
//! - [`xlsx`], [`docx`], [`pptx`]: the formats, each with a reader, `apply` for a list of ops, and `copy_assets`.

mod content_types;
pub mod docx;
mod drawing;
pub mod edit;
mod error;
mod limits;
mod package;
mod parsed_parts;
pub mod pptx;
mod relationships;
mod search;
mod threads;
pub mod xlsx;
pub mod xml;

pub use content_types::ContentTypes;
pub use error::{Error, InternalError, PackageError};
pub use limits::Limits;
pub use package::{Package, PartChange, PartDigest, PartReader, PartWriter};
pub use relationships::{Mode as TargetMode, Relationship, Relationships, rels_name};
