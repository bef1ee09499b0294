//! Assets in clones, exports and imports, and their checks.

use jig_contract::ops::{Problem, ProblemKind};
use jig_store::{ASSET_TTL_MS, Asset, AssetLife, AssetQuery, NewAsset, Repair, Store, StoreError};
use serde_json::json;

use super::assets::{brand, new, now, uri};
use super::conformance;
use crate::setup::{Clock, Setup, id, made, me};

conformance! { copies_have_the_assets, archives_have_the_assets, archives_with_wrong_assets_are_refused, the_doctor_knows_assets }

async fn all(store: &Store, name: &str) -> Vec<Asset> {
    let query =
        AssetQuery { life: AssetLife::Any, permanence: None, entry_id: None, source: None, after: None, limit: 99 };
    store.assets(&id(name), &query).await.unwrap().assets
}

/// A workbench with a referenced asset, an unreferenced one, and a swept one.
async fn filled(store: &Store, clock: &Clock) -> [Asset; 3] {
    let head = made(store, "deck").await;
    let swept = NewAsset { ttl_ms: Some(0), ..new("swept") };
    let swept = store.put_asset(&head.id, swept, "swept").await.unwrap();
    store.sweep_assets(None).await.unwrap();
    clock.pass(1);
    let named = store.put_asset(&head.id, new("named"), "named").await.unwrap();
    let alone = store.put_asset(&head.id, new("alone"), "alone").await.unwrap();
    let head = brand(store, &head, "", &json!({ "logo": uri(&named) })).await;
    brand(store, &head, "", &json!({ "logo": uri(&named), "name": "x" })).await;
    [now(store, &named).await, now(store, &alone).await, now(store, &swept).await]
}

async fn copies_have_the_assets(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let [named, _, _] = filled(&store, &clock).await;
    store.clone_workbench(&id("deck"), id("copy"), "Copy".into(), me()).await.unwrap();
    assert_eq!(all(&store, "copy").await, all(&store, "deck").await);
    assert_eq!(store.asset_uses(&id("copy"), &named.id).await.unwrap().len(), 1);
    store.delete_workbench(&id("deck")).await.unwrap();
    assert_eq!(all(&store, "copy").await.len(), 3);
    let head = store.head(&id("copy")).await.unwrap();
    brand(&store, &head, "", &json!({})).await;
    let free = store.asset(&id("copy"), &named.id).await.unwrap().unwrap();
    assert_eq!(free.expires_at, Some(clock.later(ASSET_TTL_MS)), "the copy's links are its own");
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}

async fn archives_have_the_assets(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let [named, alone, swept] = filled(&store, &clock).await;
    let file = setup.folder.path().join("deck.jig");
    store.export(&id("deck"), &file).await.unwrap();
    // Into an empty store.
    let elsewhere = Setup::local().await;
    let other = elsewhere.open_at(&clock).await;
    other.import(&file, None, None, me()).await.unwrap();
    assert_eq!(all(&other, "deck").await, all(&store, "deck").await);
    assert_eq!(other.blobs().get(&named.hash).await.unwrap(), "named");
    assert_eq!(other.blobs().get(&alone.hash).await.unwrap(), "alone");
    assert_eq!(other.blobs().info(&swept.hash).await.unwrap(), None, "what was swept has no bytes");
    assert_eq!(other.check(None, Repair::No).await.unwrap().problems, []);
    // And next to the original, which has changed in the meantime.
    store.import(&file, None, None, me()).await.unwrap();
    assert_eq!(all(&store, "deck-2").await, all(&store, "deck").await);
    store.undo(&id("deck-2"), me()).await.unwrap();
    store.undo(&id("deck-2"), me()).await.unwrap();
    let free = store.asset(&id("deck-2"), &named.id).await.unwrap().unwrap();
    assert_eq!(free.expires_at, Some(clock.later(ASSET_TTL_MS)), "its history is there as well");
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}

/// Applies a function to the lines of a file in a zip.
fn rewritten(from: &std::path::Path, to: &std::path::Path, change: impl Fn(&str) -> String) {
    use std::io::{Read as _, Write as _};
    let mut old = zip::ZipArchive::new(std::fs::File::open(from).unwrap()).unwrap();
    let mut new = zip::ZipWriter::new(std::fs::File::create(to).unwrap());
    for index in 0..old.len() {
        let mut entry = old.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if name == "assets.jsonl" {
            bytes = change(&String::from_utf8(bytes).unwrap()).into_bytes();
        }
        new.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        new.write_all(&bytes).unwrap();
    }
    new.finish().unwrap();
}

async fn archives_with_wrong_assets_are_refused(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let [named, alone, _] = filled(&store, &clock).await;
    let (file, changed) = (setup.folder.path().join("deck.jig"), setup.folder.path().join("changed.jig"));
    store.export(&id("deck"), &file).await.unwrap();
    type Change<'a> = (&'a str, &'a dyn Fn(&str) -> String);
    let wrong: [Change<'_>; 7] = [
        ("is duplicated", &|text| text.replace(&alone.id, &named.id)),
        ("has an invalid id", &|text| text.replace(&alone.id, &alone.id.to_uppercase())),
        ("contains a NUL", &|text| text.replace("alone", "al\\u0000one")),
        ("is missing", &|text| text.replace(&alone.hash.to_string(), &"0".repeat(64))),
        ("no state uses", &|text| text.lines().filter(|line| !line.contains("alone")).collect::<Vec<_>>().join("\n")),
        ("size", &|text| text.replace("\"bytes\":5,\"name\":\"alone\"", "\"bytes\":6,\"name\":\"alone\"")),
        ("line 1", &|text| text.replacen("\"source\":\"user\"", "\"source\":\"thief\"", 1)),
    ];
    for (why, change) in wrong {
        rewritten(&file, &changed, change);
        let refused = store.import(&changed, Some(id("new")), None, me()).await.map(drop);
        let said = refused.as_ref().map_err(ToString::to_string);
        assert!(matches!(&refused, Err(StoreError::Archive { .. })), "{why}: {refused:?}");
        assert!(said.unwrap_err().contains(why), "{why}: {refused:?}");
    }
    // An expiry in the archive is not trusted: referenced assets are permanent whatever the lines claim.
    rewritten(&file, &changed, |text| {
        text.replace("\"name\":\"named\"", "\"expires_at\":\"2001-01-01T00:00:00Z\",\"name\":\"named\"")
    });
    store.import(&changed, Some(id("new")), None, me()).await.unwrap();
    assert_eq!(all(&store, "new").await, all(&store, "deck").await);
}

async fn the_doctor_knows_assets(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let [named, alone, _] = filled(&store, &clock).await;
    let before = all(&store, "deck").await;
    let problem = |message: String, repaired| Problem {
        workbench_id: Some(id("deck")),
        kind: ProblemKind::Projection,
        message,
        repaired,
    };
    let path = "meta/documents/entries/brand/_.json";
    let (a, b) = (&named.id, &alone.id);
    let cases: [(&'static str, Vec<String>); 3] = [
        ("DELETE FROM asset_uses", vec![format!("the index lacks the reference from `{path}` to the asset {a}")]),
        (
            "INSERT INTO asset_uses (workbench_id, asset_id, document_path, entry_id, field_key)
             SELECT workbench_id, id, 'nowhere', 'e', 'f' FROM assets WHERE name = 'alone'",
            vec![format!("the index has a reference from `nowhere` to the asset {b} that does not exist")],
        ),
        (
            "UPDATE assets SET permanence = 'temporary', entry_id = NULL, expires_at = 1 WHERE name = 'named';
             UPDATE assets SET field_key = NULL WHERE name = 'named'",
            vec![format!("the asset {a} is temporary, which does not match the documents")],
        ),
    ];
    for (damage, messages) in cases {
        setup.sql(damage).await;
        let expected = |repaired| messages.iter().map(|message| problem(message.clone(), repaired)).collect::<Vec<_>>();
        assert_eq!(store.check(None, Repair::No).await.unwrap().problems, expected(false));
        assert_eq!(store.check(None, Repair::Yes).await.unwrap().problems, expected(true));
        assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
        assert_eq!(all(&store, "deck").await, before, "{damage}");
    }
    setup
        .sql("UPDATE assets SET permanence = 'permanent', expires_at = NULL, entry_id = 'e' WHERE name = 'alone'")
        .await;
    store.check(None, Repair::Yes).await.unwrap();
    let mended = now(&store, &alone).await;
    assert_eq!(mended, Asset { expires_at: Some(clock.later(ASSET_TTL_MS)), ..alone.clone() });
    std::fs::remove_file(setup.blob_file(&alone.hash)).unwrap();
    let found = store.check(None, Repair::Yes).await.unwrap().problems;
    let expected = Problem {
        kind: ProblemKind::BlobMissing,
        ..problem(format!("the blob {} is missing; it is an asset", alone.hash), false)
    };
    assert_eq!(found, [expected]);
}
