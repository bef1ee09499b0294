//! Seeds for mutation: the samples and cases of the Office tests, and the targets' own small inputs.

use std::path::{Path, PathBuf};

use jig_files::engine::Format;
use serde_json::{Value, json};

use super::archive::Archive;
use super::{Shape, Target, ops, parts};
use crate::repository;

/// The seeds of a target, stored failures first, in a fixed order.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut all = kept(target);
    match target.shape {
        Shape::Xml => all.extend(markup(target.name)),
        Shape::Call => all.extend(calls(target.name)),
        Shape::Bytes | Shape::Package if !named(target.name).is_empty() => all.extend(files(named(target.name))),
        Shape::Bytes if matches!(target.name, "diff" | "csv" | "table") => {}
        Shape::Bytes => all.extend(samples("").into_iter().filter(|bytes| bytes.len() < 60_000)),
        Shape::Package => all.extend(packages(target.name)),
        Shape::Text | Shape::Lines => {}
    }
    all
}

/// The file extensions that a target of another format reads.
fn named(target: &str) -> &'static [&'static str] {
    match target {
        "pdf_read" => Format::Pdf.endings(),
        "odt_read" => Format::Odt.endings(),
        "image_read" => Format::Image.endings(),
        _ => &[],
    }
}

/// Test files with one of these extensions.
fn files(endings: &[&str]) -> Vec<Vec<u8>> {
    let data = repository::root().join("crates/jig-files/tests/data");
    let mut folders = vec![data.clone()];
    let entries = std::fs::read_dir(data).into_iter().flatten().flatten();
    folders.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    folders.sort();
    let fits = |path: &PathBuf| path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e));
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| listed(folder)).filter(fits).collect();
    paths.iter().map(|path| read(path)).filter(|bytes| bytes.len() < 60_000).collect()
}

/// Inputs under `tests/data/fuzz/<target>`: its own seeds, and inputs that once failed.
pub fn kept(target: &Target) -> Vec<Vec<u8>> {
    let folder = repository::root().join("crates/jig-testkit/tests/data/fuzz").join(target.name);
    listed(&folder).iter().map(|path| read(path)).collect()
}

/// An Office sample by name.
pub(super) fn sample(name: &str) -> Vec<u8> {
    read(&office().join(name))
}

fn office() -> PathBuf {
    repository::root().join("crates/jig-files/tests/data/office")
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}

/// The files of a folder by name; empty if it does not exist.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// Samples of a format, including macro files; all for an empty name.
fn samples(format: &str) -> Vec<Vec<u8>> {
    let known = Format::ALL.iter().find(|known| known.extension() == format);
    let fits = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_owned();
        known.is_none_or(|known| known.endings().contains(&ending.as_str()))
    };
    listed(&office()).iter().filter(|path| fits(path)).map(|path| read(path)).collect()
}

/// The format at the start of a target's name.
fn prefix(target: &str) -> &str {
    target.split('_').next().filter(|word| ["xlsx", "docx", "pptx"].contains(word)).unwrap_or_default()
}

fn packages(target: &str) -> Vec<Vec<u8>> {
    samples(prefix(target)).into_iter().filter(|bytes| bytes.len() < 60_000).collect()
}

/// Parts of all samples with the type that a target takes.
fn markup(target: &str) -> Vec<Vec<u8>> {
    let (word, format) = match (target, parts::host_of(target)) {
        ("content_types", _) => ("[Content_Types].xml".to_owned(), ""),
        ("relationships", _) => ("workbook.xml.rels".to_owned(), "xlsx"),
        (_, Some(host)) => {
            // `xl/worksheets/sheet` matches every sheet.
            (host.part.trim_end_matches(".xml").trim_end_matches(char::is_numeric).to_owned(), prefix(target))
        }
        (_, None) => (".xml".to_owned(), ""),
    };
    let archives = samples(format).into_iter().filter_map(|bytes| Archive::read(&bytes));
    let entries = archives.flat_map(|archive| archive.0);
    let wanted = entries.filter(|e| String::from_utf8_lossy(&e.name).contains(&word));
    wanted.map(|entry| entry.content()).filter(|content| content.len() < 20_000).collect()
}

/// The cases of the Office tests, and every operation list on a new file.
fn calls(target: &str) -> Vec<Vec<u8>> {
    let format = prefix(target);
    let folder = repository::root().join("crates/jig-files/tests/cases").join(format);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    let mut all: Vec<Vec<u8>> = folders.iter().filter_map(|folder| case(folder)).collect();
    if let Some(known) = Format::ALL.into_iter().find(|known| known.extension() == format) {
        let lists = (0..9).map(|number| ops::list(known, "Data", number));
        all.extend(lists.map(|list| ops::join(list.to_string().as_bytes(), b"")));
    }
    all
}

fn case(folder: &Path) -> Option<Vec<u8>> {
    let call: Value = serde_json::from_slice(&read(&folder.join("ops.json"))).ok()?;
    let line = match (call.get("ops"), call.get("assets")) {
        (Some(ops), _) => ops.clone(),
        (None, Some(assets)) => json!({ "assets": assets }),
        (None, None) => call.is_array().then(|| call.clone())?,
    };
    let input = String::from_utf8(read(&folder.join("input.txt"))).ok()?;
    let file = if input.trim().is_empty() { Vec::new() } else { sample(input.trim()) };
    (file.len() < 60_000).then(|| ops::join(line.to_string().as_bytes(), &file))
}
