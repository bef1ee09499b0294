//! Lossless editing of Office packages.
//!
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! - [`Package`]: the zip with its parts; [`ContentTypes`] and [`Relationships`] connect them.
//! - [`xml`]: a tree with byte positions, and [`xml::Splice`], the only way in which a part is changed.
//! - [`edit`]: what lists of ops have in common: parsing, options and the report of the changes.
//! - [`xlsx`], [`docx`], [`pptx`]: the formats, each with a reader, `apply` for a list of ops, and `copy_assets`.
//! - Errors: [`Error`] is a [`PackageError`] of the file or an [`EditError`] of the request.

mod content_types;
pub mod docx;
mod drawing;
pub mod edit;
mod error;
pub mod image_header;
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
pub use error::{
    ActualKind, DeckIssue, DocumentIssue, EditError, EditIssue, Error, InternalError, OfficeKind, OpHelp, PackageError,
    PartFault, Quantity, ZipFault,
};
pub use limits::Limits;
pub use package::{Package, PartChange, PartDigest, PartReader, PartWriter};
pub use relationships::{Mode as TargetMode, Relationship, Relationships, rels_name};
