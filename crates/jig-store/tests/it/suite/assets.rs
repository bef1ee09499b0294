//! Assets: permanent while a field refers to them, and removed some time after.

use jig_store::{
    ASSET_TTL_MS, Asset, AssetClass, AssetLife, AssetPatch, AssetQuery, AssetSource, AssetUse, Collect, GC_GRACE_MS,
    Head, NewAsset, Permanence, Repair, Store, StoreError, SweptAsset,
};
use serde_json::{Value, json};

use super::conformance;
use super::entries::{entry, put};
use crate::setup::{Clock, Setup, committed, id, made, me, remove, text};

conformance! {
    what_a_field_names_is_permanent, links_follow_the_documents_through_history, the_last_field_to_let_go_starts_the_clock,
    swept_assets_keep_their_row, nothing_is_linked_across_workbenches, assets_are_listed_in_pages, a_sweep_and_a_commit_agree,
}

pub(super) fn new(name: &str) -> NewAsset {
    NewAsset {
        id: None,
        name: name.to_owned(),
        media_type: "image/png".to_owned(),
        created_by: "me".to_owned(),
        source: AssetSource::User,
        class: AssetClass::default(),
        ttl_ms: None,
    }
}

pub(super) fn uri(asset: &Asset) -> String {
    format!("asset://{}", asset.id)
}

/// Commits an entry of kind `brand` with this data.
pub(super) async fn brand(store: &Store, head: &Head, key: &str, data: &Value) -> Head {
    committed(store, head, &[put(store, "brand", key, &entry("brand", key, data)).await]).await
}

pub(super) async fn now(store: &Store, asset: &Asset) -> Asset {
    store.asset(&id("deck"), &asset.id).await.unwrap().unwrap()
}

fn permanent(asset: &Asset, entry: &str, field: &str) -> Asset {
    Asset {
        permanence: Permanence::Permanent,
        entry_id: Some(entry.to_owned()),
        field_key: Some(field.to_owned()),
        expires_at: None,
        ..asset.clone()
    }
}

async fn what_a_field_names_is_permanent(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let head = made(&store, "deck").await;
    let class = AssetClass {
        asset_type: Some("logo\0".to_owned()),
        asset_category: Some("brand".to_owned()),
        confidence: Some(0.75),
        description: Some("a logo".to_owned()),
        reasoning: Some("the image shows it".to_owned()),
    };
    let made_by_agent = NewAsset { source: AssetSource::Agent, class: class.clone(), ttl_ms: Some(5), ..new("a.png") };
    let asset = store.put_asset(&head.id, made_by_agent, "bytes").await.unwrap();
    let expected = Asset {
        id: asset.id.clone(),
        hash: jig_store::hash_of(b"bytes"),
        bytes: 5,
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        permanence: Permanence::Temporary,
        entry_id: None,
        field_key: None,
        created_by: "me".to_owned(),
        source: AssetSource::Agent,
        class: AssetClass { asset_type: Some("logo\u{fffd}".to_owned()), ..class },
        created_at: clock.now(),
        expires_at: Some(clock.later(5)),
        removed_at: None,
    };
    assert_eq!(asset, expected);
    assert_eq!(now(&store, &asset).await, asset);
    assert_eq!(store.asset(&head.id, &asset.id.to_uppercase()).await.unwrap(), Some(asset.clone()));
    let usual = store.put_asset(&head.id, new("b.png"), "b").await.unwrap();
    assert_eq!(usual.expires_at, Some(clock.later(ASSET_TTL_MS)));

    let data = json!({ "logo": uri(&asset), "more": [{ "deep": [uri(&usual).to_uppercase().replace("ASSET", "asset")] }],
                       "text": format!("see {}", uri(&usual)), "unknown": "asset://nobody" });
    let head = brand(&store, &head, "", &data).await;
    assert_eq!(now(&store, &asset).await, permanent(&asset, "id-brand-", "logo"));
    assert_eq!(now(&store, &usual).await, permanent(&usual, "id-brand-", "more"));
    let one = AssetUse {
        asset_id: asset.id.clone(),
        document_path: "meta/documents/entries/brand/_.json".to_owned(),
        entry_id: "id-brand-".to_owned(),
        field_key: "logo".to_owned(),
    };
    assert_eq!(store.asset_uses(&head.id, &asset.id).await.unwrap(), [one]);
    assert_eq!(store.asset_uses(&head.id, "nobody").await.unwrap(), []);
    // It is permanent, however much time passes.
    clock.pass(10 * ASSET_TTL_MS);
    assert_eq!(store.sweep_assets(None).await.unwrap(), []);
    let lost = store.put_asset(&id("none"), new("x"), "x").await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}

async fn links_follow_the_documents_through_history(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let head = made(&store, "deck").await;
    let (a, b) = (
        store.put_asset(&head.id, new("a"), "a").await.unwrap(),
        store.put_asset(&head.id, new("b"), "b").await.unwrap(),
    );
    let first = brand(&store, &head, "", &json!({ "logo": uri(&a) })).await;
    let second = brand(&store, &first, "", &json!({ "logo": uri(&b) })).await;
    let which = async || {
        let word = async |asset: &Asset| now(&store, asset).await.permanence.word();
        [word(&a).await, word(&b).await]
    };
    assert_eq!(which().await, ["temporary", "permanent"]);
    store.undo(&head.id, me()).await.unwrap();
    assert_eq!(which().await, ["permanent", "temporary"]);
    store.redo(&head.id, me()).await.unwrap();
    assert_eq!(which().await, ["temporary", "permanent"]);
    // A restore is a commit of an older state.
    let present = store.head(&head.id).await.unwrap();
    let back = jig_store::Change::new(me(), "Restore", "back", first.state);
    store.commit(&present, back).await.unwrap();
    assert_eq!(which().await, ["permanent", "temporary"]);
    // In one change, the document is deleted and recreated at another path.
    let present = store.head(&head.id).await.unwrap();
    let document = entry("brand", "", &json!({ "logo": uri(&a), "again": uri(&a) }));
    let moved = [
        remove("meta/documents/entries/brand/_.json"),
        text(&store, "meta/documents/entries/brand/a.json", &document.to_string()).await,
    ];
    let head = committed(&store, &present, &moved).await;
    assert_eq!(now(&store, &a).await, permanent(&a, "id-brand-", "again"), "the first field by name");
    // An archived entry still refers to its assets, and so do values set aside.
    let mut archived = entry("brand", "", &json!({}));
    archived["state"] = json!("archived");
    archived["kept_aside"] = json!({ "logo": uri(&a) });
    let head =
        committed(&store, &head, &[text(&store, "meta/documents/entries/brand/a.json", &archived.to_string()).await])
            .await;
    assert_eq!(now(&store, &a).await, permanent(&a, "id-brand-", "logo"));
    // An invalid document refers to nothing.
    committed(&store, &head, &[text(&store, "meta/documents/entries/brand/a.json", "{").await]).await;
    assert_eq!(which().await, ["temporary", "temporary"]);
    assert_eq!(second.id, head.id);
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}

async fn the_last_field_to_let_go_starts_the_clock(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let head = made(&store, "deck").await;
    let asset = store.put_asset(&head.id, new("a"), "a").await.unwrap();
    let head = brand(&store, &head, "x", &json!({ "logo": uri(&asset) })).await;
    let head = brand(&store, &head, "b", &json!({ "icon": uri(&asset) })).await;
    assert_eq!(now(&store, &asset).await, permanent(&asset, "id-brand-b", "icon"), "the first by path");
    clock.pass(3 * ASSET_TTL_MS);
    let head = brand(&store, &head, "b", &json!({ "icon": null })).await;
    assert_eq!(now(&store, &asset).await, permanent(&asset, "id-brand-x", "logo"));
    let head = committed(&store, &head, &[remove("meta/documents")]).await;
    let alone = Asset { expires_at: Some(clock.later(ASSET_TTL_MS)), ..asset.clone() };
    assert_eq!(now(&store, &asset).await, alone, "a whole time again");
    clock.pass(5);
    let head = brand(&store, &head, "c", &json!({ "text": "nothing" })).await;
    assert_eq!(now(&store, &asset).await, alone, "changes elsewhere do not prolong it");
    // It has expired but was not swept: a new reference still saves it.
    clock.pass(ASSET_TTL_MS);
    assert!(alone.is_expired(clock.now()));
    brand(&store, &head, "c", &json!({ "logo": uri(&asset) })).await;
    assert_eq!(now(&store, &asset).await, permanent(&asset, "id-brand-c", "logo"));
    assert!(!now(&store, &asset).await.is_expired(clock.now()));
}

async fn swept_assets_keep_their_row(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let head = made(&store, "deck").await;
    let head = committed(&store, &head, &[text(&store, "published/same.txt", "shared").await]).await;
    let mut ends = Vec::new();
    for bytes in ["shared", "alone"] {
        ends.push(store.put_asset(&head.id, new(bytes), bytes).await.unwrap());
    }
    let longer = NewAsset { ttl_ms: Some(2 * ASSET_TTL_MS), ..new("longer") };
    let longer = store.put_asset(&head.id, longer, "longer").await.unwrap();
    clock.pass(ASSET_TTL_MS - 1);
    assert_eq!(store.sweep_assets(None).await.unwrap(), []);
    clock.pass(1);
    made(&store, "other").await;
    assert_eq!(store.sweep_assets(Some(&id("other"))).await.unwrap(), []);
    let swept = |asset: &Asset| SweptAsset {
        workbench_id: id("deck"),
        id: asset.id.clone(),
        name: asset.name.clone(),
        bytes: asset.bytes,
    };
    assert_eq!(store.sweep_assets(Some(&head.id)).await.unwrap(), [swept(&ends[0]), swept(&ends[1])]);
    assert_eq!(store.sweep_assets(None).await.unwrap(), [], "once");
    let gone = Asset { removed_at: Some(clock.now()), ..ends[1].clone() };
    assert_eq!(now(&store, &ends[1]).await, gone);
    assert!(gone.is_expired(clock.now()));
    // A reference to a removed asset has no effect.
    let head = brand(&store, &head, "", &json!({ "logo": uri(&gone), "icon": uri(&longer) })).await;
    assert_eq!(now(&store, &gone).await, gone);
    assert_eq!(store.asset_uses(&head.id, &gone.id).await.unwrap(), []);
    setup.age(2 * GC_GRACE_MS as u64);
    // The test's clock is ahead of the blobs' own.
    setup.open().await.collect(Collect::Remove).await.unwrap();
    let bytes = async |asset: &Asset| store.blobs().get(&asset.hash).await;
    assert!(matches!(bytes(&gone).await, Err(StoreError::BlobMissing { .. })));
    assert_eq!(bytes(&ends[0]).await.unwrap(), "shared", "a state needs it");
    assert_eq!(bytes(&longer).await.unwrap(), "longer");
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}

async fn nothing_is_linked_across_workbenches(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let (deck, other) = (made(&store, "deck").await, made(&store, "other").await);
    let theirs = store.put_asset(&other.id, new("theirs"), "t").await.unwrap();
    assert_eq!(store.asset(&deck.id, &theirs.id).await.unwrap(), None);
    brand(&store, &deck, "", &json!({ "logo": uri(&theirs) })).await;
    assert_eq!(store.asset(&other.id, &theirs.id).await.unwrap(), Some(theirs.clone()));
    assert_eq!(store.asset_uses(&deck.id, &theirs.id).await.unwrap(), []);
    // The same id in two workbenches refers to two assets.
    let twin = NewAsset { id: Some(theirs.id.clone()), ..new("mine") };
    let mine = store.put_asset(&deck.id, twin.clone(), "m").await.unwrap();
    assert!(store.put_asset(&deck.id, twin, "m").await.is_err(), "but not in one");
    let patch = AssetPatch { name: Some("renamed".to_owned()), ..AssetPatch::default() };
    store.set_asset(&deck.id, &mine.id, &patch).await.unwrap();
    assert_eq!(store.asset(&other.id, &theirs.id).await.unwrap().unwrap().name, "theirs");
    store.delete_workbench(&deck.id).await.unwrap();
    assert_eq!(store.asset(&deck.id, &mine.id).await.unwrap(), None);
    assert_eq!(store.asset(&other.id, &theirs.id).await.unwrap(), Some(theirs));
}

async fn assets_are_listed_in_pages(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    let head = made(&store, "deck").await;
    let mut all = Vec::new();
    for n in 0..6 {
        // Two at the same time.
        clock.pass(n % 2);
        let source = if n == 5 { AssetSource::Agent } else { AssetSource::User };
        let asset = NewAsset { source, ttl_ms: (n == 4).then_some(1), ..new(&n.to_string()) };
        all.push(store.put_asset(&head.id, asset, n.to_string()).await.unwrap());
    }
    let head = brand(&store, &head, "", &json!({ "logo": uri(&all[2]), "icon": uri(&all[0]) })).await;
    clock.pass(1_000);
    let any =
        AssetQuery { life: AssetLife::Any, permanence: None, entry_id: None, source: None, after: None, limit: 4 };
    let names = async |query: &AssetQuery| -> Vec<String> {
        let mut query = query.clone();
        let mut names = Vec::new();
        loop {
            let page = store.assets(&head.id, &query).await.unwrap();
            names.extend(page.assets.into_iter().map(|asset| asset.name));
            query.after = page.next;
            if query.after.is_none() {
                return names;
            }
        }
    };
    let mut expected: Vec<&Asset> = all.iter().collect();
    expected.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    let expected: Vec<&str> = expected.into_iter().map(|asset| asset.name.as_str()).collect();
    assert_eq!(names(&any).await, expected, "the newest first");
    assert_eq!(names(&AssetQuery { limit: 1, ..any.clone() }).await, expected);
    assert_eq!(names(&AssetQuery { life: AssetLife::Expired, ..any.clone() }).await, ["4"]);
    assert_eq!(names(&AssetQuery { life: AssetLife::Usable, ..any.clone() }).await.len(), 5);
    store.sweep_assets(None).await.unwrap();
    assert_eq!(names(&AssetQuery { life: AssetLife::Expired, ..any.clone() }).await, ["4"], "swept or not");
    assert_eq!(names(&AssetQuery { permanence: Some(Permanence::Permanent), ..any.clone() }).await.len(), 2);
    assert_eq!(names(&AssetQuery { entry_id: Some("id-brand-".to_owned()), ..any.clone() }).await.len(), 2);
    assert_eq!(names(&AssetQuery { entry_id: Some("x\0".to_owned()), ..any.clone() }).await, [""; 0]);
    assert_eq!(names(&AssetQuery { source: Some(AssetSource::Agent), ..any.clone() }).await, ["5"]);
    let some = [all[0].id.clone(), "x\0".to_owned(), all[4].id.to_uppercase(), "unknown".to_owned()];
    let mut found: Vec<String> =
        store.assets_named(&head.id, &some).await.unwrap().into_iter().map(|asset| asset.name).collect();
    found.sort();
    assert_eq!(found, ["0", "4"]);
    let lost = store.assets(&id("none"), &any).await;
    assert!(matches!(lost, Err(StoreError::WorkbenchNotFound { .. })), "{lost:?}");

    let class = AssetClass { confidence: Some(7.0), description: Some("x".to_owned()), ..AssetClass::default() };
    let patch = AssetPatch { class: Some(class), expires_at: Some(clock.later(9)), ..AssetPatch::default() };
    let three = store.set_asset(&head.id, &all[3].id, &patch).await.unwrap().unwrap();
    assert_eq!((three.class.confidence, three.expires_at), (Some(1.0), Some(clock.later(9))));
    let named = store.set_asset(&head.id, &all[2].id, &patch).await.unwrap().unwrap();
    assert_eq!((named.expires_at, named.permanence), (None, Permanence::Permanent), "what is permanent has no end");
    assert_eq!(store.set_asset(&head.id, "unknown", &patch).await.unwrap(), None);
}

/// Either the asset is swept and unreferenced, or it is referenced and not swept.
async fn a_sweep_and_a_commit_agree(setup: Setup) {
    let clock = Clock::new();
    let (store, sweeper) = (setup.open_at(&clock).await, setup.open_at(&clock).await);
    let mut head = made(&store, "deck").await;
    let mut all = Vec::new();
    for n in 0..40_i64 {
        let asset = NewAsset { ttl_ms: Some(n / 4), ..new(&n.to_string()) };
        all.push(store.put_asset(&head.id, asset, n.to_string()).await.unwrap());
    }
    let sweep = async {
        for _ in 0..20 {
            clock.pass(1);
            sweeper.sweep_assets(None).await.unwrap();
        }
    };
    let commit = async {
        for asset in all.iter().rev() {
            head = brand(&store, &head, &asset.name, &json!({ "logo": uri(asset) })).await;
        }
    };
    futures::join!(sweep, commit);
    for asset in &all {
        let asset = now(&store, asset).await;
        let uses = store.asset_uses(&id("deck"), &asset.id).await.unwrap().len();
        assert_eq!(uses, usize::from(asset.removed_at.is_none()), "{asset:?}");
    }
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
}
