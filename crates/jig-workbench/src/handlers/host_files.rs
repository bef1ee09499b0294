//! Reading files of this machine that a call names: regular files only, through no link, within a limit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use jig_contract::ops::Definition;
use jig_contract::{Code, OpError};
use jig_store::platform::open_no_follow;
use serde_json::Value;

use super::file_find::{not_utf8, special, unreadable};

/// A file as it was read.
pub(super) struct HostFile {
    /// Its name, without folders.
    pub(super) name: String,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

/// Reads one file, after its name and size have passed this check.
pub(super) fn read_file(given: &str, check: impl Fn(&str, u64) -> Result<(), OpError>) -> Result<HostFile, OpError> {
    let path = Path::new(given);
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?.to_owned();
    let (file, size) = open(path, given)?;
    check(&name, size)?;
    // A file may grow while it is read: what is beyond its size is seen, and refused.
    let bytes = read(file, size.saturating_add(1), given)?;
    check(&name, bytes.len() as u64)?;
    Ok(HostFile { name, bytes })
}

/// The longest definition that is read of a file.
const DEFINITION_BYTES: u64 = 1 << 20;

/// A definition as it was given: as text, as a value, or in a file of this machine.
pub(super) async fn read_definition(
    given: Option<Definition>,
    source_path: Option<String>,
    what: &'static str,
) -> Result<Value, OpError> {
    let wrong = |words: String| OpError::new(Code::ValidationFailed, words);
    match (given, source_path) {
        (Some(Definition(value)), None) => Ok(value),
        (Some(_), Some(_)) => Err(wrong(format!("give the {what} or a file that holds it, not both"))),
        (None, None) => Err(wrong(format!("no {what} is given"))
            .hint(format!("`jig {what} put FILE` takes it from a file in YAML or JSON"))),
        (None, Some(path)) => {
            let reading = tokio::task::spawn_blocking(move || {
                read_file(&path, |name, size| {
                    if size <= DEFINITION_BYTES {
                        return Ok(());
                    }
                    let words = format!("`{name}` has {size} bytes; at most {DEFINITION_BYTES} are read");
                    Err(OpError::new(Code::LimitExceeded, words))
                })
            });
            let read = reading.await;
            let file =
                read.map_err(|e| OpError::new(Code::Internal, "reading the file was broken off").because(e))??;
            let text =
                String::from_utf8(file.bytes).map_err(|_| wrong(format!("`{}` is not UTF-8 text", file.name)))?;
            Ok(Value::String(text))
        }
    }
}

/// Opens a regular file. What was looked at is what is read: nobody can put a link in between.
fn open(path: &Path, given: &str) -> Result<(File, u64), OpError> {
    let meta = std::fs::symlink_metadata(path).map_err(|e| unreadable(given, &e))?;
    if !meta.is_file() {
        return Err(not_a_file(given, &meta));
    }
    let file = open_no_follow(path).map_err(|e| unreadable(given, &e))?;
    let meta = file.metadata().map_err(|e| unreadable(given, &e))?;
    if !meta.is_file() {
        return Err(not_a_file(given, &meta));
    }
    Ok((file, meta.len()))
}

fn read(file: File, most: u64, given: &str) -> Result<Vec<u8>, OpError> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|e| unreadable(given, &e))?;
    Ok(bytes)
}

fn not_a_file(given: &str, meta: &std::fs::Metadata) -> OpError {
    let what = if meta.is_dir() { "a folder" } else { special(meta) };
    OpError::new(Code::SandboxViolation, format!("`{given}` is {what}"))
        .hint("only regular files are read; name the file itself")
}

/// How much a folder may hold.
pub(super) struct FolderLimits {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

/// A folder as it was read.
pub(super) struct HostFolder {
    /// Its own name.
    pub(super) name: String,
    /// The bytes of its files, by their paths inside.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// Reads all files of a folder and of the folders in it.
pub(super) fn read_folder(given: &str, limits: &FolderLimits) -> Result<HostFolder, OpError> {
    let top = std::path::absolute(given).map_err(|e| unreadable(given, &e))?;
    let meta = std::fs::symlink_metadata(&top).map_err(|e| unreadable(given, &e))?;
    if !meta.is_dir() {
        return Err(OpError::new(Code::SandboxViolation, format!("`{given}` is no folder"))
            .hint("name the skill's folder, the one that holds SKILL.md"));
    }
    let name = top.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?.to_owned();
    let mut folder = HostFolder { name, files: BTreeMap::new() };
    let mut left = limits.bytes;
    let mut waiting: Vec<(PathBuf, String)> = vec![(top, String::new())];
    while let Some((place, inside)) = waiting.pop() {
        let shown = place.display().to_string();
        for entry in std::fs::read_dir(&place).map_err(|e| unreadable(&shown, &e))? {
            let entry = entry.map_err(|e| unreadable(&shown, &e))?;
            let path = entry.path();
            let shown = path.display().to_string();
            let name = entry.file_name().into_string().map_err(|_| not_utf8(&shown))?;
            let inside = if inside.is_empty() { name } else { format!("{inside}/{name}") };
            if entry.file_type().map_err(|e| unreadable(&shown, &e))?.is_dir() {
                waiting.push((path, inside));
                continue;
            }
            let (file, size) = open(&path, &shown)?;
            left = left.checked_sub(size).ok_or_else(|| too_large(given, limits))?;
            folder.files.insert(inside, read(file, size, &shown)?);
            if folder.files.len() > limits.files {
                return Err(too_large(given, limits));
            }
        }
    }
    Ok(folder)
}

fn too_large(given: &str, limits: &FolderLimits) -> OpError {
    let FolderLimits { files, bytes } = limits;
    let words = format!("`{given}` holds more than {files} files, or more than {bytes} bytes");
    OpError::new(Code::LimitExceeded, words).hint("name the skill's own folder, with what belongs to it alone")
}
