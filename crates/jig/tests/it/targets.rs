//! Targeting and the agent's view as commands, on PostgreSQL.

use serde_json::Value;

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
