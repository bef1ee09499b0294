//! `jig demo`.

use crate::environment::{TestEnvironment, snapshot};
use crate::http_process::Http;

#[test]
fn the_demo_shows_files_a_draft_and_what_to_do() {
    let environment = TestEnvironment::new();
    let seen = environment.redacted(&environment.jig(&["demo"]).success());
    snapshot("demo.txt", &seen);
    assert_eq!(std::fs::read_dir(environment.home()).unwrap().count(), 0, "a person's own home is left alone");
}

#[test]
fn the_demo_can_be_repeated_in_one_home_and_its_commands_work() {
    let environment = TestEnvironment::new();
    let home = environment.work().join("demo-home");
    let home = home.to_str().unwrap();
    let first = environment.jig(&["demo", "--home", home, "--json"]).json();
    let second = environment.jig(&["demo", "--home", home, "--json"]).json();
    assert_eq!((&first["workbench"]["id"], &second["workbench"]["id"]), (&"demo".into(), &"demo-2".into()));
    assert_eq!(first["workbench"]["files"], 6);
    let published = environment.jig(&["publish", "--home", home, "-w", "demo-2", "--json"]).json();
    assert_eq!(published["modified"], serde_json::json!(["notes.txt"]));
    assert!(environment.jig(&["doctor", "--home", home, "--json"]).json()["ok"].as_bool().unwrap());
}

#[test]
fn the_demo_serves_its_page_where_that_is_asked_for() {
    let environment = TestEnvironment::new();
    let http = Http::run(&environment, &["demo", "--serve"], &[("JIG_SERVE_BIND", "127.0.0.1:0")]);
    let plans = http.request("GET", "/w/demo/plans", "Accept: text/html\r\n", "");
    assert_eq!(plans.status, 200, "{plans:?}");
    assert!(plans.body.contains("1 suggestion") && plans.body.contains("Concept"), "{}", plans.body);
    assert_eq!(http.finish(), 0);
}
