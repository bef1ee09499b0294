//! Runs the fuzz targets of this crate on their seeds and mutations of them.

use jig_testkit::fuzz::{Shape, Target, run_rounds_of};

#[path = "../../../jig-testkit/src/fuzz/interfaces.rs"]
mod interfaces;

#[test]
fn lines_to_json_rpc() {
    run_rounds_of(&Target { name: "rpc_lines", shape: Shape::Lines, run: interfaces::rpc }, 200);
}

#[test]
fn lines_to_mcp() {
    run_rounds_of(&Target { name: "mcp_lines", shape: Shape::Lines, run: interfaces::mcp }, 200);
}

#[test]
fn requests_to_the_server() {
    run_rounds_of(&Target { name: "http_request", shape: Shape::Text, run: interfaces::http }, 300);
}
