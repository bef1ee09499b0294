//! SQL over delimited text and sheet ranges, on an embedded engine.
//!
//! Invariants:
//! - a query reads the tables it was given and nothing else: no files, no network, no settings;
//! - results are bounded by rows, bytes and time, and a cut result says that it was cut;
//! - what could not be read as its column's type is reported with its row, never dropped.
//!
//! Uses no other crate of Jig. Not pure: the engine may keep converted data in a cache folder that the
//! caller names. Empty until tables are built.
