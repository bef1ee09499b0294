//! Reads local files that a call names: regular files only, no links, within a size limit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use jig_contract::ops::{Definition, LeftAlone};
use jig_contract::{Code, OpError};
use jig_store::platform::open_no_follow;
use serde_json::Value;

use super::file_find::{find_inside, not_utf8, special, unreadable};

/// A file that was read.
pub(super) struct HostFile {
    /// Its name, without folders.
    pub(super) name: String,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

/// Reads a file after checking its name and size.
pub(super) fn read_file(given: &str, check: impl Fn(&str, u64) -> Result<(), OpError>) -> Result<HostFile, OpError> {
    let (name, file, size) = open_file(given)?;
    check(&name, size)?;
    // The file may grow while it is read: one more byte is read, so that the check notices.
    let bytes = read(file, size.saturating_add(1), given)?;
    check(&name, bytes.len() as u64)?;
    Ok(HostFile { name, bytes })
}

/// Opens a file. Also returns its name and size.
pub(super) fn open_file(given: &str) -> Result<(String, File, u64), OpError> {
    let path = Path::new(given);
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?.to_owned();
    let (file, size) = open(path, given)?;
    Ok((name, file, size))
}

/// The maximum size of a definition file.
const DEFINITION_BYTES: u64 = 1 << 20;

/// A definition given as text, as a value, or as a local file.
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

/// Opens a regular file. The checks apply to the open file itself, so that it cannot be replaced by a link in between.
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

pub(super) fn read(file: impl Read, most: u64, given: &str) -> Result<Vec<u8>, OpError> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|e| unreadable(given, &e))?;
    Ok(bytes)
}

fn not_a_file(given: &str, meta: &std::fs::Metadata) -> OpError {
    let what = if meta.is_dir() { "a folder" } else { special(meta) };
    OpError::new(Code::SandboxViolation, format!("`{given}` is {what}"))
        .hint("only regular files are read; name the file itself")
}

/// The limits of a folder.
pub(super) struct FolderLimits {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

/// A folder that was read.
pub(super) struct HostFolder {
    /// Its name.
    pub(super) name: String,
    /// The content of its files, by path.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// Files that were skipped, by path, under the same rules as when a folder is added.
    pub(super) left_out: Vec<LeftAlone>,
}

/// Reads a folder recursively, skipping what adding a folder skips too: ignored files, version control, dependencies,
/// files for keys, links.
pub(super) fn read_folder(given: &str, limits: &FolderLimits) -> Result<HostFolder, OpError> {
    let top = std::path::absolute(given).map_err(|e| unreadable(given, &e))?;
    let meta = std::fs::symlink_metadata(&top).map_err(|e| unreadable(given, &e))?;
    if !meta.is_dir() {
        return Err(OpError::new(Code::SandboxViolation, format!("`{given}` is not a folder"))
            .hint("name the skill's folder, the one that holds SKILL.md"));
    }
    let name = top.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?.to_owned();
    let finds = find_inside(&top)?;
    if finds.files.len() > limits.files {
        return Err(too_large(given, limits));
    }
    let (mut files, mut left) = (BTreeMap::new(), limits.bytes);
    for (inside, found) in finds.files {
        let shown = found.source.display().to_string();
        let (file, size) = open(&found.source, &shown)?;
        left = left.checked_sub(size).ok_or_else(|| too_large(given, limits))?;
        files.insert(String::from(inside), read(file, size, &shown)?);
    }
    let inside = |one: LeftAlone| {
        let path = Path::new(&one.path).strip_prefix(&top).map(|path| path.display().to_string());
        LeftAlone { path: path.unwrap_or(one.path), reason: one.reason }
    };
    Ok(HostFolder { name, files, left_out: finds.left_alone.into_iter().map(inside).collect() })
}

fn too_large(given: &str, limits: &FolderLimits) -> OpError {
    let FolderLimits { files, bytes } = limits;
    let words = format!("`{given}` holds more than {files} files, or more than {bytes} bytes");
    OpError::new(Code::LimitExceeded, words).hint("name the skill's own folder, with what belongs to it alone")
}
