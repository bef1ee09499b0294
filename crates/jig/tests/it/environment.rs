//! A hermetic environment to run the program in: no variables, a temporary home and working directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

/// The outcome of one run.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "look at the exit code or the output"]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The output of a run that must succeed.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// The JSON output of a run that must succeed.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.success()).unwrap()
    }

    /// Exit code and error code of a run with `--json` that must fail.
    #[track_caller]
    pub(crate) fn failure(&self) -> (i32, String) {
        assert_eq!(self.stdout, "", "{self:?}");
        let info: Value = serde_json::from_str(&self.stderr).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        (self.code, info["error_code"].as_str().unwrap().to_owned())
    }
}

/// A temporary home and working directory.
pub(crate) struct TestEnvironment {
    root: TempDir,
    variables: Vec<(String, String)>,
}

impl TestEnvironment {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["data", "desk", "tmp"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root, variables: Vec::new() }
    }

    /// An environment with one workbench, `deck`, that contains `notes.txt`.
    pub(crate) fn with_notes() -> Self {
        let environment = Self::new();
        environment.write("notes.txt", "one\ntwo\n");
        let _ = environment.jig(&["new", "Deck"]).success();
        let _ = environment.jig(&["add", "notes.txt"]).success();
        environment
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.root.path().join("desk")
    }

    /// Writes a file in the working directory.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The program, ready to run in this environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jig"));
        command.env_clear().env("HOME", self.root.path()).env("TMPDIR", self.root.path().join("tmp"));
        command.env("JIG_HOME", self.home()).current_dir(self.work()).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn jig(&self, arguments: &[&str]) -> Ran {
        ran(self.command().args(arguments))
    }

    /// Runs the program with this standard input.
    pub(crate) fn jig_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let path = self.write("../tmp/input", input);
        ran(self.command().args(arguments).stdin(std::fs::File::open(path).unwrap()))
    }

    /// The text without what differs between runs.
    pub(crate) fn redacted(&self, text: &str) -> String {
        redact(text, self.root.path())
    }
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Replaces times, hashes, ids and the temporary folder with placeholders.
pub(crate) fn redact(text: &str, root: &Path) -> String {
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z", "[time]"),
            (r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}", "[minute]"),
            (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[uuid]"),
            (r"jig-demo-[0-9a-f]{32}", "jig-demo-[id]"),
            (r#""etag":"[0-9a-f]{32}-"#, r#""etag":"[id]-"#),
            (r#""cursor":"[0-9]{13}/"#, r#""cursor":"[time]/"#),
            (r"jig_[A-Za-z0-9_-]{43}", "jig_[secret]"),
            (r"[0-9a-f]{64}", "[hash]"),
            // New Office files contain their creation time.
            (r#""crc32":"[0-9a-f]{8}""#, r#""crc32":"[crc32]""#),
            (r#"(openxmlformats[^}"]*","bytes":)[0-9]+"#, "${1}0"),
            (r#""cursor":"([0-9.]+)\.[0-9a-f]{8}""#, r#""cursor":"$1.[hash]""#),
        ]
        .map(|(pattern, word)| (Regex::new(pattern).unwrap(), word))
        .into()
    });
    let text = text.replace(env!("CARGO_BIN_EXE_jig"), "[jig]").replace(root.to_str().unwrap(), "[root]");
    RULES.iter().fold(text, |text, (rule, word)| rule.replace_all(&text, *word).into_owned())
}

/// Compares a text with a stored snapshot; `UPDATE=1` rewrites it.
#[track_caller]
pub(crate) fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(name);
    compare(&path, text);
}

/// Compares a file with its expected content; `UPDATE=1` rewrites it.
#[track_caller]
pub(crate) fn compare(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == text, "{} differs; UPDATE=1 rewrites it\n--- kept\n{kept}\n--- now\n{text}", path.display());
}
