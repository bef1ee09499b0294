//! Adding, listing, reading, removing and extracting files.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

#[tokio::test]
async fn added_files_are_listed_by_path_with_kind_by_content() {
    let home = TestHome::with_workbench().await;
    home.add("b.csv", "x,y\n1,2\n").await;
    home.add("sub/a.txt", "hello").await;
    home.add("really.docx", "%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").await;
    home.add("_underscore.md", "# kept").await;
    let list = home.plain("FileList").await;
    let kinds: Vec<(&str, &str)> = list["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["path"].as_str().unwrap(), f["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [("_underscore.md", "markdown"), ("b.csv", "csv"), ("really.docx", "pdf"), ("sub/a.txt", "text")]
    );
    assert_eq!(list["total"], 4);
    assert!(list["files"][2]["mismatch"].as_str().unwrap().contains("docx"));
    assert_eq!(std::fs::read_to_string(home.view("published/sub/a.txt")).unwrap(), "hello");
}

#[tokio::test]
async fn a_list_is_paged_and_never_cut_in_silence() {
    let home = TestHome::with_workbench().await;
    for n in 0..5 {
        home.add(&format!("{n}.txt"), "x").await;
    }
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = home.ok("FileList", json!({ "workbench_id": ID, "limit": 2, "cursor": cursor })).await;
        assert_eq!((page["total"].as_u64(), page["total_bytes"].as_u64()), (Some(5), Some(5)));
        seen.extend(page["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap().to_owned()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen, ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt"]);
}

#[tokio::test]
async fn a_batch_is_added_whole_or_not_at_all() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "old").await;
    let (new, same) = (home.outside("in/new.txt", "new"), home.outside("in/a.txt", "other"));
    let error = home.fails_with(Code::FileExists, "FileAdd", json!({ "workbench_id": ID, "paths": [new, same] })).await;
    assert_eq!(error.info.detail.unwrap()["paths"], json!(["a.txt"]));
    assert_eq!(home.plain("FileList").await["total"], 1);

    let done = home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [new, same], "replace": true })).await;
    assert_eq!(
        (done["added"][0]["path"].as_str(), done["replaced"][0]["path"].as_str()),
        (Some("new.txt"), Some("a.txt"))
    );
    let again = home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [new] })).await;
    assert_eq!(again["unchanged"][0]["path"], "new.txt");
    assert_eq!(home.plain("JournalList").await["total"], 3, "adding what is there is no change");
    home.fails_with(Code::FileNotFound, "FileAdd", json!({ "workbench_id": ID, "paths": ["no/such/file"] })).await;
    home.fails_with(Code::ValidationFailed, "FileAdd", json!({ "workbench_id": ID, "paths": [] })).await;
    let twice = home.outside("elsewhere/new.txt", "different");
    home.fails_with(Code::FileExists, "FileAdd", json!({ "workbench_id": ID, "paths": [new, twice], "replace": true }))
        .await;
}

#[tokio::test]
async fn a_file_is_replaced_only_while_it_has_the_hash_that_was_seen() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "old").await;
    let seen = home.ok("FileGetInfo", json!({ "workbench_id": ID, "path": "a.txt" })).await["hash"].clone();
    let (a, b) = (home.outside("in/a.txt", "new"), home.outside("in/b.txt", "other"));
    let add = |paths: Value, hash: &Value| json!({ "workbench_id": ID, "paths": paths, "base_hash": hash });
    home.fails_with(Code::ValidationFailed, "FileAdd", add(json!([a, b]), &seen)).await;
    home.fails_with(Code::Conflict, "FileAdd", add(json!([b]), &seen)).await;
    let done = home.ok("FileAdd", add(json!([a]), &seen)).await;
    assert_eq!(done["replaced"][0]["path"], "a.txt");
    let error = home.fails_with(Code::Conflict, "FileAdd", add(json!([a]), &seen)).await;
    assert_eq!(error.info.detail.unwrap()["current_hash"], done["replaced"][0]["hash"]);
    assert_eq!(home.plain("FileList").await["total"], 1);
}

#[tokio::test]
async fn names_that_differ_only_in_case_are_refused() {
    let home = TestHome::with_workbench().await;
    home.add("Report.txt", "a").await;
    let path = home.outside("x/report.TXT", "b");
    home.fails_with(Code::FileExists, "FileAdd", json!({ "workbench_id": ID, "paths": [path] })).await;
    home.fails_with(
        Code::FileExists,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "REPORT.txt", "text": "" }),
    )
    .await;
    home.fails_with(
        Code::FileExists,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "Report.txt/x", "text": "" }),
    )
    .await;
    home.add("folder/x.txt", "a").await;
    home.fails_with(
        Code::FileExists,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "FOLDER/y.txt", "text": "" }),
    )
    .await;
    home.fails_with(Code::FileExists, "DraftWriteText", json!({ "workbench_id": ID, "path": "folder", "text": "" }))
        .await;
}

#[tokio::test]
async fn hostile_paths_are_refused_by_every_operation_that_takes_one() {
    let home = TestHome::with_workbench().await;
    for path in ["../x", "/etc/passwd", "a/../../b", "C:\\x", "nul", "a\u{0}b", ""] {
        for (op, params) in [
            ("FileGetInfo", json!({ "path": path })),
            ("FileRead", json!({ "path": path })),
            ("FileRemove", json!({ "paths": [path] })),
            ("FileExtract", json!({ "paths": [path], "to": "x" })),
            ("FileList", json!({ "folder": path })),
            ("FileAdd", json!({ "paths": ["x"], "folder": path })),
            ("DraftWriteText", json!({ "path": path, "text": "x" })),
            ("DraftRemoveFile", json!({ "path": path })),
            ("DraftPublish", json!({ "confirm_deletions": [path] })),
            ("ReviewGetDiff", json!({ "path": path })),
        ] {
            let mut params = params;
            params["workbench_id"] = ID.into();
            home.fails_with(Code::SandboxViolation, op, params).await;
        }
    }
    assert_eq!(home.plain("JournalList").await["total"], 1);
}

#[cfg(unix)]
#[tokio::test]
async fn links_and_pipes_are_not_added_and_folders_report_them() {
    let home = TestHome::with_workbench().await;
    let file = home.outside("dir/a.txt", "a");
    let dir = std::path::Path::new(&file).parent().unwrap().to_owned();
    std::os::unix::fs::symlink("/etc/passwd", dir.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc", dir.join("linked-folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap().success());
    std::fs::write(dir.join("bad\\name"), "x").unwrap();
    for name in ["link", "linked-folder", "pipe"] {
        home.fails_with(Code::SandboxViolation, "FileAdd", json!({ "workbench_id": ID, "paths": [dir.join(name)] }))
            .await;
    }
    let done = home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [dir] })).await;
    assert_eq!(done["added"].as_array().unwrap().len(), 1);
    assert_eq!(done["added"][0]["path"], "dir/a.txt");
    assert_eq!(done["left_alone"].as_array().unwrap().len(), 4, "{done}");
}

#[tokio::test]
async fn limits_are_named_in_the_refusal() {
    let home = TestHome::with(|config| {
        config.limits.file_bytes = 10;
        config.limits.table_bytes = 20;
        config.limits.files = 2;
    })
    .await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    let large = home.outside("large.txt", "01234567890");
    let error = home.fails_with(Code::LimitExceeded, "FileAdd", json!({ "workbench_id": ID, "paths": [large] })).await;
    assert!(error.info.message.contains("limits.file_bytes") && error.info.message.contains("10"), "{error}");
    home.add("table.csv", "01234567890").await;
    let error = home.outside("table2.csv", "0".repeat(21));
    let error = home.fails_with(Code::LimitExceeded, "FileAdd", json!({ "workbench_id": ID, "paths": [error] })).await;
    assert!(error.info.message.contains("limits.table_bytes"), "{error}");
    home.add("b.txt", "b").await;
    let third = home.outside("c.txt", "c");
    let error = home.fails_with(Code::LimitExceeded, "FileAdd", json!({ "workbench_id": ID, "paths": [third] })).await;
    assert!(error.info.message.contains("limits.files"), "{error}");
    home.fails_with(Code::LimitExceeded, "DraftWriteText", json!({ "workbench_id": ID, "path": "c.txt", "text": "c" }))
        .await;
    home.fails_with(
        Code::LimitExceeded,
        "DraftWriteText",
        json!({ "workbench_id": ID, "path": "b.txt", "text": "01234567890" }),
    )
    .await;
    home.write("b.txt", "rewriting is fine"[..9].as_ref()).await;
}

#[tokio::test]
async fn text_is_read_by_lines_in_its_encoding() {
    let home = TestHome::with_workbench().await;
    let lines: String = (1..=450).map(|n| format!("line {n}\r\n")).collect();
    home.add("long.txt", lines).await;
    let first = home.ok("FileRead", json!({ "workbench_id": ID, "path": "long.txt" })).await;
    assert_eq!(
        (&first["lines"], first["cursor"].is_string()),
        (&json!({ "first": 1, "count": 200, "total": 450, "encoding": "UTF-8" }), true)
    );
    let params = json!({ "workbench_id": ID, "path": "long.txt", "cursor": first["cursor"] });
    let second = home.ok("FileRead", params).await;
    assert_eq!((&second["lines"]["first"], &second["lines"]["count"]), (&json!(201), &json!(200)));
    let tight = home.ok("FileRead", json!({ "workbench_id": ID, "path": "long.txt", "max_tokens": 2 })).await;
    assert_eq!((&tight["text"], &tight["lines"]["count"]), (&json!("line "), &json!(1)));
    let params = json!({ "workbench_id": ID, "path": "long.txt", "max_tokens": 3, "cursor": tight["cursor"] });
    assert_eq!(home.ok("FileRead", params).await["text"], "1\r\n");
    let last = home
        .ok("FileRead", json!({ "workbench_id": ID, "path": "long.txt", "line_start": 449, "line_count": 10 }))
        .await;
    assert!(last["text"].as_str().unwrap().starts_with("line 449"), "{last}");
    assert_eq!((&last["lines"]["count"], &last["cursor"]), (&json!(2), &json!(null)));
    home.fails_with(
        Code::ValidationFailed,
        "FileRead",
        json!({ "workbench_id": ID, "path": "long.txt", "line_start": 451 }),
    )
    .await;
    home.fails_with(
        Code::ValidationFailed,
        "FileRead",
        json!({ "workbench_id": ID, "path": "long.txt", "line_start": 0 }),
    )
    .await;

    home.add("latin.txt", b"caf\xe9 cr\xe8me br\xfbl\xe9e\n").await;
    let latin = home.ok("FileRead", json!({ "workbench_id": ID, "path": "latin.txt" })).await;
    assert!(latin["text"].as_str().unwrap().starts_with("café crème brûlée"), "{latin}");
    home.add("b.bin", "\0\u{1}\u{2}binary\0\0").await;
    home.fails_with(Code::ValidationFailed, "FileRead", json!({ "workbench_id": ID, "path": "b.bin" })).await;
    let error =
        home.fails_with(Code::FileNotFound, "FileRead", json!({ "workbench_id": ID, "path": "lnog.txt" })).await;
    assert_eq!(error.info.suggestions[0], "long.txt", "the nearest name first");
    home.fails_with(
        Code::DraftNotFound,
        "FileRead",
        json!({ "workbench_id": ID, "path": "long.txt", "root": "draft" }),
    )
    .await;
}

#[tokio::test]
async fn removed_files_can_be_brought_back() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "a").await;
    home.add("b.txt", "b").await;
    home.fails_with(Code::FileNotFound, "FileRemove", json!({ "workbench_id": ID, "paths": ["a.txt", "c.txt"] })).await;
    assert!(home.view("published/a.txt").exists(), "all or none");
    home.ok("FileRemove", json!({ "workbench_id": ID, "paths": ["a.txt"] })).await;
    assert!(!home.view("published/a.txt").exists());
    home.plain("JournalUndo").await;
    assert_eq!(std::fs::read_to_string(home.view("published/a.txt")).unwrap(), "a");
}

#[tokio::test]
async fn files_are_copied_out_whole_and_never_over_others() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "a").await;
    home.add("sub/b.txt", "b").await;
    let to = home.path().join("out");
    let done = home.ok("FileExtract", json!({ "workbench_id": ID, "to": to })).await;
    assert_eq!(done["written"].as_array().unwrap().len(), 2);
    assert_eq!(
        jig_testkit::home::texts_on_disk(&to),
        [("a.txt", "a"), ("sub/b.txt", "b")].map(|(k, v)| (k.into(), v.into())).into()
    );
    std::fs::write(to.join("a.txt"), "mine").unwrap();
    home.fails_with(Code::FileExists, "FileExtract", json!({ "workbench_id": ID, "to": to, "paths": ["a.txt"] })).await;
    assert_eq!(std::fs::read_to_string(to.join("a.txt")).unwrap(), "mine");
    home.ok("FileExtract", json!({ "workbench_id": ID, "to": to, "paths": ["a.txt"], "overwrite": true })).await;
    assert_eq!(std::fs::read_to_string(to.join("a.txt")).unwrap(), "a");
}

#[tokio::test]
async fn ten_thousand_files() {
    let home = TestHome::with(|config| config.limits.files = 20_000).await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    let dir = home.path().join("many");
    for n in 0..10_000 {
        let file = dir.join(format!("{:02}", n % 20)).join(format!("file {n}.txt"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("content {}", n % 500)).unwrap();
    }
    let done = home.ok("FileAdd", json!({ "workbench_id": ID, "paths": [dir] })).await;
    assert_eq!(done["added"].as_array().unwrap().len(), 10_000);
    home.write("many/00/file 0.txt", "changed").await;
    let state = home.plain("DraftGetState").await;
    assert_eq!((state["modified"].as_u64(), state["added"].as_u64()), (Some(1), Some(0)));
    home.plain("DraftPublish").await;
    let list = home.plain("FileList").await;
    assert_eq!((list["total"].as_u64(), list["files"].as_array().unwrap().len()), (Some(10_000), 1_000));
    assert!(list["cursor"].is_string());
    assert_eq!(jig_testkit::home::texts_on_disk(&home.view("published")).len(), 10_000);
    assert_eq!(home.ok("StoreDoctor", json!({})).await["ok"], true);
}
