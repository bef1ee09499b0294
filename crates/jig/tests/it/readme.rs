//! The README's first ten minutes, word by word.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::TestEnvironment;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The shell lines under a heading.
fn lines_under(heading: &str) -> String {
    let readme = std::fs::read_to_string(checkout().join("README.md")).unwrap();
    let section = readme.split(heading).nth(1).expect("the heading");
    section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of shell").to_owned()
}

#[test]
fn the_first_ten_minutes_work_as_written() {
    let environment = TestEnvironment::new();
    let program = Path::new(env!("CARGO_BIN_EXE_jig")).parent().unwrap();
    let script = lines_under("## The first ten minutes");
    let lines = script.lines().filter(|line| line.starts_with("jig ") || line.contains("| jig ")).count();
    assert!(lines >= 12, "the README lost its examples: {script}");
    let ran = Command::new("sh")
        .args(["-eu", "-c", &script])
        .current_dir(checkout())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("JIG_HOME", environment.home())
        .output()
        .unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    // It ends at the checkpoint, with both texts published.
    let published = environment.home().join("workbenches/board-deck/published");
    assert_eq!(std::fs::read_to_string(published.join("todo.txt")).unwrap(), "Ask the bank about the new rate.\n");
    assert_eq!(std::fs::read_to_string(published.join("notes.txt")).unwrap(), "Revenue grew 23 %.");
    assert!(seen.contains("+Ask the bank about the new rate."), "the review shows the diff: {seen}");
}

#[test]
fn the_guide_to_artifacts_works_as_written() {
    let environment = TestEnvironment::new();
    let program = Path::new(env!("CARGO_BIN_EXE_jig")).parent().unwrap();
    let guide = std::fs::read_to_string(checkout().join("docs/guide/artifacts.md")).unwrap();
    let blocks: Vec<&str> =
        guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 3, "the guide lost its examples");
    let ran = Command::new("sh")
        .args(["-eu", "-c", &blocks.concat()])
        .current_dir(environment.work())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("JIG_HOME", environment.home())
        .output()
        .unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    for words in ["updated what-is-it", "Add a price", "finalized", "wrote concept.json", "Saved the stage launch"] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
}

#[test]
fn the_guide_to_targeting_works_as_written() {
    let environment = TestEnvironment::new();
    let program = Path::new(env!("CARGO_BIN_EXE_jig")).parent().unwrap();
    let guide = std::fs::read_to_string(checkout().join("docs/guide/targeting.md")).unwrap();
    let block = guide.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let ran = Command::new("sh")
        .args(["-eu", "-c", block])
        .current_dir(environment.work())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("JIG_HOME", environment.home())
        .output()
        .unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    for words in [
        "@research#competitive-analysis",
        "matched by: other words",
        "Did you mean 'Problem Being Solved' in concept.md?",
        "to do: update the definition",
        "level standard",
        "<agent-context level=\"full\"",
    ] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
}

#[test]
fn the_guide_to_entries_works_as_written() {
    let environment = TestEnvironment::new();
    let program = Path::new(env!("CARGO_BIN_EXE_jig")).parent().unwrap();
    let guide = std::fs::read_to_string(checkout().join("docs/guide/entries.md")).unwrap();
    let blocks: Vec<&str> =
        guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 4, "the guide lost its examples");
    let ran = Command::new("sh")
        .args(["-eu", "-c", &blocks.concat()])
        .current_dir(environment.work())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("JIG_HOME", environment.home())
        .output()
        .unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    for words in ["@competitor:globex", "times smaller", "Saved partner, version 1", "found in a text", "Write a pitch"]
    {
        assert!(seen.contains(words), "{words}: {seen}");
    }
}
