//! A table of hostile and unusual names, and properties of accepted ones.

use jig_contract::{WorkbenchPath, fold_case};
use proptest::prelude::*;

/// Every one of these must be refused.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "",
        ".",
        "..",
        "/",
        "//",
        "///",
        "./",
        "../",
        "/etc/passwd",
        "//server/share",
        "./a",
        "../a",
        "a/.",
        "a/..",
        "a/./b",
        "a/../b",
        "a/../../b",
        "../../../../etc/shadow",
        "a/b/../../../c",
        "a//b",
        "a/",
        "a//",
        "/a",
        "a/b/",
        "..\\..\\windows",
        "a\\b",
        "\\",
        "\\\\server\\share",
        "C:",
        "C:\\",
        "C:/windows",
        "c:a",
        "Z:file",
        "a/C:/b",
        "d:",
        "a\0",
        "\0",
        "a\0.txt",
        "a\nb",
        "a\rb",
        "a\tb",
        "\u{1}",
        "\u{1f}",
        "\u{7f}",
        "\u{80}",
        "\u{9f}",
        "a\u{85}b",
        "CON",
        "con",
        "Con",
        "PRN",
        "AUX",
        "NUL",
        "nul",
        "nul.txt",
        "NUL.tar.gz",
        "con.docx",
        "aux.c",
        "a/nul/b",
        "COM1",
        "com9",
        "COM0",
        "com1.txt",
        "LPT1",
        "lpt9.log",
        "LPT0",
        "COM¹",
        "com²",
        "LPT³",
        "CONIN$",
        "conout$",
        "NUL ",
        "con .txt",
        "a.",
        "a..",
        "a ",
        " .",
        "...",
        ". .",
        "a/b.",
        "folder./file",
        "folder /file",
        "..\u{200e}",
        "a\u{202e}txt.exe",
        "\u{202a}a",
        "\u{2066}a",
        "a\u{2069}",
        "\u{feff}a",
        "a\u{200f}b",
        "a\u{2028}b",
        "a\u{2029}b",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("a".repeat(256));
    names.push(format!("{}/b", "é".repeat(128)));
    names.push(vec!["abcdefghi"; 103].join("/"));
    names.push("a/".repeat(5 * 1024 * 1024));
    names
}

#[test]
fn hostile_names_are_refused_with_the_rule() {
    let names = hostile();
    assert!(names.len() >= 80, "{}", names.len());
    for name in names {
        let shown: String = name.chars().take(40).collect();
        let error = WorkbenchPath::new(&name).expect_err(&format!("{shown:?} was taken"));
        let message = error.to_string();
        assert!(!error.rule.is_empty() && message.len() < 600 && !message.contains('\n'), "{shown:?}: {message}");
    }
}

#[test]
fn ordinary_and_unusual_names_are_taken_as_they_are() {
    let longest = format!("{}/{}", "a".repeat(255), "b".repeat(255));
    for name in [
        "a",
        "_private.txt",
        "report.docx",
        "Q3 report (final) #2.xlsx",
        "a/b/c/d.txt",
        "café.txt",
        "日本語/ファイル.pptx",
        "emoji 🎉.txt",
        ".hidden",
        ".config/x",
        "~$lock",
        "ab:c",
        "12:30 notes.txt",
        "what?.txt",
        "a*b",
        "a\"b",
        "<a>",
        "a|b",
        "100%.txt",
        "a&b;c.txt",
        "$(rm -rf).txt",
        "`ls`.txt",
        "-rf",
        "--help",
        "con1.txt",
        "console.txt",
        "nullable.rs",
        "com10.txt",
        "COMET",
        "a..b",
        "..a",
        "...a",
        "a .b",
        "ünïcödé",
        "👩‍👩‍👧.png",
        "نص.txt",
        &longest,
    ] {
        assert_eq!(WorkbenchPath::new(name).as_ref().map(WorkbenchPath::as_str), Ok(name));
    }
}

#[test]
fn names_are_brought_to_one_unicode_form() {
    let composed = WorkbenchPath::new("caf\u{e9}.txt").unwrap();
    let decomposed = WorkbenchPath::new("cafe\u{301}.txt").unwrap();
    assert_eq!(composed, decomposed);
    assert_eq!(decomposed.as_str(), "caf\u{e9}.txt");
}

#[test]
fn names_that_differ_only_in_case_fold_to_one() {
    for (a, b) in [("Report.TXT", "report.txt"), ("STRASSE", "straße"), ("Σ", "ς"), ("ÉCOLE", "école"), ("ſ", "S")]
    {
        assert_eq!(fold_case(a), fold_case(b), "{a} {b}");
    }
    assert_ne!(fold_case("a"), fold_case("á"));
}

#[test]
fn parts_of_a_path() {
    let path = WorkbenchPath::new("Reports/2026/Q3.Final.XLSX").unwrap();
    assert_eq!(path.file_name(), "Q3.Final.XLSX");
    assert_eq!(path.extension(), "xlsx");
    assert_eq!(path.parent().map(String::from), Some("Reports/2026".to_owned()));
    assert_eq!(path.segments().collect::<Vec<_>>(), ["Reports", "2026", "Q3.Final.XLSX"]);
    assert!(path.is_within(&WorkbenchPath::new("Reports").unwrap()));
    assert!(!path.is_within(&WorkbenchPath::new("Rep").unwrap()));
    assert_eq!(WorkbenchPath::new(".env").unwrap().extension(), "");
}

proptest! {
    #[test]
    fn a_taken_path_stays_below_any_folder_and_is_taken_again(text in "\\PC{0,40}|[a-c./\\\\:]{0,12}") {
        if let Ok(path) = WorkbenchPath::new(&text) {
            prop_assert_eq!(WorkbenchPath::new(path.as_str()), Ok(path.clone()));
            let joined = std::path::Path::new("/base").join(path.as_str());
            prop_assert!(joined.starts_with("/base"));
            prop_assert!(joined.components().all(|c| matches!(c, std::path::Component::RootDir | std::path::Component::Normal(_))));
            prop_assert_eq!(joined.components().count(), 2 + path.segments().count());
        }
    }
}
