//! The everyday verbs, from the user's perspective.

use crate::environment::{TestEnvironment, snapshot};

/// Runs commands one after another and returns what a person would have seen.
fn session(environment: &TestEnvironment, commands: &[&[&str]]) -> String {
    let mut seen = String::new();
    for arguments in commands {
        let ran = environment.jig(arguments);
        let shown: Vec<String> = arguments
            .iter()
            .map(|a| if a.contains([' ', '\n']) { format!("{a:?}") } else { (*a).to_owned() })
            .collect();
        seen.push_str(&format!("$ jig {}\n{}", shown.join(" "), ran.stdout));
        ran.stderr.lines().for_each(|line| seen.push_str(&format!("! {line}\n")));
        if ran.code != 0 {
            seen.push_str(&format!("[exit code {}]\n", ran.code));
        }
    }
    environment.redacted(&seen)
}

#[test]
fn a_first_session() {
    let environment = TestEnvironment::new();
    environment.write("notes.txt", "one\ntwo\nthree\n");
    environment.write("data/bank.csv", "day,amount\n1,20\n");
    let seen = session(
        &environment,
        &[
            &[],
            &["files"],
            &["new", "Board deck"],
            &["add", "notes.txt", "data/bank.csv"],
            &["files"],
            &["read", "notes.txt"],
            &["read", "notes.txt", "--line-start", "2", "--line-count", "1"],
            &["write", "notes.txt", "--text", "one\n2\nthree\n"],
            &["write", "sub/new.txt", "--text", "new"],
            &[],
            &["review"],
            &["review", "notes.txt"],
            &["add", "notes.txt"],
            &["publish"],
            &["publish", "--yes"],
            &["log"],
            &["undo"],
            &["redo"],
            &["checkpoint", "good"],
            &["checkpoint"],
            &["rm", "bank.csv"],
            &["checkpoint", "list"],
            &["restore", "good"],
            &["files", "sub"],
            &["extract", "--to", "out"],
            &["export", "deck.jig"],
            &["import", "deck.jig"],
            &["clone", "A try"],
            &["use", "a-try"],
            &["workbench", "list"],
            &["discard"],
            &["events", "-n", "2"],
            &["doctor"],
            &["gc"],
            &["workbench", "delete", "--confirm", "a-try"],
            &["files"],
        ],
    );
    // The size of an archive depends on how well its timestamps compress.
    let seen = regex::Regex::new(r"deck\.jig \([^)]*\)").unwrap().replace_all(&seen, "deck.jig ([size])").into_owned();
    snapshot("first-session.txt", &seen);
    let extracted = std::fs::read_to_string(environment.work().join("out/notes.txt")).unwrap();
    assert_eq!(extracted, "one\n2\nthree\n");
}

#[test]
fn mistakes_say_what_to_do() {
    let environment = TestEnvironment::with_notes();
    let seen = session(
        &environment,
        &[
            &["fils"],
            &["file", "lst"],
            &["read"],
            &["read", "note.txt"],
            &["read", "../secret"],
            &["files", "-w", "dekc"],
            &["publish"],
            &["restore", "none"],
            &["redo"],
            &["write", "a.txt", "--from", "none"],
            &["file", "read", "--params", "{"],
            &["file", "read", "--params", "{}"],
            &["exit-codes"],
        ],
    );
    snapshot("mistakes.txt", &seen);
}

#[test]
fn help_reads_well() {
    let environment = TestEnvironment::new();
    let seen = session(
        &environment,
        &[
            &["--help"],
            &["files", "--help"],
            &["write", "--help"],
            &["publish", "-h"],
            &["draft", "--help"],
            &["review", "-h"],
            &["mcp", "-h"],
            &["help", "exit-codes"],
        ],
    );
    snapshot("help.txt", &seen);
}

#[test]
fn text_comes_from_a_flag_a_file_or_a_pipe() {
    let environment = TestEnvironment::with_notes();
    let from = environment.write("from.txt", "from a file\n");
    let _ = environment.jig(&["write", "a.txt", "--text", "from a flag"]).success();
    let _ = environment.jig(&["write", "b.txt", "--from", from.to_str().unwrap()]).success();
    let _ = environment.jig_with(&["write", "c.txt"], "from a pipe\n".as_bytes()).success();
    let params = r#"{"path":"d.txt","text":"from parameters\n"}"#;
    let _ = environment.jig_with(&["write", "--params", "-"], params.as_bytes()).success();
    environment.write("params.json", params.replace("d.txt", "e.txt"));
    let _ = environment.jig(&["draft", "write-text", "--params", "@params.json"]).success();
    let read = |name: &str| environment.jig(&["read", name]).success();
    let texts: Vec<String> = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"].iter().map(|name| read(name)).collect();
    assert_eq!(texts, ["from a flag\n", "from a file\n", "from a pipe\n", "from parameters\n", "from parameters\n"]);
}

#[test]
fn deletions_need_their_names_in_a_pipe() {
    let environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["draft", "remove-file", "notes.txt"]).success();
    assert_eq!(environment.jig(&["publish", "--yes", "--json"]).failure(), (4, "DELETION_NOT_CONFIRMED".to_owned()));
    let done = environment.jig(&["publish", "--yes", "--confirm-deletion", "notes.txt", "--json"]).json();
    assert_eq!(done["deleted"], serde_json::json!(["notes.txt"]));
}

#[test]
fn json_is_exactly_the_operations_output() {
    let environment = TestEnvironment::with_notes();
    let short = environment.jig(&["files", "--json"]).json();
    let long = environment.jig(&["--json", "file", "list", "-w", "deck"]).json();
    assert_eq!(short, long);
    assert_eq!(short["files"][0]["path"], "notes.txt");
}

#[test]
fn quiet_says_nothing_beside_the_result() {
    let environment = TestEnvironment::with_notes();
    assert_ne!(environment.jig(&["files"]).stderr, "");
    assert_eq!(environment.jig(&["files", "-q"]).stderr, "");
}

#[test]
fn every_shell_has_completions() {
    let environment = TestEnvironment::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = environment.jig(&["completions", shell]).success();
        assert!(script.contains("checkpoint"), "{shell}");
    }
}

#[test]
fn damage_that_the_doctor_finds_shows_in_the_exit_code() {
    let environment = TestEnvironment::with_notes();
    assert_eq!(environment.jig(&["doctor"]).code, 0);
    let hash =
        environment.jig(&["file", "get-info", "notes.txt", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let mut blobs = vec![environment.home().join("blobs")];
    while let Some(path) = blobs.pop() {
        if path.is_dir() {
            blobs.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if hash.ends_with(path.file_name().unwrap().to_str().unwrap()) {
            std::fs::write(path, "damaged").unwrap();
        }
    }
    let ran = environment.jig(&["doctor"]);
    assert_eq!((ran.code, ran.stdout.contains("Problems found")), (70, true), "{ran:?}");
}
