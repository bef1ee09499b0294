//! Reading workbooks: the answers to the read methods of the protocol.
//!
//! The first touch of a sheet reads its part as it inflates and keeps a compact index of its cells, within
//! a budget; later answers come from there.

mod cell;
mod decode;
mod facts;
mod index;
mod scan;
mod sheet;
mod store;
mod strings;

pub use store::Workbook;
