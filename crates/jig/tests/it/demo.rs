//! `jig demo`.

use crate::environment::{TestEnvironment, snapshot};
use crate::http_process::Http;

#[test]
fn the_demo_shows_files_a_draft_and_what_to_do() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = TestEnvironment::new();
    let seen = environment.redacted(&environment.jig(&["demo"]).success());
    // A new workbook contains its creation time, so its compressed size varies by a few bytes. Receipts report such
    // sizes.
    let sizes = regex::Regex::new(r"(Excel workbook, |docx_operations: )[0-9]+ bytes").unwrap();
    let seen = sizes.replace_all(&seen, "${1}[size] bytes");
    snapshot("demo.txt", &seen);
    assert_eq!(std::fs::read_dir(environment.home()).unwrap().count(), 0, "a person's own home is left alone");
}

#[test]
fn the_demo_can_be_repeated_in_one_home_and_its_commands_work() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = TestEnvironment::new();
    let home = environment.work().join("demo-home");
    let home = home.to_str().unwrap();
    let first = environment.jig(&["demo", "--home", home, "--json"]).json();
    let second = environment.jig(&["demo", "--home", home, "--json"]).json();
    assert_eq!((&first["workbench"]["id"], &second["workbench"]["id"]), (&"demo".into(), &"demo-2".into()));
    assert_eq!(first["workbench"]["files"], 6);
    let at = ["--home", home, "-w", "demo-2"];
    let jig = |words: &[&str]| environment.jig(&[words, &at].concat());
    // The agent's work can be inspected and replayed.
    let session = second["session_id"].as_str().unwrap();
    assert_eq!(jig(&["session", "replay", session, "--json"]).json()["same"], true);
    let shown = jig(&["session", "show", session, "--step", "9", "--json"]).json();
    let told = shown["request"].to_string();
    for word in ["House rules of Larchfield Cycles", "workbench-situation", "Back on the road", "budget.xlsx"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let set = jig(&["review", "get-change-set", "--json"]).json();
    assert!(set["summary"].to_string().contains("summary.xlsx"), "{set:#}");
    assert!(set["changes"].as_array().unwrap().iter().all(|change| !change["steps"].as_array().unwrap().is_empty()));
    let published = jig(&["publish", "--yes", "--json"]).json();
    assert_eq!(published["modified"], serde_json::json!(["notes.txt", "report.docx"]));
    assert_eq!(published["added"], serde_json::json!(["summary.md", "summary.xlsx"]));
    assert!(environment.jig(&["doctor", "--home", home, "--json"]).json()["ok"].as_bool().unwrap());
}

#[test]
fn the_demo_serves_its_page_where_that_is_asked_for() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = TestEnvironment::new();
    let http = Http::run(&environment, &["demo", "--serve"], &[("JIG_SERVE_BIND", "127.0.0.1:0")]);
    let plans = http.request("GET", "/w/demo/plans", "Accept: text/html\r\n", "");
    assert_eq!(plans.status, 200, "{plans:?}");
    assert!(plans.body.contains("1 suggestion") && plans.body.contains("Concept"), "{}", plans.body);
    for (path, word) in [
        ("/w/demo/workshop", "Add up the bank export"),
        ("/w/demo/review", "What the agent says it did"),
        ("/w/demo/agent", "Add up the bank export"),
        ("/w/demo/context", "Larchfield Cycles"),
    ] {
        let page = http.request("GET", path, "Accept: text/html\r\n", "");
        assert!(page.status == 200 && page.body.contains(word), "{path}: {}", page.body);
    }
    assert_eq!(http.finish(), 0);
}
