//! Folders as values.

use jig_store::{Node, StoreError, TreeChange, TreeEdit};

use super::conformance;
use crate::setup::{Setup, committed, files, made, remove, text, texts, written};

conformance! {
    equal_folders_have_equal_hashes, a_change_costs_only_the_folders_on_its_path, a_folder_is_grafted_whatever_its_size,
    damage_is_noticed_and_stays_where_it_is, names_are_guarded, what_differs_is_found,
}

async fn equal_folders_have_equal_hashes(setup: Setup) {
    let store = setup.open().await;
    let empty = store.empty_tree().await.unwrap();
    let (a, b, c) = (text(&store, "x/a", "1").await, text(&store, "x/b", "2").await, text(&store, "y/a", "1").await);
    let one = store.edit(empty, &[a.clone(), b.clone(), c.clone()]).await.unwrap();
    let step = store.edit(empty, &[text(&store, "z/deep/er", "3").await, c]).await.unwrap();
    let step = store.edit(step, &[b, a.clone(), text(&store, "y/a", "other").await]).await.unwrap();
    let two = store.edit(step, &[remove("z"), text(&store, "y/a", "1").await]).await.unwrap();
    assert_eq!(one, two, "by whatever way it came about");
    assert_ne!(one, store.edit(one, &[text(&store, "x/a", "other").await]).await.unwrap());
    let gone = store.edit(one, &[remove("x/a"), remove("x/b"), remove("y"), remove("never/there")]).await.unwrap();
    assert_eq!(gone, empty, "folders that became empty are gone");
    assert_eq!(store.edit(one, &[a, remove("nothing")]).await.unwrap(), one);
    let node = |node: Option<Node>| node.map(|node| (node.bytes(), node.files()));
    assert_eq!(node(store.lookup(one, "x").await.unwrap()), Some((2, 2)));
    assert_eq!(node(store.lookup(one, "").await.unwrap()), Some((3, 3)));
    assert_eq!(node(store.lookup(one, "x/a").await.unwrap()), Some((1, 1)));
    for none in ["z", "x/c", "x/a/b", "x/", "/x"] {
        assert_eq!(store.lookup(one, none).await.unwrap(), None, "{none}");
    }
    assert_eq!(store.files(one, "x").await.unwrap().len(), 2);
    assert_eq!(store.files(one, "x/a").await.unwrap(), [], "a file is not a folder");
}

async fn a_change_costs_only_the_folders_on_its_path(setup: Setup) {
    let store = setup.open().await;
    let mut edits = Vec::new();
    for folder in 0..20 {
        for file in 0..5 {
            edits.push(text(&store, &format!("published/f{folder}/sub/{file}.txt"), &format!("{folder} {file}")).await);
        }
    }
    let head = committed(&store, &made(&store, "deck").await, &edits).await;
    let before = setup.blob_count();
    let other = setup.open().await;
    let head = written(&other, &head, "published/f7/sub/3.txt", "new").await;
    assert_eq!(setup.blob_count() - before, 5, "the file, and: state, published, f7, sub");
    assert_eq!(texts(&other, head.state).await.len(), 100);
    written(&other, &head, "published/f8/sub/3.txt", "new").await;
    assert_eq!(setup.blob_count() - before, 9, "equal bytes are kept once");
}

async fn a_folder_is_grafted_whatever_its_size(setup: Setup) {
    let store = setup.open().await;
    let mut edits = Vec::new();
    for n in 0..50 {
        edits.push(text(&store, &format!("published/{n}/a.txt"), &n.to_string()).await);
    }
    let head = committed(&store, &made(&store, "deck").await, &edits).await;
    let node = store.lookup(head.state, "published").await.unwrap().unwrap();
    let before = setup.blob_count();
    let head = committed(&store, &head, &[TreeEdit::Folder { path: "draft".into(), node }]).await;
    assert_eq!(setup.blob_count() - before, 1, "only the state is new");
    assert_eq!(store.lookup(head.state, "draft").await.unwrap(), Some(node));
    let head = written(&store, &head, "draft/7/a.txt", "new").await;
    let draft = store.lookup(head.state, "draft").await.unwrap().unwrap();
    let edits = [TreeEdit::Folder { path: "published".into(), node: draft }, remove("draft")];
    let head = committed(&store, &head, &edits).await;
    assert_eq!(store.lookup(head.state, "published").await.unwrap(), Some(draft));
    assert_eq!(store.lookup(head.state, "draft").await.unwrap(), None);
}

async fn damage_is_noticed_and_stays_where_it_is(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let edits =
        [text(&store, "p/a", "aaaa").await, text(&store, "p/b", "bbbb").await, text(&store, "q/c", "cccc").await];
    let head = committed(&store, &head, &edits).await;
    let hash = async |path: &str| store.lookup(head.state, path).await.unwrap().unwrap().hash();
    let (a, b, c, q) = (hash("p/a").await, hash("p/b").await, hash("q/c").await, hash("q").await);
    std::fs::write(setup.blob_file(&a), "xxxx").unwrap();
    std::fs::remove_file(setup.blob_file(&b)).unwrap();
    let fresh = setup.open().await;
    assert!(matches!(fresh.blobs().get(&a).await, Err(StoreError::BlobCorrupt { hash }) if hash == a));
    assert!(matches!(fresh.blobs().verify(&a).await, Err(StoreError::BlobCorrupt { hash }) if hash == a));
    let out = setup.folder.path().join("out");
    assert!(matches!(fresh.blobs().write_to(&a, &out).await, Err(StoreError::BlobCorrupt { .. })));
    assert!(matches!(fresh.blobs().get(&b).await, Err(StoreError::BlobMissing { hash }) if hash == b));
    assert!(matches!(fresh.blobs().get_head(&b, 9).await, Err(StoreError::BlobMissing { .. })));
    assert_eq!(fresh.blobs().get(&c).await.unwrap(), "cccc");
    assert_eq!(fresh.files(head.state, "").await.unwrap().len(), 3, "the folders are whole");

    std::fs::write(setup.blob_file(&q), "jig-tree 1\n").unwrap();
    let fresh = setup.open().await;
    assert!(matches!(fresh.files(head.state, "").await, Err(StoreError::BlobCorrupt { hash }) if hash == q));
    assert_eq!(fresh.files(head.state, "p").await.unwrap().len(), 2);
    let head = written(&fresh, &head, "p/d", "dddd").await;
    assert_eq!(fresh.files(head.state, "p").await.unwrap().len(), 3, "the rest can still be changed");
    let not_a_folder = fresh.blobs().put("words").await.unwrap();
    assert!(
        matches!(fresh.tree(&not_a_folder).await, Err(StoreError::TreeInvalid { hash, .. }) if hash == not_a_folder)
    );

    // Storing the same bytes again repairs a blob that is missing or has the wrong size.
    std::fs::write(setup.blob_file(&a), "xx").unwrap();
    fresh.blobs().put("aaaa").await.unwrap();
    fresh.blobs().put("bbbb").await.unwrap();
    assert_eq!(
        (fresh.blobs().get(&a).await.unwrap(), fresh.blobs().get(&b).await.unwrap()),
        ("aaaa".into(), "bbbb".into())
    );
}

async fn names_are_guarded(setup: Setup) {
    let store = setup.open().await;
    let empty = store.empty_tree().await.unwrap();
    let state = store
        .edit(empty, &[text(&store, "Docs/Read me.txt", "1").await, text(&store, "plain", "2").await])
        .await
        .unwrap();
    let tried = async |path: &str| store.edit(state, &[text(&store, path, "x").await]).await;
    let collision = |path: &str, existing: &str| Err((path.to_owned(), existing.to_owned()));
    for (path, expected) in [
        ("docs/other.txt", collision("docs", "Docs")),
        ("Docs/READ ME.txt", collision("Docs/READ ME.txt", "Docs/Read me.txt")),
        ("Docs/Read me.txt", Ok(())),
        ("PLAIN", collision("PLAIN", "plain")),
    ] {
        let found = match tried(path).await {
            Err(StoreError::CaseCollision { path, existing }) => Err((path, existing)),
            other => other.map(drop).map_err(|e| panic!("{path}: {e}")),
        };
        assert_eq!(found, expected, "{path}");
    }
    for (path, place) in [("Docs", "Docs"), ("plain/x/y", "plain")] {
        let found = tried(path).await;
        assert!(matches!(&found, Err(StoreError::PathInUse { path }) if path == place), "{path}: {found:?}");
    }
    for path in ["", "/x", "x/", "x//y", "../x", "x/./y", "a\\b", "c:", "nul.txt", "e\u{301}"] {
        let found = tried(path).await;
        assert!(matches!(&found, Err(StoreError::Path(_))), "{path}: {found:?}");
    }
    // In one edit, removals make space for later steps.
    let folder = store.lookup(state, "Docs").await.unwrap().unwrap();
    let made_room =
        [remove("plain"), text(&store, "plain/x", "1").await, remove("Docs"), text(&store, "DOCS/a", "2").await];
    let state = store.edit(state, &made_room).await.unwrap();
    assert_eq!(texts(&store, state).await, files([("DOCS/a", "2"), ("plain/x", "1")]));
    let emptied = [remove("DOCS/a"), TreeEdit::Folder { path: "docs".into(), node: folder }];
    let state = store.edit(state, &emptied).await.unwrap();
    assert_eq!(texts(&store, state).await, files([("docs/Read me.txt", "1"), ("plain/x", "1")]));
}

async fn what_differs_is_found(setup: Setup) {
    let store = setup.open().await;
    let empty = store.empty_tree().await.unwrap();
    let edits = [text(&store, "a/x", "1").await, text(&store, "b", "2").await, text(&store, "c/d/e", "3").await];
    let one = store.edit(empty, &edits).await.unwrap();
    let two =
        [text(&store, "a/x", "4").await, remove("b"), text(&store, "b/new", "5").await, text(&store, "a-b", "6").await];
    let two = store.edit(one, &two).await.unwrap();
    let file = async |state, path: &str| store.lookup(state, path).await.unwrap().and_then(|node| node.file());
    let change = async |path: &str| TreeChange {
        path: path.to_owned(),
        before: file(one, path).await,
        after: file(two, path).await,
    };
    let expected = [change("a-b").await, change("a/x").await, change("b").await, change("b/new").await];
    assert_eq!(store.diff(Some(one), Some(two)).await.unwrap(), expected);
    assert_eq!(store.diff(Some(one), Some(one)).await.unwrap(), []);
    let gone = store.diff(Some(one), None).await.unwrap();
    assert!(gone.iter().all(|change| change.before.is_some() && change.after.is_none()));
    assert_eq!(gone.into_iter().map(|change| change.path).collect::<Vec<_>>(), ["a/x", "b", "c/d/e"]);

    // Equal folders are not even read.
    let same = store.lookup(one, "c").await.unwrap().unwrap().hash();
    std::fs::remove_file(setup.blob_file(&same)).unwrap();
    assert_eq!(setup.open().await.diff(Some(one), Some(two)).await.unwrap().len(), 4);
}
