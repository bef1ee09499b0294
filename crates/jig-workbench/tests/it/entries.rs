//! Entries through the operations of every interface: writing, conflicts, history, changing kinds, and agents'
//! permissions.

use jig_contract::{Actor, Code, Event};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

#[expect(clippy::needless_pass_by_value, reason = "tests write the value where they call")]
fn put(role: &str, key: Option<&str>, data: Value) -> Value {
    let mut params = json!({ "workbench_id": ID, "role": role, "data": data });
    if let Some(key) = key {
        params["entry_key"] = key.into();
    }
    params
}

fn of(role: &str) -> Value {
    json!({ "workbench_id": ID, "role": role })
}

fn with(mut params: Value, name: &str, value: impl Into<Value>) -> Value {
    params[name] = value.into();
    params
}

fn agent() -> CallContext {
    CallContext::new(Actor::agent("tester"))
}

#[tokio::test]
async fn an_entry_is_written_read_by_field_and_complete_by_what_is_required() {
    let home = TestHome::with_workbench().await;
    home.fails_with(Code::EntryNotFound, "EntryGet", of("brand")).await;
    let made = home.ok("EntryPut", put("brand", None, json!({ "name": "Acme", "voice": "Plain." }))).await;
    assert_eq!((&made["outcome"], &made["entry"]["revision"]), (&json!("written"), &json!(1)));
    let entry = home.ok("EntryGet", with(of("brand"), "fields", json!(["voice"]))).await["entry"].clone();
    assert_eq!(entry["data"], json!({ "voice": "Plain." }));
    assert_eq!(
        (&entry["completeness"], &entry["filled"], &entry["no_requirements"]),
        (&json!(1.0), &json!(2), &json!(false))
    );
    assert_eq!(entry["fields"][0]["by"], json!({ "type": "person" }));
    let next = home.ok("EntryPut", put("brand", None, json!({ "tagline": "Ropes that hold.", "voice": null }))).await;
    assert_eq!(next["entry"]["data"], json!({ "name": "Acme", "tagline": "Ropes that hold." }));
    let whole = with(put("brand", None, json!({ "tagline": "x" })), "mode", "replace");
    let replaced = home.ok("EntryPut", whole).await["entry"].clone();
    assert_eq!((&replaced["data"], &replaced["missing"]), (&json!({ "tagline": "x" }), &json!(["name"])));
    assert_eq!(replaced["completeness"], 0.0);
}

#[tokio::test]
async fn blank_text_and_lists_of_blanks_are_not_filled() {
    let home = TestHome::with_workbench().await;
    let data = json!({ "name": "  \u{200b}\n", "colors": ["", "  "], "tagline": "x" });
    let entry = home.ok("EntryPut", put("brand", None, data)).await["entry"].clone();
    assert_eq!(
        (&entry["filled"], &entry["completeness"], &entry["missing"]),
        (&json!(1), &json!(0.0), &json!(["name"]))
    );
}

#[tokio::test]
async fn what_is_wrong_is_told_field_by_field_and_nothing_is_saved() {
    let home = TestHome::with_workbench().await;
    let data = json!({ "nmae": "x", "voice": 3, "colors": "red", "logo": "asset://0190b6c2-7d3e-7000-8000-000000000001", "tagline": "ok" });
    let error = home.fails_with(Code::ValidationFailed, "EntryPut", put("brand", None, data)).await;
    let fields = error.info.detail.as_ref().unwrap()["fields"].as_array().unwrap().clone();
    let mut names: Vec<&str> = fields.iter().map(|field| field["field"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["colors", "logo", "nmae", "voice"], "{error}");
    assert!(fields.iter().any(|field| field["suggestions"] == json!(["name"])), "{fields:?}");
    home.fails_with(Code::EntryNotFound, "EntryGet", of("brand")).await;
    assert_eq!(home.plain("JournalList").await["total"], 1);
    home.fails_with(Code::KindNotFound, "EntryPut", put("brnad", None, json!({}))).await;
    home.fails_with(Code::ValidationFailed, "EntryPut", put("brand", Some("x"), json!({}))).await;
    home.fails_with(Code::ValidationFailed, "EntryPut", put("competitor", None, json!({ "name": "x" }))).await;
}

#[tokio::test]
async fn a_write_on_an_old_base_is_a_conflict_with_what_is_newer() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme" }))).await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme Ropes" }))).await;
    let stale = with(put("brand", None, json!({ "voice": "loud" })), "base_revision", 1);
    let error = home.fails_with(Code::Conflict, "EntryPut", stale).await;
    let detail = error.info.detail.unwrap();
    assert_eq!((&detail["base_revision"], &detail["newer_revision"]["number"]), (&json!(1), &json!(2)));
    assert_eq!(detail["entry"]["data"], json!({ "name": "Acme Ropes" }));
    for (operation, more) in
        [("EntryDelete", json!({})), ("EntryArchive", json!({})), ("EntryMarkDone", json!({ "field": "name" }))]
    {
        let mut params = with(of("brand"), "base_revision", 1);
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.fails_with(Code::Conflict, operation, params).await;
    }
    let fresh = with(put("brand", None, json!({ "voice": "loud" })), "base_revision", 0);
    home.fails_with(Code::Conflict, "EntryPut", fresh).await;
    let fits = with(put("brand", None, json!({ "voice": "loud" })), "base_revision", 2);
    assert_eq!(home.ok("EntryPut", fits).await["entry"]["revision"], 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_first_saves_of_a_singleton_one_wins_and_there_is_one_row() {
    let home = TestHome::with_workbench().await;
    let writers: Vec<_> = (0..16)
        .map(|n| {
            let workbench = home.workbench.clone();
            let params = with(put("brand", None, json!({ "name": format!("Acme {n}") })), "base_revision", 0);
            tokio::spawn(async move { workbench.call("EntryPut", CallContext::new(Actor::person()), params).await })
        })
        .collect();
    let mut won = 0;
    for writer in writers {
        match writer.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => {
                assert_eq!(error.code(), Code::Conflict, "{error}");
                assert!(error.info.detail.unwrap()["entry"]["data"]["name"].is_string());
            }
        }
    }
    let list = home.plain("EntryList").await;
    assert_eq!((won, &list["total"], list["entries"].as_array().unwrap().len()), (1, &json!(1), 1));
    assert_eq!(home.plain("JournalList").await["total"], 2);
    assert!(home.ok("StoreDoctor", json!({})).await["ok"].as_bool().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_of_different_entries_do_not_stand_in_each_others_way() {
    let home = TestHome::with_workbench().await;
    let writers: Vec<_> = (0..24)
        .map(|n| {
            let workbench = home.workbench.clone();
            let params = put("competitor", Some(&format!("c{n:02}")), json!({ "name": format!("C {n}") }));
            tokio::spawn(async move { workbench.call("EntryPut", CallContext::new(Actor::person()), params).await })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    let list = home.ok("EntryList", with(of("competitor"), "limit", 10)).await;
    assert_eq!(
        (&list["total"], &list["has_more"], list["entries"].as_array().unwrap().len()),
        (&json!(24), &json!(true), 10)
    );
    let mut keys: Vec<String> = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut params = with(of("competitor"), "limit", 7);
        if !cursor.is_null() {
            params["cursor"] = cursor;
        }
        let page = home.ok("EntryList", params).await;
        keys.extend(
            page["entries"].as_array().unwrap().iter().map(|entry| entry["entry_key"].as_str().unwrap().to_owned()),
        );
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(keys, (0..24).map(|n| format!("c{n:02}")).collect::<Vec<_>>(), "each once, in order");
}

#[tokio::test]
async fn all_competitors_come_back_in_a_stable_order_behind_the_foundations() {
    let home = TestHome::with_workbench().await;
    for key in ["initech", "acme", "globex"] {
        home.ok("EntryPut", put("competitor", Some(key), json!({ "name": key }))).await;
    }
    home.ok("EntryPut", put("brand", None, json!({ "name": "Us" }))).await;
    let addresses = |list: &Value| -> Vec<String> {
        let one =
            |entry: &Value| format!("{}:{}", entry["role"].as_str().unwrap(), entry["entry_key"].as_str().unwrap());
        list["entries"].as_array().unwrap().iter().map(one).collect()
    };
    let list = home.plain("EntryList").await;
    assert_eq!(addresses(&list), ["brand:", "competitor:acme", "competitor:globex", "competitor:initech"]);
    let fields = home.ok("EntryList", json!({ "workbench_id": ID, "fields": ["website"] })).await;
    assert_eq!(fields["entries"][0]["data"], json!({}));
    home.fails_with(Code::ValidationFailed, "EntryList", json!({ "workbench_id": ID, "fields": ["nonsense"] })).await;
    home.fails_with(Code::ValidationFailed, "EntryList", json!({ "workbench_id": ID, "cursor": "x" })).await;
    home.fails_with(Code::ValidationFailed, "EntryList", json!({ "workbench_id": ID, "limit": 0 })).await;
    home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "competitor", "entry_key": "acme" })).await;
    assert_eq!(addresses(&home.plain("EntryList").await), ["brand:", "competitor:globex", "competitor:initech"]);
    let archived = home.ok("EntryList", json!({ "workbench_id": ID, "state": "archived" })).await;
    assert_eq!(addresses(&archived), ["competitor:acme"]);
}

#[tokio::test]
async fn history_goes_back_write_by_write_and_an_old_revision_comes_back_as_a_new_one() {
    let home = TestHome::with_workbench().await;
    for (name, reason) in [("A", "first"), ("B", "second"), ("C", "third")] {
        home.ok("EntryPut", with(put("brand", None, json!({ "name": name })), "reason", reason)).await;
    }
    let history = home.ok("EntryHistory", of("brand")).await;
    let reasons: Vec<&str> =
        history["revisions"].as_array().unwrap().iter().map(|r| r["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["third", "second", "first"]);
    assert_eq!(history["revisions"][2]["changes"], json!([{ "field": "name", "change": "added" }]));
    let page = home.ok("EntryHistory", with(of("brand"), "limit", 2)).await;
    assert_eq!((&page["has_more"], page["revisions"].as_array().unwrap().len()), (&json!(true), 2));
    let rest = home.ok("EntryHistory", with(of("brand"), "cursor", page["cursor"].clone())).await;
    assert_eq!((&rest["has_more"], &rest["revisions"][0]["revision"]), (&json!(false), &json!(1)));
    let old = home.ok("EntryGet", with(of("brand"), "revision", 1)).await["entry"].clone();
    assert_eq!(
        (&old["data"]["name"], &old["staleness"]["outdated_view"]),
        (&json!("A"), &json!({ "seen": 1, "newest": 3 }))
    );
    let seen = home.ok("EntryGet", with(of("brand"), "seen_revision", 2)).await["entry"].clone();
    assert_eq!(seen["staleness"]["outdated_view"], json!({ "seen": 2, "newest": 3 }));
    let back = home.ok("EntryRestore", with(of("brand"), "revision", 1)).await["entry"].clone();
    assert_eq!((&back["revision"], &back["data"]["name"]), (&json!(4), &json!("A")));
    home.fails_with(Code::RevisionNotFound, "EntryRestore", with(of("brand"), "revision", 9)).await;
    home.fails_with(Code::RevisionNotFound, "EntryGet", with(of("brand"), "revision", 0)).await;
    assert_eq!(home.ok("EntryHistory", of("brand")).await["revisions"][0]["reason"], "restored revision 1");
}

#[tokio::test]
async fn undo_and_redo_take_entries_along_and_a_draft_blocks_none_of_it() {
    let home = TestHome::with_workbench().await;
    home.add("a.txt", "one").await;
    home.write("a.txt", "two").await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "A" }))).await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "B" }))).await;
    home.plain("JournalUndo").await;
    assert_eq!(home.ok("EntryGet", of("brand")).await["entry"]["data"]["name"], "A");
    assert_eq!(home.plain("EntryList").await["entries"][0]["data"]["name"], "A");
    home.plain("JournalUndo").await;
    home.fails_with(Code::EntryNotFound, "EntryGet", of("brand")).await;
    home.plain("JournalRedo").await;
    home.plain("JournalRedo").await;
    assert_eq!(home.ok("EntryGet", of("brand")).await["entry"]["revision"], 2);
    home.ok("EntryDelete", of("brand")).await;
    home.fails_with(Code::EntryNotFound, "EntryDelete", of("brand")).await;
    assert_eq!(home.plain("EntryList").await["total"], 0);
    home.plain("JournalUndo").await;
    assert_eq!(home.texts("draft").await["a.txt"], "two");
    assert!(home.ok("StoreDoctor", json!({})).await["ok"].as_bool().unwrap());
}

#[tokio::test]
async fn done_is_said_by_people_and_only_suggested_by_agents() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("trend", Some("ai"), json!({ "name": "AI" }))).await;
    let done = json!({ "workbench_id": ID, "role": "trend", "entry_key": "ai", "field": "name", "done": true });
    let suggested = home.workbench.call("EntryMarkDone", agent(), done.clone()).await.unwrap();
    assert_eq!((&suggested["entry"]["done"], &suggested["entry"]["done_suggested"]), (&json!(0), &json!(1)));
    let said = home.ok("EntryMarkDone", done.clone()).await;
    assert_eq!((&said["entry"]["done"], &said["entry"]["done_suggested"]), (&json!(1), &json!(0)));
    home.ok("EntryPut", put("trend", Some("ai"), json!({ "name": "Ai" }))).await;
    let now = home.ok("EntryGet", json!({ "workbench_id": ID, "role": "trend", "entry_key": "ai" })).await;
    assert_eq!(
        (&now["entry"]["changed_since_done"], &now["entry"]["fields"][0]["done"]["changed_since"]),
        (&json!(1), &json!(true))
    );
    home.fails_with(Code::ValidationFailed, "EntryMarkDone", with(done.clone(), "field", "none")).await;
    assert_eq!(home.ok("EntryMarkDone", with(done, "done", false)).await["entry"]["done"], 0);
}

#[tokio::test]
async fn agents_write_working_kinds_and_propose_the_rest() {
    let home = TestHome::with_workbench().await;
    let call = |name: &'static str, params: Value| home.workbench.call(name, agent(), params);
    let brand = call("EntryPut", put("brand", None, json!({ "name": "Acme" }))).await.unwrap();
    assert_eq!((&brand["outcome"], &brand["entry"]), (&json!("proposed"), &Value::Null));
    assert!(brand["why"].as_str().unwrap().contains("foundation"));
    let trend = put("trend", Some("ai"), json!({ "name": "AI" }));
    assert_eq!(call("EntryPut", trend.clone()).await.unwrap()["outcome"], "written");
    assert_eq!(call("EntryPut", trend.clone()).await.unwrap()["outcome"], "written", "its own words it may change");
    home.ok("EntryPut", put("trend", Some("ai"), json!({ "name": "AI, said a person" }))).await;
    let over = call("EntryPut", put("trend", Some("ai"), json!({ "name": "Better" }))).await.unwrap();
    assert_eq!(
        (&over["outcome"], &over["entry"]["data"]["name"]),
        (&json!("proposed"), &json!("AI, said a person")),
        "a person wrote it"
    );
    let all = call("EntryPut", with(put("trend", Some("ai"), json!({})), "mode", "replace")).await.unwrap();
    assert_eq!(all["proposal"]["fields"][0]["value"], Value::Null, "taking away is a write too");
    let nothing = call("EntryPut", put("brand", None, json!({}))).await.unwrap_err();
    assert_eq!(nothing.code(), Code::ValidationFailed, "nobody could decide on it");
    let wrong = call("EntryPut", put("brand", None, json!({ "nonsense": 1 }))).await.unwrap_err();
    assert_eq!(wrong.code(), Code::ValidationFailed, "a proposal is a write that could happen");
    for name in ["EntryAcceptProposal", "EntryRejectProposal"] {
        let params = json!({ "workbench_id": ID, "proposal_id": brand["proposal"]["id"] });
        assert_eq!(call(name, params).await.unwrap_err().code(), Code::NotPermitted);
    }
    home.ok("KindPut", json!({ "workbench_id": ID, "definition": "anchor_role: pad\ndisplay_name: Pad\ncategory: foundation\ntier: scratch\nfield_schema:\n  fields:\n    - {key: text, type: longtext, label: Text}\n" })).await;
    assert_eq!(call("EntryPut", put("pad", None, json!({ "text": "x" }))).await.unwrap()["outcome"], "written");
}

/// A write without a base applies to any current revision.
#[tokio::test]
async fn writers_of_different_fields_at_the_same_time_do_not_stand_in_each_others_way() {
    let home = TestHome::with_workbench().await;
    let fields = ["name", "tagline", "voice", "mission", "values", "story"];
    let known = home.ok("KindGet", json!({ "workbench_id": ID, "role": "brand" })).await.to_string();
    let fields: Vec<&str> =
        fields.into_iter().filter(|field| known.contains(&format!("\"key\":\"{field}\""))).collect();
    assert!(fields.len() >= 3, "{fields:?} of {known}");
    for round in 0..10 {
        let writes = fields
            .iter()
            .map(|field| home.ok("EntryPut", put("brand", None, json!({ *field: format!("{field} {round}") }))));
        futures::future::join_all(writes).await;
        let data = home.ok("EntryGet", json!({ "workbench_id": ID, "role": "brand" })).await["entry"]["data"].clone();
        assert!(fields.iter().all(|field| data[*field] == format!("{field} {round}")), "{data}");
    }
}

#[tokio::test]
async fn a_proposal_is_taken_field_by_field_and_never_over_a_later_write() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme", "tagline": "old" }))).await;
    let wish = put("brand", None, json!({ "name": "Acme Inc", "tagline": "new", "voice": "warm" }));
    let made = home.workbench.call("EntryPut", agent(), wish).await.unwrap();
    let id = made["proposal"]["id"].clone();
    let accept = |fields: Value| json!({ "workbench_id": ID, "proposal_id": id, "fields": fields });
    let after = home.ok("EntryAcceptProposal", accept(json!(["voice"]))).await;
    assert_eq!(after["entry"]["data"], json!({ "name": "Acme", "tagline": "old", "voice": "warm" }));
    assert_eq!(
        (&after["proposal"]["state"], &after["entry"]["fields"][2]["by"]["type"]),
        (&json!("pending"), &json!("person"))
    );
    home.ok("EntryPut", put("brand", None, json!({ "tagline": "by hand" }))).await;
    let waiting = home.plain("EntryListProposals").await["proposals"][0].clone();
    assert_eq!(waiting["conflict"], true);
    let tagline = waiting["fields"].as_array().unwrap().iter().find(|field| field["field"] == "tagline").unwrap();
    assert_eq!((&tagline["conflict"], &tagline["current"]), (&json!(true), &json!("by hand")));
    let error = home.fails_with(Code::Conflict, "EntryAcceptProposal", accept(json!(["tagline"]))).await;
    assert_eq!(error.info.detail.unwrap()["fields"], json!(["tagline"]));
    assert_eq!(home.ok("EntryGet", of("brand")).await["entry"]["data"]["tagline"], "by hand");
    let name = home.ok("EntryAcceptProposal", accept(json!(["name"]))).await;
    assert_eq!(name["entry"]["data"]["name"], "Acme Inc", "another field is not in the way");
    home.fails_with(Code::ValidationFailed, "EntryAcceptProposal", accept(json!(["logo"]))).await;
    let rejected =
        home.ok("EntryRejectProposal", json!({ "workbench_id": ID, "proposal_id": id, "reason": "no" })).await;
    assert_eq!(
        (&rejected["proposal"]["state"], &rejected["proposal"]["decision_reason"]),
        (&json!("accepted"), &json!("no"))
    );
    home.fails_with(Code::Conflict, "EntryRejectProposal", json!({ "workbench_id": ID, "proposal_id": id })).await;
    assert_eq!(home.plain("EntryListProposals").await["proposals"], json!([]));
    home.plain("JournalUndo").await;
    assert_eq!(
        home.plain("EntryListProposals").await["proposals"][0]["state"],
        "pending",
        "decisions are undone like all else"
    );
    let unknown = json!({ "workbench_id": ID, "proposal_id": "0190b6c2-7d3e-7000-8000-000000000001" });
    home.fails_with(Code::ProposalNotFound, "EntryAcceptProposal", unknown).await;
}

#[tokio::test]
async fn a_changed_kind_drops_nothing_and_says_what_no_longer_fits() {
    let home = TestHome::with_workbench().await;
    let kind = |fields: Value| {
        json!({ "workbench_id": ID, "definition": { "anchor_role": "partner", "display_name": "Partner",
        "category": "market", "is_singleton": false, "field_schema": { "fields": fields } } })
    };
    let text = |key: &str, required: bool| json!({ "key": key, "type": "text", "label": key, "required": required });
    let made = home.ok("KindPut", kind(json!([text("name", true), text("size", false)]))).await;
    assert_eq!((&made["saved"], &made["kind"]["version"]), (&json!(true), &json!(1)));
    home.ok("EntryPut", put("partner", Some("a"), json!({ "name": "A", "size": "large" }))).await;
    let without = kind(json!([text("name", true)]));
    let dry = home.ok("KindPut", with(without.clone(), "dry_run", true)).await;
    assert_eq!((&dry["saved"], &dry["report"]["set_aside"][0]["value"]), (&json!(false), &json!("large")));
    let changed = home.ok("KindPut", without.clone()).await;
    assert_eq!(
        (&changed["saved"], &changed["kind"]["version"], &changed["report"]["checked"]),
        (&json!(true), &json!(2), &json!(1))
    );
    assert_eq!(home.ok("KindPut", without).await["saved"], false, "the same value again is not a change");
    let a =
        home.ok("EntryGet", json!({ "workbench_id": ID, "role": "partner", "entry_key": "a" })).await["entry"].clone();
    assert_eq!(
        (&a["data"], &a["kept_aside"], &a["kind_version"]),
        (&json!({ "name": "A" }), &json!({ "size": "large" }), &json!(2))
    );
    let number = json!({ "key": "size", "type": "number", "label": "size", "required": true });
    let back = home.ok("KindPut", kind(json!([text("name", true), number]))).await["report"].clone();
    assert_eq!((&back["brought_back"][0]["value"], &back["misfits"][0]["field"]), (&json!("large"), &json!("size")));
    let error = home.fails_with(Code::KindInUse, "KindDelete", of("partner")).await;
    assert_eq!(error.info.detail.unwrap()["entries"], json!(["@partner:a"]));
    home.ok("EntryDelete", json!({ "workbench_id": ID, "role": "partner", "entry_key": "a" })).await;
    assert_eq!(home.ok("KindDelete", of("partner")).await, json!({ "deleted": "partner", "shipped_again": false }));
    home.fails_with(Code::KindNotFound, "KindGet", of("partner")).await;
    home.fails_with(Code::ValidationFailed, "KindDelete", of("brand")).await;
}

#[tokio::test]
async fn a_kind_that_comes_with_jig_can_be_changed_and_goes_back() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme", "tagline": "x" }))).await;
    let yaml = home.ok("KindGet", of("brand")).await["yaml"].as_str().unwrap().to_owned();
    let changed = yaml.replace("key: tagline", "key: claim");
    assert_ne!(yaml, changed);
    let path = home.outside("brand.yaml", changed);
    let saved = home.ok("KindPut", json!({ "workbench_id": ID, "source_path": path })).await;
    assert_eq!((&saved["kind"]["shipped"], &saved["kind"]["version"]), (&json!(false), &json!(2)));
    assert_eq!(home.ok("EntryGet", of("brand")).await["entry"]["kept_aside"], json!({ "tagline": "x" }));
    assert_eq!(home.ok("KindDelete", of("brand")).await["shipped_again"], true);
    let entry = home.ok("EntryGet", of("brand")).await["entry"].clone();
    assert_eq!((&entry["data"]["tagline"], &entry["kept_aside"]), (&json!("x"), &Value::Null));
    let many = json!({ "workbench_id": ID, "definition": yaml.replace("is_singleton: true", "is_singleton: false") });
    home.fails_with(Code::KindInUse, "KindPut", many).await;
    let broken = json!({ "workbench_id": ID, "definition": "anchor_role: X\ncategory: nowhere\n" });
    let error = home.fails_with(Code::ValidationFailed, "KindPut", broken).await;
    assert!(error.info.detail.unwrap()["fields"].as_array().unwrap().len() >= 3);
}

#[tokio::test]
async fn clone_export_and_import_keep_entries_with_their_history() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "A" }))).await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "B" }))).await;
    home.ok("WorkbenchClone", json!({ "workbench_id": ID, "name": "Copy", "id": "copy" })).await;
    let file = home.path().join("out.jig");
    home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": file })).await;
    home.ok("WorkbenchImport", json!({ "from": file, "id": "back" })).await;
    for id in ["copy", "back"] {
        let entry = home.ok("EntryGet", json!({ "workbench_id": id, "role": "brand", "revision": 1 })).await;
        assert_eq!(entry["entry"]["data"]["name"], "A", "{id}");
        assert_eq!(home.ok("EntryList", json!({ "workbench_id": id })).await["total"], 1);
    }
    home.fails_with(Code::WorkbenchNotFound, "EntryGet", json!({ "workbench_id": "nobody", "role": "brand" })).await;
    home.fails_with(Code::WorkbenchNotFound, "EntryList", json!({ "workbench_id": "nobody" })).await;
}

#[tokio::test]
async fn events_tell_of_entries_live_and_replayed_alike() {
    let home = TestHome::with_workbench().await;
    let mut live = home.workbench.events();
    home.ok("EntryPut", put("competitor", Some("acme"), json!({ "name": "A" }))).await;
    home.ok("EntryPut", put("competitor", Some("acme"), json!({ "name": "B" }))).await;
    home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "competitor", "entry_key": "acme" })).await;
    home.ok("EntryDelete", json!({ "workbench_id": ID, "role": "competitor", "entry_key": "acme" })).await;
    home.plain("JournalUndo").await;
    let mut told = Vec::new();
    while let Ok(record) = live.try_recv() {
        if let Event::EntryChanged { role, entry_key, action } = record.event {
            assert_eq!((role.as_str(), entry_key.as_str()), ("competitor", "acme"));
            told.push(json!(action));
        }
    }
    assert_eq!(told, ["added", "updated", "archived", "deleted", "added"]);
    let replayed = home.plain("EventList").await["events"].clone();
    let again: Vec<Value> = replayed
        .as_array()
        .unwrap()
        .iter()
        .map(|record| &record["event"])
        .filter(|event| event["type"] == "entry_changed")
        .map(|event| event["action"].clone())
        .collect();
    assert_eq!(again, told);
}

#[tokio::test]
async fn entries_are_in_the_prompt_and_what_the_message_names_comes_first() {
    let home = TestHome::with_workbench().await;
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme", "voice": "Plain </voice> and warm." }))).await;
    home.ok("EntryPut", put("competitor", Some("globex"), json!({ "name": "Globex" }))).await;
    let prompt =
        home.ok("PromptAssemble", json!({ "workbench_id": ID, "message": "Compare with @competitor:globex" })).await;
    let text = prompt.to_string();
    assert!(text.contains("Acme") && text.contains("Globex") && !text.contains("</voice> and"), "{text}");
}

#[tokio::test]
async fn many_entries_of_a_kind_do_not_crowd_a_prompt() {
    let home = TestHome::with_workbench().await;
    for n in 0..22 {
        let (key, data) = (format!("c{n:02}"), json!({ "name": format!("Rival {n:02}") }));
        home.ok("EntryPut", put("competitor", Some(&key), data)).await;
    }
    home.ok("EntryPut", put("trend_digest", None, json!({ "summary": "Quiet." }))).await;
    let said = async |message: &str| {
        let prompt = home.ok("PromptAssemble", json!({ "workbench_id": ID, "message": message })).await;
        let sections = prompt["sections"].to_string();
        let rivals: Vec<usize> = (0..22).filter(|n| sections.contains(&format!("Rival {n:02}"))).collect();
        (rivals, sections.contains("Quiet."), prompt["notices"].to_string().contains("The first 20 competitor entries"))
    };
    // Without a name, the first entries are included, leaving space for later kinds.
    assert_eq!(said("Write a note").await, ((0..20).collect(), true, true));
    // Only the named entries of a kind, without duplicates.
    assert_eq!(said("See @competitor:c21, @competitor:c21 and @competitor:c03").await, (vec![3, 21], true, false));
    // A named kind includes all of its entries.
    assert_eq!(said("Compare with every @competitor").await, ((0..22).collect(), true, false));
}
