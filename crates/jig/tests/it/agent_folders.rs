//! Agent workspaces as folders: push, pull, the lock, and `--frozen` for CI.

use serde_json::Value;

use crate::environment::TestEnvironment;

fn lock(environment: &TestEnvironment, folder: &str) -> Value {
    let text = std::fs::read(environment.work().join(folder).join("agent.lock")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn the_lock_says_what_a_folder_is_and_nobodys_edits_are_lost() {
    let environment = TestEnvironment::with_notes();
    let refused = environment.jig(&["agent", "push", "nowhere", "--frozen", "--json"]);
    assert_eq!(refused.failure(), (3, "FILE_NOT_FOUND".to_owned()), "the lock is missing");
    let _ = environment.jig(&["agent", "pull", "jig", "mine"]).success();
    assert_eq!(lock(&environment, "mine")["name"], "jig");
    let _ = environment.jig(&["agent", "push", "mine", "--name", "house", "-m", "first"]).success();
    let first = lock(&environment, "mine");
    assert_eq!((&first["name"], &first["version"]), (&"house".into(), &1.into()), "{first}");
    let _ = environment.jig(&["agent", "push", "mine", "--frozen"]).success();

    // Another user pulls the same workspace and pushes first.
    let _ = environment.jig(&["agent", "pull", "house", "theirs"]).success();
    environment.write("theirs/prompts/templates/extra.md", "Be brief.");
    let _ = environment.jig(&["agent", "push", "theirs", "-m", "second"]).success();
    assert_eq!(lock(&environment, "theirs")["version"], 2);
    let refused = environment.jig(&["agent", "push", "mine", "--frozen", "--json"]);
    assert_eq!(refused.failure(), (4, "CONFLICT".to_owned()), "the newest version differs");
    environment.write("mine/prompts/templates/base.md", "Mine.");
    let refused = environment.jig(&["agent", "push", "mine", "--json"]);
    assert_eq!(refused.failure(), (4, "CONFLICT".to_owned()), "they were faster");
    let refused = environment.jig(&["agent", "push", "mine", "--frozen"]);
    assert!(refused.code == 4 && refused.stderr.contains("prompts/templates/base.md"), "{refused:?}");

    // `--frozen` writes what the lock names, whatever is newest. A local edit stops it unless it is forced.
    let refused = environment.jig(&["agent", "pull", "house", "mine", "--frozen", "--json"]);
    assert_eq!(refused.failure(), (4, "CONFLICT".to_owned()), "the edit stays");
    assert_eq!(std::fs::read_to_string(environment.work().join("mine/prompts/templates/base.md")).unwrap(), "Mine.");
    let _ = environment.jig(&["agent", "pull", "house", "mine", "--frozen", "--force"]).success();
    assert_eq!(lock(&environment, "mine"), first);
    assert!(!environment.work().join("mine/prompts/templates/extra.md").exists(), "that is in version 2 only");
    let _ = environment.jig(&["agent", "pull", "house", "mine"]).success();
    assert_eq!(lock(&environment, "mine"), lock(&environment, "theirs"));
    let log = environment.jig(&["agent", "log", "house"]).success();
    assert!(log.contains("house@2") && log.contains("second") && log.contains("house@1"), "{log}");
    std::fs::write(environment.work().join("mine/agent.lock"), "{}").unwrap();
    let refused = environment.jig(&["agent", "push", "mine", "--json"]);
    assert_eq!(refused.failure(), (2, "VALIDATION_FAILED".to_owned()));
}
