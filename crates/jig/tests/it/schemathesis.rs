//! Runs Schemathesis, which generates requests from the schema, against the real program on each database.
//!
//! Runs where `JIG_TEST_PYTHON` names a Python with the package `schemathesis`; `cargo xtask test` sets it. No response
//! may be a server error, and every response must match the schema.

use std::process::Command;

use serde_json::json;

use crate::environment::TestEnvironment;
use crate::http_process::Http;
use crate::postgres;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,unsupported_method,allow_header_conformance";

/// Resource paths refer to an existing workbench.
const CONFIG: &str = "[parameters]\n\"path.workbench_id\" = \"board-deck\"\n";

#[test]
fn no_made_up_request_breaks_the_server_on_sqlite() {
    let Some(python) = python() else { return };
    run(&python, &TestEnvironment::new());
}

#[test]
fn no_made_up_request_breaks_the_server_on_postgresql() {
    let (Some(python), Some(url)) = (python(), postgres::database()) else { return };
    let mut environment = TestEnvironment::new();
    environment.set("JIG_DATABASE", &url);
    run(&python, &environment);
}

fn python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("JIG_TEST_PYTHON");
    if python.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "JIG_TEST_PYTHON must be set where CI is");
        println!("skipped: JIG_TEST_PYTHON is not set");
    }
    python
}

fn run(python: &std::ffi::OsStr, environment: &TestEnvironment) {
    let _ = environment.jig(&["new", "Board deck"]).success();
    environment.write("notes.txt", "one\ntwo\n");
    let _ = environment.jig(&["add", "notes.txt"]).success();
    let made = environment.jig(&["token", "create", "Tester", "--role", "owner", "--json"]).json();
    let token = made["token"].as_str().unwrap();
    let config = environment.write("schemathesis.toml", CONFIG);
    let http = Http::start_with(environment, &[("JIG_SERVE_CALLS_PER_SECOND", "0")]);
    // An event stream never ends; requests that delete the workbench or revoke the tester's own token run last.
    const LAST: &str =
        "(/op/WorkbenchDelete|/op/TokenRevoke|/tokens/\\{token_id\\}|/api/workbenches/\\{workbench_id\\})$";
    let but_those = format!("/events$|{LAST}");
    let all = ["--exclude-path-regex", but_those.as_str(), "--max-examples", "8"];
    let last = ["--include-path-regex", LAST, "--max-examples", "20"];
    for which in [all, last] {
        let output = Command::new(python)
            .args(["-m", "schemathesis.cli", "--config-file"])
            .arg(&config)
            .args(["run", &format!("http://{}/api/openapi.json", http.address)])
            .args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--seed", "1", "--workers", "2"])
            .args(["--header", &format!("Authorization: Bearer {token}"), "--request-timeout", "60"])
            .args(["--suppress-health-check", "all", "--no-color", "--warnings", "off"])
            .args(which)
            .current_dir(environment.work())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{complained}");
    }
    let alive = http.request("GET", "/readyz", "", "");
    assert_eq!((alive.status, alive.body.as_str()), (200, "ready\n"));
    assert_eq!(http.finish(), 0);
    let report = environment.jig(&["doctor", "--json"]).json();
    assert_eq!(report["ok"], json!(true), "{report}");
}
