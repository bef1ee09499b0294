//! Below the adaptors, values have types: the engines of files use JSON only where this list says why.

use super::{File, assert_tidy, files};

/// The crates whose callers are Rust programs.
const TYPED: [&str; 4] = ["jig-files", "jig-formula", "jig-ooxml", "jig-text"];

/// Where JSON is allowed: the beginning of a path, and the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/jig-ooxml/src/edit.rs", "ops are parsed against their definitions where they are applied"),
    ("crates/jig-ooxml/src/error/edit.rs", "an error offers the corrected ops, in the form they came in"),
    ("crates/jig-ooxml/src/docx/edit", "ops come in as JSON, and their reports have details of any shape"),
    ("crates/jig-ooxml/src/pptx/edit", "ops come in as JSON, and their reports have details of any shape"),
    ("crates/jig-ooxml/src/xlsx/edit", "ops come in as JSON, and their reports have details of any shape"),
    ("crates/jig-files/src/engine.rs", "passes ops on, and the reply about a comparison back"),
    ("crates/jig-files/src/receipt.rs", "the details of reports have any shape"),
    ("crates/jig-files/src/text/", "ops come in as JSON, and a map shows the shape of a JSON file"),
    ("crates/jig-files/src/diff", "replies about comparisons, and ops that revert a change"),
    ("crates/jig-files/src/pdf", "replies of PDF files are not typed yet"),
    ("crates/jig-files/src/odt", "replies of OpenDocument texts are not typed yet"),
    ("crates/jig-files/src/file.rs", "holds the readers of these two formats"),
    ("crates/jig-files/src/params.rs", "parameters and warnings of these two formats"),
    ("crates/jig-files/src/preview", "replies of previews are not typed yet"),
];

#[test]
fn engines_use_types_and_not_json() {
    let files: Vec<File> = files().into_iter().filter(is_typed_source).collect();
    let mut complaints: Vec<String> = files.iter().filter_map(check).collect();
    for (place, _) in ALLOWED {
        if !files.iter().any(|file| file.path.starts_with(place) && uses_json(&file.text)) {
            complaints.push(format!("{place}: listed, but without JSON"));
        }
    }
    assert_tidy(&complaints);
}

fn is_typed_source(file: &File) -> bool {
    let test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    file.is_rust() && !test && TYPED.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")))
}

fn check(file: &File) -> Option<String> {
    let allowed = ALLOWED.iter().any(|(place, _)| file.path.starts_with(place));
    (!allowed && uses_json(&file.text)).then(|| format!("{}: JSON below the adaptors; use a type", file.path))
}

/// Whether the code before the tests names a JSON value.
fn uses_json(text: &str) -> bool {
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let code = code.map(|line| line.split("//").next().unwrap_or_default());
    code.into_iter().any(|line| {
        let imported = line.split_once("serde_json::").is_some_and(|(_, names)| {
            names.split(|c: char| !c.is_alphanumeric()).any(|name| matches!(name, "Value" | "Map" | "json"))
        });
        imported || line.contains("json!(")
    })
}

#[test]
fn json_elsewhere_is_caught() {
    let complaint = |path, text| check(&File::new(path, text));
    let code = "use serde_json::{Map, Value};\n";
    let path = "crates/jig-files/src/sniff.rs";
    assert_eq!(complaint(path, code), Some(format!("{path}: JSON below the adaptors; use a type")));
    assert!(complaint(path, "let a = json!({});").is_some());
    assert_eq!(complaint("crates/jig-ooxml/src/xlsx/edit/cells.rs", code), None);
}

#[test]
fn tests_numbers_and_comments_are_fine() {
    let fine = "// serde_json::Value is not used\nuse serde_json::Number;\nserde_json::from_str::<IgnoredAny>(text);\n\
                #[cfg(test)]\nmod tests { use serde_json::Value; }\n";
    assert!(!uses_json(fine));
}
