//! Entries read with projection, in pages and one by one.

use jig_store::{
    DocumentCount, DocumentCursor, DocumentQuery, DocumentRow, DocumentState, Fields, Head, KindFields, Projection,
    States, Store, StoreError, TableFile, TreeEdit,
};
use serde_json::{Value, json};

use super::conformance;
use crate::setup::{Setup, committed, id, made, me, text};

conformance! {
    only_wanted_fields_leave_the_database, field_names_may_hold_anything, kinds_come_in_the_order_asked_for,
    values_come_back_as_they_were, pages_follow_each_other, single_documents_and_counts, files_of_tables_are_read,
}

pub(super) fn entry(kind: &str, key: &str, data: &Value) -> Value {
    json!({ "id": format!("id-{kind}-{key}"), "family": "entries", "kind": kind, "key": key,
            "title": format!("{kind} {key}"), "state": "active", "status": "open", "completeness": 2.0 / 3.0,
            "revision": 7, "updated_at": "2026-01-02T03:04:05.006Z", "data": data })
}

pub(super) async fn put(store: &Store, kind: &str, key: &str, document: &Value) -> TreeEdit {
    let file = if key.is_empty() { "_" } else { key };
    text(store, &format!("meta/documents/entries/{kind}/{file}.json"), &document.to_string()).await
}

async fn with(store: &Store, documents: &[(&str, &str, Value)]) -> Head {
    let mut edits = Vec::new();
    for (kind, key, data) in documents {
        edits.push(put(store, kind, key, &entry(kind, key, data)).await);
    }
    committed(store, &made(store, "deck").await, &edits).await
}

fn wanted(kind: &str, fields: &[&str]) -> KindFields {
    let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    KindFields { kind: kind.to_owned(), fields: fields.into() }
}

/// Kind, key and data of rows; the data as text, because its order matters.
fn shown(rows: &[DocumentRow]) -> Vec<(String, String, String)> {
    rows.iter().map(|row| (row.kind.clone(), row.key.clone(), Value::Object(row.data.clone()).to_string())).collect()
}

fn rows<const N: usize>(rows: [(&str, &str, &str); N]) -> Vec<(String, String, String)> {
    rows.map(|(kind, key, data)| (kind.to_owned(), key.to_owned(), data.to_owned())).to_vec()
}

async fn only_wanted_fields_leave_the_database(setup: Setup) {
    let store = setup.open().await;
    let head = with(
        &store,
        &[
            ("brand", "", json!({ "name": "Acme", "voice": "calm", "logo": null, "secret": "never" })),
            ("customer", "", json!({ "pains": ["a", "b"], "description": "SMB" })),
            ("vision", "", json!({ "text": "far" })),
        ],
    )
    .await;
    let ask = [wanted("customer", &["pains"]), wanted("brand", &["voice", "name", "logo", "absent", "voice"])];
    let found = store.entries_projected(&head.id, &ask, States::Active).await.unwrap();
    let brand = DocumentRow {
        path: "meta/documents/entries/brand/_.json".to_owned(),
        id: "id-brand-".to_owned(),
        family: "entries".to_owned(),
        kind: "brand".to_owned(),
        key: String::new(),
        title: "brand ".to_owned(),
        state: DocumentState::Active,
        status: Some("open".to_owned()),
        completeness: 2.0 / 3.0,
        revision: 7,
        updated_at: "2026-01-02T03:04:05.006Z".parse().unwrap(),
        data: json!({ "voice": "calm", "name": "Acme", "logo": null }).as_object().unwrap().clone(),
    };
    assert_eq!(found.rows[1], brand);
    assert_eq!((found.state, found.seq), (head.state, head.seq));
    let expected =
        [("customer", "", r#"{"pains":["a","b"]}"#), ("brand", "", r#"{"voice":"calm","name":"Acme","logo":null}"#)];
    assert_eq!(shown(&found.rows), rows(expected), "fields in the order asked for");
    let all = store.entries_projected(&head.id, &[wanted("brand", &[])], States::Active).await.unwrap();
    assert_eq!(all.rows[0].data.len(), 4, "an empty list asks for everything");
    let none = KindFields { kind: "brand".to_owned(), fields: Fields::Only(vec![]) };
    assert_eq!(
        shown(&store.entries_projected(&head.id, &[none], States::Active).await.unwrap().rows),
        rows([("brand", "", "{}")])
    );
    let nothing = Projection { state: head.state, seq: head.seq, rows: vec![] };
    for ask in [vec![], vec![wanted("unknown", &["x"])], vec![wanted("nul\0", &["x"])]] {
        assert_eq!(store.entries_projected(&head.id, &ask, States::Any).await.unwrap(), nothing, "{ask:?}");
    }
    let lost = store.entries_projected(&id("none"), &ask, States::Any).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
}

async fn field_names_may_hold_anything(setup: Setup) {
    let store = setup.open().await;
    let names = [
        "a b", "a.b", "a\"b", "a\\b", "a'b", "[0]", "$", "$.x", "", "\"", "\\", "\\\"", "ü", "日本", "👍", "a\nb",
        "\u{1}", "*", "#", "?", "a,b", "{}", "null", "0", "%", ";--", "\u{7f}", "\u{2028}",
    ];
    let mut data = serde_json::Map::new();
    for (n, name) in names.iter().enumerate() {
        data.insert((*name).to_owned(), json!(n));
    }
    let head = with(&store, &[("brand", "", Value::Object(data.clone()))]).await;
    for (n, name) in names.iter().enumerate() {
        let found = store.entries_projected(&head.id, &[wanted("brand", &[name, "nul\0"])], States::Any).await.unwrap();
        let expected = json!({ *name: n });
        assert_eq!(Value::Object(found.rows[0].data.clone()), expected, "{name:?}");
    }
    let all = store.entries_projected(&head.id, &[wanted("brand", &names)], States::Any).await.unwrap();
    assert_eq!(shown(&all.rows)[0].2, Value::Object(data).to_string());
}

async fn kinds_come_in_the_order_asked_for(setup: Setup) {
    let store = setup.open().await;
    let documents = ["c", "B", "a", "ä", "10", "9"].map(|key| ("competitor", key, json!({ "name": key, "more": "x" })));
    let mut all = documents.to_vec();
    all.push(("brand", "", json!({ "name": "Acme" })));
    let head = with(&store, &all).await;
    let mut archived = entry("competitor", "old", &json!({ "name": "old" }));
    archived["state"] = json!("archived");
    let mut artifact = entry("competitor", "paper", &json!({ "name": "no entry" }));
    artifact["family"] = json!("artifacts");
    let edits =
        [put(&store, "competitor", "old", &archived).await, put(&store, "competitor", "paper", &artifact).await];
    committed(&store, &head, &edits).await;
    let keys = async |ask: &[KindFields], states| -> Vec<String> {
        let found = store.entries_projected(&head.id, ask, states).await.unwrap();
        found.rows.into_iter().map(|row| format!("{}:{}", row.kind, row.key)).collect()
    };
    let both = [wanted("competitor", &["name"]), wanted("brand", &["name"])];
    let competitors = ["10", "9", "B", "a", "c", "ä"].map(|key| format!("competitor:{key}"));
    let mut expected = competitors.to_vec();
    expected.push("brand:".to_owned());
    assert_eq!(keys(&both, States::Active).await, expected, "all of them, byte by byte");
    assert_eq!(keys(&both, States::Archived).await, ["competitor:old"]);
    assert_eq!(keys(&both, States::Any).await.len(), 8);
    let turned = [both[1].clone(), both[0].clone()];
    assert_eq!(keys(&turned, States::Active).await[0], "brand:");
}

async fn values_come_back_as_they_were(setup: Setup) {
    let store = setup.open().await;
    let data = json!({ "t": true, "f": false, "n": null, "i": 9_007_199_254_740_993_i64, "d": 0.1, "e": "",
                       "text": "\"\\\n\u{1}ü</a>", "list": [[], {}, [1, "x", null]], "object": { "b": 1, "a": [2.5] } });
    let head = with(&store, &[("brand", "", data.clone())]).await;
    let names = ["t", "f", "n", "i", "d", "e", "text", "list", "object"];
    let found = store.entries_projected(&head.id, &[wanted("brand", &names)], States::Any).await.unwrap();
    assert_eq!(Value::Object(found.rows[0].data.clone()), data);
    let whole = store.document(&head.id, "brand", "").await.unwrap().unwrap();
    assert_eq!(Value::Object(whole.data), data);
}

async fn pages_follow_each_other(setup: Setup) {
    let store = setup.open().await;
    let mut documents = Vec::new();
    for kind in ["trend", "brand", "competitor", "own"] {
        documents.extend(["c", "a", "B"].map(|key| (kind, key, json!({ "x": key, "y": 1 }))));
    }
    let head = with(&store, &documents).await;
    let mut query = DocumentQuery {
        family: "entries".to_owned(),
        kinds: vec![],
        states: States::Active,
        order: ["competitor", "trend", "never"].map(str::to_owned).to_vec(),
        fields: Fields::Only(vec!["x".to_owned()]),
        after: None,
        limit: 5,
    };
    let mut seen = Vec::new();
    loop {
        let page = store.documents(&head.id, &query).await.unwrap();
        seen.extend(shown(&page.rows));
        assert!(page.rows.len() == 5 || page.next.is_none());
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    let mut expected = Vec::new();
    for kind in ["competitor", "trend", "brand", "own"] {
        let of = |key: &str| (kind.to_owned(), key.to_owned(), format!(r#"{{"x":"{key}"}}"#));
        expected.extend(["B", "a", "c"].map(of));
    }
    assert_eq!(seen, expected);
    query.limit = 12;
    query.order = vec![];
    let all = store.documents(&head.id, &query).await.unwrap();
    assert_eq!((all.rows[0].kind.as_str(), all.rows.len(), all.next), ("brand", 12, None), "by name without an order");
    query.kinds = vec!["own".to_owned(), "trend".to_owned(), "nul\0".to_owned()];
    query.after = Some(DocumentCursor { kind: "own".to_owned(), key: "a".to_owned() });
    query.fields = Fields::All;
    let page = store.documents(&head.id, &query).await.unwrap();
    let keys: Vec<(&str, &str)> = page.rows.iter().map(|row| (row.kind.as_str(), row.key.as_str())).collect();
    assert_eq!(keys, [("own", "c"), ("trend", "B"), ("trend", "a"), ("trend", "c")]);
    assert_eq!(page.rows[0].data.len(), 2);
    query.family = "artifacts".to_owned();
    assert_eq!(store.documents(&head.id, &query).await.unwrap().rows, []);
    let lost = store.documents(&id("none"), &query).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
}

async fn single_documents_and_counts(setup: Setup) {
    let store = setup.open().await;
    let head = with(&store, &[("brand", "", json!({})), ("trend", "a", json!({})), ("trend", "b", json!({}))]).await;
    let mut archived = entry("trend", "b", &json!({ "x": 1 }));
    archived["state"] = json!("archived");
    let head = committed(&store, &head, &[put(&store, "trend", "b", &archived).await]).await;
    let b = store.document(&head.id, "trend", "b").await.unwrap().unwrap();
    assert_eq!((b.state, b.data.len()), (DocumentState::Archived, 1));
    assert_eq!(store.document_by_id(&head.id, "id-trend-b").await.unwrap(), Some(b));
    for (kind, key) in [("trend", "c"), ("trend", ""), ("nul\0", "b"), ("trend", "b\0")] {
        assert_eq!(store.document(&head.id, kind, key).await.unwrap(), None, "{kind:?} {key:?}");
    }
    let count = |kind: &str, state| DocumentCount { kind: kind.to_owned(), state, count: 1 };
    let expected = [
        count("brand", DocumentState::Active),
        count("trend", DocumentState::Active),
        count("trend", DocumentState::Archived),
    ];
    assert_eq!(store.document_counts(&head.id, "entries").await.unwrap(), expected);
    assert_eq!(store.document_counts(&head.id, "artifacts").await.unwrap(), []);
    let none = id("none");
    assert!(matches!(store.document(&none, "a", "").await, Err(StoreError::WorkbenchNotFound { .. })));
    assert!(matches!(store.document_counts(&none, "entries").await, Err(StoreError::WorkbenchNotFound { .. })));
}

async fn files_of_tables_are_read(setup: Setup) {
    let store = setup.open().await;
    let edits = [
        text(&store, "meta/kinds/b.json", r#"{"n":1}"#).await,
        text(&store, "meta/kinds/a.json", r#"{"n":2}"#).await,
        text(&store, "meta/recipes/r.json", r#"{"n":3}"#).await,
    ];
    let head = committed(&store, &made(&store, "deck").await, &edits).await;
    let file = |path: &str, n: i64| TableFile { path: path.to_owned(), data: json!({ "n": n }) };
    let kinds = [file("meta/kinds/a.json", 2), file("meta/kinds/b.json", 1)];
    assert_eq!(store.kind_files(&head.id).await.unwrap(), kinds);
    assert_eq!(store.recipe_files(&head.id).await.unwrap(), [file("meta/recipes/r.json", 3)]);
    store.undo(&head.id, me()).await.unwrap();
    assert_eq!(store.kind_files(&head.id).await.unwrap(), []);
}
