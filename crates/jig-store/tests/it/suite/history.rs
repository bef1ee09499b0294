//! Workbenches and their history.

use jig_contract::ops::{CheckpointReason, JournalEntry};
use jig_store::{Change, CheckpointOf, Commit, Head, JournalQuery, NewCheckpoint, Plan, StoreError};

use super::conformance;
use crate::setup::{Setup, committed, files, id, made, me, remove, text, texts, written};

conformance! {
    a_workbench_lives_and_dies, a_commit_is_atomic_and_optimistic, planned_changes_commute_or_conflict,
    the_journal_is_written_once, undo_and_redo_walk_along_the_changes, checkpoints_name_states,
    a_clone_shares_blobs_and_goes_its_own_way,
}

const ALL: JournalQuery = JournalQuery::After { seq: 0, limit: 10_000 };

async fn a_workbench_lives_and_dies(setup: Setup) {
    let store = setup.open().await;
    assert_eq!(store.heads().await.unwrap(), []);
    let (head, entry) = store.create_workbench(id("deck"), "Board deck".into(), me()).await.unwrap();
    assert_eq!((head.name.as_str(), head.seq, head.created_at), ("Board deck", 1, head.updated_at));
    let expected = JournalEntry {
        seq: 1,
        at: head.created_at,
        actor: me(),
        operation: "WorkbenchCreate".into(),
        summary: "created the workbench “Board deck”".into(),
        state_before: head.state,
        state_after: head.state,
        target: None,
    };
    assert_eq!(entry, expected);
    let again = store.create_workbench(id("deck"), "Other".into(), me()).await;
    assert!(matches!(again, Err(StoreError::WorkbenchExists { .. })), "{again:?}");

    made(&store, "a-first").await;
    let other = setup.open().await;
    assert_eq!(other.head(&id("deck")).await.unwrap(), head);
    let (renamed, entry) = other.rename_workbench(&id("deck"), "Deck Ü".into(), me()).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.seq, renamed.state), ("Deck Ü", 2, head.state));
    assert_eq!(entry.summary, "renamed “Board deck” to “Deck Ü”");
    let names: Vec<String> = store.heads().await.unwrap().into_iter().map(|head| head.name).collect();
    assert_eq!(names, ["a-first", "Deck Ü"]);

    assert_eq!(store.delete_workbench(&id("deck")).await.unwrap(), 2);
    assert!(matches!(store.head(&id("deck")).await, Err(StoreError::WorkbenchNotFound { .. })));
    assert!(matches!(store.journal(&id("deck"), ALL).await, Err(StoreError::WorkbenchNotFound { .. })));
    assert!(matches!(store.delete_workbench(&id("deck")).await, Err(StoreError::WorkbenchNotFound { .. })));
    made(&store, "deck").await;
    assert_eq!(store.journal(&id("deck"), ALL).await.unwrap().len(), 1, "nothing of the old one is left");
}

async fn a_commit_is_atomic_and_optimistic(setup: Setup) {
    let (first, second) = (setup.open().await, setup.open().await);
    let head = made(&first, "deck").await;
    let a = first.edit(head.state, &[text(&first, "published/a.txt", "a").await]).await.unwrap();
    let b = second.edit(head.state, &[text(&second, "published/b.txt", "b").await]).await.unwrap();
    let checkpoint = NewCheckpoint { name: "x".into(), reason: CheckpointReason::Manual, of: CheckpointOf::After };
    let (one, two) = tokio::join!(
        first.commit(&head, Change::new(me(), "Test", "a", a).with_checkpoint(checkpoint.clone())),
        second.commit(&head, Change::new(me(), "Test", "b", b).with_checkpoint(checkpoint)),
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    let done = match (&one, &two) {
        (Commit::Done(head, entry), Commit::Moved) | (Commit::Moved, Commit::Done(head, entry)) => (head, entry),
        other => panic!("one is made and one moved: {other:?}"),
    };
    assert_eq!((done.0.seq, done.0.state), (2, done.1.state_after));
    assert_eq!(first.head(&head.id).await.unwrap(), *done.0);
    assert_eq!(first.journal(&head.id, ALL).await.unwrap()[1..], *std::slice::from_ref(done.1));
    assert_eq!(first.checkpoints(&head.id).await.unwrap().len(), 1, "the one that moved left nothing");
    first.delete_workbench(&head.id).await.unwrap();
    let gone = first.commit(done.0, Change::new(me(), "Test", "c", b)).await;
    assert!(matches!(gone, Err(StoreError::WorkbenchNotFound { .. })), "{gone:?}");
}

async fn planned_changes_commute_or_conflict(setup: Setup) {
    let (store, other) = (setup.open().await, setup.open().await);
    let head = made(&store, "deck").await;
    written(&store, &head, "published/mine.txt", "1").await;
    // While the plan is computed, another writer changes this path first.
    let race = async |theirs: &str, touches: &[&str]| {
        let rounds = &std::sync::atomic::AtomicU32::new(0);
        let (store, other) = (&store, &other);
        let plan = |head: Head| {
            Box::pin(async move {
                let round = rounds.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let edit = text(store, "published/mine.txt", &format!("{theirs} {round}")).await;
                let state = store.edit(head.state, &[edit]).await?;
                if round == 0 {
                    let now = other.head(&head.id).await?;
                    written(other, &now, theirs, theirs).await;
                }
                let touches = touches.iter().map(|path| (*path).to_owned()).collect();
                Ok::<_, StoreError>(Plan::change(Change::new(me(), "Test", "mine", state), touches, round))
            }) as futures::future::BoxFuture<'_, _>
        };
        store.change(&head.id, plan).await.map(|(round, done)| (round, done.unwrap().0))
    };

    let (round, head) = race("published/theirs.txt", &["published/mine.txt"]).await.unwrap();
    assert_eq!(round, 1_u32, "planned again on the new head");
    let both =
        files([("published/mine.txt", "published/theirs.txt 1"), ("published/theirs.txt", "published/theirs.txt")]);
    assert_eq!(texts(&store, head.state).await, both);

    for (theirs, touches) in
        [("published/mine.txt", "published/mine.txt"), ("published/x/y.txt", "published"), ("agent", "agent/x/y")]
    {
        let error = race(theirs, &["draft", touches]).await.unwrap_err();
        assert!(matches!(&error, StoreError::Conflict { paths } if *paths == [theirs]), "{error:?}");
    }
    let nothing =
        |_: Head| Box::pin(async { Ok::<_, StoreError>(Plan::nothing(7)) }) as futures::future::BoxFuture<'_, _>;
    assert_eq!(store.change(&head.id, nothing).await.unwrap(), (7, None));
}

async fn the_journal_is_written_once(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let before = store.journal(&head.id, ALL).await.unwrap();
    let mut raw = setup.raw().await;
    for sql in [
        "UPDATE journal SET summary = 'other'",
        "DELETE FROM journal",
        "DELETE FROM journal WHERE workbench_id = 'deck' AND seq = 1",
        "INSERT INTO journal SELECT * FROM journal",
    ] {
        assert!(sqlx::raw_sql(sql).execute(&mut raw).await.is_err(), "{sql}");
    }
    let own = match raw.backend_name() {
        "SQLite" => "INSERT OR REPLACE INTO journal SELECT * FROM journal",
        _ => "TRUNCATE journal",
    };
    assert!(sqlx::raw_sql(own).execute(&mut raw).await.is_err(), "{own}");
    assert_eq!(store.journal(&head.id, ALL).await.unwrap(), before);
}

async fn undo_and_redo_walk_along_the_changes(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let deck = head.id.clone();
    assert!(matches!(store.undo(&deck, me()).await, Err(StoreError::NothingToUndo)));
    let head = written(&store, &head, "published/a.txt", "1").await;
    let head = written(&store, &head, "published/a.txt", "2").await;
    store.rename_workbench(&deck, "Other".into(), me()).await.unwrap();
    store.create_checkpoint(&deck, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    assert_eq!(head.seq, 3);

    let shown = async || {
        let found = texts(&store, store.head(&deck).await.unwrap().state).await;
        found.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
    };
    let undo = async || store.undo(&deck, me()).await.map(|(change, row)| (change.seq, row.target));
    let redo = async || store.redo(&deck, me()).await.map(|(change, row)| (change.seq, row.target));
    assert_eq!(undo().await.unwrap(), (3, Some(3)), "rename and checkpoint are skipped");
    assert_eq!(shown().await, "1");
    assert_eq!(undo().await.unwrap(), (2, Some(2)));
    assert_eq!(shown().await, "");
    assert!(matches!(undo().await, Err(StoreError::NothingToUndo)));
    assert_eq!(redo().await.unwrap(), (2, Some(2)));
    assert_eq!(redo().await.unwrap(), (3, Some(3)), "to undo an undo is to redo");
    assert_eq!(shown().await, "2");
    assert!(matches!(redo().await, Err(StoreError::NothingToRedo)));
    assert_eq!(undo().await.unwrap(), (3, Some(3)), "an undo after a redo takes the same change back");

    // After a new change, undone changes can no longer be redone, but the new one can be undone.
    let head = store.head(&deck).await.unwrap();
    let head = written(&store, &head, "published/a.txt", "3").await;
    assert!(matches!(redo().await, Err(StoreError::NothingToRedo)));
    assert_eq!(undo().await.unwrap(), (head.seq, Some(head.seq)));
    assert_eq!(shown().await, "1", "not 2: that was no longer in effect");
    store.rename_workbench(&deck, "Again".into(), me()).await.unwrap();
    assert_eq!(redo().await.unwrap(), (head.seq, Some(head.seq)), "a rename does not end what can be redone");
    assert_eq!(shown().await, "3");

    let rows = store.journal(&deck, ALL).await.unwrap();
    let row = rows.iter().find(|row| row.target == Some(3)).unwrap();
    assert_eq!((row.operation.as_str(), row.summary.as_str()), ("JournalUndo", "undid “a change”"));
    for pair in rows.windows(2) {
        assert_eq!((pair[0].seq + 1, pair[0].state_after), (pair[1].seq, pair[1].state_before));
    }
    let newest = store.journal(&deck, JournalQuery::Before { seq: None, limit: 2 }).await.unwrap();
    assert_eq!(newest, [rows[rows.len() - 1].clone(), rows[rows.len() - 2].clone()]);
    let older = store.journal(&deck, JournalQuery::Before { seq: Some(3), limit: 9 }).await.unwrap();
    assert_eq!(older, [rows[1].clone(), rows[0].clone()]);
    let later = store.journal(&deck, JournalQuery::After { seq: 2, limit: 2 }).await.unwrap();
    assert_eq!(later, rows[2..4]);
}

async fn checkpoints_name_states(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let deck = head.id.clone();
    let one = written(&store, &head, "published/a.txt", "1").await;
    let (first, head, entry) =
        store.create_checkpoint(&deck, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    assert_eq!((first.state, first.seq, first.created_at), (one.state, 2, entry.at));
    assert_eq!((head.seq, head.state, entry.operation.as_str()), (3, one.state, "CheckpointCreate"));
    let two = written(&store, &head, "published/a.txt", "2").await;
    let (second, head, _) =
        store.create_checkpoint(&deck, "here".into(), CheckpointReason::Publish, me()).await.unwrap();
    assert_eq!(store.checkpoints(&deck).await.unwrap(), [second.clone(), first.clone()]);
    assert_eq!(store.checkpoint(&deck, "here").await.unwrap(), second, "the newest of that name");
    assert_eq!(store.checkpoint(&deck, first.id.as_str()).await.unwrap(), first);
    for wanted in ["nowhere", "", "Here", "a\0b"] {
        let found = store.checkpoint(&deck, wanted).await;
        assert!(matches!(&found, Err(StoreError::CheckpointNotFound { wanted: w }) if w == wanted), "{found:?}");
    }

    // Restoring is a change to that state, with a checkpoint of the one before.
    let before = NewCheckpoint { name: "before".into(), reason: CheckpointReason::Restore, of: CheckpointOf::Before };
    let change = Change::new(me(), "CheckpointRestore", "back", first.state).with_checkpoint(before);
    let Commit::Done(restored, _) = store.commit(&head, change).await.unwrap() else { panic!("moved") };
    assert_eq!(texts(&store, restored.state).await, files([("published/a.txt", "1")]));
    let before = store.checkpoint(&deck, "before").await.unwrap();
    assert_eq!((before.state, before.seq, before.reason), (two.state, head.seq, CheckpointReason::Restore));
    let (_, row) = store.undo(&deck, me()).await.unwrap();
    assert_eq!(row.state_after, two.state);
}

async fn a_clone_shares_blobs_and_goes_its_own_way(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let head = written(&store, &head, "published/a.txt", "1").await;
    store.create_checkpoint(&head.id, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    let blobs = setup.blob_count();
    let (copy, entry) = store.clone_workbench(&head.id, id("copy"), "Copy".into(), me()).await.unwrap();
    assert_eq!(setup.blob_count(), blobs, "not one blob is new");
    assert_eq!((copy.name.as_str(), copy.state, copy.seq), ("Copy", head.state, 4));
    assert_eq!((entry.operation.as_str(), entry.summary.as_str()), ("WorkbenchClone", "copied from “deck” (deck)"));
    let (mine, its) = (store.journal(&head.id, ALL).await.unwrap(), store.journal(&copy.id, ALL).await.unwrap());
    assert_eq!((&its[..3], &its[3]), (&mine[..], &entry));
    assert_eq!(store.checkpoints(&copy.id).await.unwrap(), store.checkpoints(&head.id).await.unwrap());

    let copy = committed(&store, &copy, &[remove("published/a.txt"), text(&store, "published/b.txt", "2").await]).await;
    assert_eq!(texts(&store, copy.state).await, files([("published/b.txt", "2")]));
    assert_eq!(texts(&store, store.head(&head.id).await.unwrap().state).await, files([("published/a.txt", "1")]));
    store.undo(&copy.id, me()).await.unwrap();
    assert_eq!(store.undo(&copy.id, me()).await.unwrap().0.seq, 2, "the history before the copy can be undone too");
    assert_eq!(store.head(&head.id).await.unwrap().seq, 3);
    store.delete_workbench(&head.id).await.unwrap();
    store.redo(&copy.id, me()).await.unwrap();
    assert_eq!(texts(&store, store.head(&copy.id).await.unwrap().state).await, files([("published/a.txt", "1")]));

    let taken = store.clone_workbench(&copy.id, id("copy"), "x".into(), me()).await;
    assert!(matches!(taken, Err(StoreError::WorkbenchExists { .. })));
    let none = store.clone_workbench(&id("none"), id("x"), "x".into(), me()).await;
    assert!(matches!(none, Err(StoreError::WorkbenchNotFound { .. })));
}
