//! Invalid input: the right error with a hint, the documented exit code, and no changes.

use serde_json::json;

use crate::environment::TestEnvironment;
use crate::rpc_process::Rpc;

#[test]
fn ids_that_name_no_workbench() {
    let environment = TestEnvironment::with_notes();
    let long = "x".repeat(100_000);
    let table = [
        ("none", (3, "WORKBENCH_NOT_FOUND")),
        (".", (2, "VALIDATION_FAILED")),
        ("..", (2, "VALIDATION_FAILED")),
        ("", (2, "VALIDATION_FAILED")),
        ("a/b", (2, "VALIDATION_FAILED")),
        ("Deck", (2, "VALIDATION_FAILED")),
        ("con", (2, "VALIDATION_FAILED")),
        (long.as_str(), (2, "VALIDATION_FAILED")),
    ];
    let before = environment.jig(&["log", "--json"]).json();
    for (id, (exit, code)) in table {
        let ran = environment.jig(&["files", "--json", "-w", id]);
        assert_eq!(ran.failure(), (exit, code.to_owned()), "{}", &id[..id.len().min(20)]);
        assert!(ran.stderr.contains("hints") && ran.stderr.len() < 2_000, "{}", ran.stderr);
        let ran = environment.jig(&["write", "a.txt", "--text", "a", "--json", "-w", id]);
        assert_eq!(ran.failure(), (exit, code.to_owned()));
    }
    assert_eq!(environment.jig(&["log", "--json"]).json(), before);
}

#[test]
fn an_id_of_ten_megabytes() {
    let environment = TestEnvironment::with_notes();
    let params = json!({ "workbench_id": "x".repeat(10_000_000) }).to_string();
    let ran = environment.jig_with(&["file", "list", "--json", "--params", "-"], params.as_bytes());
    assert_eq!(ran.failure(), (2, "VALIDATION_FAILED".to_owned()));
    assert!(ran.stderr.len() < 2_000);
}

#[test]
fn parameters_that_do_not_fit() {
    let environment = TestEnvironment::with_notes();
    for params in ["{", "[]", "3", "null", "{}", r#"{"path":{}}"#, r#"{"path":"a","x":1}"#, r#"{"path":["a"]}"#] {
        let ran = environment.jig(&["file", "read", "--json", "--params", params]);
        assert_eq!(ran.failure(), (2, "INVALID_PARAMS".to_owned()), "{params}");
    }
    let missing = environment.jig(&["file", "read", "--json", "--params", "@none.json"]);
    assert_eq!(missing.failure(), (6, "FILE_READ_FAILED".to_owned()));
    for arguments in [&["read", "a.txt", "--params", "{}", "--json"][..], &["--json", "fils"], &["read", "--json"]] {
        assert_eq!(environment.jig(arguments).failure(), (2, "INVALID_PARAMS".to_owned()), "{arguments:?}");
    }
}

#[test]
fn without_a_workbench_the_error_says_how_to_choose_one() {
    let environment = TestEnvironment::new();
    let ran = environment.jig(&["files", "--json"]);
    assert_eq!(ran.failure(), (2, "INVALID_PARAMS".to_owned()));
    assert!(ran.stderr.contains("jig use ID"), "{}", ran.stderr);
    assert_eq!(environment.jig(&["use", "none", "--json"]).failure(), (3, "WORKBENCH_NOT_FOUND".to_owned()));
}

#[test]
fn text_that_is_not_utf8() {
    let environment = TestEnvironment::with_notes();
    let ran = environment.jig_with(&["write", "a.txt", "--json"], b"\xff\xfe");
    assert_eq!(ran.failure(), (2, "VALIDATION_FAILED".to_owned()));
}

#[test]
fn a_process_answers_every_wrong_message() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_RPC_MAX_MESSAGE_BYTES", "1kB");
    let mut rpc = Rpc::start(&environment);
    let numbers: Vec<i64> = ["{", "[]", r#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#, &"x".repeat(5_000)]
        .iter()
        .map(|line| rpc.exchange(line)["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [-32700, -32600, -32601, -32600]);
    assert_eq!(rpc.call("FileList", json!({ "workbench_id": "deck" })).unwrap()["total"], 1);
    assert_eq!(rpc.finish(), 0);
}
