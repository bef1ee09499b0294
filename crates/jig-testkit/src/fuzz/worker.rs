//! Lines for `jig worker`, with its own files.

use std::fs;
use std::path::{Path, PathBuf};

use jig_worker::{FileMethods, WorkerOptions, serve};
use serde_json::Value;
use tempfile::TempDir;

use super::seeds;

const MESSAGE_BYTES: u64 = 64 << 10;

/// Sends lines to a worker: each request gets one response, and nothing is written outside its workbench.
pub(super) fn worker(input: &[u8]) {
    let home = home();
    let options = WorkerOptions {
        file_bytes: 1 << 20,
        message_bytes: MESSAGE_BYTES,
        ..WorkerOptions::new(home.path().join("workbenches"), || None)
    };
    let mut output = Vec::new();
    serve(&options, &FileMethods::new(), input, &mut output).expect("memory can be read and written");
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).count();
    let answers: Vec<&[u8]> = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert!(answers.len() <= lines, "{} answers to {lines} lines", answers.len());
    for answer in answers {
        answered(&serde_json::from_slice(answer).expect("an answer is JSON"), &home);
    }
    let ours = home.path().join("workbenches/w");
    let outside: Vec<PathBuf> = files(home.path()).into_iter().filter(|path| !path.starts_with(&ours)).collect();
    assert_eq!(outside, [home.path().join("secret.xlsx")], "written outside the workbench");
}

fn answered(answer: &Value, home: &TempDir) {
    assert!(answer["jsonrpc"] == "2.0" && answer.get("id").is_some(), "{answer}");
    assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
    let text = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(!text.contains("fault of its own"), "{answer}");
    assert!(!text.contains(&*home.path().to_string_lossy()), "a path of the host: {text}");
}

/// A folder with a Draft, and a file next to the workbenches that must not be accessible.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    let draft = home.path().join("workbenches/w/draft");
    fs::create_dir_all(&draft).expect("a folder in it");
    for name in ["google-like.xlsx", "google-like.docx", "minimal.pptx"] {
        let ending = name.rsplit('.').next().unwrap_or_default();
        fs::write(draft.join(format!("a.{ending}")), seeds::sample(name)).expect("a file in it");
    }
    fs::write(home.path().join("secret.xlsx"), b"").expect("a file in it");
    home
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
