//! Calls with their complete replies, compared with a recorded file.
//!
//! A recording is a text: a line `> METHOD PARAMS` for each call, followed by `< REPLY`. A long reply is recorded as its
//! hash and its first characters. The complete replies of the last run are in the build folder under `tmp/replies`:
//! `matched` has those that were as recorded, `differed` the others, so `diff` shows what a change does to a long reply.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Replies up to this length are recorded completely.
const COMPLETE_BYTES: usize = 1_200;
/// What is recorded of a longer one beside its hash.
const START_BYTES: usize = 240;

/// The calls of one test.
#[derive(Default)]
pub(crate) struct Recording {
    short: String,
    complete: String,
}

impl Recording {
    /// Adds a call and its reply.
    pub(crate) fn add(&mut self, method: &str, params: &Value, reply: &Value) {
        let mut reply = reply.clone();
        replace_volatile(&mut reply);
        let reply = reply.to_string();
        let call = format!("> {method} {params}");
        let _ = writeln!(self.complete, "{call}\n< {reply}");
        if reply.len() <= COMPLETE_BYTES {
            let _ = writeln!(self.short, "{call}\n< {reply}");
        } else {
            let hash = &blake3::hash(reply.as_bytes()).to_hex()[..16];
            let start = &reply[..reply.floor_char_boundary(START_BYTES)];
            let _ = writeln!(self.short, "{call}\n< {} bytes, hash {hash}: {start}…", reply.len());
        }
    }

    /// Compares with the recorded file; `UPDATE=1` rewrites it. `name` is the file's path below the folder.
    pub(crate) fn check(&self, recorded: &Path, name: &str, target: &Path) -> Result<(), String> {
        let file = recorded.join(format!("{name}.txt"));
        let output = |kind: &str| target.join("replies").join(kind).join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
            write(&file, &self.short);
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if expected == self.short {
            write(&output("matched"), &self.complete);
            let _ = fs::remove_file(output("differed"));
            return Ok(());
        }
        write(&output("differed"), &self.complete);
        let diff = similar::TextDiff::from_lines(&expected, &self.short);
        let diff = diff.unified_diff().context_radius(1).header("recorded", "actual").to_string();
        Err(format!(
            "{diff}\ncomplete replies: {}\nthe last that were as recorded: {}\nUPDATE=1 accepts the new ones",
            output("differed").display(),
            output("matched").display(),
        ))
    }
}

/// Deletes recordings that no test has any more; without `UPDATE=1` they are an error.
pub(crate) fn check_for_unused(recorded: &Path, names: &[String]) -> Result<(), String> {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut unused = Vec::new();
    for file in files_below(recorded) {
        let name = file.strip_prefix(recorded).unwrap().with_extension("").to_string_lossy().replace('\\', "/");
        if !names.contains(&name) {
            if update {
                fs::remove_file(&file).unwrap();
            } else {
                unused.push(name);
            }
        }
    }
    if unused.is_empty() { Ok(()) } else { Err(format!("recordings without a test: {}", unused.join(", "))) }
}

/// All files below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Pixels may differ by rounding from processor to processor; their size stays. Times differ by the run.
fn replace_volatile(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(replace_volatile),
        Value::Object(fields) => {
            let drawn = fields.get("mime_type").is_some_and(|kind| kind == "image/png");
            for (name, value) in fields {
                match (name.as_str(), &mut *value) {
                    ("bytes_base64", Value::String(_)) if drawn => *value = "<png>".into(),
                    ("bytes_base64", Value::String(bytes)) => {
                        *value = format!("<{}>", &blake3::hash(bytes.as_bytes()).to_hex()[..16]).into();
                    }
                    ("query_elapsed_ms", Value::Number(_)) => *value = "<ms>".into(),
                    (_, value) => replace_volatile(value),
                }
            }
        }
        _ => {}
    }
}
