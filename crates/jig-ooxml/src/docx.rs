//! Word documents.
