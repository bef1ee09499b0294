//! Many concurrent writers.

use std::collections::BTreeSet;

use jig_store::{Change, Commit, Head, JournalQuery, Plan, Repair, Store, StoreError, TreeEdit};

use super::conformance;
use crate::setup::{Setup, id, made, me, text, texts};

conformance! { nothing_is_lost_with_many_writers }

const WRITERS: usize = 16;
const CHANGES: usize = 4;

async fn add_file(store: &Store, head: Head, path: &str) -> Result<Plan<()>, StoreError> {
    let hash = store.blobs().put(path.to_owned()).await?;
    let edit = TreeEdit::File { path: path.to_owned(), hash, bytes: path.len() as u64 };
    let state = store.edit(head.state, &[edit]).await?;
    Ok(Plan::change(Change::new(me(), "Test", path, state), vec![path.to_owned()], ()))
}

/// Each writer adds its own files through `change`, and all compete for one file through direct commits.
async fn nothing_is_lost_with_many_writers(setup: Setup) {
    let stores = [setup.open().await, setup.open().await];
    made(&stores[0], "shared").await;
    made(&stores[0], "other").await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let store = stores[writer % 2].clone();
        writers.spawn(async move {
            let mut accepted = [0_u64; 2];
            for n in 0..CHANGES {
                let which = usize::from(n == 0 && writer % 4 == 0);
                let deck = id(["shared", "other"][which]);
                let path = format!("published/{writer}/{n}.txt");
                store.change(&deck, |head| Box::pin(add_file(&store, head, &path))).await.unwrap();
                accepted[which] += 1;
                let head = store.head(&id("shared")).await.unwrap();
                let edit = text(&store, "published/fought-for", &format!("{writer} {n}")).await;
                let state = store.edit(head.state, &[edit]).await.unwrap();
                let change = Change::new(me(), "Test", "fought", state);
                accepted[0] += u64::from(store.commit(&head, change).await.unwrap() != Commit::Moved);
            }
            accepted
        });
    }
    let accepted = writers.join_all().await.into_iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);

    let store = setup.open().await;
    for (name, accepted) in [("shared", accepted[0]), ("other", accepted[1])] {
        let rows = store.journal(&id(name), JournalQuery::After { seq: 0, limit: 100_000 }).await.unwrap();
        assert_eq!(rows.len() as u64, accepted + 1, "{name}: one row for each accepted change");
        let head = store.head(&id(name)).await.unwrap();
        assert_eq!((head.seq, head.state), (rows.len() as u64, rows[rows.len() - 1].state_after));
        for (n, pair) in rows.windows(2).enumerate() {
            assert_eq!((pair[0].seq, pair[0].state_after), (n as u64 + 1, pair[1].state_before));
        }
    }
    let expected: BTreeSet<String> =
        (0..WRITERS).flat_map(|w| (0..CHANGES).map(move |n| format!("published/{w}/{n}.txt"))).collect();
    let mut found = BTreeSet::new();
    for name in ["shared", "other"] {
        found.extend(texts(&store, store.head(&id(name)).await.unwrap().state).await.into_iter().map(|(path, _)| path));
    }
    found.remove("published/fought-for");
    assert_eq!(found, expected);
    let report = store.check(None, Repair::No).await.unwrap();
    assert_eq!(report.problems, []);
    assert!(report.states > accepted[0] && report.workbenches == 2, "{report:?}");
}
