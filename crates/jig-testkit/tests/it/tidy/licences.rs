//! The requirements of `deny.toml` on dependencies, for when `cargo deny` is not installed: licences and sources.

use jig_testkit::repository;
use serde_json::{Value, json};
use std::process::Command;

use super::{assert_tidy, metadata};

#[test]
fn every_dependency_has_an_allowed_licence() {
    let deny = std::fs::read_to_string(repository::root().join("deny.toml")).unwrap();
    let allowed = allow_list(&deny);
    assert!(allowed.len() > 5, "deny.toml was not understood: {allowed:?}");
    assert_tidy(&check(&resolved(), &allowed));
}

#[test]
fn every_dependency_comes_from_the_registry_in_a_version_of_its_own() {
    let lock = std::fs::read_to_string(repository::root().join("Cargo.lock")).unwrap();
    assert_tidy(&strange_sources(&lock));
    let all = metadata(&["--no-deps", "--offline"]).unwrap();
    let mut any = Vec::new();
    for package in all["packages"].as_array().unwrap() {
        let wanted = package["dependencies"].as_array().unwrap().iter();
        let loose = wanted.filter(|one| one["req"] == "*" && one["path"].is_null());
        any.extend(loose.map(|one| format!("{}: {} in any version", package["name"], one["name"])));
    }
    assert_tidy(&any);
}

/// Sources in a lock file other than the registry.
fn strange_sources(lock: &str) -> Vec<String> {
    const REGISTRY: &str = "\"registry+https://github.com/rust-lang/crates.io-index\"";
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = "));
    sources.filter(|source| *source != REGISTRY).map(|source| format!("a dependency comes from {source}")).collect()
}

#[test]
fn a_dependency_from_elsewhere_is_found() {
    let lock = "source = \"git+https://example.org/x\"\nname = \"x\"\n";
    assert_eq!(strange_sources(lock).len(), 1);
}

/// The dependencies of this platform. They were downloaded to build this test; only a build of fewer crates than the
/// entire workspace leaves some for cargo to fetch.
fn resolved() -> Value {
    let host = host();
    metadata(&["--filter-platform", &host, "--offline"]).or_else(|_| metadata(&["--filter-platform", &host])).unwrap()
}

fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

/// The strings of `allow = [ … ]` under `[licenses]`, one per line.
fn allow_list(deny: &str) -> Vec<&str> {
    let section = deny.split("[licenses]").nth(1).unwrap_or_default();
    let list = section.split("allow = [").nth(1).and_then(|rest| rest.split(']').next());
    let lines = list.unwrap_or_default().lines().map(|line| line.trim().trim_end_matches(','));
    lines.filter_map(|line| line.strip_prefix('"')?.strip_suffix('"')).collect()
}

fn check(metadata: &Value, allowed: &[&str]) -> Vec<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    foreign
        .filter_map(|package| {
            let licence = package["license"].as_str().unwrap_or("none named");
            let name = package["name"].as_str().unwrap_or_default();
            (!is_allowed(licence, allowed)).then(|| format!("{name}: licence not allowed: {licence}"))
        })
        .collect()
}

/// Evaluates an SPDX expression: one side of `OR` suffices, both sides of `AND` are required. An invalid expression is
/// not allowed.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    // Older crates write `MIT/Apache-2.0`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.any() == Some(true) && reader.words.is_empty()
}

/// Methods return `None` where the expression is incomplete.
struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [&'a str],
}

impl Reader<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut result = self.all()?;
        while self.take("OR") {
            result |= self.all()?;
        }
        Some(result)
    }

    fn all(&mut self) -> Option<bool> {
        let mut result = self.one()?;
        while self.take("AND") {
            result &= self.one()?;
        }
        Some(result)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let result = self.any()?;
            return self.take(")").then_some(result);
        }
        let mut licence = self.next()?.to_owned();
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.next()?);
        }
        Some(self.allowed.contains(&licence.as_str()))
    }

    fn next(&mut self) -> Option<&str> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    fn take(&mut self, word: &'static str) -> bool {
        let rest = self.words.strip_prefix(&[word]);
        self.words = rest.unwrap_or(self.words);
        rest.is_some()
    }
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/GPL-3.0",
        "MIT AND ISC",
        "GPL-3.0 AND ISC OR MIT",
        "(GPL-3.0 OR MIT) AND ISC",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR ISC) AND GPL-3.0",
        "MIT AND (GPL-3.0 OR LGPL-2.1)",
        "Apache-2.0",
        "MIT WITH LLVM-exception",
        "MIT OR",
        "(MIT",
        "MIT)",
        "MIT ISC",
    ] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn a_dependency_without_an_allowed_licence_is_caught() {
    let metadata = json!({ "packages": [
        { "name": "ours", "source": null, "license": null },
        { "name": "good", "source": "registry", "license": "MIT" },
        { "name": "copyleft", "source": "registry", "license": "GPL-3.0" },
        { "name": "silent", "source": "registry", "license": null },
    ]});
    assert_eq!(
        check(&metadata, &["MIT"]),
        ["copyleft: licence not allowed: GPL-3.0", "silent: licence not allowed: none named"]
    );
}

#[test]
fn the_list_is_read_from_the_licence_section() {
    let deny = "[bans]\nallow = [\n    \"no\",\n]\n[licenses]\n# why\nallow = [\n    \"MIT\",\n    # why\n    \
                \"Apache-2.0 WITH LLVM-exception\",\n]\n[sources]\nallow = [\"never\"]\n";
    assert_eq!(allow_list(deny), ["MIT", "Apache-2.0 WITH LLVM-exception"]);
}
