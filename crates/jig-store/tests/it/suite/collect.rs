//! Garbage collection.

use std::sync::atomic::{AtomicBool, Ordering};

use jig_contract::ops::StoreCollectOutput;
use jig_store::{Collect, GC_GRACE_MS, Repair, Store, StoreError};

use super::conformance;
use crate::setup::{Setup, committed, id, made, me, remove, text, texts, written};

conformance! { only_what_nothing_needs_goes, damage_stops_it, it_is_safe_beside_writers }

/// Older than the grace period.
const OLD_MS: u64 = 2 * GC_GRACE_MS as u64;

fn output(kept: u64, unneeded: u64, bytes: u64, too_new: u64, mode: Collect) -> StoreCollectOutput {
    let removed = mode == Collect::Remove;
    StoreCollectOutput {
        kept,
        unneeded,
        bytes,
        too_new,
        expired_assets: 0,
        spare_folders: 0,
        recipe_sessions: 0,
        removed,
    }
}

async fn only_what_nothing_needs_goes(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let head = written(&store, &head, "published/a.txt", "old").await;
    let head =
        committed(&store, &head, &[remove("published/a.txt"), text(&store, "published/b.txt", "new").await]).await;
    let needed = setup.blob_count() as u64;
    assert_eq!(needed, 7, "two texts, three states, two folders");
    let orphan = store.blobs().put("unused data").await.unwrap();
    let asset = store.blobs().put("asset").await.unwrap();
    let expired = store.blobs().put("expired").await.unwrap();
    for (name, hash, expires) in [("keeps", asset, i64::MAX), ("gone", expired, 5)] {
        let sql =
            "INSERT INTO assets (workbench_id, id, hash, bytes, name, media_type, permanence, created_at, expires_at)
                   VALUES ('deck', $1, $2, 1, 'n', 'm', 'temporary', 0, $3)";
        let query = sqlx::query(sql).bind(name).bind(hash.to_string()).bind(expires);
        query.execute(&mut setup.raw().await).await.unwrap();
    }
    let report = store.collect(Collect::Report).await.unwrap();
    assert_eq!((report.kept, report.expired_assets), (needed + 2, 1), "until it is swept it may be named");
    let swept = StoreCollectOutput { expired_assets: 1, ..output(needed + 1, 0, 0, 2, Collect::Remove) };
    assert_eq!(store.collect(Collect::Remove).await.unwrap(), swept);
    setup.age(OLD_MS);
    let freed = ("unused data".len() + "expired".len()) as u64;
    let report = store.collect(Collect::Report).await.unwrap();
    assert_eq!(report, output(needed + 1, 2, freed, 0, Collect::Report));
    assert_eq!(store.blobs().get(&orphan).await.unwrap(), "unused data", "a report removes nothing");

    // Reusing an old blob renews its date, so it stays.
    store.blobs().put("expired").await.unwrap();
    let removed = store.collect(Collect::Remove).await.unwrap();
    assert_eq!(removed, output(needed + 1, 1, 11, 1, Collect::Remove));
    assert_eq!(store.blobs().get(&expired).await.unwrap(), "expired");
    assert!(matches!(store.blobs().get(&orphan).await, Err(StoreError::BlobMissing { .. })));
    assert_eq!(store.blobs().get(&asset).await.unwrap(), "asset");
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
    store.undo(&head.id, me()).await.unwrap();
    assert_eq!(texts(&store, store.head(&head.id).await.unwrap().state).await[0].1, "old", "history is needed");

    store.delete_workbench(&head.id).await.unwrap();
    setup.age(OLD_MS);
    store.collect(Collect::Remove).await.unwrap();
    assert_eq!(setup.blob_count(), 0, "a deleted workbench needs nothing");
}

async fn damage_stops_it(setup: Setup) {
    let store = setup.open().await;
    let head = written(&store, &made(&store, "deck").await, "published/a.txt", "a").await;
    let folder = store.lookup(head.state, "published").await.unwrap().unwrap().hash();
    std::fs::remove_file(setup.blob_file(&folder)).unwrap();
    setup.age(OLD_MS);
    let before = setup.blob_count();
    let refused = store.collect(Collect::Remove).await;
    assert!(matches!(refused, Err(StoreError::BlobMissing { hash }) if hash == folder), "{refused:?}");
    assert_eq!(setup.blob_count(), before, "what is below a lost folder is not known, so nothing may go");
}

/// A writer reuses a blob at the same moment as a collector finds it old and unreferenced.
async fn it_is_safe_beside_writers(setup: Setup) {
    let (writer, collector) = (setup.open().await, setup.open().await);
    write_all(&writer, "deck").await;
    let mut removed = 0;
    for round in 0..4 {
        writer.delete_workbench(&id("deck")).await.unwrap();
        setup.age(OLD_MS);
        let stop = AtomicBool::new(false);
        let write = async || {
            write_all(&writer, "deck").await;
            stop.store(true, Ordering::SeqCst);
        };
        let collect = async || {
            let mut removed = 0;
            while !stop.load(Ordering::SeqCst) {
                removed += collector.collect(Collect::Remove).await.unwrap().unneeded;
            }
            removed
        };
        // The two take turns in starting first.
        let more = match round % 2 {
            0 => tokio::join!(write(), collect()).1,
            _ => tokio::join!(collect(), write()).0,
        };
        removed += more;
        let report = collector.check(None, Repair::No).await.unwrap();
        assert_eq!((report.states, report.problems), (CHANGES + 1, vec![]), "round {round}");
    }
    assert!(removed > 0, "the collector had something to do");
}

const CHANGES: u64 = 15;

/// Always the same history, and therefore the same blobs.
async fn write_all(store: &Store, name: &str) {
    let mut head = made(store, name).await;
    for n in 0..CHANGES {
        head = written(store, &head, &format!("published/{}/{n}.txt", n % 5), &format!("text {n}")).await;
    }
}
