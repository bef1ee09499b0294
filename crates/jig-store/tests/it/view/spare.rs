//! The folder of a discarded Draft is reused for the next one, unless anything in it has changed.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::*;

const FILES: [(&str, &str); 4] =
    [("published/a", "a"), ("published/b", "b"), ("published/sub/c", "c"), ("published/sub/é", "é")];

impl Bench {
    async fn draft(&mut self) {
        let node = self.store.lookup(self.head, "published").await.unwrap().unwrap();
        self.commit(&[TreeEdit::Folder { path: "draft".to_owned(), node }]).await;
    }

    async fn discard(&mut self) {
        self.commit(&[TreeEdit::Remove { path: "draft".to_owned() }]).await;
    }

    async fn publish(&mut self) {
        let path = "published".to_owned();
        let node = self.store.lookup(self.head, "draft").await.unwrap().unwrap();
        let swap = [TreeEdit::Folder { path, node }, TreeEdit::Remove { path: "draft".to_owned() }];
        self.commit(&swap).await;
    }

    /// The files of `draft/` with their inode numbers.
    fn inodes(&self) -> BTreeMap<String, u64> {
        let files = self.shown().into_keys().filter(|path| path.starts_with("draft/"));
        files.map(|path| (path.clone(), std::fs::metadata(self.at(&path)).unwrap().ino())).collect()
    }

    fn has_spare(&self) -> bool {
        self.at(".jig/spare").exists()
    }
}

#[tokio::test]
async fn the_first_draft_finds_its_folder_ready() {
    let mut bench = Bench::showing(FILES).await;
    let ready = |bench: &Bench| {
        let mut texts = Texts::new();
        collect(&bench.folder(), Path::new(".jig/spare"), &mut texts);
        texts.into_iter().map(|(path, words)| (path.replace(".jig/spare", "published"), words)).collect::<Texts>()
    };
    assert_eq!(ready(&bench), bench.state().await);
    bench.commit_text("published/deep/er/new", "new").await;
    bench.commit_text("published/a", "other").await;
    bench.commit(&[TreeEdit::Remove { path: "published/sub".to_owned() }]).await;
    assert_eq!(bench.write().await, report(2, 2));
    assert_eq!(ready(&bench), bench.state().await);
    assert!(!bench.at(".jig/spare/sub").exists());
    bench.put("published/b", "by hand");
    let changes = bench.scan().await.changes;
    bench.take_in(&changes).await;
    assert_eq!(ready(&bench), bench.state().await);
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0));
    assert!(!bench.has_spare());
    bench.assert_settled().await;
}

#[tokio::test]
async fn only_a_write_that_shows_all_files_makes_a_new_spare() {
    let mut bench = Bench::showing(FILES).await;
    assert!(bench.view.drop_spare().unwrap());
    bench.commit_text("published/a", "other").await;
    assert_eq!(bench.write().await, report(1, 0));
    assert!(!bench.has_spare(), "one file changed, and four would have been copied");
    bench.draft().await;
    assert_eq!(bench.write().await, report(4, 0));
    bench.assert_settled().await;
}

/// A folder that shows a Draft.
async fn drafting() -> Bench {
    let mut bench = Bench::showing(FILES).await;
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0), "its folder was ready");
    bench
}

/// A folder whose Draft was discarded.
async fn discarded() -> Bench {
    let mut bench = drafting().await;
    bench.discard().await;
    assert_eq!(bench.write().await, report(0, 4));
    assert!(bench.has_spare());
    bench
}

fn report(written: u64, removed: u64) -> ViewReport {
    ViewReport { written, removed, left_alone: vec![] }
}

/// The next Draft is shown by copying every file.
async fn assert_copied(bench: &mut Bench, about: &str) {
    bench.draft().await;
    assert_eq!(bench.write().await, report(4, 0), "{about}");
    assert!(!bench.has_spare(), "{about}");
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_draft_that_comes_again_is_not_copied() {
    let mut bench = drafting().await;
    let inodes = bench.inodes();
    assert_eq!(inodes.len(), 4);
    for _ in 0..3 {
        bench.discard().await;
        assert_eq!(bench.write().await, report(0, 4));
        assert!(!bench.at("draft").exists());
        bench.assert_settled().await;
        bench.draft().await;
        assert_eq!(bench.write().await, report(0, 0));
        assert_eq!(bench.inodes(), inodes);
        bench.assert_settled().await;
        assert!(!bench.has_spare());
    }
}

#[tokio::test]
async fn only_what_changed_between_two_drafts_is_written() {
    let mut bench = drafting().await;
    let before = bench.inodes();
    // Held open, so that the inode of a replaced file is not reused.
    let _open: Vec<_> = before.keys().map(|path| std::fs::File::open(bench.at(path)).unwrap()).collect();
    bench.commit_text("draft/b", "of the first draft").await;
    bench.commit_text("draft/extra", "of the first draft").await;
    assert_eq!(bench.write().await, report(2, 0));
    bench.discard().await;
    bench.commit_text("published/sub/c", "changed meanwhile").await;
    bench.commit_text("published/new", "new meanwhile").await;
    assert_eq!(bench.write().await, report(2, 5));
    // `b` and `sub/c` have changed, `new` is new, `extra` was removed.
    let names = ["a", "b", "new", "sub/c", "sub/é"].map(|name| bench.at(".jig/spare").join(name).exists());
    assert_eq!((names, bench.at(".jig/spare/extra").exists()), ([true; 5], false));
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0));
    bench.assert_settled().await;
    let after = bench.inodes();
    let same: Vec<_> = before.iter().filter(|(path, inode)| after.get(*path) == Some(inode)).map(|(p, _)| p).collect();
    assert_eq!(same, ["draft/a", "draft/sub/é"]);
}

#[tokio::test]
async fn a_published_draft_serves_the_next_one() {
    let mut bench = drafting().await;
    bench.commit_text("draft/a", "better").await;
    bench.write().await;
    let inodes = bench.inodes();
    bench.publish().await;
    assert_eq!(bench.write().await, report(1, 4));
    bench.assert_settled().await;
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0));
    assert_eq!(bench.inodes(), inodes);
    bench.assert_settled().await;
}

#[tokio::test]
async fn what_a_person_changed_in_the_draft_and_was_taken_in_serves_too() {
    let mut bench = drafting().await;
    bench.put("draft/a", "by hand");
    bench.put("draft/sub/cafe\u{301}", "by hand");
    let changes = bench.scan().await.changes;
    assert_eq!(changes, [written("draft/a", "by hand"), written("draft/sub/café", "by hand")]);
    bench.take_in(&changes).await;
    bench.publish().await;
    assert_eq!(bench.write().await, report(2, 5));
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0));
    assert_eq!(bench.scan().await, Scan::default());
    bench.put("draft/a", "again");
    assert_eq!(bench.scan().await.changes, [written("draft/a", "again")]);
}

#[tokio::test]
async fn a_spare_in_which_anything_changed_is_not_trusted() {
    type ByHand = fn(&Bench);
    let by_hand: [(&str, ByHand); 9] = [
        ("touched", |bench| {
            let file = std::fs::File::options().write(true).open(bench.at(".jig/spare/a")).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }),
        ("changed", |bench| bench.put(".jig/spare/a", "x")),
        ("added", |bench| bench.put(".jig/spare/sub/new", "new")),
        ("an empty folder", |bench| std::fs::create_dir(bench.at(".jig/spare/new")).unwrap()),
        ("removed", |bench| std::fs::remove_file(bench.at(".jig/spare/sub/c")).unwrap()),
        ("renamed", |bench| std::fs::rename(bench.at(".jig/spare/a"), bench.at(".jig/spare/z")).unwrap()),
        ("a second name", |bench| std::fs::hard_link(bench.at(".jig/spare/a"), bench.at("mine")).unwrap()),
        ("a link for a file", |bench| {
            std::fs::remove_file(bench.at(".jig/spare/a")).unwrap();
            std::os::unix::fs::symlink("b", bench.at(".jig/spare/a")).unwrap();
        }),
        ("a link for the folder", |bench| {
            std::fs::rename(bench.at(".jig/spare"), bench.at("elsewhere")).unwrap();
            std::os::unix::fs::symlink("../elsewhere", bench.at(".jig/spare")).unwrap();
        }),
    ];
    for (about, change) in by_hand {
        if cfg!(jig_portable) && about == "a second name" {
            // The fallback does not detect it.
            continue;
        }
        let mut bench = discarded().await;
        change(&bench);
        assert_copied(&mut bench, about).await;
        if about == "a link for the folder" {
            assert_eq!(std::fs::read_to_string(bench.at("elsewhere/sub/c")).unwrap(), "c", "no link is gone through");
        }
    }
}

#[tokio::test]
async fn a_spare_that_the_index_does_not_know_is_not_trusted() {
    let mut bench = discarded().await;
    std::fs::remove_file(bench.at(".jig/index")).unwrap();
    assert_eq!(bench.scan().await, Scan { behind: true, ..Scan::default() });
    bench.write().await;
    assert_copied(&mut bench, "a lost index").await;
}

#[tokio::test]
async fn a_spare_whose_tree_is_lost_is_not_trusted() {
    let mut bench = drafting().await;
    bench.commit_text("draft/a", "only here").await;
    bench.write().await;
    let tree = bench.store.lookup(bench.head, "draft").await.unwrap().unwrap().hash();
    bench.discard().await;
    std::fs::remove_file(bench.setup.config.blobs.local_path(&tree).unwrap()).unwrap();
    bench.store = bench.setup.open().await;
    assert_eq!(bench.write().await, report(0, 4));
    assert!(!bench.has_spare(), "its content is unknown");
    assert_copied(&mut bench, "lost tree").await;
}

#[tokio::test]
async fn a_draft_with_anything_of_a_person_s_is_taken_apart_file_by_file() {
    type ByHand = fn(&Bench);
    let by_hand: [(&str, ByHand); 5] = [
        ("own", |bench| bench.put("draft/own", "own")),
        ("a", |bench| bench.put("draft/a", "changed")),
        ("empty", |bench| std::fs::create_dir(bench.at("draft/empty")).unwrap()),
        ("link", |bench| std::os::unix::fs::symlink("a", bench.at("draft/link")).unwrap()),
        ("~$report.docx", |bench| bench.put("draft/~$report.docx", "lock")),
    ];
    for (stays, change) in by_hand {
        let mut bench = drafting().await;
        change(&bench);
        bench.discard().await;
        bench.write().await;
        assert!(!bench.has_spare(), "{stays}");
        let names: Vec<_> = std::fs::read_dir(bench.at("draft")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, [stays]);
    }
}

#[tokio::test]
async fn files_that_a_person_shares_or_closed_are_not_kept_for_later() {
    for about in ["second name", "read-only"] {
        if cfg!(jig_portable) && about == "second name" {
            // The fallback does not detect it.
            continue;
        }
        let mut bench = drafting().await;
        match about {
            "second name" => std::fs::hard_link(bench.at("draft/a"), bench.at("mine")).unwrap(),
            _ => std::fs::set_permissions(bench.at("draft/a"), std::fs::Permissions::from_mode(0o444)).unwrap(),
        }
        assert_eq!(bench.scan().await, Scan::default(), "{about}");
        bench.discard().await;
        assert_eq!(bench.write().await, report(0, 4), "{about}");
        assert!(!bench.has_spare() && !bench.at("draft").exists(), "{about}");
    }
}

#[tokio::test]
async fn a_folder_that_a_person_made_in_the_draft_s_place_is_kept() {
    let mut bench = discarded().await;
    bench.put("draft/own", "own");
    bench.draft().await;
    assert_eq!(bench.scan().await, Scan { behind: true, ..changes(&[written("draft/own", "own")]) });
    let by_hand = bench.scan().await.changes;
    assert_eq!(bench.take_in(&by_hand).await, report(4, 0));
    bench.assert_settled().await;
    // The newer spare replaces the older one.
    bench.discard().await;
    let older = std::fs::metadata(bench.at(".jig/spare")).unwrap().ino();
    assert_eq!(bench.write().await, report(0, 5));
    assert_ne!(std::fs::metadata(bench.at(".jig/spare")).unwrap().ino(), older);
    assert!(!bench.at(".jig/spare/own").exists(), "it is as `published/` is");
    bench.draft().await;
    assert_eq!(bench.write().await, report(0, 0));
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_draft_that_lost_all_files_but_goes_on_keeps_its_folder() {
    let mut bench = drafting().await;
    bench.commit_text("meta/draft.json", "{}").await;
    bench.discard().await;
    assert_eq!(bench.write().await, report(0, 4));
    assert!(bench.at("draft").is_dir() && !bench.has_spare());
}

#[tokio::test]
async fn a_spare_can_be_dropped() {
    let mut bench = discarded().await;
    assert!(bench.view.drop_spare().unwrap());
    assert!(!bench.view.drop_spare().unwrap());
    assert_copied(&mut bench, "dropped").await;
    assert!(!View::new(bench.at("nowhere")).drop_spare().unwrap());
    assert!(!bench.at("nowhere").exists());
}

#[tokio::test]
async fn a_removed_workbench_takes_its_spare_along() {
    let bench = discarded().await;
    assert_eq!(bench.view.remove().unwrap(), []);
    assert!(!bench.folder().exists());
}
