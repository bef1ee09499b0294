//! Closed pipes end the program quietly, and piped output has no colours.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::environment::TestEnvironment;

#[test]
fn a_closed_output_ends_quietly() {
    let environment = TestEnvironment::with_notes();
    for arguments in [&["docs", "cli"][..], &["files"], &["log", "--json"], &["--help"], &["completions", "zsh"]] {
        let mut child =
            environment.command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), stderr.contains("panic") || stderr.contains("error")),
            (Some(0), false),
            "{arguments:?} {stderr}"
        );
    }
}

#[test]
fn a_closed_output_ends_rpc_and_mcp_quietly() {
    let environment = TestEnvironment::with_notes();
    let mut child = environment
        .command()
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"WorkbenchList"}}"#).unwrap();
    // The input stays open, so only the closed output can end it.
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    drop(stdin);
}

#[test]
fn an_ended_input_ends_rpc_and_mcp() {
    let environment = TestEnvironment::with_notes();
    for interface in ["rpc", "mcp"] {
        let ran = environment.jig(&[interface]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{interface} {}", ran.stderr);
    }
}

#[test]
fn output_in_a_pipe_has_no_colours_unless_wished() {
    let environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["write", "notes.txt", "--text", "new"]).success();
    assert!(!environment.jig(&["review"]).success().contains('\u{1b}'));
    assert!(environment.jig(&["review", "--color", "always"]).success().contains("\u{1b}[32m+new"));
}

#[test]
fn events_can_be_followed() {
    let environment = TestEnvironment::with_notes();
    let mut child =
        environment.command().args(["events", "--follow", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || {
        let record: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        record["seq"].as_u64().unwrap()
    };
    assert_eq!([next(), next()], [1, 2]);
    // Created by another process, so it is discovered by polling.
    let _ = environment.jig(&["checkpoint", "seen"]).success();
    assert_eq!(next(), 3);
    child.kill().unwrap();
    child.wait().unwrap();
}
