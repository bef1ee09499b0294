//! Two versions of a file: how they differ, as readable text, and each change reverted by itself and with all others.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use jig_files::FileBytes;
use jig_files::engine::Versions;
use jig_worker::FileApi;
use serde_json::{Value, json};

/// The two versions of a case.
pub(crate) fn versions(folder: &Path) -> Versions {
    let mut versions = Versions::default();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = || Some(FileBytes::from(fs::read(&path).unwrap()));
        match name.split('.').next() {
            Some("old") => versions.old = bytes(),
            Some("new") => {
                versions.new = bytes();
                versions.name = name;
            }
            _ => {}
        }
    }
    versions
}

/// The folders with two versions of a file.
pub(crate) fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/diff");
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// A difference as a person checks it.
pub(crate) fn rendered(engine: &FileApi, versions: &Versions) -> String {
    let mut out = String::new();
    let mut page = 1;
    loop {
        let answer = engine.diff(versions, &json!({ "page": page })).unwrap();
        if page == 1 {
            writeln!(out, "summary: {}", answer["summary"].as_str().unwrap()).unwrap();
            writeln!(out, "focus: {}", answer["focus"].as_str().unwrap_or("none")).unwrap();
            writeln!(out, "changes: {}", answer["changes"]).unwrap();
        }
        let diff = &answer["diff"];
        writeln!(out, "page {page}: {}", diff["type"].as_str().unwrap()).unwrap();
        for note in list(diff, "notes") {
            writeln!(out, "note: {}", note.as_str().unwrap()).unwrap();
        }
        for detail in list(diff, "details") {
            let side = |key: &str| detail[key].as_str().unwrap_or("–").to_owned();
            writeln!(out, "{}: {} → {}", detail["name"].as_str().unwrap(), side("before"), side("after")).unwrap();
        }
        list(diff, "hunks").iter().for_each(|hunk| hunk_text(&mut out, hunk));
        for group in list(diff, "groups") {
            writeln!(out, "@ {}", group["title"].as_str().unwrap()).unwrap();
            list(&group, "changes").iter().for_each(|change| change_text(&mut out, change));
        }
        if answer["pages"].as_u64() == Some(page) {
            return out;
        }
        page += 1;
    }
}

fn list(value: &Value, key: &str) -> Vec<Value> {
    value[key].as_array().cloned().unwrap_or_default()
}

fn hunk_text(out: &mut String, hunk: &Value) {
    let text = |key: &str| hunk[key].to_string();
    writeln!(
        out,
        "@@ {} -{},{} +{},{}",
        hunk["id"].as_str().unwrap(),
        text("old_start"),
        text("old_count"),
        text("new_start"),
        text("new_count")
    )
    .unwrap();
    for line in list(hunk, "lines") {
        let words = word_markup(&line);
        let text = if words.is_empty() { line["text"].as_str().unwrap().to_owned() } else { words };
        let end = if line["no_newline"] == true { " (no line end)" } else { "" };
        writeln!(out, "{} {text}{end}", line["tag"].as_str().unwrap()).unwrap();
    }
}

fn word_markup(value: &Value) -> String {
    let one = |word: &Value| {
        let text = word["text"].as_str().unwrap();
        match word["tag"].as_str().unwrap() {
            "added" => format!("{{+{text}+}}"),
            "removed" => format!("[-{text}-]"),
            _ => text.to_owned(),
        }
    };
    list(value, "words").iter().map(one).collect()
}

fn change_text(out: &mut String, change: &Value) {
    let text = |value: &Value| value.as_str().map(|text| text.replace('\n', "⏎"));
    let kind = change["kind"].as_str().unwrap();
    write!(out, "{} [{} {kind}]", change["id"].as_str().unwrap(), change["what"].as_str().unwrap()).unwrap();
    let words = word_markup(change).replace('\n', "⏎");
    if words.is_empty() {
        let (before, after) = (text(&change["before"]), text(&change["after"]));
        if before.is_some() || after.is_some() {
            write!(out, " {} → {}", before.unwrap_or("–".to_owned()), after.unwrap_or("–".to_owned())).unwrap();
        }
    } else {
        write!(out, " {words}").unwrap();
    }
    for detail in list(change, "details") {
        let (before, after) = (text(&detail["before"]), text(&detail["after"]));
        let name = detail["name"].as_str().unwrap();
        write!(out, "; {name}: {} → {}", before.unwrap_or("–".to_owned()), after.unwrap_or("–".to_owned())).unwrap();
    }
    if let Some(why) = change["fixed"].as_str() {
        write!(out, "; whole file only: {why}").unwrap();
    }
    out.push('\n');
}

/// The ids of all changes, and whether each can be reverted by itself.
pub(crate) fn ids(engine: &FileApi, versions: &Versions) -> Vec<(String, bool)> {
    let (mut found, mut page) = (Vec::new(), 1);
    loop {
        let answer = engine.diff(versions, &json!({ "page": page })).unwrap();
        let diff = &answer["diff"];
        let groups = list(diff, "groups");
        let changes = groups.iter().flat_map(|group| list(group, "changes")).chain(list(diff, "hunks"));
        found.extend(changes.map(|change| (change["id"].as_str().unwrap().to_owned(), change["fixed"].is_null())));
        if answer["pages"].as_u64() == Some(page) {
            return found;
        }
        page += 1;
    }
}

/// Reverts what can be reverted, one by one and together; gives what is wrong.
pub(crate) fn revert_each(engine: &FileApi, versions: &Versions, name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let all = ids(engine, versions);
    let free: Vec<&String> = all.iter().filter(|(_, free)| *free).map(|(id, _)| id).collect();
    for id in &free {
        match engine.revert(versions, &json!({ "changes": [id] })) {
            Err(error) => wrong.push(format!("{name}: {id}: {error}")),
            Ok((reverted, _)) => {
                let after = Versions { new: Some(reverted.bytes.clone().into()), ..versions.clone() };
                let left = ids(engine, &after).len();
                if left >= all.len() {
                    wrong.push(format!("{name}: {id}: {left} of {} changes are left", all.len()));
                }
            }
        }
    }
    if free.is_empty() {
        return wrong;
    }
    match engine.revert(versions, &json!({ "changes": free })) {
        Err(error) => wrong.push(format!("{name}: all: {error}")),
        Ok((reverted, _)) => {
            // What follows from others goes with them.
            let fixed = all.iter().filter(|(_, free)| !free).count();
            let after = Versions { new: Some(reverted.bytes.clone().into()), ..versions.clone() };
            let left = ids(engine, &after);
            if left.len() > fixed {
                wrong.push(format!("{name}: all: left are {left:?}"));
            }
            // Line ends and encodings hold for the whole file and go with it.
            let beside =
                engine.diff(&after, &json!({})).unwrap()["diff"]["notes"].as_array().is_some_and(|n| !n.is_empty());
            if fixed == 0 && !beside && (!reverted.whole || Some(reverted.bytes.as_slice()) != versions.old.as_deref())
            {
                wrong.push(format!("{name}: all: not the old file, left are {left:?}"));
            }
        }
    }
    wrong
}
