//! Independent checks of the MCP server: the protocol's conformance tests, its inspector and the official clients.
//!
//! Runs where `JIG_TEST_MCP_CLIENTS` names a folder with their packages; `cargo xtask test` sets it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::http_process::{Http, OPEN};

const CLIENT: &str = include_str!("mcp_client.mjs");

/// Node and the folder with the packages.
struct Judges {
    folder: PathBuf,
}

impl Judges {
    fn find() -> Option<Self> {
        let Some(folder) = std::env::var_os("JIG_TEST_MCP_CLIENTS") else {
            assert!(
                std::env::var_os("CI").is_none_or(|ci| ci != "true"),
                "JIG_TEST_MCP_CLIENTS must be set where CI is"
            );
            println!("skipped: JIG_TEST_MCP_CLIENTS is not set");
            return None;
        };
        Some(Self { folder: folder.into() })
    }

    fn node(&self) -> Command {
        let packages = std::fs::read_dir(self.folder.join("node_modules")).unwrap().map(|entry| entry.unwrap().path());
        let own = |path: &PathBuf| {
            path.file_name().unwrap().to_string_lossy().starts_with("node-") && path.join("bin/node").is_file()
        };
        Command::new(packages.filter(own).max().expect("a package with node").join("bin/node"))
    }

    fn package(&self, path: &str) -> PathBuf {
        self.folder.join("node_modules/@modelcontextprotocol").join(path)
    }

    /// Runs the inspector's command line with an isolated home.
    fn inspector(&self, environment: &TestEnvironment, arguments: &[&str]) -> Output {
        let mut command = self.node();
        command.arg(self.package("inspector/clients/cli/build/index.js")).args(["--format", "json"]).args(arguments);
        command.env("HOME", environment.work()).output().unwrap()
    }
}

fn streams(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_conformance_tests_of_both_versions_pass() {
    let Some(judges) = Judges::find() else { return };
    let environment = environment();
    let http = Http::start_as(&environment, &OPEN, &["--conformance-fixtures"]);
    let url = format!("http://{}/mcp", http.address);
    for revision in ["2025-11-25", "2026-07-28"] {
        let output = judges
            .node()
            .arg(judges.package("conformance/dist/index.js"))
            .args(["server", "--url", &url, "--requirements", revision])
            .current_dir(environment.work())
            .output()
            .unwrap();
        assert!(output.status.success(), "{revision}: {}", streams(&output));
    }
    for scenario in ["sep-2640-skills-enumeration", "sep-2640-skills-directory"] {
        let output = judges
            .node()
            .arg(judges.package("conformance/dist/index.js"))
            .args(["server", "--url", &url, "--scenario", scenario])
            .current_dir(environment.work())
            .output()
            .unwrap();
        assert!(output.status.success(), "{scenario}: {}", streams(&output));
    }
}

#[test]
fn the_inspector_finds_the_schemas_portable_and_the_skills_true() {
    let Some(judges) = Judges::find() else { return };
    let environment = environment();
    let jig = env!("CARGO_BIN_EXE_jig");
    let home = environment.home();
    let served = [jig, "mcp", "--home", home.to_str().unwrap(), "--workbench", "deck"];
    let http = Http::start_with(&environment, &OPEN);
    let url = format!("http://{}/mcp?workbench=deck", http.address);
    for era in ["legacy", "modern"] {
        for target in [&served[..], &["--transport", "http", "--server-url", &url][..]] {
            let ask = |arguments: &[&str]| {
                let all: Vec<&str> = ["--protocol-era", era].iter().chain(arguments).chain(target).copied().collect();
                judges.inspector(&environment, &all)
            };
            for arguments in [
                &["--method", "tools/list", "--strict"][..],
                &["--method", "skills/list", "--verify", "--require-digests"][..],
                &["--method", "prompts/list"][..],
                &["--method", "resources/read", "--uri", "jig://deck/text/notes.txt"][..],
                &["--method", "tools/call", "--tool-name", "read_file", "--tool-args-json", r#"{"path":"notes.txt"}"#]
                    [..],
            ] {
                let output = ask(arguments);
                assert!(output.status.success(), "{era} {arguments:?}: {}", streams(&output));
            }
            let wrong = r#"{"path":"none.txt"}"#;
            let failed = ask(&["--method", "tools/call", "--tool-name", "read_file", "--tool-args-json", wrong]);
            assert_eq!(failed.status.code(), Some(5), "an error has its exit code: {}", streams(&failed));
        }
    }
}

#[test]
fn the_official_typescript_client_is_served() {
    let Some(judges) = Judges::find() else { return };
    let environment = environment();
    let http = Http::start_with(&environment, &OPEN);
    let script = environment.write("client.mjs", CLIENT);
    let output = judges
        .node()
        .arg(script)
        .arg(&judges.folder)
        .args([
            env!("CARGO_BIN_EXE_jig"),
            environment.home().to_str().unwrap(),
            &format!("http://{}/mcp", http.address),
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", streams(&output));
    let last: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", streams(&output)));
    assert_eq!(last["runs"], 4, "{last}");
}

/// A workbench with content of every kind.
fn environment() -> TestEnvironment {
    let environment = TestEnvironment::with_notes();
    // The clients publish, which requires a person's answer.
    environment.write("../data/jig.toml", "[mcp]\npublish = \"ask\"\n");
    let numbers: String = (0..9_000).map(|n| format!("{n}\n")).collect();
    environment.write("numbers.csv", format!("n\n{numbers}"));
    let _ = environment.jig(&["add", "numbers.csv"]).success();
    let text = environment.write("company.txt", "Acme sells ropes.");
    let file = Path::new(&text).display().to_string();
    let _ = environment
        .jig(&["context", "process", "company-context", "--file", &file, "--model", "offline:extract"])
        .success();
    let _ = environment.jig(&["artifact", "create", "Concept"]).success();
    environment
}
