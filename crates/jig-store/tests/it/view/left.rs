//! Excluded paths are reported, and never followed, read, overwritten or considered removed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

use super::*;

const LINK: &str = "it is a link, which Jig skips";
const CASE: &str = "another name here differs from it only in upper and lower case";
const PROGRAM: &str = "it is a temporary file of a program";

/// Edits a folder that shows `published/a`, `published/sub/b` and `draft/a`. Exactly these paths must be excluded,
/// without other effects.
async fn check(by_hand: impl FnOnce(&Bench), expected: &[(&str, &str)]) -> Bench {
    let bench = Bench::showing([("published/a", "a"), ("published/sub/b", "b"), ("draft/a", "draft a")]).await;
    bench.assert_settled().await;
    by_hand(&bench);
    let before = bench.shown();
    let scan = bench.scan().await;
    assert_eq!(scan, Scan { left_alone: left(expected), ..Scan::default() });
    bench.write().await;
    assert_eq!(bench.shown(), before);
    bench
}

#[tokio::test]
async fn links_are_left_alone() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let links = |bench: &Bench| {
        symlink(outside.path().join("secret"), bench.at("published/file")).unwrap();
        symlink(outside.path(), bench.at("published/folder")).unwrap();
        symlink("nowhere", bench.at("draft/broken")).unwrap();
        symlink("a", bench.at("published/inside")).unwrap();
    };
    let expected =
        [("draft/broken", LINK), ("published/file", LINK), ("published/folder", LINK), ("published/inside", LINK)];
    let bench = check(links, &expected).await;
    assert!(bench.store.blobs().get(&hash_of(b"secret")).await.is_err(), "the linked file was read");
}

#[tokio::test]
async fn a_link_in_place_of_a_file_neither_removes_nor_changes_it() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("victim");
    std::fs::write(&target, "victim").unwrap();
    let swap = |bench: &Bench| {
        std::fs::remove_file(bench.at("published/a")).unwrap();
        symlink(&target, bench.at("published/a")).unwrap();
    };
    let mut bench = check(swap, &[("published/a", LINK)]).await;
    bench.commit_text("published/a", "newer").await;
    let reason = "it is a link, but Jig needs this name for a file";
    assert_eq!(bench.write().await.left_alone, left(&[("published/a", reason)]));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "victim");
    // Removing the link does not remove the newer file.
    std::fs::remove_file(bench.at("published/a")).unwrap();
    assert_eq!(bench.scan().await, Scan { behind: true, ..Scan::default() });
    bench.write().await;
    bench.assert_settled().await;
    std::fs::remove_file(bench.at("published/a")).unwrap();
    symlink(&target, bench.at("published/a")).unwrap();
    bench.commit(&[TreeEdit::Remove { path: "published/a".to_owned() }]).await;
    bench.write().await;
    assert!(bench.at("published/a").is_symlink(), "the link is the person's");
}

#[tokio::test]
async fn a_link_in_place_of_a_folder_is_never_gone_through() {
    for (folder, file) in [("published/sub", "published/sub/b"), ("published", "published/a")] {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("b"), "victim").unwrap();
        std::fs::write(outside.path().join("a"), "victim").unwrap();
        let mut bench = Bench::showing([("published/a", "a"), ("published/sub/b", "b")]).await;
        std::fs::remove_dir_all(bench.at(folder)).unwrap();
        symlink(outside.path(), bench.at(folder)).unwrap();
        let scan = bench.scan().await;
        assert_eq!(scan.changes, [], "{folder}");
        assert_eq!(scan.left_alone.iter().map(|thing| thing.path.as_str()).collect::<Vec<_>>(), [folder]);
        bench.commit_text(file, "newer").await;
        bench.commit_text(&format!("{folder}/new"), "new").await;
        let reason = "it is a link, but Jig needs a folder of this name";
        assert_eq!(bench.write().await.left_alone, left(&[(folder, reason)]));
        bench.commit(&[TreeEdit::Remove { path: file.to_owned() }]).await;
        bench.write().await;
        let victims = ["a", "b"].map(|name| std::fs::read_to_string(outside.path().join(name)).unwrap());
        assert_eq!(victims, ["victim", "victim"], "{folder}");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 2, "{folder}");
        // When the link is removed, everything is shown.
        std::fs::remove_file(bench.at(folder)).unwrap();
        assert_eq!(bench.scan().await, Scan { behind: true, ..Scan::default() });
        bench.write().await;
        bench.assert_settled().await;
    }
}

#[tokio::test]
async fn a_linked_workbench_folder_is_refused() {
    let bench = Bench::showing([("published/a", "a")]).await;
    let elsewhere = bench.setup.folder.path().join("elsewhere");
    std::fs::rename(bench.folder(), &elsewhere).unwrap();
    symlink(&elsewhere, bench.folder()).unwrap();
    assert!(bench.view.scan(&bench.store, bench.head, &LIMITS).await.is_err());
    assert!(bench.view.write(&bench.store, bench.head).await.is_err());
    assert!(bench.view.remove().is_err());
    assert_eq!(std::fs::read_to_string(elsewhere.join("published/a")).unwrap(), "a");
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_left_alone() {
    // The fallback cannot determine the type.
    let unknown = "it is neither a file nor a folder, which Jig skips";
    let reason = |known| if cfg!(jig_portable) { unknown } else { known };
    let mut expected = vec![
        ("published/pipe", reason("it is a pipe, which Jig skips")),
        ("published/socket", reason("it is a socket, which Jig skips")),
    ];
    let probe = tempfile::tempdir().unwrap();
    let device = make_node(&probe.path().join("device"), "c");
    if device {
        expected.insert(0, ("published/device", reason("it is a device, which Jig skips")));
    } else {
        println!("no device: this user may not make one");
    }
    let things = |bench: &Bench| {
        assert!(make_node(&bench.at("published/pipe"), "p"));
        // Socket paths must be short, so it is created elsewhere and moved.
        let short = tempfile::tempdir().unwrap();
        drop(std::os::unix::net::UnixListener::bind(short.path().join("s")).unwrap());
        assert!(std::fs::metadata(short.path().join("s")).unwrap().file_type().is_socket());
        std::fs::rename(short.path().join("s"), bench.at("published/socket")).unwrap();
        if device {
            assert!(make_node(&bench.at("published/device"), "c"));
        }
    };
    check(things, &expected).await;
}

/// Creates a pipe (`p`) or a device like `/dev/null` (`c`); false if that is not permitted.
fn make_node(path: &Path, kind: &str) -> bool {
    let numbers: &[&str] = if kind == "c" { &["1", "3"] } else { &[] };
    let output = std::process::Command::new("mknod").arg(path).arg(kind).args(numbers).output().unwrap();
    output.status.success()
}

#[tokio::test]
async fn names_outside_the_rules_are_left_alone() {
    let names: &[(&[u8], &str)] = &[
        (b"\xff\xfe.txt", "its name is not Unicode text"),
        (b"back\\slash", "a name must not contain a backslash; separate folders with `/`"),
        (b"bell\x07", "a name must not contain control characters"),
        (b"C:drive", "a name must not start with a drive letter"),
        (b"dot.", "a name must not end with a dot or a space, which Windows removes"),
        (b"nul.txt", "Windows reserves this name for a device"),
        ("turn\u{202e}".as_bytes(), "a name must not contain invisible characters that change the reading order"),
    ];
    for folder in [false, true] {
        let put = |bench: &Bench| {
            for (name, _) in names {
                let path = bench.at("published").join(OsStr::from_bytes(name));
                if folder {
                    std::fs::create_dir(&path).unwrap();
                    std::fs::write(path.join("x"), "x").unwrap();
                } else {
                    std::fs::write(path, "x").unwrap();
                }
            }
        };
        let paths: Vec<String> =
            names.iter().map(|(name, _)| format!("published/{}", String::from_utf8_lossy(name))).collect();
        let mut expected: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(names.iter().map(|n| n.1)).collect();
        expected.sort_unstable();
        check(put, &expected).await;
    }
}

#[tokio::test]
async fn a_path_that_is_too_long_is_left_alone() {
    let folders = ["x".repeat(250), "x".repeat(250), "x".repeat(250)].join("/");
    let (fits, long) =
        (format!("published/{folders}/y"), format!("published/{folders}/{}/{}", "y".repeat(200), "z".repeat(99)));
    let bench = Bench::showing([]).await;
    bench.put(&fits, "fits");
    bench.put(&long, "too long");
    let scan = bench.scan().await;
    assert_eq!(scan.changes, [written(&fits, "fits")]);
    assert_eq!(scan.left_alone, left(&[(&long, "a path has at most 1,024 bytes")]));
}

#[tokio::test]
async fn of_names_that_differ_in_case_the_known_one_stands() {
    let put = |bench: &Bench| {
        bench.put("published/A", "upper");
        bench.put("published/SUB/b", "upper");
        bench.put("published/new", "neither");
        bench.put("published/New", "neither");
        bench.put("published/straße", "neither");
        bench.put("published/STRASSE", "neither");
    };
    let expected = ["A", "New", "STRASSE", "SUB", "new", "straße"].map(|name| format!("published/{name}"));
    let expected: Vec<_> = expected.iter().map(|path| (path.as_str(), CASE)).collect();
    let mut bench = check(put, &expected).await;
    // Edits and removals of known files are still found.
    bench.put("published/a", "edited");
    std::fs::remove_file(bench.at("published/sub/b")).unwrap();
    let scan = bench.scan().await;
    assert_eq!(scan.changes, [removed("published/sub/b"), written("published/a", "edited")]);
    bench.take_in(&scan.changes).await;
    assert_eq!(bench.shown()["published/SUB/b"], "upper");
}

#[tokio::test]
async fn a_new_name_that_clashes_with_a_file_that_is_not_shown_is_left_alone() {
    let mut bench = Bench::showing([("published/x", "x")]).await;
    let in_use = "the workbench has a file or folder of this name that is not shown here";
    std::fs::create_dir_all(bench.at("published/file")).unwrap();
    bench.put("published/file/y", "a folder where the head has a file");
    bench.put("published/folder", "a file where the head has a folder");
    symlink("x", bench.at("published/link")).unwrap();
    for path in ["published/file", "published/folder/z", "published/link"] {
        bench.commit_text(path, "from the head").await;
    }
    bench.put("published/LINK", "differs in case from what the link hides");
    let report = bench.write().await;
    assert_eq!(report.written, 0);
    let expected = [
        ("published/LINK", CASE),
        ("published/file/y", in_use),
        ("published/folder", in_use),
        ("published/link", LINK),
    ];
    assert_eq!(bench.scan().await, Scan { changes: vec![], left_alone: left(&expected), behind: true });
}

#[tokio::test]
async fn files_that_programs_keep_are_left_alone() {
    let names = [".DS_Store", ".x.txt.swp", ".~lock.x.odt#", "Thumbs.db", "x.txt~", "~$report.docx"];
    let paths = names.map(|name| format!("published/{name}"));
    let expected: Vec<_> = paths.iter().map(|path| (path.as_str(), PROGRAM)).collect();
    check(|bench| paths.iter().for_each(|path| bench.put(path, "x")), &expected).await;
    // A file that was added on purpose is like any other.
    let bench = Bench::showing([("published/Thumbs.db", "added")]).await;
    bench.put("published/Thumbs.db", "edited");
    assert_eq!(bench.scan().await, changes(&[written("published/Thumbs.db", "edited")]));
}

#[tokio::test]
async fn files_over_the_limits_are_left_alone() {
    let mut bench = Bench::showing([("published/a", "a"), ("published/grows", "g"), ("draft/a", "a")]).await;
    bench.put("published/big.txt", "12345678901");
    bench.put("published/grows", "12345678901");
    bench.put("published/big.CSV", "123456");
    bench.put("published/fits.txt", "1234567890");
    bench.put("published/fits.tsv", "12345");
    for n in 1..=3 {
        bench.put(&format!("published/more/{n}"), "x");
        bench.put(&format!("draft/more/{n}"), "x");
    }
    let limits = ViewLimits { file_bytes: 10, table_bytes: 5, files: 5 };
    let scan = bench.view.scan(&bench.store, bench.head, &limits).await.unwrap();
    let fits = [
        written("draft/more/1", "x"),
        written("draft/more/2", "x"),
        written("draft/more/3", "x"),
        written("published/fits.tsv", "12345"),
    ];
    // Files are counted before anything is read, so the two oversized ones count.
    assert_eq!(scan.changes, fits);
    let expected = [
        ("published", "4 files here are not imported: the limit is 5 files (limits.files)"),
        ("published/big.CSV", "it has 6 bytes; the limit is 5 (limits.table_bytes)"),
        ("published/big.txt", "it has 11 bytes; the limit is 10 (limits.file_bytes)"),
        ("published/grows", "it has 11 bytes; the limit is 10 (limits.file_bytes)"),
    ];
    assert_eq!(scan.left_alone, left(&expected));
    // A new limit does not affect files that the workbench already has.
    bench.take_in(&scan.changes).await;
    let strict = ViewLimits { file_bytes: 0, table_bytes: 0, files: 0 };
    assert_eq!(bench.view.scan(&bench.store, bench.head, &strict).await.unwrap().changes, []);
    std::fs::remove_file(bench.at(".jig/index")).unwrap();
    assert_eq!(bench.view.scan(&bench.store, bench.head, &strict).await.unwrap().changes, []);
}

#[tokio::test]
async fn what_may_not_be_read_is_left_alone() {
    let mut bench = Bench::showing([("published/a", "a"), ("published/sub/b", "b")]).await;
    bench.put("published/new", "new");
    let closed = ["published/new", "published/sub"];
    for path in closed {
        std::fs::set_permissions(bench.at(path), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    if std::fs::File::open(bench.at("published/new")).is_ok() {
        println!("not tried: this user may read everything");
        return;
    }
    let reason = "it could not be read: permission denied";
    let scan = bench.scan().await;
    assert_eq!(scan, Scan { left_alone: left(&closed.map(|path| (path, reason))), ..Scan::default() });
    // A file that was unreadable during a write still counts as Jig's own when it is readable again.
    bench.commit_text("published/sub/b", "newer").await;
    assert_eq!(bench.write().await.left_alone, left(&[("published/sub", reason)]));
    for path in closed {
        std::fs::set_permissions(bench.at(path), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let scan = bench.scan().await;
    assert_eq!(scan, Scan { behind: true, ..changes(&[written("published/new", "new")]) });
    bench.take_in(&scan.changes).await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn discarding_a_draft_keeps_what_jig_does_not_know() {
    let mut bench = Bench::showing([("draft/a", "a"), ("draft/sub/b", "b"), ("published/a", "a")]).await;
    symlink("a", bench.at("draft/sub/link")).unwrap();
    bench.put("draft/~$a.docx", "lock");
    bench.commit(&[TreeEdit::Remove { path: "draft".to_owned() }]).await;
    assert_eq!(bench.write().await, ViewReport { written: 0, removed: 2, left_alone: vec![] });
    assert_eq!(bench.shown(), shown([("draft/~$a.docx", "lock"), ("published/a", "a")]));
    assert!(bench.at("draft/sub/link").is_symlink());
    let expected = left(&[("draft/sub/link", LINK), ("draft/~$a.docx", PROGRAM)]);
    assert_eq!(bench.scan().await, Scan { left_alone: expected, ..Scan::default() });
}
