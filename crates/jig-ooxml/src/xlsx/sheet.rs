//! A sheet's part as a stream: rows and cells are decoded as they pass, and nothing grows with the part but the index
//! of its cells, within a budget.

pub(crate) mod cell;
pub(crate) mod checkpoints;
pub(crate) mod decode;
pub(crate) mod facts;
pub(crate) mod index;
pub(crate) mod markup;
pub(crate) mod reader;
pub(crate) mod rows;
pub(crate) mod stream;
