//! Two versions of a file in a folder, made by other programs, and how they differ as readable text.
//! Each change is then taken back by itself, and all of them together.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jig_files::engine::{Engine, Versions};
use serde_json::{Value, json};

/// The two versions of a case.
pub(crate) fn versions(folder: &Path) -> Versions {
    let mut versions = Versions::default();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = || Some(Arc::<[u8]>::from(fs::read(&path).unwrap()));
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

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/diff");
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// A difference as a person checks it.
pub(crate) fn shown(engine: &Engine, versions: &Versions) -> String {
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
        let words = words(&line);
        let text = if words.is_empty() { line["text"].as_str().unwrap().to_owned() } else { words };
        let end = if line["no_newline"] == true { " (no line end)" } else { "" };
        writeln!(out, "{} {text}{end}", line["tag"].as_str().unwrap()).unwrap();
    }
}

fn words(value: &Value) -> String {
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
    let words = words(change).replace('\n', "⏎");
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

/// The ids of all changes, and whether each can be taken back by itself.
pub(crate) fn ids(engine: &Engine, versions: &Versions) -> Vec<(String, bool)> {
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

#[test]
fn diff_cases() {
    let engine = Engine::default();
    let mut wrong = Vec::new();
    for folder in folders() {
        let text = shown(&engine, &versions(&folder));
        let path = folder.join("expected.txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if text != expected {
            wrong.push(format!("{}:\n{text}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Takes back what can be, one by one and together; gives what is wrong.
pub(crate) fn revert_each(engine: &Engine, versions: &Versions, name: &str) -> Vec<String> {
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

#[test]
fn every_change_of_the_cases_can_be_taken_back_or_says_why_not() {
    let engine = Engine::default();
    let wrong: Vec<String> = folders()
        .iter()
        .flat_map(|folder| revert_each(&engine, &versions(folder), folder.file_name().unwrap().to_str().unwrap()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_change_that_is_not_there_is_stale_and_suggests_near_ones() {
    let engine = Engine::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/diff/xlsx-cells");
    let error = engine.revert(&versions(&folder), &json!({ "changes": ["Budget!B20"] })).unwrap_err();
    assert_eq!(error.reason.word(), "stale");
    assert!(error.suggestions.contains(&"Budget!B2".to_owned()), "{:?}", error.suggestions);
}

fn table(old: &str, new: &str) -> Versions {
    let bytes = |text: &str| Some(Arc::<[u8]>::from(text.as_bytes()));
    Versions { name: "a.csv".to_owned(), old: bytes(old), new: bytes(new) }
}

/// The new table with one change taken back.
#[track_caller]
fn without(both: &Versions, id: &str) -> String {
    let (reverted, _) = Engine::default().revert(both, &json!({ "changes": [id] })).unwrap();
    String::from_utf8(reverted.bytes).unwrap()
}

#[test]
fn rows_keep_their_line_ends_beside_line_feeds_in_cells() {
    let old = "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,y\r\n4,z\r\n";
    let changed = table(old, "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,yy\r\n4,zz\r\n");
    assert_eq!(without(&changed, "row id=3"), "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,y\r\n4,zz\r\n");
    let removed = table(old, "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n");
    assert_eq!(without(&removed, "row id=4 (removed)"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n4,z\r\n");
    // The last row of neither table is ended.
    let bare = table(old.trim_end(), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y");
    assert_eq!(without(&bare, "row id=4 (removed)"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n4,z");
}

#[test]
fn a_line_feed_in_a_cell_comes_back_as_it_was() {
    let old = "id,n\r\n1,\"a\nb\"\r\n2,x\r\n";
    assert_eq!(without(&table(old, "id,n\r\n1,\"a c\"\r\n2,x\r\n"), "row id=1"), old);
    let both = table(old, "id,n\r\n1,\"a c\"\r\n2,xx\r\n");
    assert_eq!(without(&both, "row id=1"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n");
    // A Draft that ends all its lines otherwise goes on to do so.
    let other = table(old, "id,n\n1,\"a c\"\n2,xx\n");
    assert_eq!(without(&other, "row id=1"), "id,n\n1,\"a\nb\"\n2,xx\n");
}

#[test]
fn another_order_of_rows_is_a_change_and_stays_when_a_row_is_taken_back() {
    let old = "id,n\n3,c\n1,a\n2,b\n";
    let expected = "\
summary: rows in another order
focus: row order
changes: 1
page 1: csv
note: rows are matched by the column id
@ rows
row order [row order moved]; id: 3, 1, 2 → 1, 2, 3; whole file only: it holds for all rows
";
    let sorted = "id,n\n1,a\n2,b\n3,c\n";
    assert_eq!(shown(&Engine::default(), &table(old, sorted)), expected);
    let both = table(old, "id,n\n1,a\n2,bb\n3,c\n");
    assert_eq!(without(&both, "row id=2"), sorted);
    let error = Engine::default().revert(&both, &json!({ "changes": ["row order"] })).unwrap_err();
    assert!(error.message.contains("take back the whole file instead"), "{error}");
}
