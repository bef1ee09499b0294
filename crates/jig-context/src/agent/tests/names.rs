//! References, locks and merges.

use std::collections::BTreeMap;

use super::fixtures::hash;
use crate::agent::{Lock, LockedFile, Reference, WorkspaceName, merge};

#[test]
fn a_reference_names_a_workspace_a_version_and_a_file() {
    for text in ["own", "jig", "house", "house@4", "house@4/prompts/packs/a.json", "own/agent.workspace.json"] {
        assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
    }
    let whole: Reference = "house@4/a/b.md".parse().unwrap();
    assert_eq!(whole.name, WorkspaceName::Shared("house".to_owned()));
    assert_eq!((whole.version, whole.path.unwrap().as_str()), (Some(4), "a/b.md"));
    for bad in [
        "",
        "@4",
        "House",
        "house@",
        "house@x",
        "house@04",
        "house@-1",
        "house/",
        "house/../x",
        "house@4@5",
        "a b",
        "own@99999999999999999999",
    ] {
        assert!(bad.parse::<Reference>().is_err(), "{bad}");
    }
}

#[test]
fn a_lock_says_what_differs() {
    let file = |name: &str, text: &str| (name.to_owned(), hash(text.as_bytes()));
    let lock = Lock {
        name: "house".to_owned(),
        version: 3,
        root: hash(b"root"),
        files: BTreeMap::from([file("a", "1"), file("b", "2")]),
    };
    assert_eq!(Lock::read(lock.write().as_bytes()).unwrap(), lock);
    assert!(Lock::read(b"{\"name\":\"x\"}").is_err());
    assert_eq!(lock.differences(&lock.files), BTreeMap::new());
    let found = lock.differences(&BTreeMap::from([file("a", "other"), file("c", "3")]));
    let expected = [("a", LockedFile::Changed), ("b", LockedFile::Missing), ("c", LockedFile::Added)];
    assert_eq!(found, expected.map(|(name, how)| (name.to_owned(), how)).into());
}

#[test]
fn what_a_person_changed_is_never_overwritten() {
    let files = |list: &[(&str, &str)]| -> BTreeMap<String, _> {
        list.iter().map(|(path, text)| ((*path).to_owned(), hash(text.as_bytes()))).collect()
    };
    let base = files(&[
        ("same", "1"),
        ("mine", "1"),
        ("theirs", "1"),
        ("both", "1"),
        ("gone", "1"),
        ("gone-mine", "1"),
        ("removed", "1"),
    ]);
    let own = files(&[
        ("same", "1"),
        ("mine", "2"),
        ("theirs", "1"),
        ("both", "2"),
        ("gone", "1"),
        ("gone-mine", "2"),
        ("extra", "1"),
    ]);
    let new = files(&[("same", "1"), ("mine", "1"), ("theirs", "3"), ("both", "3"), ("added", "1"), ("removed", "1")]);
    let merged = merge(&base, &own, &new);
    let expected = files(&[
        ("same", "1"),
        ("mine", "2"),
        ("theirs", "3"),
        ("both", "2"),
        ("gone-mine", "2"),
        ("extra", "1"),
        ("added", "1"),
    ]);
    assert_eq!(merged.files, expected);
    assert_eq!(merged.taken, ["added", "gone", "theirs"]);
    let conflicts: Vec<&str> = merged.conflicts.iter().map(|conflict| conflict.path.as_str()).collect();
    assert_eq!(conflicts, ["both", "gone-mine"]);
    assert_eq!(merge(&base, &base, &new).conflicts, []);
    assert_eq!(merge(&base, &base, &new).files, new);
}
