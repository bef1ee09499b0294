//! The top-level modules use each other in one direction only, so that each can be read without those above it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Uses = BTreeMap<String, BTreeSet<String>>;

/// Which top-level modules a piece of source names as `crate::module`. Comments and tests at the end of a file do not count.
fn named(source: &str) -> BTreeSet<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for (_, rest) in code.match_indices("crate::").map(|(at, path)| code.split_at(at + path.len())) {
        let list = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(list, _)| list);
        for path in list.map_or_else(|| vec![rest], |list| list.split(',').collect()) {
            let name = path.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            names.insert(name.to_owned());
        }
    }
    names
}

fn add_folder(folder: &Path, top: Option<&str>, uses: &mut Uses) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = top.unwrap_or(&stem).to_owned();
        if stem == "tests" || (top.is_none() && stem == "lib") {
            continue;
        }
        if path.is_dir() {
            add_folder(&path, Some(&module), uses);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            uses.entry(module).or_default().extend(named(&source));
        }
    }
}

/// The modules that are left when those that use only others outside the rest are taken out: empty without a cycle.
fn cyclic(mut uses: Uses) -> Uses {
    loop {
        let known: BTreeSet<String> = uses.keys().cloned().collect();
        let before = known.len();
        uses.retain(|module, used| {
            used.retain(|name| name != module && known.contains(name));
            !used.is_empty()
        });
        if uses.len() == before || uses.is_empty() {
            return uses;
        }
    }
}

#[test]
fn top_level_modules_have_no_cycle() {
    let mut uses = Uses::new();
    add_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut uses);
    assert!(uses["docx"].contains("xml"), "the modules were not found: {uses:?}");
    assert_eq!(cyclic(uses), Uses::new());
}

#[test]
fn a_cycle_is_found() {
    let uses = |list: &[(&str, &str)]| {
        list.iter().map(|(module, source)| ((*module).to_owned(), named(source))).collect::<Uses>()
    };
    let line =
        [("a", "use crate::b::X;"), ("b", "use crate::{c, d::Y};"), ("c", "// crate::a"), ("d", "use crate::d::Z;")];
    assert_eq!(cyclic(uses(&line)), Uses::new());
    let circle = [("a", "fn f() { crate::b::g() }"), ("b", "use crate::c;"), ("c", "use crate::{a, x};"), ("d", "")];
    assert_eq!(cyclic(uses(&circle)).into_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}
