//! The fuzz targets of this crate, over their seeds and mutations of them.

use jig_testkit::fuzz::{Shape, Target, run_rounds_of};

#[path = "../../../jig-testkit/src/fuzz/tables.rs"]
mod tables;

#[test]
fn encoding_dialect_and_types_of_any_bytes() {
    run_rounds_of(&Target { name: "csv", shape: Shape::Bytes, run: tables::csv }, 4_000);
}

#[test]
fn tables_of_any_bytes() {
    run_rounds_of(&Target { name: "table", shape: Shape::Bytes, run: tables::table }, 300);
}
