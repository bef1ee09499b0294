//! Targeting and the agent's context as commands, on PostgreSQL.

use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::postgres;

#[test]
fn targets_and_views_are_the_same_on_postgresql() {
    let Some(url) = postgres::database() else { return };
    let mut environment = TestEnvironment::new();
    environment.set("JIG_DATABASE", &url);
    let jig = |arguments: &[&str]| -> Value {
        let ran = environment.jig(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.json()
    };
    jig(&["workbench", "create", "Deck", "--id", "deck"]);
    for title in ["Concept", "Research"] {
        jig(&["artifact", "create", title, "-w", "deck"]);
    }
    let found = jig(&["target", "Fix the competitive analysis in research.md", "-w", "deck"]);
    assert_eq!(found["target"]["address"], "@research#competitive-analysis");
    let view = jig(&["artifact", "context", "concept", "Update the problem statement", "-w", "deck"]);
    assert_eq!(view["context"]["systemState"]["level"], "standard");
    let version = view["context_version"].as_str().unwrap();
    jig(&["conversation", "add", "Shorter, please.", "--artifact", "concept", "-w", "deck"]);
    jig(&["artifact", "done", "concept", "core-features", "-w", "deck"]);
    let changed = jig(&["agent", "context-refresh", version, "-w", "deck"]);
    assert_eq!(changed["changes"]["done"][0]["slug"], "core-features");
    let said: Vec<&str> = changed["changes"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["Shorter, please.", "marked core-features done"], "{changed}");
    let checked = jig(&["agent", "context-check", version, "-w", "deck"]);
    assert_eq!(checked["warnings"][0]["reason"], "person_changed");
}

/// Two programs write the same section, starting from the same revision.
#[test]
fn of_two_writers_on_postgresql_one_wins_and_the_other_gets_the_newer_text() {
    let Some(url) = postgres::database() else { return };
    let mut environment = TestEnvironment::new();
    environment.set("JIG_DATABASE", &url);
    assert_eq!(environment.jig(&["workbench", "create", "Deck", "--id", "deck"]).code, 0);
    assert_eq!(environment.jig(&["artifact", "create", "Concept", "-w", "deck"]).code, 0);
    let write = |who: &str| {
        let update = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": who }]);
        let ops = update.to_string();
        environment.jig(&["--json", "artifact", "apply-ops", &ops, "--base-revision", "1", "-w", "deck"])
    };
    let (one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(|| write("by two"));
        (write("by one"), other.join().unwrap())
    });
    let (winner, refused) = if one.code == 0 { ("by one", two) } else { ("by two", one) };
    let error: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!(error["error_code"], "CONFLICT", "{error}");
    assert_eq!(error["detail"]["content"], winner);
    let shown = environment.jig(&["artifact", "show", "concept", "what-is-it", "-w", "deck"]);
    assert!(shown.stdout.contains(winner), "{shown:?}");
}
