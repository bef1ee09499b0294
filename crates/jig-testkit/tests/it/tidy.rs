//! The house rules as tests. Each check is a function from text to complaints, so that a test next to it can show that
//! it finds violations.

mod arrows;
mod json;
mod licences;
mod places;
mod platforms;
mod promises;
mod purity;
mod sources;

use std::path::{Path, PathBuf};
use std::process::Command;

use jig_testkit::repository;
use serde_json::Value;

/// A text file of the repository.
struct File {
    /// Relative to the root, separated by `/`.
    path: String,
    text: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// Fails with all complaints at once, one per line.
#[track_caller]
fn assert_tidy(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Every text file of the repository: what git tracks or would add, else all files.
fn files() -> Vec<File> {
    let root = repository::root();
    let mut paths = in_git(&root).unwrap_or_else(|| on_disk(&root));
    paths.sort();
    assert!(paths.iter().any(|path| path == "Cargo.toml"), "the root was not found");
    let read = |path: String| Some(File { text: std::fs::read_to_string(root.join(&path)).ok()?, path });
    paths.into_iter().filter_map(read).collect()
}

fn in_git(root: &Path) -> Option<Vec<String>> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(args).current_dir(root).output().ok()?;
    let listed = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn on_disk(root: &Path) -> Vec<String> {
    let mut folders = vec![root.to_path_buf()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_symlink() || name == ".git" || name == "target" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(relative(&path, root));
            }
        }
    }
    paths
}

fn relative(path: &Path, root: &Path) -> String {
    let parts: PathBuf = path.strip_prefix(root).unwrap().to_path_buf();
    parts.to_str().unwrap().replace('\\', "/")
}

/// The output of `cargo metadata`, or the error text.
fn metadata(args: &[&str]) -> Result<Value, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1"])
        .args(args)
        .current_dir(repository::root())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

#[test]
fn without_git_the_disk_shows_the_same_files() {
    let root = repository::root();
    let on_disk = on_disk(&root);
    let here = "crates/jig-testkit/tests/it/tidy.rs";
    assert!(on_disk.iter().any(|path| path == here), "{on_disk:?}");
    let strange = |path: &&String| path.starts_with(".git/") || path.starts_with("target/");
    assert_eq!(on_disk.iter().find(strange), None);
    let Some(in_git) = in_git(&root) else { return };
    assert!(in_git.iter().any(|path| path == here), "{in_git:?}");
}
