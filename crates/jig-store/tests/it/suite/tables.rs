//! Index tables derived from states, and the cache of file kinds.

use jig_store::{BlobKind, KindKey, StoreError, TreeEdit, hash_of};
use serde_json::{Value, json};
use sqlx::Row as _;

use super::conformance;
use crate::setup::{Setup, committed, id, made, me, remove, text};

conformance! { tables_follow_the_state, two_documents_of_one_key_are_refused, kinds_of_blobs_are_remembered, assets_keep_their_promise }

pub(super) fn document(key: &str, title: &str) -> Value {
    json!({ "id": format!("id-{key}"), "family": "entries", "kind": "brand", "key": key, "title": title,
            "state": "active", "status": null, "completeness": 0.5, "revision": 2,
            "updated_at": "2026-01-02T03:04:05.006Z", "data": { "colour": title, "n": 1.0 } })
}

pub(super) async fn document_edit(store: &jig_store::Store, key: &str, title: &str) -> TreeEdit {
    let path = format!("meta/documents/entries/brand/{key}.json");
    text(store, &path, &document(key, title).to_string()).await
}

/// The documents of a workbench: key, title, and one field of the data, read by SQL.
async fn rows(setup: &Setup, name: &str) -> Vec<(String, String, String)> {
    let mut raw = setup.raw().await;
    let sql = match raw.backend_name() {
        "SQLite" => {
            "SELECT key, title, json_extract(data, '$.colour') AS colour FROM documents WHERE workbench_id = $1 ORDER BY key"
        }
        _ => "SELECT key, title, data ->> 'colour' AS colour FROM documents WHERE workbench_id = $1 ORDER BY key",
    };
    let found = sqlx::query(sql).bind(name.to_owned()).fetch_all(&mut raw).await.unwrap();
    found.iter().map(|row| (row.get("key"), row.get("title"), row.get("colour"))).collect()
}

fn row(key: &str, title: &str) -> (String, String, String) {
    (key.to_owned(), title.to_owned(), title.to_owned())
}

async fn tables_follow_the_state(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let edits = [
        document_edit(&store, "a", "Red").await,
        document_edit(&store, "b", "Blue").await,
        text(&store, "meta/documents/entries/brand/broken.json", "{").await,
        text(&store, "meta/kinds/brand.json", r#"{"fields":[]}"#).await,
        text(&store, "meta/recipes/deck.json", r#"{"steps":3}"#).await,
        text(&store, "published/meta/documents/x.json", "{}").await,
    ];
    let head = committed(&store, &head, &edits).await;
    assert_eq!(rows(&setup, "deck").await, [row("a", "Red"), row("b", "Blue")], "a senseless file has no row");
    let count =
        async |sql: &'static str| -> i64 { sqlx::query_scalar(sql).fetch_one(&mut setup.raw().await).await.unwrap() };
    assert_eq!(count("SELECT COUNT(*) FROM kinds").await, 1);
    assert_eq!(count("SELECT COUNT(*) FROM recipes").await, 1);

    let edits = [
        document_edit(&store, "a", "Green").await,
        remove("meta/documents/entries/brand/b.json"),
        remove("meta/recipes"),
    ];
    let head = committed(&store, &head, &edits).await;
    assert_eq!(rows(&setup, "deck").await, [row("a", "Green")]);
    assert_eq!(count("SELECT COUNT(*) FROM recipes").await, 0);
    store.undo(&head.id, me()).await.unwrap();
    assert_eq!(rows(&setup, "deck").await, [row("a", "Red"), row("b", "Blue")]);
    store.clone_workbench(&head.id, id("copy"), "Copy".into(), me()).await.unwrap();
    assert_eq!(rows(&setup, "copy").await, [row("a", "Red"), row("b", "Blue")]);
    store.delete_workbench(&head.id).await.unwrap();
    assert_eq!(rows(&setup, "deck").await, []);
    assert_eq!(count("SELECT COUNT(*) FROM kinds").await, 1, "the copy's");
}

async fn two_documents_of_one_key_are_refused(setup: Setup) {
    let store = setup.open().await;
    let head = committed(&store, &made(&store, "deck").await, &[document_edit(&store, "a", "Red").await]).await;
    let mut twin = document("a", "Twin");
    twin["id"] = json!("another");
    let path = "meta/documents/entries/brand/twin.json";
    let state = store.edit(head.state, &[text(&store, path, &twin.to_string()).await]).await.unwrap();
    let refused = store.commit(&head, jig_store::Change::new(me(), "Test", "twin", state)).await;
    assert!(matches!(&refused, Err(StoreError::Conflict { paths }) if paths == &[path]), "{refused:?}");
    assert_eq!(store.head(&head.id).await.unwrap(), head, "nothing happened");
    assert_eq!(rows(&setup, "deck").await, [row("a", "Red")]);
    // Moved to another path in one change, it is still one document.
    let moved =
        [remove("meta/documents/entries/brand/a.json"), text(&store, path, &document("a", "Red").to_string()).await];
    committed(&store, &head, &moved).await;
    assert_eq!(rows(&setup, "deck").await, [row("a", "Red")]);
}

async fn kinds_of_blobs_are_remembered(setup: Setup) {
    let store = setup.open().await;
    let key = |n: usize, extension: &str| KindKey {
        hash: hash_of(n.to_string().as_bytes()),
        extension: extension.to_owned(),
    };
    let kind = |kind: &str, mismatch: Option<&str>| BlobKind {
        kind: kind.to_owned(),
        media_type: "text/plain".to_owned(),
        mismatch: mismatch.map(str::to_owned),
    };
    store.remember_kinds(&[]).await.unwrap();
    let many: Vec<_> = (0..1_200).map(|n| (key(n, "txt"), kind("text", None))).collect();
    store.remember_kinds(&many).await.unwrap();
    store
        .remember_kinds(&[(key(0, "docx"), kind("text", Some("no document"))), (key(1, "txt"), kind("csv", None))])
        .await
        .unwrap();
    let asked: Vec<KindKey> = (0..1_300).map(|n| key(n, "txt")).chain([key(0, "docx")]).collect();
    let found = store.blob_kinds(&asked).await.unwrap();
    assert_eq!(found.len(), 1_201);
    assert_eq!(found[&key(0, "docx")], kind("text", Some("no document")));
    assert_eq!((&found[&key(0, "txt")], &found[&key(1, "txt")]), (&kind("text", None), &kind("csv", None)));
    assert_eq!(store.blob_kinds(&[key(2, "other")]).await.unwrap().len(), 0, "an extension that was not asked for");
}

async fn assets_keep_their_promise(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    let insert = async |permanence: &str, entry: Option<&str>, expires: Option<i64>| {
        let sql = "INSERT INTO assets (workbench_id, id, hash, bytes, name, media_type, permanence, entry_id, created_at, expires_at)
                   VALUES ('deck', $1, 'x', 1, 'n', 'm', $2, $3, 0, $4)";
        let id = format!("{permanence} {entry:?} {expires:?}");
        let query = sqlx::query(sql).bind(id).bind(permanence.to_owned()).bind(entry.map(str::to_owned)).bind(expires);
        query.execute(&mut setup.raw().await).await.is_ok()
    };
    assert!(insert("permanent", Some("e"), None).await);
    assert!(insert("temporary", None, Some(1)).await);
    assert!(!insert("temporary", Some("e"), Some(1)).await, "what fills a field is permanent");
    assert!(!insert("temporary", None, None).await, "what is temporary has an end");
    assert!(!insert("eternal", None, None).await);
    assert!(!insert("permanent", Some("e"), Some(1)).await, "what is permanent has no end");
    let removed = "UPDATE assets SET removed_at = 1 WHERE permanence = 'permanent'";
    assert!(sqlx::raw_sql(removed).execute(&mut setup.raw().await).await.is_err(), "nor is it swept");
    let unlinked = "UPDATE assets SET permanence = 'temporary'";
    assert!(sqlx::raw_sql(unlinked).execute(&mut setup.raw().await).await.is_err(), "nor by a change");
    let unsure = "UPDATE assets SET confidence = 1.5";
    assert!(sqlx::raw_sql(unsure).execute(&mut setup.raw().await).await.is_err());
}
