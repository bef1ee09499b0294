//! A person at a terminal is asked questions and sees colours.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::environment::TestEnvironment;

/// Runs the program on a pseudoterminal, types `keys`, and returns the exit code and everything the terminal showed.
pub(crate) fn typed(environment: &TestEnvironment, arguments: &[&str], keys: &str) -> (Option<i32>, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let side = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut command = environment.command();
    command.args(arguments).env("TERM", "xterm-256color");
    command.stdin(side.try_clone().unwrap()).stdout(side.try_clone().unwrap()).stderr(side);
    let mut child = command.spawn().unwrap();
    // The command holds the program's side of the terminal open; without the drop, reading below would never end.
    drop(command);
    let mut terminal = File::from(terminal);
    terminal.write_all(keys.as_bytes()).unwrap();
    let (mut shown, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = terminal.read(&mut piece) {
        shown.extend_from_slice(&piece[..read]);
    }
    (child.wait().unwrap().code(), String::from_utf8(shown).unwrap())
}

/// A Draft that changes one file and deletes another.
fn with_draft() -> TestEnvironment {
    let environment = TestEnvironment::with_notes();
    environment.write("old.txt", "gone soon\n");
    let _ = environment.jig(&["add", "old.txt"]).success();
    let _ = environment.jig_with(&["write", "notes.txt"], b"one\nthree\n").success();
    let _ = environment.jig(&["draft", "remove-file", "old.txt"]).success();
    environment
}

fn published(environment: &TestEnvironment) -> Vec<String> {
    let folder = environment.home().join("workbenches/deck/published");
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn publishing_asks_and_names_what_is_deleted() {
    let environment = with_draft();
    let (code, shown) = typed(&environment, &["publish"], "n\n");
    assert!(shown.contains("deletes\u{1b}[0m \u{1b}[1mold.txt"), "{shown:?}");
    assert!(shown.contains("Publish 2 changed files, with the deletions named above? [y/N] "), "{shown:?}");
    assert!(shown.contains("nothing was published"), "{shown:?}");
    assert_ne!(code, Some(0));
    assert_eq!(published(&environment), ["notes.txt", "old.txt"]);

    let (code, shown) = typed(&environment, &["publish"], "yes\n");
    assert_eq!(code, Some(0), "{shown:?}");
    assert_eq!(published(&environment), ["notes.txt"]);
}

#[test]
fn an_input_that_ends_is_a_no() {
    let environment = with_draft();
    let end_of_input = "\u{4}";
    let (code, shown) = typed(&environment, &["publish"], end_of_input);
    assert!(shown.contains("nothing was published"), "{shown:?}");
    assert_ne!(code, Some(0));
    assert_eq!(published(&environment), ["notes.txt", "old.txt"]);
}

#[test]
fn yes_beforehand_does_not_cover_deletions() {
    let environment = with_draft();
    let (code, shown) = typed(&environment, &["publish", "--yes"], "n\n");
    assert!(shown.contains("with the deletions named above?"), "{shown:?}");
    assert_ne!(code, Some(0));
    assert_eq!(published(&environment), ["notes.txt", "old.txt"]);
}

#[test]
fn colours_are_for_terminals_and_can_be_refused() {
    let mut environment = with_draft();
    let (code, shown) = typed(&environment, &["review", "notes.txt"], "");
    assert_eq!(code, Some(0));
    assert!(shown.contains("\u{1b}[31m-two"), "{shown:?}");
    assert!(shown.contains("\u{1b}[32m+three"), "{shown:?}");
    environment.set("NO_COLOR", "1");
    let (_, shown) = typed(&environment, &["review", "notes.txt"], "");
    assert!(shown.contains("-two") && !shown.contains('\u{1b}'), "{shown:?}");
}
