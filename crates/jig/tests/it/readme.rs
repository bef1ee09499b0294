//! Runs the commands of the README and some guides verbatim.

use std::path::{Path, PathBuf};
use std::process::Command;

use jig_fake_model::{Answer, FakeModel, Reply};
use serde_json::json;

use crate::environment::TestEnvironment;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Commands that run elsewhere: CI runs the first two, and `cargo xtask dist` tests its own packages.
const RUN_ELSEWHERE: [&str; 2] = ["cargo xtask demo", "cargo xtask test"];

/// The README's shell blocks, in reading order.
fn readme_script() -> String {
    let readme = std::fs::read_to_string(checkout().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let script: String = blocks.collect();
    let (cargo, script): (Vec<&str>, Vec<&str>) = script.lines().partition(|line| line.starts_with("cargo "));
    let cargo: Vec<&str> = cargo.iter().map(|line| line.split('#').next().unwrap_or_default().trim()).collect();
    assert_eq!(cargo, RUN_ELSEWHERE);
    script.join("\n")
}

#[test]
fn the_readme_works_as_written() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let environment = TestEnvironment::new();
    let program = Path::new(env!("CARGO_BIN_EXE_jig")).parent().unwrap();
    std::os::unix::fs::symlink(checkout().join("demo"), environment.work().join("demo")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    let edit = json!({ "path": "notes.txt", "text": "Shorter.\n" });
    model
        .reply(Reply::text("notes.txt has a summary."))
        .reply(Reply::text("- [ ] Shorten it\n"))
        .reply(Reply::answer(Answer::call("c", "write_text_file", &edit)))
        .reply(Reply::text("done"))
        .reply(Reply::text("I shortened the summary."));
    // Tests cannot confirm at a terminal.
    let script = readme_script().replace("jig publish ", "jig publish --yes ");
    let lines = script.lines().filter(|line| line.starts_with("jig ") || line.contains("| jig ")).count();
    assert!(lines >= 20, "the README lost its examples: {script}");
    let ran = Command::new("sh")
        .args(["-eu", "-c", &script])
        .current_dir(environment.work())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("JIG_HOME", environment.home())
        .env("JIG_PROVIDERS", format!("openai={}/v1", model.url()))
        .env("OPENAI_API_KEY", "sk-readme")
        .output()
        .unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    let workbench = environment.home().join("workbenches/board-deck");
    let published = std::fs::read_to_string(workbench.join("published/todo.txt")).unwrap();
    assert_eq!(published, "Ask the bank about the new rate.\n");
    assert_eq!(std::fs::read_to_string(workbench.join("draft/notes.txt")).unwrap(), "Shorter.\n");
    for words in ["+Ask the bank about the new rate.", "Harrow", "I shortened the summary.", "openai:gpt-5.2"] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
    assert!(std::fs::read_to_string(environment.work().join(".mcp.json")).unwrap().contains("board-deck"));
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
