//! The permitted dependencies between crates. The table is the architecture.

use serde_json::{Value, json};

use super::{assert_tidy, metadata};

/// What a crate may use under `[dependencies]` and `[build-dependencies]`.
enum Uses {
    Only(&'static [&'static str]),
    Any,
}

const ARROWS: &[(&str, Uses)] = &[
    ("jig-file-api", Uses::Only(&[])),
    ("jig-contract", Uses::Only(&["jig-file-api"])),
    ("jig-formula", Uses::Only(&["jig-file-api"])),
    ("jig-ooxml", Uses::Only(&["jig-file-api", "jig-formula"])),
    ("jig-text", Uses::Only(&[])),
    ("jig-files", Uses::Only(&["jig-file-api", "jig-ooxml", "jig-text"])),
    ("jig-worker", Uses::Only(&["jig-contract", "jig-file-api", "jig-files", "jig-store"])),
    ("jig-tables", Uses::Only(&["jig-contract", "jig-file-api", "jig-files", "jig-ooxml", "jig-text", "jig-worker"])),
    ("jig-store", Uses::Only(&["jig-contract"])),
    ("jig-context", Uses::Only(&["jig-contract"])),
    ("jig-session", Uses::Only(&["jig-contract"])),
    ("jig-prompt", Uses::Only(&["jig-contract", "jig-context", "jig-session"])),
    ("jig-providers", Uses::Only(&["jig-contract"])),
    ("jig-fake-model", Uses::Only(&[])),
    (
        "jig-workbench",
        Uses::Only(&[
            "jig-contract",
            "jig-ooxml",
            "jig-files",
            "jig-store",
            "jig-worker",
            "jig-context",
            "jig-session",
            "jig-prompt",
            "jig-providers",
        ]),
    ),
    ("jig-surfaces", Uses::Only(&["jig-contract", "jig-workbench"])),
    ("jig", Uses::Only(&["jig-contract", "jig-workbench", "jig-worker", "jig-surfaces"])),
    ("jig-testkit", Uses::Any),
    ("xtask", Uses::Only(&[])),
    ("xtask-dist", Uses::Only(&[])),
];

#[test]
fn every_arrow_is_in_the_table() {
    assert_tidy(&check(&metadata(&["--no-deps"]).unwrap()));
}

fn check(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut complaints: Vec<String> = ARROWS
        .iter()
        .filter(|(name, _)| !names.contains(name))
        .map(|(name, _)| format!("{name} is in the table but not in the workspace"))
        .collect();
    for (package, name) in packages.iter().zip(&names) {
        complaints.extend(check_package(package, name, &names));
    }
    complaints
}

fn check_package(package: &Value, name: &str, members: &[&str]) -> Vec<String> {
    let Some((_, uses)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{name} is in the workspace but not in the table")];
    };
    let Uses::Only(allowed) = uses else {
        return Vec::new();
    };
    let dependencies = package["dependencies"].as_array().unwrap();
    dependencies
        .iter()
        .filter(|dependency| dependency["kind"] != "dev")
        .map(|dependency| dependency["name"].as_str().unwrap())
        .filter(|used| members.contains(used) && !allowed.contains(used))
        .map(|used| format!("{name} must not use {used}"))
        .collect()
}

/// A workspace with every crate of the table, and these `(user, used, kind)` dependencies.
fn workspace(arrows: &[(&str, &str, Value)]) -> Value {
    let package = |name: &str| {
        let of_this = arrows.iter().filter(|(user, _, _)| *user == name);
        let dependencies: Vec<Value> = of_this.map(|(_, used, kind)| json!({ "name": used, "kind": kind })).collect();
        json!({ "name": name, "dependencies": dependencies })
    };
    let packages: Vec<Value> = ARROWS.iter().map(|(name, _)| package(name)).collect();
    json!({ "packages": packages })
}

#[test]
fn a_wrong_arrow_is_caught() {
    let wrong = workspace(&[
        ("jig-contract", "jig-store", Value::Null),
        ("jig-store", "jig-workbench", json!("build")),
        ("jig-surfaces", "jig-store", Value::Null),
        ("jig", "jig-testkit", Value::Null),
        ("xtask", "jig-contract", Value::Null),
    ]);
    assert_eq!(
        check(&wrong),
        [
            "jig-contract must not use jig-store",
            "jig-store must not use jig-workbench",
            "jig-surfaces must not use jig-store",
            "jig must not use jig-testkit",
            "xtask must not use jig-contract",
        ]
    );
}

#[test]
fn right_arrows_tests_and_outside_crates_are_fine() {
    let right = workspace(&[
        ("jig-store", "jig-contract", Value::Null),
        ("jig-store", "jig-testkit", json!("dev")),
        ("jig-contract", "serde", Value::Null),
        ("jig-testkit", "jig-workbench", Value::Null),
    ]);
    assert_eq!(check(&right), Vec::<String>::new());
}

#[test]
fn a_crate_that_the_table_does_not_know_is_caught() {
    let strange = json!({ "packages": [{ "name": "jig-extra", "dependencies": [] }] });
    let complaints = check(&strange);
    assert_eq!(complaints.len(), ARROWS.len() + 1);
    assert_eq!(complaints.last().unwrap(), "jig-extra is in the workspace but not in the table");
}

#[test]
fn only_surfaces_and_the_binary_may_use_the_workbench() {
    let may = |uses: &Uses| matches!(uses, Uses::Only(list) if list.contains(&"jig-workbench"));
    let users: Vec<&str> = ARROWS.iter().filter(|(_, uses)| may(uses)).map(|(name, _)| *name).collect();
    assert_eq!(users, ["jig-surfaces", "jig"]);
}
