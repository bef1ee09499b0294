//! Entries for measurements: requested ones and many unrelated ones.

use std::ops::Range;
use std::path::Path;

use jig_contract::{Actor, Env, WorkbenchId};
use jig_store::{Blobs, Change, Commit, Database, Store, StoreConfig, TreeEdit};
use jig_workbench::{Config, Workbench};
use serde_json::{Value, json};

use crate::bench::call;

/// A workbench in this home folder with this many unrelated entries.
pub(crate) async fn fill(home: &Path, database: Option<String>, unrelated: usize) {
    let mut config = Config::new(home);
    (config.database, config.view) = (database.clone(), false);
    let workbench = Workbench::open(config, Env::system()).await.unwrap_or_else(|e| panic!("{e}"));
    call(&workbench, "WorkbenchCreate", json!({ "name": "Bench", "id": "bench" })).await;
    for (role, key, data) in asked() {
        call(&workbench, "EntryPut", json!({ "role": role, "entry_key": key, "data": data })).await;
    }
    drop(workbench);
    if unrelated > 0 {
        add(home, database, ("competitor", "north"), 0..unrelated).await;
    }
}

fn asked() -> Vec<(&'static str, Option<&'static str>, Value)> {
    let words = "Plain and warm, never loud. Short sentences, no jargon, one thought at a time. ".repeat(6);
    let brand =
        json!({ "name": "Acme", "tagline": "Ropes that hold.", "voice": words, "colors": ["#223344", "#ffaa00"] });
    let customer = json!({ "description": words, "pain_points": ["Old ropes", "Long waits"], "goals": ["Climb more"] });
    let problem = json!({ "statement": words, "impact": words, "evidence": ["A survey of 400 climbers"] });
    let vision = json!({ "statement": words, "success_metrics": ["No accident in a year"] });
    let mut all = vec![("brand", None, brand), ("customer", None, customer), ("problem", None, problem)];
    all.push(("vision", None, vision));
    for key in ["north", "south", "west"] {
        let data = json!({ "name": key, "description": words, "strengths": ["Cheap"], "weaknesses": ["Slow"] });
        all.push(("competitor", Some(key), data));
    }
    all
}

/// Adds copies of an entry, by kind and key, in one commit; a commit for each would take almost an hour.
pub(crate) async fn add(home: &Path, database: Option<String>, like: (&str, &str), numbers: Range<usize>) {
    let database = database.map_or_else(|| Database::Sqlite(home.join("jig.db")), Database::Postgres);
    let blobs = Blobs::folder(home.join("blobs")).expect("blobs");
    let (gc_grace_ms, asset_ttl_ms) = (jig_store::GC_GRACE_MS, jig_store::ASSET_TTL_MS);
    let config = StoreConfig { database, blobs, gc_grace_ms, asset_ttl_ms };
    let store = Store::open(config, Env::system()).await.expect("a store");
    let head = store.head(&WorkbenchId::new("bench").expect("an id")).await.expect("a workbench");
    let (kind, key) = like;
    let path = |key: &str| format!("meta/documents/entries/{kind}/{key}.json");
    let like = store.lookup(head.state, &path(key)).await.expect("a state").expect("an entry").hash();
    let like: Value = serde_json::from_slice(&store.blobs().get(&like).await.expect("an entry")).expect("JSON");
    let (added, keys) = (numbers.len(), numbers.map(|n| format!("zz-{n:05}")));
    let keys: Vec<String> = keys.collect();
    let texts: Vec<String> = keys.iter().map(|key| copy(&store, &like, key)).collect();
    let hashes = store.blobs().put_many(texts.iter().map(|text| text.clone().into()).collect()).await.expect("blobs");
    let edit = |((key, text), hash): ((&String, &String), _)| TreeEdit::File {
        path: path(key),
        hash,
        bytes: text.len() as u64,
    };
    let edits: Vec<TreeEdit> = keys.iter().zip(&texts).zip(hashes).map(edit).collect();
    let state = store.edit(head.state, &edits).await.expect("a state");
    let change = Change::new(Actor::person(), "EntryPut", format!("added {added} entries"), state);
    let done = store.commit(&head, change).await.expect("a commit");
    assert!(matches!(done, Commit::Done(..)), "nobody else writes here");
}

fn copy(store: &Store, like: &Value, key: &str) -> String {
    let mut entry = like.clone();
    (entry["id"], entry["key"], entry["title"]) = (json!(store.env().fresh_id()), json!(key), json!(key));
    entry.to_string()
}
