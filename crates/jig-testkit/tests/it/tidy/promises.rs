//! Checks that the tests named in SECURITY.md exist.

use super::{File, assert_tidy, files};

#[test]
fn the_tests_of_every_promise_exist() {
    let files = files();
    let page = files.iter().find(|file| file.path == "SECURITY.md").unwrap();
    assert_tidy(&missing(&page.text, &files));
}

/// The tests that a page names, as `module::test` or `module::*` in backticks, and that no crate has.
fn missing(page: &str, files: &[File]) -> Vec<String> {
    let named = page.split('`').skip(1).step_by(2).filter(|span| span.contains("::"));
    named.filter(|name| !exists(name, files)).map(|name| format!("SECURITY.md: no test `{name}`")).collect()
}

fn exists(name: &str, files: &[File]) -> bool {
    let (modules, test) = name.rsplit_once("::").unwrap_or(("", name));
    let module = modules.rsplit("::").next().unwrap_or_default();
    let function = format!("fn {test}(");
    let is_of_module = |file: &&File| {
        let path = file.path.trim_end_matches(".rs");
        file.path.starts_with("crates/")
            && file.is_rust()
            && (path.ends_with(&format!("/{module}")) || path.contains(&format!("/{module}/")))
    };
    files.iter().filter(is_of_module).any(|file| match test {
        "*" => file.text.contains("#[test]") || file.text.contains("#[tokio::test") || file.text.contains("mod "),
        _ => file.text.contains(&function),
    })
}

#[test]
fn a_promise_without_its_test_is_found() {
    let files = [File::new("crates/jig/tests/it/kill.rs", "#[test]\nfn nothing_is_lost() {}\n")];
    assert_eq!(missing("`kill::*`, `kill::nothing_is_lost`, `jig publish`", &files), Vec::<String>::new());
    assert_eq!(missing("`kill::all`, `other::*`", &files).len(), 2);
}
