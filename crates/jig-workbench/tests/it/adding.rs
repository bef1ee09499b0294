//! Adding folders: ignored files, version control, generated folders and key files are skipped, and the result reports
//! them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

const CACHE_TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n";

/// A local folder with these files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }
}

fn params(path: &Path, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["paths"] = json!([path]);
    more
}

fn added(output: &Value) -> BTreeSet<String> {
    let files = output["added"].as_array().unwrap().iter();
    files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// The names of the files that were skipped for a reason with this prefix, without folders.
fn skipped(output: &Value, reason: &str) -> BTreeSet<String> {
    let all = output["left_alone"].as_array().unwrap().iter();
    let of = all.filter(|one| one["reason"].as_str().unwrap().starts_with(reason));
    of.map(|one| one["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
}

fn project() -> Folder {
    Folder::new(&[
        ("proj/README.md", "# Project"),
        ("proj/src/main.py", "print(1)"),
        ("proj/.gitignore", "*.log\n!keep.log\n/dist/\n.env\nsecret-*/\n"),
        ("proj/a.log", "x"),
        ("proj/keep.log", "x"),
        ("proj/dist/app.js", "x"),
        ("proj/src/dist/mine.txt", "anchored patterns are for the top"),
        ("proj/src/.gitignore", "*.tmp\n!important.tmp\n"),
        ("proj/src/b.tmp", "x"),
        ("proj/src/important.tmp", "x"),
        ("proj/.env", "API_KEY=1"),
        ("proj/.ignore", "notes-private.md\n"),
        ("proj/notes-private.md", "x"),
        ("proj/.jigignore", "huge.csv\n"),
        ("proj/huge.csv", "a,b\n"),
        ("proj/secret-plans/a.md", "x"),
        ("proj/.git/config", "[remote]\n"),
        ("proj/.git/objects/aa/bb", "x"),
        ("proj/sub/.hg/store", "x"),
        ("proj/sub/a.txt", "x"),
        ("proj/node_modules/left-pad/index.js", "x"),
        ("proj/target/CACHEDIR.TAG", CACHE_TAG),
        ("proj/target/debug/app", "x"),
        ("proj/my-env/pyvenv.cfg", "home = /usr/bin\n"),
        ("proj/my-env/lib/x.py", "x"),
        ("proj/src/__pycache__/main.pyc", "x"),
        ("proj/.github/workflows/ci.yml", "on: push\n"),
        ("proj/.DS_Store", "x"),
    ])
}

#[tokio::test]
async fn a_project_folder_is_added_without_what_does_not_belong_to_it() {
    let (home, folder) = (TestHome::with_workbench().await, project());
    let done = home.ok("FileAdd", params(&folder.path("proj"), json!({}))).await;
    let expected = names([
        "proj/.github/workflows/ci.yml",
        "proj/.gitignore",
        "proj/.ignore",
        "proj/.jigignore",
        "proj/README.md",
        "proj/keep.log",
        "proj/src/.gitignore",
        "proj/src/dist/mine.txt",
        "proj/src/important.tmp",
        "proj/src/main.py",
        "proj/sub/a.txt",
    ]);
    assert_eq!(added(&done), expected);
    assert_eq!(skipped(&done, "version control"), names([".git", ".hg"]));
    assert_eq!(skipped(&done, "dependencies"), names(["__pycache__", "my-env", "node_modules", "target"]));
    assert_eq!(skipped(&done, "ignored by .gitignore"), names([".env", "a.log", "b.tmp", "dist", "secret-plans"]));
    assert_eq!(skipped(&done, "ignored by .ignore"), names(["notes-private.md"]));
    assert_eq!(skipped(&done, "ignored by .jigignore"), names(["huge.csv"]));
    let counts = done["skipped"].as_array().unwrap();
    let sum: u64 = counts.iter().map(|one| one["count"].as_u64().unwrap()).sum();
    assert_eq!(sum, done["left_alone"].as_array().unwrap().len() as u64, "nothing is skipped silently");
    assert!(counts.iter().any(|one| one["reason"] == "version control" && one["count"] == 2), "{counts:?}");
}

#[tokio::test]
async fn no_ignore_adds_ignored_files_and_never_version_control_or_files_for_keys() {
    let (home, folder) = (TestHome::with_workbench().await, project());
    let done = home.ok("FileAdd", params(&folder.path("proj"), json!({ "no_ignore": true }))).await;
    let added = added(&done);
    for name in ["proj/a.log", "proj/dist/app.js", "proj/node_modules/left-pad/index.js", "proj/huge.csv"] {
        assert!(added.contains(name), "{name}: {added:?}");
    }
    assert!(!added.iter().any(|name| name.contains("/.git/") || name.contains("/.hg/") || name.ends_with(".env")));
    assert_eq!(skipped(&done, "likely holds secrets"), names([".env"]));
}

#[tokio::test]
async fn files_for_keys_are_left_out_of_folders_and_their_samples_are_not() {
    let kept = [".env.example", "server.pub", "keys.md", "environment.ts"];
    let out =
        [".env", ".env.local", "prod.env", "id_ed25519", "server.key", "store.jks", ".npmrc", ".netrc", "a.tfstate"];
    let files: Vec<(String, &str)> = kept.iter().chain(&out).map(|name| (format!("app/{name}"), "x")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let (home, folder) = (TestHome::with_workbench().await, Folder::new(&files));
    let done = home.ok("FileAdd", params(&folder.path("app"), json!({}))).await;
    assert_eq!(added(&done).len(), kept.len(), "{done:#}");
    assert_eq!(skipped(&done, "likely holds secrets"), out.map(str::to_owned).into());
    // A file that is named directly is added.
    let done = home.ok("FileAdd", params(&folder.path("app/.env"), json!({}))).await;
    assert_eq!(added(&done), names([".env"]));
    assert_eq!((&done["secrets"][0]["kind"], &done["secrets"][0]["source"]), (&json!("secret-file"), &json!(".env")));
}

#[tokio::test]
async fn a_file_that_is_named_is_added_though_it_is_ignored_and_so_is_a_folder() {
    let (home, folder) = (TestHome::with_workbench().await, project());
    let done = home.ok("FileAdd", params(&folder.path("proj/a.log"), json!({}))).await;
    assert_eq!(added(&done), names(["a.log"]));
    for (path, expected) in [("proj/dist", "dist/app.js"), ("proj/node_modules/left-pad", "left-pad/index.js")] {
        let done = home.ok("FileAdd", params(&folder.path(path), json!({}))).await;
        assert_eq!(added(&done), names([expected]));
    }
}

#[tokio::test]
async fn ignore_files_above_a_folder_hold_up_to_the_top_of_its_repository() {
    let folder = Folder::new(&[
        (".gitignore", "*.md\n"),
        ("repo/.git/info/exclude", "private/\n"),
        ("repo/.gitignore", "*.bak\n/app/gen/\n"),
        ("repo/app/.gitignore", "!keep.bak\n"),
        ("repo/app/a.bak", "x"),
        ("repo/app/keep.bak", "x"),
        ("repo/app/gen/x.txt", "x"),
        ("repo/app/private/y.txt", "x"),
        ("repo/app/readme.md", "outside of the repository nothing is said"),
    ]);
    let home = TestHome::with_workbench().await;
    let done = home.ok("FileAdd", params(&folder.path("repo/app"), json!({}))).await;
    assert_eq!(added(&done), names(["app/.gitignore", "app/keep.bak", "app/readme.md"]), "{done:#}");
    assert_eq!(skipped(&done, "ignored by exclude"), names(["private"]));
}

#[tokio::test]
async fn excluded_patterns_are_left_out_and_wrong_ones_are_refused() {
    let folder = Folder::new(&[
        ("app/a.txt", "x"),
        ("app/b.csv", "x"),
        ("app/drafts/c.txt", "x"),
        ("app/deep/drafts/d.txt", "x"),
        ("app/deep/e.txt", "x"),
    ]);
    let home = TestHome::with_workbench().await;
    let more = json!({ "exclude": ["*.csv", "drafts/"] });
    let done = home.ok("FileAdd", params(&folder.path("app"), more)).await;
    assert_eq!(added(&done), names(["app/a.txt", "app/deep/e.txt"]));
    assert_eq!(skipped(&done, "excluded"), names(["b.csv", "drafts"]));
    let wrong = params(&folder.path("app"), json!({ "exclude": ["a{b"] }));
    let error = home.fails_with(Code::ValidationFailed, "FileAdd", wrong).await;
    assert!(error.info.message.contains("a{b"), "{error}");
}

#[tokio::test]
async fn a_persons_own_folders_are_added_whatever_they_are_called() {
    let folder = Folder::new(&[
        ("app/vendor/offers.txt", "x"),
        ("app/build/plan.txt", "x"),
        ("app/bin/run.sh", "x"),
        ("app/target/audience.md", "x"),
        ("app/deps/list.md", "x"),
        ("app/CACHEDIR.TAG", "no signature"),
        ("rust/Cargo.toml", "[package]"),
        ("rust/target/x", "x"),
        ("go/vendor/modules.txt", "# example.com/m"),
        ("go/vendor/m/m.go", "x"),
        ("go/main.go", "x"),
    ]);
    let home = TestHome::with_workbench().await;
    let done = home.ok("FileAdd", params(&folder.path("app"), json!({}))).await;
    assert_eq!(added(&done).len(), 6, "{done:#}");
    let done = home.ok("FileAdd", params(&folder.path("rust"), json!({}))).await;
    assert_eq!(added(&done), names(["rust/Cargo.toml"]));
    let done = home.ok("FileAdd", params(&folder.path("go"), json!({}))).await;
    assert_eq!(added(&done), names(["go/main.go"]));
}

#[tokio::test]
async fn a_folder_with_nothing_to_add_says_what_was_skipped() {
    let folder = Folder::new(&[("app/.git/HEAD", "x"), ("app/.env", "x"), ("app/node_modules/a/b.js", "x")]);
    let home = TestHome::with_workbench().await;
    let error = home.fails_with(Code::ValidationFailed, "FileAdd", params(&folder.path("app"), json!({}))).await;
    let skipped = error.info.detail.unwrap()["skipped"].clone();
    assert_eq!(skipped.as_array().unwrap().len(), 3, "{skipped}");
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed_not_even_to_ignore_files_of_others() {
    let folder = Folder::new(&[("app/a.txt", "x"), ("other/secret.txt", "x")]);
    std::os::unix::fs::symlink(folder.path("other"), folder.path("app/linked")).unwrap();
    std::os::unix::fs::symlink(folder.path("other/secret.txt"), folder.path("app/file")).unwrap();
    let home = TestHome::with_workbench().await;
    let done = home.ok("FileAdd", params(&folder.path("app"), json!({}))).await;
    assert_eq!(added(&done), names(["app/a.txt"]));
    assert_eq!(skipped(&done, "it is a symbolic link"), names(["file", "linked"]));
}
