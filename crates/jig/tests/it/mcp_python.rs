//! The official Python client against the real program.
//!
//! Runs where `JIG_TEST_PYTHON` names a Python with the package `mcp`; `cargo xtask test` sets it.

use std::process::Command;

use crate::environment::TestEnvironment;
use crate::http_process::{Http, OPEN};

const CLIENT: &str = include_str!("mcp_client.py");

#[test]
fn the_official_python_client_is_served() {
    let Some(python) = std::env::var_os("JIG_TEST_PYTHON") else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "JIG_TEST_PYTHON must be set where CI is");
        println!("skipped: JIG_TEST_PYTHON is not set");
        return;
    };
    let environment = TestEnvironment::with_notes();
    // The clients publish, which requires a person's answer.
    environment.write("../data/jig.toml", "[mcp]\npublish = \"ask\"\n");
    let numbers: String = (0..9_000).map(|n| format!("{n}\n")).collect();
    environment.write("numbers.csv", format!("n\n{numbers}"));
    let _ = environment.jig(&["add", "numbers.csv"]).success();
    let http = Http::start_with(&environment, &OPEN);
    let script = environment.write("client.py", CLIENT);
    let output = Command::new(python)
        .arg(script)
        .args([
            env!("CARGO_BIN_EXE_jig"),
            environment.home().to_str().unwrap(),
            &format!("http://{}/mcp", http.address),
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert_eq!(said.trim_end(), "all is well", "{complained}");
}
