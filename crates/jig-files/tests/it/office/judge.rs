//! The outside judges: the Open XML SDK's validator, LibreOffice, Python libraries.
//!
//! `cargo xtask test` installs them and names them by variables. Without them the tests print a line and
//! stop; where CI is, they fail.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The program behind a variable, or `None` with a word on the terminal.
pub(crate) fn find(variable: &str) -> Option<OsString> {
    let program = std::env::var_os(variable).filter(|value| !value.is_empty());
    if program.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{variable} must be set where CI is");
        println!("skipped: {variable} is not set");
    }
    program
}

/// A folder of this name for files that judges read, empty at first.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What the validator holds against a file: kind, sentence and part, with how often each occurs.
///
/// Where in the part is left out, since an edit moves it.
pub(crate) type Complaints = BTreeMap<String, usize>;

/// The verdict on a file, from an earlier run of the tests if its bytes are the same: a verdict takes
/// a second, and most outputs are the same from run to run.
pub(crate) fn validate(validator: &OsString, file: &Path) -> Complaints {
    let kept = verdict_file(validator, file);
    let known = std::fs::read(&kept).ok().and_then(|text| serde_json::from_slice(&text).ok());
    known.unwrap_or_else(|| {
        let complaints = validate_now(validator, file);
        let part = kept.with_extension(format!("{:?}", std::thread::current().id()));
        let text = serde_json::to_vec(&complaints).unwrap();
        // What cannot be kept is found out again.
        let _ = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &kept));
        complaints
    })
}

/// Named by all that decides the verdict: the program, the kind of file and its bytes.
fn verdict_file(validator: &OsString, file: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("office-verdicts");
    std::fs::create_dir_all(&folder).unwrap();
    let program = std::fs::metadata(validator).map_or(0, |metadata| metadata.len());
    let mut hasher = DefaultHasher::new();
    (program, file.extension(), std::fs::read(file).unwrap()).hash(&mut hasher);
    folder.join(format!("{:016x}.json", hasher.finish()))
}

pub(crate) fn validate_now(validator: &OsString, file: &Path) -> Complaints {
    let mut command = Command::new(validator);
    // The program lives for a second: what only pays later is left out.
    let output = command.arg(file).env("DOTNET_TieredPGO", "0").stdin(Stdio::null()).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr)));
    let mut complaints = Complaints::new();
    for error in said["errors"].as_array().unwrap() {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        *complaints.entry([text("errorType"), text("description"), text("path")].join(" | ")).or_default() += 1;
    }
    complaints
}

/// The complaints that `after` has more often than `before`.
pub(crate) fn new_complaints(before: &Complaints, after: &Complaints) -> Vec<String> {
    let more = |(text, count): &(&String, &usize)| **count > before.get(*text).copied().unwrap_or_default();
    after.iter().filter(more).map(|(text, _)| text.clone()).collect()
}

/// Converts every file of the folder in one run; the names of those that gave nothing.
pub(crate) fn convert(soffice: &OsString, from: &Path, files: &[String], to: &str) -> Vec<String> {
    if files.is_empty() {
        // Without a file it would wait for input.
        return Vec::new();
    }
    let out = from.join("converted");
    let profile = format!("-env:UserInstallation=file://{}", from.join("profile").display());
    let status = Command::new(soffice)
        .args([&profile, "--headless", "--norestore", "--convert-to", to, "--outdir"])
        .arg(&out)
        .args(files.iter().map(|file| from.join(file)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "LibreOffice ended with {status}");
    let missing = |file: &&String| {
        let converted = out.join(file).with_extension(to.split(':').next().unwrap());
        std::fs::metadata(converted).map_or(0, |metadata| metadata.len()) == 0
    };
    files.iter().filter(missing).cloned().collect()
}

/// Hands the questions to the script that reads files back and returns its answer.
pub(crate) fn ask_python(python: &OsString, questions: &Value) -> Value {
    ask_program(python, include_str!("readback.py"), questions)
}

/// Hands the questions to a script and returns its answer.
pub(crate) fn ask_program(python: &OsString, script: &str, questions: &Value) -> Value {
    let mut child = Command::new(python)
        .args(["-W", "ignore", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(questions.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "Python ended with {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_complaint_counts_once_for_each_time() {
    let complaints = |list: &[(&str, usize)]| list.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
    let before: Complaints = complaints(&[("a", 2), ("b", 1)]);
    assert_eq!(new_complaints(&before, &complaints(&[("a", 2)])), [""; 0]);
    assert_eq!(new_complaints(&before, &complaints(&[("a", 3), ("b", 1), ("c", 1)])), ["a", "c"]);
}
